"""The Nyström embedding, literally: whole kernel matrices, and the root by scipy's sqrtm."""

import numpy as np
from scipy.linalg import inv, sqrtm


def gaussian(A, B, gamma):
    """All kernel values, from explicit differences."""
    return np.exp(-gamma * ((A[:, None, :] - B[None, :, :]) ** 2).sum(axis=2))


def bandwidth(X):
    """The mean squared distance of the first 80,000 rows to their mean."""
    X = X[:80_000]
    return np.mean([np.sum((x - X.mean(axis=0)) ** 2) for x in X])


def features(X, C, gamma):
    return gaussian(X, C, gamma) @ inv(np.real(sqrtm(gaussian(C, C, gamma))))


def lloyd(X, C, iterations):
    """k-means from given centres, row by row; a centre without rows stays."""
    for _ in range(iterations):
        nearest = np.array([np.argmin([np.sum((x - c) ** 2) for c in C]) for x in X])
        C = np.array([X[nearest == k].mean(axis=0) if np.any(nearest == k) else c for k, c in enumerate(C)])
    return C
