"""Arrow files and streams (Feather of version 2 is the same), each batch checked before anything uses it.

pyarrow believes the lengths and offsets in such a file, and reads beyond its arrays where they are wrong, unless a
batch is validated in full. It also unpacks what a file says it has packed, so the sizes are summed up before.

A message is a table of the format FlatBuffers, whose fields are found by their number. Of these are read here:

    Message      1 kind of header, 2 header
    RecordBatch  2 buffers as pairs (offset, length), 3 compression
    Dictionary   1 record batch
    Footer       2 dictionaries, 3 record batches, as triples (offset, length of the message, length of its body)
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from aucmax.data.errors import DataError
from aucmax.data.limits import Bound
from aucmax.data.optional import arrow
from aucmax.data.validated import validated

FILE, FEATHER_1 = b"ARROW1", b"FEA1"
DICTIONARY, RECORD_BATCH = 2, 3  # kinds of headers
TAIL = 10  # bytes at the end of a file: the length of the footer, and the mark


class Flat:
    """A table of the format FlatBuffers."""

    def __init__(self, raw: memoryview, at: int) -> None:
        self.raw, self.at = raw, at
        self.fields = at - self._number("<i", at)
        self.size = self._number("<H", self.fields)

    @classmethod
    def root(cls, raw: memoryview) -> Flat:
        """The outermost table of some bytes."""
        return cls(raw, struct.unpack_from("<I", raw, 0)[0])

    def _number(self, kind: str, at: int) -> int:
        return int(struct.unpack_from(kind, self.raw, at)[0])

    def place(self, field: int) -> int:
        """Where a field lies, or 0 where the table has none."""
        entry = 4 + 2 * field
        offset = self._number("<H", self.fields + entry) if entry < self.size else 0
        return self.at + offset if offset else 0

    def table(self, field: int) -> Flat | None:
        """The table in a field."""
        at = self.place(field)
        return Flat(self.raw, at + self._number("<I", at)) if at else None

    def byte(self, field: int) -> int:
        """The byte in a field."""
        at = self.place(field)
        return self._number("<B", at) if at else 0

    def structs(self, field: int, width: int) -> np.ndarray:
        """The structures in a field, each of so many numbers of 64 bits."""
        at = self.place(field)
        if not at:
            return np.empty((0, width), dtype=np.int64)
        at += self._number("<I", at)
        found = np.frombuffer(self.raw, "<i8", width * self._number("<I", at), at + 4)
        return found.reshape(-1, width)


def unpacked_size(message: Any) -> int:
    """The bytes that the compressed buffers of a message say they unpack to; 0 where none is compressed."""
    root = Flat.root(memoryview(message.metadata))
    header = root.table(2)
    if header is not None and root.byte(1) == DICTIONARY:
        header = header.table(1)
    if header is None or root.byte(1) not in (DICTIONARY, RECORD_BATCH) or header.table(3) is None:
        return 0
    body, total = memoryview(message.body), 0
    for offset, length in header.structs(2, 2).tolist():
        if length:
            size = struct.unpack_from("<q", body, offset)[0]  # -1: this one is not compressed after all
            total += size if size >= 0 else length
    return total


class IpcTable:
    """An Arrow file, or a stream in a file; the batches of a file can be taken in any order."""

    def __init__(self, path: Path, bound: Bound) -> None:
        self.path, self.bound = path, bound
        with arrow().memory_map(str(path)) as file:
            head = file.read(len(FILE))
            if head.startswith(FEATHER_1):
                raise DataError(
                    "Feather of version 1, which cannot be checked for damage; expected version 2: read the file with "
                    "pyarrow.feather.read_table and write it again with pyarrow.feather.write_feather",
                    path,
                )
            self.is_file = head == FILE
            reader = self._reader(file)
            self.names = list(reader.schema.names)
            self.groups = reader.num_record_batches if self.is_file else 1

    def _reader(self, file: Any) -> Any:
        file.seek(0)
        return arrow().ipc.open_file(file) if self.is_file else arrow().ipc.open_stream(file)

    def batches(self, order: np.ndarray | None) -> Iterator[Any]:
        """The batches, validated."""
        with arrow().memory_map(str(self.path)) as file:
            if not self.is_file:
                self._check_stream(file)
                for k, batch in enumerate(self._reader(file)):
                    yield validated(batch, self.bound, k)
                return
            places = self._checked_places(file)
            reader = self._reader(file)
            for k in range(self.groups) if order is None else order.tolist():
                self.bound.check(self._size_at(file, places[k]), f"record batch {k + 1}: arrays")
                yield validated(reader.get_batch(k), self.bound, k)

    def _check_stream(self, file: Any) -> None:
        """Look at all messages before the first is unpacked: a batch alone, dictionaries together."""
        file.seek(0)
        kept = 0
        for k, message in enumerate(arrow().ipc.MessageReader.open_stream(file)):
            size = unpacked_size(message)
            kept += size if message.type == "dictionary" else 0
            self.bound.check(max(size, kept), f"message {k + 1}: arrays")

    def _checked_places(self, file: Any) -> list[int]:
        """Where the record batches lie, by the footer; its dictionaries are looked at."""
        end = file.size()
        length = struct.unpack("<i", file.read_at(TAIL, end - TAIL)[:4])[0]
        if not 0 < length <= end - TAIL:
            raise DataError("the footer is damaged; get the file again", self.path)
        footer = Flat.root(memoryview(file.read_at(length, end - TAIL - length)))
        dictionaries = [self._size_at(file, at) for at in footer.structs(2, 3)[:, 0].tolist()]
        self.bound.check(sum(dictionaries), "dictionaries: arrays")
        return [int(at) for at in footer.structs(3, 3)[:, 0]]

    def _size_at(self, file: Any, place: int) -> int:
        file.seek(place)
        return unpacked_size(arrow().ipc.read_message(file))
