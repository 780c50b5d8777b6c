"""The Gaussian kernel between rows and centres, a block of rows at a time, by one matrix product a block.

    k(x, c) = exp(-γ|x - c|²),   -γ|x - c|² = 2z·u - |z|² - |u|²,   z = √γ(x - o),   u = √γ(c - o)

The origin o is the mean of the centres: without it the three terms of rows far from zero would cancel, which float32
shows. The norms ride along as two more columns, (z, |z|², 1)·(2u, -1, -|u|²), so that a block is written once by the
product and is then changed in place only. Sparse rows are not shifted: their product is taken in float64 instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

BLOCK_BYTES = 2**21  # of a block of kernel values: it stays in the cache from one operation to the next
FEWEST_ROWS = 64  # of a block, below which a matrix product is slow


class Centres(NamedTuple):
    """Centres as they enter the products."""

    origin: np.ndarray  # (d,), float64
    root_gamma: float
    table: np.ndarray  # (d + 2, m), in the dtype of the kernel values

    @classmethod
    def of(cls, centres: np.ndarray, gamma: float, dtype: Any, *, shifted: bool) -> Centres:
        """Centres for rows that are dense (shifted) or sparse."""
        origin = centres.mean(axis=0) if shifted else np.zeros(centres.shape[1])
        root_gamma = float(np.sqrt(gamma))
        u = (centres - origin) * root_gamma
        sqnorm = np.einsum("ij,ij->i", u, u)
        _refuse_overflow(sqnorm, dtype, "landmark")
        table = np.vstack([2.0 * u.T, -np.ones(len(u)), -sqnorm])
        return cls(origin, root_gamma, table.astype(dtype if shifted else np.float64))


def block_rows(columns: int, dtype: Any) -> int:
    """How many rows of so many columns make a block."""
    return max(FEWEST_ROWS, BLOCK_BYTES // (columns * int(np.dtype(dtype).itemsize)))


def kernel_blocks(X: Any, centres: Centres, dtype: Any) -> Iterator[tuple[slice, np.ndarray]]:
    """The kernel of the rows of X with the centres, as (which rows, values); the next block takes the place of one."""
    n, m = X.shape[0], centres.table.shape[1]
    size = min(n, block_rows(m, dtype))
    values = np.empty((size, m), dtype=dtype)
    rows = np.ones((size, centres.table.shape[0]), dtype=dtype) if isinstance(X, np.ndarray) else None
    # half of the smallest normal number's logarithm: products with such a value are no denormals, which are slow
    lowest = np.log(np.finfo(dtype).tiny) / 2
    for start in range(0, n, size):
        where = slice(start, min(start + size, n))
        block = values[: where.stop - start]
        if rows is None:
            np.clip(_sparse_exponents(X[where], centres, start), lowest, 0.0, out=block, casting="same_kind")
        else:
            _dense_exponents(X[where], centres, rows[: len(block)], block, start)
            np.clip(block, lowest, 0.0, out=block)
        yield where, np.exp(block, out=block)


def _dense_exponents(X: np.ndarray, centres: Centres, rows: np.ndarray, out: np.ndarray, start: int) -> None:
    z = rows[:, :-2]
    with np.errstate(over="ignore"):
        shifted = X - centres.origin  # in float64, and scaled there, lest the units of X be beyond float32
        np.multiply(shifted, centres.root_gamma, out=z, casting="same_kind")
        np.einsum("ij,ij->i", z, z, out=rows[:, -2])
    _refuse_overflow(rows[:, -2], rows.dtype, "row", start)
    np.matmul(rows, centres.table, out=out)


def _sparse_exponents(X: Any, centres: Centres, start: int) -> np.ndarray:
    z = X.astype(np.float64) * centres.root_gamma
    with np.errstate(over="ignore"):
        sqnorm = np.asarray(z.multiply(z).sum(axis=1)).ravel()
    _refuse_overflow(sqnorm, np.float64, "row", start)
    exponents = np.asarray(z @ centres.table[:-2])
    exponents += centres.table[-1]
    exponents -= sqnorm[:, None]
    return exponents


def _refuse_overflow(sqnorm: np.ndarray, dtype: Any, what: str, start: int = 0) -> None:
    """Refuse rows for which the terms of the exponent, or their sum, would not be finite."""
    far = ~(sqnorm < np.finfo(dtype).max / 8)
    if np.any(far):
        raise ValueError(
            f"{what} {start + int(np.argmax(far))} is so far from the landmarks' mean that its squared distance "
            f"overflows {np.dtype(dtype).name}; scale the columns of X first, remove the outlier"
            + (", or set dtype='float64'." if np.dtype(dtype) == np.float32 else ".")
        )
