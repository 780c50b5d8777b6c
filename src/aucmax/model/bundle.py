"""Cutting planes for ``mean pair loss + l2/2·|w|²``, one slack for all pairs.

Every plane is a lower bound ``a·w + b`` of the mean loss, touching it at some w; the most violated one costs one sort.
The weights that minimise the penalty plus the largest plane solve a small quadratic problem on the simplex, whose value
is a lower bound of the optimum. As in OCAS, the next plane touches near the best point on the way there: an exact
search along the line costs sorts, but no product with X.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aucmax.kernel import quadratic
from aucmax.model.newton import Budget, Watch
from aucmax.model.problem import Point, Problem

BEYOND = 0.1  # how far beyond the best point, on the way to the planes' minimiser, the next plane touches
IDLE = 25  # iterations after which a plane that supports nothing is dropped
FINE = 1e-3  # the relative width at which a line search ends
SHORTEST = 1e-9  # the step below which it gives up
QP_TOL = 1e-3  # the part of the gap that the quadratic problem may leave
QP_STEPS = 200_000
STALLED = 40  # iterations without a gap smaller by a hundredth, after which the digits are used up
BELOW = 1e-9  # a bound above the objective by more than this part of it is no bound: the digits are used up


class Planes:
    """The planes so far, and the weights ``-Σ alpha_k a_k / l2`` that minimise the model they make."""

    def __init__(self, d: int, l2: float) -> None:
        self.l2 = l2
        self.a, self.b = np.empty((0, d)), np.empty(0)
        self.gram, self.alpha = np.empty((0, 0)), np.empty(0)
        self.idle = np.empty(0, dtype=int)

    def add(self, a: np.ndarray, b: float) -> None:
        """One more plane."""
        kept = self.idle < IDLE
        self.a, self.b = np.vstack([self.a[kept], a]), np.append(self.b[kept], b)
        across = self.a @ a
        gram = np.empty((len(self.b), len(self.b)))
        gram[:-1, :-1] = self.gram[np.ix_(kept, kept)]
        gram[-1], gram[:, -1] = across, across
        self.gram, self.idle = gram, np.append(self.idle[kept], 0)
        self.alpha = np.append(self.alpha[kept], 0.0 if kept.any() else 1.0)
        self.alpha /= self.alpha.sum()

    def minimise(self, gap: float) -> tuple[np.ndarray, float]:
        """The weights that minimise the model, and its least value, up to a part of the gap."""
        budget = quadratic.Budget(QP_TOL * gap, QP_STEPS)
        quadratic.descend_simplex(self.gram / self.l2, self.b, self.alpha, budget, np.empty(len(self.b)))
        self.idle = np.where(self.alpha > 0.0, 0, self.idle + 1)
        w = -(self.alpha @ self.a) / self.l2
        return w, float(self.alpha @ self.b) - 0.5 * self.l2 * float(w @ w)


class Bound(NamedTuple):
    """The best weights, the iterations made, and how far the objective may be above the optimum."""

    w: np.ndarray
    steps: int
    gap: float
    converged: bool


def on_the_way(problem: Problem, best: Point, goal: Point) -> Point:
    """The best point of the segment, by bisection of the slope."""
    step, change = goal.w - best.w, goal.scores - best.scores
    low, high, t, found = 0.0, 1.0, 1.0, best
    while high - low > FINE * high and high > SHORTEST:
        trial = problem.at(best.w + t * step, best.scores + t * change)
        slope = float(trial.sums.slope @ change) + float(trial.w @ (problem.l2 * step))
        found = trial if trial.value < found.value else found
        low, high = (t, high) if slope < 0.0 else (low, t)
        t = 0.5 * (low + high)
    return found


def minimise(problem: Problem, start: np.ndarray, budget: Budget, watch: Watch) -> Bound:
    """Cutting planes until the duality gap is below ``tol`` of the objective, or rounding ends the progress."""
    best = problem.at(start)
    planes, touch = Planes(problem.data.d, float(problem.l2)), best
    gap, least_gap, since = best.value, np.inf, 0
    for step in range(1, budget.steps + 1):
        a = problem.data.combination(touch.sums.slope)
        planes.add(a, touch.sums.value - float(a @ touch.w))
        w, least = planes.minimise(abs(gap))
        goal = problem.at(w)
        best = on_the_way(problem, best, goal)
        gap = best.value - least
        sound = gap >= -BELOW * best.value
        done = sound and gap <= budget.tol * best.value
        since = 0 if gap < 0.99 * least_gap else since + 1
        least_gap = min(gap, least_gap)
        if watch(step, best.w) or done or not sound or since > STALLED:
            return Bound(best.w, step, gap if sound else float("inf"), done)
        ahead = BEYOND * (goal.scores - best.scores)
        touch = problem.at(best.w + BEYOND * (w - best.w), best.scores + ahead)
    return Bound(best.w, budget.steps, gap, False)
