"""The two classes of the rows, as sums over pairs take them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Classes(NamedTuple):
    """Which rows are positive and which negative, with weights whose products sum to one over all pairs.

    Without groups the weights of either class sum to one. With groups, rows of different ones make no pair, and rows
    without a partner in their group are in neither class.
    """

    pos: np.ndarray
    neg: np.ndarray
    weight: np.ndarray
    even: bool  # whether all rows of a class weigh the same
    group: np.ndarray | None = None  # of every row, counted from zero

    @classmethod
    def of(cls, y: np.ndarray, weight: np.ndarray, group: np.ndarray | None = None) -> Classes:
        """The classes of labelled rows of positive weight; sums over pairs then are means over pairs."""
        positive, part = y > 0, weight > 0.0
        if group is not None:
            return cls._within(positive, np.where(part, weight, 0.0), group)
        sides = np.flatnonzero(positive & part), np.flatnonzero(~positive & part)
        share, even = np.zeros(len(y)), True
        for rows in sides:
            if len(rows):
                v = weight[rows]
                share[rows] = v / v.sum()
                even = even and bool(v.min() == v.max())
        return cls(*sides, share, even)

    @classmethod
    def _within(cls, positive: np.ndarray, weight: np.ndarray, group: np.ndarray) -> Classes:
        count = int(group.max(initial=-1)) + 1
        mass = [np.bincount(group, np.where(side, weight, 0.0), count) for side in (positive, ~positive)]
        part = (weight > 0.0) & ((mass[0] > 0.0) & (mass[1] > 0.0))[group]
        pairs = float(mass[0] @ mass[1])
        share = np.where(part, weight, 0.0) / np.sqrt(pairs if pairs > 0.0 else 1.0)
        sides = np.flatnonzero(positive & part), np.flatnonzero(~positive & part)
        even = all(len(rows) == 0 or bool(share[rows].min() == share[rows].max()) for rows in sides)
        return cls(*sides, share, even, group)
