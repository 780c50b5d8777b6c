"""How many rows a study needs."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from aucmax.evaluate import check
from aucmax.evaluate.intervals import normal_share

MOST = 2**40  # rows of a class


class SampleSize(NamedTuple):
    """Rows of either class."""

    n_pos: int
    n_neg: int

    @property
    def total(self) -> int:
        """All rows."""
        return self.n_pos + self.n_neg


def required_sample_size(
    auc: float,
    *,
    null: float | None = None,
    other: float | None = None,
    width: float | None = None,
    correlation: float = 0.0,
    power: float = 0.8,
    level: float = 0.95,
    ratio: float = 1.0,
) -> SampleSize:
    """The rows needed to measure an AUC, to tell it from a value, or to tell two models apart.

    The variance is that of normal scores, equally spread in both classes.

    Parameters
    ----------
    auc : float
        The AUC expected, strictly between 0 and 1.
    null : float, optional
        A fixed value that the AUC is to be told from, by a two-sided test.
    other : float, optional
        The AUC of a second model scored on the same rows, to be told from the first by a two-sided test.
    width : float, optional
        The width that the confidence interval of the AUC is to have at most. Give one of the three.
    correlation : float
        Between the AUCs of the two models over samples, from -1 to 1; that of models with much in common is high, and
        fewer rows are needed.
    power : float
        The probability that the test is to find the difference.
    level : float
        Of the interval, or one minus the level of the test.
    ratio : float
        Negative rows for each positive one.

    Returns
    -------
    SampleSize
        ``n_pos``, ``n_neg`` and ``total``.

    Examples
    --------
    >>> from aucmax.evaluate import required_sample_size
    >>> required_sample_size(0.8, width=0.1)
    SampleSize(n_pos=146, n_neg=146)
    >>> required_sample_size(0.75, null=0.5, ratio=4)
    SampleSize(n_pos=13, n_neg=52)
    """
    for name, value in (("auc", auc), ("power", power), ("level", level)):
        check.number(name, value, 0.0, 1.0)
    check.number("ratio", ratio, 0.0, np.inf)
    check.number("correlation", correlation, -1.0, 1.0, closed=True)
    given = [name for name, value in (("null", null), ("other", other), ("width", width)) if value is not None]
    if len(given) != 1:
        raise ValueError(f"required_sample_size needs one of null, other and width, but {given or 'none'} was given.")
    z, z_power = float(ndtri(0.5 + 0.5 * level)), float(ndtri(power))

    def error(theta: float, n: float) -> float:
        """The standard error of an AUC of n positive rows and as many negative ones as they go with."""
        m = ceil(ratio * n)
        return float(np.sqrt((theta * (1.0 - theta) + (n + m - 2.0) * float(normal_share(theta))) / (n * m)))

    def between(a: float, b: float, n: float) -> float:
        """The standard error of the difference of two AUCs."""
        u, v = error(a, n), error(b, n)
        return float(np.sqrt(u * u + v * v - 2.0 * correlation * u * v))

    if width is not None:
        check.number("width", width, 0.0, 1.0)
        return _smallest(lambda n: 2.0 * z * error(auc, n) <= width, ratio)
    if null is not None:
        gap = abs(auc - check.number("null", null, 0.0, 1.0))
        _check_gap(gap)
        return _smallest(lambda n: z * error(null, n) + z_power * error(auc, n) <= gap, ratio)
    second = check.number("other", other, 0.0, 1.0)
    gap = abs(auc - second)
    _check_gap(gap)
    middle = 0.5 * (auc + second)
    return _smallest(lambda n: z * between(middle, middle, n) + z_power * between(auc, second, n) <= gap, ratio)


def _check_gap(gap: float) -> None:
    if gap == 0.0:
        raise ValueError("The two AUCs are equal, so that no number of rows tells them apart; give different ones.")


def _smallest(enough: Callable[[float], bool], ratio: float) -> SampleSize:
    """The fewest positive rows that are enough, two at least."""
    high = 2
    while not enough(high):
        high *= 2
        if high > MOST:
            raise ValueError(f"More than {MOST:,} positive rows would be needed; ask for less.")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    n = max(high, 2)
    return SampleSize(n, max(ceil(ratio * n), 2))
