"""What is wrong with a file, and where."""

from __future__ import annotations

import os
from typing import Any


class DataError(ValueError):
    """A file that cannot be read as it should.

    Attributes
    ----------
    path : str
        The file.
    line, column : int or None
        Where the fault lies, counted from 1; the column in bytes. None where the fault is the file's as a whole.
    """

    def __init__(self, message: str, path: Any = "", line: int | None = None, column: int | None = None) -> None:
        self.message, self.path, self.line, self.column = message, named(path), line, column
        place = ":".join(str(part) for part in (self.path, line, column) if part not in ("", None))
        super().__init__(f"{place}: {message}" if place else message)

    def __reduce__(self) -> Any:
        return type(self), (self.message, self.path, self.line, self.column)


class MissingPackageError(ImportError):
    """A format needs a package that is not installed."""


def named(source: Any) -> str:
    """A file's name for messages."""
    return os.fspath(source) if isinstance(source, str | os.PathLike) else str(getattr(source, "name", "") or "")


def missing(package: str, extra: str, what: str) -> MissingPackageError:
    """The error of a package that is not installed."""
    return MissingPackageError(f"{what} needs the package {package}; install it: pip install 'aucmax[{extra}]'")
