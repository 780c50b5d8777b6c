"""Paths of penalties, and the choice of loss and penalty by cross-validated AUC.

A penalty's strength counts in rows: ``l2 = strength·STIFFNESS[loss]/n``, n being the number of rows that a balanced
sample would need to say as much. So a strength found on a part of the data serves the whole, and one grid serves every
loss. Folds share the rows: a held-out row has no part in the loss, and its score comes with those of the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold

from aucmax.kernel.logistic import Logistic
from aucmax.kernel.pairs import LOSSES as PAIR_LOSSES
from aucmax.kernel.pairs import STEP, Classes, PairSums
from aucmax.kernel.square import Square
from aucmax.model import newton, ramp
from aucmax.model.data import Data

LOSSES: dict[str, newton.AnyLoss] = {
    "logistic": Logistic(),
    "squared_hinge": PAIR_LOSSES["squared_hinge"],
    "smooth_hinge": PAIR_LOSSES["smooth_hinge"],
    "square": Square(),
    "ramp": ramp.RAMP,
}
# the curvature of a loss beside the logistic one, roughly: a penalty must be as much larger to do as much
STIFFNESS = {"logistic": 1.0, "squared_hinge": 8.0, "smooth_hinge": 4.0, "square": 8.0, "ramp": 4.0}
STARTS = ("logistic", "squared_hinge")  # the convex losses from which the ramp begins, at the usual strength
USUAL_STRENGTH = 1.0
PATH_TOL = 1e-3
MOST_STEPS = 100
HOPELESS = 0.002  # so far below the best of its path, with nothing left to learn, a fold gives weaker penalties up
LEARNT = 0.9999  # the AUC of its own rows at which nothing is


def auc(classes: Classes, scores: np.ndarray) -> float:
    """The weighted area under the ROC curve, ties counting half."""
    return 1.0 - PairSums(classes, scores, STEP).value


def l2_of(loss: str, strength: float, classes: Classes) -> float:
    """The penalty of so many rows' strength beside rows of these classes.

    The classes' means vary as 1/n⁺ + 1/n⁻, as do those of ``4n⁺n⁻/(n⁺ + n⁻)`` rows in two equal classes.
    """
    pos, neg = len(classes.pos), len(classes.neg)
    return strength * STIFFNESS[loss] * (pos + neg) / (4.0 * pos * neg)


class Task(NamedTuple):
    """Rows to learn from, the sizes of their columns, and which of them take part."""

    data: Data
    sizes: np.ndarray
    classes: Classes

    @classmethod
    def of(cls, data: Data, sizes: np.ndarray, rows: np.ndarray | None = None) -> Task:
        """The task of all rows, or of some."""
        weight = data.weight
        if rows is not None:
            weight = np.zeros(data.n)
            weight[rows] = data.weight[rows]
        return cls(data, sizes, Classes.of(data.y, weight))

    def path(self, loss: str, l2s: list[float]) -> Iterator[np.ndarray]:
        """The minimisers for falling penalties, each started from the one before."""
        budget = newton.Budget(PATH_TOL, MOST_STEPS)
        problems = (newton.Problem(self.data, self.classes, LOSSES[loss], l2 * self.sizes**2) for l2 in l2s)
        if loss == "ramp":
            starts = [next(self.path(name, [l2_of(name, USUAL_STRENGTH, self.classes)])) for name in STARTS]
            yield from ramp.path(problems, starts, budget)
            return
        found: newton.Result | None = None
        for problem in problems:
            if found is None:
                found = newton.solve(problem, None, budget, newton.unwatched, np.random.RandomState(0))
            else:
                found = newton.minimise(problem, found._replace(solve=None), budget, newton.unwatched)
            yield found.w


class Scores(NamedTuple):
    """Cross-validated AUCs of one loss: folds by strengths; and the held-out scores, strengths by rows.

    Not a number where a fold gave up: it ranked its own rows without a fault, and the others worse and worse. A falling
    AUC alone is no reason: it may well rise again along the path.
    """

    loss: str
    aucs: np.ndarray
    held_out: np.ndarray


def fewest(data: Data) -> int:
    """The rows of the smaller class."""
    return int(min(np.count_nonzero(data.y > 0), np.count_nonzero(data.y < 0)))


def folds(data: Data, count: int, seed: int) -> list[np.ndarray]:
    """The held-out rows of stratified folds, at most as many as there are rows of the smaller class."""
    splitter = StratifiedKFold(min(count, fewest(data)), shuffle=True, random_state=seed)
    return [test for _, test in splitter.split(np.zeros(data.n), data.y)]


def cross_validate(
    data: Data, sizes: np.ndarray, losses: list[str], strengths: np.ndarray, held: list[np.ndarray], n_jobs: int
) -> list[Scores]:
    """Every loss on every fold along the path of strengths; the same numbers whatever the number of threads."""

    def run(work: tuple[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        loss, test = work
        task = Task.of(data, sizes, np.setdiff1d(np.arange(data.n), test))
        aside = Task.of(data, sizes, test).classes
        aucs, held_out = np.full(len(strengths), np.nan), np.full((len(strengths), len(test)), np.nan)
        l2s = [l2_of(loss, strength, task.classes) for strength in strengths]
        for k, w in enumerate(task.path(loss, l2s)):
            scores = data.products(w[:, None])[:, 0]
            aucs[k], held_out[k] = auc(aside, scores), scores[test]
            if aucs[k] < np.nanmax(aucs) - HOPELESS and auc(task.classes, scores) > LEARNT:
                break
        return aucs, held_out

    work = [(loss, test) for loss in losses for test in held]
    if n_jobs == 1:
        done: list[Any] = [run(part) for part in work]
    else:
        with ThreadPoolExecutor(n_jobs) as pool:
            done = list(pool.map(run, work))
    found = []
    for k, loss in enumerate(losses):
        mine = done[k * len(held) : (k + 1) * len(held)]
        held_out = np.empty((len(strengths), data.n))
        for test, (_, scores) in zip(held, mine, strict=True):
            held_out[:, test] = scores
        found.append(Scores(loss, np.array([aucs for aucs, _ in mine]), held_out))
    return found
