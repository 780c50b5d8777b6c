"""Losses over all pairs of a positive and a negative row, from the scores alone."""

from __future__ import annotations

import numpy as np

from aucmax.kernel.classes import Classes
from aucmax.kernel.pairs import LOSSES, PairSums


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


def pair_loss(name: str, y: np.ndarray, scores: np.ndarray, weight: np.ndarray) -> float:
    """The weighted mean of a loss over all pairs of a positive and a negative row, in O(n log n)."""
    if name == "square":
        return pair_square_loss(y, scores, weight)
    return PairSums(Classes.of(y, weight), scores, LOSSES[name]).value


def penalty(w: np.ndarray, l2: float, l1: float) -> float:
    """``l2/2·|w|² + l1·|w|₁``."""
    return 0.5 * l2 * float(w @ w) + l1 * float(np.abs(w).sum())
