"""Single numbers from curves: partial AUC, average precision, the area under the lift chart, the H measure."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import betainc

from aucmax.evaluate import check
from aucmax.evaluate.curves import Steps, hull_of


def partial_auc(
    y: Any,
    scores: Any,
    sample_weight: Any = None,
    *,
    max_fpr: float = 1.0,
    min_tpr: float = 0.0,
    standardized: bool = True,
) -> float:
    r"""The area under the ROC curve where false positives are few enough, or recall is high enough, or both.

    It is the area of the region under the curve, left of ``max_fpr`` and above ``min_tpr``. Standardised (McClish), it
    is 1/2 for a ranking at random and 1 for a perfect one:

    .. math:: \tfrac{1}{2} \left(1 + \frac{A - A_\text{random}}{A_\text{perfect} - A_\text{random}}\right)

    Parameters
    ----------
    y, scores, sample_weight
        As for :func:`roc_auc`.
    max_fpr : float
        The highest false positive rate, above 0 and at most 1.
    min_tpr : float
        The lowest true positive rate, at least 0 and below 1.
    standardized : bool
        Whether to standardise the area.

    Returns
    -------
    float
        The area; with both limits left out the AUC.

    References
    ----------
    McClish (1989), Medical Decision Making 9.

    Examples
    --------
    >>> from aucmax.evaluate import partial_auc
    >>> partial_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], max_fpr=0.5, standardized=False)
    0.25
    """
    check.number("max_fpr", max_fpr, 0.0, 1.0, closed=True)
    check.number("min_tpr", min_tpr, 0.0, 1.0, closed=True)
    if max_fpr == 0.0 or min_tpr == 1.0:
        raise ValueError(f"max_fpr={max_fpr!r}, min_tpr={min_tpr!r} leave no area; expected max_fpr > 0, min_tpr < 1.")
    return partial_area(Steps.of(y, scores, sample_weight), max_fpr, min_tpr, standardized)


def partial_area(found: Steps, max_fpr: float = 1.0, min_tpr: float = 0.0, standardized: bool = True) -> float:
    """The partial area of some steps."""
    fpr, tpr = found.rates
    end = int(np.searchsorted(fpr, max_fpr, side="right"))
    last = float(np.interp(max_fpr, fpr, tpr)) if end < len(fpr) and fpr[end - 1] < max_fpr else tpr[end - 1]
    fpr, tpr = np.append(fpr[:end], max_fpr), np.append(tpr[:end], last)
    first = int(np.searchsorted(tpr, min_tpr, side="right"))
    area = 0.0
    if first < len(tpr):
        part = (min_tpr - tpr[first - 1]) / (tpr[first] - tpr[first - 1]) if first else 0.0
        begin = fpr[first - 1] + part * (fpr[first] - fpr[first - 1]) if first else fpr[0]
        area = float(np.trapezoid(np.append(0.0, tpr[first:] - min_tpr), np.append(begin, fpr[first:])))
    if not standardized:
        return area
    random, perfect = 0.5 * max(max_fpr - min_tpr, 0.0) ** 2, max_fpr * (1.0 - min_tpr)
    return 0.5 * (1.0 + (area - random) / (perfect - random))


def average_precision(y: Any, scores: Any, sample_weight: Any = None) -> float:
    r"""The mean precision over the positives found: :math:`\sum_k (R_k - R_{k-1}) P_k`.

    Parameters
    ----------
    y, scores, sample_weight
        As for :func:`roc_auc`.

    Returns
    -------
    float
        From the share of positives, at random, to 1.

    Examples
    --------
    >>> from aucmax.evaluate import average_precision
    >>> round(average_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 6)
    0.833333
    """
    return mean_precision(Steps.of(y, scores, sample_weight))


def mean_precision(found: Steps) -> float:
    """The average precision of some steps."""
    new = np.diff(found.pos, prepend=0.0)
    all_ = found.pos + found.neg
    precision = np.divide(found.pos, all_, out=np.zeros_like(all_), where=all_ > 0.0)
    return float(new @ precision / found.pos[-1])


def area_under_lift(y: Any, scores: Any, sample_weight: Any = None, *, normalized: bool = True) -> float:
    r"""The area under the chart of positives found against rows contacted.

    A positive row ranks above a random row, of either class, with this probability, a tie counting half; that is
    :math:`\pi/2 + (1 - \pi) \mathrm{AUC}` with :math:`\pi` the share of positives.

    Parameters
    ----------
    y, scores, sample_weight
        As for :func:`roc_auc`.
    normalized : bool
        Count the share of the positives found; otherwise their number (weight), so that the area is P times as large.

    Returns
    -------
    float
        1/2 at random, :math:`1 - \pi/2` at best; or P times that.

    Examples
    --------
    >>> from aucmax.evaluate import area_under_lift
    >>> area_under_lift([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.625
    """
    found = Steps.of(y, scores, sample_weight)
    return lift_area(found) * (1.0 if normalized else float(found.pos[-1]))


def lift_area(found: Steps) -> float:
    """The area under the lift chart of some steps."""
    contacted, tpr = np.append(0.0, found.pos + found.neg), np.append(0.0, found.pos)
    return float(np.trapezoid(tpr, contacted)) / float(contacted[-1] * tpr[-1])


def h_measure(y: Any, scores: Any, sample_weight: Any = None, *, severity_ratio: float | None = None) -> float:
    r"""Hand's H measure: the loss at the best threshold, averaged over costs, beside that of the trivial choice.

    With cost c of a false positive and 1 - c of a false negative, c distributed as Beta(2, 1 + 1/severity_ratio):

    .. math:: H = 1 - \frac{\int \min_t [c \pi_0 \mathrm{FPR}_t + (1 - c) \pi_1 \mathrm{FNR}_t]\, w(c)\, dc}
        {\int \min(c \pi_0, (1 - c) \pi_1)\, w(c)\, dc}

    Parameters
    ----------
    y, scores, sample_weight
        As for :func:`roc_auc`.
    severity_ratio : float, optional
        How severe a false positive is beside a false negative, above 0; the ratio of positives to negatives by default.

    Returns
    -------
    float
        From 0 to 1. Unlike the AUC it averages over the same costs for every model.

    References
    ----------
    Hand (2009), Machine Learning 77; Hand and Anagnostopoulos (2014), Pattern Recognition Letters 40.

    Examples
    --------
    >>> from aucmax.evaluate import h_measure
    >>> round(h_measure([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 6)
    0.5
    """
    if severity_ratio is not None:
        check.number("severity_ratio", severity_ratio, 0.0, np.inf)
    return h_of(Steps.of(y, scores, sample_weight), severity_ratio)


def h_of(found: Steps, severity_ratio: float | None = None) -> float:
    """The H measure of some steps."""
    pos, neg = float(found.pos[-1]), float(found.neg[-1])
    b = 1.0 + (neg / pos if severity_ratio is None else 1.0 / severity_ratio)
    hull = hull_of(found)
    shares = pos / (pos + neg), neg / (pos + neg)
    ends = np.array([0.0, 1.0])
    return 1.0 - _expected_loss(hull.fpr, hull.tpr, shares, b) / _expected_loss(ends, ends, shares, b)


def _expected_loss(fpr: np.ndarray, tpr: np.ndarray, shares: tuple[float, float], b: float) -> float:
    """The mean over costs of the loss at the best corner: each is best between the costs that its two edges mark."""
    gain, harm = shares[0] * np.diff(tpr), shares[1] * np.diff(fpr)
    costs = np.concatenate([[1.0], gain / (gain + harm), [0.0]])
    false_pos = betainc(3.0, b, costs) * 2.0 / (2.0 + b)
    false_neg = betainc(2.0, b + 1.0, costs) * b / (2.0 + b)
    return float(-shares[1] * fpr @ np.diff(false_pos) - shares[0] * (1.0 - tpr) @ np.diff(false_neg))
