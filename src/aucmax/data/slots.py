"""The numbers that a rule of ``TableEncoder`` makes of a column."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from aucmax.data.columns import as_numbers, as_text
from aucmax.data.errors import DataError
from aucmax.data.optional import arrow


def codes(rule: Any, column: Any) -> np.ndarray:
    """For every row, the column of its category, or -1."""
    pa, pc = arrow(), arrow(".compute")
    text = as_text(column)
    found = pc.index_in(text, value_set=pa.array(rule.categories, pa.string()))
    found = found.fill_null(len(rule.categories) if rule.other else -1)
    at = np.asarray(found.to_numpy(zero_copy_only=False).astype(np.int64))
    at[text.is_null().to_numpy(zero_copy_only=False)] = len(rule.categories) + rule.other if rule.missing else -1
    return at


def numbers(rule: Any, column: Any, path: str, row: int) -> tuple[np.ndarray, np.ndarray | None]:
    """The numbers of a column, missing ones filled in, and which are missing, if any."""
    try:
        values = as_numbers(column, rule.kind)
    except arrow().lib.ArrowException as error:
        raise DataError(f"column {rule.name!r} held {rule.kind}s in training, but not here: {error}", path) from error
    if np.isfinite(values).all():
        return values, None
    if np.isinf(values).any():
        at_row = row + int(np.argmax(np.isinf(values))) + 1
        raise DataError(f"column {rule.name!r} is infinite in row {at_row}; expected finite numbers", path)
    lacking = np.isnan(values)
    return np.where(lacking, rule.fill, values), lacking


def entries(rule: Any, column: Any, path: str, row: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """For every slot of a rule: the column of each row's entry, or -1, and its value."""
    n = len(column)
    if rule.kind == "category":
        return [(codes(rule, column), np.ones(n))]
    values, lacking = numbers(rule, column, path, row)
    found = [(np.zeros(n, dtype=np.int64), values)]
    if rule.missing:
        found.append((np.full(n, -1) if lacking is None else np.where(lacking, 1, -1), np.ones(n)))
    return found


def as_csr(slots: list[tuple[np.ndarray, np.ndarray]], n: int, width: int) -> Any:
    """Rows from their slots."""
    columns = np.column_stack([column for column, _ in slots])
    values = np.column_stack([value for _, value in slots])
    kept = (columns >= 0) & (values != 0.0)
    indptr = np.zeros(n + 1, dtype=np.int32)
    np.cumsum(kept.sum(axis=1), out=indptr[1:])
    X = sp.csr_matrix((values[kept], columns[kept].astype(np.int32), indptr), shape=(n, width))
    X.has_canonical_format = True
    return X
