"""What the library is measured against: single-purpose loops as one would write them by hand, and tune.

Unsigned positions spare numba's check for negative ones, which would double the time of a sparse loop.
"""

import numba
import numpy as np

FASTMATH = {"reassoc", "contract", "nsz"}
U = np.uintp


@numba.njit(fastmath=FASTMATH, error_model="numpy", nogil=True)
def spam_dense(X, y, along, u, p, l2, c, kappa2):
    """SPAM-L2 on dense rows, products with the class means known."""
    n, d = X.shape
    s, a, b = 1.0, 0.0, 0.0
    for i in range(n):
        eps = c / np.sqrt(i + 1.0) / kappa2
        score = 0.0
        for j in range(d):
            score += X[i, j] * u[j]
        score *= s
        g = 2 * (1 - p) * (score - b - 1) if y[i] > 0 else 2 * p * (score - a + 1)
        change = -eps * g / s
        for j in range(d):
            u[j] += change * X[i, j]
        factor = 1 / (1 + eps * l2)
        a = factor * (a - eps * g * along[i, 0])
        b = factor * (b - eps * g * along[i, 1])
        s *= factor
        if s < 1e-4:
            for j in range(d):
                u[j] *= s
            s = 1.0
    return s


@numba.njit(fastmath=FASTMATH, error_model="numpy", nogil=True)
def spam_csr(data, indices, indptr, y, along, u, p, l2, c, kappa2):
    """SPAM-L2 on sparse rows."""
    s, a, b = 1.0, 0.0, 0.0
    for i in range(y.shape[0]):
        eps = c / np.sqrt(i + 1.0) / kappa2
        score = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            score += data[U(k)] * u[U(indices[U(k)])]
        score *= s
        g = 2 * (1 - p) * (score - b - 1) if y[i] > 0 else 2 * p * (score - a + 1)
        change = -eps * g / s
        for k in range(indptr[i], indptr[i + 1]):
            u[U(indices[U(k)])] += change * data[U(k)]
        factor = 1 / (1 + eps * l2)
        a = factor * (a - eps * g * along[i, 0])
        b = factor * (b - eps * g * along[i, 1])
        s *= factor
        if s < 1e-4:
            for j in range(u.shape[0]):
                u[j] *= s
            s = 1.0
    return s


@numba.njit(fastmath=FASTMATH, error_model="numpy", nogil=True)
def bare_csr(data, indices, indptr, v, c):
    """The least any step does: one product with, and one addition to, the columns of v that an algorithm keeps."""
    total = 0.0
    columns = v.shape[1]
    for i in range(indptr.shape[0] - 1):
        score = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            score += data[U(k)] * v[U(indices[U(k)]), 0]
        change = c * score
        for k in range(indptr[i], indptr[i + 1]):
            for m in range(columns):
                v[U(indices[U(k)]), m] += change * data[U(k)]
        total += score
    return total
