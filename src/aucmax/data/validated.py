"""Batches of columns from files, checked in full before anything reads them."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.data.errors import DataError
from aucmax.data.limits import Bound
from aucmax.data.optional import arrow

NUMBER = 8  # bytes that a value takes as float64


def validated(batch: Any, bound: Bound, number: int) -> Any:
    """A batch whose offsets, indices and text are sound, and whose values are not too many; else an error."""
    try:
        batch.validate(full=True)
    except arrow().lib.ArrowException as error:
        words = str(error).splitlines()[0][:200]
        raise DataError(f"record batch {number + 1} is damaged ({words}); get the file again", bound.path) from error
    bound.check(sum(size_of(column) for column in batch.columns), f"record batch {number + 1}: values")
    return batch


def size_of(column: Any) -> int:
    """The bytes that a sound column takes as plain text or as numbers."""
    types = arrow().types
    if types.is_dictionary(column.type):
        return _of_dictionary(column)
    if types.is_string_view(column.type) or types.is_binary_view(column.type):
        return int(_view_lengths(column).sum()) + NUMBER * len(column)
    return max(int(column.nbytes), NUMBER * len(column))


def _of_dictionary(column: Any) -> int:
    """Every value of a dictionary may occur in any number of rows."""
    values = column.dictionary
    types = arrow().types
    if types.is_string_view(values.type) or types.is_binary_view(values.type):
        lengths = _view_lengths(values)
    elif any(is_one(values.type) for is_one in (types.is_string, types.is_large_string, types.is_binary)):
        lengths = np.asarray(arrow(".compute").binary_length(values).fill_null(0).to_numpy(zero_copy_only=False))
    else:
        return NUMBER * len(column)
    at = column.indices.drop_null().to_numpy(zero_copy_only=False)
    return int(lengths.astype(np.int64)[at].sum()) + NUMBER * len(column)


def _view_lengths(column: Any) -> np.ndarray:
    """The lengths of texts that are views: the first of the four numbers of each."""
    views = np.frombuffer(column.buffers()[1], "<i4")[4 * column.offset : 4 * (column.offset + len(column)) : 4]
    present = column.is_valid().to_numpy(zero_copy_only=False)
    return np.where(present, views, 0).astype(np.int64)
