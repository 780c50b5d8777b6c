"""Losses, the strength of a penalty, and paths of solutions along falling penalties.

A penalty's strength counts in rows: ``l2 = strength·STIFFNESS[loss]/n``, n being the number of rows that a balanced
sample would need to say as much. So a strength found on a part of the data serves the whole, and one grid serves every
loss. Parts of the data share the rows: a row that is held out has no weight in the loss.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from aucmax.algorithms.psam import ASAM
from aucmax.algorithms.spam import SPAM
from aucmax.classifier import ramp
from aucmax.classifier.alike import Alike
from aucmax.classifier.proximal import Lasso
from aucmax.classifier.scaling import scaled
from aucmax.kernel.classes import Classes
from aucmax.kernel.logistic import Logistic
from aucmax.kernel.pairs import LOSSES as PAIR_LOSSES
from aucmax.kernel.pairs import STEP, PairSums
from aucmax.kernel.ranking import class_sides, lost_share
from aucmax.kernel.square import Square
from aucmax.model import newton
from aucmax.model.data import Data
from aucmax.model.problem import AnyLoss, Problem

LOSSES: dict[str, AnyLoss] = {
    "logistic": Logistic(),
    "squared_hinge": PAIR_LOSSES["squared_hinge"],
    "smooth_hinge": PAIR_LOSSES["smooth_hinge"],
    "square": Square(),
    "ramp": ramp.RAMP,
}
OF_SORTED_PAIRS = ("squared_hinge", "smooth_hinge", "ramp")  # those that can be kept within groups
STOCHASTIC = {"square": SPAM, "smooth_hinge": ASAM}
# the curvature of a loss beside the logistic one, roughly: a penalty must be as much larger to do as much
STIFFNESS = {"logistic": 1.0, "squared_hinge": 8.0, "smooth_hinge": 4.0, "square": 8.0, "ramp": 4.0}
STARTS = ("logistic", "squared_hinge")  # the convex losses from which the ramp begins
USUAL_STRENGTH = 1.0
BUDGET = newton.Budget(1e-3, 100)  # the gap before the last step, which leaves about a hundredth of it
LASSO_TOL = 1e-5
LASSO_STEPS = 5000


def within_groups(losses: Iterable[str]) -> list[str]:
    """The same losses where pairs are kept within groups: the squared hinge stands in for those that cannot be."""
    return list(dict.fromkeys(loss if loss in OF_SORTED_PAIRS else "squared_hinge" for loss in losses))


def l2_of(loss: str, strength: float, classes: Classes) -> float:
    """The penalty of so many rows' strength beside rows of these classes.

    The classes' means vary as 1/n⁺ + 1/n⁻, as do those of ``4n⁺n⁻/(n⁺ + n⁻)`` rows in two equal classes.
    """
    pos, neg = len(classes.pos), len(classes.neg)
    return strength * STIFFNESS[loss] * (pos + neg) / (4.0 * pos * neg)


def auc(classes: Classes, scores: np.ndarray) -> float:
    """The weighted area under the ROC curve, ties counting half; over pairs within groups where there are groups."""
    if classes.group is None:
        return 1.0 - lost_share(*class_sides(classes, scores))
    return 1.0 - PairSums(classes, scores, STEP).value


class Task(NamedTuple):
    """Rows to rank, those of them that take part, and how: sizes of columns, ℓ1 penalty, solver, start, precision."""

    data: Data
    sizes: np.ndarray
    classes: Classes
    l1: float = 0.0
    solver: str = "newton"
    start: np.ndarray | None = None
    convex: np.ndarray | None = None  # a convex solution from which the ramp may begin
    nearby: np.ndarray | None = None  # weights about where such a solution is, where it has to be found
    budget: newton.Budget = BUDGET
    alike: Alike | None = None  # which rows are equal, where it matters
    given: float | None = None  # the strength of a given penalty, for a loss of stiffness one

    def of_rows(self, rows: np.ndarray) -> Task:
        """The same with some of the rows taking part."""
        weight = np.zeros(self.data.n)
        weight[rows] = self.data.weight[rows]
        return self._replace(classes=Classes.of(self.data.y, weight, self.data.group), start=None)

    def taken(self, rows: np.ndarray) -> Task:
        """The same on a copy of some rows."""
        data, alike = self.data.taken(rows), None if self.alike is None else self.alike.taken(rows)
        return self._replace(data=data, classes=Classes.of(data.y, data.weight, data.group), start=None, alike=alike)

    @property
    def fewest(self) -> int:
        """The rows of the smaller class."""
        return min(len(self.classes.pos), len(self.classes.neg))

    def l2s(self, loss: str, strengths: Iterable[float], classes: Classes) -> list[float]:
        """The penalties of some strengths, or the given one's, beside rows of these classes."""
        each = strengths if self.given is None else [self.given / STIFFNESS[loss]]
        return [l2_of(loss, strength, classes) for strength in each]

    def middle(self) -> np.ndarray:
        """The mean row of those that take part."""
        weight = np.where(self.classes.weight > 0.0, self.data.weight, 0.0)
        return self.data.combination(weight / weight.sum())

    def measure(self, w: np.ndarray, middle: np.ndarray) -> tuple[float, float]:
        """The score of the mean row, and the length of the weights on columns of unit size.

        Less the one and over the other, scores of models of some of the rows are like those of a model of all: far from
        zero each model has an offset of its own, and the fewer the rows, the shorter the weights.
        """
        return float(w @ middle), float(np.linalg.norm(self.sizes * w)) or 1.0

    def auc(self, w: np.ndarray) -> float:
        """The AUC of some weights on the rows that take part."""
        return auc(self.classes, self.data.products(w[:, None])[:, 0])

    def near(self, w: np.ndarray, loss: str, l2: float) -> np.ndarray:
        """The minimiser beside some weights: one of fewer rows, from which no long way is left."""
        if self.solver != "newton":
            return next(self._replace(start=w).path(loss, [l2]))
        begun = newton.Result(w, 0, False, None)
        return newton.minimise(self.problem(loss, l2), begun, self.budget, newton.unwatched).w

    def problem(self, loss: str, l2: float) -> Problem:
        """The problem of one penalty."""
        return Problem(self.data, self.classes, LOSSES[loss], l2 * self.sizes**2)

    def path(self, loss: str, l2s: list[float]) -> Iterator[np.ndarray]:
        """The minimisers for falling penalties, each started from the one before."""
        if self.solver == "proximal":
            yield from self._lasso_path(loss, l2s)
        elif self.solver == "stochastic":
            yield from (self._stochastic(loss, l2) for l2 in l2s)
        elif loss == "ramp":
            yield from ramp.path((self.problem(loss, l2) for l2 in l2s), self._starts(), self.budget)
        else:
            yield from self._newton_path(loss, l2s)

    def _starts(self) -> ramp.Starts:
        """Where the ramp may begin: at an earlier solution, and at that of a convex loss; without one, of each."""
        own = [] if self.start is None else [self.start]
        if self.convex is not None:
            return ramp.Starts([self.convex], own)
        names = [name for name in STARTS if self.data.group is None or name in OF_SORTED_PAIRS]
        fresh = self._replace(start=self.nearby)
        paths = [
            fresh.path(name, [l2_of(name, USUAL_STRENGTH, self.classes)]) for name in (names[:1] if own else names)
        ]
        return ramp.Starts([next(path) for path in paths], own)

    def _newton_path(self, loss: str, l2s: list[float]) -> Iterator[np.ndarray]:
        found: newton.Result | None = None
        for l2 in l2s:
            problem = self.problem(loss, l2)
            if found is None:
                found = newton.solve(problem, self.start, self.budget, newton.unwatched, np.random.RandomState(0))
            else:
                found = newton.minimise(problem, found._replace(solve=None), self.budget, newton.unwatched)
            yield found.w

    def _lasso_path(self, loss: str, l2s: list[float]) -> Iterator[np.ndarray]:
        w = np.zeros(self.data.d) if self.start is None else self.start
        for l2 in l2s:
            lasso = Lasso(self.problem(loss, l2), self.l1 * self.sizes, self.sizes)
            w, settled = lasso.minimise(w, LASSO_TOL, LASSO_STEPS)
            if not settled:
                warnings.warn(
                    f"Proximal steps ended after {LASSO_STEPS} without settling; raise l1 or l2.",
                    ConvergenceWarning,
                    stacklevel=2,
                )
            yield w

    def _stochastic(self, loss: str, l2: float) -> np.ndarray:
        """Passes of SPAM or ASAM over a copy of the rows with columns of unit size, dense ones centred."""
        part = self.classes.weight > 0.0
        X = self.data.matrix[part]
        if self.data.dense:
            X -= self.middle().astype(X.dtype)  # a mean would drown the steps
        X, y, weight = scaled(X, self.sizes), self.data.y[part], self.data.weight[part]
        p = float(weight @ (y > 0)) / float(weight.sum())
        model = SPAM(l2 * p * (1.0 - p), random_state=0) if loss == "square" else ASAM(l2, random_state=0)
        return np.asarray(model.fit(X, y, weight).coef_[0] / self.sizes)
