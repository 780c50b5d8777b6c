"""SPDAM, line by line; mini-batches in the given order, the w-step by a dense solve."""

import numpy as np

from tests.reference.common import scaled


def spdam(X, y, l2, *, batch_fraction, iterations, printed=False):
    """w after so many mini-batches, in the units of X."""
    Z, kappa = scaled(X)
    n, d = X.shape
    m = max(1, round(batch_fraction * n))
    lam, p = l2 / kappa**2, (y > 0).mean()
    mean_pos, mean_neg = Z[y > 0].mean(axis=0), Z[y < 0].mean(axis=0)
    rows = np.where((y > 0)[:, None], (Z - mean_pos) / np.sqrt(p), (Z - mean_neg) / np.sqrt(1 - p))
    b = mean_neg - mean_pos
    k2 = (rows**2).sum(axis=1).max()
    sigma = ((n - m) + np.sqrt((n - m) ** 2 + 4 * n * k2 * m / lam)) / (8 * m * k2) * (1 if printed else 2 * lam)
    tau, theta = 1 / (4 * sigma * k2), 1 - lam / (lam + 2 * sigma * k2)
    w, ahead, beta, u = np.zeros(d), np.zeros(d), np.zeros(n), np.zeros(d)
    A = np.outer(b, b) + (lam + 1 / tau) * np.eye(d)
    for t in range(iterations):
        chosen = np.arange(t * m, (t + 1) * m) % n
        new = beta.copy()
        new[chosen] = (sigma * rows[chosen] @ ahead + beta[chosen]) / (sigma + 1)
        u_new = u + (new - beta) @ rows / n
        pushed = u + n / m * (u_new - u)
        w_new = np.linalg.solve(A, w / tau - pushed - b)
        ahead = w_new + theta * (w_new - w)
        w, u, beta = w_new, u_new, new
    return w / kappa
