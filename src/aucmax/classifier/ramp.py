"""Direct AUC: the smoothed ramp over all pairs, which is no longer convex, from convex starts.

The ramp has one width; how close it comes to the step function is a matter of the scale of the weights, which grows as
the penalty falls. So a path of falling penalties anneals it, and each of its points begins where the objective is
least: at the point before it, or at a convex solution on its best scale. Steps only ever go down, hence no point is
worse than its start.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from aucmax.kernel.pairs import ramp
from aucmax.model import newton

RAMP = ramp(1.0)
SCALES = 4.0 ** np.arange(-2, 5)  # of the convex starts


def scaled(problem: newton.Problem, w: np.ndarray, first: int = 0) -> tuple[newton.Point, int]:
    """The best multiple of some weights among the scales from the first given one up, and its place among them.

    As a penalty falls, the best multiple only grows; so a path need not look below the last one. The search ends at
    the first scale that is worse than the one before it.
    """
    scores = problem.data.products(w[:, None])[:, 0]
    spread = float(np.sqrt(problem.classes.weight @ (scores - 0.5 * (problem.classes.weight @ scores)) ** 2)) or 1.0
    best, at = problem.at(SCALES[first] / spread * w, SCALES[first] / spread * scores), first
    for k in range(first + 1, len(SCALES)):
        trial = problem.at(SCALES[k] / spread * w, SCALES[k] / spread * scores)
        if trial.value >= best.value:
            break
        best, at = trial, k
    return best, at


class Starts(NamedTuple):
    """Where to begin: convex solutions, whose scale is not the ramp's, and solutions of the ramp itself."""

    convex: list[np.ndarray]
    own: list[np.ndarray]


def path(problems: Iterator[newton.Problem], given: Starts, budget: newton.Budget) -> Iterator[np.ndarray]:
    """A local minimiser for every problem, of falling penalties."""
    starts, before = given
    scales = [0] * len(starts)
    for problem in problems:
        begun = [problem.at(w) for w in before]
        for k, w in enumerate(starts):
            point, scales[k] = scaled(problem, w, scales[k])
            begun.append(point)
        best = min(begun, key=lambda point: point.value)
        found = newton.minimise(problem, newton.Result(best.w, 0, False, None), budget, newton.unwatched)
        before = [found.w]
        yield found.w
