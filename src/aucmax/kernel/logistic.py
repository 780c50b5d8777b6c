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


class Sides(NamedTuple):
    """Of every row the side of its class, 1 or -1, and its share in the loss."""

    side: np.ndarray
    share: np.ndarray


class Rates(NamedTuple):
    """Of every row its score, and the slope and the curvature of the loss there at a fixed intercept."""

    scores: np.ndarray
    slope: np.ndarray
    curve: np.ndarray


@inlined
def _balance(scores: Any, sides: Any, b: Any) -> Any:
    """Slope and curvature of the loss along the intercept."""
    side, share = sides.side, sides.share
    slopes = 0.0
    curves = 0.0
    for i in range(scores.shape[0]):
        wrong = 1.0 / (1.0 + np.exp(side[i] * (scores[i] + b)))
        slopes -= side[i] * share[i] * wrong
        curves += share[i] * wrong * (1.0 - wrong)
    return slopes, curves


@inlined
def _intercept(scores: Any, sides: Any, b: Any) -> Any:
    """The best intercept, by Newton steps from some b, halving where they leave what is known to hold it."""
    low = -np.inf
    high = np.inf
    for _ in range(MOST_STEPS):
        slopes, curves = _balance(scores, sides, b)
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


@inlined
def _middle(sides: Any, scores: Any) -> Any:
    """The midpoint of the classes' mean scores."""
    total = 0.0
    for i in range(scores.shape[0]):
        total += sides.share[i] * scores[i]
    return total


@inlined
def _rate(sides: Any, b: Any, out: Any) -> Any:
    """Write slope and curvature at every row; the value, the sum of the curvatures, and the best intercept near b."""
    b = _intercept(out.scores, sides, b)
    value = 0.0
    curves = 0.0
    for i in range(out.scores.shape[0]):
        side = sides.side[i]
        share = sides.share[i]
        margin = side * (out.scores[i] + b)
        e = np.exp(-abs(margin))
        value += share * (np.log1p(e) + max(-margin, 0.0))
        wrong = e / (1.0 + e) if margin >= 0.0 else 1.0 / (1.0 + e)
        out.slope[i] = -side * share * wrong
        out.curve[i] = share * wrong * (1.0 - wrong)
        curves += out.curve[i]
    return value, curves, b


@kernel
def _evaluate(sides: Any, out: Any) -> Any:
    """``_rate`` at scores of which nothing is known."""
    return _rate(sides, -_middle(sides, out.scores), out)


@kernel
def _move(sides: Any, here: Any, b: Any, turn: Any, change: Any, t: Any, out: Any) -> Any:
    """``_rate`` at t times a change from known rates, with the slope along the change; all of it in one call.

    A change c of the scores moves the best intercept by ``-turn Σ curve·c``, but for its square.
    """
    for i in range(change.shape[0]):
        out.scores[i] = here.scores[i] + t * change[i]
    moved = 0.0
    for i in range(change.shape[0]):
        moved += here.curve[i] * change[i]
    guess = b - turn * t * moved
    begin = -_middle(sides, out.scores)
    value, curves, b = _rate(sides, guess if abs(guess - begin) <= LONGEST else begin, out)
    along = 0.0
    for i in range(change.shape[0]):
        along += out.slope[i] * change[i]
    return value, curves, b, along


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
        The best b.
    """

    bent: tuple[list[Bent], list[Bent]] = ([], [])

    def __init__(self, classes: Classes, scores: np.ndarray) -> None:
        side = np.full(len(scores), -1.0)
        side[classes.pos] = 1.0
        self._sides = Sides(side, 0.5 * classes.weight)
        rates = Rates(scores, *np.empty((2, len(scores))))
        self._know(rates, *_evaluate(self._sides, rates))

    def _know(self, rates: Rates, value: float, curves: float, intercept: float) -> None:
        self._rates, self.slope, self.curve = rates, rates.slope, rates.curve
        self.value, self.intercept = value, intercept
        self.coupling = (1.0 / curves if curves > 0.0 else 0.0, self.curve, self.curve)

    def moved(self, change: np.ndarray, t: float) -> tuple[LogisticSums, np.ndarray, float]:
        """The loss once the scores have changed by t times a change; these scores, and the slope along the change."""
        new, rates = LogisticSums.__new__(LogisticSums), Rates(*np.empty((3, len(change))))
        new._sides = self._sides
        *found, slope = _move(self._sides, self._rates, self.intercept, self.coupling[0], change, t, rates)
        new._know(rates, *found)
        return new, rates.scores, slope

    def curvature(self, z: np.ndarray) -> np.ndarray:
        """The second derivative of the value applied to a change z of the scores."""
        bend: np.ndarray = self.curve * (z - self.coupling[0] * float(self.curve @ z))
        return bend
