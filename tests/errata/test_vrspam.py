"""Errata of the paper on VRSPAM: the theory."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar

from aucmax import VRSPAM, ExactAUC
from tests.conftest import make_problem
from tests.errata.test_thesis_spam import rate
from tests.reference.common import scaled, soft
from tests.reference.vrspam import gradient

X, Y = make_problem(n=150, d=5, seed=7)
Z, KAPPA = scaled(X)  # M = 1
P = (Y > 0).mean()
KNOWN = (P, Z[Y > 0].mean(axis=0), Z[Y < 0].mean(axis=0))


def gradients(w):
    return np.array([gradient(w, x, y, *KNOWN) for x, y in zip(Z, Y, strict=True)])


def test_vrspam_penalty_is_halved():
    """Section 2 has Ω = β|w|², which is 2β-strongly convex; sections 4 and 5 and the prox need β/2·|w|²."""
    eta, beta, nu, u = 0.4, 1.5, 0.2, 1.1
    prox = soft(u / (eta * beta + 1), eta * nu / (eta * beta + 1))
    for factor, same in ((0.5, True), (1.0, False)):
        found = minimize_scalar(lambda w, f=factor: (w - u) ** 2 / 2 + eta * (f * beta * w**2 + nu * abs(w))).x
        assert (found == pytest.approx(prox, abs=1e-5)) == same
    w = VRSPAM(0.5, tol=None, random_state=0).fit(X, Y).coef_[0]
    assert_allclose(w, ExactAUC(0.5).fit(X, Y).coef_[0], atol=1e-6)


def test_vrspam_lemma_2_counts_a_term_twice():
    p, M = 0.9, 1.0
    printed = 4 * M**2 * p + 4 * M**2 * p + 4 * M**2 * p  # y = -1
    assert printed > 8 * M**2 >= printed - 4 * M**2 * p
    w, v = np.random.default_rng(0).standard_normal((2, 5))
    apart = np.linalg.norm(gradients(w) - gradients(v), axis=1) / np.linalg.norm(w - v)
    assert apart.max() <= 4  # what is claimed, and twice as good


def test_vrspam_contraction_factor():
    """r ← Cr + Dr₀, m times, is C^m + D(C^m - 1)/(C - 1): the printed second term has a factor C too many."""
    M, beta, m = 1.0, 1.0, 50
    eta = 0.9 * beta / (128 * M**4)
    C = (1 + 128 * M**4 * eta**2) / (1 + eta * beta) ** 2
    D = 128 * M**4 * eta**2 / (1 + eta * beta) ** 2
    r = 1.0
    for _ in range(m):
        r = C * r + D
    right = C**m + D * (C**m - 1) / (C - 1)
    assert r == pytest.approx(right, rel=1e-12)
    assert C**m + D * C * (C**m - 1) / (C - 1) < r
    assert right < 1  # theorem 1 stands


def test_vrspam_variance_bound():
    """Lemma 5 holds with 2 and 2; its proof, with lemma 4 doubled, would give 6 and 4, not the printed 4 and 2."""
    rng = np.random.default_rng(1)
    best = ExactAUC(0.1).fit(Z, Y).coef_[0]
    for _ in range(20):
        w, anchor = best + rng.standard_normal((2, 5))
        directions = gradients(w) - gradients(anchor) + gradients(anchor).mean(axis=0)
        at_best = gradients(best).mean(axis=0)
        variance = np.mean(np.sum((directions - gradients(w).mean(axis=0)) ** 2, axis=1))
        about_best = np.mean(np.sum((directions - at_best) ** 2, axis=1))
        assert variance <= about_best <= 2 * 64 * (np.sum((w - best) ** 2) + np.sum((anchor - best) ** 2))


def test_vrspam_step_of_theorem_1():
    """β/(128M⁴) is proven and far too small: fifteen stages hardly move."""
    l2 = 0.01 * KAPPA**2
    best = ExactAUC(l2).fit(X, Y).coef_[0]
    gaps = []
    for step in (None, 0.01 / 128):
        model = VRSPAM(l2, step=step, max_iter=15, tol=None, random_state=0).fit(X, Y)
        gaps.append(np.linalg.norm(model.coef_[0] - best) / np.linalg.norm(best))
    assert gaps[0] < 1e-4
    assert gaps[1] > 0.1


def test_spam_rate_needs_a_noise_term():
    """Eq. 5 bounds the distance by a multiple of the distance at t0 alone; from the optimum, noise leads away."""
    rng, beta = np.random.default_rng(0), 0.5
    best = ExactAUC(beta).fit(Z, Y).coef_[0]
    distances = []
    for _ in range(50):
        w, average = best, np.zeros(5)
        for t, i in enumerate(rng.integers(len(Y), size=40), 10):
            eta = 1 / (rate(beta) * (t + 1))
            w = (w - eta * gradient(w, Z[i], Y[i], *KNOWN)) / (1 + eta * beta)
            average = average + w / 40
        distances.append([np.sum((w - best) ** 2), np.sum((average - best) ** 2)])
    assert np.mean(distances, axis=0).min() > 1e-4  # 0 by eq. 5


def test_vrspam_rate_constant_is_no_square():
    """C̃ = β/(1 + β²/128M⁴)²: read as C̃², as printed, it breaks lemma 4.2 of the thesis."""
    beta = 0.1
    eta = beta / 256
    coefficient = (1 + 128 * eta**2) / (1 + eta * beta) ** 2
    assert coefficient <= 1 - rate(beta) * eta
    assert coefficient > 1 - np.sqrt(rate(beta)) * eta


def test_vrspam_cost_grows_with_all_rows():
    """Every stage needs n + 2m gradients; the complexity at the end of section 4.3 pays for n once."""
    evaluations, n, m, anchor = 0, len(Y), 30, np.zeros(5)
    for _ in range(4):
        mu = gradients(anchor).mean(axis=0)
        w, evaluations = anchor, evaluations + n
        for x, y in zip(Z[:m], Y[:m], strict=True):
            w = w - 0.5 * (gradient(w, x, y, *KNOWN) - gradient(anchor, x, y, *KNOWN) + mu)
            evaluations += 2
        anchor = w
    assert evaluations == 4 * (n + 2 * m) != n + 4 * 2 * m
