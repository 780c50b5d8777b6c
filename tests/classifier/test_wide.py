"""Few rows and many columns: the span of the rows takes the place of the columns, and the model stays what it is."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression

from aucmax import AUCClassifier, AUCClassifierCV
from aucmax.classifier import narrowing
from aucmax.classifier.narrowing import Narrow
from aucmax.classifier.paths import LOSSES
from aucmax.classifier.table import Table
from aucmax.model.base import checked_data
from aucmax.model.problem import Problem


@pytest.fixture(scope="module")
def wide():
    rng = np.random.default_rng(0)
    y = (np.arange(60) % 3 == 0).astype(int)
    X = rng.standard_normal((60, 700))
    X[:, :20] += y[:, None]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X, y


@pytest.fixture
def columns_only(monkeypatch):
    monkeypatch.setattr(narrowing, "FEW_ROWS", 0)


def narrow_of(X, y, ball=True):
    return Narrow.of(X, ball, lambda some: Table.of(some, y, np.ones(len(y)), None))


def test_coordinates_keep_all_differences_of_scores(wide):
    X, y = wide
    narrow = narrow_of(X + np.arange(700), y)
    assert narrow.table.data.d == 59  # the mean is gone
    u = np.random.default_rng(1).standard_normal((2, 59))
    scores = narrow.table.data.matrix @ u.T
    w = narrow.weights(u)
    assert_allclose((X + np.arange(700)) @ w.T - w @ narrow.shift, scores, rtol=1e-9, atol=1e-9)
    assert_allclose(np.linalg.norm(narrow.sizes(u) * w, axis=1), np.linalg.norm(u, axis=1), rtol=1e-9)


def test_other_penalties_and_shapes_keep_the_columns(wide):
    X, y = wide
    assert narrow_of(X, y, ball=False).span is None
    assert narrow_of(X[:, :400], y).span is None


def test_the_logistic_model_is_scikit_learns(wide):
    X, y = wide
    l2 = 0.05
    ours = AUCClassifier("logistic", l2).fit(X, y)
    other = LogisticRegression(C=1 / (l2 * len(y)), class_weight="balanced", tol=1e-10, max_iter=10_000).fit(X, y)
    a, b = ours.decision_function(X), other.decision_function(X)
    assert np.corrcoef(a, b)[0, 1] > 1 - 1e-6
    assert np.corrcoef(ours.coef_[0], other.coef_[0])[0, 1] > 1 - 1e-6


@pytest.mark.parametrize("loss", ["squared_hinge", "smooth_hinge", "square", "ramp"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_no_worse_than_the_solution_in_the_columns(wide, loss, dtype, request):
    """The columns are solved roughly, by conjugate gradients; their own objective judges both."""
    X, y = (5.0 + wide[0]).astype(dtype), wide[1]
    narrow = AUCClassifier(loss, 0.3).fit(X, y)
    request.getfixturevalue("columns_only")
    direct = AUCClassifier(loss, 0.3).fit(X, y)
    data = checked_data(X, np.where(y > 0, 1, -1).astype(np.int8), np.ones(len(y)))
    problem = Problem.of(data, LOSSES[loss], 0.3 * X.std(axis=0, dtype=float) ** 2)
    found, expected = (problem.at(model._raw[0]).value for model in (narrow, direct))
    assert expected * 0.99 < found <= expected * (1 + 1e-6)
    assert np.corrcoef(narrow.coef_[0], direct.coef_[0])[0, 1] > 0.999
    assert_allclose(narrow.decision_function(X), direct.decision_function(X), atol=0.1)


def test_several_classes_groups_weights_and_folds(wide):
    X, y = wide
    labels = np.array(["a", "b", "c"])[np.arange(60) % 3]
    model = AUCClassifier().fit(X, labels)
    assert model.coef_.shape == (3, 700)
    assert "in the span of the rows" in model.explain_choice()
    assert model.score(X, labels) > 0.9
    grouped = AUCClassifier("squared_hinge", 0.1).fit(X, y, groups=np.arange(60) // 10)
    assert grouped.score(X, y, groups=np.arange(60) // 10) == 1.0
    heavy = np.where(np.arange(60) < 30, 2.0, 1.0)
    twice = np.concatenate([np.arange(60), np.arange(30)])
    weighted, repeated = (
        AUCClassifier("square", 0.1).fit(X, y, heavy),
        AUCClassifier("square", 0.1).fit(X[twice], y[twice]),
    )
    assert_allclose(weighted._raw, repeated._raw, rtol=1e-6, atol=1e-9)
    crossed = AUCClassifierCV().fit(X, y)
    assert crossed.n_features_in_ == crossed.coef_.shape[1] == 700
    assert crossed._sizes.shape == (700,)


def test_rows_that_are_all_the_same():
    model = AUCClassifier("logistic", 0.1).fit(np.ones((10, 600)), np.arange(10) % 2)
    assert_allclose(model.coef_, 0.0)
    assert_allclose(model.predict_proba(np.ones((2, 600)))[:, 1], 0.5, atol=0.05)
