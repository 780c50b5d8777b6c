"""Errata of the thesis, chapter 2: RankOpt, OAM, OPAUC, AdaOAM."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import expit

from aucmax import OAM, OPAUC, AdaOAM, RankOpt
from tests.conftest import make_problem
from tests.reference.opauc import Moments

RNG = np.random.default_rng(3)
ROWS = RNG.standard_normal((40, 4)) + 1.0  # rows seen, with a mean that is not zero
X_T, W = RNG.standard_normal(4), RNG.standard_normal(4)
MEAN, COVARIANCE = ROWS.mean(axis=0), np.cov(ROWS.T, bias=True)


def slope(f, w):
    """The gradient by central differences."""
    return np.array([(f(w + h) - f(w - h)) / 2e-5 for h in 1e-5 * np.eye(len(w))])


def row_loss(label, penalty=0.3):
    """Eq. 2.10 for the row X_T against ROWS of the other class."""
    return lambda w: penalty / 2 * w @ w + np.mean((1 - label * (X_T - ROWS) @ w) ** 2) / 2


def test_rankopt_sums_over_linked_pairs():
    X, y = make_problem(n=30, d=3, seed=1)
    model = RankOpt().fit(X, y)
    w, pos, neg = model.coef_[0], X[y > 0], X[y < 0]

    def value(w):
        return np.mean([expit(w @ (pos[k % len(pos)] - x)) for k, x in enumerate(neg)])

    assert model.objective(X, y) == pytest.approx(1 - value(w))
    assert abs(value(w) - expit(w @ (pos[0] - neg[0]))) > 0.01  # eq. 2.4, summed over j, never moves k
    start = np.array([0.1, -0.2, 0.1])
    assert value(start - 0.1 * slope(value, start)) < value(start) < value(start + 0.1 * slope(value, start))


def test_oam_weighs_the_buffer_by_rows_seen():
    v, N, B = ROWS[:6], 6, 2
    subsets = [v[list(chosen)].sum(axis=0) for chosen in combinations(range(N), B)]
    assert_allclose(N / B * np.mean(subsets, axis=0), v.sum(axis=0))  # the buffer stands for all rows seen
    assert not np.allclose(max(1, N, B) * np.mean(subsets, axis=0), v.sum(axis=0))
    x, other = np.array([1.0, 0.0]), np.array([0.0, 0.5])
    model = OAM(0.01, "gra", buffer_size=B)
    model.partial_fit(np.array([other] * N + [x]), np.array([-1] * N + [1]), classes=[-1, 1])
    assert_allclose(model.coef_[0], 0.01 / 2 * N * (x - other))  # as if all six were kept


def test_oam_compares_with_the_buffered_row():
    x, other, C = np.array([1.0, 0.0]), np.array([0.2, 0.5]), 0.5
    model = OAM(C, "seq").partial_fit(np.array([other, x]), np.array([-1, 1]), classes=[-1, 1])

    def least(margin):
        return minimize(lambda w: w @ w + C * max(0, 1 - margin(w)), [0.1, 0.1], method="Nelder-Mead", tol=1e-12).x

    assert_allclose(model.coef_[0], least(lambda w: w @ (x - other)), atol=1e-5)
    assert not np.allclose(model.coef_[0], least(lambda w: w @ (x - w)), atol=1e-2)  # eq. 2.8


def test_opauc_gradient_of_a_positive():
    mixed = np.mean([np.outer(r, r) - np.outer(r, X_T) - np.outer(X_T, r) for r in ROWS], axis=0)
    rest = 0.3 * W - X_T + MEAN + mixed @ W
    assert_allclose(rest + np.outer(X_T, X_T) @ W, slope(row_loss(1), W), rtol=1e-6)
    assert np.ndim(rest + np.outer(X_T, X_T)) == 2  # as printed: a matrix, not a gradient


def test_opauc_gradient_of_a_negative():
    """Eq. 2.12 is right, for a negative row; the sentence before it says a positive one."""
    gap = X_T - MEAN
    printed = 0.3 * W + gap + gap * (gap @ W) + COVARIANCE @ W
    assert_allclose(printed, slope(row_loss(-1), W), rtol=1e-6)
    assert not np.allclose(printed, slope(row_loss(1), W), rtol=0.1)


@pytest.mark.parametrize("printed", [False, True])
def test_opauc_covariance_update(printed):
    c, gamma = np.zeros(4), np.zeros((4, 4))
    for T, x in enumerate(ROWS, 1):
        before, c = c, c + (x - c) / T
        inner = np.outer(x, x) - gamma - (0 if printed else np.outer(before, before))
        gamma = gamma + inner / T + np.outer(before, before) - np.outer(c, c)
    assert np.allclose(gamma, COVARIANCE) != printed


def test_opauc_uses_the_covariance():
    """The library's step against a covariance from numpy."""
    y = np.append(np.full(len(ROWS), -1), 1)
    model = OPAUC(0.1, step=0.7, schedule="constant").partial_fit(np.vstack([ROWS, X_T]), y, classes=[-1, 1])
    model.partial_fit(X_T[None], [1])
    kappa2 = (np.vstack([ROWS, X_T]) ** 2).sum(axis=1).max()
    gap, w = X_T - MEAN, np.zeros(4)
    for _ in range(2):
        w = w - 0.7 / kappa2 * (0.1 * w - gap + gap * (gap @ w) + COVARIANCE @ w)
    assert_allclose(model.coef_[0], w)


def test_adaoam_divides_by_the_metric():
    x, other = np.array([0.8, 0.6]), np.array([0.5, -0.5])
    model = AdaOAM(1e-6, step=0.05).partial_fit(np.array([other, x]), np.array([-1, 1]), classes=[-1, 1])
    g = -(x - other)
    assert_allclose(model.coef_[0], -0.05 * g / np.abs(g), rtol=1e-6)  # algorithm 9
    assert not np.allclose(model.coef_[0], -0.05 * np.abs(g) * g, rtol=0.05)  # eq. 2.18


def test_adaoam_needs_the_square_loss():
    """Two classes of the same mean and covariance: equal gradients of the square loss, not of the hinge."""
    sides = [np.array([-1.0, 1.0, -1.0, 1.0]), np.sqrt(2) * np.array([-1.0, 0.0, 0.0, 1.0])]
    square, hinge = [], []
    for side in sides:
        moments = Moments(1)
        for t, other in enumerate(side):
            moments.absorb(np.array([other]), -1, 1.0, t)
        square.append(moments.gradient(np.ones(1), np.array([0.5]), 1))
        gap = 0.5 - side
        hinge.append(np.mean(-gap * (gap < 1)))
    assert_allclose(*square)
    assert abs(hinge[0] - hinge[1]) > 0.2
