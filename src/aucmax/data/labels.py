"""Labels from columns, and the positive class by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.data.columns import as_numbers, as_text, kind_of
from aucmax.data.errors import DataError

LONGEST_LABEL = 1000  # characters; an array of text gives every label the room of the longest


def labels_of(column: Any, name: str, path: str, row: int = 0) -> np.ndarray:
    """A column of a table as labels: whole numbers, other numbers, or text; a missing one is an error."""
    kind = kind_of(column.type, name, path)
    lacking = column.is_null(nan_is_null=True).to_numpy(zero_copy_only=False)
    if lacking.any():
        at = row + int(np.argmax(lacking)) + 1
        raise DataError(f"the label in column {name!r} is missing in row {at}; fill it in or drop the row", path)
    if kind == "category":
        words = as_text(column).to_pylist()
        longest = max(map(len, words), default=0)
        if longest > LONGEST_LABEL:
            raise DataError(
                f"column {name!r} has a label of {longest:,} characters, expected at most {LONGEST_LABEL:,}; "
                "is it the column of the labels?",
                path,
            )
        return np.asarray(words, dtype=str)
    values = as_numbers(column, kind)
    if np.isinf(values).any():
        raise DataError(
            f"the label in column {name!r} is infinite in row {row + int(np.argmax(np.isinf(values))) + 1}", path
        )
    return values


def tidy(y: np.ndarray) -> np.ndarray:
    """Labels as whole numbers where they are such."""
    if y.dtype.kind == "f" and np.all(np.abs(y) < 2**53) and np.all(y == np.rint(y)):
        return y.astype(np.int64)
    return y


def is_positive(y: np.ndarray, positive: Any, path: str) -> np.ndarray:
    """Which labels are the positive class, given as a label or as the text of one."""
    if y.dtype.kind not in "biuf":
        return np.asarray(y == str(positive))
    try:
        return np.asarray(y == float(positive))
    except (TypeError, ValueError):
        raise DataError(
            f"positive={positive!r}, but the labels are numbers such as {y[:1].tolist()}; name one of them", path
        ) from None


def relabelled(y: np.ndarray, positive: Any, path: str) -> np.ndarray:
    """1 for the positive class, 0 for all others; as they are where none is named."""
    if positive is None:
        return tidy(y)
    chosen = is_positive(y, positive, path)
    if not chosen.any():
        seen = np.unique(y)[:8].tolist()
        raise DataError(f"no row has the label {positive!r}; seen {seen}", path)
    return chosen.astype(np.int64)
