"""Validated training data, and its passage to the kernels in order or in shuffled chunks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from aucmax.data.sparse import read_only
from aucmax.kernel import moments
from aucmax.kernel.driver import Batch
from aucmax.kernel.jit import kernel
from aucmax.kernel.moments import Seen
from aucmax.kernel.rows import Csr, Dense, Rows

# Rows gathered at a time. A gathered chunk is swept in order, at a third to a tenth of the cost of jumping about.
CHUNK = 4096
RESHUFFLED = 2 * CHUNK  # up to so many rows, every pass gets a new order of single rows
NOTHING_KNOWN = np.empty((0, 0))


def as_rows(X: Any) -> Rows:
    """Rows for the kernels, without a copy, of an X that ``inputs.sound`` has let through or that the library made."""
    if isinstance(X, np.ndarray):
        return Dense(read_only(X))
    return Csr(read_only(X.data), read_only(X.indices), read_only(X.indptr))


@kernel
def _gather(rows: Any, order: Any, out: Any) -> None:
    at = 0
    for i in range(order.shape[0]):
        first = rows.indptr[np.uintp(order[i])]
        count = rows.indptr[np.uintp(order[i] + 1)] - first
        for k in range(count):  # one array at a time, which makes each a vector copy: half the time
            out.data[np.uintp(at + k)] = rows.data[np.uintp(first + k)]
        for k in range(count):
            out.indices[np.uintp(at + k)] = rows.indices[np.uintp(first + k)]
        at += count
        out.indptr[i + 1] = at


def _take(rows: Rows, order: np.ndarray) -> Rows:
    if isinstance(rows, Dense):
        return Dense(read_only(rows.X.take(order, axis=0)))
    nnz = int((rows.indptr[order + 1] - rows.indptr[order]).sum())
    out = Csr(
        np.empty(nnz, rows.data.dtype), np.empty(nnz, rows.indices.dtype), np.zeros(len(order) + 1, rows.indptr.dtype)
    )
    _gather(rows, order, out)
    return Csr(*map(read_only, out))


def _slice(rows: Rows, start: int, stop: int) -> Rows:
    if isinstance(rows, Dense):
        return Dense(rows.X[start:stop])
    return rows._replace(indptr=rows.indptr[start : stop + 1])


@dataclass(frozen=True, eq=False)
class Data:
    """Rows, labels as ±1 and weights; what is derived from them is computed once, when it is first asked for."""

    rows: Rows
    y: np.ndarray
    weight: np.ndarray
    d: int
    group: np.ndarray | None = None  # of every row, counted from zero; rows of different groups make no pair

    @classmethod
    def of(cls, X: Any, y: np.ndarray, weight: np.ndarray) -> Data:
        """Data from validated arrays."""
        return cls(as_rows(X), y, weight, X.shape[1])

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.y)

    @property
    def dense(self) -> bool:
        """Whether the rows are dense."""
        return isinstance(self.rows, Dense)

    @property
    def stored(self) -> int:
        """The numbers that the rows take, zeros of sparse ones left out."""
        return self.rows.X.size if isinstance(self.rows, Dense) else len(self.rows.data)

    @property
    def matrix(self) -> Any:
        """The rows as a numpy array or a scipy matrix, without a copy."""
        if isinstance(self.rows, Dense):
            return self.rows.X
        return sp.csr_array((self.rows.data, self.rows.indices, self.rows.indptr), shape=(self.n, self.d), copy=False)

    @cached_property
    def sqnorm(self) -> np.ndarray:
        """The squared norm of every row."""
        out = np.empty(self.n)
        moments.squared_norms(self.rows, out)
        return out

    @cached_property
    def largest(self) -> float:
        """κ², the largest squared norm of a row."""
        return float(self.sqnorm.max(initial=0.0))

    @cached_property
    def masses(self) -> tuple[float, float]:
        """The weights of the two classes, positives first."""
        pos = float(self.weight[self.y > 0].sum())
        return pos, float(self.weight.sum()) - pos

    @cached_property
    def seen(self) -> Seen:
        """Counts over all rows."""
        return Seen(float(self.n), *self.masses, self.largest)

    @cached_property
    def class_sums(self) -> np.ndarray:
        """Σ weight·x of the positives and of the negatives, as columns."""
        sums = np.zeros((self.d, 2))
        moments.add_class_sums(self.rows, self.y, self.weight, sums)
        return sums

    def products(self, v: np.ndarray) -> np.ndarray:
        """The products of all rows with the columns of v."""
        out = np.empty((self.n, v.shape[1]))
        moments.products(self.rows, v, out)
        return out

    def combination(self, amounts: np.ndarray) -> np.ndarray:
        """Σ amounts[i]·x_i."""
        out = np.zeros((self.d, 1))
        moments.add_combination(self.rows, amounts, out)
        return out[:, 0]

    def taken(self, order: np.ndarray) -> Data:
        """The rows in another order, or some of them, as a contiguous copy."""
        group = None if self.group is None else self.group[order]
        copy = Data(_take(self.rows, order), self.y[order], self.weight[order], self.d, group)
        copy.__dict__["sqnorm"] = self.sqnorm[order]
        if len(order) == self.n:
            copy.know(self.class_sums)
            copy.__dict__["masses"] = self.masses
        return copy

    def know(self, class_sums: np.ndarray) -> None:
        """Take the class sums from elsewhere instead of sweeping the rows for them."""
        self.__dict__["class_sums"] = class_sums

    def piece(self, start: int, stop: int, order: np.ndarray | None, along: np.ndarray) -> Batch:
        """The rows start to stop of an order (None: as they lie), without their step sizes."""
        known = bool(along.size)
        if order is None:
            at: Any = slice(start, stop)
            rows = _slice(self.rows, start, stop)
        else:
            at = order[start:stop]
            rows = _take(self.rows, at)
        return Batch(rows, self.y[at], self.weight[at], self.sqnorm[at], NOTHING_KNOWN, along[at] if known else along)


class Order:
    """The order of the rows in every pass over the data.

    Shuffled large data are copied once in a random order; each pass then takes blocks of ``CHUNK`` consecutive rows in
    a random order. Small data get a new random order of their rows in every pass.
    """

    def __init__(self, data: Data, shuffle: bool, rng: Any) -> None:
        self.shuffle = shuffle
        self.rng = rng
        self.small = data.n <= RESHUFFLED
        self.data = data.taken(rng.permutation(data.n)) if shuffle and not self.small else data
        self.rows: np.ndarray | None = None

    def blocks(self) -> list[tuple[int, int]]:
        """Begin a pass: the blocks to take, each as its first and last row."""
        n = self.data.n
        ends = [(start, min(start + CHUNK, n)) for start in range(0, n, CHUNK)]
        if self.shuffle and self.small:
            self.rows = self.rng.permutation(n)
        elif self.shuffle:
            ends = [ends[k] for k in self.rng.permutation(len(ends))]
        return ends

    def piece(self, start: int, stop: int, along: np.ndarray) -> Batch:
        """Some rows of a block."""
        return self.data.piece(start, stop, self.rows, along)
