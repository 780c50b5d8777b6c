"""Errata of the paper on VRSPAM: the theory."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar

from aucmax import VRSPAM, ExactAUC
from aucmax.algorithms.vrspam import Problem, difference
from aucmax.model.base import checked_data
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
    """Lemma 5 holds with 2 and 2, the largest curvature of a row for 8M²; with 1 and 1 it would not."""
    rng = np.random.default_rng(1)
    problem = Problem.of(checked_data(Z, Y.astype(np.int8), np.ones(len(Y))))
    best = ExactAUC(0.1).fit(Z, Y).coef_[0]
    shares = [share_of_the_bound(problem, best, *(best + rng.standard_normal((2, 5)))) for _ in range(20)]
    assert 0 < min(shares) <= max(shares) <= 2
    # two columns, a row along each in either class, and points to either side of the best
    even = Problem.of(checked_data(np.eye(2)[[0, 1, 0, 1]], np.array([1, 1, -1, -1], dtype=np.int8), np.ones(4)))
    apart = np.array([1.0, -1.0])
    shares = [share_of_the_bound(even, np.zeros(2), t * apart, -t * apart) for t in (1, 3)]
    assert shares == pytest.approx([1.25, 1.25])


def share_of_the_bound(problem, best, w, anchor):
    """The mean square of a direction at w about the best one, over the squared curvature times both distances."""
    known, mu, along = problem.anchored(anchor)
    scores, sums, data = problem.data.products(w[:, None])[:, 0], problem.means.sums, problem.data
    a, b = w @ sums / (problem.seen.pos, problem.seen.neg)
    factors = [difference(y, s, before, a, b, known) for y, s, before in zip(data.y, scores, along[:, 3], strict=True)]
    directions = np.array(factors)[:, None] * data.matrix + mu
    assert_allclose(directions.mean(axis=0), problem.anchored(w)[1], atol=1e-12)
    about_best = np.mean(np.sum((directions - problem.anchored(best)[1]) ** 2, axis=1))
    curvature = problem.largest_curvature() * problem.seen.kappa2
    return about_best / curvature**2 / (np.sum((w - best) ** 2) + np.sum((anchor - best) ** 2))


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


def test_vrspam_cost_grows_with_all_rows(monkeypatch):
    """Every stage needs n + 2m gradients; the complexity at the end of section 4.3 pays for n once."""
    evaluations, anchored, advance = [], Problem.anchored, VRSPAM._advance

    def full(problem, w):
        evaluations.append(problem.data.n)
        return anchored(problem, w)

    def inner(model, machine, batch, *rest):
        evaluations.append(2 * len(batch.y))
        return advance(model, machine, batch, *rest)

    monkeypatch.setattr(Problem, "anchored", full)
    monkeypatch.setattr(VRSPAM, "_advance", inner)
    model = VRSPAM(0.5, max_iter=4, tol=None, warm_start=True, random_state=0)
    model.coef_ = np.zeros((1, 5))  # or a pass of SPAM would come first
    model.fit(X, Y)
    n = m = len(Y)
    assert evaluations == 4 * [n, 2 * m]
    assert sum(evaluations) == 4 * (n + 2 * m) != n + 4 * 2 * m
