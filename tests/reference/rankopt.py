"""RankOpt with its pairs written out."""

import numpy as np


def rankopt(X, y, norm, steps):
    """The weights after some ascent steps, in the units of X."""
    kappa = np.sqrt((X**2).sum(axis=1).max())
    pos, neg = X[y > 0] / kappa, X[y < 0] / kappa
    k = np.arange(max(len(pos), len(neg)))
    D = pos[k % len(pos)] - neg[k % len(neg)]

    def value(w):
        return np.mean(1 / (1 + np.exp(-D @ w)))

    w = pos.mean(axis=0) - neg.mean(axis=0)
    w = norm * w / np.linalg.norm(w)
    angle = 1.0
    for _ in range(steps):
        s = 1 / (1 + np.exp(-D @ w))
        g = (s * (1 - s)) @ D / len(D)
        g = g - (g @ w) / norm**2 * w
        turn = norm * g / np.linalg.norm(g)
        while value(np.cos(angle) * w + np.sin(angle) * turn) - value(w) < 1e-4 * angle * np.linalg.norm(g) * norm:
            angle /= 2
        w = np.cos(angle) * w + np.sin(angle) * turn
        angle = min(2 * angle, 1.0)
    return w / kappa
