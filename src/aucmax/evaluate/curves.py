"""Curves over all thresholds: ROC and its convex hull, precision and recall, detection error, lift.

A row counts as predicted positive at a threshold when it scores as much or more.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.evaluate.check import two_sided
from aucmax.kernel.ranking import steps, upper_hull


class Steps(NamedTuple):
    """The distinct scores, falling, and the weights of the positives and negatives that score as much or more."""

    thresholds: np.ndarray
    pos: np.ndarray
    neg: np.ndarray

    @classmethod
    def of(cls, y: Any, scores: Any, sample_weight: Any = None) -> Steps:
        """The steps that all curves are made of; both classes must be there."""
        return cls(*steps(*two_sided(y, scores, sample_weight).sides))

    @property
    def rates(self) -> tuple[np.ndarray, np.ndarray]:
        """False and true positive rates, from 0 to 1."""
        return np.append(0.0, self.neg / self.neg[-1]), np.append(0.0, self.pos / self.pos[-1])


class ROCCurve(NamedTuple):
    """Points of a ROC curve, from (0, 0) to (1, 1), and their thresholds, falling from infinity."""

    fpr: np.ndarray
    tpr: np.ndarray
    thresholds: np.ndarray


class PrecisionRecallCurve(NamedTuple):
    """Precision and recall at rising thresholds, and at last the point of precision 1 and recall 0, which has none."""

    precision: np.ndarray
    recall: np.ndarray
    thresholds: np.ndarray


class DETCurve(NamedTuple):
    """False positive and false negative rates at rising thresholds."""

    fpr: np.ndarray
    fnr: np.ndarray
    thresholds: np.ndarray


class LiftCurve(NamedTuple):
    """The share of rows contacted, the share of positives found, their ratio (the lift), at falling thresholds."""

    contacted: np.ndarray
    found: np.ndarray
    lift: np.ndarray
    thresholds: np.ndarray


def roc_curve(y: Any, scores: Any, sample_weight: Any = None, *, drop_intermediate: bool = True) -> ROCCurve:
    """The true positive rate against the false positive rate at all thresholds.

    Parameters
    ----------
    y, scores, sample_weight
        As for :func:`roc_auc`.
    drop_intermediate : bool
        Leave out points on a straight line between their neighbours.

    Returns
    -------
    ROCCurve
        ``fpr``, ``tpr``, ``thresholds``.

    Examples
    --------
    >>> from aucmax.evaluate import roc_curve
    >>> fpr, tpr, thresholds = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr.tolist(), tpr.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    found = Steps.of(y, scores, sample_weight)
    if drop_intermediate and len(found.pos) > 2:
        bends = (np.diff(found.pos, 2) != 0.0) | (np.diff(found.neg, 2) != 0.0)
        kept = np.flatnonzero(np.concatenate([[True], bends, [True]]))
        found = Steps(*(values[kept] for values in found))
    return ROCCurve(*found.rates, np.append(np.inf, found.thresholds))


def roc_convex_hull(y: Any, scores: Any, sample_weight: Any = None) -> ROCCurve:
    """The upper convex hull of the ROC curve: the points that are best for some costs.

    Parameters
    ----------
    y, scores, sample_weight
        As for :func:`roc_auc`.

    Returns
    -------
    ROCCurve
        The corners of the hull; its slopes fall.

    Examples
    --------
    >>> from aucmax.evaluate import roc_convex_hull
    >>> hull = roc_convex_hull([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> hull.fpr.tolist(), hull.tpr.tolist()
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0])
    """
    return hull_of(Steps.of(y, scores, sample_weight))


def hull_of(found: Steps) -> ROCCurve:
    """The upper convex hull of the ROC curve of some steps."""
    fpr, tpr = found.rates
    kept = upper_hull(fpr, tpr)
    return ROCCurve(fpr[kept], tpr[kept], np.append(np.inf, found.thresholds)[kept])


def precision_recall_curve(y: Any, scores: Any, sample_weight: Any = None) -> PrecisionRecallCurve:
    """Precision against recall at all thresholds.

    Parameters
    ----------
    y, scores, sample_weight
        As for :func:`roc_auc`.

    Returns
    -------
    PrecisionRecallCurve
        ``precision``, ``recall``, ``thresholds``.

    Examples
    --------
    >>> from aucmax.evaluate import precision_recall_curve
    >>> precision, recall, thresholds = precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> recall.tolist()
    [1.0, 1.0, 0.5, 0.5, 0.0]
    """
    thresholds, pos, neg = Steps.of(y, scores, sample_weight)
    precision, recall = (pos / (pos + neg))[::-1], (pos / pos[-1])[::-1]
    return PrecisionRecallCurve(np.append(precision, 1.0), np.append(recall, 0.0), thresholds[::-1])


def det_curve(y: Any, scores: Any, sample_weight: Any = None) -> DETCurve:
    """False negative against false positive rates, between the thresholds where one of them is zero.

    Parameters
    ----------
    y, scores, sample_weight
        As for :func:`roc_auc`.

    Returns
    -------
    DETCurve
        ``fpr``, ``fnr``, ``thresholds``.

    Examples
    --------
    >>> from aucmax.evaluate import det_curve
    >>> fpr, fnr, thresholds = det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr.tolist(), fnr.tolist()
    ([0.5, 0.5, 0.0], [0.0, 0.5, 0.5])
    """
    found = Steps.of(y, scores, sample_weight)
    thresholds = np.append(np.inf, found.thresholds)
    pos, neg = np.append(0.0, found.pos), np.append(0.0, found.neg)
    first, last = np.searchsorted(neg, 0.0, side="right") - 1, np.searchsorted(pos, pos[-1])
    kept = slice(first, last + 1)
    fnr = (pos[-1] - pos[kept]) / pos[-1]
    return DETCurve((neg[kept] / neg[-1])[::-1], fnr[::-1], thresholds[kept][::-1])


def lift_curve(y: Any, scores: Any, sample_weight: Any = None) -> LiftCurve:
    """What is found by contacting the rows of the highest scores first.

    Parameters
    ----------
    y, scores, sample_weight
        As for :func:`roc_auc`.

    Returns
    -------
    LiftCurve
        ``contacted`` (the share of all rows), ``found`` (the share of the positives), ``lift`` (how much more than
        contacting at random would find) and ``thresholds``. The first point contacts nobody and has the lift of the
        next.

    Examples
    --------
    >>> from aucmax.evaluate import lift_curve
    >>> lift_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).lift.round(3).tolist()
    [2.0, 2.0, 1.0, 1.333, 1.0]
    """
    thresholds, pos, neg = Steps.of(y, scores, sample_weight)
    contacted, found = (pos + neg) / (pos[-1] + neg[-1]), pos / pos[-1]
    lift = found / contacted
    return LiftCurve(
        np.append(0.0, contacted), np.append(0.0, found), np.append(lift[0], lift), np.append(np.inf, thresholds)
    )
