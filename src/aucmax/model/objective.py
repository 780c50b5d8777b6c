"""Losses over all pairs of a positive and a negative row, from the scores alone."""

from __future__ import annotations

import numpy as np


def pair_square_loss(y: np.ndarray, scores: np.ndarray, weight: np.ndarray) -> float:
    """The weighted mean of ``(1 - (s⁺ - s⁻))²`` over all pairs of a positive and a negative row, in O(n).

    The mean splits into the squared gap of the class means and the two class variances.
    """
    means, spread = [], 0.0
    for side in (y > 0, y <= 0):
        s, v = scores[side], weight[side]
        total = v.sum()
        mean = float(v @ s / total)
        means.append(mean)
        spread += float(v @ (s - mean) ** 2 / total)
    return (1.0 - (means[0] - means[1])) ** 2 + spread


def pair_hinge_loss(y: np.ndarray, scores: np.ndarray, weight: np.ndarray) -> float:
    """The weighted mean of ``max(0, 1 - (s⁺ - s⁻))`` over all pairs, in O(n log n)."""
    pos, neg = y > 0, y <= 0
    order = np.argsort(-scores[neg])
    reach, v = scores[neg][order] + 1.0, weight[neg][order]
    active = np.searchsorted(-reach, -scores[pos])
    count = np.concatenate([[0.0], np.cumsum(v)])[active]
    total = np.concatenate([[0.0], np.cumsum(v * reach)])[active]
    return float(weight[pos] @ (total - count * scores[pos]) / (weight[pos].sum() * v.sum()))


PAIR_LOSSES = {"square": pair_square_loss, "hinge": pair_hinge_loss}


def penalty(w: np.ndarray, l2: float, l1: float) -> float:
    """``l2/2·|w|² + l1·|w|₁``."""
    return 0.5 * l2 * float(w @ w) + l1 * float(np.abs(w).sum())
