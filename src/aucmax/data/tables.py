"""Tables by pyarrow: CSV, TSV, Parquet, Arrow and Feather files, data frames, as batches of columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from aucmax.data.errors import DataError, named
from aucmax.data.files import compression, existing, opened
from aucmax.data.ipc import IpcTable
from aucmax.data.limits import Bound
from aucmax.data.optional import arrow
from aucmax.data.told import Told
from aucmax.data.validated import validated
from aucmax.data.wide import NULLS, WideFile, first_line

CSV_BLOCK = 2**23  # bytes; the types of the columns are those of the first block
MOST_COLUMNS = 2**21  # of a CSV file; their names and rules take a gigabyte
WIDEST = 10_000  # columns that pyarrow is given; it takes seconds and gigabytes for very many
BATCH = 2**16  # rows of a batch, at most
BATCH_VALUES = 2**19  # values of a Parquet batch: as numbers they fit the cache, however wide the table is
FEWEST_ROWS = 2**10
PAGE_BUFFER = 2**16  # bytes of a column read at a time: without it a whole row group lies in memory


def is_frame(source: Any) -> bool:
    """Whether an object offers its columns through the Arrow or the data frame interface."""
    return any(hasattr(source, name) for name in ("__arrow_c_stream__", "__arrow_c_array__", "__dataframe__"))


class Batches:
    """A table that can be gone through more than once, batch by batch.

    Parameters
    ----------
    source : path or data frame
        A file whose suffix names its format, or an object with the Arrow or the data frame interface.
    kind : {"csv", "tsv", "parquet", "arrow", "frame"}
        What it is.
    texts : list of str
        Columns of a CSV file to be read as text whatever they look like.
    max_bytes : int, optional
        The most bytes that compressed text, or a batch of the table, may take in memory.

    Attributes
    ----------
    names : list of str
        The columns.
    """

    def __init__(self, source: Any, kind: str, texts: list[str], max_bytes: int | None = None) -> None:
        self.source, self.kind, self.texts, self.max_bytes = source, kind, texts, max_bytes
        self.path = named(source)
        self.bound = Bound(None if kind == "frame" else existing(source), max_bytes)
        open_batches = {"csv": _csv, "tsv": _csv, "parquet": _parquet, "arrow": _ipc, "frame": _frame}[kind]
        with self.told(reading=True):
            self.names, self._batches, self.groups = open_batches(self)
        twice = sorted(name for name, count in Counter(self.names).items() if count > 1)
        if twice:
            raise DataError(f"columns of the same name: {twice}; expected each name once", self.path)

    def __iter__(self) -> Iterator[Any]:
        return self.taken(None)

    def taken(self, order: np.ndarray | None) -> Iterator[Any]:
        """The batches, in a given order of the row groups where the format has such."""
        with self.told(reading=True):
            yield from self._batches(order)

    def told(self, *, reading: bool = False) -> Any:
        """A context in which the errors of pyarrow become ours, where batches are read or just used."""
        return Told(self.path, self.names if hasattr(self, "names") else [], reading)


Reader = tuple[list[str], Callable[[np.ndarray | None], Iterator[Any]], int]


def _csv(table: Batches) -> Reader:
    csv, pa = arrow(".csv"), arrow()
    path = existing(table.source)
    if path.stat().st_size == 0:
        raise DataError("the file is empty; expected a line with the names of the columns, then rows", path)

    delimiter, head = "\t" if table.kind == "tsv" else ",", first_line(path, table.max_bytes)
    block = max(CSV_BLOCK, 4 * len(head))
    columns = head.count(delimiter.encode()) + 1
    if columns > MOST_COLUMNS:
        raise DataError(f"{columns:,} columns, expected at most {MOST_COLUMNS:,}; is this a table?", path, 1)
    if columns > WIDEST:
        wide = WideFile(path, head, delimiter, table.texts, block, table.max_bytes)
        return wide.columns.names, lambda order: wide.batches(), 1

    def begin(types: dict[str, Any]) -> Any:
        file = opened(path, table.max_bytes) if compression(path) else path
        convert = csv.ConvertOptions(column_types=types, null_values=NULLS, strings_can_be_null=True)
        parse = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
        return csv.open_csv(file, csv.ReadOptions(block_size=block, use_threads=False), parse, convert)

    with begin(dict.fromkeys(table.texts, pa.string())) as reader:
        schema = reader.schema
    types = {field.name: _settled(field.type) for field in schema}

    def batches(order: np.ndarray | None) -> Iterator[Any]:
        with begin(types) as reader:
            yield from reader

    return list(schema.names), batches, 1


def _settled(kind: Any) -> Any:
    """The type of a CSV column, by that of its first values: later whole numbers may turn out to be fractions."""
    pa = arrow()
    if pa.types.is_integer(kind):
        return pa.float64()
    return pa.string() if pa.types.is_null(kind) else kind


def _parquet(table: Batches) -> Reader:
    parquet, types, bound = arrow(".parquet"), arrow().types, table.bound
    path = str(existing(table.source))
    with parquet.ParquetFile(path) as file:
        schema, groups = file.schema_arrow, file.metadata.num_row_groups
    names = list(schema.names)
    texts = [field.name for field in schema if types.is_string(field.type) or types.is_large_string(field.type)]
    size = min(BATCH, max(FEWEST_ROWS, BATCH_VALUES // max(len(names), 1)))

    def batches(order: np.ndarray | None) -> Iterator[Any]:
        # texts stay in dictionaries as they are in the file, until it is known how much room they take
        with parquet.ParquetFile(path, read_dictionary=texts, pre_buffer=False, buffer_size=PAGE_BUFFER) as file:
            rows, number = range(groups) if order is None else order.tolist(), 0
            for group in rows:
                bound.check(file.metadata.row_group(group).total_byte_size, f"row group {group + 1}: columns")
                for batch in file.iter_batches(size, row_groups=[group], use_threads=False):
                    yield validated(batch, bound, number)
                    number += 1

    return names, batches, groups


def _ipc(table: Batches) -> Reader:
    found = IpcTable(existing(table.source), table.bound)
    return found.names, found.batches, found.groups


def _frame(table: Batches) -> Reader:
    pa, source = arrow(), table.source
    if hasattr(source, "__arrow_c_stream__"):
        whole = pa.RecordBatchReader.from_stream(source).read_all()
    elif hasattr(source, "__arrow_c_array__"):
        whole = pa.Table.from_batches([pa.record_batch(source)])
    else:
        whole = arrow(".interchange").from_dataframe(source)
    names = [name for name in whole.schema.names if not re.fullmatch(r"__index_level_\d+__", name)]
    whole = whole.select(names)

    def batches(order: np.ndarray | None) -> Iterator[Any]:
        yield from whole.to_batches(max_chunksize=BATCH)

    return list(names), batches, 1


def column_at(names: list[str], target: str | int, path: str) -> int:
    """The position of a column given by name or position."""
    if isinstance(target, str) and target in names:
        return names.index(target)
    position = int(target) if isinstance(target, int) or re.fullmatch(r"-?\d+", target) else None
    if position is not None and -len(names) <= position < len(names):
        return position % len(names)
    shown = ", ".join(map(repr, names[:12])) + (", ..." if len(names) > 12 else "")
    raise DataError(f"no column {target!r}; seen {shown}", path)


def suffix_of(path: Path) -> str:
    """The suffix that names the format, that of the compression aside."""
    suffixes = [s.lower() for s in path.suffixes]
    while suffixes and suffixes[-1] in (".gz", ".bz2", ".xz", ".zst"):
        suffixes.pop()
    return suffixes[-1] if suffixes else ""
