"""How much a stochastic direction varies from row to row, with and without variance reduction.

A step of SPAM goes along ``G(w, z) = f(w, z)·x``, one of VRSPAM along ``G(w, z) - G(w~, z) + mean G(w~, .)``, with w~
the weights at the beginning of its stage; the last term is the same for all rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def row_factors(X: Any, y: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The factors f of the rows in SPAM's direction at w; y holds 1 and 0."""
    scores, positive = X @ w, y > 0
    p, a, b = positive.mean(), scores[positive].mean(), scores[~positive].mean()
    return np.asarray(np.where(positive, 2.0 * (1.0 - p) * (scores - b - 1.0), 2.0 * p * (scores - a + 1.0)))


def direction_variance(X: Any, y: np.ndarray, w: np.ndarray, anchor: np.ndarray | None = None) -> float:
    """The mean squared distance of a row's direction at w from their mean; with an anchor, that of VRSPAM."""
    factors = row_factors(X, y, w)
    if anchor is not None:
        factors = factors - row_factors(X, y, anchor)
    squares = np.asarray(X.multiply(X).sum(axis=1)).ravel() if hasattr(X, "multiply") else np.einsum("ij,ij->i", X, X)
    mean = X.T @ factors / len(y)
    return float(np.mean(factors**2 * squares) - mean @ mean)
