r"""The bytes of a file: a mark, a checksum, then arrays and JSON as safetensors; written whole or not at all.

8 bytes    AUCMAX\r\n
32 bytes   SHA-256 of all that follows
the rest   safetensors: the arrays by number, and the JSON as the entry "json" of its metadata
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy

MARK = b"AUCMAX\r\n"
HEAD = len(MARK) + 32
LARGEST_FILE = 16 * 2**30
LARGEST_HEADER = 100_000_000  # of safetensors, the JSON included; its own limit
TYPES = {"bool", "float32", "float64", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))}

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]


class ModelFileError(ValueError):
    """A model file that cannot be read, or a model that cannot be written."""


def packed(arrays: list[np.ndarray], document: Any) -> bytes:
    """The bytes of a file."""
    tensors = {str(k): array for k, array in enumerate(arrays)}
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        body = safetensors.numpy.save(tensors, {"json": text})
    except safetensors.SafetensorError as error:
        raise ModelFileError(
            f"names and rules of {len(text) >> 20} MiB ({error}); expected at most {LARGEST_HEADER >> 20} MiB with all "
            "columns: drop some, or train on rows without names, such as LIBSVM text"
        ) from error
    return MARK + hashlib.sha256(body).digest() + body


def unpacked(raw: bytes, path: Any) -> tuple[list[np.ndarray], Any]:
    """The arrays and the JSON of a file, its checksum and its structure checked."""
    if not raw.startswith(MARK) or len(raw) < HEAD + 8:
        raise ModelFileError(f"{path}: not a model file; expected one that aucmax.save wrote")
    body = raw[HEAD:]
    if hashlib.sha256(body).digest() != raw[len(MARK) : HEAD]:
        raise ModelFileError(f"{path}: the checksum is wrong; the file is cut off or damaged: restore it from a copy")
    length = int.from_bytes(body[:8], "little")
    if length > min(LARGEST_HEADER, len(body) - 8):
        raise ModelFileError(f"{path}: a header of {length} bytes in a file of {len(raw)}")
    try:
        document = _parsed(_parsed(body[8 : 8 + length].decode())["__metadata__"]["json"])
        found = safetensors.numpy.load(body)
        arrays = [_array(found[str(k)]) for k in range(len(found))]
    except (safetensors.SafetensorError, ValueError, TypeError, LookupError, RecursionError, OverflowError) as error:
        raise ModelFileError(f"{path}: not a sound model file ({type(error).__name__}: {str(error)[:120]})") from error
    return arrays, document


def _parsed(text: str) -> Any:
    return json.loads(text, parse_constant=_refused, object_pairs_hook=_once)


def _refused(name: str) -> Any:
    raise ValueError(f"the number {name}")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a name twice in one object")
    return dict(pairs)


def _array(found: np.ndarray) -> np.ndarray:
    if found.dtype.name not in TYPES:
        raise ValueError(f"an array of {found.dtype}")
    return found if found.flags.writeable else found.copy()


def read_bytes(path: Path) -> bytes:
    """The bytes of a file of a size that can be a model's."""
    size = path.stat().st_size
    if size > LARGEST_FILE:
        raise ModelFileError(f"{path}: {size} bytes, more than the {LARGEST_FILE} that a model file may have")
    return path.read_bytes()


def write_whole(path: Path, raw: bytes) -> None:
    """Put a file in its place in one move: a reader, or a crash, meets the old one or the new one, never a part."""
    if path.exists() and not path.is_file():  # moving a file onto a device would remove the device
        raise ModelFileError(f"{path}: a folder or a device, expected a file or a new name; name another file")
    part = path.with_name(f".{path.name}.part")
    with _locked(part) as file:
        try:
            os.ftruncate(file, 0)
            view = memoryview(raw)
            while view:
                view = view[os.write(file, view) :]
            os.fsync(file)
            part.replace(path)
        except BaseException as error:
            with contextlib.suppress(OSError):
                part.unlink()
            if isinstance(error, OSError) and error.filename is None:  # a full disk does not say which
                raise OSError(error.errno, error.strerror, str(path)) from error
            raise
    _sync_folder(path.parent)


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
