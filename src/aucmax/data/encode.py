"""Rules by which the columns of a table become numbers; found on training rows, kept with the model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator

from aucmax.data.columns import as_numbers, as_text, kind_of
from aucmax.data.errors import DataError
from aucmax.data.slots import as_csr, codes, entries, numbers
from aucmax.data.tables import arrow

MOST_COUNTED = 200_000  # distinct values of a column that are counted; then the rarer half is let go
SAMPLED = 2**18  # values of a column that its median is taken from, at most
SAMPLED_IN_ALL = 2**21  # values of all columns, so that a wide table does not fill the memory
FEWEST_SAMPLED = 2**10
SPARSE_BELOW = 0.25  # the share of entries under which rows are kept sparse


class Rule(NamedTuple):
    """How one column becomes numbers.

    Attributes
    ----------
    name : str
        The column.
    kind : {"number", "date", "category"}
        Numbers as they are, dates as seconds since 1970, or one column of 0 and 1 for each category.
    fill : float
        What a missing number is taken for: the median of the training rows.
    missing : bool
        Whether a column tells missing values apart; so where there were some in the training rows.
    categories : tuple of str
        The values that have a column of their own, the most frequent first.
    other : bool
        Whether all other values share one; else they are all zeros.
    """

    name: str
    kind: str
    fill: float = 0.0
    missing: bool = False
    categories: tuple[str, ...] = ()
    other: bool = False

    @property
    def columns(self) -> list[str]:
        """The names of the columns it makes."""
        own = [f"{self.name}={value}" for value in self.categories] if self.kind == "category" else [self.name]
        return own + [f"{self.name} is other"] * self.other + [f"{self.name} is missing"] * self.missing

    def describe(self) -> str:
        """The rule in words."""
        if self.kind == "category":
            text = f"{len(self.categories)} categories" + (", others together" if self.other else "")
            return text + (", missing apart" if self.missing else ", missing as none of them")
        text = f"missing as {self.fill:g}" + (", with a column that says so" if self.missing else "")
        return text if self.kind == "number" else f"seconds since 1970, {text}"


class TableEncoder(BaseEstimator):  # type: ignore[misc]
    """Turns the columns of tables into numbers, by rules found on training rows.

    Numbers and truth values stay, dates become seconds since 1970, and a missing one takes the median of the training
    rows, with a further column of 0 and 1 if there were any. Text becomes a column of 0 and 1 for each of the most
    frequent values; rarer and unknown values share one, missing ones have one. Infinite numbers are an error.

    Parameters
    ----------
    max_categories : int, default=100
        Values of a text column that get a column of their own, at least 1.
    min_count : int, default=2
        Rows that such a value must have, at least 1.
    categorical : tuple of str, default=()
        Columns to be taken as text though they look like numbers.
    drop : tuple of str, default=()
        Columns to be left out.

    Attributes
    ----------
    rules_ : tuple of Rule
        One for each column, in order. Columns without a value are left out.
    names_ : list of str
        The columns of the result.
    sparse_ : bool
        Whether the result is a CSR matrix: where less than a quarter of its entries can differ from zero.
    """

    def __init__(
        self,
        max_categories: int = 100,
        min_count: int = 2,
        categorical: tuple[str, ...] = (),
        drop: tuple[str, ...] = (),
    ) -> None:
        self.max_categories, self.min_count, self.categorical, self.drop = max_categories, min_count, categorical, drop

    def fit(self, batches: Iterable[Any], columns: list[str], path: str = "") -> Self:
        """Find the rules for some columns of a table, in one pass over its batches."""
        for name in (*self.categorical, *self.drop):
            if name not in columns:
                raise DataError(f"no column {name!r} to drop or take as categorical; seen {columns[:12]}", path)
        columns = [name for name in columns if name not in self.drop]
        sampled = max(FEWEST_SAMPLED, min(SAMPLED, SAMPLED_IN_ALL // max(len(columns), 1)))
        counters = {name: _Counter(sampled) for name in columns}
        for batch in batches:
            for name in columns:
                column = batch.column(name)
                if counters[name].kind is None or counters[name].kind == "empty":
                    counters[name].kind = "category" if name in self.categorical else kind_of(column.type, name, path)
                counters[name].add(column)
        if not any(counter.rows for counter in counters.values()):
            raise DataError("no rows; expected some below the names of the columns", path)
        rules = [counter.rule(name, self) for name, counter in counters.items() if counter.seen]
        if not rules:
            raise DataError("no columns with values beside the target; expected at least one", path)
        self.rules_ = tuple(rules)
        self.names_ = [column for rule in rules for column in rule.columns]
        entries = sum(1 + (rule.kind != "category" and rule.missing) for rule in rules)
        self.sparse_ = entries < SPARSE_BELOW * len(self.names_)
        return self

    @property
    def texts(self) -> list[str]:
        """The columns that are read as text."""
        return [rule.name for rule in self.rules_ if rule.kind == "category"]

    def transform(self, batch: Any, path: str = "", row: int = 0, out: np.ndarray | None = None) -> Any:
        """The rows of a batch as a matrix, dense ones in ``out`` if given; messages count from row number ``row``."""
        n, width = batch.num_rows, len(self.names_)
        known = set(batch.schema.names)
        lacking = [rule.name for rule in self.rules_ if rule.name not in known]
        if lacking:
            raise DataError(f"no column {lacking[0]!r}, which the model knows; seen {batch.schema.names[:12]}", path)
        if not self.sparse_:
            return self._dense(batch, path, row, np.empty((n, width)) if out is None else out)
        slots: list[tuple[np.ndarray, np.ndarray]] = []
        first = 0
        for rule in self.rules_:
            for column, value in entries(rule, batch.column(rule.name), path, row):
                slots.append((np.where(column < 0, -1, column + first), value))
            first += len(rule.columns)
        return as_csr(slots, n, width)

    def _dense(self, batch: Any, path: str, row: int, X: np.ndarray) -> np.ndarray:
        first = 0
        for rule in self.rules_:
            column, width = batch.column(rule.name), len(rule.columns)
            if rule.kind == "category":
                at = codes(rule, column)
                there = np.flatnonzero(at >= 0)
                X[:, first : first + width] = 0.0
                X[there, first + at[there]] = 1.0
            else:
                X[:, first], lacking = numbers(rule, column, path, row)
                if rule.missing:
                    X[:, first + 1] = 0.0 if lacking is None else lacking
            first += width
        return X


class _Counter:
    """What is known of a column so far."""

    def __init__(self, sampled: int) -> None:
        self.sampled, self.kept = sampled, 0
        self.kind: str | None = None
        self.missing, self.seen, self.rows = 0, 0, 0
        self.counts: dict[str, int] = {}
        self.values: list[np.ndarray] = []
        self.stride = 1

    def add(self, column: Any) -> None:
        pc = arrow(".compute")
        if self.kind == "category":
            column = as_text(column)
            for item in pc.value_counts(column.drop_null()).to_pylist():
                self.counts[item["values"]] = self.counts.get(item["values"], 0) + item["counts"]
            if len(self.counts) > MOST_COUNTED:
                ranked = sorted(self.counts.items(), key=lambda pair: -pair[1])
                self.counts = dict(ranked[: MOST_COUNTED // 2])
            lacking = column.null_count
        elif self.kind == "empty":
            lacking = len(column)
        else:
            lacking = self._sample(as_numbers(column, self.kind or "number"))
        self.missing += lacking
        self.seen += len(column) - lacking
        self.rows += len(column)

    def _sample(self, values: np.ndarray) -> int:
        """Keep some values; how many are missing."""
        lacking = np.isnan(values)
        missing = int(np.count_nonzero(lacking))
        there = values[~lacking] if missing else values
        taken = there[:: self.stride].copy()  # a view would keep the whole column
        self.values.append(taken)
        self.kept += len(taken)
        while self.kept > self.sampled:
            self.values, self.stride = [np.concatenate(self.values)[::2].copy()], 2 * self.stride
            self.kept = len(self.values[0])
        return missing

    def rule(self, name: str, encoder: TableEncoder) -> Rule:
        if self.kind != "category":
            fill = float(np.median(np.concatenate(self.values)))
            return Rule(name, self.kind or "number", fill if np.isfinite(fill) else 0.0, self.missing > 0)
        ranked = sorted(self.counts.items(), key=lambda pair: (-pair[1], pair[0]))
        kept = [value for value, count in ranked[: encoder.max_categories] if count >= encoder.min_count]
        other = sum(self.counts[value] for value in kept) < self.seen
        return Rule(name, "category", 0.0, self.missing > 0, tuple(kept), other)
