"""Gross values of dense columns, which would make all others of their column nothing.

A wrong unit or a missing value coded as 1e9 is as good as none to a ranking, but all that a convex loss, a standard
deviation or a mean of scores sees. A value is gross that lies ten times further from the middle 98 % of its column than
is far for it. Far is the width of that middle, if at most one in a thousand values (or one) lies beyond it. More are a
tail, and part of the data: there gross values are those above a gap, ten times further than the farthest below it. All
values of such a column count as no further than what is far while the model is fitted. Normal values never are: that is
seven standard deviations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.classifier.scaling import Columns

TAIL = 0.01  # the part of the values on either side of the middle
GROSS = 10.0  # times what is far
FEW = 0.001  # the part of the values that may be gross
ROUNDING = 4.0 * float(np.finfo(np.float64).eps)  # a middle this narrow beside the largest value is a single number
WILD = 4.0  # standard deviations: a column with no value further from the mean has none that is gross
LOOKED_AT = 2000  # rows at the most by which the middle is found
FEWEST = 20  # rows that can say what is usual


def tamed(X: Any, columns: Columns) -> Any:
    """A copy of X with gross values brought near; X itself where there are none, or where it is sparse."""
    wild = np.flatnonzero(columns.farthest > WILD * columns.spread)
    if not columns.dense or len(X) < FEWEST or not len(wild):
        return X
    low, high = _middles(X[_some(len(X))][:, wild])
    width = high - low
    suspect = (width > ROUNDING * columns.largest[wild]) & (columns.farthest[wild] > 0.5 * GROSS * width)
    out = X
    for j, a, b, w in zip(wild[suspect], low[suspect], high[suspect], width[suspect], strict=True):
        x = X[:, j].astype(np.float64)
        beyond = np.maximum(a - x, x - b)
        far = _far(beyond, w)
        if beyond.max() > GROSS * far:
            out = X.copy() if out is X else out
            out[:, j] = np.clip(x, a - far, b + far)
    return out


def _far(beyond: np.ndarray, width: float) -> float:
    """What is far from the middle, by the distances of all values from it."""
    few = int(np.ceil(FEW * len(beyond)))
    farthest = np.sort(np.partition(beyond, -1 - few)[-1 - few :])
    if farthest[0] <= width:
        return width
    below_gap = farthest[:-1][farthest[1:] > GROSS * farthest[:-1]]
    return float(below_gap[0] if len(below_gap) else farthest[-1])


def _some(n: int) -> np.ndarray:
    """Some rows, evenly spread, always the same: one drawn of every stretch of rows.

    To take every hundredth might meet the same hour of every day.
    """
    if n <= LOOKED_AT:
        return np.arange(n)
    ends = np.linspace(0, n, LOOKED_AT + 1)
    drawn = ends[:-1] + np.random.RandomState(0).random_sample(LOOKED_AT) * np.diff(ends)
    return np.asarray(drawn.astype(np.int64))


def _middles(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the middle of every column begins and ends."""
    first = int(np.ceil(TAIL * len(X)))
    last = len(X) - 1 - first
    found = np.partition(np.ascontiguousarray(X.T), (first, last), axis=1)[:, [first, last]].astype(np.float64)
    return found[:, 0], found[:, 1]
