"""The problem that Newton's method solves: rows, a loss and a penalty; its value, gradient and Hessian at a point.

All of it by products of X and sums over sorted scores: no pair is ever formed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.random import sample_without_replacement

from aucmax.kernel.classes import Classes
from aucmax.kernel.conjugate import Coupled, Paired, System
from aucmax.kernel.logistic import Logistic, LogisticSums
from aucmax.kernel.moments import CACHED, add_combinations, add_outer, add_products, add_squares, centred_rows
from aucmax.kernel.pairs import Bent, Loss, PairSums, partner_sums
from aucmax.kernel.square import Square, SquareSums
from aucmax.model.data import Data

THIN = 0.2  # the share of non-zeros below which rows are taken one by one
LEAST_BLOCK = 64  # rows of a Hessian at a time, however many columns

AnyLoss = Loss | Logistic | Square
Sums = PairSums | LogisticSums | SquareSums


class Point(NamedTuple):
    """Weights with their scores, the pair sums there, and the objective."""

    w: np.ndarray
    scores: np.ndarray
    sums: Sums
    value: float


class Problem(NamedTuple):
    """The rows, the loss and the penalty."""

    data: Data
    classes: Classes
    loss: AnyLoss
    l2: float | np.ndarray  # one for all columns, or one for each

    @classmethod
    def of(cls, data: Data, loss: AnyLoss, l2: float | np.ndarray) -> Problem:
        """The problem of all the rows."""
        return cls(data, Classes.of(data.y, data.weight, data.group), loss, l2)

    @property
    def taking_part(self) -> int:
        """The rows that take part; others have no weight."""
        return len(self.classes.pos) + len(self.classes.neg)

    @property
    def thin(self) -> bool:
        """Whether rows have so few non-zeros that products with them are cheaper than products of matrices."""
        return not self.data.dense and self.data.stored < THIN * self.data.n * self.data.d

    @property
    def penalties(self) -> np.ndarray:
        """The penalty of every column."""
        return self.l2 if isinstance(self.l2, np.ndarray) else np.full(self.data.d, float(self.l2))

    def at(self, w: np.ndarray, scores: np.ndarray | None = None) -> Point:
        """The point of some weights."""
        if scores is None:
            scores = self.data.products(w[:, None])[:, 0]
        return self._point(w, scores, self._sums(scores))

    def along(self, point: Point, p: np.ndarray, change: np.ndarray, t: float) -> tuple[Point, float]:
        """The point so far along a change of the weights, and of their scores, from another; the slope that way."""
        w = point.w + t * p
        if isinstance(point.sums, LogisticSums):
            sums, scores, slope = point.sums.moved(change, t)
            found = self._point(w, scores, sums)
        else:
            found = self.at(w, point.scores + t * change)
            slope = float(found.sums.slope @ change)
        return found, slope + float(w @ (self.l2 * p))

    def _point(self, w: np.ndarray, scores: np.ndarray, sums: Sums) -> Point:
        return Point(w, scores, sums, sums.value + 0.5 * float(w @ (self.l2 * w)))

    def _sums(self, scores: np.ndarray) -> Sums:
        if isinstance(self.loss, Logistic):
            return LogisticSums(self.classes, scores)
        if isinstance(self.loss, Square):
            return SquareSums(self.classes, scores)
        return PairSums(self.classes, scores, self.loss, concave=False)

    def gradient(self, point: Point) -> np.ndarray:
        """The gradient of the objective."""
        return np.asarray(self.data.combination(point.sums.slope) + self.l2 * point.w)

    def system(self, point: Point) -> System:
        """The equations of a Newton step."""
        if point.sums.coupling is None:
            n, (led_by_pos, led_by_neg) = self.data.n, point.sums.bent
            curvature = Paired(point.sums.curve, (*led_by_pos, *led_by_neg), np.empty(n + 1), np.empty(n))
            return System(self.data.rows, curvature, self.penalties, self.gradient(point))
        factor, a, b = point.sums.coupling
        pulls = np.zeros((self.data.d, 2))
        add_combinations(self.data.rows, point.sums.slope, a, pulls)
        g, pull = np.ascontiguousarray(pulls.T)
        coupled = Coupled(point.sums.curve, factor, a, b, pull, pull if a is b else self.data.combination(b))
        return System(self.data.rows, coupled, self.penalties, g + self.l2 * point.w)

    def sample(self, rows: int, rng: Any) -> Problem:
        """The same problem on a balanced sample of so many rows."""
        return Problem.of(self.data.taken(balanced(self.classes, rows, rng)), self.loss, self.l2)

    def hessian(self, point: Point) -> np.ndarray:
        """The Hessian as a matrix."""
        lower = np.tril(self.lower_hessian(point, self.system(point)))
        return np.asarray(lower + np.tril(lower, -1).T)

    def lower_hessian(self, point: Point, system: System) -> np.ndarray:
        """The lower half of the Hessian, from blocks of rows: no pair is ever formed.

        A pair's share is ``c (x - x')(x - x')ᵀ``: the squares are a weighted product of X with itself, the cross terms
        one of the smaller class with the running sums of its partners.
        """
        mean, H = self._mean, np.diag(system.l2)
        if self.thin:
            add_squares(system.rows, system.curvature.curve, H)
        else:
            self._add_blocks(system.curvature.curve, mean, H)
        if isinstance(system.curvature, Coupled):
            _, factor, *sides, pull_a, pull_b = system.curvature
            a, b = (pull - float(side.sum()) * mean for pull, side in zip((pull_a, pull_b), sides, strict=True))
            add_outer(a, b, -0.5 * factor, H)
        for bent in point.sums.bent[0 if len(self.classes.pos) <= len(self.classes.neg) else 1]:
            cross = self._cross_terms(bent, mean)
            H -= cross + cross.T
        return H

    def _add_blocks(self, curve: np.ndarray, mean: np.ndarray, H: np.ndarray) -> None:
        """Add the squares of centred rows, many at a time."""
        curved, block = np.flatnonzero(curve > 0.0), self._block
        root = np.sqrt(curve[curved])
        lines = np.empty((min(block, len(curved)), self.data.d))
        for start in range(0, len(curved), block):
            at = slice(start, start + block)
            z = lines[: len(root[at])]
            centred_rows(self.data.rows, curved[at], mean, root[at], z)
            H += z.T @ z

    @property
    def _mean(self) -> np.ndarray:
        """The mean row, to be taken off for the sake of rounding; zero where sparse rows are taken one by one."""
        return np.zeros(self.data.d) if self.thin else self.data.combination(np.full(self.data.n, 1.0 / self.data.n))

    @property
    def _block(self) -> int:
        """So many rows that they stay in a core's cache while they are multiplied."""
        return max(CACHED // (2 * max(self.data.d, 1)), LEAST_BLOCK)

    def _cross_terms(self, bent: Bent, mean: np.ndarray) -> np.ndarray:
        d, block = self.data.d, min(self._block, len(bent.lead.rows))
        tally = np.concatenate([[0.0], np.cumsum(bent.other.weight)])
        cross, running, held = np.zeros((d, d)), np.zeros((d, 1)), (0, 0)
        room, lines = np.empty((2, block, d))
        for start in range(0, len(bent.lead.rows), block):
            at = slice(start, start + block)
            first, end = bent.runs.first[at], bent.runs.end[at]
            partners = room[: len(end)]
            partner_sums(self.data.rows, bent.other, bent.runs._replace(first=first, end=end), held, running, partners)
            held = (int(first[-1]), int(end[-1]))
            amounts = bent.curvature * bent.lead.weight[at]
            if self.thin:
                add_products(self.data.rows, bent.lead.rows[at], amounts, partners, cross)
            else:
                partners -= np.outer(tally[end] - tally[first], mean)
                z = lines[: len(end)]
                centred_rows(self.data.rows, bent.lead.rows[at], mean, amounts, z)
                cross += z.T @ partners
        return cross


def balanced(classes: Classes, rows: int, rng: Any) -> np.ndarray:
    """So many rows drawn at random, half of them of either class as far as there are enough."""
    half = min(len(classes.pos), len(classes.neg), rows // 2)
    sides = sorted((classes.pos, classes.neg), key=len)
    chosen = [
        side[sample_without_replacement(len(side), size, random_state=rng)]
        for side, size in zip(sides, (half, rows - half), strict=True)
    ]
    return np.sort(np.concatenate(chosen))
