"""The soundness of compressed rows, before any other code may step on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.kernel.jit import kernel

SORTED = 0  # every row's columns rise, none occurs twice
UNSORTED = 1  # all columns exist, but in some row they do not rise
OUTSIDE = 2  # a column does not exist
BROKEN = 3  # the ends of the rows do not rise from zero to a number of entries that are there


@kernel
def structure(indices: Any, indptr: Any, columns: Any) -> Any:
    """The state of rows whose columns and ends are given: one of the four above.

    Rows are sorted if the columns fall, or stay the same, only where a new row begins. So one sweep without branches
    counts all falls, a second one, by rows, those at the beginning of a row, and looks at the first and last column.
    Unsigned positions spare the check for negative ones, which would keep LLVM from vectorising.
    """
    rows = indptr.shape[0] - 1
    falls = 0
    for i in range(rows):
        falls += indptr[np.uintp(i + 1)] < indptr[np.uintp(i)]
    if falls or indptr[0] != 0 or indptr[rows] > indices.shape[0]:
        return BROKEN
    stored = np.intp(indptr[rows])
    for k in range(1, stored):
        falls += indices[np.uintp(k)] <= indices[np.uintp(k - 1)]
    outside = 0
    before: Any = np.intp(columns)  # the last column of the row before
    for i in range(rows):
        first = np.intp(indptr[np.uintp(i)])
        end = np.intp(indptr[np.uintp(i + 1)])
        if first < end:
            lowest = np.intp(indices[np.uintp(first)])
            falls -= (first > 0) & (lowest <= before)
            before = np.intp(indices[np.uintp(end - 1)])
            outside += (lowest < 0) | (before >= columns)
    if falls == 0:
        return OUTSIDE if outside else SORTED
    outside = 0
    for k in range(stored):
        outside += (indices[np.uintp(k)] < 0) | (indices[np.uintp(k)] >= columns)
    return OUTSIDE if outside else UNSORTED
