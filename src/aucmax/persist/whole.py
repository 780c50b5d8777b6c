"""Files put in their place in one move: a reader, or a crash, meets the old one or the new one, never a part.

The bytes go to a file of an unguessable name in the same folder, which nobody else has made and which this process
locks as long as it writes. A part without a lock is what a crash left behind; the next write of the same file removes
it. Writers never wait for each other: each moves a whole file into the place, and the last one stays.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, TextIO

from aucmax.persist.container import ModelFileError

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

ATTEMPTS = 20  # at a part that nobody else removes or locks
LONGEST_NAME = 60  # characters of the file's name in that of a part, since a folder allows 255 bytes


@contextlib.contextmanager
def whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which takes its place when all is written, and leaves nothing behind when something fails.

    A file that it replaces passes on its mode and, where that is permitted, its owner and its group. A symbolic link
    stays, and what it points to is replaced. A device, on which no file can be moved, is written to as it is.
    """
    with _naming(path):
        before = _status(path)
        if before is not None and not stat.S_ISREG(before.st_mode):
            with path.open("wb") as file:
                yield file
            return
        target = Path(os.path.realpath(path))
        _remove_leftovers(target)
        part, handle = _new_part(target, private=before is not None)
        try:
            with os.fdopen(handle, "wb", closefd=False) as file:
                yield file
            if before is not None:
                _pass_on(before, handle)
            os.fsync(handle)
            part.replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                part.unlink()
            raise
        finally:
            os.close(handle)
        _sync_folder(target.parent)


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


def remove_whole(path: Path) -> None:
    """Remove a file, if it is there, and the parts of it that a crash left."""
    path.unlink(missing_ok=True)
    _remove_leftovers(path)


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Let a failed write say which file it was: a full disk does not, and a missing folder names the part."""
    try:
        yield
    except OSError as error:
        ours = error.filename is None or str(error.filename).endswith(".part")
        if not ours or error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def _status(path: Path) -> os.stat_result | None:
    """What is known of the file that is there, if one is; links that lead in a circle are an error."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _new_part(target: Path, *, private: bool) -> tuple[Path, int]:
    """A new, locked file in the target's folder; for its owner alone while it may be more public than the target."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    for _ in range(ATTEMPTS):
        part = target.with_name(f".{target.name[:LONGEST_NAME]}.{secrets.token_hex(8)}.part")
        try:
            handle = os.open(part, flags, 0o600 if private else 0o666)
        except FileExistsError:
            continue
        if _locked(handle) and part.exists():
            return part, handle
        os.close(handle)  # another writer took it for a leftover before it was locked, and removes it
        part.unlink(missing_ok=True)
    raise ModelFileError(
        f"{target}: no partial file beside it lasted in {ATTEMPTS} attempts; another program removes or locks files "
        f"in {target.parent}: stop it, or name a file in another folder"
    )


def _locked(handle: int) -> bool:
    """Lock a file, and return whether this process holds the lock; on a system without locks it always does."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # some network folders have none
        return True
    return True


def _remove_leftovers(target: Path) -> None:
    """Remove the parts of a file that a crash left: ours, and locked by nobody."""
    if fcntl is None:
        return
    pattern = re.compile(re.escape(f".{target.name[:LONGEST_NAME]}.") + r"[0-9a-f]{16}\.part")
    with contextlib.suppress(OSError), os.scandir(target.parent) as entries:
        found = [Path(entry.path) for entry in entries if pattern.fullmatch(entry.name)]
        for part in found:
            with contextlib.suppress(OSError):
                _remove_if_left(part)


def _remove_if_left(part: Path) -> None:
    handle = os.open(part, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        status = os.fstat(handle)
        if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # an OSError where it is held, or locks are unknown
            part.unlink()
    finally:
        os.close(handle)


def _pass_on(before: os.stat_result, handle: int) -> None:
    """Give a new file the owner, group and mode of the one it replaces, as far as the system permits."""
    if not hasattr(os, "fchown"):
        return
    mode = stat.S_IMODE(before.st_mode)
    try:
        os.fchown(handle, -1, before.st_gid)
    except OSError:
        mode = mode & ~0o070 | (mode & 0o007) << 3  # another group may do what all others may, and no more
    with contextlib.suppress(OSError):  # some file systems keep no modes
        os.fchmod(handle, mode & 0o777)
    with contextlib.suppress(OSError):  # only root may give a file away
        os.fchown(handle, before.st_uid, -1)


def _sync_folder(folder: Path) -> None:
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
