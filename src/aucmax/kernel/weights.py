"""The weight vector of a stochastic algorithm: scaled, averaged lazily, its norm tracked, in O(non-zeros) a step.

``w = s·u``: shrinking w touches the scalar s, adding a row touches u on the row's columns only. The weighted average of
the iterates ``Σ γ_t w_t = tally·u - q`` needs no sweep either: ``tally = Σ γ_t s_t``, and whenever u changes by Δ, q
grows by ``tally·Δ``. Columns of one array keep u and q side by side, so that a sparse step misses the cache once per
column; for dense rows the same array is Fortran-ordered, so that each column is contiguous and vectorises.

Arrays change in place. Scalars live in small tuples that every function takes and returns: inside a compiled loop they
stay in registers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from aucmax.kernel import prox
from aucmax.kernel import rows as row
from aucmax.kernel.bounds import COLUMNS, bounded, count, first_of
from aucmax.kernel.jit import inlined, kernel
from aucmax.kernel.prox import Listed

# below this scale u is rewritten: waiting longer would cost digits of the lazy average
SMALLEST_SCALE = 1e-4


class Plain(NamedTuple):
    """``w = s·u``; v has the one column u."""

    v: np.ndarray


class Averaged(NamedTuple):
    """``w = s·u`` with its running average; v has the columns u and q."""

    v: np.ndarray


@bounded(columns=count(COLUMNS))
class Support(NamedTuple):
    """The scalars of a ``prox.Listed`` vector ``w = u`` in an ℓ1 ball: |w|₁ and the number of its non-zero columns.

    Its array begins with the columns u and q. Inside the ball few entries of u are non-zero; a projection costs those.
    """

    size: float
    columns: int

    def fault(self, parts: Any) -> str:
        """What is wrong with the list, in words; if there is one, it names so many lines, each once."""
        found = first_of(Listed, parts)
        if found is None:
            return ""
        names = found.names[: self.columns]
        sound = self.columns == np.count_nonzero(found.listed) == len(np.unique(names)) and found.listed[names].all()
        return "" if sound else "a list of another length"


class Scale(NamedTuple):
    """The scalars of a weight vector."""

    s: float  # w = s·u
    tally: float  # Σ γ s
    total: float  # Σ γ
    square: float  # |u|²


def columns(d: int, count: int, contiguous: bool) -> np.ndarray:
    """An array of d by count zeros, each column contiguous for dense rows, each line for sparse ones."""
    return np.zeros((d, count), order="F" if contiguous else "C")


def listed(d: int, count: int, contiguous: bool) -> Listed:
    """A zero vector of scale one with a list of its non-zero columns."""
    return Listed(columns(d, count, contiguous), np.zeros(d, dtype=np.int64), np.zeros(d, dtype=np.bool_))


def scale_of(v: np.ndarray) -> Scale:
    """The scalars of a vector whose current value is the first column of v."""
    return Scale(1.0, 0.0, 0.0, float(v[:, 0] @ v[:, 0]))


def current(w: Any, c: Scale) -> np.ndarray:
    """The vector w itself."""
    return np.asarray(c.s * w.v[:, 0])


def average(w: Averaged | Listed, c: Scale) -> np.ndarray:
    """The γ-weighted average of the iterates so far; w itself before the first of them."""
    if c.total == 0.0:
        return current(w, c)
    return np.asarray((c.tally * w.v[:, 0] - w.v[:, 1]) / c.total)


@inlined
def accumulate(c: Any, gamma: Any) -> Any:
    """Let the current w count with weight gamma in the average; call it before the update."""
    return Scale(c.s, c.tally + gamma * c.s, c.total + gamma, c.square)


@inlined
def fold(w: Any, c: Any) -> Any:
    """Bring the scale back to one and count the norm afresh."""
    square = 0.0
    for j in range(w.v.shape[0]):
        u = w.v[j, 0]
        if w.v.shape[1] > 1:
            w.v[j, 1] -= c.tally * u  # pay the averaging debt before u changes scale
        w.v[j, 0] = c.s * u
        square += w.v[j, 0] * w.v[j, 0]
    return Scale(1.0, 0.0, c.total, square)


@inlined
def shrink(w: Any, c: Any, factor: Any) -> Any:
    """Multiply w by a factor of at most one."""
    c = Scale(c.s * factor, c.tally, c.total, c.square)
    if c.s < SMALLEST_SCALE:
        c = fold(w, c)
    return c


@inlined
def project_l2(w: Any, c: Any, radius: Any) -> Any:
    """Project w on the ball |w| ≤ radius."""
    norm = c.s * np.sqrt(max(c.square, 0.0))
    if norm > radius:
        c = shrink(w, c, radius / norm)
    return c


def _add_columns(w: Any, rows: Any, i: Any, amount: Any, debt: Any) -> None:
    if isinstance(w, Averaged):
        row.add2(rows, i, w.v, amount, debt)
    else:
        row.add(rows, i, w.v, 0, amount)


@overload(_add_columns)
def _add_columns_compiled(w: Any, rows: Any, i: Any, amount: Any, debt: Any) -> Any:
    def both(w: Any, rows: Any, i: Any, amount: Any, debt: Any) -> None:
        row.add2(rows, i, w.v, amount, debt)

    def one(w: Any, rows: Any, i: Any, amount: Any, debt: Any) -> None:
        row.add(rows, i, w.v, 0, amount)

    return both if w.instance_class is Averaged else one


@inlined
def add_row(w: Any, c: Any, rows: Any, i: Any, amount: Any) -> None:
    """Add amount times row i to w, whose norm is not tracked."""
    change = amount / c.s
    _add_columns(w, rows, i, change, c.tally * change)


@inlined
def add(w: Any, c: Any, batch: Any, i: Any, amount: Any, score: Any) -> Any:
    """Add amount times row i to w; score is the row's inner product with w before."""
    inverse = 1.0 / c.s  # one division: they are dear
    change = amount * inverse
    _add_columns(w, batch.rows, i, change, c.tally * change)
    square = c.square + change * (2.0 * score * inverse + change * batch.sqnorm[i])
    return Scale(c.s, c.tally, c.total, square)


@inlined
def add_listed(w: Any, c: Any, batch: Any, i: Any, amount: Any, support: Any) -> Any:
    """Add amount times row i to a listed w; its support afterwards."""
    size = support.size
    count = support.columns
    first, last = row.span(batch.rows, i)
    for k in range(first, last):
        j, x = row.entry(batch.rows, i, k)
        before = w.v[j, 0]
        after = before + amount * x
        w.v[j, 0] = after
        w.v[j, 1] += c.tally * (amount * x)
        size += abs(after) - abs(before)
        if after != 0.0 and not w.listed[j]:
            w.listed[j] = True
            w.names[count] = j
            count += 1
    return Support(size, count)


@inlined
def threshold_listed(w: Any, c: Any, support: Any, threshold: Any) -> Any:
    """Soft-threshold a listed w; its support afterwards."""
    size = 0.0
    count = 0
    for at in range(support.columns):
        j = w.names[at]
        before = w.v[j, 0]
        after = prox.soft(before, threshold)
        w.v[j, 0] = after
        w.v[j, 1] += c.tally * (after - before)
        size += abs(after)
        w.names[count] = j
        if after != 0.0:
            count += 1
        else:
            w.listed[j] = False
    return Support(size, count)


@inlined
def list_support(w: Any) -> Any:
    """List the support of w afresh, by a sweep over all columns."""
    size = 0.0
    count = 0
    for j in range(w.v.shape[0]):
        value = w.v[j, 0]
        w.listed[j] = value != 0.0
        size += abs(value)
        if value != 0.0:
            w.names[count] = j
            count += 1
    return Support(size, count)


@kernel
def _listed(w: Any) -> Any:
    size, count = list_support(w)
    return size, count


def listed_support(w: Any) -> Support:
    """The same, from Python."""
    return Support(*_listed(w))
