"""Rules by which the columns of a table become numbers; found on training rows, kept with the model."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple, Self

from sklearn.base import BaseEstimator

from aucmax.data.counting import Found, counted
from aucmax.data.errors import DataError
from aucmax.data.layout import Layout

SAMPLED = 2**18  # values of a column that its median is taken from, at most
SAMPLED_IN_ALL = 2**21  # values of all columns, so that a wide table does not fill the memory
FEWEST_SAMPLED = 2**10
MOST_SAMPLED_IN_ALL = 2**26  # even so
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
    def width(self) -> int:
        """How many columns it makes."""
        own = len(self.categories) if self.kind == "category" else 1
        return own + self.other + self.missing

    @property
    def columns(self) -> list[str]:
        """The names of the columns it makes."""
        own = [f"{self.name}={value}" for value in self.categories] if self.kind == "category" else [self.name]
        return own + [f"{self.name} is other"] * self.other + [f"{self.name} is missing"] * self.missing

    @property
    def sound(self) -> bool:
        """Whether every field is of the type and in the range that it should be; it may come from a file."""
        return (
            type(self.name) is str
            and self.kind in ("number", "date", "category")
            and type(self.fill) is float
            and math.isfinite(self.fill)
            and type(self.missing) is type(self.other) is bool
            and type(self.categories) is tuple
            and all(type(value) is str for value in self.categories)
        )

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
        fewest = min(FEWEST_SAMPLED, max(64, MOST_SAMPLED_IN_ALL // max(len(columns), 1)))
        sampled = max(fewest, min(SAMPLED, SAMPLED_IN_ALL // max(len(columns), 1)))
        found = counted(batches, columns, self.categorical, sampled, path)
        rules = [self._rule(one) for one in found if one.seen]
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

    def layout(self, path: str = "") -> Layout:
        """What turns batches of one table into matrices."""
        return Layout(self.rules_, len(self.names_), self.sparse_, path)

    def transform(self, batch: Any, path: str = "", row: int = 0) -> Any:
        """The rows of a batch as a matrix; messages count from row number ``row``."""
        return self.layout(path).rows(batch, row)

    def _rule(self, found: Found) -> Rule:
        if found.kind != "category":
            return Rule(found.name, found.kind, found.median, found.missing > 0)
        ranked = sorted(found.counts.items(), key=lambda pair: (-pair[1], pair[0]))
        kept = [value for value, count in ranked[: self.max_categories] if count >= self.min_count]
        other = sum(found.counts[value] for value in kept) < found.seen
        return Rule(found.name, "category", 0.0, found.missing > 0, tuple(kept), other)
