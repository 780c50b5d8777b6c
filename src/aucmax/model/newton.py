"""Truncated Newton for ``mean pair loss + l2/2·|w|²``, with products of X and sums over sorted scores only.

Every step solves ``H p = -g`` by conjugate gradients, roughly at first and better near the optimum, and searches along
p, where a trial costs a sort and no product with X. What makes it fast is what comes before: with few columns the
problem is first solved on a sample of the rows with an explicit Hessian, and the sample's Cholesky factor preconditions
the conjugate gradients on all rows. Up to ``SAMPLE`` rows the sample is all of them, and the steps are exact Newton's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg as la

from aucmax.kernel.moments import add_products, add_squares, column_squares, densified
from aucmax.kernel.pairs import Classes, Loss, PairSums, partner_sums
from aucmax.model.data import Data

SAMPLE = 4000  # rows up to which no smaller sample is drawn
SAMPLE_PER_COLUMN = 10
MATRIX_LIMIT = 500  # columns up to which a Hessian is formed
THIN = 0.2  # the share of non-zeros below which rows are taken one by one
BLOCK = 2048  # rows of a Hessian at a time
MOST_INNER = 200  # conjugate gradient iterations in a step
ROUGH = 0.1  # the first steps' relative residual
MOST_TRIALS = 30  # of a line search
SUFFICIENT = 1e-4  # the part of the promised decrease that a step must bring

Solve = Callable[[np.ndarray], np.ndarray]


class Point(NamedTuple):
    """Weights with their scores, the pair sums there, and the objective."""

    w: np.ndarray
    scores: np.ndarray
    sums: PairSums
    value: float


class Direction(NamedTuple):
    """A change of the weights, of the scores, and how steeply the objective falls along it."""

    p: np.ndarray
    scores: np.ndarray
    fall: float


class Problem(NamedTuple):
    """The rows, the loss and the penalty."""

    data: Data
    classes: Classes
    loss: Loss
    l2: float

    @classmethod
    def of(cls, data: Data, loss: Loss, l2: float) -> Problem:
        """The problem of all the rows."""
        return cls(data, Classes.of(data.y, data.weight), loss, l2)

    @property
    def thin(self) -> bool:
        """Whether rows have so few non-zeros that products with them are cheaper than products of matrices."""
        return not self.data.dense and self.data.matrix.nnz < THIN * self.data.n * self.data.d

    def at(self, w: np.ndarray, scores: np.ndarray | None = None) -> Point:
        """The point of some weights."""
        if scores is None:
            scores = self.data.products(w[:, None])[:, 0]
        sums = PairSums(self.classes, scores, self.loss)
        return Point(w, scores, sums, sums.value + 0.5 * self.l2 * float(w @ w))

    def gradient(self, point: Point) -> np.ndarray:
        """The gradient of the objective."""
        return np.asarray(self.data.combination(point.sums.slope) + self.l2 * point.w)

    def sample(self, rows: int, rng: Any) -> Problem:
        """The same problem on at most half so many rows of either class."""
        chosen = [
            side if len(side) <= rows // 2 else np.sort(rng.choice(side, rows // 2, replace=False))
            for side in (self.classes.pos, self.classes.neg)
        ]
        return Problem.of(self.data.taken(np.concatenate(chosen)), self.loss, self.l2)

    def hessian(self, point: Point) -> np.ndarray:
        """The Hessian as a matrix, from blocks of rows: no pair is ever formed.

        A pair's share is ``c (x - x')(x - x')ᵀ``: the squares are a weighted product of X with itself, the cross terms
        one of the smaller class with the running sums of its partners.
        """
        X, curve = self.data.matrix, point.sums.curve
        H = self.l2 * np.eye(self.data.d)
        curved = np.flatnonzero(curve > 0.0)
        if self.thin:
            add_squares(self.data.rows, curved, curve, H)
            curved = curved[:0]
        for start in range(0, len(curved), BLOCK):
            at = curved[start : start + BLOCK]
            z = densified(X[at]) * np.sqrt(curve[at])[:, None]
            H += z.T @ z
        for bent in point.sums.bent[0 if len(self.classes.pos) <= len(self.classes.neg) else 1]:
            cross = self._cross_terms(bent)
            H -= cross + cross.T
        return H

    def _cross_terms(self, bent: Any) -> np.ndarray:
        X, d = self.data.matrix, self.data.d
        cross, running, held = np.zeros((d, d)), np.zeros((d, 1)), (0, 0)
        for start in range(0, len(bent.lead.rows), BLOCK):
            at = slice(start, start + BLOCK)
            first, end = bent.runs.first[at], bent.runs.end[at]
            partners = np.empty((len(end), d))
            partner_sums(self.data.rows, bent.other, bent.runs._replace(first=first, end=end), held, running, partners)
            held = (int(first[-1]), int(end[-1]))
            amounts = bent.curvature * bent.lead.weight[at]
            if self.thin:
                add_products(self.data.rows, bent.lead.rows[at], amounts, partners, cross)
            else:
                cross += (densified(X[bent.lead.rows[at]]) * amounts[:, None]).T @ partners
        return cross


def direction(problem: Problem, point: Point, g: np.ndarray, solve: Solve, accuracy: float) -> Direction:
    """``H p = -g`` by preconditioned conjugate gradients, up to a relative residual in the preconditioner's norm."""
    p, scores = np.zeros_like(g), np.zeros_like(point.scores)
    residual = -g
    z = solve(residual)
    step = z.copy()
    left = first = float(residual @ z)
    for _ in range(MOST_INNER):
        along = problem.data.products(step[:, None])[:, 0]
        bend = problem.data.combination(point.sums.curvature(along)) + problem.l2 * step
        curvature = float(step @ bend)
        if curvature <= 0.0:
            break
        alpha = left / curvature
        p += alpha * step
        scores += alpha * along
        residual -= alpha * bend
        z = solve(residual)
        before, left = left, float(residual @ z)
        if left <= accuracy**2 * first:
            break
        step = z + (left / before) * step
    return Direction(p, scores, -float(g @ p))


def search(problem: Problem, point: Point, along: Direction) -> Point | None:
    """The first good enough point on the ray, the whole step tried first; None where rounding leaves no decrease."""
    t, low, high = 1.0, 0.0, np.inf
    slope_at_low = -along.fall
    for _ in range(MOST_TRIALS):
        trial = problem.at(point.w + t * along.p, point.scores + t * along.scores)
        slope = float(trial.sums.slope @ along.scores) + problem.l2 * float(trial.w @ along.p)
        if trial.value <= point.value - SUFFICIENT * t * along.fall and slope <= 0.5 * along.fall:
            return trial
        high = t
        t = low + (high - low) * min(max(slope_at_low / (slope_at_low - slope), 0.1), 0.9) if slope > 0 else 0.5 * t
    return None


def exact(problem: Problem, point: Point) -> Solve:
    """Solves with the Hessian at a point."""
    H = problem.hessian(point)
    try:
        factor = la.cho_factor(H, lower=True, overwrite_a=True, check_finite=False)
    except la.LinAlgError:  # without a penalty the Hessian may be singular
        floor = 1e-10 * float(np.trace(H)) / len(H)
        factor = la.cho_factor(H + max(floor, 1e-300) * np.eye(len(H)), lower=True, check_finite=False)
    return lambda r: np.asarray(la.cho_solve(factor, r, check_finite=False))


def diagonal(problem: Problem, point: Point) -> Solve:
    """Solves with an upper bound of the Hessian's diagonal."""
    out = np.zeros(problem.data.d)
    column_squares(problem.data.rows, point.sums.curve, out)
    out += problem.l2
    inverse = np.divide(1.0, out, out=np.ones_like(out), where=out > 0.0)
    return lambda r: np.asarray(inverse * r)
