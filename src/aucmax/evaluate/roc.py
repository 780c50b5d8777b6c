"""The area under the ROC curve and its kin: exact with ties and weights, in O(n log n)."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.evaluate import check
from aucmax.kernel.groups import grouped_losses
from aucmax.kernel.ranking import lost_share

UNDEFINED = ("raise", "nan")


def roc_auc(y: Any, scores: Any, sample_weight: Any = None, *, undefined: str = "raise") -> float:
    r"""The area under the ROC curve.

    .. math:: \mathrm{AUC} = \frac{\sum_{i \in +} \sum_{j \in -} v_i v_j
        \left([s_i > s_j] + \tfrac{1}{2} [s_i = s_j]\right)}{\sum_{i \in +} v_i \sum_{j \in -} v_j}

    Parameters
    ----------
    y : array-like of shape (n,)
        Two labels of any type; the larger one is the positive class.
    scores : array-like of shape (n,)
        Numbers, infinite ones included; the larger, the more positive. Integers are compared as integers.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows, at least 0; a pair weighs the product of its two.
    undefined : {"raise", "nan"}
        What to do when a class is missing.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> from aucmax.evaluate import roc_auc
    >>> roc_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    check.word("undefined", undefined, UNDEFINED)
    rows = check.ranking(y, scores, sample_weight)
    if rows.one_sided:
        return _missing(undefined, check.one_class(rows.positive))
    return 1.0 - lost_share(*rows.sides)


def gini(y: Any, scores: Any, sample_weight: Any = None, *, undefined: str = "raise") -> float:
    """The Gini coefficient of a ranking (Somers' D): ``2·AUC - 1``, from -1 to 1.

    Parameters
    ----------
    y, scores, sample_weight, undefined
        As for :func:`roc_auc`.

    Returns
    -------
    float
        0 for a ranking at random, 1 for a perfect one.

    Examples
    --------
    >>> from aucmax.evaluate import gini
    >>> gini([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """
    return 2.0 * roc_auc(y, scores, sample_weight, undefined=undefined) - 1.0


def group_auc(y: Any, scores: Any, groups: Any, sample_weight: Any = None, *, undefined: str = "raise") -> float:
    """The AUC over the pairs within a group: of one user, one query, one day.

    Scores of different groups are never compared. A group counts by the weight of its pairs; one without both classes
    does not count.

    Parameters
    ----------
    y, scores, sample_weight
        As for :func:`roc_auc`.
    groups : array-like of shape (n,)
        The group of each row, of any type that can be sorted.
    undefined : {"raise", "nan"}
        What to do when no group holds both classes.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> from aucmax.evaluate import group_auc
    >>> group_auc([1, 0, 1, 0], [0.2, 0.1, 0.9, 0.8], ["ann", "ann", "bob", "bob"])
    1.0
    """
    check.word("undefined", undefined, UNDEFINED)
    positive, found = check.positives(y), check.finite_scores(scores)
    check.same_length("scores", found, len(positive))
    codes, count = group_codes(groups, len(positive))
    weight = check.weights(sample_weight, positive)
    lost, pairs = grouped_losses(np.ascontiguousarray(positive), found, weight, codes, count)
    if pairs == 0.0:
        error = ValueError(
            f"None of the {count} groups holds rows of both classes (of positive weight), but only pairs within a "
            "group count; give larger groups, or use roc_auc."
        )
        return _missing(undefined, error)
    return 1.0 - lost / pairs


def group_codes(groups: Any, n: int) -> tuple[np.ndarray, int]:
    """Groups as small numbers, and how many numbers there are."""
    groups = check.column("groups", groups)
    check.same_length("groups", groups, n)
    if n and groups.dtype.kind in "iu":
        low, high = int(groups.min()), int(groups.max())
        if high - low < 4 * n:  # numbers close together need no sorting
            wide = groups if groups.dtype == np.uint64 else groups.astype(np.int64)
            return (wide - wide.min()).astype(np.int64), high - low + 1
    if groups.dtype.kind == "f" and not np.isfinite(groups).all():
        raise ValueError("groups holds NaN or infinity; name every row's group by an integer or a string.")
    if groups.dtype.kind == "O" and any(map(check.is_missing, groups)):
        raise ValueError("groups holds None or NaN; name every row's group by an integer or a string.")
    try:
        names, codes = np.unique(groups, return_inverse=True)
    except TypeError:
        raise ValueError("groups holds names of different types; name all by integers or all by strings.") from None
    return codes.astype(np.int64, copy=False), len(names)


def _missing(undefined: str, error: ValueError) -> float:
    if undefined == "raise":
        raise error
    return float("nan")
