"""Errata of the thesis, chapter 4: the steps of SPAM."""

import numpy as np

from aucmax import SPAM
from tests.conftest import make_problem
from tests.reference.common import scaled


def rate(beta, M=1.0):
    """C̃ of the thesis."""
    return beta / (1 + beta**2 / (128 * M**4)) ** 2


def test_first_steps_of_theorem_4_2():
    """Steps 1/(C̃(t + 1)) with a small beta: the first iterates leave all bounds; the library's do not."""
    X, y = make_problem(n=200, d=8)
    Z, kappa = scaled(X)
    beta, p = 1e-3, (y > 0).mean()
    m_pos, m_neg = Z[y > 0].mean(axis=0), Z[y < 0].mean(axis=0)
    w, largest = np.zeros(8), 0.0
    for t, (x, label) in enumerate(zip(Z, y, strict=True), 1):
        eta = 1 / (rate(beta) * (t + 1))
        g = 2 * (1 - p) * (w @ x - w @ m_neg - 1) if label > 0 else 2 * p * (w @ x - w @ m_pos + 1)
        w = (w - eta * g * x) / (1 + eta * beta)
        largest = max(largest, np.linalg.norm(w))
    assert largest > 1e15
    model = SPAM(beta * kappa**2, schedule="theorem", average=False, max_iter=1, tol=None, shuffle=False).fit(X, y)
    assert np.linalg.norm(model.coef_ * kappa) < 100


def test_distance_at_t0():
    """The bound after theorem 4.2 forgets the first distance: a start far away breaks it.

    Two rows, 1 and -1: the stochastic gradient is the gradient 2w - 1, its variance is zero, and M = 1.
    """
    beta, w = np.sqrt(128 / 3), 1e4
    C = rate(beta)
    best = 1 / (2 + beta)
    t0 = max(2, int(np.ceil(1 + (128 + beta**2) ** 2 / (128 * beta**2))))
    first = (w - best) ** 2
    for t in range(1, t0):
        eta = 1 / (C * (t + 1))
        w = (w - eta * (2 * w - 1)) / (1 + eta * beta)
    assert (w - best) ** 2 > 5 * np.exp(128 / C**2)
    assert (w - best) ** 2 <= first * np.exp(128 / C**2)


def test_harmonic_sum_of_theorem_4_2():
    """The sum of 1/(k + 1) from t0 to T - 1 is below log T - log t0, not below log(T - 1) - log t0."""
    for t0, T in ((2, 3), (7, 50), (7, 5000)):
        total = np.sum(1 / (np.arange(t0, T) + 1))
        assert total <= np.log(T) - np.log(t0)
    assert np.sum(1 / (np.arange(2, 3) + 1)) > np.log(2) - np.log(2)
