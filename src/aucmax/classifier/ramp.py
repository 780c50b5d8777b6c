"""Direct AUC: the smoothed ramp over all pairs, which is no longer convex, from convex starts.

The ramp has one width; how close it comes to the step function is a matter of the scale of the weights, which grows as
the penalty falls. So a path of falling penalties anneals it, and each of its points begins where the objective is
least: at the point before it, or at a convex solution on its best scale. Steps only ever go down, hence no point is
worse than its start.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aucmax.kernel.pairs import ramp
from aucmax.model import newton

RAMP = ramp(1.0)
SCALES = 4.0 ** np.arange(-2, 5)  # of the convex starts


def scaled(problem: newton.Problem, w: np.ndarray) -> newton.Point:
    """The best multiple of some weights."""
    scores = problem.data.products(w[:, None])[:, 0]
    spread = float(np.sqrt(problem.classes.weight @ (scores - 0.5 * (problem.classes.weight @ scores)) ** 2))
    trials = [problem.at(c * w, c * scores) for c in SCALES / (spread or 1.0)]
    return min(trials, key=lambda point: point.value)


def path(problems: Iterator[newton.Problem], starts: list[np.ndarray], budget: newton.Budget) -> Iterator[np.ndarray]:
    """A local minimiser for every problem, of falling penalties."""
    before: list[np.ndarray] = []
    for problem in problems:
        begun = [scaled(problem, w) for w in starts] + [problem.at(w) for w in before]
        best = min(begun, key=lambda point: point.value)
        found = newton.minimise(problem, newton.Result(best.w, 0, False, None), budget, newton.unwatched)
        before = [found.w]
        yield found.w
