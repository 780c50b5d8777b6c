"""Buffers that hold some rows of each class: first in, first out, or a reservoir.

A buffer has ``size`` slots for the positives and as many for the negatives. Where a row goes is decided beforehand
(``places``), for a whole chunk at once and whatever the chunk: one uniform number is drawn for every row. A kernel
copies the row there. Rows of sparse data are kept as their non-zeros; ``roomier`` makes the slots as long as the rows
of the next chunk need.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from aucmax.kernel import rows as row
from aucmax.kernel.jit import inlined
from aucmax.kernel.rows import Csr, Dense, Rows, Slots


class Buffer(NamedTuple):
    """Rows in slots, the positives' first, with their weights and squared norms."""

    rows: Dense | Slots
    weight: np.ndarray
    sqnorm: np.ndarray


class Passed(NamedTuple):
    """How many rows of each class have come by."""

    pos: float
    neg: float


def empty(d: int, size: int, dense: bool) -> Buffer:
    """A buffer with room for ``size`` rows of each class."""
    if dense:
        rows: Dense | Slots = Dense(np.zeros((2 * size, d)))
    else:
        index = np.int32 if d <= np.iinfo(np.int32).max else np.int64
        rows = Slots(np.zeros((2 * size, 0)), np.zeros((2 * size, 0), index), np.zeros(2 * size, np.int64))
    return Buffer(rows, np.zeros(2 * size), np.zeros(2 * size))


def roomier(buffer: Buffer, rows: Rows) -> Buffer:
    """The buffer with slots long enough for any of the rows; the same one where they already are."""
    if isinstance(buffer.rows, Dense):
        return buffer
    lengths = np.diff(rows.indptr) if isinstance(rows, Csr) else np.count_nonzero(rows.X, axis=1)
    width, needed = buffer.rows.data.shape[1], int(lengths.max(initial=0))
    if needed <= width:
        return buffer
    more = ((0, 0), (0, max(needed, 2 * width) - width))  # doubled, so that growing rows are not copied every time
    data, indices = (np.pad(part, more) for part in (buffer.rows.data, buffer.rows.indices))
    return buffer._replace(rows=Slots(data, indices, buffer.rows.length))


def places(kind: str, y: np.ndarray, passed: Passed, size: int, rng: np.random.Generator) -> np.ndarray:
    """The slot of every row, -1 for none: the oldest row's ("fifo"), or algorithm R's ("reservoir")."""
    positive = y > 0
    number = np.where(positive, passed.pos + np.cumsum(positive), passed.neg + np.cumsum(~positive))
    if kind == "fifo":
        slot = (number - 1.0) % size
    else:
        # kept with probability size/number, in place of any other row
        slot = np.where(number <= size, number - 1.0, np.floor(rng.random(len(y)) * number))
    return np.asarray(np.where(slot < size, slot + np.where(positive, 0, size), -1.0)[:, None])


@inlined
def keep(buffer: Any, passed: Any, batch: Any, i: Any) -> Any:
    """Copy row i to its place, if it has one; the rows that have come by then."""
    slot = int(batch.along[i, 0])
    if slot >= 0:
        _copy(buffer.rows, slot, batch.rows, i)
        buffer.weight[slot] = batch.weight[i]
        buffer.sqnorm[slot] = batch.sqnorm[i]
    if batch.y[i] > 0:
        return Passed(passed.pos + 1.0, passed.neg)
    return Passed(passed.pos, passed.neg + 1.0)


@inlined
def opposite(buffer: Any, passed: Any, y: Any) -> Any:
    """The slots in use for the other class than y's, as a half-open range."""
    size = buffer.weight.shape[0] // 2
    if y > 0:
        return size, size + min(size, int(passed.neg))
    return 0, min(size, int(passed.pos))


def _copy(kept: Any, slot: Any, rows: Any, i: Any) -> None:
    (_copy_sparse if isinstance(kept, Slots) else _copy_dense)(kept, slot, rows, i)


@inlined
def _copy_dense(kept: Any, slot: Any, rows: Any, i: Any) -> None:
    for j in range(kept.X.shape[1]):
        kept.X[slot, j] = 0.0
    first, last = row.span(rows, i)
    for k in range(first, last):
        j, x = row.entry(rows, i, k)
        kept.X[slot, j] = x


@inlined
def _copy_sparse(kept: Any, slot: Any, rows: Any, i: Any) -> None:
    length = 0
    first, last = row.span(rows, i)
    for k in range(first, last):
        j, x = row.entry(rows, i, k)
        if x != 0.0:
            kept.indices[slot, length] = j
            kept.data[slot, length] = x
            length += 1
    kept.length[slot] = length


@overload(_copy)
def _copy_compiled(kept: Any, slot: Any, rows: Any, i: Any) -> Any:
    def dense(kept: Any, slot: Any, rows: Any, i: Any) -> None:
        _copy_dense(kept, slot, rows, i)

    def sparse(kept: Any, slot: Any, rows: Any, i: Any) -> None:
        _copy_sparse(kept, slot, rows, i)

    return sparse if kept.instance_class is Slots else dense
