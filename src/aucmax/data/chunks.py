"""Files larger than memory: shuffled chunks, pass after pass, some rows held out for a running AUC."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import roc_auc_score

from aucmax.data.encode import TableEncoder
from aucmax.data.errors import DataError
from aucmax.data.labels import is_positive
from aucmax.data.pool import Pool
from aucmax.data.sources import Facts, Part, Source, source_of
from aucmax.data.table import Table

MOST_HELD_OUT = 20_000  # rows kept for the running AUC


def stream(
    source: Any,
    *,
    target: str | int | None = None,
    positive: Any = None,
    encoder: TableEncoder | None = None,
    format: str | None = None,  # noqa: A002
    chunk_rows: int = 4096,
    shuffle: bool = True,
    holdout: float = 0.0,
    buffer_bytes: int = 2**26,
    random_state: int = 0,
    **options: Any,
) -> Stream:
    """Read a file chunk by chunk, with bounded memory.

    Parameters
    ----------
    source, target, positive, encoder, format
        As in :func:`read`.
    chunk_rows : int, default=4096
        Rows of a chunk, at least 1.
    shuffle : bool, default=True
        Whether to shuffle: plain LIBSVM text by segments of a megabyte, Parquet and Arrow files by row groups, taken
        from anywhere in the file; the rows then within the buffer. A compressed or CSV file is read from its beginning,
        so that rows move only within the buffer.
    holdout : float, default=0
        The share of rows, at least 0 and below 1, that are kept out of all chunks; the same ones in every pass.
    buffer_bytes : int, default=64 MiB
        About the memory that the rows under way may take. A row group of a Parquet file is read in batches.
    random_state : int, default=0
        Seeds the order and the choice of held-out rows.
    **options
        ``max_bytes``, as in :func:`read`, which bounds the unpacked text of a file and each batch of a table; and
        those of :func:`read_libsvm`: ``n_features``, ``zero_based``, ``dtype``, ``n_jobs``.

    Returns
    -------
    Stream
        Go through it once for every pass. The first pass over a file whose columns, rules or classes are not known is
        preceded by one that finds them.

    Examples
    --------
    >>> import pandas as pd
    >>> from aucmax import SPAM
    >>> from aucmax.data import stream
    >>> frame = pd.DataFrame({"x": range(1000), "y": [0] * 500 + [1] * 500})
    >>> chunks, model = stream(frame, target="y", chunk_rows=100, holdout=0.1), SPAM()
    >>> for chunk in chunks:
    ...     model = model.partial_fit(chunk.X, chunk.y, classes=chunks.classes)
    >>> chunks.auc(model)
    1.0
    """
    if not chunk_rows >= 1 or not 0.0 <= holdout < 1.0 or not buffer_bytes >= 1:
        raise ValueError(
            f"stream(chunk_rows={chunk_rows!r}, holdout={holdout!r}, buffer_bytes={buffer_bytes!r}): expected at least "
            "one row, a share from 0 up to, not including, 1, and at least one byte."
        )
    found = source_of(source, target, encoder, format, options)
    return Stream(found, positive, int(chunk_rows), shuffle, float(holdout), int(buffer_bytes), int(random_state))


@dataclass
class Stream:
    """Chunks of a file; made by :func:`stream`.

    Attributes
    ----------
    passes : int
        Passes begun so far.
    rows : int
        Rows given out so far.
    """

    source: Source
    positive: Any
    chunk_rows: int
    shuffle: bool
    holdout: float
    buffer_bytes: int
    seed: int
    passes: int = 0
    rows: int = 0
    _facts: Facts | None = field(default=None, repr=False)
    _held: dict[tuple[int, ...], Part] = field(default_factory=dict, repr=False)

    @property
    def facts(self) -> Facts:
        """Rows, columns and labels of the file; found by a pass over it."""
        if self._facts is None:
            self._facts = self.source.facts()
        return self._facts

    @property
    def classes(self) -> np.ndarray:
        """The labels that chunks may hold."""
        return self.facts.classes if self.positive is None else np.array([0, 1])

    @property
    def encoder(self) -> TableEncoder | None:
        """The rules by which a table's columns become numbers."""
        self._prepare()
        return self.source.encoder

    def _prepare(self) -> None:
        if not self.source.ready:
            _ = self.facts

    def __iter__(self) -> Iterator[Table]:
        self._prepare()
        self.passes += 1
        rng = np.random.default_rng([self.seed, self.passes]) if self.shuffle else None
        for pool in _ahead(self._pools(rng)):
            X, y = pool.matrix, self._labels(pool.labels)
            order = np.arange(pool.rows) if rng is None else rng.permutation(pool.rows)
            for start in range(0, len(order), self.chunk_rows):
                at = order[start : start + self.chunk_rows]
                self.rows += len(at)
                label = None if y is None else y[at]
                yield Table(pool.taken(X, at), label, names=self.source.names, encoder=self.source.encoder)

    def _labels(self, found: list[np.ndarray]) -> np.ndarray | None:
        if not found:
            return None
        y = np.concatenate(found)
        return y if self.positive is None else is_positive(y, self.positive, self.source.path).astype(np.int64)

    def _pools(self, rng: np.random.Generator | None) -> Iterator[Pool]:
        """Rows, a third of the buffer at a time, in two pools by turns: one is filled while the other is in use."""
        # of its own, since this runs ahead in another thread
        order = None if rng is None else np.random.default_rng([self.seed, self.passes, 1])
        share = self.buffer_bytes // 3
        pool, other = Pool(share), Pool(share)
        for whole in self.source.parts(order):
            part = self._kept(whole)
            if part.X.shape[0]:
                pool.add(part.X, part.y)
            if pool.bytes > share:
                yield pool
                pool, other = other, pool
                pool.empty()
        if pool.rows:
            yield pool

    def _kept(self, part: Part) -> Part:
        """The rows of a part that are not held out."""
        if self.holdout == 0.0:
            return part
        out = np.random.default_rng([self.seed, *part.key]).random(part.X.shape[0]) < self.holdout
        if part.key not in self._held and sum(p.X.shape[0] for p in self._held.values()) < MOST_HELD_OUT:
            self._held[part.key] = _taken(part, out)
        return _taken(part, ~out)

    @property
    def held_out(self) -> Table:
        """The held-out rows met so far, at most about 20,000."""
        parts = [p for p in list(self._held.values()) if p.X.shape[0]]
        if not parts:
            raise DataError("no rows are held out; set holdout above 0 and take some chunks first", self.source.path)
        X: Any = sp.vstack([p.X for p in parts], "csr") if sp.issparse(parts[0].X) else np.vstack([p.X for p in parts])
        labels = self._labels([p.y for p in parts if p.y is not None])
        return Table(X, labels, names=self.source.names, encoder=self.source.encoder)

    def auc(self, model: Any) -> float:
        """The AUC of a model on the held-out rows met so far; NaN until they hold both classes."""
        X, y, *_ = self.held_out
        positive = y == model.classes_[1]
        if positive.all() or not positive.any():
            return float("nan")
        return float(roc_auc_score(positive, model.decision_function(X)))


def _ahead(items: Iterator[Any]) -> Iterator[Any]:
    """The same items, each made in another thread while the one before is in use."""
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = pool.submit(next, items, None)
            yield item


def _taken(part: Part, rows: np.ndarray) -> Part:
    return part._replace(X=part.X[rows], y=None if part.y is None else part.y[rows])
