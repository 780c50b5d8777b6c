"""Fewer columns than a table has, without another model: those that hold anything, or the span of few rows.

A loss sees differences of scores alone, and a penalty the length of the weights of scaled columns: so the best weights
are a combination of the scaled rows, less their mean. Of few rows and many columns, the coordinates of the rows within
their own span take the place of the columns, and weights are taken back to the columns in the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from aucmax.classifier.scaling import spread, used_columns
from aucmax.classifier.table import Table
from aucmax.model.data import as_rows
from aucmax.model.newton import MATRIX_LIMIT

FEW_ROWS = 1000  # up to which the span of the rows is quickly found
BLOCK_VALUES = 2**22  # of scaled columns at a time
NOISE = 1e-13  # eigenvalues below this part of the largest are rounding


class Span(NamedTuple):
    """Rows of a dense table, less their mean and over the sizes of their columns, as combinations of a basis."""

    X: np.ndarray
    mean: np.ndarray
    sizes: np.ndarray
    basis: np.ndarray  # (rows, coordinates): the basis as combinations of the rows

    @classmethod
    def of(cls, table: Table) -> tuple[Span, np.ndarray]:
        """The span of a table's rows, and their coordinates in it."""
        X, (sizes,) = table.data.matrix, table.sizes.values()
        span = cls(X, X.mean(axis=0, dtype=np.float64), sizes, np.eye(len(X)))
        products = np.zeros((len(X), len(X)))
        for _, z in span._blocks():
            products += z @ z.T
        values, vectors = np.linalg.eigh(products)
        if values[-1] <= 0.0:  # all rows are the same
            return span._replace(basis=np.zeros((len(X), 1))), np.zeros((len(X), 1))
        kept = values > NOISE * values[-1]
        root = np.sqrt(values[kept])
        return span._replace(basis=vectors[:, kept] / root), vectors[:, kept] * root

    def weights(self, lines: np.ndarray) -> np.ndarray:
        """The weights of the columns for weights of the coordinates, one line each."""
        out, amounts = np.empty((len(lines), len(self.sizes))), lines @ self.basis.T
        for at, z in self._blocks():
            out[:, at] = amounts @ z / self.sizes[at]
        return out

    def _blocks(self) -> Any:
        """The scaled columns, some at a time."""
        step = max(BLOCK_VALUES // len(self.X), 1)
        for start in range(0, self.X.shape[1], step):
            at = slice(start, start + step)
            yield at, (self.X[:, at] - self.mean[at]) / self.sizes[at]


class Narrow(NamedTuple):
    """A table with fewer columns, and the way back to all of them."""

    table: Table
    d: int
    used: np.ndarray | None = None  # the columns that hold anything, where that spares many
    span: Span | None = None
    shift: np.ndarray | float = 0.0  # what the rows have lost on the way into their span

    @classmethod
    def of(cls, X: Any, ball: bool, made: Callable[[Any], Table]) -> Narrow:
        """The table made of the columns of validated rows; a span needs a penalty that is an l2 alone, a ball."""
        used = used_columns(X)
        table = made(X if used is None else X[:, used])
        n, d = table.data.n, table.data.d
        if not ball or not table.data.dense or n > FEW_ROWS or d <= max(n, MATRIX_LIMIT):
            return cls(table, d if used is None else X.shape[1], used)
        span, coordinates = Span.of(table)
        data = replace(table.data, rows=as_rows(coordinates), d=coordinates.shape[1])
        ones = dict.fromkeys(table.sizes, np.ones(data.d))
        return cls(
            table._replace(data=data, sizes=ones, shift=np.zeros(data.d)), d, None, span, table.shift + span.mean
        )

    @property
    def words(self) -> str:
        """What there is to say of it."""
        return "" if self.span is None else ", in the span of the rows, which are fewer than the columns"

    def weights(self, lines: np.ndarray) -> np.ndarray:
        """Weights of all columns."""
        if self.span is not None:
            return self.span.weights(lines)
        return lines if self.used is None else spread(lines, self.used, self.d, 0.0)

    def sizes(self, known: np.ndarray) -> np.ndarray:
        """Sizes of all columns."""
        if self.span is not None:
            return self.span.sizes
        return known if self.used is None else spread(known, self.used, self.d, 1.0)
