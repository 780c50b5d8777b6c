"""Several models on the same rows: AUCs, intervals, and which differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from aucmax.evaluate import check
from aucmax.evaluate.delong import delong_covariance, interval, moments
from aucmax.evaluate.intervals import METHODS, Interval


class Table(NamedTuple):
    """Models by falling AUC, with intervals, and the test of every pair.

    Attributes
    ----------
    names : tuple of str
        The models, best first.
    intervals : tuple of Interval
        Of each AUC.
    difference, std_error : ndarray of shape (k, k)
        The AUC of the row's model minus that of the column's, and its standard error.
    p_value, p_holm : ndarray of shape (k, k)
        DeLong's two-sided test of every pair, and the same after Holm's correction for the number of pairs.
    level : float
        Of the intervals.
    """

    names: tuple[str, ...]
    intervals: tuple[Interval, ...]
    difference: np.ndarray
    std_error: np.ndarray
    p_value: np.ndarray
    p_holm: np.ndarray
    level: float

    def models(self) -> dict[str, Any]:
        """One row a model, as columns for a data frame."""
        fields = ("estimate", "low", "high", "std_error")
        columns = {name: np.array([getattr(one, name) for one in self.intervals]) for name in fields}
        return {"model": list(self.names), "auc": columns.pop("estimate"), **columns}

    def pairs(self) -> dict[str, Any]:
        """One row a pair of models, as columns for a data frame."""
        i, j = np.triu_indices(len(self.names), 1)
        half = float(ndtri(0.5 + 0.5 * self.level)) * self.std_error[i, j]
        return {
            "better": [self.names[k] for k in i],
            "worse": [self.names[k] for k in j],
            "difference": self.difference[i, j],
            "low": self.difference[i, j] - half,
            "high": self.difference[i, j] + half,
            "p_value": self.p_value[i, j],
            "p_holm": self.p_holm[i, j],
        }

    def __str__(self) -> str:
        """The models, each with the corrected p-values against those above it."""
        wide = max(5, *(len(name) for name in self.names))
        heads = [f"vs {k + 1}" for k in range(len(self.names) - 1)]
        title = f"{100 * self.level:g} % interval"
        lines = [f"    {'model':<{wide}}  {'AUC':>6}  {title:<16}  " + "  ".join(f"{head:>7}" for head in heads)]
        for k, (name, one) in enumerate(zip(self.names, self.intervals, strict=True)):
            tests = "  ".join(_shown(p) for p in self.p_holm[k, :k])
            lines.append(f"{k + 1:>2}  {name:<{wide}}  {one.estimate:6.4f}  {one.low:6.4f} - {one.high:6.4f}   {tests}")
        lines.append("vs: p-values of DeLong's test against the models above, after Holm's correction")
        return "\n".join(line.rstrip() for line in lines)


def compare(
    y: Any,
    scores: Mapping[str, Any],
    sample_weight: Any = None,
    *,
    level: float = 0.95,
    method: str = "score",
) -> Table:
    """Compare models scored on the same rows.

    Parameters
    ----------
    y, sample_weight
        As for :func:`roc_auc`.
    scores : mapping of names to array-likes of shape (n,)
        The scores of each model; two at least.
    level : float
        Of the intervals.
    method : {"score", "logit", "delong", "hanley-mcneil"}
        The interval, as for :func:`delong_ci`.

    Returns
    -------
    Table
        Print it, or make data frames of its ``models()`` and ``pairs()``.

    Examples
    --------
    >>> from aucmax.evaluate import compare
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> print(compare(y, {"age": [1, 4, 6, 7, 2, 3, 5, 8], "model": [1, 2, 3, 6, 4, 5, 7, 8]}))
        model     AUC  95 % interval        vs 1
     1  model  0.8750  0.3439 - 0.9844
     2  age    0.5000  0.1424 - 0.8576     0.066
    vs: p-values of DeLong's test against the models above, after Holm's correction
    """
    check.number("level", level, 0.0, 1.0)
    check.word("method", method, METHODS)
    if not isinstance(scores, Mapping) or len(scores) < 2:
        raise ValueError("compare needs a mapping of at least two names to scores; for one model, use delong_ci.")
    found = delong_covariance(y, scores, sample_weight)
    order = np.argsort(-found.aucs, kind="stable")
    names = [str(name) for name in scores]
    columns = list(scores.values())
    intervals = [interval(moments(check.two_sided(y, columns[k], sample_weight)), level, method) for k in order]
    aucs, covariance = found.aucs[order], found.covariance[np.ix_(order, order)]
    difference = aucs[:, None] - aucs
    variance = np.diag(covariance)[:, None] + np.diag(covariance) - 2.0 * covariance
    error = np.sqrt(np.maximum(variance, 0.0))
    p = _p_values(difference, error)
    return Table(tuple(names[k] for k in order), tuple(intervals), difference, error, p, _over_pairs(p), level)


def _p_values(difference: np.ndarray, error: np.ndarray) -> np.ndarray:
    certain = np.where(difference == 0.0, 0.0, np.inf)
    statistic = np.divide(np.abs(difference), error, out=certain, where=error > 0.0)
    return np.asarray(2.0 * ndtr(-statistic))


def holm(p_values: Any) -> np.ndarray:
    """Holm's correction: p-values such that all tests together keep the level.

    Parameters
    ----------
    p_values : array-like of shape (k,)
        Of each test.

    Returns
    -------
    ndarray of shape (k,)
        At least as large, at most 1.

    Examples
    --------
    >>> from aucmax.evaluate import holm
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = check.numbers("p_values", check.array_of("p_values", p_values))
    order = np.argsort(p)
    out = np.empty_like(p)
    out[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return out


def _over_pairs(p: np.ndarray) -> np.ndarray:
    """Holm's correction of a symmetric table, each pair counting once."""
    i, j = np.triu_indices(len(p), 1)
    out = np.ones_like(p)
    out[i, j] = out[j, i] = holm(p[i, j])
    return out


def _shown(p: float) -> str:
    return f"{p:7.3f}" if p >= 0.001 else f"{p:7.0e}"
