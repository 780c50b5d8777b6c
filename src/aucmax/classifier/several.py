"""Several classes: their probabilities together, and scores of them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import expit, log_expit, logsumexp

from aucmax.evaluate.roc import group_auc, roc_auc
from aucmax.model.labels import label_column


def probabilities(scores: np.ndarray) -> np.ndarray:
    """The sigmoids of the log-odds of every class, together one.

    Their logarithms are taken, since all of them may be too small for a number, or too near one to differ: then the
    class of the largest log-odds is given the last bit more, so that it is the most probable one in any case.
    """
    logs = log_expit(scores)
    p = np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
    best, rows = scores.argmax(axis=1), np.arange(len(scores))
    tied = p.argmax(axis=1) != best
    p[rows[tied], best[tied]] = np.nextafter(p.max(axis=1)[tied], np.inf)
    return np.asarray(p)


def mean_probabilities(scores: np.ndarray, classes: int) -> np.ndarray:
    """From the log-odds of every pair of classes, the mean probability of each class against the others."""
    wins, total = expit(scores), np.zeros((len(scores), classes))
    for k, (a, b) in enumerate(combinations(range(classes), 2)):
        total[:, b] += wins[:, k]
        total[:, a] += 1.0 - wins[:, k]
    return np.clip(total / (classes - 1), 1e-15, 1.0 - 1e-15)


def sides(classes: np.ndarray, one_against_one: bool) -> np.ndarray:
    """What every line of coefficients is for, in words."""
    names = [str(one) for one in classes]
    if len(names) == 2:
        return np.array(names[1:])
    return np.array([f"{b} over {a}" for a, b in combinations(names, 2)] if one_against_one else names)


def known_labels(y: Any, classes: np.ndarray) -> np.ndarray:
    """Labels as a column; those of no class are an error."""
    y = label_column(y)
    strange = ~np.any([y == side for side in classes], axis=0)
    if np.any(strange):
        raise ValueError(
            f"y holds the label {y[strange].tolist()[0]!r}, but the classes are {classes.tolist()}; "
            "use the labels the model was fitted with."
        )
    return np.asarray(y)


def auc(positive: np.ndarray, scores: np.ndarray, weight: Any, groups: Any) -> float:
    """The AUC, or that of pairs within groups."""
    if groups is None:
        return roc_auc(positive, scores, weight)
    return group_auc(positive, scores, groups, weight)


def _all_there(y: np.ndarray, classes: np.ndarray) -> None:
    missing = [side for side in classes.tolist() if not np.any(y == side)]
    if missing:
        raise ValueError(
            f"y holds no row of class {missing[0]!r}, but the score is a mean over all classes, {classes.tolist()}; "
            "give rows of each."
        )


def macro_auc(classes: np.ndarray, y: np.ndarray, scores: np.ndarray, weight: Any, groups: Any) -> float:
    """The mean over the classes of the AUC of each against the rest."""
    _all_there(y, classes)
    return float(np.mean([auc(y == side, scores[:, k], weight, groups) for k, side in enumerate(classes)]))


def hand_and_till(classes: np.ndarray, y: np.ndarray, scores: np.ndarray, weight: Any, groups: Any) -> float:
    """The mean over all pairs of classes of the AUC of their own scores on their own rows."""
    _all_there(y, classes)
    found = []
    for k, (a, b) in enumerate(combinations(classes, 2)):
        rows = (y == a) | (y == b)
        given = [None if v is None else np.asarray(v)[rows] for v in (weight, groups)]
        found.append(auc(y[rows] == b, scores[rows, k], *given))
    return float(np.mean(found))
