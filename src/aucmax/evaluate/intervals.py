"""From an AUC and its variance to an interval.

``wald``, ``logit``
    ``AUC ± z·σ``, as it is or on the scale of log-odds; σ² is DeLong's variance. Near 1, and with few rows, the plain
    one covers far too seldom: it is symmetric where the distribution is not.
``hanley_mcneil``
    The plain interval with the variance that the AUC alone gives if scores are exponential.
``score``
    All values θ that the data do not refute, as Wilson's interval does for a share: ``|AUC - θ| ≤ t·σ(θ)``. The
    variance as a function of θ is that of normal scores, ``σ²(θ) = [θ(1-θ) + (n⁻-1)·a·q(θ) + (n⁺-1)·b·q(θ)]/(n⁺n⁻)``
    with ``q(θ) = Φ₂(δ, δ; ½) - θ²``, ``δ = Φ⁻¹(θ)``. The factors a and b fit it to the losses of either class:
    DeLong's variance over that of normal scores, shrunk towards 1 as if by ``PRIOR`` more rows of wrong order. t is
    the quantile of Student's distribution by Satterthwaite's degrees of freedom. It keeps its level where few pairs
    are in wrong order, and it exists when none is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtri, owens_t, stdtrit

PRIOR = 12.0
HALVINGS = 60


class Interval(NamedTuple):
    """An estimate with its limits and its standard error."""

    estimate: float
    low: float
    high: float
    std_error: float

    def __str__(self) -> str:
        return f"{self.estimate:.4f} [{self.low:.4f}, {self.high:.4f}]"


class Class(NamedTuple):
    """One class: its effective number of rows, the variance of their losses as shares, and how many are not zero."""

    n: float
    variance: float
    informative: float


class Moments(NamedTuple):
    """An AUC, and what is known of either class."""

    auc: float
    pos: Class
    neg: Class

    @property
    def variance(self) -> float:
        """DeLong's."""
        return self.pos.variance / self.pos.n + self.neg.variance / self.neg.n

    @property
    def degrees(self) -> float:
        """Satterthwaite's degrees of freedom of the variance; those of the smaller class where there is none."""
        parts = [(side.variance / side.n) ** 2 / (side.n - 1.0) for side in (self.pos, self.neg)]
        if sum(parts) == 0.0:
            return min(self.pos.n, self.neg.n) - 1.0
        return self.variance**2 / sum(parts)


def hanley_mcneil_variance(auc: float, n_pos: float, n_neg: float) -> float:
    """The variance of an AUC of exponential scores."""
    a, b = auc / (2.0 - auc) - auc**2, 2.0 * auc**2 / (1.0 + auc) - auc**2
    return (auc * (1.0 - auc) + (n_pos - 1.0) * a + (n_neg - 1.0) * b) / (n_pos * n_neg)


def normal_share(theta: np.ndarray | float) -> np.ndarray:
    """The variance of one row's loss when scores are normal and the AUC is theta."""
    theta = np.clip(theta, 1e-15, 1.0 - 1e-15)
    share: np.ndarray = np.maximum(theta - 2.0 * owens_t(ndtri(theta), 1.0 / np.sqrt(3.0)) - theta**2, 0.0)
    return share


def wald(found: Moments, level: float) -> tuple[float, float]:
    """The plain interval, cut to [0, 1]."""
    return _plain(found.auc, found.variance, level)


def hanley_mcneil(found: Moments, level: float) -> tuple[float, float]:
    """The plain interval with the variance of exponential scores, cut to [0, 1]."""
    return _plain(found.auc, hanley_mcneil_variance(found.auc, found.pos.n, found.neg.n), level)


def _plain(auc: float, variance: float, level: float) -> tuple[float, float]:
    half = float(ndtri(0.5 + 0.5 * level)) * float(np.sqrt(variance))
    return max(auc - half, 0.0), min(auc + half, 1.0)


def logit_wald(found: Moments, level: float) -> tuple[float, float]:
    """The interval on the scale of log-odds; an AUC of 0 or 1 counts as half a pair away from it."""
    auc, variance = found.auc, found.variance
    if not 0.0 < auc < 1.0:
        pairs = found.pos.n * found.neg.n
        auc = (auc * pairs + 0.5) / (pairs + 1.0)
        variance += auc * (1.0 - auc) / pairs
    half = float(ndtri(0.5 + 0.5 * level)) * np.sqrt(variance) / (auc * (1.0 - auc))
    low, high = float(expit(logit(auc) - half)), float(expit(logit(auc) + half))
    return min(low, found.auc), max(high, found.auc)


def score(found: Moments, level: float) -> tuple[float, float]:
    """The values that the data do not refute."""
    pos, neg, pairs = found.pos, found.neg, found.pos.n * found.neg.n
    near = float(normal_share((found.auc * pairs + 0.5) / (pairs + 1.0)))
    a, b = ((side.variance / near * side.informative + PRIOR) / (side.informative + PRIOR) for side in (pos, neg))
    t = float(stdtrit(max(found.degrees, 1.0), 0.5 + 0.5 * level))

    def refuted(theta: float) -> bool:
        rate = (neg.n - 1.0) * a + (pos.n - 1.0) * b
        variance = (theta * (1.0 - theta) + rate * float(normal_share(theta))) / pairs
        return (found.auc - theta) ** 2 > t * t * variance

    return _border(refuted, 0.0, found.auc), _border(refuted, 1.0, found.auc)


def _border(refuted: Callable[[float], bool], outer: float, inner: float) -> float:
    """Where, between a value that may be refuted and one that is not, refutation begins."""
    if outer == inner or not refuted(outer):
        return outer
    for _ in range(HALVINGS):
        middle = 0.5 * (outer + inner)
        if refuted(middle):
            outer = middle
        else:
            inner = middle
    return inner


METHODS: dict[str, Callable[[Moments, float], tuple[float, float]]] = {
    "score": score,
    "logit": logit_wald,
    "delong": wald,
    "hanley-mcneil": hanley_mcneil,
}
