"""Probabilities from scores by Platt's sigmoid, other prevalences, and thresholds."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit

from aucmax.evaluate.thresholds import operating_point
from aucmax.kernel.logistic import sigmoid_sums

MOST_STEPS = 100
SETTLED = 1e-9
WHOLE = 1e-9  # the part of a number by which it may miss a whole one
RIDGE = 1e-12  # keeps the Hessian regular where all scores are equal


class Sigmoid(NamedTuple):
    """``log-odds = slope·score + intercept``."""

    slope: float
    intercept: float


def platt(scores: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Sigmoid:
    """The sigmoid ``P(positive) = 1/(1 + e^-(slope·score + intercept))`` of slope above 0.

    Logistic regression on the scores with Platt's smoothed targets, by Newton's method on standardised scores.
    """
    weight = as_counts(weight)
    pos = weight @ (y > 0)
    neg = weight.sum() - pos
    share = weight / weight.sum()
    target = np.where(y > 0, (pos + 1.0) / (pos + 2.0), 1.0 / (neg + 2.0))
    centre = float(share @ scores)
    spread = float(np.sqrt(share @ (scores - centre) ** 2)) or 1.0
    z = (scores - centre) / spread
    v = np.array([0.0, np.log((pos + 1.0) / (neg + 1.0))])
    value, *rest = sigmoid_sums(z, target, share, *v)
    for _ in range(MOST_STEPS):
        g0, g1, h00, h01, h11 = rest
        step = np.linalg.solve([[h00 + RIDGE, h01], [h01, h11 + RIDGE]], [g0, g1])
        while (found := sigmoid_sums(z, target, share, *(v - step)))[0] > value and np.abs(step).max() > SETTLED:
            step *= 0.5
        v, rest, value = v - step, found[1:], min(found[0], value)
        if np.abs(step).max() <= SETTLED * max(1.0, np.abs(v).max()):
            break
    slope = max(float(v[0]), 1e-6) / spread  # a ranking is never turned round
    return Sigmoid(slope, float(v[1]) - slope * centre)


def as_counts(weight: np.ndarray) -> np.ndarray:
    """Positive weights as numbers of rows, whatever their scale: Platt's targets count rows.

    Whole multiples of the least are repeated rows; others have a mean of one.
    """
    times = weight / weight.min()
    whole = np.all(np.abs(times - np.rint(times)) <= WHOLE * times)
    return np.asarray(times if whole else weight / weight.mean())


def gains(prevalence: Any, shares: np.ndarray, one_against_one: bool) -> np.ndarray:
    """What the log-odds of every task gain under another prevalence than that of the training rows.

    Parameters
    ----------
    prevalence : float, array-like or None
        Of the positive class, or of every class; None gains nothing.
    shares : ndarray
        Of the classes in training.
    one_against_one : bool
        Whether tasks are pairs of classes.
    """
    wanted = shares if prevalence is None else _numbers(prevalence)
    if len(shares) == 2 and wanted.shape == (1,):
        wanted = np.append(1.0 - wanted, wanted)
    if wanted.shape != shares.shape or not np.all((wanted > 0.0) & (wanted < 1.0)) or abs(wanted.sum() - 1.0) > 1e-6:
        raise ValueError(
            f"prevalence={prevalence!r}: expected a number between 0 and 1 for two classes, or one for each of the "
            f"{len(shares)} classes, together 1."
        )
    if one_against_one and len(shares) > 2:
        logs = np.log(wanted) - np.log(shares)
        return np.array([logs[b] - logs[a] for a, b in combinations(range(len(shares)), 2)])
    found = np.asarray(logit(wanted) - logit(shares))
    return found[1:] if len(shares) == 2 else found


def threshold_of(rule: Any, costs: Any, share: float, y: np.ndarray, logits: np.ndarray, weight: np.ndarray) -> float:
    """The probability above which a row is predicted positive.

    Parameters
    ----------
    rule : {None, "youden", "balanced", "cost"} or float
        As for ``AUCClassifier``.
    costs : ndarray
        Of a false positive and of a false negative.
    share : float
        The prevalence of the positive class that the probabilities are for.
    y, logits, weight
        The rows on which "youden" looks for it.
    """
    if rule is None:
        return 0.5
    if rule == "balanced":
        return share
    if rule == "cost":
        positive, negative = costs
        return float(positive / (positive + negative))
    if rule == "youden":
        return _midway(operating_point(y > 0, logits, weight, criterion="youden").threshold, logits)
    return float(rule)


def _numbers(values: Any) -> np.ndarray:
    """One or several numbers as an array; an empty one for anything else."""
    try:
        return np.atleast_1d(np.asarray(values, dtype=float))
    except (TypeError, ValueError):
        return np.empty(0)


def _midway(best: float, logits: np.ndarray) -> float:
    """The probability between the lowest log-odds to be positive and the next lower ones.

    Right below them, it would hang on the last bit of a sigmoid whether they are above it.
    """
    lower = logits[logits < best]
    if np.isinf(best):  # none is to be positive
        return float(expit(lower.max() + 1.0))
    return float(expit(0.5 * (best + lower.max()) if len(lower) else best - 1.0))


def prices(costs: Any, classes: np.ndarray) -> np.ndarray:
    """What a false positive and a false negative cost: a pair, or by label what an error on a row of it costs."""
    if isinstance(costs, Mapping):
        known = classes.tolist()
        return _numbers([costs[label] for label in known] if set(costs) == set(known) else None)
    return _numbers(costs)


def check_threshold(rule: Any, costs: Any, classes: np.ndarray) -> None:
    """Refuse a rule that cannot be followed."""
    named = isinstance(rule, str) and rule in ("youden", "balanced", "cost")
    number = isinstance(rule, Real) and not isinstance(rule, bool) and 0.0 < float(rule) < 1.0
    if not (rule is None or named or number):
        raise ValueError(
            f"threshold={rule!r}: expected None, 'youden', 'balanced', 'cost' or a probability between 0 and 1."
        )
    if rule is not None and len(classes) > 2:
        raise ValueError(f"threshold={rule!r} needs two classes, but y holds more; leave it out.")
    priced = named and rule == "cost"
    if costs is not None and not priced:
        raise ValueError(f"costs={costs!r} count for threshold='cost' only, not {rule!r}; set it, or leave costs out.")
    found = prices(costs, classes)
    if priced and not (found.shape == (2,) and np.all(np.isfinite(found) & (found > 0.0))):
        negative, positive = classes.tolist()
        raise ValueError(
            f"threshold='cost' with costs={costs!r}: expected the costs of a false positive and of a false negative, "
            f"two numbers above 0, or by label what an error on its rows costs: {{{negative!r}: 1, {positive!r}: 20}}."
        )
