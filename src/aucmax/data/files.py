"""Bytes of files, compressed or not, in blocks that end with a line."""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import lzma
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from aucmax.data.errors import DataError, missing, named
from aucmax.data.limits import Bound

LONGEST_LINE = 2**28
FIRST_BLOCK = 2**14  # bytes; blocks grow from it, so that a small file costs little
MARK = b"\xef\xbb\xbf"  # of UTF-8 files, by some editors
SIGNATURES = {b"\x1f\x8b": "gz", b"BZh": "bz2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zst"}
SUFFIXES = (".gz", ".bz2", ".xz", ".zst")


class Block(NamedTuple):
    """Whole lines: the bytes up to ``size``, of which the last is a newline; and where they lie in the file."""

    buffer: bytearray
    size: int
    start: int


def existing(source: Any) -> Path:
    """The path of a file that can be read, or an error that says why not."""
    path = Path(source)
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise DataError("no such file; check the name and the folder", path) from None
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read: {getattr(error, 'strerror', None) or error}", path) from error
    if stat.S_ISDIR(mode):
        raise DataError("a folder, expected a file; name a file in it", path)
    if not stat.S_ISREG(mode):
        raise DataError("a device or a pipe, expected a file; write what it gives to a file first", path)
    return path


def kind_by(path: Path, signatures: dict[bytes, str]) -> str:
    """What a file is by its first bytes; nothing where no signature fits."""
    try:
        with path.open("rb") as file:
            head = file.read(8)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", path) from error
    return next((kind for sign, kind in signatures.items() if head.startswith(sign)), "")


def compression(path: Path) -> str:
    """How a file is compressed: "gz", "bz2", "xz", "zst", or nothing."""
    return kind_by(path, SIGNATURES)


def opened(path: Any, max_bytes: int | None = None) -> Any:
    """A file of bytes, decompressed on the way; what it raises on a broken file is turned into ``DataError``.

    A compressed file that unpacks to more than ``max_bytes``, by default to 250 times its size, is an error.
    """
    if not isinstance(path, str | Path) and hasattr(path, "read"):
        return Readable(path, named(path))
    path = existing(path)
    kind = compression(path)
    openers: dict[str, Any] = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open, "zst": _open_zstd}
    if not kind:
        return Readable(path.open("rb", buffering=0), path)
    return Readable(openers[kind](path, "rb"), path, Bound(path, max_bytes))


def _open_zstd(path: Path, mode: str) -> Any:
    try:
        return importlib.import_module("compression.zstd").open(path, mode)
    except ModuleNotFoundError:
        pass
    try:
        return importlib.import_module("pyarrow").input_stream(str(path), compression="zstd")
    except ModuleNotFoundError as error:
        raise missing("pyarrow (or Python 3.14)", "tables", f"{path}: a zstd-compressed file") from error


class Readable(io.RawIOBase):
    """A file whose failures name it."""

    def __init__(self, file: Any, path: Any, bound: Bound | None = None) -> None:
        self.file, self.path, self.bound = file, path, bound

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer, fully unless the file ends."""
        view, have = memoryview(buffer), 0
        try:
            while have < len(view):
                more = self.file.readinto(view[have:])
                if not more:
                    break
                have += more
        except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
            raise DataError(f"the file is cut off or damaged ({error}); get it again", self.path) from error
        except MemoryError as error:
            raise DataError(
                "unpacking the file needs more memory than there is; unpack it elsewhere", self.path
            ) from error
        except Exception as error:
            if type(error).__name__ != "ZstdError":  # of a module that need not be there
                raise
            raise DataError(f"the file is damaged ({error}); get it again", self.path) from error
        if self.bound is not None:
            self.bound.take(have, "compressed text")
        return have

    def seekable(self) -> bool:
        """Whether the file underneath is."""
        return bool(self.file.seekable())

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a position of the decompressed bytes."""
        return int(self.file.seek(offset, whence))

    def close(self) -> None:
        """Close the file underneath."""
        if not self.closed:
            self.file.close()
        super().close()


def blocks(file: Readable, size: int, buffers: int) -> Iterator[Block]:
    """The file in blocks of about so many bytes, each of whole lines, held in so many buffers in turn."""
    ring = [bytearray() for _ in range(buffers)]
    carried, turn, start = b"", 0, 0
    now = min(size, FIRST_BLOCK)
    while True:
        if len(ring[turn]) < now + 2:
            ring[turn] = bytearray(now + 2)
        now = min(size, 4 * now)
        ring[turn], filled, done = _filled(file, ring[turn], carried)
        buffer = ring[turn]
        end = filled if done else buffer.rfind(b"\n", 0, filled) + 1
        if done and filled and buffer[filled - 1] != 10:
            buffer[filled] = 10
            end += 1
        carried = bytes(memoryview(buffer)[end:filled]) if end < filled else b""
        if start == 0 and buffer.startswith(MARK):
            buffer[:3] = b"   "
        if end:
            yield Block(buffer, end, start)
        start += end
        turn = (turn + 1) % buffers
        if done:
            return


def _filled(file: Readable, buffer: bytearray, carried: bytes) -> tuple[bytearray, int, bool]:
    """A buffer with what was carried over and more of the file, until it holds a newline; then how many, and if all."""
    if len(buffer) < 2 * len(carried) + 2:
        buffer = bytearray(2 * len(carried) + 2)
    buffer[: len(carried)] = carried
    have = len(carried)
    while True:
        room = len(buffer) - 1 - have  # a byte is kept for a newline at the end
        with memoryview(buffer) as view:
            more = file.readinto(view[have : have + room])
        before, have = have, have + more
        if more < room:
            return buffer, have, True
        if buffer.find(b"\n", before, have) >= 0:
            return buffer, have, False
        if have > LONGEST_LINE:
            raise DataError(
                f"a line of more than {LONGEST_LINE >> 20} MiB, expected text with an end to every line; "
                "is this a text file?",
                file.path,
            )
        buffer = buffer + bytearray(len(buffer))
