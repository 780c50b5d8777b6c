"""Equal rows, which must not be learnt from in one fold and ranked in another."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from aucmax.kernel.alike import fingerprints
from aucmax.model.data import as_rows


class Alike:
    """Which rows are equal; found when it is first asked for, by the rows as they were given.

    A kernel, or the span of the rows, gives equal rows features that may differ in their last digits.
    """

    def __init__(self, X: Any, at: np.ndarray | None = None) -> None:
        self.X = X
        self.at = np.arange(X.shape[0]) if at is None else at

    def taken(self, rows: np.ndarray) -> Alike:
        """The same of some of the rows."""
        return Alike(self.X, self.at[rows])

    @cached_property
    def firsts(self) -> np.ndarray | None:
        """For every row the first one that equals it; None where all rows differ."""
        found = np.empty(len(self.at), dtype=np.uint64)
        fingerprints(as_rows(self.X), self.at, found)
        ordered = np.sort(found)
        if not (ordered[1:] == ordered[:-1]).any():
            return None
        _, first, place = np.unique(found, return_index=True, return_inverse=True)
        return np.asarray(first[place])

    @property
    def repeats(self) -> int:
        """The rows that equal an earlier one."""
        return 0 if self.firsts is None else int((self.firsts != np.arange(len(self.firsts))).sum())
