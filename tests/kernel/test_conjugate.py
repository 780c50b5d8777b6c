"""A Newton direction in one kernel is that of conjugate gradients written down plainly, whatever curves the loss."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from aucmax.kernel.conjugate import Diagonal, Factor
from aucmax.kernel.logistic import Logistic
from aucmax.kernel.pairs import SQUARED_HINGE
from aucmax.kernel.square import Square
from aucmax.model import newton
from aucmax.model.data import Data
from aucmax.model.problem import Problem
from tests.conftest import make_problem

LOSSES = {"logistic": Logistic(), "square": Square(), "squared hinge": SQUARED_HINGE}


@pytest.fixture(params=list(LOSSES))
def problem(request, as_given):
    X, y = make_problem()
    rng = np.random.default_rng(2)
    weight = rng.choice([0.0, 0.5, 2.0], len(y))
    l2 = 0.01 + rng.random(X.shape[1])
    return Problem.of(Data.of(as_given(X), y.astype(np.int8), weight), LOSSES[request.param], l2)


@pytest.fixture
def point(problem):
    return problem.at(0.1 * np.random.default_rng(3).standard_normal(problem.data.d))


def plain(problem, point, by, rough):
    """The direction and the iterations, with products of matrices."""
    X, M = problem.data.matrix, stand_in(by)
    p, r = np.zeros(problem.data.d), -problem.gradient(point)
    z = step = np.linalg.solve(M, r)
    first, made = r @ z, 0
    while made < newton.MOST_INNER and r @ z > rough**2 * first:
        made += 1
        bend, left = X.T @ point.sums.curvature(X @ step) + problem.l2 * step, r @ z
        p, r = p + left / (step @ bend) * step, r - left / (step @ bend) * bend
        z = np.linalg.solve(M, r)
        step = z + (r @ z) / left * step
    return p, made


def stand_in(by):
    """The matrix that a preconditioner solves with."""
    if isinstance(by, Diagonal):
        return np.diag(1.0 / by.inverse)
    L = np.tril(by.lower)
    return L @ L.T / np.outer(by.scale, by.scale)


@pytest.mark.parametrize("precondition", [newton.factored, newton.diagonal])
def test_a_direction_is_that_of_plain_conjugate_gradients(problem, point, precondition):
    system = problem.system(point)
    far = problem.at(np.zeros(problem.data.d))
    by = precondition(problem, far, problem.system(far))  # of another point, so that it takes some iterations
    along = newton.direction(problem, system, by)
    p, made = plain(problem, point, by, newton.ROUGH)
    assert along.iterations == made
    assert_allclose(along.p, p, rtol=1e-7, atol=1e-10)
    assert_allclose(along.scores, problem.data.matrix @ p, rtol=1e-7, atol=1e-9)
    assert_allclose(along.fall, -problem.gradient(point) @ p, rtol=1e-7)


def test_a_factor_stands_for_the_hessian(problem, point):
    by = newton.factored(problem, point, problem.system(point))
    assert isinstance(by, Factor)
    assert_allclose(stand_in(by), problem.hessian(point), rtol=1e-9, atol=1e-11)
    columns = [problem.data.matrix.T @ point.sums.curvature(problem.data.matrix @ e) for e in np.eye(problem.data.d)]
    assert_allclose(problem.hessian(point), np.array(columns) + np.diag(problem.l2), rtol=1e-8, atol=1e-11)


def test_a_singular_hessian_is_lifted_or_left_to_its_diagonal():
    X, y = make_problem()
    twice = Data.of(np.hstack([X, X, np.zeros((len(X), 1))]), y.astype(np.int8), np.ones(len(y)))
    target = Problem.of(twice, Logistic(), 0.0)
    found = newton.solve(target, None, newton.Budget(1e-8, 200), newton.unwatched, np.random.RandomState(0))
    once = Problem.of(Data.of(X, y.astype(np.int8), np.ones(len(y))), Logistic(), 0.0)
    best = newton.solve(once, None, newton.Budget(1e-8, 200), newton.unwatched, np.random.RandomState(0))
    assert_allclose(target.at(found.w).value, once.at(best.w).value, rtol=1e-6)


@pytest.mark.parametrize("t", [1.0, 0.25])
def test_a_point_along_a_direction_is_the_point_of_its_weights(problem, point, t):
    p = np.random.default_rng(4).standard_normal(problem.data.d)
    found, slope = problem.along(point, p, problem.data.matrix @ p, t)
    plainly = problem.at(point.w + t * p)
    assert_allclose(found.value, plainly.value, rtol=1e-10)
    assert_allclose(slope, problem.gradient(plainly) @ p, rtol=1e-6, atol=1e-9)
