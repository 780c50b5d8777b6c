"""Several models over several data sets: mean ranks, Friedman's test, and the difference that counts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtrc, fdtrc

from aucmax.evaluate import check


class Ranks(NamedTuple):
    """Mean ranks over data sets, best first, and what is known of their differences.

    Attributes
    ----------
    names : tuple of str
        The models, best first.
    mean_ranks : ndarray of shape (k,)
        1 is the best; ties share the mean of their ranks.
    critical_difference : float
        Two mean ranks that differ by less are not told apart (Nemenyi).
    friedman, iman_davenport : tuple of two floats
        Statistic and p-value of the tests that all models are equal.
    groups : tuple of tuples of str
        The largest runs of models that are not told apart.
    n_sets : int
        The number of data sets.
    """

    names: tuple[str, ...]
    mean_ranks: np.ndarray
    critical_difference: float
    friedman: tuple[float, float]
    iman_davenport: tuple[float, float]
    groups: tuple[tuple[str, ...], ...]
    n_sets: int

    def __str__(self) -> str:
        """The models by rank; a column of bars for each group that is not told apart."""
        wide = max(len("model"), *(len(name) for name in self.names))
        lines = [f"{'model':<{wide}}  mean rank"]
        for name, rank in zip(self.names, self.mean_ranks, strict=True):
            bars = " ".join("|" if name in group else " " for group in self.groups)
            lines.append(f"{name:<{wide}}  {rank:9.2f}  {bars}".rstrip())
        lines.append(
            f"critical difference {self.critical_difference:.2f} over {self.n_sets} data sets; Friedman's test "
            f"p = {self.friedman[1]:.3g}; bars join models not told apart"
        )
        return "\n".join(lines)


def critical_difference(results: Any, names: Any = None, *, level: float = 0.95) -> Ranks:
    r"""Rank models on several data sets, and say which ranks differ (Demšar).

    .. math:: \mathrm{CD} = q_\alpha \sqrt{\frac{k (k + 1)}{6 N}}

    Parameters
    ----------
    results : array-like of shape (N, k), or a mapping of models' names to N numbers
        The AUC (the larger, the better) of k models on N data sets; two of either at least.
    names : sequence of str, optional
        The models, when results is an array.
    level : float
        One minus the level of the test.

    Returns
    -------
    Ranks
        Print it for a table.

    References
    ----------
    Demšar (2006), Journal of Machine Learning Research 7.

    Examples
    --------
    >>> from aucmax.evaluate import critical_difference
    >>> results = {"a": [0.9, 0.8, 0.7, 0.9], "b": [0.8, 0.7, 0.6, 0.8], "c": [0.7, 0.75, 0.5, 0.6]}
    >>> print(critical_difference(results))
    model  mean rank
    a           1.00  |
    b           2.25  | |
    c           2.75    |
    critical difference 1.66 over 4 data sets; Friedman's test p = 0.0388; bars join models not told apart
    """
    check.number("level", level, 0.0, 1.0)
    table, models = _table(results, names)
    n, k = table.shape
    ranks = _mean_ranks(table)
    order = np.argsort(ranks, kind="stable")
    width = _studentized(level, k) * float(np.sqrt(k * (k + 1.0) / (6.0 * n)))
    ordered = ranks[order]
    listed = tuple(models[i] for i in order)
    friedman, davenport = _friedman(table, ranks)
    return Ranks(listed, ordered, width, friedman, davenport, _groups(listed, ordered, width), n)


def _table(results: Any, names: Any) -> tuple[np.ndarray, list[str]]:
    if hasattr(results, "keys"):
        names = list(results.keys())
        results = np.column_stack([np.asarray(results[name], dtype=np.float64) for name in names])
    table = check.numbers("results", check.array_of("results", results))
    if table.ndim != 2 or min(table.shape) < 2:
        raise ValueError(f"results have the shape {table.shape}, expected 2 data sets and 2 models at least.")
    if not np.all(np.isfinite(table)):
        raise ValueError("results hold numbers that are not finite; leave out data sets on which a model failed.")
    listed = [f"model {i + 1}" for i in range(table.shape[1])] if names is None else [str(name) for name in names]
    if len(listed) != table.shape[1]:
        raise ValueError(f"{len(listed)} names for {table.shape[1]} models; give one for each.")
    return table, listed


def _rank_rows(table: np.ndarray) -> np.ndarray:
    """Ranks within each row, 1 for the largest; ties share their mean."""
    above = (table[:, None, :] > table[:, :, None]).sum(axis=2)
    level = (table[:, None, :] == table[:, :, None]).sum(axis=2)
    return np.asarray(above + 0.5 * (level + 1.0))


def _mean_ranks(table: np.ndarray) -> np.ndarray:
    return np.asarray(_rank_rows(table).mean(axis=0))


def _friedman(table: np.ndarray, ranks: np.ndarray) -> tuple[tuple[float, float], tuple[float, float]]:
    """Friedman's statistic, corrected for ties, and Iman and Davenport's, each with its p-value."""
    n, k = table.shape
    spread = float(((_rank_rows(table) - 0.5 * (k + 1.0)) ** 2).sum())
    if spread == 0.0:  # every model equal on every set
        return (0.0, 1.0), (0.0, 1.0)
    chi = float(n * n * (k - 1.0) * ((ranks - 0.5 * (k + 1.0)) ** 2).sum() / spread)
    rest = n * (k - 1.0) - chi
    f = (n - 1.0) * chi / rest if rest > 1e-9 * chi else float("inf")
    p = 0.0 if np.isinf(f) else float(fdtrc(k - 1.0, (k - 1.0) * (n - 1.0), f))
    return (chi, float(chdtrc(k - 1.0, chi))), (f, p)


def _studentized(level: float, k: int) -> float:
    from scipy.stats import studentized_range  # slow to import

    return float(studentized_range.ppf(level, k, np.inf) / np.sqrt(2.0))


def _groups(names: tuple[str, ...], ranks: np.ndarray, width: float) -> tuple[tuple[str, ...], ...]:
    """The runs of ranks within the width of each other that lie in no longer run."""
    found, reached = [], 0
    for first in range(len(ranks)):
        end = int(np.searchsorted(ranks, ranks[first] + width, side="right"))
        if end > reached and end - first > 1:
            found.append(names[first:end])
        reached = max(reached, end)
    return tuple(found)
