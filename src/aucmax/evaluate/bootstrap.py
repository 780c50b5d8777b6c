"""Bootstrap intervals for every metric: sort once, then draw how often each row occurs."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from aucmax.evaluate import check
from aucmax.evaluate.areas import h_of, lift_area, mean_precision, partial_area
from aucmax.evaluate.curves import Steps
from aucmax.evaluate.resampling import Resampler
from aucmax.evaluate.thresholds import best_f, break_even

METHODS = ("percentile", "basic", "normal")


def area(found: Steps) -> float:
    """The AUC of some steps."""
    return partial_area(found)


def gini_of(found: Steps) -> float:
    """The Gini coefficient of some steps."""
    return 2.0 * area(found) - 1.0


METRICS: dict[str, Callable[..., float]] = {
    "roc_auc": area,
    "gini": gini_of,
    "partial_auc": partial_area,
    "average_precision": mean_precision,
    "area_under_lift": lift_area,
    "h_measure": h_of,
    "f_beta": best_f,
    "prbep": break_even,
}


class Bootstrap(NamedTuple):
    """An estimate with its limits and standard error, and the values of the resamples."""

    estimate: float
    low: float
    high: float
    std_error: float
    samples: np.ndarray

    def __str__(self) -> str:
        return f"{self.estimate:.4f} [{self.low:.4f}, {self.high:.4f}]"


def bootstrap_ci(
    y: Any,
    scores: Any,
    sample_weight: Any = None,
    *,
    metric: str | Callable[..., float] = "roc_auc",
    groups: Any = None,
    n_resamples: int = 2000,
    level: float = 0.95,
    method: str = "percentile",
    random_state: int | None = None,
    n_jobs: int | None = None,
    **options: Any,
) -> Bootstrap:
    """A bootstrap interval of a metric.

    Rows are drawn with replacement within each class, so that every resample has as many of both as the data. With
    groups, whole groups are drawn instead: rows of one group (a patient, a user) are not independent.

    Parameters
    ----------
    y, scores, sample_weight
        As for :func:`roc_auc`.
    metric : str or callable
        ``"roc_auc"``, ``"gini"``, ``"partial_auc"``, ``"average_precision"``, ``"area_under_lift"``, ``"h_measure"``,
        ``"f_beta"`` (the best), ``"prbep"``, or a function ``metric(y, scores, sample_weight)`` of true and false
        labels.
    groups : array-like of shape (n,), optional
        The group of each row.
    n_resamples : int
        How many resamples, at least 2.
    level : float
        The share of intervals that are to cover the truth.
    method : {"percentile", "basic", "normal"}
        Quantiles of the resamples, the same mirrored at the estimate, or estimate ± z standard errors.
    random_state : int, optional
        A seed; the same seed gives the same numbers whatever the number of threads.
    n_jobs : int, optional
        Threads; as many as there are cores by default.
    **options
        For the metric, ``max_fpr=0.1`` for instance.

    Returns
    -------
    Bootstrap
        ``estimate``, ``low``, ``high``, ``std_error`` and ``samples``.

    Examples
    --------
    >>> from aucmax.evaluate import bootstrap_ci
    >>> y, scores = [0, 0, 0, 0, 1, 1, 1, 1], [1, 2, 3, 6, 4, 5, 7, 8]
    >>> found = bootstrap_ci(y, scores, metric="average_precision", random_state=0)
    >>> round(found.estimate, 3), found.low < found.estimate <= found.high
    (0.887, True)
    """
    check.number("level", level, 0.0, 1.0)
    check.word("method", method, METHODS)
    check.number("n_resamples", n_resamples, 2, np.inf, closed=True)
    if not callable(metric):
        check.word("metric", metric, METRICS)
    ranked = check.two_sided(y, scores, sample_weight)
    if groups is not None and len(ranked.positive) != len(check.column("groups", groups)):
        groups = _kept(groups, sample_weight, len(check.positives(y)))
    resampler = Resampler(ranked, groups)
    estimate, value = _evaluator(resampler, metric, options)
    seeds = np.random.default_rng(random_state).integers(2**64, size=int(n_resamples), dtype=np.uint64).tolist()
    with ThreadPoolExecutor(n_jobs or os.cpu_count()) as pool:
        samples = np.array(list(pool.map(value, seeds)))
    return _summary(estimate, samples, level, method)


def _kept(groups: Any, sample_weight: Any, n: int) -> np.ndarray:
    """The groups of the rows of positive weight."""
    groups = check.column("groups", groups)
    check.same_length("groups", groups, n)
    weight = check.numbers("sample_weight", check.column("sample_weight", sample_weight))
    return np.asarray(groups[weight > 0.0])


def _evaluator(
    resampler: Resampler, metric: str | Callable[..., float], options: dict[str, Any]
) -> tuple[float, Callable[[int], float]]:
    """The metric of the data, and a function from a seed to that of a resample."""
    ranked = resampler.ranked
    if callable(metric):
        labels, scores, given = ranked.positive, ranked.scores, ranked.weight
        whole = np.ones(len(labels)) if given is None else given
        estimate = float(metric(labels, scores, sample_weight=whole, **options))
        return estimate, lambda seed: float(metric(labels, scores, sample_weight=resampler.weights(seed), **options))
    function = METRICS[metric]
    weights = [np.ones(len(side.depth)) if side.weight is None else side.weight for side in resampler.classes]
    sums = [np.append(0.0, np.cumsum(weight))[ends] for weight, ends in zip(weights, resampler.ends, strict=True)]
    estimate = function(Steps(resampler.thresholds, *sums), **options)
    if metric == "roc_auc" and not options:
        return estimate, resampler.area
    return estimate, lambda seed: function(resampler.steps(seed), **options)


def _summary(estimate: float, samples: np.ndarray, level: float, method: str) -> Bootstrap:
    error = float(np.std(samples, ddof=1))
    low, high = (float(q) for q in np.quantile(samples, [0.5 - 0.5 * level, 0.5 + 0.5 * level]))
    if method == "basic":
        low, high = 2.0 * estimate - high, 2.0 * estimate - low
    elif method == "normal":
        half = float(ndtri(0.5 + 0.5 * level)) * error
        low, high = estimate - half, estimate + half
    return Bootstrap(estimate, low, high, error, samples)
