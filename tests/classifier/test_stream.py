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


@pytest.mark.parametrize("d", [20, 510])
def test_the_scale_of_the_weights_does_not_matter(d):
    X, y = make_classification(300, d, weights=[0.8], random_state=0)
    w = np.random.default_rng(0).random(300) + 0.1
    one, other = (AUCClassifier().partial_fit(X, y, sample_weight=v) for v in (w, w / 300))
    assert_allclose(one.l2_, AUCClassifier().partial_fit(X, y).l2_)
    assert_allclose(other.predict_proba(X), one.predict_proba(X), rtol=1e-6)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_how_a_wide_stream_is_cut_matters_little(kind):
    rng = np.random.default_rng(1)
    X = sp.random(700, 510, 0.1, format="csr", random_state=0) if kind == "sparse" else rng.standard_normal((700, 510))
    signal = X[:, :5] @ np.ones(5)
    y = (signal + 0.2 * rng.standard_normal(700) > np.median(signal)).astype(int)
    X = X * 10.0 ** rng.uniform(-3, 3, 510) if kind == "dense" else X
    found = []
    for size in (1, 50, 500):
        model = AUCClassifier()
        for part in chunks(X[:500], y[:500], size):
            model.partial_fit(*part, classes=[0, 1])
        p = model.predict_proba(X[500:])[:, 1]
        found.append((model.score(X[500:], y[500:]), np.mean((p - y[500:]) ** 2)))
    aucs, losses = np.transpose(found)
    assert aucs.max() - aucs.min() < 0.02
    assert aucs.min() > 0.55
    assert losses.max() < losses.min() + 0.05


@pytest.mark.parametrize("d", [2, 510])
def test_a_class_never_seen_is_never_predicted(d):
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3
    X = np.zeros((300, d))
    X[:, :2] = np.array([[0, 0], [3, 0], [0, 3]])[y] + rng.standard_normal((300, 2))
    model = AUCClassifier().partial_fit(X[:1], y[:1], classes=[0, 1, 2, 3])
    assert_allclose(model.predict_proba(X)[:, 0], 1.0)
    model.partial_fit(X, y)
    far = np.vstack([X, 1e6 * X, -1e6 * X])
    p = model.predict_proba(far)
    assert np.isfinite(model.decision_function(far)).all()
    assert p[:, 3].max() == 0.0
    assert set(model.predict(far)) <= {0, 1, 2}
    assert np.mean(model.predict(X) == y) > 0.5


@pytest.mark.parametrize("seen", [0, 1])
def test_one_class_of_two_so_far_is_the_one_predicted(seen):
    X = np.random.default_rng(0).standard_normal((20, 3))
    model = AUCClassifier().partial_fit(X, np.full(20, seen), classes=[0, 1])
    assert_array_equal(model.predict(X), seen)
    assert_allclose(model.predict_proba(X)[:, seen], 21 / 22)


@pytest.mark.parametrize(
    "given",
    [
        {"loss": "ramp"},
        {"l1": 0.1},
        {"kernel": "rbf"},
        {"threshold": 0.3},
        {"multi_class": "ovo"},
        {"prevalence": np.array([0.9, 0.1])},
    ],
    ids=str,
)
def test_there_is_no_partial_fit_for_what_cannot_stream(given):
    model = AUCClassifier(**given)
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError, match="no attribute 'partial_fit'") as error:
        model.partial_fit([[0.0], [1.0]], [0, 1])
    assert "partial_fit learns with" in str(error.value.__cause__)
    assert hasattr(AUCClassifier(), "partial_fit")
    assert hasattr(AUCClassifier("square", 0.1), "partial_fit")


def test_parameters_out_of_range_are_refused_by_a_stream_too():
    with pytest.raises(ValueError, match=r"l2=-1\.0"):
        AUCClassifier(l2=-1.0).partial_fit([[0.0], [1.0]], [0, 1])


def test_a_stream_of_several_classes_has_a_penalty_for_each():
    X, y = make_classification(300, 6, n_informative=4, n_classes=3, weights=[0.6, 0.3], random_state=0)
    found = AUCClassifier().partial_fit(X, y).l2_
    assert found.shape == (3,)
    assert len(set(found)) == 3
    assert_array_equal(AUCClassifier(l2=0.5).partial_fit(X[:1], y[:1], classes=[0, 1, 2]).l2_, 0.5)


@pytest.mark.parametrize("l2", [0.0, "auto"])
def test_fewer_rows_than_columns_are_not_too_sure(l2):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((4, 8)), np.array([0, 1, 0, 0])
    model = AUCClassifier(l2=l2).partial_fit(X, y)
    assert np.abs(model.decision_function(X)).max() < 10.0
    assert model.score(X, y) == 1.0


def test_classes_that_are_one_are_refused():
    with pytest.raises(ValueError, match=r"classes=\[0\] names one class"):
        AUCClassifier().partial_fit(np.eye(3), np.zeros(3), classes=[0])
