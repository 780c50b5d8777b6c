"""The square-loss objective over explicit pairs, its minimiser by least squares, and the elastic net by ISTA."""

import numpy as np

from tests.reference.common import soft


def pair_differences(X, y, weight=None):
    """All differences x⁺ - x⁻, and the weights of the pairs (summing to one)."""
    weight = np.ones(len(y)) if weight is None else weight
    pos, neg = y > 0, y < 0
    D = (X[pos][:, None, :] - X[neg][None, :, :]).reshape(-1, X.shape[1])
    v = np.outer(weight[pos], weight[neg]).ravel()
    return D, v / v.sum()


def objective(X, y, w, c, l2, l1, weight=None):
    D, v = pair_differences(X, y, weight)
    return c * v @ (1 - D @ w) ** 2 + l2 / 2 * w @ w + l1 * np.abs(w).sum()


def minimiser(X, y, c, l2, l1=0.0, weight=None, iterations=200_000):
    """By a dense solve over the pairs, or by proximal gradient with momentum to machine precision."""
    D, v = pair_differences(X, y, weight)
    A, b = 2 * c * (D.T * v) @ D, 2 * c * v @ D
    if l1 == 0:
        return np.linalg.solve(A + l2 * np.eye(len(b)), b)
    L = np.linalg.eigvalsh(A)[-1] + l2
    w = z = np.zeros(len(b))
    momentum = 1.0
    for _ in range(iterations):
        new = soft(z - (A @ z + l2 * z - b) / L, l1 / L)
        if (z - new) @ (new - w) > 0:
            momentum = 1.0  # restart when the momentum points uphill
        after = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        z = new + (momentum - 1) / after * (new - w)
        if np.abs(new - w).max() < 1e-15 * np.abs(new).max():
            return new
        w, momentum = new, after
    return w
