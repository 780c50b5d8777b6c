"""AUCs of more than two classes, with intervals: each class against the rest, and Hand and Till's over all pairs.

Both are means of AUCs. A row's part in the mean is the sum of its parts in each; within a class the rows are
independent, so that the variance of the mean is ``Σ S²_g/n_g`` over the classes g, S² being the spread of the parts.
For two classes that is DeLong's variance.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.evaluate import check
from aucmax.evaluate.intervals import logit_limits
from aucmax.kernel.ranking import row_losses

AVERAGES = ("macro", "weighted")


class MulticlassAUC(NamedTuple):
    """A mean of AUCs with its limits and standard error, the classes, and the AUCs that it is the mean of."""

    estimate: float
    low: float
    high: float
    std_error: float
    classes: np.ndarray
    aucs: np.ndarray

    def __str__(self) -> str:
        return f"{self.estimate:.4f} [{self.low:.4f}, {self.high:.4f}] over {len(self.classes)} classes"


class _Rows(NamedTuple):
    """Validated rows: the number of each one's class, one column of scores a class, weights."""

    classes: np.ndarray
    codes: np.ndarray
    scores: np.ndarray
    weight: np.ndarray

    def part(self, rows: np.ndarray, k: int) -> np.ndarray:
        """The share of pairs in right order of each of some rows, class k against the others by its own column."""
        positive, weight = self.codes[rows] == k, self.weight[rows]
        against = np.where(positive, weight[~positive].sum(), weight[positive].sum())
        return np.asarray(1.0 - row_losses(positive, self.scores[rows, k], weight) / against)


def ovr_auc(
    y: Any,
    scores: Any,
    sample_weight: Any = None,
    *,
    classes: Any = None,
    average: str = "macro",
    level: float = 0.95,
) -> MulticlassAUC:
    """The mean AUC of each class against the rest.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels.
    scores : array-like of shape (n, k)
        One column of scores a class, in the order of the classes.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows, at least 0.
    classes : array-like of shape (k,), optional
        The labels that the columns belong to; the sorted labels of y by default.
    average : {"macro", "weighted"}
        Whether classes count the same or by their weight in y.
    level : float
        The share of intervals that are to cover the truth; the interval is symmetric on the scale of log-odds.

    Returns
    -------
    MulticlassAUC
        ``estimate``, ``low``, ``high``, ``std_error``, ``classes`` and ``aucs`` of shape (k,).

    Examples
    --------
    >>> from aucmax.evaluate import ovr_auc
    >>> scores = [[3, 0, 0], [2, 1, 0], [0, 3, 1], [1, 0, 0], [0, 0, 2], [0, 1, 3]]
    >>> ovr_auc(["a", "a", "b", "b", "c", "c"], scores).aucs.round(3).tolist()
    [1.0, 0.625, 1.0]
    """
    check.number("level", level, 0.0, 1.0)
    check.word("average", average, AVERAGES)
    rows = _rows(y, scores, sample_weight, classes)
    every, k = np.arange(len(rows.codes)), len(rows.classes)
    sizes = np.bincount(rows.codes, weights=rows.weight, minlength=k)
    shares = np.full(k, 1.0 / k) if average == "macro" else sizes / sizes.sum()
    rest = np.array([np.delete(sizes, c).sum() for c in range(k)])  # a difference would lose light classes
    parts, aucs = np.zeros(len(every)), np.empty(k)
    for c in range(k):
        right = rows.part(every, c)
        own = rows.codes == c
        aucs[c] = right[own] @ rows.weight[own] / sizes[c]
        # a row of the rest has a part as large as its class has in the rest
        parts += shares[c] * right * np.where(own, 1.0, sizes[rows.codes] / rest[c])
    return _result(rows, parts, float(shares @ aucs), aucs, level)


def hand_till_auc(
    y: Any, scores: Any, sample_weight: Any = None, *, classes: Any = None, level: float = 0.95
) -> MulticlassAUC:
    r"""Hand and Till's M: the mean AUC over all ordered pairs of classes.

    .. math:: M = \frac{1}{k (k - 1)} \sum_{i \ne j} A(i \mid j)

    with :math:`A(i \mid j)` the AUC of class i against class j by the scores of class i. It does not depend on how
    common the classes are.

    Parameters
    ----------
    y, scores, sample_weight, classes, level
        As for :func:`ovr_auc`.

    Returns
    -------
    MulticlassAUC
        As of :func:`ovr_auc`; ``aucs`` has the shape (k, k), with NaN on the diagonal.

    References
    ----------
    Hand and Till (2001), Machine Learning 45.

    Examples
    --------
    >>> from aucmax.evaluate import hand_till_auc
    >>> scores = [[3, 0, 0], [2, 1, 0], [0, 3, 1], [1, 0, 0], [0, 0, 2], [0, 1, 3]]
    >>> round(hand_till_auc(["a", "a", "b", "b", "c", "c"], scores).estimate, 4)
    0.875
    """
    check.number("level", level, 0.0, 1.0)
    rows = _rows(y, scores, sample_weight, classes)
    k = len(rows.classes)
    parts, aucs = np.zeros(len(rows.codes)), np.full((k, k), np.nan)
    for i in range(k):
        for j in range(k):
            if i != j:
                own = np.flatnonzero((rows.codes == i) | (rows.codes == j))
                right = rows.part(own, i)
                parts[own] += right / (k * (k - 1.0))
                first, weight = rows.codes[own] == i, rows.weight[own]
                aucs[i, j] = right[first] @ weight[first] / weight[first].sum()
    return _result(rows, parts, float(np.nanmean(aucs)), aucs, level)


def _result(rows: _Rows, parts: np.ndarray, estimate: float, aucs: np.ndarray, level: float) -> MulticlassAUC:
    variance, effective = 0.0, []
    for c in range(len(rows.classes)):
        own = rows.codes == c
        v = rows.weight[own]
        n = check.effective_rows(float(v.sum()), float(v @ v))
        centred = parts[own] - parts[own] @ v / v.sum()
        variance += float((v * v) @ centred**2) / float(v.sum()) ** 2 * n / (n - 1.0)
        effective.append(n)
    pairs = float(np.prod(sorted(effective)[:2]))
    low, high = logit_limits(estimate, variance, pairs, level)
    return MulticlassAUC(estimate, low, high, float(np.sqrt(variance)), rows.classes, aucs)


def _rows(y: Any, scores: Any, sample_weight: Any, classes: Any) -> _Rows:
    labels = check.column("y", y)
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise ValueError("y holds NaN; give a label to every row, or leave those rows out.")
    known = check.unique_labels(labels if classes is None else check.column("classes", classes))
    columns = known if classes is None else check.column("classes", classes)
    table = check.array_of("scores", scores)
    if table.ndim != 2 or table.shape[1] != len(columns):
        raise ValueError(
            f"scores have the shape {table.shape}, expected ({len(labels)}, {len(columns)}), one column a class; "
            "name them in classes if y lacks some."
        )
    check.same_length("scores", table, len(labels))
    table = check.float_scores(table, "scores")
    codes = _codes(labels, columns)
    weight = check.weights(sample_weight, labels)
    weight = np.ones(len(labels)) if weight is None else weight
    kept = weight > 0.0
    counts = np.bincount(codes[kept], minlength=len(columns))
    if len(columns) < 2 or counts.min() < 2:
        few = columns[np.flatnonzero(counts < 2)].tolist()
        raise ValueError(
            f"Fewer than 2 rows (of positive weight) of the classes {few}; expected 2 classes and 2 rows of each at "
            "least: give more rows, or leave those classes out."
        )
    return _Rows(columns, codes[kept], table[kept], weight[kept])


def _codes(labels: np.ndarray, columns: np.ndarray) -> np.ndarray:
    order = np.argsort(columns)
    places = np.minimum(np.searchsorted(columns, labels, sorter=order), len(columns) - 1)
    codes: np.ndarray = order[places]
    strange = columns[codes] != labels
    if strange.any():
        raise ValueError(
            f"y holds the label {labels[strange].tolist()[0]!r}, but the classes are {columns.tolist()}; name all."
        )
    return codes
