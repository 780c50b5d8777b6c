"""Rows of X. Only here, and where a buffer copies one, does it matter whether a row is dense or sparse.

A row is a run of positions, each with a column and a value. Every loop in the library is written once over
``span`` and ``entry``; numba picks the body by the class of the tuple, and LLVM turns the dense one into vector code.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from aucmax.kernel.bounds import COLUMNS, bounded, count, index
from aucmax.kernel.fetch import fetch
from aucmax.kernel.jit import inlined

FAR = 2**16  # numbers in an array from which on it is fetched ahead: more than a core's own cache holds


class Dense(NamedTuple):
    """Rows of a C-ordered matrix."""

    X: np.ndarray


class Csr(NamedTuple):
    """Rows of a compressed sparse matrix; columns in any order, none twice in a row."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray


@bounded(indices=index(COLUMNS), length=count("Slots.data", axis=1))
class Slots(NamedTuple):
    """Sparse rows that may be overwritten one by one, each with room for as many entries as the arrays are wide."""

    data: np.ndarray
    indices: np.ndarray
    length: np.ndarray  # entries in use

    def fault(self, parts: Any) -> str:
        """What is wrong with the slots, in words."""
        return "" if self.indices.shape == self.data.shape else "a buffer of two widths"


Rows = Dense | Csr


def span(rows: Any, i: Any) -> Any:
    """The positions of row i, as a half-open range."""
    if isinstance(rows, Csr):
        return rows.indptr[i], rows.indptr[i + 1]
    if isinstance(rows, Slots):
        return 0, rows.length[i]
    return 0, rows.X.shape[1]


def entry(rows: Any, i: Any, k: Any) -> Any:
    """The column and the value at position k of row i."""
    if isinstance(rows, Csr):
        return rows.indices[k], rows.data[k]
    if isinstance(rows, Slots):
        return rows.indices[i, k], rows.data[i, k]
    return k, rows.X[i, k]


@overload(span)
def _span(rows: Any, i: Any) -> Any:
    def csr(rows: Any, i: Any) -> Any:
        return np.intp(rows.indptr[i]), np.intp(rows.indptr[i + 1])

    def dense(rows: Any, i: Any) -> Any:
        return np.intp(0), np.intp(rows.X.shape[1])

    def slots(rows: Any, i: Any) -> Any:
        return np.intp(0), np.intp(rows.length[i])

    return {Csr: csr, Dense: dense, Slots: slots}[rows.instance_class]


@overload(entry)
def _entry(rows: Any, i: Any, k: Any) -> Any:
    # unsigned positions and columns spare the check for negative indices, which would keep LLVM from vectorising
    def csr(rows: Any, i: Any, k: Any) -> Any:
        return np.uintp(rows.indices[np.uintp(k)]), rows.data[np.uintp(k)]

    def dense(rows: Any, i: Any, k: Any) -> Any:
        return np.uintp(k), rows.X[i, np.uintp(k)]

    def slots(rows: Any, i: Any, k: Any) -> Any:
        return np.uintp(rows.indices[i, np.uintp(k)]), rows.data[i, np.uintp(k)]

    return {Csr: csr, Dense: dense, Slots: slots}[rows.instance_class]


def anticipate(rows: Any, i: Any, v: Any) -> None:
    """Ask for the lines of v that sparse row i will touch, if there is such a row and v is large."""


@overload(anticipate)
def _anticipate(rows: Any, i: Any, v: Any) -> Any:
    def csr(rows: Any, i: Any, v: Any) -> None:
        if v.size > FAR and i + 1 < rows.indptr.shape[0]:
            first, last = span(rows, i)
            for k in range(first, last):
                fetch(v, rows.indices[np.uintp(k)])

    def nothing(rows: Any, i: Any, v: Any) -> None:
        pass

    return csr if rows.instance_class is Csr else nothing


@inlined
def dot(rows: Any, i: Any, v: Any, column: Any) -> Any:
    """The inner product of row i and one column of v."""
    total = 0.0
    first, last = span(rows, i)
    for k in range(first, last):
        j, x = entry(rows, i, k)
        total += x * v[j, column]
    return total


@inlined
def dot2(rows: Any, i: Any, v: Any, column: Any, another: Any) -> Any:
    """The inner products of row i and two columns of v, in one sweep."""
    total = 0.0
    other = 0.0
    first, last = span(rows, i)
    for k in range(first, last):
        j, x = entry(rows, i, k)
        total += x * v[j, column]
        other += x * v[j, another]
    return total, other


@inlined
def add(rows: Any, i: Any, v: Any, column: Any, amount: Any) -> None:
    """Add a multiple of row i to one column of v."""
    first, last = span(rows, i)
    for k in range(first, last):
        j, x = entry(rows, i, k)
        v[j, column] += amount * x


@inlined
def add2(rows: Any, i: Any, v: Any, amount: Any, other: Any) -> None:
    """Add multiples of row i to the first two columns of v, in one sweep."""
    first, last = span(rows, i)
    for k in range(first, last):
        j, x = entry(rows, i, k)
        v[j, 0] += amount * x
        v[j, 1] += other * x


@inlined
def dot_spread(rows: Any, i: Any, v: Any, column: Any, into: Any) -> Any:
    """The inner product of row i and one column of v; the row's entries are written into another column."""
    total = dot(rows, i, v, column)
    first, last = span(rows, i)
    for k in range(first, last):
        j, x = entry(rows, i, k)
        v[j, into] = x
    return total


@inlined
def clear(rows: Any, i: Any, v: Any, column: Any) -> None:
    """Set one column of v to zero where row i has entries."""
    first, last = span(rows, i)
    for k in range(first, last):
        j, _ = entry(rows, i, k)
        v[j, column] = 0.0
