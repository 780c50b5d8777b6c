"""The class-balanced logistic loss of single rows, its intercept always at its best.

    ½ mean over positives of log(1 + e^-(s + b)) + ½ mean over negatives of log(1 + e^(s + b)),  least over b

It is no pair loss, but like one it does not change when all scores move together, and its minimiser ranks consistently
with AUC. Value, slope and curvature come in the form of ``kernel.pairs.PairSums``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.kernel.classes import Classes
from aucmax.kernel.jit import inlined, kernel
from aucmax.kernel.pairs import Bent

MOST_STEPS = 60
BALANCED = 1e-13  # the slope along the intercept at which it is taken to be at its best
LONGEST = 4.0  # step of the intercept
LAST = 1e-7  # a step so short leaves about its square, and the slope needs no further look


class Logistic(NamedTuple):
    """The name of this loss, where a pair loss is named by its pieces."""


@inlined
def _balance(scores: Any, side: Any, share: Any, b: Any) -> Any:
    """Slope and curvature of the loss along the intercept."""
    slopes = 0.0
    curves = 0.0
    for i in range(scores.shape[0]):
        wrong = 1.0 / (1.0 + np.exp(side[i] * (scores[i] + b)))
        slopes -= side[i] * share[i] * wrong
        curves += share[i] * wrong * (1.0 - wrong)
    return slopes, curves


@inlined
def _intercept(scores: Any, side: Any, share: Any, b: Any) -> Any:
    """The best intercept, by Newton steps from some b, halving where they leave what is known to hold it."""
    low = -np.inf
    high = np.inf
    for _ in range(MOST_STEPS):
        slopes, curves = _balance(scores, side, share, b)
        if abs(slopes) <= BALANCED:
            break
        if slopes > 0.0:
            high = b
        else:
            low = b
        step = -slopes / curves if curves > 0.0 else -np.sign(slopes) * LONGEST
        trial = b + min(max(step, -LONGEST), LONGEST)
        b = trial if low < trial < high else 0.5 * (low + high)
        if abs(step) <= LAST:
            break
    return b


@kernel
def _evaluate(scores: Any, side: Any, share: Any, b: Any, slope: Any, curve: Any) -> Any:
    """Write slope and curvature at every row; the value, the sum of the curvatures, and the best intercept near b.

    All in one call: threads that take turns at short ones wait for each other.
    """
    b = _intercept(scores, side, share, b)
    value = 0.0
    curves = 0.0
    for i in range(scores.shape[0]):
        margin = side[i] * (scores[i] + b)
        e = np.exp(-abs(margin))
        value += share[i] * (np.log1p(e) + max(-margin, 0.0))
        wrong = e / (1.0 + e) if margin >= 0.0 else 1.0 / (1.0 + e)
        slope[i] = -side[i] * share[i] * wrong
        curve[i] = share[i] * wrong * (1.0 - wrong)
        curves += curve[i]
    return value, curves, b


@kernel
def sigmoid_sums(scores: Any, target: Any, share: Any, slope: Any, intercept: Any) -> Any:
    """The logistic loss of ``slope·score + intercept`` with targets between 0 and 1, its gradient and its Hessian."""
    value = 0.0
    g0 = 0.0
    g1 = 0.0
    h00 = 0.0
    h01 = 0.0
    h11 = 0.0
    for i in range(scores.shape[0]):
        z = slope * scores[i] + intercept
        e = np.exp(-abs(z))
        value += share[i] * (np.log1p(e) + max(z, 0.0) - target[i] * z)
        p = 1.0 / (1.0 + e) if z >= 0.0 else e / (1.0 + e)
        gap = share[i] * (p - target[i])
        bend = share[i] * p * (1.0 - p)
        g0 += gap * scores[i]
        g1 += gap
        h00 += bend * scores[i] * scores[i]
        h01 += bend * scores[i]
        h11 += bend
    return value, g0, g1, h00, h01, h11


class LogisticSums:
    """The loss at given scores; attributes as those of ``PairSums``, and the intercept.

    Attributes
    ----------
    value, slope, curve
        The loss, and its derivatives with respect to every score at a fixed intercept.
    coupling : tuple
        A factor f and two vectors: ``f·(a·z)(b·z)`` is taken from the curvature along z, here by the moving intercept.
    intercept : float
        The best b, found from a guess where one is given.
    """

    bent: tuple[list[Bent], list[Bent]] = ([], [])

    def __init__(self, classes: Classes, scores: np.ndarray, guess: float | None = None) -> None:
        self.slope, self.curve = np.empty((2, len(scores)))
        side = np.full(len(scores), -1.0)
        side[classes.pos] = 1.0
        share = 0.5 * classes.weight
        begin = -float(share @ scores)  # minus the midpoint of the mean scores
        if guess is not None and abs(guess - begin) <= LONGEST:
            begin = guess
        self.value, curves, self.intercept = _evaluate(scores, side, share, begin, self.slope, self.curve)
        self.coupling = (1.0 / curves if curves > 0.0 else 0.0, self.curve, self.curve)

    def intercept_after(self, z: np.ndarray) -> float:
        """About the best intercept once the scores have changed by z, but for the square of the change."""
        return float(self.intercept - self.coupling[0] * (self.curve @ z))

    def curvature(self, z: np.ndarray) -> np.ndarray:
        """The second derivative of the value applied to a change z of the scores."""
        bend: np.ndarray = self.curve * (z - self.coupling[0] * float(self.curve @ z))
        return bend
