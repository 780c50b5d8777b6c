"""How much memory a file may take: a bound that follows from its size, unless one is given."""

from __future__ import annotations

from numbers import Real
from pathlib import Path
from typing import Any

from aucmax.data.errors import DataError

LEAST = 2**27  # bytes that any file may take
TIMES = 250  # its size, that it may take; honest rows, compressed, take up to 90 times theirs


class Bound:
    """The most bytes that what is in a file may take in memory.

    Parameters
    ----------
    path
        The file; None for what has no size of its own, which is not bounded.
    given
        The bound; by default 250 times the size of the file, at least 128 MiB.
    """

    def __init__(self, path: Path | None, given: int | None = None) -> None:
        if given is not None and not (isinstance(given, Real) and given >= 1):
            raise ValueError(f"max_bytes={given!r}: expected a number of bytes, at least 1, or None.")
        self.path, self.size = path, 0 if path is None else path.stat().st_size
        usual = None if path is None else max(LEAST, TIMES * self.size)
        self.most = usual if given is None else int(given)
        self.taken = 0

    def check(self, count: Any, what: str) -> None:
        """Refuse so many bytes at once if they are too many."""
        if self.most is not None and count > self.most:
            raise DataError(
                f"{what} of {int(count):,} bytes or more in a file of {self.size:,}; expected at most {self.most:,}: "
                "if the file is what it should be, allow more by max_bytes=, in the command by --max-bytes",
                self.path or "",
            )

    def take(self, count: Any, what: str) -> None:
        """Add some bytes to those taken before, and refuse them if all together are too many."""
        self.taken += int(count)
        self.check(self.taken, what)
