"""The pieces the papers write down once."""

import numpy as np


def scaled(X):
    """X/κ and κ."""
    kappa = np.sqrt((X**2).sum(axis=1).max())
    return X / kappa, kappa


def soft(v, threshold):
    return np.sign(v) * np.maximum(np.abs(v) - threshold, 0.0)


def project_l1(v, radius):
    """The projection on the ℓ1 ball by sorting."""
    if np.abs(v).sum() <= radius:
        return v.copy()
    sizes = np.sort(np.abs(v))[::-1]
    totals = np.cumsum(sizes)
    last = np.nonzero(sizes * np.arange(1, len(v) + 1) > totals - radius)[0][-1]
    return soft(v, (totals[last] - radius) / (last + 1))


def project_l2(v, radius):
    norm = np.linalg.norm(v)
    return v * (radius / norm) if norm > radius else v


def saddle_derivatives(w, a, b, alpha, x, y, p):
    """∂w, ∂a, ∂b, ∂alpha of F."""
    s = w @ x
    if y > 0:
        return (
            2 * (1 - p) * ((s - a) - (1 + alpha)) * x,
            -2 * (1 - p) * (s - a),
            0.0,
            -2 * (1 - p) * s - 2 * p * (1 - p) * alpha,
        )
    return 2 * p * ((s - b) + (1 + alpha)) * x, 0.0, -2 * p * (s - b), 2 * p * s - 2 * p * (1 - p) * alpha
