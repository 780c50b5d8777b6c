"""Files put in their place in one move: a reader, or a crash, meets the old one or the new one, never a part."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, TextIO

from aucmax.persist.container import ModelFileError

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]


@contextlib.contextmanager
def whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which takes its place when all is written, and leaves nothing behind when something fails.

    A device, on which no file can be moved, is written to as it is.
    """
    part = path.with_name(f".{path.name}.part")
    with _naming(path, part):
        if path.exists() and not path.is_file():
            with path.open("wb") as file:
                yield file
            return
        with _locked(part) as handle:
            try:
                os.ftruncate(handle, 0)
                with os.fdopen(handle, "wb", closefd=False) as file:
                    yield file
                os.fsync(handle)
                part.replace(path)
            except BaseException:
                with contextlib.suppress(OSError):
                    part.unlink()
                raise
        _sync_folder(path.parent)


@contextlib.contextmanager
def whole_text(path: Path) -> Iterator[TextIO]:
    """The same for text, whose lines end as they are given."""
    with whole(path) as file, io.TextIOWrapper(file, encoding="utf-8", newline="") as text:
        yield text


def write_whole(path: Path, raw: bytes) -> None:
    """Write a file at once."""
    if path.exists() and not path.is_file():
        raise ModelFileError(f"{path}: a folder or a device, expected a file or a new name; name another file")
    with whole(path) as file:
        file.write(raw)


@contextlib.contextmanager
def _naming(path: Path, part: Path) -> Iterator[None]:
    """Let a failed write say which file it was: a full disk does not, and a missing folder names the part."""
    try:
        yield
    except OSError as error:
        if error.filename not in (None, part, str(part)) or error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


@contextlib.contextmanager
def _locked(part: Path) -> Iterator[int]:
    """The partial file, held against other writers; one left over from a crash is taken over."""
    while True:
        file = os.open(part, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file), part.stat()):
                break
        os.close(file)  # another writer has moved it into its place meanwhile
    try:
        yield file
    finally:
        os.close(file)


def _sync_folder(folder: Path) -> None:
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
