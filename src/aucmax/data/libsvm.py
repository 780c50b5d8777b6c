"""LIBSVM and SVMlight text, read strictly: a fault is an error with file, line and column, never a guess."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from aucmax.data.errors import DataError
from aucmax.data.files import Block, Readable, blocks, opened
from aucmax.data.growing import Growing
from aucmax.data.limits import Bound
from aucmax.data.table import Table
from aucmax.kernel import libsvm as kernel
from aucmax.kernel import numerals

BLOCK = 2**18  # bytes of text at a time: what is parsed from them fits the cache
HIGHEST = 2**31 - 2  # the last index: columns are counted in 32 bits
SHOWN = 30  # bytes of a fault that a message shows

MESSAGES = {
    numerals.TOO_LONG: f"a number of more than {numerals.LONGEST} characters",
    kernel.NO_LABEL: "expected a label, a finite number such as +1",
    kernel.SEVERAL_LABELS: "several labels in a row; expected one number, then index:value pairs",
    kernel.NO_INDEX: "expected index:value, the index a whole number",
    kernel.NO_COLON: "expected a colon after the index",
    kernel.TOO_LOW: "index 0, but indices count from 1; pass zero_based=True if they count from 0 in this file",
    kernel.TOO_HIGH: "an index above {last}, the highest there may be",
    kernel.REPEATED: "an index twice in a row; expected rising indices",
    kernel.FALLING: "an index lower than the one before; expected rising indices",
    kernel.NO_VALUE: "expected a finite number after the colon",
    kernel.OVERFLOW: "a number too large for {dtype}",
    kernel.NO_BLANK: "expected a blank or the end of the line after a number",
    kernel.STRAY_RETURN: "a carriage return inside a line; expected lines that end in \\n or \\r\\n",
    kernel.NO_QUERY: "expected qid: and a whole number of at most 18 digits",
}


class Format(NamedTuple):
    """How a file is to be read: its columns, if known, the first index, and the type of the values."""

    n_features: int | None = None
    zero_based: bool = False
    dtype: str = "float64"

    @property
    def rules(self) -> kernel.Rules:
        """The same for the kernel."""
        first = 0 if self.zero_based else 1
        last = HIGHEST if self.n_features is None else int(self.n_features) - 1 + first
        return kernel.Rules(first, last, float(np.finfo(self.dtype).max))


class Piece(NamedTuple):
    """Parsed rows; the arrays are overwritten by a later block unless copied."""

    labels: np.ndarray
    ends: np.ndarray
    queries: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    highest: int


def read_libsvm(
    path: Any,
    *,
    n_features: int | None = None,
    zero_based: bool = False,
    dtype: str = "float64",
    n_jobs: int = 2,
    max_bytes: int | None = None,
) -> Table:
    r"""Read a LIBSVM or SVMlight file, plain or compressed (gz, bz2, xz, zst).

    Parameters
    ----------
    path : path or binary file
        The file.
    n_features : int, optional
        Columns, at least 1; an index beyond is an error. By default the highest index decides.
    zero_based : bool, default=False
        Whether indices count from 0. The format counts from 1, and an index 0 is an error.
    dtype : {"float64", "float32"}, default="float64"
        Of the values. A number too large for it is an error.
    n_jobs : int, default=2
        Threads; they change no number.
    max_bytes : int, optional
        The most bytes that the file may take in memory, its text unpacked or its rows; by default 250 times the
        size of the file, at least 128 MiB.

    Returns
    -------
    Table
        ``X`` as a CSR matrix with 32-bit indices where they suffice, ``y`` as floats, and ``query``, the query ids or
        None.

    Raises
    ------
    DataError
        For the first line that is not ``label [qid:number] index:value ...`` with rising indices and finite numbers.

    Notes
    -----
    Numbers are rounded as Python rounds them. Comments, blank lines, Windows line ends and a missing newline at the end
    are fine. The peak of memory is that of the result and a few megabytes.

    Examples
    --------
    >>> import io
    >>> from aucmax.data import read_libsvm
    >>> table = read_libsvm(io.BytesIO(b"+1 1:0.5 3:2 # a comment\n-1 2:1e-3\n"))
    >>> table.X.toarray().tolist(), table.y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 0.001, 0.0]], [1.0, -1.0])
    """
    form = checked_format(Format(n_features, zero_based, dtype))
    types = (np.float64, np.int64, np.int64, np.int32, dtype)
    labels, ends, queries, indices, values = parts = tuple(Growing(kind) for kind in types)
    highest = -1
    with opened(path, max_bytes) as file:
        bound = Bound(file.path if isinstance(file.path, Path) else None, max_bytes)
        for piece in pieces(file, form, n_jobs):
            moved = piece._replace(ends=piece.ends + values.size)
            for part, more in zip(parts, moved[:5], strict=True):
                part.extend(more)
            bound.check(sum(part.size * part.dtype.itemsize for part in parts), "rows")
            highest = max(highest, piece.highest)
        if not labels.size:
            raise DataError("no rows; expected lines such as +1 1:0.5 3:2", file.path)
    indptr: Any = np.zeros(ends.size + 1, dtype=np.int32 if values.size < 2**31 else np.int64)
    indptr[1:] = ends.done()
    shape = (labels.size, highest + 1 if n_features is None else int(n_features))
    X: Any = sp.csr_matrix((values.done(), indices.done(), indptr), shape=shape, copy=False)
    X.has_canonical_format = True
    return Table(X, labels.done(), query=checked_queries(queries.done(), path))


def checked_format(form: Format) -> Format:
    """Refuse what cannot be."""
    if form.dtype not in ("float64", "float32"):
        raise ValueError(f'dtype={form.dtype!r}: expected "float64" or "float32".')
    if form.n_features is not None and not 1 <= form.n_features <= HIGHEST:
        raise ValueError(f"n_features={form.n_features!r}: expected a whole number from 1 to {HIGHEST}, or None.")
    return form


def checked_queries(queries: np.ndarray, path: Any) -> np.ndarray | None:
    """The query ids, if every row has one; None, if none has."""
    lacking = queries == kernel.NO_QUERY_ID
    if lacking.all():
        return None
    if lacking.any():
        raise DataError(f"row {int(np.argmax(lacking)) + 1} has no qid, but others do; give all or none one", path)
    return queries


def pieces(file: Readable, form: Format, n_jobs: int = 1, size: int | None = None) -> Iterator[Piece]:
    """The rows of a file, in order, block by block, parsed by so many threads; each piece lasts until the next one."""
    lines = 0
    for block, room in parsed_ahead(blocks(file, BLOCK if size is None else size, n_jobs + 1), form, n_jobs):
        yield piece_of(block, room, form, lines, file.path)
        lines += int(room.state[6])


def parsed_ahead(source: Iterator[Block], form: Format, n_jobs: int) -> Iterator[tuple[Block, kernel.Parsed]]:
    """Blocks and what was parsed from them, in order, by so many threads; each lasts until the next one."""
    rooms = [kernel.Parsed.room(0) for _ in range(n_jobs + 1)]
    if n_jobs == 1:
        for block in source:
            rooms[0] = parsed(block, form, rooms[0])
            yield block, rooms[0]
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        waiting: deque[tuple[int, Block, Future[kernel.Parsed]]] = deque()
        for number, block in enumerate(source):
            slot = number % len(rooms)
            waiting.append((slot, block, pool.submit(parsed, block, form, rooms[slot])))
            if len(waiting) > n_jobs:
                slot, block, work = waiting.popleft()
                rooms[slot] = work.result()
                yield block, rooms[slot]
        for slot, block, work in waiting:
            rooms[slot] = work.result()
            yield block, rooms[slot]


def parsed(block: Block, form: Format, room: kernel.Parsed) -> kernel.Parsed:
    """Parse a block into a room, or into a larger one where it does not fit."""
    if block.size > kernel.SHORTEST_ROW * len(room.labels):
        room = kernel.Parsed.room(len(block.buffer))
    kernel.parse(np.frombuffer(block.buffer, dtype=np.uint8), block.size, form.rules, room)
    for entry, first, last in room.hard[: room.state[2]].tolist():
        value = float(bytes(memoryview(block.buffer)[first:last]))
        if not abs(value) <= (np.finfo(np.float64).max if entry < 0 else form.rules.largest):
            room.state[4:7] = kernel.OVERFLOW, first, block.buffer.count(b"\n", 0, first)
            break  # the kernel stops at its first fault, so that this one lies before it
        if entry < 0:
            room.labels[-1 - entry] = value
        else:
            room.values[entry] = value
    return room


def piece_of(block: Block, room: kernel.Parsed, form: Format, lines: int, path: Any) -> Piece:
    """The parsed rows, unless there is a fault."""
    rows, entries, _, highest, fault, at, line = room.state.tolist()
    if fault:
        raise fault_at(block, at, fault, form, path, lines + line + 1)
    return Piece(
        room.labels[:rows],
        room.ends[:rows],
        room.queries[:rows],
        room.indices[:entries],
        room.values[:entries],
        highest,
    )


def fault_at(block: Block, at: int, fault: int, form: Format, path: Any, line: int) -> DataError:
    """The error for a fault at a position of a block."""
    buffer = block.buffer
    begun = buffer.rfind(b"\n", 0, at) + 1
    end = buffer.find(b"\n", at, block.size)
    seen = bytes(buffer[at : min(end, at + SHOWN)]).split(b" ")[0].decode("ascii", "backslashreplace")
    message = MESSAGES[fault].format(last=form.rules.last, dtype=form.dtype)
    return DataError(f"{message}; seen {seen!r}", path, line, at - begun + 1)
