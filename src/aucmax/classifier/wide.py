"""A stream of many columns: SPAM steps along on columns divided by their sizes so far.

A size is the root of the mean square so far, in sparse data its geometric mean with the largest value. When sizes
change, the state of SPAM is made what the same pulls of its rows would have made of it on columns of the new sizes. So
it matters little how the stream is cut into chunks, and a column first seen with a value far too small, which got a
weight far too large, is put right.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np

from aucmax.algorithms.spam import SPAM
from aucmax.classifier.scaling import Columns, scaled
from aucmax.model.data import Data


class Line(NamedTuple):
    """Weights in the units of X, and the sizes of the columns."""

    w: np.ndarray
    sizes: np.ndarray
    pos: tuple[float, float]  # mean and variance of the scores of the positives
    neg: tuple[float, float]


class Wide:
    """SPAM on scaled columns for every class (of two, for one of them), and the spread of the scores that it gave."""

    in_model_files = True

    def __init__(self, d: int, count: int) -> None:
        self.columns = np.zeros((2, d))  # the mean square and the largest |x| so far
        self.sizes = np.ones(d)
        self.models = [SPAM() for _ in range(count if count > 2 else 1)]
        self.masses, self.counts = np.zeros((2, count))
        self.squares = np.zeros((len(self.models), 2))

    def absorbed(self, data: Data, labels: np.ndarray) -> Wide:
        """With some more rows, their labels counted from zero."""
        new = copy.deepcopy(self)
        new._measure(data)
        X = scaled(data.matrix, new.sizes)
        new.masses += np.bincount(labels, data.weight, len(new.masses))
        new.counts += np.bincount(labels, minlength=len(new.counts))
        for k, model in enumerate(new.models):
            side = k if len(new.models) > 1 else 1
            y = np.where(labels == side, 1, -1)
            model.partial_fit(X, y, classes=[-1, 1], sample_weight=data.weight)
            means = np.where(y > 0, *new._means(side))
            gaps = data.weight * (X @ np.asarray(model.coef_[0]) - means) ** 2
            new.squares[k] += gaps[y > 0].sum(), gaps[y < 0].sum()
        return new

    def line(self, k: int, l2: float) -> Line:
        """Where the class's SPAM is."""
        at = k if len(self.models) > 1 else 0
        model: Any = self.models[at]
        mass = np.array([self.masses[k], self.masses.sum() - self.masses[k]])
        sides = [(float(m), float(v)) for m, v in zip(self._means(k), self.squares[at] / mass, strict=True)]
        return Line(model.coef_[0] / self.sizes, self.sizes, *sides)

    def _means(self, k: int) -> np.ndarray:
        """The mean scores of a class and of the rest; zero of one without rows."""
        model: Any = self.models[k if len(self.models) > 1 else 0]
        mass = np.array([self.masses[k], self.masses.sum() - self.masses[k]])
        sums = model.coef_[0] @ model._stream.sums
        return np.asarray(np.divide(sums, mass, out=np.zeros(2), where=mass > 0.0))

    def _measure(self, data: Data) -> None:
        """Sizes with some more rows, and the state of every SPAM on columns of these."""
        found, before = Columns.of(data), self.columns[0].copy()
        part = data.weight.sum() / (self.masses.sum() + data.weight.sum())
        self.columns[0] += part * (found.spread**2 + found.mean**2 - self.columns[0])
        self.columns[1] = np.maximum(self.columns[1], found.largest)
        root = np.sqrt(self.columns[0])
        known, sizes = self.sizes, root if data.dense else np.sqrt(root * self.columns[1])
        self.sizes = np.where(sizes > 0.0, sizes, 1.0)
        usual = before @ known**-2.0  # the mean squared norm of the rows before, on columns of the sizes so far
        longer = float(before @ self.sizes**-2.0) / usual if usual > 0.0 else 1.0
        for model in self.models:
            _rescale(model, self.sizes / known, longer)


def _rescale(model: Any, times: np.ndarray, longer: float) -> None:
    """The state of SPAM on columns divided by so many times as much, as if its steps so far had been made on them.

    Squared norms of rows are so much larger there, and steps, which are in units of the largest, so much shorter.
    """
    stream = getattr(model, "_stream", None)
    if stream is None:
        return
    machine = stream.machine
    v, scalars = machine.vectors.w.v, machine.scalars
    v /= longer * times[:, None]
    stream.sums[...] /= times[:, None]
    pos, neg = scalars.scale.s * (v[:, 0] @ stream.sums)
    scale = scalars.scale._replace(square=float(v[:, 0] @ v[:, 0]))
    seen = scalars.seen._replace(kappa2=longer * scalars.seen.kappa2)
    scalars = scalars._replace(scale=scale, seen=seen, pos=float(pos), neg=float(neg))
    model._stream = stream._replace(machine=machine._replace(scalars=scalars))
