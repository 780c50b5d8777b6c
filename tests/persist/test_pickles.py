"""Every estimator survives pickle and skops, as any estimator of scikit-learn does."""

import pickle

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

import aucmax
from tests.conftest import make_problem
from tests.estimators import ESTIMATORS, ONLINE, quick

X, Y = make_problem(n=120, d=6)
LABELS = np.where(Y > 0, "yes", "no")

FITTED = {
    **{name: (lambda name=name: quick(name, record=True).fit(X, LABELS)) for name in ESTIMATORS},
    "AUCClassifier": lambda: aucmax.AUCClassifier().fit(X, LABELS),
    "AUCClassifier, kernel": lambda: aucmax.AUCClassifier(kernel="rbf", n_components=10).fit(X, LABELS),
    "AUCClassifier, stream": lambda: aucmax.AUCClassifier().partial_fit(X, LABELS),
    "AUCClassifierCV": lambda: aucmax.AUCClassifierCV(cv=2, n_l2=3).fit(X, LABELS),
    "pipeline": lambda: make_pipeline(MaxAbsScaler(), quick("SPAM")).fit(X, LABELS),
}


def by_pickle(model):
    return pickle.loads(pickle.dumps(model))


def by_skops(model):
    """What the file names beyond the types that skops knows must be ours."""
    skops = pytest.importorskip("skops.io")
    data = skops.dumps(model)
    types = skops.get_untrusted_types(data=data)
    assert all(kind.startswith("aucmax.") for kind in types), types
    return skops.loads(data, trusted=types)


@pytest.mark.parametrize("through", [by_pickle, by_skops])
@pytest.mark.parametrize("name", FITTED)
def test_a_fitted_estimator(name, through):
    model = FITTED[name]()
    again = through(model)
    assert type(again) is type(model)
    assert str(again.get_params()) == str(model.get_params())
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize("through", [by_pickle, by_skops])
@pytest.mark.parametrize("name", ONLINE)
def test_a_stream_goes_on(name, through):
    model = quick(name).partial_fit(X[:60], LABELS[:60])
    again = through(model)
    np.testing.assert_array_equal(
        again.partial_fit(X[60:], LABELS[60:]).coef_, model.partial_fit(X[60:], LABELS[60:]).coef_
    )


@pytest.mark.parametrize("through", [by_pickle, by_skops])
def test_a_transformer(through):
    model = aucmax.KMeansNystroem(n_components=8, random_state=0).fit(X)
    np.testing.assert_array_equal(through(model).transform(X), model.transform(X))
