"""Batches of a table as matrices, by the rules of a ``TableEncoder``."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.data.blocks import all_finite, matrices, plain_columns
from aucmax.data.errors import DataError
from aucmax.data.slots import as_csr, codes, entries, numbers


class Layout:
    """Where the columns of batches go; found on the first batch, since looking up many names takes its time."""

    def __init__(self, rules: tuple[Any, ...], width: int, sparse: bool, path: str) -> None:
        self.rules, self.width, self.sparse, self.path = rules, width, sparse, path
        self.firsts = np.cumsum([0, *(rule.width for rule in rules)])[:-1]
        self.schema: Any = None

    def _learn(self, batch: Any) -> None:
        names = batch.schema.names
        where, plain = {name: k for k, name in enumerate(names)}, plain_columns(batch)
        lacking = next((rule.name for rule in self.rules if rule.name not in where), None)
        if lacking is not None:
            raise DataError(f"no column {lacking!r}, which the model knows; seen {names[:12]}", self.path)
        known = [k for k, rule in enumerate(self.rules) if rule.kind == "number" and plain[where[rule.name]]]
        self.at = np.array([where[self.rules[k].name] for k in known], dtype=np.int64)
        self.fill = np.array([self.rules[k].fill for k in known])
        self.marked = np.flatnonzero([self.rules[k].missing for k in known])
        to = self.firsts[known] if known else np.empty(0, dtype=np.int64)
        self.marks = to[self.marked] + 1
        together = len(to) and to[-1] - to[0] == len(to) - 1
        self.to: Any = slice(int(to[0]), int(to[-1]) + 1) if together else to
        ours = set(known)
        self.others = [k for k in range(len(self.rules)) if k not in ours]
        self.schema = batch.schema

    def rows(self, batch: Any, row: int, out: np.ndarray | None = None) -> Any:
        """The rows of a batch as a matrix, dense ones perhaps in ``out``; messages count from row number ``row``."""
        if self.schema is None or (self.schema is not batch.schema and self.schema != batch.schema):
            self._learn(batch)
        return self._sparse(batch, row) if self.sparse else self._dense(batch, row, out)

    def _dense(self, batch: Any, row: int, out: np.ndarray | None) -> np.ndarray:
        n = batch.num_rows
        X = None
        for start, block in matrices(batch, self.at):
            filled, lacking = self._filled(block, row + start)
            if filled.shape == (n, self.width) and filled.dtype == np.float64:
                return filled  # all that there is
            X = self._room(n, out) if X is None else X
            X[start : start + len(block), self.to] = filled
            if len(self.marks):
                X[start : start + len(block), self.marks] = 0.0 if lacking is None else lacking[:, self.marked]
        X = self._room(n, out) if X is None else X
        for k in self.others:
            self._put(self.rules[k], batch, row, X[:, self.firsts[k] : self.firsts[k] + self.rules[k].width])
        return X

    def _room(self, n: int, out: np.ndarray | None) -> np.ndarray:
        return np.empty((n, self.width)) if out is None else out[:n]

    def _filled(self, block: np.ndarray, row: int) -> tuple[np.ndarray, np.ndarray | None]:
        """A block with its missing numbers filled in, and which those were, if any."""
        if all_finite(block):
            return block, None
        infinite = np.argwhere(np.isinf(block))
        if len(infinite):
            at, column = infinite[0]
            name = self.schema.names[self.at[column]]
            raise DataError(f"column {name!r} is infinite in row {row + at + 1}; expected finite numbers", self.path)
        lacking = np.isnan(block)
        return np.where(lacking, self.fill, block), lacking

    def _put(self, rule: Any, batch: Any, row: int, X: np.ndarray) -> None:
        column = batch.column(rule.name)
        if rule.kind == "category":
            at = codes(rule, column)
            there = np.flatnonzero(at >= 0)
            X[:] = 0.0
            X[there, at[there]] = 1.0
            return
        X[:, 0], lacking = numbers(rule, column, self.path, row)
        if rule.missing:
            X[:, 1] = 0.0 if lacking is None else lacking

    def _sparse(self, batch: Any, row: int) -> Any:
        slots: list[tuple[np.ndarray, np.ndarray]] = []
        for rule, first in zip(self.rules, self.firsts, strict=True):
            for column, value in entries(rule, batch.column(rule.name), self.path, row):
                slots.append((np.where(column < 0, -1, column + first), value))
        return as_csr(slots, batch.num_rows, self.width)
