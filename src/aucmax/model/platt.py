"""Platt's sigmoid: probabilities from scores."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

MOST_STEPS = 100
SETTLED = 1e-12


def platt(scores: np.ndarray, y: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """The slope, above 0, and the intercept of ``P(positive) = 1/(1 + e^-(slope·score + intercept))``.

    Logistic regression on the scores with Platt's smoothed targets, by Newton's method on standardised scores.
    """
    pos = weight @ (y > 0)
    neg = weight.sum() - pos
    share = weight / weight.sum()
    target = np.where(y > 0, (pos + 1.0) / (pos + 2.0), 1.0 / (neg + 2.0))
    centre = float(share @ scores)
    spread = float(np.sqrt(share @ (scores - centre) ** 2)) or 1.0
    Z = np.column_stack([(scores - centre) / spread, np.ones(len(scores))])
    v = np.array([0.0, np.log((pos + 1.0) / (neg + 1.0))])
    value = _loss(Z @ v, target, share)
    for _ in range(MOST_STEPS):
        p = expit(Z @ v)
        g = Z.T @ (share * (p - target))
        H = (Z.T * (share * p * (1.0 - p))) @ Z + 1e-12 * np.eye(2)
        step = np.linalg.solve(H, g)
        while (trial := _loss(Z @ (v - step), target, share)) > value and np.abs(step).max() > SETTLED:
            step *= 0.5
        v, value = v - step, min(trial, value)
        if np.abs(step).max() <= SETTLED * max(1.0, np.abs(v).max()):
            break
    slope = max(float(v[0]), 1e-6) / spread  # a ranking is never turned round
    return slope, float(v[1]) - slope * centre


def _loss(logits: np.ndarray, target: np.ndarray, share: np.ndarray) -> float:
    return float(share @ (np.logaddexp(0.0, logits) - target * logits))
