"""Sizes of columns, by which a penalty is made indifferent to the units of X.

No column is rescaled, and nothing copied for it: a penalty on ``size_j·w_j`` is the same as one on the weights of
scaled columns. Dense columns count by their standard deviation. In sparse data that would favour the columns hardly
ever used; there the size is the geometric mean of standard deviation and largest value.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.kernel import rows as row
from aucmax.kernel.jit import kernel
from aucmax.kernel.moments import densified
from aucmax.model.data import Data

FAR = 1e4  # means beyond so many standard deviations are far from zero
FLAT = 1e-9  # a spread below this part of the column's size is rounding: the column is constant


@kernel
def _spread(rows: Any, weight: Any, mean: Any, squares: Any, present: Any, largest: Any) -> None:
    """Add Σ weight·(x - mean)² and Σ weight over the entries of each column; its largest |x|."""
    for i in range(weight.shape[0]):
        first, last = row.span(rows, i)
        for k in range(first, last):
            j, x = row.entry(rows, i, k)
            gap = x - mean[j]
            squares[j] += weight[i] * gap * gap
            present[j] += weight[i]
            largest[j] = max(largest[j], abs(np.float64(x)))


class Columns(NamedTuple):
    """Standard deviation, largest |x| and share of stored entries of every column."""

    mean: np.ndarray
    spread: np.ndarray
    largest: np.ndarray
    present: np.ndarray

    @classmethod
    def of(cls, data: Data) -> Columns:
        """In two sweeps, so that large means do not cancel."""
        share = data.weight / data.weight.sum()
        mean = data.combination(share)
        squares, present, largest = np.zeros((3, data.d))
        _spread(data.rows, share, mean, squares, present, largest)
        squares += np.maximum(1.0 - present, 0.0) * mean**2  # the zeros that are not stored
        return cls(mean, np.sqrt(squares), largest, present)


def column_sizes(data: Data) -> np.ndarray:
    """The size of each column; that of a constant column is its value, or one where it is zero."""
    columns = Columns.of(data)
    varied = columns.spread > FLAT * columns.largest
    size = columns.spread if data.dense else np.sqrt(columns.spread * columns.largest)
    return np.where(varied, size, np.where(columns.largest > 0.0, columns.largest, 1.0))


def without_offsets(X: Any, data: Data) -> tuple[Any, np.ndarray]:
    """X with columns moved that lie far from zero beside their spread, and by how much each was moved.

    Moving a column changes no ranking, but its size would swallow the digits of the scores. A constant column becomes
    zero. X is copied only where there is such a column; in sparse data one must be stored in full.
    """
    columns = Columns.of(data)
    far = np.abs(columns.mean) > FAR * columns.spread
    if not data.dense:
        far &= columns.present > 1.0 - FLAT
    shift = np.zeros(data.d)
    if not far.any():
        return X, shift
    first = densified(X[:1])[0]
    shift[far] = first[far]
    if data.dense:
        return X - shift.astype(X.dtype), shift
    X = X.copy()
    X.data -= shift[X.indices].astype(X.dtype)
    return X, shift
