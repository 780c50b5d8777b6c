"""Proximal maps and projections, exact."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from aucmax.kernel.bounds import COLUMNS, FREE, bounded, index
from aucmax.kernel.jit import inlined, kernel

ROOT_STEPS = 200
ROOT_TOLERANCE = 1e-14


class Region(NamedTuple):
    """The set of FSAUC: |w|₁ ≤ radius and |a|, |b| ≤ bound, within ``reach`` of a centre.

    Distances weigh the coordinates of w by ``metric`` (κ², because w is kept in the units of X and the ball is not).
    """

    radius: float
    bound: float
    reach: float
    metric: float


class Point(NamedTuple):
    """The scalar coordinates of a primal point; its vector is a column."""

    a: float
    b: float


@inlined
def soft(value: Any, threshold: Any) -> Any:
    """Soft thresholding, the proximal map of threshold·|·|."""
    if value > threshold:
        return value - threshold
    if value < -threshold:
        return value + threshold
    return 0.0


@inlined
def clip(value: Any, bound: Any) -> Any:
    """The projection on [-bound, bound]."""
    return min(max(value, -bound), bound)


@bounded(column=FREE)
class Column(NamedTuple):
    """One column of an array, as a vector."""

    v: np.ndarray
    column: int


@bounded(names=index(COLUMNS))
class Listed(NamedTuple):
    """The first column of an array, with a list of the lines where it is not zero."""

    v: np.ndarray
    names: np.ndarray  # the lines in the list, in no order
    listed: np.ndarray  # whether a line is in it


def size_at(vector: Any, at: Any) -> Any:
    """The absolute value of an entry of a Column, or of a listed entry."""
    if isinstance(vector, Listed):
        return abs(vector.v[vector.names[at], 0])
    return abs(vector.v[at, vector.column])


@overload(size_at)
def _size_at(vector: Any, at: Any) -> Any:
    def in_list(vector: Any, at: Any) -> Any:
        return abs(vector.v[vector.names[at], 0])

    def in_column(vector: Any, at: Any) -> Any:
        return abs(vector.v[at, vector.column])

    return in_list if vector.instance_class is Listed else in_column


@inlined
def l1_threshold(vector: Any, length: Any, radius: Any) -> Any:
    """The threshold whose soft thresholding projects a vector on the ball |v|₁ ≤ radius; 0 inside the ball.

    Michelot's active set: the mean excess over the radius only grows while the entries below it drop out.
    """
    total = 0.0
    for at in range(length):
        total += size_at(vector, at)
    if total <= radius:
        return 0.0
    active = length
    threshold = (total - radius) / active
    while True:
        total = 0.0
        count = 0
        for at in range(length):
            size = size_at(vector, at)
            if size > threshold:
                total += size
                count += 1
        if count >= active or count == 0:  # more than before can only be rounding
            return threshold
        active = count
        threshold = (total - radius) / count


@inlined
def project_l1(v: Any, column: Any, radius: Any) -> Any:
    """Project a column on the ball |v|₁ ≤ radius; its ℓ1 norm afterwards."""
    threshold = l1_threshold(Column(v, column), v.shape[0], radius)
    total = 0.0
    for j in range(v.shape[0]):
        v[j, column] = soft(v[j, column], threshold)
        total += abs(v[j, column])
    return total


@inlined
def _mixed(v: Any, centre: Any, out: Any, share: Any, region: Any, point: Any, middle: Any) -> Any:
    """Project the mixture of point and centre on the ℓ1 and box constraints; its squared distance to the centre.

    ``share`` is 1/(1+θ), the part of the point in the mixture.
    """
    for j in range(v.shape[0]):
        v[j, out] = v[j, centre] + share * (v[j, 0] - v[j, centre])
    project_l1(v, out, region.radius)
    a = clip(middle.a + share * (point.a - middle.a), region.bound)
    b = clip(middle.b + share * (point.b - middle.b), region.bound)
    distance = 0.0
    for j in range(v.shape[0]):
        gap = v[j, out] - v[j, centre]
        distance += gap * gap
    distance = region.metric * distance + (a - middle.a) ** 2 + (b - middle.b) ** 2
    return distance, a, b


@inlined
def project_region(v: Any, centre: Any, out: Any, region: Any, point: Any, middle: Any) -> Any:
    """Project the point (column 0 of v, a, b) on a region around a centre; the vector goes to column ``out``.

    If the ℓ1 and box constraints alone land within reach, that is the projection. Otherwise it is their projection of
    ``(point + θ·centre)/(1+θ)`` for the one θ ≥ 0 that lands at distance ``reach``: a monotone root in one dimension.
    """
    distance, a, b = _mixed(v, centre, out, 1.0, region, point, middle)
    if distance <= region.reach * region.reach:
        return a, b
    low, f_low = 0.0, -region.reach
    high, f_high = 1.0, np.sqrt(distance) - region.reach
    for _ in range(ROOT_STEPS):  # the Illinois variant of regula falsi
        share = low - f_low * (high - low) / (f_high - f_low)
        distance, a, b = _mixed(v, centre, out, share, region, point, middle)
        f = np.sqrt(distance) - region.reach
        if abs(f) <= 1e-14 * region.reach or high - low <= 1e-15:
            break
        if f > 0.0:
            high, f_high, f_low = share, f, 0.5 * f_low
        else:
            low, f_low, f_high = share, f, 0.5 * f_high
    return a, b


@kernel
def project_l1_ball(v: Any, radius: Any) -> Any:
    """Project the first column of v on the ℓ1 ball, from Python."""
    return project_l1(v, 0, radius)


@kernel
def project_intersection(v: Any, region: Any, point: Any, middle: Any) -> Any:
    """Project column 0 of v (with a and b) on a region around column 1, into column 2, from Python."""
    return project_region(v, 1, 2, region, point, middle)


@inlined
def project_metric(w: Any, metric: Any, radius: Any) -> None:
    """Project a column w on |w| ≤ radius in the norm ``Σ metric·v²``: w·metric/(metric + theta) for one theta ≥ 0.

    Newton's method on 1/|w(theta)|, nearly a line, rises to the root from zero and never passes it.
    """
    theta = 0.0
    for _ in range(ROOT_STEPS):
        square = 0.0
        slope = 0.0
        for j in range(w.shape[0]):
            inverse = 1.0 / (metric[j, 0] + theta)
            value = w[j, 0] * metric[j, 0] * inverse
            square += value * value
            slope += value * value * inverse
        excess = np.sqrt(square) / radius - 1.0
        if not excess > ROOT_TOLERANCE:
            break
        theta += excess * square / slope
    if theta > 0.0:
        for j in range(w.shape[0]):
            w[j, 0] *= metric[j, 0] / (metric[j, 0] + theta)
