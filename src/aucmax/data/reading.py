"""One function for every format."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from aucmax.data.encode import TableEncoder
from aucmax.data.errors import DataError, named
from aucmax.data.files import existing, kind_by
from aucmax.data.labels import labels_of, relabelled
from aucmax.data.libsvm import read_libsvm
from aucmax.data.npz import read_npz
from aucmax.data.pool import size_of
from aucmax.data.table import Table
from aucmax.data.tables import Batches, column_at, is_frame, suffix_of

FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".ipc": "arrow",
    ".feather": "arrow",
    ".npz": "npz",
}
SIGNATURES = {b"PAR1": "parquet", b"ARROW1": "arrow", b"FEA1": "arrow", b"PK\x03\x04": "npz"}
TABLES = ("csv", "tsv", "parquet", "arrow", "frame")


def read(
    source: Any,
    *,
    target: str | int | None = None,
    positive: Any = None,
    encoder: TableEncoder | None = None,
    format: str | None = None,  # noqa: A002
    max_bytes: int | None = None,
    **options: Any,
) -> Table:
    """Read labelled rows from a file or a data frame.

    Parameters
    ----------
    source : path or data frame
        LIBSVM or SVMlight text (plain, gz, bz2, xz, zst) and npz; with the extra ``tables`` also CSV, TSV, Parquet,
        Arrow and Feather, and whatever has the Arrow or the data frame interface (pandas, polars, pyarrow, duckdb).
    target : str or int, optional
        The column of a table that holds the labels, by name or position (from 0, or from the end if negative). Without
        it, a table has no labels. In an npz file, the name of the member; "y" by default.
    positive : optional
        The positive class: its rows get the label 1, all others 0. By default labels stay as they are.
    encoder : TableEncoder, optional
        The rules by which columns become numbers; by default they are found on this table. Give those of the training
        rows with later ones.
    format : {"libsvm", "npz", "csv", "tsv", "parquet", "arrow"}, optional
        By default the suffix decides, then the first bytes; anything else is taken for LIBSVM text.
    max_bytes : int, optional
        The most bytes that the file may take in memory, its text unpacked or its rows as numbers; by default 250
        times the size of the file, at least 128 MiB. A file that would take more, such as one made to fill the memory,
        is an error. A data frame is not bounded.
    **options
        Of :func:`read_libsvm` for such text: ``n_features``, ``zero_based``, ``dtype``, ``n_jobs``.

    Returns
    -------
    Table
        ``X``, ``y``, ``names`` and ``encoder``.

    Raises
    ------
    DataError
        For a file that is not what it should be, with the place of the fault as far as it is known.

    Examples
    --------
    >>> import pandas as pd
    >>> from aucmax.data import read
    >>> frame = pd.DataFrame({"age": [31, None, 54], "plan": ["a", "b", "a"], "churn": ["no", "yes", "no"]})
    >>> table = read(frame, target="churn", positive="yes")
    >>> table.names
    ['age', 'age is missing', 'plan=a', 'plan is other']
    >>> table.X.tolist(), table.y.tolist()
    ([[31.0, 0.0, 1.0, 0.0], [42.5, 1.0, 0.0, 1.0], [54.0, 0.0, 1.0, 0.0]], [0, 1, 0])
    """
    kind = format_of(source, format)
    if kind == "libsvm":
        _refuse(source, target=target, encoder=encoder)
        table = read_libsvm(source, max_bytes=max_bytes, **options)
        return table._replace(y=relabelled(np.asarray(table.y), positive, named(source)))
    if options:
        raise TypeError(f"read() options {sorted(options)} are for LIBSVM text; this is {kind}")
    if kind == "npz":
        _refuse(source, encoder=encoder)
        table = read_npz(source, target="y" if target is None else str(target), max_bytes=max_bytes)
        return table if table.y is None else table._replace(y=relabelled(table.y, positive, named(source)))
    batches, label = table_batches(source, kind, target, encoder := encoder or TableEncoder(), max_bytes)
    with batches.told():
        return _read_table(batches, label, positive, encoder)


def format_of(source: Any, given: str | None) -> str:
    """The format of a source: as given, by its suffix, or by its first bytes."""
    if given is not None:
        if given not in {*FORMATS.values(), "libsvm"}:
            raise ValueError(f"format={given!r}: expected libsvm, {', '.join(sorted(set(FORMATS.values())))}.")
        return given
    if is_frame(source):
        return "frame"
    if not isinstance(source, str | Path):
        if hasattr(source, "read"):
            return "libsvm"
        raise TypeError(f"read({type(source).__name__}): expected a path or a data frame.")
    path = existing(source)
    kind = FORMATS.get(suffix_of(path))
    return kind or kind_by(path, SIGNATURES) or "libsvm"


def _refuse(source: Any, **given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise DataError(f"{name}={value!r} is for tables, but this file has no named columns", named(source))


def table_batches(
    source: Any, kind: str, target: str | int | None, encoder: TableEncoder, max_bytes: int | None = None
) -> tuple[Batches, str | None]:
    """The batches of a table, and the name of its target column."""
    texts = encoder.texts if hasattr(encoder, "rules_") else list(encoder.categorical)
    batches = Batches(source, kind, texts, max_bytes)
    return batches, None if target is None else batches.names[column_at(batches.names, target, batches.path)]


def fitted(
    encoder: TableEncoder, batches: Iterable[Any], names: list[str], label: str | None, path: str
) -> TableEncoder:
    """An encoder with rules: its own, or those found on the batches."""
    if hasattr(encoder, "rules_"):
        return encoder
    return encoder.fit(batches, [name for name in names if name != label], path)


def _read_table(batches: Batches, label: str | None, positive: Any, encoder: TableEncoder) -> Table:
    encoder = fitted(encoder, batches, batches.names, label, batches.path)
    layout, parts, labels, rows = encoder.layout(batches.path), [], [], 0
    for batch in batches:
        parts.append(layout.rows(batch, rows))
        batches.bound.take(size_of(parts[-1]), "rows as numbers:")
        if label is not None:
            labels.append(labels_of(batch.column(label), label, batches.path, rows))
        rows += batch.num_rows
    if not rows:
        raise DataError("no rows; expected some below the names of the columns", batches.path)
    X = parts[0] if len(parts) == 1 else (sp.vstack(parts, "csr") if encoder.sparse_ else np.concatenate(parts))
    y = relabelled(np.concatenate(labels), positive, batches.path) if label is not None else None
    return Table(X, y, names=list(encoder.names_), encoder=encoder)
