"""What the rules of a ``TableEncoder`` are made from: one pass over the batches of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from aucmax.data.blocks import all_finite, matrices, plain_columns
from aucmax.data.columns import as_numbers, as_text, kind_of
from aucmax.data.errors import DataError
from aucmax.data.optional import arrow

MOST_COUNTED = 200_000  # distinct values of a column that are counted; then the rarer half is let go


class Found(NamedTuple):
    """What is known of a column: values seen and missing, the median of numbers, how often each text occurs."""

    name: str
    kind: str
    seen: int
    missing: int
    median: float
    counts: dict[str, int]


class Numbers:
    """Columns of plain numbers, together: how many values are missing, and a sample of rows for the medians."""

    def __init__(self, columns: int, sampled: int) -> None:
        self.sampled, self.kept, self.rows, self.stride = sampled, 0, 0, 1
        self.missing = np.zeros(columns, dtype=np.int64)
        self.values: list[np.ndarray] = []

    def add(self, block: np.ndarray) -> None:
        """Count some rows."""
        if not all_finite(block):
            self.missing += np.count_nonzero(np.isnan(block), axis=0)
        taken = block[-self.rows % self.stride :: self.stride].copy()  # a view would keep the whole block
        self.values.append(taken)
        self.kept, self.rows = self.kept + len(taken), self.rows + len(block)
        while self.kept > self.sampled:
            self.values, self.stride = [np.concatenate(self.values)[::2].copy()], 2 * self.stride
            self.kept = len(self.values[0])

    def medians(self) -> np.ndarray:
        """The median of the numbers that are there; 0 where it is not finite."""
        if not self.kept:
            return np.zeros(len(self.missing))
        values = self.values[0] if len(self.values) == 1 else np.concatenate(self.values)
        self.values = []
        values.sort(axis=0)  # NaN last
        count = len(values) - np.count_nonzero(np.isnan(values), axis=0)
        each = np.arange(values.shape[1])
        low, high = (values[np.maximum(at, 0), each].astype(float) for at in ((count - 1) // 2, count // 2))
        with np.errstate(all="ignore"):
            found: np.ndarray = (low + high) / 2.0
        return np.where(np.isfinite(found), found, 0.0)


class Counter:
    """One column of anything else."""

    def __init__(self, sampled: int) -> None:
        self.numbers = Numbers(1, sampled)
        self.kind: str | None = None
        self.missing, self.rows = 0, 0
        self.counts: dict[str, int] = {}

    def add(self, column: Any) -> None:
        """Count some rows."""
        self.rows += len(column)
        if self.kind == "category":
            column = as_text(column)
            for item in arrow(".compute").value_counts(column.drop_null()).to_pylist():
                self.counts[item["values"]] = self.counts.get(item["values"], 0) + item["counts"]
            if len(self.counts) > MOST_COUNTED:
                ranked = sorted(self.counts.items(), key=lambda pair: -pair[1])
                self.counts = dict(ranked[: MOST_COUNTED // 2])
            self.missing += column.null_count
        elif self.kind == "empty":
            self.missing += len(column)
        else:
            before = int(self.numbers.missing[0])
            self.numbers.add(as_numbers(column, self.kind or "number").reshape(-1, 1))
            self.missing += int(self.numbers.missing[0]) - before

    def found(self, name: str) -> Found:
        """What is known of it."""
        median = 0.0 if self.kind == "category" else float(self.numbers.medians()[0])
        return Found(name, self.kind or "number", self.rows - self.missing, self.missing, median, self.counts)


def counted(batches: Iterable[Any], names: list[str], texts: tuple[str, ...], sampled: int, path: str) -> list[Found]:
    """What a pass over the batches tells of some columns, those of plain numbers taken together."""
    plain: list[str] = []
    at = np.empty(0, dtype=np.int64)
    numbers, others = Numbers(0, sampled), dict[str, Counter]()
    rows, schema = 0, None
    for batch in batches:
        if schema is None:
            schema, is_plain = batch.schema, plain_columns(batch)
            where = {name: k for k, name in enumerate(schema.names)}
            plain = [name for name in names if is_plain[where[name]] and name not in texts]
            at, known = np.array([where[name] for name in plain], dtype=np.int64), set(plain)
            numbers, others = Numbers(len(plain), sampled), {n: Counter(sampled) for n in names if n not in known}
        rows += batch.num_rows
        for _, block in matrices(batch, at):
            numbers.add(block)
        for name, counter in others.items():
            _count(counter, name, batch.column(name), texts, path)
    if not rows:
        raise DataError("no rows; expected some below the names of the columns", path)
    together = dict(zip(plain, _of_numbers(numbers, plain), strict=True))
    return [together[name] if name in together else others[name].found(name) for name in names]


def _count(counter: Counter, name: str, column: Any, texts: tuple[str, ...], path: str) -> None:
    if counter.kind is None or counter.kind == "empty":
        counter.kind = "category" if name in texts else kind_of(column.type, name, path)
    counter.add(column)


def _of_numbers(numbers: Numbers, names: list[str]) -> Iterator[Found]:
    missing, medians = numbers.missing.tolist(), numbers.medians().tolist()
    for name, lacking, median in zip(names, missing, medians, strict=True):
        yield Found(name, "number", numbers.rows - lacking, lacking, median, {})
