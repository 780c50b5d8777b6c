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

from aucmax.kernel.pairs import Stretched, ramp
from aucmax.model import newton
from aucmax.model.problem import Problem

RAMP = ramp(1.0)
SCALES = 4.0 ** np.arange(-2, 5)  # of the convex starts


class Begun(NamedTuple):
    """Weights to begin from, and the objective there."""

    value: float
    w: np.ndarray


def scaled(problem: Problem, w: np.ndarray, first: int = 0) -> tuple[Begun, int]:
    """The best multiple of some weights, one or among the scales from the first given one up; that one's place.

    As a penalty falls, the best multiple only grows; so a path need not look below the last one. The search ends at
    the first scale that is worse than the one before it.
    """
    scores = problem.data.products(w[:, None])[:, 0]
    spread = float(np.sqrt(problem.classes.weight @ (scores - 0.5 * (problem.classes.weight @ scores)) ** 2)) or 1.0
    pairs, penalty = Stretched(problem.classes, scores), 0.5 * float(w @ (problem.l2 * w))
    best, at = np.inf, first
    as_given = pairs.value(RAMP, 1.0) + penalty
    for k in range(first, len(SCALES)):
        multiple = SCALES[k] / spread
        value = pairs.value(RAMP, multiple) + multiple**2 * penalty
        if value >= best:
            break
        best, at = value, k
    return (Begun(as_given, w) if as_given < best else Begun(best, SCALES[at] / spread * w)), at


class Starts(NamedTuple):
    """Where to begin: convex solutions, whose scale is not the ramp's, and solutions of the ramp itself."""

    convex: list[np.ndarray]
    own: list[np.ndarray]


def path(problems: Iterator[Problem], given: Starts, budget: newton.Budget) -> Iterator[np.ndarray]:
    """A local minimiser for every problem, of falling penalties."""
    starts, before = given
    scales = [0] * len(starts)
    for problem in problems:
        begun = [Begun(problem.at(w).value, w) for w in before]
        for k, w in enumerate(starts):
            found, scales[k] = scaled(problem, w, scales[k])
            begun.append(found)
        best = min(begun, key=lambda one: one.value)
        result = newton.minimise(problem, newton.Result(best.w, 0, False, None), budget, newton.unwatched)
        before = [result.w]
        yield result.w
