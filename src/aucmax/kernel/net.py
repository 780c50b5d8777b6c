"""A weight vector under the elastic net, O(1) per touched column, with exact products with the class sums.

Between two touches a coordinate only drifts: ``w ← soft(w - ε·μ, ε·l1) / (1 + ε·l2)``, with a drift μ that is zero for
SPAM and the full gradient for VRSPAM. While its sign σ stays, that is ``w = s·(u - E·k)`` with the slope ``k = μ +
σ·l1``, a scale s and a clock ``E = Σ ε/s`` shared by all coordinates. It reaches zero when E reaches ``u/k``, which
is known in advance: a heap holds the coordinates that get there before the clock passes a horizon, and a scan of all
coordinates, a few times per d steps, sets the next horizon. So the products ``w·sums`` stay exact without a sweep per
step: between events they change by ``-ε·Σ k·sums`` over the active coordinates, which is tracked too.

Columns of v: u, k, the averaging debt q, and μ. The average is ``Σ γ w = tally·u - pull·k - q``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.kernel import rows as row
from aucmax.kernel.jit import inlined, kernel
from aucmax.kernel.prox import soft
from aucmax.kernel.weights import SMALLEST_SCALE, columns


class Net(NamedTuple):
    """The arrays: coordinates, and the heap of those about to reach zero."""

    v: np.ndarray  # (d, 4)
    keys: np.ndarray  # the clock at which a coordinate reaches zero
    names: np.ndarray  # which coordinate


class Clock(NamedTuple):
    """The scalars: scale, clock, averaging sums, products with the class sums and their drift, and the heap."""

    s: float
    E: float
    tally: float  # Σ γ s
    pull: float  # Σ γ s E
    total: float  # Σ γ
    pos: float  # w·sums of the positives
    neg: float
    drift_pos: float  # Σ k·sums of the positives over active coordinates
    drift_neg: float
    horizon: float
    size: int


class Shrinkage(NamedTuple):
    """One proximal step: its size and the two penalties."""

    eps: float
    l1: float
    factor: float  # 1 / (1 + eps·l2)


def net(d: int, contiguous: bool) -> Net:
    """A zero vector."""
    return Net(columns(d, 4, contiguous), np.zeros(d + 1024), np.zeros(d + 1024, dtype=np.int64))


def clock(w: Net, sums: np.ndarray) -> Clock:
    """The scalars of a vector that was just set; its first step scans it."""
    (pos, neg), (drift_pos, drift_neg) = w.v[:, :2].T @ sums
    return Clock(1.0, 0.0, 0.0, 0.0, 0.0, float(pos), float(neg), float(drift_pos), float(drift_neg), -1.0, 0)


def current(w: Net, c: Clock) -> np.ndarray:
    """The vector w itself."""
    return np.asarray(c.s * (w.v[:, 0] - c.E * w.v[:, 1]))


def average(w: Net, c: Clock) -> np.ndarray:
    """The γ-weighted average of the iterates so far; w itself before the first of them."""
    if c.total == 0.0:
        return current(w, c)
    return np.asarray((c.tally * w.v[:, 0] - c.pull * w.v[:, 1] - w.v[:, 2]) / c.total)


@inlined
def slope(value: Any, mu: Any, l1: Any) -> Any:
    """How fast a coordinate moves against the clock; zero when it stays at zero."""
    if value > 0.0:
        return mu + l1
    if value < 0.0:
        return mu - l1
    return soft(mu, l1)


@inlined
def push(w: Any, size: Any, key: Any, j: Any) -> Any:
    """Put a coordinate on the heap; the new size."""
    at = size
    while at > 0:
        parent = (at - 1) // 2
        if w.keys[parent] <= key:
            break
        w.keys[at] = w.keys[parent]
        w.names[at] = w.names[parent]
        at = parent
    w.keys[at] = key
    w.names[at] = j
    return size + 1


@inlined
def pop(w: Any, size: Any) -> Any:
    """Remove the top of the heap; the new size."""
    size -= 1
    key = w.keys[size]
    j = w.names[size]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and w.keys[child + 1] < w.keys[child]:
            child += 1
        if w.keys[child] >= key:
            break
        w.keys[at] = w.keys[child]
        w.names[at] = w.names[child]
        at = child
    w.keys[at] = key
    w.names[at] = j
    return size


@inlined
def place(w: Any, c: Any, sums: Any, j: Any, value: Any, l1: Any) -> Any:
    """Set coordinate j to a value: its line from here on, its debt, its event. The products are the caller's."""
    u_old = w.v[j, 0]
    k_old = w.v[j, 1]
    k = slope(value, w.v[j, 3], l1)
    u = value / c.s + c.E * k
    w.v[j, 0] = u
    w.v[j, 1] = k
    w.v[j, 2] += c.tally * (u - u_old) - c.pull * (k - k_old)
    size = c.size
    horizon = c.horizon
    if k * value > 0.0 and u / k <= horizon:
        if size < w.keys.shape[0]:
            size = push(w, size, u / k, j)
        else:
            horizon = -1.0  # no room: let the next step scan again
    drift_pos = c.drift_pos + (k - k_old) * sums[j, 0]
    drift_neg = c.drift_neg + (k - k_old) * sums[j, 1]
    return Clock(c.s, c.E, c.tally, c.pull, c.total, c.pos, c.neg, drift_pos, drift_neg, horizon, size)


@inlined
def accumulate(c: Any, gamma: Any) -> Any:
    """Let the current w count with weight gamma in the average; call it before the update."""
    tally = c.tally + gamma * c.s
    pull = c.pull + gamma * c.s * c.E
    total = c.total + gamma
    return Clock(c.s, c.E, tally, pull, total, c.pos, c.neg, c.drift_pos, c.drift_neg, c.horizon, c.size)


@inlined
def joined(c: Any, pos: Any, neg: Any, drift_pos: Any, drift_neg: Any) -> Any:
    """Add to the tracked products and to their drift."""
    pos += c.pos
    neg += c.neg
    drift_pos += c.drift_pos
    drift_neg += c.drift_neg
    return Clock(c.s, c.E, c.tally, c.pull, c.total, pos, neg, drift_pos, drift_neg, c.horizon, c.size)


@inlined
def lines(w: Any, c: Any, rows: Any, i: Any) -> Any:
    """The product of row i with w, and with the slopes k."""
    xu, xk = row.dot2(rows, i, w.v)
    return c.s * (xu - c.E * xk), xk


@inlined
def add(w: Any, c: Any, sums: Any, rows: Any, i: Any, amount: Any, l1: Any) -> Any:
    """Add amount times row i to w; the caller accounts for the products with the class sums."""
    first, last = row.span(rows, i)
    for k in range(first, last):
        j, x = row.entry(rows, i, k)
        value = c.s * (w.v[j, 0] - c.E * w.v[j, 1]) + amount * x
        c = place(w, c, sums, j, value, l1)
    return c


@inlined
def rescan(w: Any, c: Any, sums: Any, l1: Any, horizon: Any) -> Any:
    """Fold scale and clock into u, count the tracked sums afresh and find the events up to a new horizon."""
    pos = neg = drift_pos = drift_neg = 0.0
    size = 0
    for j in range(w.v.shape[0]):
        u = w.v[j, 0]
        k = w.v[j, 1]
        value = c.s * (u - c.E * k)
        w.v[j, 2] -= c.tally * u - c.pull * k  # pay the averaging debt before the line changes
        w.v[j, 0] = value
        if k * value > 0.0 and value / k <= horizon:
            size = push(w, size, value / k, j)
        pos += value * sums[j, 0]
        neg += value * sums[j, 1]
        drift_pos += k * sums[j, 0]
        drift_neg += k * sums[j, 1]
    return Clock(1.0, 0.0, 0.0, 0.0, c.total, pos, neg, drift_pos, drift_neg, horizon, size)


@inlined
def settle(w: Any, c: Any, sums: Any, step: Any) -> Any:
    """Stop, or turn, the coordinates whose line has just crossed zero."""
    while c.size > 0 and w.keys[0] <= c.E:
        key = w.keys[0]
        j = w.names[0]
        c = Clock(c.s, c.E, c.tally, c.pull, c.total, c.pos, c.neg, c.drift_pos, c.drift_neg, c.horizon, pop(w, c.size))
        k = w.v[j, 1]
        if k == 0.0 or w.v[j, 0] / k != key:
            continue  # touched since: it has another event, or none
        sign = 1.0 if k > w.v[j, 3] else -1.0
        beyond = c.s * (w.v[j, 0] - c.E * k)
        value = step.factor * soft(beyond / step.factor + sign * step.eps * step.l1, step.eps * step.l1)
        if value * sign > 0.0:
            value = 0.0  # rounding only: the line ended here
        c = joined(c, (value - beyond) * sums[j, 0], (value - beyond) * sums[j, 1], 0.0, 0.0)
        c = place(w, c, sums, j, value, step.l1)
    return c


@inlined
def shrink(w: Any, c: Any, sums: Any, step: Any) -> Any:
    """The proximal step on every coordinate, drift included."""
    ahead = step.eps / c.s
    if c.E + ahead > c.horizon or c.s < SMALLEST_SCALE:
        # some d/16 steps ahead: the scan then costs about 16 columns a step
        c = rescan(w, c, sums, step.l1, step.eps * (64.0 + w.v.shape[0] // 16))
        ahead = step.eps
    pos = step.factor * (c.pos - step.eps * c.drift_pos)
    neg = step.factor * (c.neg - step.eps * c.drift_neg)
    s = step.factor * c.s
    E = c.E + ahead
    c = Clock(s, E, c.tally, c.pull, c.total, pos, neg, c.drift_pos, c.drift_neg, c.horizon, c.size)
    return settle(w, c, sums, step)


@kernel
def reset(w: Any, value: Any, l1: Any) -> None:
    """Start from a given vector with the drift in column 3: lines anew, no debt."""
    for j in range(w.v.shape[0]):
        w.v[j, 0] = value[j]
        w.v[j, 1] = slope(value[j], w.v[j, 3], l1)
        w.v[j, 2] = 0.0
