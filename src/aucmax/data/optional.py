"""Packages that need not be installed."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from aucmax.data.errors import missing


def arrow(what: str = "") -> Any:
    """The package pyarrow, or an error that says how to get it."""
    try:  # asked for every column of every batch, hence the look at what is there already
        return sys.modules.get(f"pyarrow{what}") or importlib.import_module(f"pyarrow{what}")
    except ModuleNotFoundError as error:
        raise missing("pyarrow", "tables", "A table (CSV, Parquet, Arrow, Feather or a data frame)") from error
