"""NPSAM, NASAM, NSOLAM and NBAM behave as any scikit-learn pipeline, and bend where a line does not."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.datasets import make_circles
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

import aucmax
from aucmax import algorithms

every = pytest.mark.parametrize("name", algorithms.__all__)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture
def circles():
    return make_circles(400, noise=0.1, factor=0.5, random_state=0)


def make(name, *args, **parameters):
    return getattr(algorithms, name)(*args, **parameters)


def test_names():
    assert dir(algorithms) == ["NASAM", "NBAM", "NPSAM", "NSOLAM"]
    with pytest.raises(AttributeError, match="NMAGIC"):
        _ = algorithms.NMAGIC


@every
def test_ranks_what_no_line_can(name, circles):
    X, y = circles
    model = make(name, 50, random_state=0).fit(X, y)
    assert model.score(X, y) == roc_auc_score(y, model.decision_function(X)) > 0.99
    assert getattr(aucmax, name[1:])().fit(X, y).score(X, y) < 0.7
    assert set(model.predict(X)) == {0, 1}


@every
def test_equals_the_two_steps_by_hand(name, circles):
    X, y = circles
    embedding = aucmax.KMeansNystroem(20, 0.5, random_state=1, dtype="float64").fit(X)
    solver = getattr(aucmax, name[1:])(random_state=1).fit(embedding.transform(X), y)
    model = make(name, 20, 0.5, random_state=1, dtype="float64").fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), solver.decision_function(embedding.transform(X)))


@every
def test_parameters_clone_and_pickle(name, circles):
    X, y = circles
    model = make(name, 10, gamma=2.0, kmeans_iter=2, max_iter=7, random_state=3)
    assert type(model) is Pipeline
    assert is_classifier(model)
    assert isinstance(model["solver"], getattr(aucmax, name[1:]))
    known = model.get_params()
    given = {"nystroem__n_components": 10, "nystroem__gamma": 2.0, "nystroem__kmeans_iter": 2, "solver__max_iter": 7}
    seeds = {"nystroem__random_state": 3, "solver__random_state": 3}
    assert {**given, **seeds}.items() <= known.items()
    copy = clone(model).set_params(nystroem__n_components=12).fit(X, y)
    assert copy["nystroem"].n_components_ == 12
    loaded = pickle.loads(pickle.dumps(copy))
    np.testing.assert_array_equal(loaded.decision_function(X), copy.decision_function(X))
    with pytest.raises(TypeError, match="n_landmarks"):
        make(name, n_landmarks=3)


@every
def test_grid_search_by_the_auc(name, circles):
    X, y = circles
    grid = {"nystroem__gamma": ["auto", 1e-9], "solver__max_iter": [5]}
    search = GridSearchCV(make(name, 30, random_state=0), grid, cv=3).fit(X, y)
    assert search.best_params_["nystroem__gamma"] == "auto"
    assert search.best_score_ > 0.98


@every
def test_sample_weight_reaches_the_solver(name, circles):
    X, y = circles
    model = make(name, 30, random_state=0)
    plain = model.fit(X, y).decision_function(X)
    weighted = model.fit(X, y, solver__sample_weight=1.0 + 9.0 * (X[:, 0] > 0)).decision_function(X)
    assert not np.allclose(plain, weighted)
