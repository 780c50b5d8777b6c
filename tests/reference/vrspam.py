"""VRSPAM, line by line; rows in the given order."""

import numpy as np

from tests.reference.common import scaled, soft


def gradient(w, x, label, p, mean_pos, mean_neg):
    a, b = w @ mean_pos, w @ mean_neg
    alpha = b - a
    if label > 0:
        return 2 * (1 - p) * ((w @ x - a) - (1 + alpha)) * x
    return 2 * p * ((w @ x - b) + (1 + alpha)) * x


def vrspam(X, y, l2, l1, *, step, start, stages):
    """The last anchor, in the units of X, from a start in the units of X."""
    Z, kappa = scaled(X)
    p, mean_pos, mean_neg = (y > 0).mean(), Z[y > 0].mean(axis=0), Z[y < 0].mean(axis=0)
    known = (p, mean_pos, mean_neg)
    anchor = start * kappa
    for _ in range(stages):
        mu = np.mean([gradient(anchor, x, label, *known) for x, label in zip(Z, y, strict=True)], axis=0)
        w = anchor.copy()
        for x, label in zip(Z, y, strict=True):
            v = w - step * (gradient(w, x, label, *known) - gradient(anchor, x, label, *known) + mu)
            w = soft(v, step * l1 / kappa) / (1 + step * l2 / kappa**2)
        anchor = w
    return anchor / kappa
