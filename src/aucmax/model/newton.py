"""Truncated Newton for ``mean pair loss + l2/2·|w|²``, with products of X and sums over sorted scores only.

Every step solves ``H p = -g`` by conjugate gradients, roughly at first and better near the optimum, and searches along
p, where a trial costs a sort and no product with X. What makes it fast is what comes before: with few columns the
problem is first solved on a sample of the rows with an explicit Hessian, and the sample's Cholesky factor preconditions
the conjugate gradients on all rows. With few rows there is no sample, and with few columns too a Hessian at every step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf

from aucmax.kernel.conjugate import Diagonal, Factor, Preconditioner, Room, System, descend
from aucmax.kernel.moments import column_squares, unit_sides
from aucmax.model.problem import Point, Problem

SAMPLE = 2000  # rows of the first sample; fewer than twice as many are not sampled
SHARE = 8  # the second sample's part of the rows, as a denominator
LARGEST_SAMPLE = 32_768
MANY = 8 * SAMPLE  # rows from which on the Hessian of a sample of them comes first
MATRIX_LIMIT = 500  # columns up to which a Hessian is formed
ROUGH = 0.1  # relative residual of a direction: a step then leaves about a hundredth of the gap
WIDE_ROUGH = 0.5  # the same without a Hessian, where the last digits of a direction cost the most
MOST_INNER = 200  # conjugate gradient iterations in a step
FEW_COLUMNS = 64  # from which on a Hessian of few rows costs more than it spares the next step
PATIENCE = 6  # inner iterations after which a preconditioner is made anew
SAMPLE_TOL = 1e-2
MOST_SAMPLE_STEPS = 20
MOST_TRIALS = 30  # of a line search
ROUNDING = 1e-13  # a gap this small is none, beside a loss of one at zero weights
SUFFICIENT = 1e-4  # the part of the promised decrease that a step must bring

Watch = Callable[[int, np.ndarray], bool]


class Direction(NamedTuple):
    """A change of the weights and of the scores, how steeply the objective falls along it, and what it took."""

    p: np.ndarray
    scores: np.ndarray
    fall: float
    iterations: int


class Budget(NamedTuple):
    """When to stop: at an estimated gap of ``tol`` of the objective, or after so many steps."""

    tol: float
    steps: int


class Result(NamedTuple):
    """Where it ended, after how many steps, whether the gap is small enough, and the last preconditioner."""

    w: np.ndarray
    steps: int
    converged: bool
    solve: Preconditioner | None


def roughness(problem: Problem) -> float:
    """The relative residual of a direction; a step leaves about its square of the gap."""
    return ROUGH if problem.data.d <= MATRIX_LIMIT else WIDE_ROUGH


def direction(problem: Problem, system: System, by: Preconditioner) -> Direction:
    """``H p = -g`` by preconditioned conjugate gradients, roughly."""
    room = Room.of(problem.data.n, problem.data.d)
    made, fall = descend(system, by, roughness(problem), MOST_INNER, room)
    return Direction(room.p, room.scores, fall, made)


def search(problem: Problem, point: Point, along: Direction) -> Point | None:
    """The first good enough point on the ray, the whole step tried first; None where rounding leaves no decrease."""
    t, low, high = 1.0, 0.0, np.inf
    slope_at_low = -along.fall
    for _ in range(MOST_TRIALS):
        trial, slope = problem.along(point, along.p, along.scores, t)
        if trial.value <= point.value - SUFFICIENT * t * along.fall and slope <= 0.5 * along.fall:
            return trial
        high = t
        t = low + (high - low) * min(max(slope_at_low / (slope_at_low - slope), 0.1), 0.9) if slope > 0 else 0.5 * t
    return None


def factored(problem: Problem, point: Point, system: System) -> Preconditioner:
    """The Hessian at a point by its Cholesky factor; its diagonal where it is too close to singular, or nothing."""
    H, scale = problem.lower_hessian(point, system), np.empty(problem.data.d)
    unit_sides(H, scale)
    for floor in (0.0, 1e-12, 1e-9, 1e-6):  # without a penalty H may be singular
        np.fill_diagonal(H, 1.0 + floor)
        factor, failed = dpotrf(H.T, lower=False, clean=False)  # H.T is H, in the order that LAPACK takes as it is
        if not failed:
            return Factor(factor.T, scale)
    return Diagonal(scale * scale)


def diagonal(problem: Problem, point: Point, system: System) -> Preconditioner:
    """An upper bound of the Hessian's diagonal."""
    out = np.zeros(problem.data.d)
    column_squares(problem.data.rows, point.sums.curve, out)
    out += problem.l2
    return Diagonal(np.divide(1.0, out, out=np.ones_like(out), where=out > 0.0))


def sampled(problem: Problem, w: np.ndarray) -> Preconditioner | None:
    """Solves with the Hessian of a sample of many rows, which is about theirs; None where that spares nothing."""
    if problem.taking_part < MANY or problem.data.d > MATRIX_LIMIT or problem.data.group is not None:
        return None
    sample = problem.sample(2 * SAMPLE, np.random.RandomState(0))
    point = sample.at(w)
    return factored(sample, point, sample.system(point))


def minimise(problem: Problem, start: Result, budget: Budget, watch: Watch) -> Result:
    """Newton steps from a start until the estimated gap is small; ``watch`` sees every step and may end them."""
    precondition = factored if problem.data.d <= MATRIX_LIMIT else diagonal
    point, solve = problem.at(start.w), start.solve or sampled(problem, start.w)
    for step in range(1, budget.steps + 1):
        fresh, system = solve is None, problem.system(point)
        solve = solve or precondition(problem, point, system)
        along = direction(problem, system, solve)
        found = search(problem, point, along) if along.fall > 0.0 else None
        if found is None and not fresh:
            solve = None  # a factor from elsewhere may mislead: once more with one from here
            continue
        gap = 0.5 * along.fall * (roughness(problem) / ROUGH) ** 2  # what a rough step leaves counts as more before it
        small = gap <= max(budget.tol * point.value, ROUNDING)
        point = found or point
        if watch(step, point.w) or small or found is None:
            return Result(point.w, step, small, solve)
        cheap = problem.data.n < 2 * SAMPLE and not FEW_COLUMNS <= problem.data.d <= MATRIX_LIMIT
        if along.iterations > PATIENCE or cheap:
            solve = None
    return Result(point.w, budget.steps, False, solve)


def solve(problem: Problem, start: np.ndarray | None, budget: Budget, watch: Watch, rng: Any) -> Result:
    """The minimiser, by way of ever larger samples when there are many rows and no start is given."""
    n = problem.taking_part
    begun = Result(np.zeros(problem.data.d) if start is None else start, 0, False, None)
    steps = (SAMPLE, min(n // SHARE, LARGEST_SAMPLE))
    whole = start is not None or problem.data.group is not None  # a sample would tear the pairs of groups apart
    sizes = [size for size in steps if not whole and SAMPLE <= size <= n // 2]
    for size in sizes:
        sample = problem.sample(size, rng)
        begun = minimise(sample, begun._replace(solve=None), Budget(SAMPLE_TOL, MOST_SAMPLE_STEPS), unwatched)
    if problem.data.d > MATRIX_LIMIT:
        begun = begun._replace(solve=None)
    return minimise(problem, begun, budget, watch)


def unwatched(step: int, w: np.ndarray) -> bool:
    """Nobody looks on."""
    return False
