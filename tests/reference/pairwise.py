"""The regularised pair losses with every pair written out, and their minimisers by L-BFGS."""

import numpy as np
from scipy.optimize import minimize

from tests.reference.exact import pair_differences


def smooth_hinge(m):
    return np.where(m >= 1, 0.0, np.where(m > 0, (1 - m) ** 2 / 2, 0.5 - m)), -np.clip(1 - m, 0, 1)


def squared_hinge(m):
    gap = np.maximum(1 - m, 0)
    return gap**2, -2 * gap


def hinge(m):
    return np.maximum(1 - m, 0), -1.0 * (m < 1)


LOSSES = {"squared_hinge": squared_hinge, "smooth_hinge": smooth_hinge, "hinge": hinge}


def objective(X, y, w, loss, l2, weight=None):
    """Value and gradient."""
    D, v = pair_differences(X, y, weight)
    value, slope = LOSSES[loss](D @ w)
    return v @ value + l2 / 2 * w @ w, (v * slope) @ D + l2 * w


def minimiser(X, y, loss, l2, weight=None):
    """The minimiser of a smooth loss."""
    w = np.zeros(X.shape[1])
    options = {"maxiter": 100_000, "maxfun": 100_000, "ftol": 1e-16, "gtol": 1e-12, "maxcor": 50}
    for _ in range(3):  # again from where it ended: the line search gives up early now and then
        w = minimize(lambda u: objective(X, y, u, loss, l2, weight), w, jac=True, method="L-BFGS-B", options=options).x
    return w
