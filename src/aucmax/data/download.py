"""Downloads that resume where they were cut off and are checked before they are believed."""

from __future__ import annotations

import hashlib
import http.client
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aucmax.data.errors import DataError
from aucmax.data.files import opened

BLOCK = 2**18
TIMEOUT = 30.0  # seconds without a byte
ATTEMPTS = 4
PAUSE = 1.0  # seconds before another attempt; doubled each time
LARGEST = 2**36

Report = Callable[[int, int | None], None]


class _CutOffError(Exception):
    """The connection ended too early; what has come is kept."""


def checksum(path: Path) -> str:
    """SHA-256 of the decompressed bytes of a file, without newlines at its end."""
    digest, newlines, buffer = hashlib.sha256(), 0, bytearray(BLOCK)
    with opened(path) as file:
        while size := file.readinto(buffer):
            block = bytes(memoryview(buffer)[:size])
            kept = block.rstrip(b"\n")
            if kept:
                digest.update(b"\n" * newlines + kept)
                newlines = 0
            newlines += len(block) - len(kept)
    return digest.hexdigest()


def download(url: str, path: Path, sha256: str, report: Report | None = None) -> None:
    """Fetch a file to its place, by a part beside it that a later attempt continues; one of another checksum goes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    pause = PAUSE
    for attempt in range(ATTEMPTS):
        try:
            _continue(url, part, report)
            break
        except (_CutOffError, TimeoutError, urllib.error.URLError, http.client.HTTPException, ConnectionError) as error:
            final = isinstance(error, urllib.error.HTTPError) and error.code < 500
            if final or attempt == ATTEMPTS - 1:
                raise DataError(f"cannot be fetched: {_reason(error)}; try again later", url) from error
            time.sleep(pause)
            pause *= 2.0
    try:
        sound = checksum(part) == sha256
    except DataError:
        sound = False
    if not sound:
        part.unlink()
        raise DataError("what was fetched has another checksum; it is damaged, or the file has changed", url)
    part.replace(path)


def _reason(error: Exception) -> str:
    return str(getattr(error, "reason", None) or error or type(error).__name__)


def _continue(url: str, part: Path, report: Report | None) -> None:
    """Fetch what is still missing of a file."""
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        response: Any = urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        if error.code == 416 and have:  # nothing is missing
            return
        raise
    with response:
        if have and response.status != 206:  # the server sends all of it again
            have = 0
        length = response.headers.get("Content-Length")
        total = have + int(length) if length and length.isdigit() else None
        if total is not None and total > LARGEST:
            raise DataError(f"{total} bytes, more than the {LARGEST} that a set may have", url)
        with open(part, "ab" if have else "wb", opener=_of_ours) as file:
            _copy(response, file, have, total, report)


def _of_ours(path: str, flags: int) -> int:
    """Open a part, but not through a link, which another user of the folder may have put there."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


def _copy(response: Any, file: Any, have: int, total: int | None, report: Report | None) -> None:
    while block := response.read(BLOCK):
        file.write(block)
        have += len(block)
        if have > LARGEST:
            raise DataError(f"more than the {LARGEST} bytes that a set may have")
        if report is not None:
            report(have, total)
    if total is not None and have < total:
        raise _CutOffError(f"the connection ended after {have} of {total} bytes")
