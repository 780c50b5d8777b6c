"""Proximal gradient steps for ``loss + ½ Σ l2_j w_j² + Σ l1_j |w_j|``: accelerated, restarted, their length found.

A step is taken in the metric of the columns' sizes, in which all columns are of unit size. Acceleration starts afresh
whenever it leads uphill (O'Donoghue and Candès), so that the rate is linear near the optimum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aucmax.model.problem import Point, Problem

GROWTH = 2.0
RELIEF = 0.9  # of the curvature bound after every step: it may have been set too high far away
FIRST_BOUND = 1.0
MOST_TRIALS = 60


class Lasso(NamedTuple):
    """A problem with its ℓ1 penalty, and the sizes of the columns, which are the metric of the steps."""

    smooth: Problem
    l1: np.ndarray
    sizes: np.ndarray

    def value(self, point: Point) -> float:
        """The objective."""
        return point.value + float(self.l1 @ np.abs(point.w))

    def step(self, w: np.ndarray, slope: np.ndarray, bound: float) -> np.ndarray:
        """The minimiser of the linearised loss, a quadratic bound of its error, and the ℓ1 penalty."""
        curve = bound * self.sizes**2
        moved = w - slope / curve
        return np.asarray(np.sign(moved) * np.maximum(np.abs(moved) - self.l1 / curve, 0.0))

    def descend(self, point: Point, bound: float) -> tuple[Point, float]:
        """One step, with the curvature bound that it needed."""
        slope = self.smooth.gradient(point)
        for _ in range(MOST_TRIALS):
            trial = self.smooth.at(self.step(point.w, slope, bound))
            gap = trial.w - point.w
            promised = point.value + float(slope @ gap) + 0.5 * bound * float((self.sizes * gap) @ (self.sizes * gap))
            if trial.value <= promised + 1e-14 * abs(point.value):
                break
            bound *= GROWTH
        return trial, bound

    def minimise(self, start: np.ndarray, tol: float, steps: int) -> tuple[np.ndarray, bool]:
        """The weights, and whether a step moved them by less than ``tol`` of their size at the end."""
        at = ahead = self.smooth.at(start)
        bound, momentum = FIRST_BOUND, 1.0
        for _ in range(steps):
            found, bound = self.descend(ahead, bound)
            if self.value(found) > self.value(at):
                if ahead is at:
                    return at.w, True  # not even a plain step goes down: the digits are used up
                ahead, momentum = at, 1.0
                continue
            moved = np.linalg.norm(self.sizes * (found.w - ahead.w))
            if moved <= tol * np.linalg.norm(self.sizes * found.w) and ahead is at:
                return found.w, True
            settled = moved <= tol * np.linalg.norm(self.sizes * found.w)
            following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
            pace = 0.0 if settled else (momentum - 1.0) / following
            w = found.w + pace * (found.w - at.w)
            ahead = found if pace == 0.0 else self.smooth.at(w)
            at, momentum, bound = found, following, RELIEF * bound
        return at.w, False
