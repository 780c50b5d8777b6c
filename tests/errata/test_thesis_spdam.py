"""Errata of the thesis, chapter 5: SPDAM."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from aucmax import SPDAM
from aucmax.algorithms.spdam import theorem_5_1
from tests.conftest import make_problem
from tests.reference.common import scaled
from tests.reference.exact import minimiser
from tests.reference.spdam import spdam

X, Y = make_problem(n=120, d=5, seed=6)
X, _ = scaled(X)
N, P, LAM = len(Y), (Y > 0).mean(), 0.1
M_POS, M_NEG = X[Y > 0].mean(axis=0), X[Y < 0].mean(axis=0)
GAP = M_NEG - M_POS
CENTRED = np.where((Y > 0)[:, None], X - M_POS, X - M_NEG)
SHARE = np.where(Y > 0, P, 1 - P)[:, None]
ROWS = CENTRED / np.sqrt(SHARE)  # x̄ as it should be


def primal(rows, curvature=1.0, penalty=LAM):
    """The minimiser of mean curvature/2·(w·x̄)² + g(w), once the dual is solved."""
    A = curvature * rows.T @ rows / N + np.outer(GAP, GAP) + penalty * np.eye(5)
    return np.linalg.solve(A, -GAP)


def away(w, expected):
    return np.linalg.norm(w - expected) / np.linalg.norm(expected)


HALF = minimiser(X, Y, 0.5, LAM)


def saddle_point():
    """w*, β*, u*."""
    beta = ROWS @ HALF
    return HALF, beta, beta @ ROWS / N


def test_spdam_halves_the_loss_only():
    """Proposition 5.1.1: 5.8 has half the loss of 5.6 and the whole penalty; its g has lost the λ."""
    assert_allclose(primal(ROWS), HALF)
    assert away(HALF, minimiser(X, Y, 1.0, LAM)) > 0.1
    assert away(primal(ROWS, penalty=1.0), HALF) > 0.5
    assert_allclose(SPDAM(LAM, tol=1e-7, random_state=0).fit(X, Y).coef_[0], HALF, atol=1e-5)


def test_spdam_dual_is_inside_the_mean():
    """5.8 subtracts |β|²/2 once, not in the mean: the best β then gives 1/n of the curvature that is wanted."""
    s = ROWS @ np.linspace(-1, 1, 5)
    inside = np.mean(s * s - s * s / 2)
    outside = np.mean((s / N) * s) - np.sum((s / N) ** 2) / 2
    assert inside == pytest.approx(np.mean(s**2) / 2)
    assert outside == pytest.approx(inside / N)


def test_spdam_row_scale():
    """5.7's √(2p) belongs to β²/4, not to the box's β²/2; and the box's x_i is x̄_i."""
    printed = CENTRED / np.sqrt(2 * SHARE)
    assert away(primal(printed), HALF) > 0.05
    assert_allclose(primal(printed, curvature=2.0), HALF)
    assert away(primal(X), HALF) > 0.05


def test_spdam_lemma_needs_the_optimal_u():
    """5.9 with all rows in the batch, where it needs no expectation: it holds with ū - u*, not with ū."""
    rng = np.random.default_rng(0)
    w_best, beta_best, u_best = saddle_point()
    sigma, ahead, beta = 0.7, rng.standard_normal(5), rng.standard_normal(N)
    new = (sigma * ROWS @ ahead + beta) / (sigma + 1)
    u = new @ ROWS / N
    left = (1 + 1 / (2 * sigma)) / N * np.sum((new - beta_best) ** 2)
    rest = (np.sum((beta - beta_best) ** 2) - np.sum((new - beta) ** 2)) / (2 * sigma * N)
    assert left == pytest.approx(rest + (u - u_best) @ (ahead - w_best))
    assert left != pytest.approx(rest + u @ (ahead - w_best), rel=1e-3)


@pytest.mark.parametrize("lam", [1e-4, 1e-2, 2.0])
def test_spdam_balance(lam):
    """5.18: σ balances both factors only with a factor λ (and 4 in place of 8)."""
    n, m, k2 = 1000, 100, 3.0
    printed = theorem_5_1(n, m, k2, lam, printed=True).sigma
    root = 2 * lam * printed

    def factors(sigma):
        theta = 1 - lam / (lam + 2 * sigma * k2)
        return (1 / m + 1 / (2 * sigma * m) - 1 / n) / (1 / m + 1 / (2 * sigma * m)), theta

    assert_allclose(*factors(root), rtol=1e-12)
    assert abs(np.subtract(*factors(printed))) > 1e-4
    assert theorem_5_1(n, m, k2, lam, printed=False).sigma == pytest.approx(root)


def test_spdam_rate_falls_with_the_printed_sigma():
    X, y = make_problem(n=200, d=6)
    best = minimiser(X, y, 0.5, 1e-2)
    gaps = [away(spdam(X, y, 1e-2, batch_fraction=0.2, iterations=4000, printed=p), best) for p in (False, True)]
    assert gaps[0] < 0.1 * gaps[1]


def test_spdam_theorem_needs_squares():
    """5.14 with |β⁰ - β*| unsquared fails after two mini-batches from a far β⁰."""
    _, beta_best, _ = saddle_point()
    m, k2 = 5, (ROWS**2).sum(axis=1).max()
    sigma, _, theta = theorem_5_1(N, m, k2, LAM, printed=False)
    beta = beta_best + 100.0
    untouched = beta[2 * m :] - beta_best[2 * m :]
    left = (1 / m + 1 / (4 * sigma * m)) * np.sum(untouched**2)  # the other terms only add to it
    first = (1 / m + 1 / (2 * sigma * m)) * np.linalg.norm(beta - beta_best)
    assert left > 10 * theta * first
    assert left < theta * first * np.linalg.norm(beta - beta_best)
