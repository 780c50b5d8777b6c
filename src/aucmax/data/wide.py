"""CSV files of very many columns, for which an object and a converter of its own a column would be too much.

Columns of numbers are read together into a matrix. The cells of all others go to pyarrow, as a file of few columns.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from aucmax.data.blocks import WideBatch, WideColumns
from aucmax.data.errors import DataError
from aucmax.data.files import MARK, Block, blocks, opened
from aucmax.data.optional import arrow
from aucmax.data.told import Told
from aucmax.kernel import cells as kernel

NULLS = ["", "?", "NA", "N/A", "#N/A", "n/a", "NaN", "nan", "-nan", "NULL", "null", "None", "<NA>"]
INFINITE = ["inf", "Inf", "INF", "infinity", "Infinity"]
SCANNED = 2**30  # bytes that tell which columns hold numbers
FIRST_READ = 2**20  # bytes read at a time in search of its end
LONGEST_HEAD = 2**26  # bytes of the line of names
SHORTEST_HARD = 20  # bytes of a number that is left to Python


def first_line(path: Path, max_bytes: int | None = None) -> bytes:
    """The first line of a file, without its end."""
    found, chunk = bytearray(), bytearray(FIRST_READ)
    with opened(path, max_bytes) as file:
        while len(found) < LONGEST_HEAD:
            more = file.readinto(chunk)
            end = chunk.find(b"\n", 0, more)
            found += chunk[: end if end >= 0 else more]
            if end >= 0 or more < len(chunk):
                return bytes(found)
    raise DataError(
        f"a first line of more than {LONGEST_HEAD >> 20} MiB, expected the names of the columns; is this a table?",
        path,
        1,
    )


def words() -> kernel.Words:
    """What stands for missing and infinite numbers."""
    known = dict.fromkeys(NULLS, np.nan)
    for text in INFINITE:
        known |= {text: np.inf, f"+{text}": np.inf, f"-{text}": -np.inf}
    letters = np.zeros((len(known), max(map(len, known))), dtype=np.uint8)
    for k, text in enumerate(known):
        letters[k, : len(text)] = list(text.encode())
    return kernel.Words(letters, np.array([len(text) for text in known]), np.array(list(known.values())))


class WideFile:
    """A CSV file of very many columns.

    Parameters
    ----------
    path
        The file.
    head
        Its first line.
    delimiter
        Between cells.
    texts
        Columns to be read as text whatever they look like.
    block
        Bytes to be taken at a time, at least a few lines.
    max_bytes
        To which a compressed file may unpack.
    """

    def __init__(
        self, path: Path, head: bytes, delimiter: str, texts: list[str], block: int, max_bytes: int | None = None
    ) -> None:
        self.path, self.delimiter, self.block, self.max_bytes = path, delimiter, block, max_bytes
        names = self._names(head)
        given = set(texts)
        self.texts = [name for name in names if name in given]
        self.columns = self._placed(names, given)
        strange = self._scanned()
        if strange.any():
            self.columns = self._placed(names, given | {names[k] for k in np.flatnonzero(strange)})
        self.others = [names[k] for k in np.flatnonzero(self.columns.places < 0)]
        self.types: dict[str, Any] | None = None

    def _names(self, head: bytes) -> list[str]:
        try:
            text = head.removeprefix(MARK).rstrip(b"\r").decode()
            names = next(csv.reader([text], delimiter=self.delimiter, strict=True))
        except (UnicodeDecodeError, csv.Error) as error:
            raise DataError(
                f"the names of the columns cannot be read ({error}); expected UTF-8", self.path, 1
            ) from None
        if not names:
            raise DataError("an empty line, expected the names of the columns", self.path, 1)
        return names

    def _placed(self, names: list[str], texts: set[str]) -> WideColumns:
        is_text = np.array([name in texts for name in names]) if texts else np.zeros(len(names), dtype=bool)
        return WideColumns(names, np.where(is_text, -np.cumsum(is_text), np.cumsum(~is_text) - 1))

    def _scanned(self) -> np.ndarray:
        """For every column, how many cells are no numbers."""
        strange = np.zeros(len(self.columns.names), dtype=np.int64)
        for block, found, _ in self._blocks():
            strange += np.where(self.columns.places >= 0, found.strange, 0)
            if block.start > SCANNED:
                break
        return strange

    def _blocks(self) -> Iterator[tuple[Block, kernel.Cells, int]]:
        """Blocks of the file, what is in their cells, and the lines before each."""
        known, lines = words(), 0
        count = int(np.count_nonzero(self.columns.places >= 0))
        with opened(self.path, self.max_bytes) as file:
            for block in blocks(file, self.block, 1):
                begin = block.buffer.find(b"\n") + 1 if block.start == 0 else 0
                text = np.frombuffer(block.buffer, dtype=np.uint8)[begin : block.size]
                d = len(self.columns.names)
                rows = min(block.buffer.count(b"\n", begin, block.size), len(text) // d + 1)  # others are blank
                hard = np.empty((len(text) // SHORTEST_HARD + 1, 4), dtype=np.int64)
                spans = np.empty((rows, d - count, 2), dtype=np.int64)
                strange, state = np.zeros(d, dtype=np.int64), np.zeros(8, dtype=np.int64)
                found = kernel.Cells(self.columns.places, np.empty((rows, count)), spans, strange, hard, state)
                kernel.read_cells(text, len(text), known, ord(self.delimiter), found)
                lines += block.start == 0
                self._check(found, lines)
                for row, place, first, last in hard[: state[2]].tolist():
                    found.numbers[row, place] = float(bytes(text[first:last]))
                yield Block(block.buffer, block.size, block.start + begin), found, begin
                lines += int(state[1])

    def _check(self, found: kernel.Cells, lines: int) -> None:
        _, _, _, fault, line, count = found.state[:6].tolist()
        if fault == kernel.UNCLOSED:
            raise DataError(
                "a quoted value that goes on in the next line; expected its end in the same line in a table of so many "
                "columns: take the line's end out of it",
                self.path,
                lines + line + 1,
            )
        if fault:
            more = "at least " if fault == kernel.TOO_MANY else ""
            names = len(self.columns.names)
            raise DataError(f"{more}{count:,} cells; expected {names:,}, as in line 1", self.path, lines + line + 1)

    def batches(self) -> Iterator[WideBatch]:
        """The rows, block by block."""
        for block, found, begin in self._blocks():
            rows = int(found.state[0])
            if found.state[6] >= 0:
                name = self.columns.names[int(found.state[7])]
                raise DataError(
                    f"column {name!r} begins as numbers, but holds something else further on; correct the value, or "
                    "name the column as categorical",
                    self.path,
                )
            if rows:
                rest = self._rest(block, found.spans[:rows] + begin) if self.others else None
                yield WideBatch(self.columns, found.numbers[:rows], rest)

    def _rest(self, block: Block, spans: np.ndarray) -> Any:
        """The columns that are not of numbers, by pyarrow; their types are those of the first block."""
        reader, pa = arrow(".csv"), arrow()
        text, between = memoryview(block.buffer), self.delimiter.encode()
        lines = (between.join(bytes(text[a:b]).rstrip(b"\r") for a, b in row) for row in spans.tolist())
        small = b"".join(line + b"\n" for line in lines)
        types = dict.fromkeys(self.texts, pa.string()) if self.types is None else self.types
        read = reader.ReadOptions(column_names=self.others, block_size=len(small) + 1)
        parse = reader.ParseOptions(delimiter=self.delimiter, ignore_empty_lines=False)
        convert = reader.ConvertOptions(column_types=types, null_values=NULLS, strings_can_be_null=True)
        with Told(str(self.path), self.others):
            found = reader.read_csv(io.BytesIO(small), read, parse, convert)
        if found.num_rows != len(spans):
            raise DataError("a carriage return inside a line; expected lines that end in \\n or \\r\\n", self.path)
        if self.types is None:
            self.types = {field.name: _settled(field.type) for field in found.schema}
            found = found.cast(pa.schema(list(self.types.items())))
        return found.combine_chunks().to_batches()[0]


def _settled(kind: Any) -> Any:
    """The type of a column that is known to hold more than numbers, by that of its first values."""
    types = arrow().types
    alike = types.is_boolean(kind) or types.is_date(kind) or types.is_timestamp(kind)
    return kind if alike else arrow().string()
