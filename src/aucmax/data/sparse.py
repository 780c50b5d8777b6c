"""Sparse matrices whose structure is sound, before scipy's compiled code or a kernel steps on them.

scipy's matrices do not vouch for their arrays: anybody may write into them, a flag such as ``has_canonical_format`` may
be wrong, and scipy's own check passes over the ends of empty rows. So the structure is looked at, in one sweep.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from aucmax.kernel.structure import BROKEN, OUTSIDE, SORTED, structure

INDEX_TYPES = (np.dtype(np.int32), np.dtype(np.int64))
CONVERSION_ERRORS = (TypeError, ValueError, IndexError, KeyError, AttributeError, OverflowError)


def sound_sparse(X: Any) -> Any:
    """A scipy matrix whose structure is sound: the same one, a sorted copy of unsorted rows, or an error."""
    shape = X.shape
    if len(shape) != 2 or not all(isinstance(side, int | np.integer) and side >= 0 for side in shape):
        raise ValueError(f"X is a sparse array of the shape {shape}, expected two numbers: rows and columns.")
    if X.format in ("csr", "csc"):
        return _sound_compressed(X)
    try:
        return _sound_compressed(_from_coordinates(X))
    except CONVERSION_ERRORS as error:
        raise _corrupt(f"the format {X.format} and {error}") from error


def _sound_compressed(X: Any) -> Any:
    """A CSR or CSC matrix whose rows (of CSC: columns) have rising indices, without a copy where they have."""
    data, indices, indptr = (_flat(name, getattr(X, name, None)) for name in ("data", "indices", "indptr"))
    if data.dtype.kind not in "biufc":
        raise _corrupt(f"data of the type {data.dtype}, expected numbers")
    lines, across = X.shape if X.format == "csr" else X.shape[::-1]
    if not indices.dtype == indptr.dtype or indices.dtype not in INDEX_TYPES:
        raise _corrupt(f"indices of the type {indices.dtype} and indptr of {indptr.dtype}, expected int32 or int64")
    if len(indptr) != lines + 1:
        raise _corrupt(f"{len(indptr)} entries in indptr, expected {lines + 1} for the shape {X.shape}")
    state = structure(read_only(indices), read_only(indptr), across)
    if state == BROKEN or indptr[-1] > len(data):
        raise _corrupt(f"an indptr that is not a rising sequence from 0 to at most {min(len(indices), len(data))}")
    stored = int(indptr[-1])
    if state == OUTSIDE:
        seen = indices[:stored]
        raise _corrupt(f"column indices from {seen.min()} to {seen.max()}, expected 0 to {across - 1}")
    same = data is X.data and indices is X.indices and indptr is X.indptr  # none of a subclass, or in pieces
    whole = same and len(data) == len(indices) == stored
    if state == SORTED and whole:
        return X
    data = data[:stored].astype(np.result_type(data.dtype, np.float32), copy=False)
    found = type(X)((data, indices[:stored], indptr), shape=X.shape, copy=state != SORTED)
    if state != SORTED:
        found.sum_duplicates()  # a new matrix has no flags that it could believe
    return found


def _from_coordinates(X: Any) -> Any:
    """A matrix of another format as CSR, by way of coordinates that are looked at."""
    entries = _COORDINATES.get(X.format, lambda X: X.tocoo())(X)
    data, row, column = (np.asarray(part) for part in (entries.data, *entries.coords))
    for place, size in zip((row, column), X.shape, strict=True):
        if place.ndim != 1 or len(place) != data.size or place.dtype.kind not in "iu":
            raise ValueError(f"coordinates of the shape {place.shape} for {data.size} values")
        if len(place) and not 0 <= place.min() <= place.max() < size:
            raise ValueError(f"coordinates from {place.min()} to {place.max()}, expected 0 to {size - 1}")
    kind = sp.coo_array if isinstance(X, sp.sparray) else sp.coo_matrix
    return kind((data, (row, column)), shape=X.shape).tocsr()


def _of_lists(X: Any) -> Any:
    lengths = [list(map(len, part)) for part in (X.rows, X.data)]
    if lengths[0] != lengths[1] or len(lengths[0]) != X.shape[0]:
        raise ValueError("rows and data of different lengths")
    return X.tocoo()


def _of_blocks(X: Any) -> Any:
    data: Any = X.data
    high, wide = data.shape[1:]
    indices, indptr = _flat("indices", X.indices), _flat("indptr", X.indptr)
    if X.shape[0] != high * (len(indptr) - 1) or X.shape[1] % wide or indices.dtype not in INDEX_TYPES:
        raise ValueError(f"blocks of the shape {data.shape[1:]} and {len(indptr)} ends for the shape {X.shape}")
    state = structure(read_only(indices), read_only(indptr.astype(indices.dtype)), X.shape[1] // wide)
    if state in (BROKEN, OUTSIDE) or not indptr[-1] == len(indices) == len(data):
        raise ValueError("blocks beyond its bounds")
    return X.tocoo()


def _of_diagonals(X: Any) -> Any:
    """The coordinates of a matrix of diagonals; scipy's own compiled code believes its offsets."""
    data, offsets = np.asarray(X.data), _flat("offsets", X.offsets)
    if data.ndim != 2 or len(data) != len(offsets) or offsets.dtype.kind not in "iu":
        raise ValueError(f"{len(offsets)} offsets of the type {offsets.dtype} for data of the shape {data.shape}")
    width = min(data.shape[1], X.shape[1])
    row = np.arange(width) - offsets.astype(np.int64)[:, None]
    kept = (row >= 0) & (row < X.shape[0]) & (data[:, :width] != 0)
    column = np.broadcast_to(np.arange(width), row.shape)
    return sp.coo_array((data[:, :width][kept], (row[kept], column[kept])), shape=X.shape)


_COORDINATES: dict[str, Callable[[Any], Any]] = {"lil": _of_lists, "bsr": _of_blocks, "dia": _of_diagonals}


def _flat(name: str, array: Any) -> np.ndarray:
    """A part of a compressed matrix, in one piece."""
    if not isinstance(array, np.ndarray) or array.ndim != 1 or isinstance(array, np.ma.MaskedArray):
        seen = f"a {type(array).__name__} of the shape {getattr(array, 'shape', '()')}"
        raise _corrupt(f"as {name} {seen}, expected a plain array of one dimension")
    return np.ascontiguousarray(array)


def read_only(array: np.ndarray) -> np.ndarray:
    """A view that cannot be written to: numba then compiles one kernel for writable and read-only input alike."""
    view = array.view(np.ndarray)
    view.flags.writeable = False
    return view


def _corrupt(seen: str) -> ValueError:
    return ValueError(
        f"X is a corrupt sparse matrix: it has {seen}. Build it again, with 64-bit indices if it is large."
    )
