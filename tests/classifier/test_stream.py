"""The front door on a stream."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, make_classification

from aucmax import AUCClassifier


def chunks(X, y, size):
    return [(X[k : k + size], y[k : k + size]) for k in range(0, len(y), size)]


def test_the_stream_ends_where_all_rows_at_once_do():
    X, y = load_breast_cancer(return_X_y=True)
    stream = AUCClassifier()
    for part in chunks(X, y, 50):
        stream.partial_fit(*part, classes=[0, 1])
    once = AUCClassifier().partial_fit(X, y)
    assert_allclose(stream.decision_function(X), once.decision_function(X), rtol=1e-6, atol=1e-6)
    batch = AUCClassifier("square", stream.l2_).fit(X, y)
    cosine = batch.coef_[0] * X.std(axis=0), stream.coef_[0] * X.std(axis=0)
    assert_allclose(*(w / np.linalg.norm(w) for w in cosine), atol=1e-6)


def test_units_do_not_matter_and_probabilities_are_sensible():
    X, y = make_classification(4000, 10, n_informative=5, weights=[0.9], random_state=0)
    units = 10.0 ** np.linspace(-6, 6, 10)
    one, two = AUCClassifier(), AUCClassifier()
    for part, label in chunks(X, y, 500):
        one.partial_fit(part, label, classes=[0, 1])
        two.partial_fit(part * units, label, classes=[0, 1])
    assert_allclose(two.decision_function(X * units), one.decision_function(X), rtol=1e-5, atol=1e-5)
    assert abs(one.predict_proba(X)[:, 1].mean() - y.mean()) < 0.05


def test_wide_streams():
    rng = np.random.default_rng(0)
    X = sp.random(4000, 1000, 0.03, format="csr", random_state=0)
    signal = X[:, :60] @ rng.standard_normal(60)
    y = (signal + 0.1 * rng.standard_normal(4000) > np.quantile(signal, 0.8)).astype(int)
    X.data *= (10.0 ** rng.uniform(-3, 3, 1000))[X.indices]  # columns in any units
    model = AUCClassifier()
    for part, label in chunks(X[:3000], y[:3000], 500):
        model.partial_fit(part, label, classes=[0, 1])
    assert model.score(X[3000:], y[3000:]) > 0.75
    assert "SPAM" in model.explain_choice()
    assert abs(model.predict_proba(X[3000:])[:, 1].mean() - 0.2) < 0.15


def test_a_failed_chunk_changes_nothing():
    X, y = load_breast_cancer(return_X_y=True)
    model = AUCClassifier().partial_fit(X, y)
    before = model.coef_.copy()
    bad = X.copy()
    bad[3, 4] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(bad, y)
    with pytest.raises(ValueError, match="label"):
        model.partial_fit(X, y + 5)
    assert_array_equal(model.coef_, before)
    again = AUCClassifier().partial_fit(X, y).partial_fit(X, y)
    assert_allclose(model.partial_fit(X, y).coef_, again.coef_)


def test_one_class_at_first_and_a_fit_in_between():
    X, y = load_breast_cancer(return_X_y=True)
    model = AUCClassifier()
    with pytest.raises(ValueError, match="one class only"):
        model.partial_fit(X[y == 1], y[y == 1])
    model.partial_fit(X[y == 1], y[y == 1], classes=[0, 1])
    assert np.all(model.coef_ == 0.0)
    model.partial_fit(X[y == 0], y[y == 0])
    assert model.score(X, y) > 0.98
    fitted = model.fit(X[:, :5], y).coef_
    assert fitted.shape == (1, 5)
    assert model.partial_fit(X, y).coef_.shape == (1, 30)
    with pytest.raises(ValueError, match="partial_fit learns with"):
        AUCClassifier(loss="ramp").partial_fit(X, y)


@pytest.mark.parametrize("d", [20, 510])
def test_the_scale_of_the_weights_does_not_matter(d):
    X, y = make_classification(300, d, weights=[0.8], random_state=0)
    w = np.random.default_rng(0).random(300) + 0.1
    one, other = (AUCClassifier().partial_fit(X, y, sample_weight=v) for v in (w, w / 300))
    assert_allclose(one.l2_, AUCClassifier().partial_fit(X, y).l2_)
    assert_allclose(other.predict_proba(X), one.predict_proba(X), rtol=1e-6)
