"""The sets of the papers by name: found in a folder, in the cache, or fetched and checked."""

from __future__ import annotations

import os
import tomllib
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from aucmax.data.download import checksum, download
from aucmax.data.errors import DataError
from aucmax.data.libsvm import read_libsvm
from aucmax.data.table import Table
from aucmax.kernel.folder import cache_root

SUFFIXES = ("", ".bz2", ".gz", ".xz", ".zst", ".libsvm", ".txt")


class NamedSet(NamedTuple):
    """What is known of a set.

    Attributes
    ----------
    name, source : str
        What it is called, and where it comes from.
    rows, columns : int
        Its shape.
    positive_rate : float
        The share of positive rows once the labels are two.
    labels : str
        How they become two: "as they are", "even against odd", or "2 against the rest".
    preprocessing : str
        What the papers do to the rows; ``load_set`` leaves them as they are.
    sha256 : str
        Of the decompressed text, without newlines at its end.
    url : str
        Where it can be fetched; empty where no public file with these bytes is known.
    """

    name: str
    rows: int
    columns: int
    positive_rate: float
    labels: str
    preprocessing: str
    source: str
    sha256: str
    url: str = ""


@cache
def named_sets() -> dict[str, NamedSet]:
    """All sets by name."""
    text = resources.files("aucmax.data").joinpath("sets.toml").read_text(encoding="utf-8")
    return {name: NamedSet(name=name, **entry) for name, entry in tomllib.loads(text).items()}


def set_of(name: str) -> NamedSet:
    """A set by its name."""
    known = named_sets()
    if name not in known:
        raise DataError(f"no set {name!r} is known; known are {', '.join(known)}")
    return known[name]


def cache_folder() -> Path | None:
    """Where fetched sets are kept; None where the user has no folder for such things."""
    root = cache_root()
    return None if root is None else root / "sets"


def found(name: str, data_dir: Any = None) -> Path | None:
    """The file of a set in a folder (that of AUCMAX_DATA by default) or in the cache; None where there is none."""
    folders = [data_dir or os.environ.get("AUCMAX_DATA"), cache_folder()]
    paths = (Path(folder) / f"{name}{suffix}" for folder in folders if folder for suffix in SUFFIXES)
    return next((path for path in paths if path.is_file()), None)


def fetch(name: str, *, data_dir: Any = None, report: Any = None) -> Path:
    """The file of a named set: from a folder, from the cache, or downloaded, resumed where it was cut off, and checked.

    Parameters
    ----------
    name : str
        One of ``named_sets()``.
    data_dir : path, optional
        A folder that is searched first; by default the one that the environment variable AUCMAX_DATA names.
    report : callable, optional
        Called with the bytes so far and in all, or None where that is not known.

    Returns
    -------
    Path
        The file, LIBSVM text, perhaps compressed.

    Raises
    ------
    DataError
        If the set is not known, cannot be fetched, or has another checksum.
    """
    wanted = set_of(name)
    path = found(name, data_dir)
    if path is not None:
        return path
    if not wanted.url:
        raise DataError(
            f"no public file of {name} with known bytes; put {name}.bz2 into a folder and name it by AUCMAX_DATA or "
            "--data-dir"
        )
    suffix = next((s for s in SUFFIXES[1:] if wanted.url.endswith(s)), "")
    folder = cache_folder()
    if folder is None:
        raise DataError("no home folder is known to keep sets in; name one in AUCMAX_CACHE_DIR")
    path = folder / f"{name}{suffix}"
    download(wanted.url, path, wanted.sha256, report)
    return path


def load_set(name: str, *, data_dir: Any = None, check: bool = False) -> Table:
    """Read a named set, with labels 1 and 0.

    Parameters
    ----------
    name, data_dir
        As in :func:`fetch`.
    check : bool, default=False
        Whether to compare the checksum of a file found in a folder or in the cache.

    Returns
    -------
    Table
        ``X`` as in the file, ``y`` as 1 and 0 by the rule that ``named_sets()[name].labels`` tells.
    """
    wanted, path = set_of(name), fetch(name, data_dir=data_dir)
    if check and checksum(path) != wanted.sha256:
        raise DataError(f"the checksum is not that of {name}; the file is damaged or another one", path)
    table = read_libsvm(path, n_features=wanted.columns)
    y = np.asarray(table.y)
    if wanted.labels == "even against odd":
        positive = y % 2 == 0
    else:
        positive = y == (2 if wanted.labels == "2 against the rest" else y.max())
    return table._replace(y=positive.astype(np.int64))
