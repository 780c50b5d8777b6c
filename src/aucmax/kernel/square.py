"""The square loss ``(1 - margin)²`` over all pairs: class means of the scores and of their squares, no sort.

Its curvature is the same everywhere, so that a Newton step ends at the minimiser.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aucmax.kernel.classes import Classes
from aucmax.kernel.pairs import Bent


class Square(NamedTuple):
    """The loss as a name: it has no parameters."""


class SquareSums:
    """The loss at given scores; attributes as those of ``LogisticSums``."""

    bent: tuple[list[Bent], list[Bent]] = ([], [])

    def __init__(self, classes: Classes, scores: np.ndarray) -> None:
        side = np.zeros((2, len(scores)))
        side[0, classes.pos] = classes.weight[classes.pos]
        side[1, classes.neg] = classes.weight[classes.neg]
        pos, neg = side @ scores
        apart = scores - np.where(side[0] > 0.0, pos, neg)  # about the row's own class, so that nothing cancels
        self.value = float(classes.weight @ apart**2 + (1.0 - (pos - neg)) ** 2)
        self.curve = 2.0 * classes.weight
        self.slope = self.curve * apart + (side[1] - side[0]) * (2.0 * (1.0 - (pos - neg)))
        self.coupling = (4.0, side[0], side[1])

    def curvature(self, z: np.ndarray) -> np.ndarray:
        """The second derivative of the value applied to a change z of the scores."""
        factor, pos, neg = self.coupling
        bend: np.ndarray = self.curve * z - 0.5 * factor * (pos * float(neg @ z) + neg * float(pos @ z))
        return bend
