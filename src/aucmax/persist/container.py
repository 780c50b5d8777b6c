r"""The bytes of a file: a mark, a checksum, then arrays and JSON as safetensors.

8 bytes    AUCMAX\r\n
32 bytes   SHA-256 of all that follows
the rest   safetensors: the arrays by number, and the JSON as the entry "json" of its metadata
"""

from __future__ import annotations

import hashlib
import json
import stat
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy

MARK = b"AUCMAX\r\n"
HEAD = len(MARK) + 32
LARGEST_FILE = 16 * 2**30
LARGEST_HEADER = 100_000_000  # of safetensors, the JSON included; its own limit
LARGEST_KEY = 2**61 - 2  # an integer up to this is its own hash
USUAL_ROOM = 2**30  # bytes in memory for names and values, beside those of arrays
VALUE_BYTES = 256  # in memory of a value in the JSON, at most about: as it is parsed, and as what it stands for
TYPES = {"bool", "float32", "float64", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))}


class ModelFileError(ValueError):
    """A model file that cannot be read, or a model that cannot be written."""


class Room:
    """The memory that is left for what a model file holds.

    Parameters
    ----------
    size
        Of the file.
    given
        The most bytes; by default a gigabyte and four times the file, which its arrays may take while they are copied.
    """

    def __init__(self, size: int, given: int | None = None) -> None:
        if given is not None and not (isinstance(given, Real) and given >= 1):
            raise ValueError(f"max_bytes={given!r}: expected a number of bytes, at least 1, or None.")
        self.most = USUAL_ROOM + 4 * size if given is None else int(given)
        self.taken = size

    def take(self, count: Any, what: str) -> None:
        """Refuse what would take so many bytes more, if there is no room for it."""
        self.taken += int(count)
        if self.taken > self.most:
            raise ModelFileError(
                f"{what} that may take {self.taken >> 20:,} MiB with all before, expected at most {self.most >> 20:,}: "
                "if the file is what it should be, allow more by max_bytes="
            )


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


def unpacked(raw: bytes, path: Any, room: Room | None = None) -> tuple[list[np.ndarray], Any]:
    """The arrays and the JSON of a file, its checksum and its structure checked."""
    room = Room(len(raw)) if room is None else room
    if not raw.startswith(MARK) or len(raw) < HEAD + 8:
        raise ModelFileError(f"{path}: not a model file; expected one that aucmax.save wrote")
    body = raw[HEAD:]
    if hashlib.sha256(body).digest() != raw[len(MARK) : HEAD]:
        raise ModelFileError(f"{path}: the checksum is wrong; the file is cut off or damaged: restore it from a copy")
    length = int.from_bytes(body[:8], "little")
    if length > min(LARGEST_HEADER, len(body) - 8):
        raise ModelFileError(f"{path}: a header of {length} bytes in a file of {len(raw)}")
    try:
        document = _parsed(_parsed(body[8 : 8 + length].decode(), room)["__metadata__"]["json"], room)
        found = safetensors.numpy.load(body)
        arrays = [_array(found[str(k)]) for k in range(len(found))]
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from error
    except (safetensors.SafetensorError, ValueError, TypeError, LookupError, RecursionError, OverflowError) as error:
        raise ModelFileError(f"{path}: not a sound model file ({type(error).__name__}: {str(error)[:120]})") from error
    return arrays, document


def _parsed(text: str, room: Room) -> Any:
    """What a JSON text says, if there is room for it."""
    values = sum(text.count(sign) for sign in "[{,") + 1
    room.take(len(text) + VALUE_BYTES * values, f"{values:,} names and values")
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


def checked_key(key: Any) -> Any:
    """The key of a dict, if it can be one in a file: many greater integers could be chosen to have the same hash."""
    parts = key if isinstance(key, tuple) else (key,)
    if any(type(part) is int and abs(part) > LARGEST_KEY for part in parts):
        raise ModelFileError(f"a dict with the key {str(key)[:40]}, expected a string, or a number up to {LARGEST_KEY}")
    return key


def read_bytes(path: Path) -> bytes:
    """The bytes of a file of a size that can be a model's; a folder, a device or a pipe is none."""
    status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        raise ModelFileError(f"{path}: a folder, expected a file that aucmax.save wrote; name a file in it")
    if not stat.S_ISREG(status.st_mode):
        raise ModelFileError(f"{path}: a device or a pipe, expected a file that aucmax.save wrote")
    if status.st_size > LARGEST_FILE:
        raise ModelFileError(f"{path}: {status.st_size} bytes, more than the {LARGEST_FILE} that a model file may have")
    with path.open("rb") as file:
        return file.read(status.st_size)
