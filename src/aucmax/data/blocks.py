"""Plain columns of numbers of a batch, many at a time: one by one, each would cost more than its values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from aucmax.data.optional import arrow

BLOCK_VALUES = 2**19  # of a matrix made of columns: it fits the cache


def plain_columns(batch: Any) -> list[bool]:
    """For every column of a batch, whether it holds plain numbers."""
    if isinstance(batch, WideBatch):
        return [place >= 0 for place in batch.columns.places.tolist()]
    types = arrow().types
    tests = (types.is_integer, types.is_float32, types.is_float64)
    return [any(is_one(kind) for is_one in tests) for kind in batch.schema.types]


def matrices(batch: Any, at: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """The plain columns at some positions as matrices, NaN where missing: some rows at a time, and their first."""
    if not len(at):
        return
    if isinstance(batch, WideBatch):
        places = batch.columns.places[at]
        ordered = places[-1] - places[0] == len(at) - 1 and bool((np.diff(places) == 1).all())
        yield 0, batch.numbers[:, places[0] : places[-1] + 1] if ordered else batch.numbers[:, places]
        return
    chosen = batch.select(at.tolist())
    step = max(1, BLOCK_VALUES // len(at))
    for start in range(0, batch.num_rows, step):
        rows = chosen if start == 0 and step >= batch.num_rows else chosen.slice(start, step)
        yield start, np.asarray(rows.to_tensor(null_to_nan=True, row_major=True).to_numpy())


def all_finite(block: np.ndarray) -> bool:
    """Whether no number is infinite or NaN; their sum tells it at once unless it overflows."""
    with np.errstate(all="ignore"):
        return bool(np.isfinite(block.sum())) or bool(np.isfinite(block).all())


class WideColumns:
    """The columns of a table of very many: where each one's numbers are, or -1 where it holds something else."""

    def __init__(self, names: list[str], places: np.ndarray) -> None:
        self.names, self.places = names, places
        self.positions = {name: k for k, name in enumerate(names)}


class WideBatch:
    """Rows of such a table: the numbers as one matrix, an Arrow batch for the rest."""

    def __init__(self, columns: WideColumns, numbers: np.ndarray, rest: Any) -> None:
        self.columns, self.numbers, self.rest = columns, numbers, rest

    @property
    def schema(self) -> WideColumns:
        """The columns, by whose names they are looked up."""
        return self.columns

    @property
    def num_rows(self) -> int:
        """How many rows there are."""
        return len(self.numbers)

    def column(self, name: str) -> Any:
        """One column, as Arrow would have it."""
        place = self.columns.places[self.columns.positions[name]]
        if place < 0:
            return self.rest.column(name)
        pa, values = arrow(), np.ascontiguousarray(self.numbers[:, place])
        return pa.array(values, from_pandas=True)
