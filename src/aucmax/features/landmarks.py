"""Landmarks: the centres of k-means on a sample of the rows, and the spread of the rows.

Lloyd's iterations with one matrix product a block. k-means++ would cost more than all of them: the start is at random,
from distinct rows. A centre that no row is nearest to stays where it is.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp

from aucmax.features.gaussian import block_rows

BLOCK = 4096  # rows
ROWS_PER_CENTRE = 10
LARGEST_DENSE_SAMPLE = 2**24  # numbers; a sparse sample of up to so many is made dense, as the products are then faster


def spread(X: Any, n: int) -> float:
    """The mean squared distance of the first n rows to their mean, without the columns that differ by rounding only."""
    blocks = [slice(start, min(start + BLOCK, n)) for start in range(0, n, BLOCK)]
    origin, mean, variance = np.zeros((3, X.shape[1]))
    with np.errstate(over="ignore", invalid="ignore"):
        for where in blocks:
            mean += _column_sums(X[where], origin) / n
        for where in blocks:
            variance += _column_sums(X[where], mean, squared=True) / n
        rounding = n * np.finfo(np.float64).eps * np.abs(mean)
        b = float(np.sum(variance, where=~(np.sqrt(variance) <= rounding)))
    if not np.isfinite(b):
        raise ValueError("The squared distances of the rows of X overflow float64; scale the columns of X down first.")
    return b


def _column_sums(block: Any, origin: np.ndarray, *, squared: bool = False) -> np.ndarray:
    """Column sums of the differences from an origin, or of their squares."""
    power = 2 if squared else 1
    if isinstance(block, np.ndarray):
        return np.asarray(((block - origin) ** power).sum(axis=0))
    d = len(origin)
    stored = np.bincount(block.indices, minlength=d)
    sums = np.bincount(block.indices, (block.data - origin[block.indices]) ** power, minlength=d)
    return np.asarray(sums + (block.shape[0] - stored) * (-origin) ** power)


def landmarks(X: Any, count: int, sample_size: int | None, iterations: int, rng: Any) -> np.ndarray:
    """So many centres of k-means, float64; the distinct rows of X, in their order, where these are no more."""
    order = rng.permutation(X.shape[0])
    first = _first_distinct(X, order, count + 1)
    if len(first) <= count:
        if len(first) < count:
            warnings.warn(
                f"n_components={count} > {len(first)}, the number of distinct rows of X. The distinct rows are the "
                f"landmarks, n_components_ is {len(first)}, and the kernel is exact on these rows.",
                stacklevel=3,
            )
        return _dense(X[np.sort(first)]).astype(np.float64)
    sample = X[np.sort(order[: ROWS_PER_CENTRE * count if sample_size is None else sample_size])]
    return _lloyd(sample, _dense(X[first[:count]]), iterations)


def _dense(rows: Any) -> np.ndarray:
    return np.asarray(rows if isinstance(rows, np.ndarray) else rows.toarray())


def _first_distinct(X: Any, order: np.ndarray, count: int) -> np.ndarray:
    """The first rows, in an order, that differ from those before; as many as there are, up to a count."""
    seen: dict[bytes, int] = {}
    for i in order:
        seen.setdefault(_key(X, int(i)), int(i))
        if len(seen) == count:
            break
    return np.fromiter(seen.values(), dtype=np.intp, count=len(seen))


def _key(X: Any, i: int) -> bytes:
    """Bytes that equal rows share; adding 0 turns -0 into 0."""
    if isinstance(X, np.ndarray):
        return bytes((X[i] + 0.0).tobytes())
    span = slice(X.indptr[i], X.indptr[i + 1])
    kept = X.data[span] != 0.0
    return bytes(X.indices[span][kept].tobytes() + X.data[span][kept].tobytes())


def _lloyd(sample: Any, centres: np.ndarray, iterations: int) -> np.ndarray:
    """Lloyd's iterations in float32, on rows shifted and scaled so that float32 holds them."""
    if sample.shape[0] * sample.shape[1] <= LARGEST_DENSE_SAMPLE:
        sample = _dense(sample)
    unit = np.sqrt(spread(sample, sample.shape[0])) or 1.0
    if isinstance(sample, np.ndarray):
        origin = sample.mean(axis=0, dtype=np.float64)
        S: Any = np.empty(sample.shape, dtype=np.float32)
        for start in range(0, len(S), BLOCK):
            S[start : start + BLOCK] = (sample[start : start + BLOCK] - origin) / unit
    else:
        origin = np.zeros(sample.shape[1])
        S = (sample / unit).astype(np.float32)
    C = ((centres - origin) / unit).astype(np.float32)
    labels = None
    for _ in range(iterations):
        before, labels = labels, _nearest(S, C)
        if before is not None and np.array_equal(before, labels):
            break
        C = _means(S, labels, C)
    return np.asarray(C.astype(np.float64) * unit + origin)


def _nearest(S: Any, C: np.ndarray) -> np.ndarray:
    """For each row the centre with the largest x·c - |c|²/2."""
    n, m = S.shape[0], len(C)
    labels = np.empty(n, dtype=np.intp)
    half = 0.5 * np.einsum("ij,ij->i", C, C)
    size = block_rows(m, C.dtype)
    for start in range(0, n, size):
        gain = S[start : start + size] @ C.T
        gain -= half
        np.argmax(gain, axis=1, out=labels[start : start + size])
    return labels


def _means(S: Any, labels: np.ndarray, C: np.ndarray) -> np.ndarray:
    n, m = S.shape[0], len(C)
    members = sp.csr_matrix((np.ones(n, dtype=C.dtype), labels, np.arange(n + 1)), shape=(n, m))
    sums = members.T @ S
    counts = np.bincount(labels, minlength=m).astype(C.dtype)[:, None]
    return np.where(counts > 0, _dense(sums) / np.maximum(counts, 1), C)
