"""A weight vector under the elastic net, O(1) per touched column, with exact products with the class sums.

Between two touches a coordinate only drifts: ``w ← soft(w - ε·μ, ε·l1) / (1 + ε·l2)``, with a drift μ that is zero for
SPAM and the full gradient for VRSPAM. While its sign σ stays, ``w = s·(u - E·k)`` with the slope ``k = μ + σ·l1``,
a scale s and a clock ``E = Σ ε/s`` shared by all coordinates. It reaches zero when E reaches ``u/k``, which is known in
advance: a calendar, one page per step or so, lists the coordinates that get there before its last page, and a scan of
all coordinates, once in a few d/32 steps, starts the next calendar. So the products ``w·sums`` stay exact without a
sweep per step: between events they change by ``-ε·Σ k·sums`` over the active coordinates, which is tracked too.

Columns of v: u, k, the averaging debt q, and μ. The average is ``Σ γ w = tally·u - pull·k - q``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.kernel import rows as row
from aucmax.kernel.bounds import COLUMNS, bounded, count, first_of, index
from aucmax.kernel.fetch import fetch
from aucmax.kernel.jit import inlined, kernel
from aucmax.kernel.prox import soft
from aucmax.kernel.weights import SMALLEST_SCALE, columns

NOBODY = -1


@bounded(heads=index("Net.entries", NOBODY), entries=(index(COLUMNS), index("Net.entries", NOBODY)))
class Net(NamedTuple):
    """The arrays: coordinates, and the calendar of those about to reach zero, as chains of entries."""

    v: np.ndarray  # (d, 4)
    heads: np.ndarray  # the first entry of each page
    entries: np.ndarray  # the coordinate of an entry, and the next entry of its page

    def fault(self, parts: Any) -> str:
        """What is wrong with the calendar, in words: every entry in use is on one page at most, so that pages end."""
        size = first_of(Clock, parts).size
        met = np.zeros(len(self.entries), dtype=bool)
        at = self.heads[self.heads != NOBODY]
        while len(at):
            if at.max() >= size or len(np.unique(at)) < len(at) or met[at].any():
                return "a calendar without an end"
            met[at] = True
            at = self.entries[at, 1]
            at = at[at != NOBODY]
        return ""


@bounded(page=count("Net.heads"), size=count("Net.entries"))
class Clock(NamedTuple):
    """The scalars: scale, clock, averaging sums, products with the class sums and their drift, and the calendar."""

    s: float
    E: float
    tally: float  # Σ γ s
    pull: float  # Σ γ s E
    total: float  # Σ γ
    pos: float  # w·sums of the positives
    neg: float
    drift_pos: float  # Σ k·sums of the positives over active coordinates
    drift_neg: float
    width: float  # of a page, in units of the clock; the calendar begins at zero
    page: int  # the first one that is not over
    size: int  # entries in use


class Shrinkage(NamedTuple):
    """One proximal step: its size and the two penalties."""

    eps: float
    l1: float
    factor: float  # 1 / (1 + eps·l2)


def net(d: int, contiguous: bool) -> Net:
    """A zero vector."""
    room = 3 * d + 1024  # an entry per column, and two more for each before the next scan
    kind = np.int32 if room < 2**31 else np.int64
    pages = np.full(64 + d // 32, NOBODY, dtype=kind)
    return Net(columns(d, 4, contiguous), pages, np.zeros((room, 2), dtype=kind))


def clock(w: Net, sums: np.ndarray) -> Clock:
    """The scalars of a vector that was just set; its calendar is over, so its first step scans it."""
    (pos, neg), (drift_pos, drift_neg) = w.v[:, :2].T @ sums
    over = len(w.heads)
    return Clock(1.0, 0.0, 0.0, 0.0, 0.0, float(pos), float(neg), float(drift_pos), float(drift_neg), 1.0, over, 0)


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
def leads_to_zero(k: Any, mu: Any) -> Any:
    """Whether a line ends at zero. Its sign is that of k - μ: near zero, rounding may give its value the other one."""
    return k != 0.0 and (k > mu) == (k > 0.0)


@inlined
def enter(w: Any, page: Any, size: Any, j: Any) -> Any:
    """Put a coordinate on a page of the calendar; the new number of entries."""
    w.entries[size, 0] = j
    w.entries[size, 1] = w.heads[page]
    w.heads[page] = size
    return size + 1


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
    pages = w.heads.shape[0]
    room = c.page < pages and size < w.entries.shape[0]  # without room, the scan before the next shrinkage finds it
    if room and leads_to_zero(k, w.v[j, 3]) and u / k < c.width * pages:
        size = enter(w, min(max(int(u / k / c.width), c.page), pages - 1), size, j)
    drift_pos = c.drift_pos + (k - k_old) * sums[j, 0]
    drift_neg = c.drift_neg + (k - k_old) * sums[j, 1]
    return Clock(c.s, c.E, c.tally, c.pull, c.total, c.pos, c.neg, drift_pos, drift_neg, c.width, c.page, size)


@inlined
def accumulate(c: Any, gamma: Any) -> Any:
    """Let the current w count with weight gamma in the average; call it before the update."""
    tally = c.tally + gamma * c.s
    pull = c.pull + gamma * c.s * c.E
    total = c.total + gamma
    return Clock(c.s, c.E, tally, pull, total, c.pos, c.neg, c.drift_pos, c.drift_neg, c.width, c.page, c.size)


@inlined
def joined(c: Any, pos: Any, neg: Any, drift_pos: Any, drift_neg: Any) -> Any:
    """Add to the tracked products and to their drift."""
    pos += c.pos
    neg += c.neg
    drift_pos += c.drift_pos
    drift_neg += c.drift_neg
    return Clock(c.s, c.E, c.tally, c.pull, c.total, pos, neg, drift_pos, drift_neg, c.width, c.page, c.size)


@inlined
def lines(w: Any, c: Any, rows: Any, i: Any) -> Any:
    """The product of row i with w, and with the slopes k."""
    xu, xk = row.dot2(rows, i, w.v, 0, 1)
    return c.s * (xu - c.E * xk), xk


@inlined
def add(w: Any, c: Any, sums: Any, rows: Any, i: Any, amount: Any, l1: Any) -> Any:
    """Add amount times row i to w; the caller accounts for the products with the class sums."""
    row.anticipate(rows, i + 1, sums)
    first, last = row.span(rows, i)
    for k in range(first, last):
        j, x = row.entry(rows, i, k)
        value = c.s * (w.v[j, 0] - c.E * w.v[j, 1]) + amount * x
        c = place(w, c, sums, j, value, l1)
    return c


@inlined
def rescan(w: Any, c: Any, sums: Any, width: Any) -> Any:
    """Fold scale and clock into u, count the tracked sums afresh and start a new calendar."""
    for page in range(w.heads.shape[0]):
        w.heads[page] = NOBODY
    pos = neg = drift_pos = drift_neg = 0.0
    size = 0
    last = width * w.heads.shape[0]
    for j in range(w.v.shape[0]):
        u = w.v[j, 0]
        k = w.v[j, 1]
        if u == 0.0 and k == 0.0:
            continue
        value = c.s * (u - c.E * k)
        w.v[j, 2] -= c.tally * u - c.pull * k  # pay the averaging debt before the line changes
        w.v[j, 0] = value
        if leads_to_zero(k, w.v[j, 3]) and value / k < last:
            page = min(max(int(value / k / width), 0), w.heads.shape[0] - 1)
            size = enter(w, page, size, j)
        pos += value * sums[j, 0]
        neg += value * sums[j, 1]
        drift_pos += k * sums[j, 0]
        drift_neg += k * sums[j, 1]
    return Clock(1.0, 0.0, 0.0, 0.0, c.total, pos, neg, drift_pos, drift_neg, width, 0, size)


@inlined
def crossed(w: Any, c: Any, sums: Any, j: Any, step: Any) -> Any:
    """Stop, or turn, a coordinate whose line has just crossed zero."""
    k = w.v[j, 1]
    sign = 1.0 if k > w.v[j, 3] else -1.0
    beyond = c.s * (w.v[j, 0] - c.E * k)
    value = step.factor * soft(beyond / step.factor + sign * step.eps * step.l1, step.eps * step.l1)
    if value * sign > 0.0:
        value = 0.0  # rounding only: the line ended here
    c = joined(c, (value - beyond) * sums[j, 0], (value - beyond) * sums[j, 1], 0.0, 0.0)
    return place(w, c, sums, j, value, step.l1)


@inlined
def settle(w: Any, c: Any, sums: Any, step: Any) -> Any:
    """Go through the pages that the clock has reached; entries not yet due stay, those that have moved elsewhere go."""
    while c.page < w.heads.shape[0] and c.page * c.width <= c.E:
        page = c.page
        over = (page + 1) * c.width <= c.E
        at = w.heads[page]
        w.heads[page] = NOBODY
        while at != NOBODY:
            following = w.entries[at, 1]
            if following != NOBODY:
                coming = w.entries[following, 0]
                fetch(w.v, coming)
                fetch(sums, coming)
            j = w.entries[at, 0]
            k = w.v[j, 1]
            leaving = leads_to_zero(k, w.v[j, 3])
            if leaving and w.v[j, 0] / k <= c.E:
                c = crossed(w, c, sums, j, step)
            elif leaving and w.v[j, 0] / k <= c.E + 2.0 * c.width and page + over < w.heads.shape[0]:
                # due soon: later on this page or, where rounding put it a page too early, on the next
                w.entries[at, 1] = w.heads[page + over]
                w.heads[page + over] = at
            at = following
        if not over:
            break
        c = turned(c)
    return c


@inlined
def turned(c: Any) -> Any:
    """The next page."""
    page = c.page + 1
    return Clock(c.s, c.E, c.tally, c.pull, c.total, c.pos, c.neg, c.drift_pos, c.drift_neg, c.width, page, c.size)


@inlined
def shrink(w: Any, c: Any, sums: Any, step: Any) -> Any:
    """The proximal step on every coordinate, drift included."""
    ahead = step.eps / c.s
    over = c.page == w.heads.shape[0] or c.E + ahead >= c.width * w.heads.shape[0]
    slow = 8.0 * ahead < c.width and ahead > 0.0  # a page would be gone through again and again
    if over or slow or c.size == w.entries.shape[0] or c.s < SMALLEST_SCALE:
        c = rescan(w, c, sums, step.eps if step.eps > 0.0 else 1.0)
    pos = step.factor * (c.pos - step.eps * c.drift_pos)
    neg = step.factor * (c.neg - step.eps * c.drift_neg)
    s = step.factor * c.s
    E = c.E + step.eps / c.s
    c = Clock(s, E, c.tally, c.pull, c.total, pos, neg, c.drift_pos, c.drift_neg, c.width, c.page, c.size)
    return settle(w, c, sums, step)


@kernel
def reset(w: Any, value: Any, l1: Any) -> None:
    """Start from a given vector with the drift in column 3: lines anew, no debt."""
    for j in range(w.v.shape[0]):
        w.v[j, 0] = value[j]
        w.v[j, 1] = slope(value[j], w.v[j, 3], l1)
        w.v[j, 2] = 0.0
