"""What a command says: results on standard output, progress on standard error.

Names of columns, classes and files come from elsewhere, and a terminal obeys some characters. All that a command prints
goes through ``say``, which shows those as escapes.
"""

from __future__ import annotations

import json
import math
import shutil
import sys
import time
from typing import Any

BAR = 24
REFRESH, PLAIN_REFRESH = 0.1, 10.0  # seconds
RUN_BY_SPREADSHEETS = tuple("=+-@\t\r\n＝＋－＠")  # at the beginning of a field


def shown(text: str) -> str:
    """Return the text in characters that can be seen: tabs, line ends, controls and marks of direction as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "replace").decode() for c in text)


def one_line(text: str) -> str:
    """Return a message, which may have several lines, as one that can be seen."""
    return shown(" ".join(text.split()))


def say(stream: Any, *lines: str, end: str = "\n") -> None:
    """Write lines, with escapes for characters that cannot be seen."""
    stream.write("\n".join(map(shown, lines)) + end)


def field(text: str) -> str:
    """Return a field of a CSV file that no spreadsheet runs: an apostrophe goes before what looks like a formula."""
    if not text.startswith(RUN_BY_SPREADSHEETS):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text


def as_json(facts: Any) -> str:
    """Return facts as JSON that a terminal can show: what cannot be seen is escaped as JSON does it, so it is exact."""
    text = json.dumps(plain(facts), ensure_ascii=False, allow_nan=False)
    return text if text.isprintable() else "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


class Output:
    """Prints for a person or, with ``--json``, for a machine."""

    def __init__(self, options: Any) -> None:
        self.as_json, self.quiet = options.json, options.quiet

    def note(self, text: str) -> None:
        """Say what goes on."""
        if not self.quiet:
            say(sys.stderr, text)

    def result(self, lines: list[str], facts: dict[str, Any]) -> int:
        """Print a result in words, or its facts as one JSON object."""
        say(sys.stdout, *([as_json(facts)] if self.as_json else lines))
        return 0


class Progress:
    """Rows done, rows a second and the time left: a bar on a terminal, now and then a line elsewhere.

    The total is of work, which is the rows themselves where nothing else is said of them.
    """

    def __init__(self, what: str, total: float | None, quiet: bool, unit: str = "rows") -> None:
        self.what, self.total, self.quiet, self.unit = what, total, quiet, unit
        self.live = sys.stderr.isatty()
        self.begun, self.shown = time.monotonic(), time.monotonic()
        self.done, self.work = 0, 0.0

    def advance(self, rows: int, more: str = "", work: float | None = None) -> None:
        """So many more rows are done, and with them so much work."""
        self.done += rows
        self.work += rows if work is None else work
        now = time.monotonic()
        if self.quiet or now - self.shown < (REFRESH if self.live else PLAIN_REFRESH):
            return
        self.shown = now
        line = shown(self.line(now - self.begun, more))
        width = shutil.get_terminal_size().columns - 1
        if self.live:
            sys.stderr.write("\r")
        say(sys.stderr, f"{line[:width]:<{width}}" if self.live else line, end="" if self.live else "\n")
        sys.stderr.flush()

    def line(self, seconds: float, more: str) -> str:
        """The state in one line."""
        speed = self.done / max(seconds, 1e-9)
        head = f"{self.what}: {self.done:,} {self.unit}"
        if self.total:
            share = min(self.work / self.total, 1.0)
            filled = int(BAR * share)
            left = max(self.total - self.work, 0.0) / max(self.work, 1e-9) * seconds
            head += f" [{'#' * filled}{'.' * (BAR - filled)}] {share:4.0%}, {clock(left)} left"
        return f"{head}, {speed:,.{0 if speed >= 10 else 1}f} {self.unit}/s{more}"

    def close(self) -> None:
        """Make room for the next line."""
        if self.live and not self.quiet:
            sys.stderr.write("\r" + " " * (shutil.get_terminal_size().columns - 1) + "\r")


def clock(seconds: float) -> str:
    """A time in words."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds // 60:.0f} min {seconds % 60:02.0f} s" if seconds < 3600 else f"{seconds / 3600:.1f} h"


def plain(value: Any) -> Any:
    """A value as JSON can hold it; numbers that are none become null."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value
