"""The convex methods reach the minimiser of their stated objective."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import aucmax.algorithms.exact
import aucmax.algorithms.mba
from aucmax import FSAUC, MBA, SOLAM, SPAM, SPDAM, VRSPAM, ExactAUC, RegSOLAM
from aucmax.algorithms.mba import _draw_pairs
from aucmax.model.data import Data
from tests.conftest import make_problem
from tests.reference.common import project_l2
from tests.reference.exact import minimiser, objective, pair_differences


@pytest.fixture
def small():
    return make_problem(n=120, d=8, seed=2)


def scale_of(y):
    p = (y > 0).mean()
    return p * (1 - p)


def assert_close(w, expected, rtol=1e-6):
    assert_allclose(w, expected, rtol=0, atol=rtol * np.abs(expected).max())


@pytest.mark.parametrize("l2", [1e-3, 0.5])
def test_exact_by_every_solver(small, as_given, l2, monkeypatch):
    X, y = small
    expected = minimiser(X, y, scale_of(y), l2)
    assert_close(ExactAUC(l2).fit(as_given(X), y).coef_[0], expected, 1e-10)
    for name in ("DENSE_LIMIT", "SPARSE_LIMIT"):
        monkeypatch.setattr(aucmax.algorithms.exact, name, 0)
    model = ExactAUC(l2, tol=1e-12).fit(as_given(X), y)
    assert_close(model.coef_[0], expected, 1e-9)
    assert model.n_iter_ > 1


@pytest.mark.parametrize("l1", [0.01, 0.2])
def test_exact_elastic_net_by_every_solver(small, as_given, l1, monkeypatch):
    X, y = small
    expected = minimiser(X, y, scale_of(y), 0.05, l1)
    assert_close(ExactAUC(0.05, l1).fit(as_given(X), y).coef_[0], expected)
    for name in ("DENSE_LIMIT", "SPARSE_LIMIT"):
        monkeypatch.setattr(aucmax.algorithms.exact, name, 0)
    assert_close(ExactAUC(0.05, l1).fit(as_given(X), y).coef_[0], expected)


def test_exact_with_weights_and_by_stream(small, as_given):
    X, y = small
    weight = np.random.default_rng(0).uniform(0.1, 4.0, len(y))
    p = weight[y > 0].sum() / weight.sum()
    expected = minimiser(X, y, p * (1 - p), 0.1, weight=weight)
    assert_close(ExactAUC(0.1).fit(as_given(X), y, sample_weight=weight).coef_[0], expected, 1e-10)
    model, given = ExactAUC(0.1), as_given(X)
    for rows in np.split(np.argsort(y), [3, 50]):  # whole chunks of one class
        model.partial_fit(given[rows], y[rows], classes=[-1, 1], sample_weight=weight[rows])
    assert_close(model.coef_[0], expected, 1e-10)
    assert model.t_ == len(y)


def test_exact_path_is_one_fit_per_penalty(small):
    X, y = small
    l2s = [1e-4, 0.1, 10.0]
    path = ExactAUC.path(X, y, l2s)
    for l2, w in zip(l2s, path, strict=True):
        assert_close(w, ExactAUC(l2).fit(X, y).coef_[0], 1e-10)


def test_exact_takes_the_least_norm_where_the_minimiser_is_not_unique(small):
    X, y = small
    doubled = np.column_stack([X, X, np.ones(len(y))])
    w = ExactAUC(0.0).fit(doubled, y).coef_[0]
    once = ExactAUC(0.0).fit(X, y).coef_[0]
    assert_close(w, np.concatenate([once, once, [0.0]]) / 2, 1e-8)


def test_exact_survives_large_means(small):
    X, y = small
    assert_close(ExactAUC(0.1).fit(X + 1e6, y).coef_[0], ExactAUC(0.1).fit(X, y).coef_[0], 1e-7)


@pytest.mark.parametrize("l1", [0.0, 0.05])
def test_vrspam(small, as_given, l1):
    X, y = small
    model = VRSPAM(0.05, l1, tol=1e-10, max_iter=1000, random_state=0).fit(as_given(X), y)
    assert_close(model.coef_[0], minimiser(X, y, scale_of(y), 0.05, l1))
    assert model.n_iter_ < 1000


def test_spdam(small, as_given):
    X, y = small
    model = SPDAM(0.2, tol=1e-9, max_iter=50_000, random_state=0).fit(as_given(X), y)
    assert_close(model.coef_[0], minimiser(X, y, 0.5, 0.2))
    assert model.n_iter_ < 50_000


def test_spam_net_approaches_the_proximal_gradient_solution(small):
    X, y = small
    expected = minimiser(X, y, scale_of(y), 0.5, 0.02)
    best = objective(X, y, expected, scale_of(y), 0.5, 0.02)
    model = SPAM(0.5, 0.02, schedule="theorem", average=False, max_iter=3000, tol=None, random_state=0).fit(X, y)
    gap = model.objective(X, y) - best
    assert 0 <= gap < 2e-4 * best


@pytest.mark.parametrize("wide", [False, True])
def test_mba_against_proximal_gradient_on_its_own_pairs(small, as_given, wide, monkeypatch):
    X, y = small
    if wide:
        monkeypatch.setattr(aucmax.algorithms.mba, "MATRIX_LIMIT", 0)
    model = MBA(0.5, 0.1, n_pairs=500, random_state=3).fit(as_given(X), y)
    rng = np.random.RandomState(3)
    sides = (np.flatnonzero(y > 0), np.flatnonzero(y < 0))
    pos, neg = (rng.choice(rows, 500, p=np.full(len(rows), 1 / len(rows))) for rows in sides)
    D = X[pos] - X[neg]
    A, b = D.T @ D / 500, D.mean(axis=0)
    w = np.zeros(len(b))
    L = np.linalg.eigvalsh(A)[-1] + 0.1
    for _ in range(100_000):
        v = w - (A @ w + 0.1 * w - b) / L
        w = np.sign(v) * np.maximum(np.abs(v) - 0.5 / L, 0)
    assert_close(model.coef_[0], w)
    assert np.any(w == 0.0)


def test_mba_draws_the_rows_of_a_class_by_their_weight(small):
    X, y = small
    weight = np.random.default_rng(0).uniform(0.1, 5.0, len(y))
    pairs = _draw_pairs(Data.of(X, y, weight), 200_000, np.random.RandomState(0))
    for rows, side in zip(pairs, (y > 0, y < 0), strict=True):
        shares = np.bincount(rows, minlength=len(y)) / len(rows)
        assert_allclose(shares, np.where(side, weight, 0.0) / weight[side].sum(), atol=0.005)


def test_saddle_methods_approach_the_constrained_optimum(small):
    X, y = small
    Z = X / np.sqrt((X**2).sum(axis=1).max())
    D, v = pair_differences(Z, y)
    w, L = np.zeros(Z.shape[1]), 2 * np.linalg.eigvalsh((D.T * v) @ D)[-1]
    for _ in range(20_000):
        w = project_l2(w + 2 * (v * (1 - D @ w)) @ D / L, 2.0)
    best = scale_of(y) * v @ (1 - D @ w) ** 2
    start = scale_of(y)
    model = SOLAM(2.0, step=1.0, max_iter=3000, tol=None, random_state=0).fit(X, y)
    assert -1e-12 < model.objective(X, y) - best < 0.01 * (start - best)


def test_regsolam_and_fsauc_approach_the_exact_optimum(small):
    X, y = small
    exact = ExactAUC(0.5).fit(X, y)
    best, start = exact.objective(X, y), scale_of(y)
    model = RegSOLAM(0.5, step=1.0, max_iter=3000, tol=None, random_state=0).fit(X, y)
    assert 0 < model.objective(X, y) - best < 0.01 * (start - best)
    free = ExactAUC(0.0).fit(X, y)
    model = FSAUC(1000.0, step=1.0, max_iter=3000, random_state=0).fit(X, y)
    assert 0 < model.objective(X, y) - free.objective(X, y) < 0.01 * (start - free.objective(X, y))


@pytest.mark.parametrize("estimator", [SPAM(0.3, 0.1), SPDAM(0.3), ExactAUC(0.3, 0.1), MBA(0.1, 0.3), SOLAM()])
def test_objective_is_the_pair_sum(small, estimator):
    X, y = small
    weight = np.random.default_rng(0).uniform(0.1, 4.0, len(y))
    model = estimator.set_params(max_iter=200, tol=None if isinstance(estimator, SPDAM) else 1e-8).fit(X, y)
    p = weight[y > 0].sum() / weight.sum()
    c = 0.5 if isinstance(model, SPDAM | MBA) else p * (1 - p)
    l2, l1 = (getattr(model, name, 0.0) for name in ("l2", "l1"))
    expected = objective(X, y, model.coef_[0], c, l2, l1, weight)
    assert_allclose(model.objective(X, y, weight), expected, rtol=1e-12)
