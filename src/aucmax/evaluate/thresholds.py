"""One threshold: what it decides, and how to choose it. A row is predicted positive when it scores as much or more."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.evaluate import check
from aucmax.evaluate.curves import Steps

CRITERIA = ("youden", "cost", "max_fpr", "min_recall")


class Confusion(NamedTuple):
    """The weights of the four outcomes."""

    tn: float
    fp: float
    fn: float
    tp: float

    @property
    def recall(self) -> float:
        """The share of the positives that are found."""
        return _ratio(self.tp, self.tp + self.fn)

    @property
    def fpr(self) -> float:
        """The share of the negatives that are taken for positives."""
        return _ratio(self.fp, self.fp + self.tn)

    @property
    def precision(self) -> float:
        """The share of the predicted positives that are; 1 where none is predicted."""
        return _ratio(self.tp, self.tp + self.fp, 1.0)

    @property
    def accuracy(self) -> float:
        """The share of right predictions."""
        return _ratio(self.tp + self.tn, sum(self))

    def f_beta(self, beta: float = 1.0) -> float:
        """The F score; recall weighs beta times as much as precision."""
        return _ratio((1.0 + beta**2) * self.tp, (1.0 + beta**2) * self.tp + beta**2 * self.fn + self.fp)


class OperatingPoint(NamedTuple):
    """A threshold and what it decides."""

    threshold: float
    confusion: Confusion

    def __str__(self) -> str:
        c = self.confusion
        return f"score >= {self.threshold:g}: recall {c.recall:.4f}, FPR {c.fpr:.4f}, precision {c.precision:.4f}"


def confusion_at(y: Any, scores: Any, threshold: float, sample_weight: Any = None) -> Confusion:
    """The confusion matrix at a threshold.

    Parameters
    ----------
    y, scores, sample_weight
        As for :func:`roc_auc`; one class may be missing.
    threshold : float
        Rows that score as much or more are predicted positive.

    Returns
    -------
    Confusion
        ``tn``, ``fp``, ``fn``, ``tp``, with ``recall``, ``fpr``, ``precision``, ``accuracy`` and ``f_beta``.

    Examples
    --------
    >>> from aucmax.evaluate import confusion_at
    >>> confusion_at([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.4)
    Confusion(tn=1.0, fp=1.0, fn=1.0, tp=1.0)
    """
    if np.isnan(threshold):
        raise ValueError("threshold is NaN; expected a number, possibly infinite.")
    positive, raw = check.positives(y), check.column("scores", scores)
    check.same_length("scores", check.finite_scores(raw), len(positive))
    weight = check.weights(sample_weight, positive)
    counts = np.bincount(2 * positive + (raw >= threshold), weights=weight, minlength=4)
    return Confusion(*map(float, counts))


def f_beta(
    y: Any, scores: Any, sample_weight: Any = None, *, beta: float = 1.0, threshold: float | None = None
) -> float:
    r"""The F score at a threshold, or the best over all thresholds.

    .. math:: F_\beta = \frac{(1 + \beta^2)\,\mathrm{TP}}
        {(1 + \beta^2)\,\mathrm{TP} + \beta^2\,\mathrm{FN} + \mathrm{FP}}

    Parameters
    ----------
    y, scores, sample_weight
        As for :func:`roc_auc`.
    beta : float
        How many times as much as precision recall weighs, above 0.
    threshold : float, optional
        Rows that score as much or more are predicted positive. By default the threshold of the highest score.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> from aucmax.evaluate import f_beta
    >>> f_beta([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], threshold=0.4), f_beta([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    (0.5, 0.8)
    """
    check.number("beta", beta, 0.0, np.inf)
    if threshold is not None:
        return confusion_at(y, scores, threshold, sample_weight).f_beta(beta)
    return best_f(Steps.of(y, scores, sample_weight), beta)


def best_f(found: Steps, beta: float = 1.0) -> float:
    """The highest F score of some steps."""
    return float(np.max((1.0 + beta**2) * found.pos / (beta**2 * found.pos[-1] + found.pos + found.neg)))


def prbep(y: Any, scores: Any, sample_weight: Any = None) -> float:
    """The break-even point of precision and recall: both, when as many rows are predicted positive as there are.

    Parameters
    ----------
    y, scores, sample_weight
        As for :func:`roc_auc`. Where the threshold falls among ties, their positives count in proportion.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> from aucmax.evaluate import prbep
    >>> prbep([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """
    return break_even(Steps.of(y, scores, sample_weight))


def break_even(found: Steps) -> float:
    """The break-even point of some steps."""
    wanted = found.pos[-1]
    return float(np.interp(wanted, np.append(0.0, found.pos + found.neg), np.append(0.0, found.pos)) / wanted)


def operating_point(
    y: Any, scores: Any, sample_weight: Any = None, *, criterion: str = "youden", value: float | None = None
) -> OperatingPoint:
    """The best threshold by a criterion.

    Parameters
    ----------
    y, scores, sample_weight
        As for :func:`roc_auc`.
    criterion : {"youden", "cost", "max_fpr", "min_recall"}
        ``youden``: the largest recall minus false positive rate. ``cost``: the lowest ``FP + value·FN``. ``max_fpr``:
        the highest recall at a false positive rate of at most ``value``. ``min_recall``: the lowest false positive rate
        at a recall of at least ``value``.
    value : float, optional
        What the criterion needs: the cost of a false negative in false positives, or a rate from 0 to 1.

    Returns
    -------
    OperatingPoint
        ``threshold``, one of the scores, or infinity to predict none positive, and ``confusion``. Of equals the one
        that predicts fewest positives.

    Examples
    --------
    >>> from aucmax.evaluate import operating_point
    >>> print(operating_point([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], criterion="min_recall", value=0.9))
    score >= 0.35: recall 1.0000, FPR 0.5000, precision 0.6667
    """
    check.word("criterion", criterion, CRITERIA)
    if criterion == "youden" and value is not None:
        raise ValueError(f"value={value!r} was given, but criterion='youden' needs none; leave it out.")
    if criterion != "youden":
        check.number("value", value, 0.0, np.inf if criterion == "cost" else 1.0, closed=True)
    found = Steps.of(y, scores, sample_weight)
    k = _best(*found.rates, found, criterion, 0.0 if value is None else float(value))
    pos, neg = np.append(0.0, found.pos), np.append(0.0, found.neg)
    confusion = Confusion(neg[-1] - neg[k], neg[k], pos[-1] - pos[k], pos[k])
    return OperatingPoint(
        float(np.append(np.inf, found.thresholds)[k]), Confusion(*(float(count) for count in confusion))
    )


def _best(fpr: np.ndarray, tpr: np.ndarray, found: Steps, criterion: str, value: float) -> int:
    if criterion == "youden":
        return int(np.argmax(tpr - fpr))
    if criterion == "cost":
        return int(np.argmin(fpr * found.neg[-1] - value * tpr * found.pos[-1]))
    if criterion == "min_recall":
        return int(np.argmax(tpr >= value))
    allowed = tpr[fpr <= value]
    return int(np.argmax(allowed))


def _ratio(part: float, whole: float, otherwise: float = float("nan")) -> float:
    return part / whole if whole > 0.0 else otherwise
