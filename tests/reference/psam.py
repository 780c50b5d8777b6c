"""PSAM and ASAM, line by line, on given pairs."""

import numpy as np

from tests.reference.common import scaled


def psam(X, pairs, gamma, *, smooth=False, reg_skip=16, avg_skip=16, weight=None, due=None):
    """The average after the pairs (positive row, negative row), in the units of X; due: the steps that regularise."""
    Z, kappa = scaled(X)
    gamma = gamma / kappa**2
    t0 = 1 / gamma
    weight = np.ones(len(pairs)) if weight is None else weight
    w, average, q = np.zeros(X.shape[1]), np.zeros(X.shape[1]), 0
    for t, ((i, j), v) in enumerate(zip(pairs, weight, strict=True), 1):
        x = Z[i] - Z[j]
        lam = v / (gamma * (t + t0))
        if smooth:
            w = w + lam * np.clip(1 - w @ x, 0, 1) * x
        elif x @ x > 0:
            w = w + lam * np.clip((1 - w @ x) / (lam * (x @ x)), 0, 1) * x
        if t % reg_skip == 0 if due is None else t in due:
            w = w - min(reg_skip / (t + t0), 1.0) * w
        if t % avg_skip == 0:
            average, q = (q * average + w) / (q + 1), q + 1
    return average / kappa
