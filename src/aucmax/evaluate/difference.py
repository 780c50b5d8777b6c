"""DeLong's tests: two models on the same rows, or on different ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from aucmax.evaluate import check
from aucmax.evaluate.delong import delong_covariance, moments
from aucmax.evaluate.intervals import Interval


class Comparison(NamedTuple):
    """Two AUCs, the interval of their difference, and the test that they are equal."""

    aucs: tuple[float, float]
    difference: Interval
    statistic: float
    p_value: float

    def __str__(self) -> str:
        a, b = self.aucs
        return f"{a:.4f} - {b:.4f} = {self.difference}, p = {self.p_value:.3g}"


def delong_test(y: Any, scores_a: Any, scores_b: Any, sample_weight: Any = None, *, level: float = 0.95) -> Comparison:
    """DeLong's test that two models have the same AUC, on the same rows.

    Parameters
    ----------
    y, sample_weight
        As for :func:`roc_auc`.
    scores_a, scores_b : array-like of shape (n,)
        The scores of either model.
    level : float
        Of the interval of the difference.

    Returns
    -------
    Comparison
        ``aucs``, ``difference`` (an interval), ``statistic`` (normal if they are equal) and the two-sided ``p_value``.

    Examples
    --------
    >>> from aucmax.evaluate import delong_test
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> print(delong_test(y, [1, 2, 3, 6, 4, 5, 7, 8], [1, 4, 6, 7, 2, 3, 5, 8]))
    0.8750 - 0.5000 = 0.3750 [-0.0251, 0.7751], p = 0.0662
    """
    check.number("level", level, 0.0, 1.0)
    found = delong_covariance(y, {"a": scores_a, "b": scores_b}, sample_weight)
    variance = float(found.covariance[0, 0] + found.covariance[1, 1] - 2.0 * found.covariance[0, 1])
    return _compared(found.aucs, max(variance, 0.0), level, None)


def delong_test_unpaired(
    y_a: Any,
    scores_a: Any,
    y_b: Any,
    scores_b: Any,
    sample_weight_a: Any = None,
    sample_weight_b: Any = None,
    *,
    level: float = 0.95,
) -> Comparison:
    """DeLong's test of two AUCs on different rows, by Student's distribution with Welch's degrees of freedom.

    Parameters
    ----------
    y_a, scores_a, y_b, scores_b
        Labels and scores of either set of rows.
    sample_weight_a, sample_weight_b
        Weights of either, as for :func:`delong_ci`.
    level : float
        Of the interval of the difference.

    Returns
    -------
    Comparison
        As of :func:`delong_test`.

    Examples
    --------
    >>> from aucmax.evaluate import delong_test_unpaired
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> result = delong_test_unpaired(y, [1, 2, 3, 6, 4, 5, 7, 8], y, [1, 4, 6, 7, 2, 3, 5, 8])
    >>> round(result.p_value, 3)
    0.22
    """
    check.number("level", level, 0.0, 1.0)
    parts = ((y_a, scores_a, sample_weight_a), (y_b, scores_b, sample_weight_b))
    found = [moments(check.two_sided(*part)) for part in parts]
    variances = [one.variance for one in found]
    sizes = [one.pos.n + one.neg.n - 1.0 for one in found]
    total = sum(variances)
    spread = sum(v * v / n for v, n in zip(variances, sizes, strict=True))
    degrees = total * total / spread if spread > 0.0 else min(sizes)
    return _compared(np.array([one.auc for one in found]), total, level, degrees)


def _compared(aucs: np.ndarray, variance: float, level: float, degrees: float | None) -> Comparison:
    error, difference = float(np.sqrt(variance)), float(aucs[0] - aucs[1])
    statistic = difference / error if error > 0.0 else float(np.copysign(np.inf, difference)) if difference else 0.0
    tail = ndtr(-abs(statistic)) if degrees is None else stdtr(degrees, -abs(statistic))
    half = error * float(ndtri(0.5 + 0.5 * level) if degrees is None else stdtrit(degrees, 0.5 + 0.5 * level))
    gap = Interval(difference, max(difference - half, -1.0), min(difference + half, 1.0), error)
    return Comparison((float(aucs[0]), float(aucs[1])), gap, statistic, float(2.0 * tail))
