"""Columns of Arrow tables as numbers or text."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.data.errors import DataError
from aucmax.data.optional import arrow


def kind_of(kind: Any, name: str, path: str) -> str:
    """Whether a column of an Arrow type holds numbers, dates, categories, or nothing yet."""
    types = arrow().types
    if types.is_null(kind):
        return "empty"
    if any(is_one(kind) for is_one in (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)):
        return "number"
    if any(is_one(kind) for is_one in (types.is_date, types.is_timestamp)):
        return "date"
    texts = (types.is_string, types.is_large_string, types.is_string_view, types.is_dictionary)
    if any(is_one(kind) for is_one in texts):
        return "category"
    raise DataError(f"column {name!r} is of type {kind}; expected numbers, text, truth values or dates: drop it", path)


def as_text(column: Any) -> Any:
    """A column as strings."""
    pa = arrow()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column if column.type == pa.string() else column.cast(pa.string())


def as_numbers(column: Any, kind: str) -> np.ndarray:
    """A column as float64, NaN where missing."""
    pa = arrow()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if kind == "date":
        column = column.cast(pa.timestamp("us")).cast(pa.int64())
        return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False)) / 1e6
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.uint8())
    return np.asarray(column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), dtype=float)
