"""Validated rows as the front door takes them: columns measured, classes counted, one task a class or pair of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from aucmax.classifier.paths import Task
from aucmax.classifier.scaling import Columns, moved
from aucmax.classifier.tails import tamed
from aucmax.kernel.classes import Classes
from aucmax.model.base import checked_data
from aucmax.model.data import Data


class Table(NamedTuple):
    """The rows, gross values tamed and columns far from zero moved there, their labels and the sizes of columns."""

    data: Data
    labels: np.ndarray
    classes: np.ndarray
    sizes: dict[str, np.ndarray]  # by every measure that there is, the usual one first
    shift: np.ndarray

    @classmethod
    def of(
        cls, X: Any, labels: np.ndarray, weight: np.ndarray, group: np.ndarray | None, *, embedded: bool = False
    ) -> Table:
        """The table of rows of positive weight; the features of a kernel are bounded, so that none is gross."""
        classes = two_or_more(labels)
        ones = np.ones(len(labels), dtype=np.int8)
        whole = checked_data(X, ones, weight)
        columns = Columns.of(whole)
        tame = X if embedded else tamed(X, columns)
        if tame is not X:
            X, whole = tame, checked_data(tame, ones, weight)
            columns = Columns.of(whole)
        columns.refuse_tiny()
        shift = columns.offsets(X)
        if shift.any():
            whole = checked_data(moved(X, shift), ones, weight)
            columns = Columns.of(whole)
        return cls(replace(whole, group=group), labels, classes, columns.sizes(), shift)

    @property
    def binary(self) -> bool:
        """Whether there are two classes."""
        return len(self.classes) == 2

    def pairs(self) -> list[tuple[int, int]]:
        """All pairs of classes."""
        return list(combinations(range(len(self.classes)), 2))

    def tasks(self, one_against_one: bool) -> list[Task]:
        """Each class against the rest (of two, the larger label), or every class against each smaller one."""
        if one_against_one and not self.binary:
            return [self._task(self.classes[b], self.labels == self.classes[a]) for a, b in self.pairs()]
        return [self._task(side, None) for side in (self.classes[1:] if self.binary else self.classes)]

    def _task(self, side: Any, against: np.ndarray | None) -> Task:
        positive = self.labels == side
        weight = self.data.weight if against is None else np.where(positive | against, self.data.weight, 0.0)
        data = replace(self.data, y=np.where(positive, 1, -1).astype(np.int8), weight=weight)
        classes = Classes.of(data.y, data.weight, data.group)
        if not len(classes.pos):
            raise ValueError(
                f"No group holds a row of class {np.asarray(side).tolist()!r} and one of another, so that there is no "
                "pair to rank; give groups with rows of both, or leave groups out."
            )
        return Task(data, next(iter(self.sizes.values())), classes)

    def shares(self) -> np.ndarray:
        """The weighted share of every class."""
        mass = np.array([self.data.weight @ (self.labels == side) for side in self.classes])
        return np.asarray(mass / mass.sum())


def two_or_more(labels: np.ndarray) -> np.ndarray:
    """The labels that occur, sorted; one alone is an error."""
    classes = np.unique(labels)
    if len(classes) < 2:
        raise ValueError(
            f"y holds {len(classes)} class only, in the rows of positive sample_weight; a ranking needs 2 classes: "
            "give rows of both."
        )
    return classes
