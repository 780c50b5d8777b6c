"""Columns of heavy tails, and single gross values."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from aucmax import AUCClassifier, AUCClassifierCV
from aucmax.classifier.scaling import Columns
from aucmax.classifier.tails import _far, tamed
from aucmax.model.base import checked_data


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_columns_are_measured_by_weight_zeros_included(kind):
    rng = np.random.default_rng(0)
    X = (rng.standard_normal((50, 4)) + 2.0) * (rng.random((50, 4)) < 0.4)
    weight = rng.uniform(0.2, 3.0, 50)
    found = Columns.of(checked_data(kind(X), np.ones(50, dtype=np.int8), weight))
    mean = np.average(X, axis=0, weights=weight)
    assert_allclose(found.mean, mean)
    assert_allclose(found.spread, np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weight)))
    assert_allclose(found.largest, np.abs(X).max(axis=0))


def tame(X):
    n = X.shape[0]
    return tamed(X, Columns.of(checked_data(X, np.ones(n, dtype=np.int8), np.ones(n))))


def test_what_is_far_from_the_middle():
    near = np.linspace(0.0, 0.5, 500)
    assert _far(np.append(near, 100.0), 1.0) == 1.0  # one value alone may be gross
    assert _far(np.append(near, [2.0, 100.0]), 1.0) == 2.0  # two are a tail, of which one lies above a gap
    assert _far(np.append(near, [2.0, 15.0]), 1.0) == 15.0  # and here there is none
    assert _far(np.append(near, [1.0, 100.0]), 1.0) == 1.0


@pytest.mark.parametrize("n", [10, 20, 600, 40_000])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_ordinary_columns_are_left_as_they_are(n, dtype):
    rng = np.random.default_rng(0)
    normal, part = rng.standard_normal((n, 3)), rng.random((n, 6))
    rare = part < [0.5, 0.1, 0.03, 0.011, 0.009, 0.002]
    amounts = rare * np.exp(rng.standard_normal((n, 6)))
    X = np.column_stack([normal, 1e8 + normal, part, rare, amounts, -np.log(part), np.exp(normal), rng.poisson(0.5, n)])
    X = np.column_stack([X, 1.0 / (1.0 - rng.permutation(n) / n)])  # a tail that is as long as can be, but has no gap
    X = X.astype(dtype)
    assert tame(X) is X


@pytest.mark.parametrize("n", [40, 300, 40_000])
@pytest.mark.parametrize("value", [100.0, -1e9])
def test_a_gross_value_is_brought_near(n, value):
    X = np.random.default_rng(0).standard_normal((n, 3))
    X[7, 0] = value
    found = tame(X)
    assert X[7, 0] == value
    assert 1.0 < abs(found[7, 0]) < 9.0
    assert np.sign(found[7, 0]) == np.sign(value)
    rest = np.arange(n) != 7
    assert_array_equal(found[rest], X[rest])
    few = X.copy()
    few[: n // 50 + 2, 1] = 1e9  # so many are no slip, but a part of the column
    assert_array_equal(tame(few)[:, 1], few[:, 1])
    assert tame(sp.csr_matrix(X)).nnz == sp.csr_matrix(X).nnz


@pytest.mark.parametrize("value", [1e3, 1e9])
def test_a_gross_value_of_a_column_with_a_long_tail(value):
    rng = np.random.default_rng(0)
    X = np.exp(rng.standard_normal((6000, 4)))
    y = (X @ [1.0, 0.5, 0.0, 0.0] + rng.standard_normal(6000) > 3.5).astype(int)
    wrong = X.copy()
    wrong[7, 0] = value
    clean, found = (AUCClassifier().fit(Z[:3000], y[:3000]).score(X[3000:], y[3000:]) for Z in (X, wrong))
    assert found > clean - 0.005


def test_rounding_has_no_gross_values():
    X = np.random.default_rng(0).standard_normal((300, 3))
    X[:, 0] = 1e-17 * X[:, 0]
    X[5, 0] = 1.0
    assert tame(X) is X


def test_a_lonely_row_does_not_break_a_kernel():
    X = np.random.default_rng(0).standard_normal((300, 2))
    y = (np.hypot(*X.T) > 1.2).astype(int)
    X[0] = 30.0
    model = AUCClassifier(kernel="rbf", n_components=20).fit(X, y)
    assert np.abs(model.decision_function(X)).max() < 100.0
    assert model.score(X, y) > 0.95


def problem(value, seed=0):
    rng = np.random.RandomState(seed)
    X, noise = rng.randn(2600, 5), rng.logistic(size=2600)
    y = (2 * X[:, 0] + X[:, 1] + noise > 1.5).astype(int)
    X[np.flatnonzero(y[:600])[0], 0] += value
    return X[:600], y[:600], X[600:], y[600:]


@pytest.mark.parametrize(
    "model",
    [
        AUCClassifier(),
        AUCClassifierCV(n_l2=4),
        AUCClassifier("logistic", 0.01),
        AUCClassifier("square", 0.01),
        AUCClassifier(l1=0.01),
        AUCClassifier("logistic", 0.01, kernel="rbf", n_components=50),
    ],
    ids=str,
)
def test_a_gross_value_does_not_break_the_model(model):
    """On the side of its label, or against it."""
    X, y = problem(0.0)[2:]
    clean = model.fit(*problem(0.0)[:2]).score(X, y)
    loss = np.mean((model.predict_proba(X)[:, 1] - y) ** 2)
    for value in (1e4, 1e9, -1e4, -1e9):
        assert model.fit(*problem(value)[:2]).score(X, y) > clean - 0.01
        assert np.mean((model.predict_proba(X)[:, 1] - y) ** 2) < loss + 0.01


def test_rows_of_no_weight_do_not_count_for_what_is_usual():
    X, y, *_ = problem(1e9)
    away, weight = np.vstack([X, 1e12 * X]), np.repeat([1.0, 0.0], 600)
    expected = AUCClassifier("logistic", 0.01).fit(X, y)
    found = AUCClassifier("logistic", 0.01).fit(away, np.r_[y, y], sample_weight=weight)
    assert_allclose(found.coef_, expected.coef_)
