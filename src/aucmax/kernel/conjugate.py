"""The direction of a Newton step by preconditioned conjugate gradients, all in one call.

    H p = -g   with   H = Xᵀ C X + diag(l2),   C the curvature of a loss with respect to the scores

Threads that take turns at short calls wait for each other at every one; a direction is a dozen products and sums of
some ten microseconds each. What C is, and what preconditions H, is told by the classes of tuples.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from aucmax.kernel import rows as row
from aucmax.kernel.jit import inlined, kernel
from aucmax.kernel.pairs import Bent, subtract_partners
from aucmax.kernel.rows import Rows


class Coupled(NamedTuple):
    """``C = diag(curve) - factor/2·(a bᵀ + b aᵀ)``; the sums over rows let ``Xᵀ C X`` be applied in one sweep."""

    curve: np.ndarray
    factor: float
    a: np.ndarray
    b: np.ndarray
    pull_a: np.ndarray  # Σ a_i x_i
    pull_b: np.ndarray


class Paired(NamedTuple):
    """``C = diag(curve)`` less what the runs of partners take from it."""

    curve: np.ndarray
    bent: tuple[Bent, ...]
    tally: np.ndarray  # room for one number more than rows
    amounts: np.ndarray  # room for a number a row


Curvature = Coupled | Paired


class System(NamedTuple):
    """``H p = -g``."""

    rows: Rows
    curvature: Curvature
    l2: np.ndarray
    g: np.ndarray


class Factor(NamedTuple):
    """``diag(1/scale)·L Lᵀ·diag(1/scale)`` stands in for H."""

    lower: np.ndarray  # above the diagonal lies something else
    scale: np.ndarray


class Diagonal(NamedTuple):
    """A diagonal matrix stands in for H."""

    inverse: np.ndarray


Preconditioner = Factor | Diagonal


class Room(NamedTuple):
    """What the conjugate gradients write: the direction, its scores, and room for the rest."""

    p: np.ndarray
    scores: np.ndarray
    step: np.ndarray  # this and the next with one column each, as rows are multiplied with
    bend: np.ndarray
    residual: np.ndarray
    z: np.ndarray
    along: np.ndarray

    @classmethod
    def of(cls, n: int, d: int) -> Room:
        """Room for n rows of d columns."""
        p, residual, z = np.empty((3, d))
        scores, along = np.empty((2, n))
        return cls(p, scores, np.empty((d, 1)), np.empty((d, 1)), residual, z, along)


def solve(by: Any, r: Any, z: Any) -> None:
    """Write the solution z of a system with what stands in for H."""
    if isinstance(by, Factor):
        _solve_factor(by, r, z)
    else:
        _solve_diagonal(by, r, z)


@inlined
def _solve_factor(by: Any, r: Any, z: Any) -> None:
    L = by.lower
    d = r.shape[0]
    for j in range(d):
        total = 0.0
        for k in range(j):
            total += L[j, np.uintp(k)] * z[np.uintp(k)]
        z[j] = (by.scale[j] * r[j] - total) / L[j, j]
    for back in range(d):
        j = d - 1 - back
        z[j] /= L[j, j]
        for k in range(j):  # along the row, where numbers lie side by side
            z[np.uintp(k)] -= z[j] * L[j, np.uintp(k)]
    for j in range(d):
        z[j] *= by.scale[j]


@inlined
def _solve_diagonal(by: Any, r: Any, z: Any) -> None:
    for j in range(r.shape[0]):
        z[j] = by.inverse[j] * r[j]


@overload(solve)
def _solve(by: Any, r: Any, z: Any) -> Any:
    def factor(by: Any, r: Any, z: Any) -> None:
        _solve_factor(by, r, z)

    def diagonal(by: Any, r: Any, z: Any) -> None:
        _solve_diagonal(by, r, z)

    return factor if by.instance_class is Factor else diagonal


def apply(curvature: Any, rows: Any, step: Any, along: Any, bend: Any) -> None:
    """Write the scores along a step, and add ``Xᵀ C X`` times the step to bend."""
    if isinstance(curvature, Coupled):
        _apply_coupled(curvature, rows, step, along, bend)
    else:
        _apply_paired(curvature, rows, step, along, bend)


@inlined
def _apply_coupled(curvature: Any, rows: Any, step: Any, along: Any, bend: Any) -> None:
    on_a = 0.0
    on_b = 0.0
    for i in range(along.shape[0]):
        s = row.dot(rows, i, step, 0)
        row.add(rows, i, bend, 0, curvature.curve[i] * s)
        on_a += curvature.a[i] * s
        on_b += curvature.b[i] * s
        along[i] = s
    for j in range(bend.shape[0]):
        bend[j, 0] -= 0.5 * curvature.factor * (curvature.pull_a[j] * on_b + curvature.pull_b[j] * on_a)


@inlined
def _apply_paired(curvature: Any, rows: Any, step: Any, along: Any, bend: Any) -> None:
    amounts = curvature.amounts
    for i in range(along.shape[0]):
        along[i] = row.dot(rows, i, step, 0)
        amounts[i] = curvature.curve[i] * along[i]
    for bent in curvature.bent:
        subtract_partners(bent, along, curvature.tally, amounts)
    for i in range(along.shape[0]):
        row.add(rows, i, bend, 0, amounts[i])


@overload(apply)
def _apply(curvature: Any, rows: Any, step: Any, along: Any, bend: Any) -> Any:
    def coupled(curvature: Any, rows: Any, step: Any, along: Any, bend: Any) -> None:
        _apply_coupled(curvature, rows, step, along, bend)

    def paired(curvature: Any, rows: Any, step: Any, along: Any, bend: Any) -> None:
        _apply_paired(curvature, rows, step, along, bend)

    return coupled if curvature.instance_class is Coupled else paired


@inlined
def _begin(g: Any, by: Any, room: Any) -> Any:
    """Start at zero; the squared length of the residual in the metric of what stands in for H."""
    for i in range(room.scores.shape[0]):
        room.scores[i] = 0.0
    for j in range(g.shape[0]):
        room.p[j] = 0.0
        room.residual[j] = -g[j]
    solve(by, room.residual, room.z)
    for j in range(g.shape[0]):
        room.step[j, 0] = room.z[j]
    return _length(room)


@inlined
def _length(room: Any) -> Any:
    """The squared length of the residual, in the metric of what stands in for H."""
    total = 0.0
    for j in range(room.z.shape[0]):
        total += room.residual[j] * room.z[j]
    return total


@inlined
def _advance(alpha: Any, room: Any) -> None:
    """Go so far along the step."""
    for j in range(room.p.shape[0]):
        room.p[j] += alpha * room.step[j, 0]
        room.residual[j] -= alpha * room.bend[j, 0]
    for i in range(room.scores.shape[0]):
        room.scores[i] += alpha * room.along[i]


@inlined
def _curvature(system: Any, room: Any) -> Any:
    """Write H times the step; the curvature along it."""
    d = system.l2.shape[0]
    for j in range(d):
        room.bend[j, 0] = system.l2[j] * room.step[j, 0]
    apply(system.curvature, system.rows, room.step, room.along, room.bend)
    total = 0.0
    for j in range(d):
        total += room.step[j, 0] * room.bend[j, 0]
    return total


@inlined
def _turn(before: Any, room: Any) -> Any:
    """The squared length of the residual; the next step is conjugate to the one before, whose residual was so long."""
    left = _length(room)
    for j in range(room.z.shape[0]):
        room.step[j, 0] = room.z[j] + left / before * room.step[j, 0]
    return left


@kernel
def descend(system: Any, by: Any, rough: Any, most: Any, room: Any) -> Any:
    """Write p, up to a relative residual, and its scores; the iterations made, and how steeply the objective falls."""
    left = _begin(system.g, by, room)
    first = left
    made = 0
    while made < most and left > 0.0:
        made += 1
        curved = _curvature(system, room)
        if curved <= 0.0:
            break
        _advance(left / curved, room)
        solve(by, room.residual, room.z)
        left = _turn(left, room)
        if left <= rough * rough * first:
            break
    fall = 0.0
    for j in range(room.p.shape[0]):
        fall -= system.g[j] * room.p[j]
    return made, fall
