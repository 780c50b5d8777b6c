"""Rows of several parts, one after another, in arrays whose memory is used again."""

from __future__ import annotations

from typing import Any

import numpy as np

MOST_RESERVED = 2**26  # bytes; where memory is limited, what is reserved counts


class Filled:
    """An array filled from its beginning; emptied, it keeps its memory, since new pages cost as much as a copy."""

    def __init__(self, usual: int) -> None:
        self.usual = min(usual, MOST_RESERVED)  # bytes; reserved at once, resident only as far as they are used
        self.array: np.ndarray | None = None
        self.size = 0

    def extend(self, more: np.ndarray) -> None:
        """Append an array."""
        end = self.size + len(more)
        known = self.array
        kind = more.dtype if known is None else np.result_type(known, more)
        if known is None or end > len(known) or kind != known.dtype or known.shape[1:] != more.shape[1:]:
            usual = len(more) + self.usual * len(more) // max(more.nbytes, 1)
            grown: np.ndarray = np.empty((max(end + end // 4 if self.size else end, usual), *more.shape[1:]), kind)
            if known is not None and self.size:
                grown[: self.size] = known[: self.size]
            self.array = known = grown
        known[self.size : end] = more
        self.size = end

    @property
    def content(self) -> np.ndarray:
        """What is in it; overwritten once it is emptied."""
        return np.empty(0) if self.array is None else self.array[: self.size]


class Pool:
    """Rows that are shuffled together, usually about so many bytes of them, and their labels."""

    def __init__(self, usual: int) -> None:
        self.entries, self.indices = Filled(usual), Filled(usual)
        self.empty()

    def empty(self) -> None:
        """Let go of the rows, not of the memory."""
        self.entries.size = self.indices.size = self.rows = self.bytes = 0
        self.ends: list[np.ndarray] = [np.zeros(1, dtype=np.int64)]
        self.labels: list[np.ndarray] = []
        self.canonical = True
        self.kind: Any = None
        self.columns = 0

    def add(self, X: Any, y: np.ndarray | None) -> None:
        """Copy some rows into it."""
        self.kind, self.columns = type(X), X.shape[1]
        if y is not None:
            self.labels.append(y)
        self.rows += X.shape[0]
        self.bytes += size_of(X)
        if isinstance(X, np.ndarray):
            self.entries.extend(X)
            return
        self.canonical = self.canonical and bool(X.has_canonical_format)
        self.ends.append(X.indptr[1:] + np.int64(self.entries.size))
        self.entries.extend(X.data)
        self.indices.extend(X.indices)

    @property
    def matrix(self) -> Any:
        """All rows, without a copy; they last until the pool is emptied."""
        if self.kind is np.ndarray:
            return self.entries.content
        data, indices = self.entries.content, self.indices.content
        indptr = np.concatenate(self.ends)
        if len(data) < 2**31:
            indptr = indptr.astype(indices.dtype)
        return self.kind((data, indices, indptr), shape=(self.rows, self.columns), copy=False)

    def taken(self, matrix: Any, at: np.ndarray) -> Any:
        """A copy of some rows of the matrix."""
        if isinstance(matrix, np.ndarray):
            return matrix.take(at, axis=0)
        X = matrix[at]
        if self.canonical:  # so are some of its rows; nobody need look again
            X.has_canonical_format = True
        return X


def size_of(X: Any) -> int:
    """The bytes of a matrix."""
    return int(X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)
