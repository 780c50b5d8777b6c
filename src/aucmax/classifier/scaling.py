"""Sizes of columns, by which a penalty is made indifferent to the units of X.

No column is rescaled, and nothing copied for it: a penalty on ``size_j·w_j`` is the same as one on the weights of
scaled columns. Dense columns count by their standard deviation, gross values apart (``tails``). In sparse data that may
favour the columns hardly ever used; there the usual size is the geometric mean of standard deviation and largest value,
and held-out rows say which of the two serves better.
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
def _spread(rows: Any, weight: Any, mean: Any, squares: Any, present: Any, largest: Any, farthest: Any) -> None:
    """Add Σ weight·(x - mean)² and Σ weight over the entries of each column; its largest |x| and |x - mean|."""
    for i in range(weight.shape[0]):
        first, last = row.span(rows, i)
        for k in range(first, last):
            j, x = row.entry(rows, i, k)
            gap = x - mean[j]
            squares[j] += weight[i] * gap * gap
            present[j] += weight[i]
            largest[j] = max(largest[j], abs(np.float64(x)))
            farthest[j] = max(farthest[j], abs(gap))


class Columns(NamedTuple):
    """Mean, standard deviation, largest |x|, largest |x - mean| and share of stored entries of every column."""

    mean: np.ndarray
    spread: np.ndarray
    largest: np.ndarray
    farthest: np.ndarray
    present: np.ndarray
    dense: bool

    @classmethod
    def of(cls, data: Data) -> Columns:
        """In two sweeps, so that large means do not cancel."""
        share = data.weight / data.weight.sum()
        mean = data.combination(share)
        squares, present, largest, farthest = np.zeros((4, data.d))
        _spread(data.rows, share, mean, squares, present, largest, farthest)
        squares += np.maximum(1.0 - present, 0.0) * mean**2  # the zeros that are not stored
        return cls(mean, np.sqrt(squares), largest, farthest, present, data.dense)

    def sizes(self) -> dict[str, np.ndarray]:
        """The sizes of the columns by every measure, the usual one first.

        That of a constant column is its value, or one where it is zero.
        """
        found = {"std": self.spread} if self.dense else {"geometric": np.sqrt(self.spread * self.largest)}
        if not self.dense:
            found["std"] = self.spread
        varied, flat = self.spread > FLAT * self.largest, np.where(self.largest > 0.0, self.largest, 1.0)
        return {name: np.where(varied, size, flat) for name, size in found.items()}

    def refuse_tiny(self) -> None:
        """An error if columns vary, but by so little that no square of it is a number."""
        if np.any(self.farthest > 0.0) and not np.any(self.spread > 0.0):
            raise ValueError(
                f"The largest number of X is {self.largest.max():.3g}, and its square underflows float64; "
                "scale the columns of X up first."
            )

    def usual(self) -> np.ndarray:
        """The sizes by the usual measure."""
        return next(iter(self.sizes().values()))

    def offsets(self, X: Any) -> np.ndarray:
        """A value of each column that lies far from zero beside its spread, zero for the others.

        Its size would swallow the digits of the scores. In sparse data such a column must be stored in full.
        """
        far = np.abs(self.mean) > FAR * self.spread
        if not self.dense:
            far &= self.present > 1.0 - FLAT
        return np.where(far, densified(X[:1])[0], 0.0)


def moved(X: Any, shift: np.ndarray) -> Any:
    """A copy of X with its columns moved, which changes no ranking; constant columns become zero."""
    if isinstance(X, np.ndarray):
        return X - shift.astype(X.dtype)
    X = X.copy()
    X.data -= shift[X.indices].astype(X.dtype)
    return X


def scaled(X: Any, sizes: np.ndarray) -> Any:
    """A copy of X with its columns divided by their sizes."""
    if isinstance(X, np.ndarray):
        return X / sizes.astype(X.dtype)
    X = X.copy()
    X.data /= sizes[X.indices].astype(X.dtype)
    return X


def used_columns(X: Any) -> np.ndarray | None:
    """The columns of a sparse X that hold anything, where that spares at least half of them; None otherwise."""
    if isinstance(X, np.ndarray) or not X.nnz or X.indices.min() < 0 or X.indices.max() >= X.shape[1]:
        return None  # a corrupt matrix is refused elsewhere
    used = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]))
    return used if 2 * len(used) <= X.shape[1] else None


def spread(values: np.ndarray, used: np.ndarray, d: int, empty: float) -> np.ndarray:
    """Values of some columns among those of all."""
    out = np.full((*values.shape[:-1], d), empty)
    out[..., used] = values
    return out
