"""The balanced logistic loss with its best intercept, and Newton's method on it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar
from sklearn.linear_model import LogisticRegression

from aucmax.kernel.classes import Classes
from aucmax.kernel.logistic import Logistic, LogisticSums
from aucmax.model import newton
from aucmax.model.data import Data
from aucmax.model.problem import Problem
from tests.conftest import make_problem


def literal(y, s, weight):
    """The loss, least over the intercept."""

    def at(b):
        loss = np.logaddexp(0.0, -y * (s + b))
        return sum(np.average(loss[side], weights=weight[side]) / 2 for side in (y > 0, y < 0))

    return minimize_scalar(at, bracket=(-5, 5), tol=1e-12).fun


@pytest.mark.parametrize("scale", [1e-3, 1.0, 50.0])
@pytest.mark.parametrize("offset", [0.0, 300.0])
def test_value_slope_and_curvature(scale, offset):
    rng = np.random.default_rng(0)
    y, weight = np.where(rng.random(100) < 0.2, 1, -1), rng.random(100) + 0.1
    s, z = scale * (rng.standard_normal(100) + y) + offset, rng.standard_normal(100)
    classes, eps = Classes.of(y, weight), 1e-5 * scale
    sums = LogisticSums(classes, s)
    assert_allclose(sums.value, literal(y, s, weight), rtol=1e-9)
    assert_allclose(sums.slope.sum(), 0.0, atol=1e-12)
    up, down = (LogisticSums(classes, s + t * z) for t in (eps, -eps))
    assert_allclose(sums.slope @ z, (up.value - down.value) / (2 * eps), rtol=1e-5, atol=1e-12)
    assert_allclose(sums.curvature(z), (up.slope - down.slope) / (2 * eps), rtol=1e-3, atol=1e-8)


@pytest.mark.parametrize("t", [1.0, 0.3])
@pytest.mark.parametrize("step", [1e-3, 1.0, 1e6])
def test_sums_found_from_others_are_those_of_the_scores(step, t):
    rng = np.random.default_rng(1)
    y, weight = np.where(rng.random(100) < 0.2, 1, -1), rng.random(100) + 0.1
    s, z = rng.standard_normal(100) + y, step * rng.standard_normal(100)
    classes = Classes.of(y, weight)
    after = LogisticSums(classes, s + t * z)
    found, scores, slope = LogisticSums(classes, s).moved(z, t)
    assert_allclose(scores, s + t * z, rtol=1e-15)
    assert_allclose(found.intercept, after.intercept, rtol=1e-9)
    assert_allclose(found.value, after.value, rtol=1e-12)
    assert_allclose(found.curve, after.curve, rtol=1e-6, atol=1e-15)
    assert_allclose(slope, after.slope @ z, rtol=1e-6, atol=1e-12)


def test_scores_that_separate_the_classes_keep_the_intercept_finite():
    y = np.array([1, 1, -1, -1])
    for size in (1.0, 1e3, 1e6):
        sums = LogisticSums(Classes.of(y, np.ones(4)), size * y.astype(float))
        assert np.isfinite(sums.intercept)
        assert abs(sums.intercept) <= size


@pytest.mark.parametrize("l2", [1e-3, 0.1])
@pytest.mark.parametrize("limit", [0, 500])
def test_newton_finds_scikit_learns_optimum(as_given, l2, limit, monkeypatch):
    X, y = make_problem()
    monkeypatch.setattr(newton, "MATRIX_LIMIT", limit)
    problem = Problem.of(Data.of(as_given(X), y.astype(np.int8), np.ones(len(y))), Logistic(), l2)
    found = newton.solve(problem, None, newton.Budget(1e-12, 200), lambda *_: False, np.random.RandomState(0))
    model = LogisticRegression(C=1 / (l2 * len(y)), class_weight="balanced", tol=1e-12, max_iter=10_000).fit(X, y)
    assert_allclose(found.w, model.coef_[0], rtol=1e-4, atol=1e-5)
    assert problem.at(found.w).value <= problem.at(model.coef_[0]).value * (1 + 1e-10)
    point = problem.at(found.w)
    columns = [X.T @ point.sums.curvature(X @ e) + l2 * e for e in np.eye(X.shape[1])]
    assert_allclose(problem.hessian(point), np.array(columns), rtol=1e-9, atol=1e-12)
