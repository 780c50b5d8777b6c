"""What pyarrow has to say of a file, in our words."""

from __future__ import annotations

import re
import struct
from typing import Any

from aucmax.data.errors import DataError
from aucmax.data.optional import arrow

BROKEN = ValueError | OSError | TypeError | EOFError | LookupError | OverflowError | struct.error


class Told:
    """Turns the errors of pyarrow into ours.

    Parameters
    ----------
    path, names
        The file and its columns.
    reading
        Whether the file is read meanwhile: then errors of the interpreter count as well, for pyarrow raises those too.
    """

    def __init__(self, path: str, names: list[str], reading: bool = True) -> None:
        self.path, self.names, self.reading = path, names, reading

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None or isinstance(error, DataError | GeneratorExit | ImportError):
            return
        if isinstance(error, arrow().lib.ArrowException | (BROKEN if self.reading else UnicodeDecodeError)):
            raise DataError(self._words(str(error)), self.path) from error

    def _words(self, text: str) -> str:
        found = re.search(r"In CSV column #(\d+): (?:Row #(\d+): )?CSV conversion error to (\w+): (.*)", text)
        if found and int(found[1]) < len(self.names):
            name = self.names[int(found[1])]
            where = f" in line {found[2]}" if found[2] else ""
            return (
                f"column {name!r} begins as {found[3]}, but holds an {found[4]}{where}; correct the value, or name the "
                "column as categorical"
            )
        found = re.search(r"Row #(\d+): Expected (\d+) columns, got (\d+)", text)
        if found:
            return (
                f"not readable as a table: {found[3]} values in line {found[1]}, expected {found[2]} as in line 1; "
                "correct the line, or check that the file is text with a line of names first"
            )
        return f"not readable as a table: {text.splitlines()[0][:200] if text else 'no reason given'}"
