"""Sums over all pairs of a positive and a negative row, in O(n log n) and O(n) memory, for losses made of parabolas.

The margin of a pair is ``m = s⁺ - s⁻``. A loss is a list of pieces, each a parabola on a band of margins:

    low ≤ m < high:   loss = c0 + c1·u + c2·u²   with   u = high - m ≥ 0

Once both classes are sorted by score, the partners of a row within a band are a run of the other class, and the runs
move one way as the row moves along its class. So one sweep with two fingers has count, sum of u and sum of u² of every
row's partners, hence the value, the slope with respect to every score, and the curvature along any direction. The sums
are carried relative to the row at hand: along a plain hinge they only ever grow, so that nothing cancels.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.kernel import rows as row
from aucmax.kernel.classes import Classes
from aucmax.kernel.jit import inlined, kernel
from aucmax.kernel.order import falling

INF = float("inf")


class Piece(NamedTuple):
    """A parabola on a band of margins."""

    high: float
    low: float
    c0: float
    c1: float
    c2: float


Loss = tuple[Piece, ...]
Coupling = tuple[float, np.ndarray, np.ndarray]

HINGE: Loss = (Piece(1.0, -INF, 0.0, 1.0, 0.0),)
SQUARED_HINGE: Loss = (Piece(1.0, -INF, 0.0, 0.0, 1.0),)
SMOOTH_HINGE: Loss = (Piece(1.0, 0.0, 0.0, 0.0, 0.5), Piece(0.0, -INF, 0.5, 1.0, 0.0))

# one minus the AUC: a pair in the wrong order counts one, a tie half
STEP: Loss = (Piece(np.nextafter(0.0, 1.0), 0.0, 0.5, 0.0, 0.0), Piece(0.0, -INF, 1.0, 0.0, 0.0))
LOSSES = {"hinge": HINGE, "squared_hinge": SQUARED_HINGE, "smooth_hinge": SMOOTH_HINGE}


def ramp(tau: float) -> Loss:
    """The smoothed ramp: 1 up to -tau, 0 from tau on, a parabola to either side of 0.

    The pairs below -tau count as exactly one; written as three shifted squared hinges they would cancel.
    """
    bend = 1.0 / (2.0 * tau * tau)
    return (
        Piece(tau, 0.0, 0.0, 0.0, bend),
        Piece(0.0, -tau, 0.5, 1.0 / tau, -bend),
        Piece(-tau, -INF, 1.0, 0.0, 0.0),
    )


class Side(NamedTuple):
    """One class, group by group, in falling order of its score; that of the negative class is negated when it leads."""

    scores: np.ndarray
    weight: np.ndarray
    rows: np.ndarray  # where they lie
    bounds: np.ndarray  # where the groups begin, and the end of the last


class Runs(NamedTuple):
    """For every row of one side, the run of its partners in the other: from ``first`` up to, not including, ``end``."""

    first: np.ndarray
    end: np.ndarray


class Bent(NamedTuple):
    """A curved piece as one class sees it: its curvature, the rows that lead, the other class, and the runs in it."""

    curvature: float
    lead: Side
    other: Side
    runs: Runs


@inlined
def _advance(sums: Any, shift: Any) -> Any:
    """Count, Σu and Σu² after every u has grown by a shift."""
    return sums[0], sums[1] + shift * sums[0], sums[2] + shift * (2.0 * sums[1] + shift * sums[0])


@inlined
def _with(sums: Any, weight: Any, u: Any) -> Any:
    """Count, Σu and Σu² with one more partner (or, with a negative weight, one less)."""
    return sums[0] + weight, sums[1] + weight * u, sums[2] + weight * u * u


@kernel
def _sweep(lead: Any, other: Any, piece: Any, bend: Any, runs: Any, rates: Any) -> Any:
    """Add slope and curvature of one piece to the rates of every leading row; the sum of the piece over all pairs."""
    value = 0.0
    for group in range(lead.bounds.shape[0] - 1):
        last = other.bounds[group + 1]
        first = other.bounds[group]
        end = first
        sums = (0.0, 0.0, 0.0)
        for k in range(lead.bounds[group], lead.bounds[group + 1]):
            s = lead.scores[k]
            if k > lead.bounds[group]:
                sums = _advance(sums, lead.scores[k - 1] - s)
            # those that leave go first: what stays in the sums is then never far beyond the band
            while first < end and s - other.scores[first] < piece.low:
                sums = _with(sums, -other.weight[first], piece.high - (s - other.scores[first]))
                first += 1
            if first == end:
                sums = (0.0, 0.0, 0.0)
                while end < last and s - other.scores[end] < piece.low:
                    end += 1
                first = end
            while end < last and s - other.scores[end] < piece.high:
                sums = _with(sums, other.weight[end], piece.high - (s - other.scores[end]))
                end += 1
            runs.first[k] = first
            runs.end[k] = end
            value += lead.weight[k] * (piece.c0 * sums[0] + piece.c1 * sums[1] + piece.c2 * sums[2])
            i = lead.rows[k]
            rates[i, 0] += lead.weight[k] * (piece.c1 * sums[0] + 2.0 * piece.c2 * sums[1])
            rates[i, 1] += lead.weight[k] * (bend * sums[0])
    return value


@inlined
def subtract_partners(bent: Any, z: Any, tally: Any, out: Any) -> None:
    """Subtract, for every leading row, the curvature times its weight times Σ weight·z over its partners."""
    lead, other, runs = bent.lead, bent.other, bent.runs
    tally[0] = 0.0
    for k in range(other.rows.shape[0]):
        tally[k + 1] = tally[k] + other.weight[k] * z[other.rows[k]]
    for k in range(lead.rows.shape[0]):
        out[lead.rows[k]] -= bent.curvature * lead.weight[k] * (tally[runs.end[k]] - tally[runs.first[k]])


@kernel
def _partners(bent: Any, z: Any, tally: Any, out: Any) -> None:
    """``subtract_partners`` by itself."""
    subtract_partners(bent, z, tally, out)


@kernel
def partner_sums(rows: Any, other: Any, runs: Any, held: Any, running: Any, out: Any) -> None:
    """Write Σ weight·x over the partners of consecutive leading rows, one a line; running holds it for those held."""
    first, end = held
    for k in range(out.shape[0]):
        for at in range(end, runs.end[k]):
            row.add(rows, other.rows[at], running, 0, other.weight[at])
        for at in range(first, runs.first[k]):
            row.add(rows, other.rows[at], running, 0, -other.weight[at])
        first = runs.first[k]
        end = runs.end[k]
        for j in range(out.shape[1]):
            out[k, j] = running[j, 0]


class PairSums:
    """The mean of a loss over all pairs at given scores: value, slope, curvature.

    Parameters
    ----------
    classes
        The rows of either class.
    scores
        One score a row.
    loss
        The pieces.
    concave
        Whether pieces that bend downwards count in the curvature; without them it is never negative.

    Attributes
    ----------
    value : float
        The weighted mean of the loss; 0 without pairs.
    slope : ndarray
        The derivative of the value with respect to every score.
    curve : ndarray
        The second derivative with respect to every score alone.
    bent : pair of lists
        The curved pieces, led by the positive and by the negative rows.
    """

    coupling: Coupling | None = None  # all that couples rows is in the runs

    def __init__(self, classes: Classes, scores: np.ndarray, loss: Loss, concave: bool = True) -> None:
        n = len(scores)
        self.value = 0.0
        index = np.int32 if n < 2**31 else np.int64
        rates = np.zeros((n, 2))  # side by side: the sweep misses the cache once a row
        pos = _sorted(classes, classes.pos, scores)
        neg = _sorted(classes, classes.neg, -scores)
        halves = ((pos, _reversed(neg)), (neg, _reversed(pos)))
        self.bent: tuple[list[Bent], list[Bent]] = ([], [])
        for piece in loss:
            flat = piece.c1 == 0.0 and piece.c2 == 0.0  # it has a value, which one half knows, and nothing else
            for half, (lead, other) in enumerate(halves[:1] if flat else halves):
                runs = Runs(*np.empty((2, len(lead.rows)), dtype=index))
                bend = 2.0 * (piece.c2 if concave else max(piece.c2, 0.0))
                value = _sweep(lead, other, piece, bend, runs, rates)
                self.value += value if half == 0 else 0.0
                if bend != 0.0:
                    self.bent[half].append(Bent(bend, lead, other, runs))
        self.slope, self.curve = rates.T.copy()
        self.slope[classes.pos] *= -1.0

    def curvature(self, z: np.ndarray) -> np.ndarray:
        """The second derivative of the value applied to a change z of the scores."""
        out: np.ndarray = self.curve * z
        tally = np.empty(len(z) + 1)
        for bent in (*self.bent[0], *self.bent[1]):
            _partners(bent, z, tally, out)
        return out


class Stretched:
    """Scores sorted once, for the mean of a loss over all pairs at any positive multiple of them."""

    def __init__(self, classes: Classes, scores: np.ndarray) -> None:
        self._lead = _sorted(classes, classes.pos, scores)
        self._other = _reversed(_sorted(classes, classes.neg, -scores))
        self._runs = Runs(*np.empty((2, len(classes.pos)), dtype=np.int32 if len(scores) < 2**31 else np.int64))
        self._rates = np.zeros((len(scores), 2))

    def value(self, loss: Loss, multiple: float) -> float:
        """The weighted mean of the loss."""
        lead, other = (side._replace(scores=multiple * side.scores) for side in (self._lead, self._other))
        return float(sum(_sweep(lead, other, piece, 0.0, self._runs, self._rates) for piece in loss))


def _sorted(classes: Classes, rows: np.ndarray, scores: np.ndarray) -> Side:
    order, ordered = falling(scores[rows])
    bounds = np.array([0, len(rows)])
    if classes.group is not None:
        groups = classes.group[rows][order]
        by_group = np.argsort(groups, kind="stable")
        order, ordered = order[by_group], ordered[by_group]
        bounds = np.searchsorted(groups[by_group], np.arange(int(classes.group.max(initial=-1)) + 2))
    order = rows[order]
    weight = np.full(len(order), classes.weight[order[0]]) if classes.even and len(order) else classes.weight[order]
    return Side(ordered, weight, order, bounds)


def _reversed(side: Side) -> Side:
    """The same rows in the part of the other: scores negated, the order within every group turned."""
    if len(side.bounds) == 2:
        at: slice | np.ndarray = slice(None, None, -1)
    else:
        ends = side.bounds[:-1] + side.bounds[1:] - 1
        at = np.repeat(ends, np.diff(side.bounds)) - np.arange(len(side.rows))
    scores, weight, rows = (np.ascontiguousarray(a[at]) for a in (-side.scores, side.weight, side.rows))
    return Side(scores, weight, rows, side.bounds)
