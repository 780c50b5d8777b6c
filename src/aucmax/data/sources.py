"""Files as blocks of rows that can be taken in any order, as far as a format allows, and again and again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from aucmax.data.encode import TableEncoder
from aucmax.data.errors import DataError, named
from aucmax.data.files import LONGEST_LINE, MARK, Block, Readable, compression, existing, opened
from aucmax.data.labels import labels_of
from aucmax.data.libsvm import Format, Piece, checked_format, parsed_ahead, piece_of, pieces
from aucmax.data.npz import read_npz
from aucmax.data.reading import fitted, format_of, table_batches

SEGMENT = 2**20  # bytes of LIBSVM text that are taken together
MORE = 2**16  # bytes read at a time in search of the end of a line
MOST_CLASSES = 1000


class Part(NamedTuple):
    """Some rows, which last until the next part, and the numbers by which they are known in every pass."""

    key: tuple[int, ...]
    X: Any
    y: np.ndarray | None


class Facts(NamedTuple):
    """What one pass over a file tells."""

    rows: int
    n_features: int
    classes: np.ndarray


class Source:
    """A file as parts."""

    path: str
    names: list[str] | None = None
    encoder: TableEncoder | None = None

    def parts(self, rng: np.random.Generator | None) -> Iterator[Part]:
        """All parts, in a random order if the format allows, in that of the file without random numbers."""
        raise NotImplementedError

    def facts(self) -> Facts:
        """What one pass tells."""
        raise NotImplementedError

    @property
    def ready(self) -> bool:
        """Whether parts can be made without that pass."""
        return True


class LibsvmSource(Source):
    """LIBSVM text; a plain file is taken in segments, in any order, a compressed one from its beginning."""

    def __init__(self, source: Any, form: Format, n_jobs: int = 2, max_bytes: int | None = None) -> None:
        self.max_bytes = max_bytes
        self.source, self.form, self.path = existing(source), checked_format(form), named(source)
        self.plain = not compression(self.source)
        self.n_jobs = n_jobs

    @property
    def ready(self) -> bool:
        """Whether the columns are known."""
        return self.form.n_features is not None

    def facts(self) -> Facts:
        """Rows, columns and labels, by parsing the file once."""
        rows, highest, labels = 0, -1, np.empty(0)
        with opened(self.source, self.max_bytes) as file:
            for piece in pieces(file, self.form, self.n_jobs):
                rows, highest = rows + len(piece.labels), max(highest, piece.highest)
                labels = _more_classes(labels, piece.labels)
        if not rows:
            raise DataError("no rows; expected lines such as +1 1:0.5 3:2", self.path)
        n_features = highest + 1 if self.form.n_features is None else self.form.n_features
        self.form = self.form._replace(n_features=n_features)
        return Facts(rows, n_features, labels)

    def parts(self, rng: np.random.Generator | None) -> Iterator[Part]:
        """The segments, or the blocks one after another."""
        with opened(self.source, self.max_bytes) as file:
            if not self.plain:
                for k, piece in enumerate(pieces(file, self.form, self.n_jobs)):
                    yield self._part(k, piece)
                return
            for block, room in parsed_ahead(self._segments(file, rng), self.form, self.n_jobs):
                lines = self._lines_before(block.start) if room.state[4] else 0
                yield self._part(block.start // SEGMENT, piece_of(block, room, self.form, lines, self.path))

    def _segments(self, file: Readable, rng: np.random.Generator | None) -> Iterator[Block]:
        count = -(-self.source.stat().st_size // SEGMENT)
        for k in range(count) if rng is None else rng.permutation(count).tolist():
            block = segment(file, k * SEGMENT, (k + 1) * SEGMENT)
            if block.size:
                yield block

    def _lines_before(self, start: int) -> int:
        with self.source.open("rb") as file:
            return sum(file.read(min(SEGMENT, start - at)).count(b"\n") for at in range(0, start, SEGMENT))

    def _part(self, k: int, piece: Piece) -> Part:
        indptr = np.zeros(len(piece.ends) + 1, dtype=np.int32)
        indptr[1:] = piece.ends
        shape = (len(piece.labels), self.form.n_features or 0)
        values = piece.values.astype(self.form.dtype, copy=False)
        X: Any = sp.csr_matrix((values, piece.indices, indptr), shape=shape, copy=False)
        X.has_canonical_format = True
        return Part((k,), X, piece.labels.copy())


def segment(file: Readable, start: int, stop: int) -> Block:
    """The lines that begin from one position up to, not including, another."""
    before = max(start - 1, 0)
    file.seek(before)
    buffer = bytearray(stop - before)
    size = file.readinto(buffer)
    del buffer[size:]
    begin = buffer.find(b"\n") + 1 if start else 0
    if start and not begin:
        return Block(bytearray(), 0, stop)  # all of it is the middle of a line
    while size == stop - before and buffer[-1:] != b"\n":
        more = bytearray(MORE)
        del more[file.readinto(more) :]
        end = more.find(b"\n") + 1 or len(more)
        buffer += more[:end]
        if len(more) < MORE and end == len(more):
            break
        if len(buffer) > LONGEST_LINE:
            raise DataError(f"a line of more than {LONGEST_LINE >> 20} MiB; is this a text file?", file.path)
    if start == 0 and buffer.startswith(MARK):
        buffer[:3] = b"   "
    del buffer[:begin]
    if buffer and buffer[-1:] != b"\n":
        buffer += b"\n"
    return Block(buffer, len(buffer), before + begin)


class TableSource(Source):
    """A table; row groups and record batches are taken in any order, a CSV file from its beginning."""

    def __init__(
        self, source: Any, kind: str, target: str | int | None, encoder: TableEncoder, max_bytes: int | None = None
    ) -> None:
        self.batches, self.label = table_batches(source, kind, target, encoder, max_bytes)
        self.path, self.rules = self.batches.path, encoder
        if self.ready:
            self._know(encoder)

    @property
    def ready(self) -> bool:
        """Whether the rules are known."""
        return hasattr(self.rules, "rules_")

    def _know(self, encoder: TableEncoder) -> None:
        self.encoder, self.names = encoder, list(encoder.names_)

    def facts(self) -> Facts:
        """The rules for the columns, rows and labels, in one pass."""
        rows, labels = 0, np.empty(0)

        def counted() -> Iterator[Any]:
            nonlocal rows, labels
            for batch in self.batches:
                if self.label is not None:
                    found = labels_of(batch.column(self.label), self.label, self.path, rows)
                    labels = _more_classes(labels.astype(found.dtype), found)
                rows += batch.num_rows
                yield batch

        batches = counted()
        with self.batches.told():
            self._know(fitted(self.rules, batches, self.batches.names, self.label, self.path))
            for _ in batches:  # all of them, where the rules were known
                pass
        if not rows:
            raise DataError("no rows; expected some below the names of the columns", self.path)
        return Facts(rows, len(self.rules.names_), labels)

    def parts(self, rng: np.random.Generator | None) -> Iterator[Part]:
        """The batches."""
        groups = self.batches.groups
        layout, room = self.rules.layout(self.path), np.empty((0, len(self.rules.names_)))
        order = np.arange(groups) if rng is None else rng.permutation(groups)
        for group in order if groups > 1 else [None]:
            rows = 0
            batches = self.batches.taken(None if group is None else np.array([group]))
            for k, batch in enumerate(batches):
                if not self.rules.sparse_ and batch.num_rows > len(room):
                    room = np.empty((batch.num_rows, room.shape[1]))
                with self.batches.told():
                    X = layout.rows(batch, rows, room)
                    y = None if self.label is None else labels_of(batch.column(self.label), self.label, self.path, rows)
                rows += batch.num_rows
                yield Part((0 if group is None else int(group), k), X, y)


class ArraySource(Source):
    """An npz file, which is in memory as a whole."""

    def __init__(self, source: Any, target: str | None, max_bytes: int | None = None) -> None:
        self.table, self.path = read_npz(source, target=target or "y", max_bytes=max_bytes), named(source)

    def facts(self) -> Facts:
        """Its shape and labels."""
        classes = np.empty(0) if self.table.y is None else np.unique(self.table.y)
        return Facts(self.table.X.shape[0], self.table.X.shape[1], classes)

    def parts(self, rng: np.random.Generator | None) -> Iterator[Part]:
        """The one part there is."""
        yield Part((0,), self.table.X, self.table.y)


def source_of(source: Any, target: Any, encoder: TableEncoder | None, kind: str | None, options: Any) -> Source:
    """A file or a data frame as parts."""
    kind, most = format_of(source, kind), options.get("max_bytes")
    if kind == "libsvm":
        form = {name: value for name, value in options.items() if name not in ("n_jobs", "max_bytes")}
        return LibsvmSource(source, Format(**form), options.get("n_jobs", 2), most)
    if kind == "npz":
        return ArraySource(source, target, most)
    return TableSource(source, kind, target, encoder or TableEncoder(), most)


def _more_classes(known: np.ndarray, labels: np.ndarray) -> np.ndarray:
    found = np.union1d(known, np.unique(labels))
    return found[:MOST_CLASSES]
