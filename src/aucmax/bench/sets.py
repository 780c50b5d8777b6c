"""The sets of a suite: their files, their labels made two, and their rows as the paper scales them."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from aucmax.bench.suite import Entry
from aucmax.data.libsvm import read_libsvm
from aucmax.data.registry import fetch, found, set_of

DENSE_SHARE = 0.2  # of entries that are not zero, from which on rows are stored dense
WIDE = 1000  # columns from which on sparse rows stay sparse


class Problem(NamedTuple):
    """All rows of a set, its labels as 1 and 0, and how many at its end are the given test part."""

    X: Any
    y: np.ndarray
    given: int = 0

    @property
    def stored(self) -> int:
        """The numbers of its rows, zeros of sparse ones left out."""
        return int(self.X.size)


def present(entry: Entry, data_dir: Any = None) -> bool:
    """Whether all files of a set are at hand."""
    return all(found(name, data_dir) is not None for name in files_of(entry))


class Files(NamedTuple):
    """The rows of a set's files, sparse, their labels as they stand there, and how many rows are the test file's."""

    X: Any
    labels: np.ndarray
    given: int


def files_of(entry: Entry) -> tuple[str, ...]:
    """The files of a set, which several suites may share."""
    return (*entry.files, *([entry.test] if entry.test else []))


def size_of(entry: Entry) -> int:
    """How large a set is: its numbers, were it dense."""
    return sum(set_of(name).rows for name in files_of(entry)) * max(set_of(name).columns for name in files_of(entry))


def read(entry: Entry, data_dir: Any = None) -> Files:
    """Read the files of a set."""
    names = files_of(entry)
    width = max(set_of(name).columns for name in names)
    tables = [read_libsvm(fetch(name, data_dir=data_dir), n_features=width) for name in names]
    X = sp.vstack([table.X for table in tables]).tocsr() if len(tables) > 1 else tables[0].X
    labels = [np.asarray(table.y) for table in tables]
    return Files(X, np.concatenate(labels), len(labels[-1]) if entry.test else 0)


def problem_of(files: Files, entry: Entry) -> Problem:
    """The problem of a suite: dense where few entries are zero or all will be filled, sparse otherwise."""
    X, width = files.X, files.X.shape[1]
    dense = X.nnz > DENSE_SHARE * X.shape[0] * width or (entry.rows == "centred" and width <= WIDE)
    X = X.toarray() if dense else sp.csr_matrix(X, dtype=float)
    return Problem(X, two_labels(files.labels, entry), files.given)


def load(entry: Entry, data_dir: Any = None) -> Problem:
    """Read the problem of a suite."""
    return problem_of(read(entry, data_dir), entry)


def two_labels(y: np.ndarray, entry: Entry) -> np.ndarray:
    """Labels as 1 and 0 by the rule of a set."""
    classes = np.unique(y)
    if len(classes) == 2:
        chosen = classes[1:]
    elif entry.labels == "random halves":
        rng = np.random.default_rng(zlib.crc32(entry.name.encode()))
        chosen = rng.permutation(classes)[: len(classes) // 2]
    elif entry.labels == "even against odd":
        chosen = classes[classes % 2 == 0]
    elif entry.labels == "first half":
        chosen = classes[: len(classes) // 2]
    else:
        chosen = np.array([float(entry.labels.split()[0])])  # "2 against the rest"
    return np.isin(y, chosen).astype(np.int8)


def scaled(entry: Entry, parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """The rows of all parts, columns first, as those of the first part tell, then every row by itself."""
    columns = _columns(entry.columns, parts[0])
    return tuple(_rows(entry.rows, columns(X)) if X.shape[0] else X for X in parts)


def _columns(how: str, train: Any) -> Callable[[Any], Any]:
    """Columns onto [-1, 1] or [0, 1], or divided by their largest value, so that zeros stay zeros."""
    if how == "as they are":
        return lambda X: X
    if how not in ("range", "zero to one", "largest"):
        raise ValueError(f"columns={how!r}: expected 'range', 'zero to one', 'largest' or 'as they are'")
    if not isinstance(train, np.ndarray):
        top = abs(train).max(axis=0).toarray().ravel()
        scale: Any = sp.diags(1.0 / np.where(top > 0.0, top, 1.0))
        return lambda X: (X @ scale).tocsr()
    low, high = train.min(axis=0), train.max(axis=0)
    middle, half = (low + high) / 2.0, (high - low) / 2.0
    if how == "largest":
        middle, half = np.zeros_like(middle), np.maximum(np.abs(low), np.abs(high))
    elif how == "zero to one":
        middle, half = low, high - low
    half = np.where(half > 0.0, half, 1.0)
    return lambda X: (X - middle) / half


def _rows(how: str, X: Any) -> Any:
    """Rows divided by their norm, after taking their mean off or not.

    Sparse rows in high dimension are not centred: their means are next to nothing, and all entries would have to be
    stored.
    """
    if how == "as they are":
        return X
    if how not in ("unit", "centred"):
        raise ValueError(f"rows={how!r}: expected 'unit', 'centred' or 'as they are'")
    dense = isinstance(X, np.ndarray)
    norms = np.sqrt(np.einsum("ij,ij->i", X, X) if dense else np.asarray(X.multiply(X).sum(axis=1)).ravel())
    norms[norms == 0.0] = 1.0
    if not dense:
        scale: Any = sp.diags(1.0 / norms)
        return (scale @ X).tocsr()
    return (X - X.mean(axis=1, keepdims=True) if how == "centred" else X) / norms[:, None]
