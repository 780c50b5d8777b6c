"""Bad input gets an error that says what was seen and what was expected."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from aucmax import SPAM, SPDAM, AUCClassifier, ExactAUC, RegSOLAM
from tests.estimators import ESTIMATORS, ONLINE, quick

every = pytest.mark.parametrize("name", ESTIMATORS)


@every
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda X, y: (np.where(X[0, 0] == X, np.nan, X), y), "NaN"),
        (lambda X, y: (np.where(X.max() == X, np.inf, X), y), "infinity"),
        (lambda X, y: (X, np.ones(len(y))), "one class only"),
        (lambda X, y: (X, np.arange(len(y)) % 3), "3 classes"),
        (lambda X, y: (X, y[:-1]), "inconsistent numbers of samples"),
        (lambda X, y: (X[:0], y[:0]), "0 sample"),
        (lambda X, y: (X[:1], y[:1]), "1 sample|one class"),
        (lambda X, y: (X[:, :0], y), "0 feature"),
        (lambda X, y: (X, X[:, 0]), "Unknown label type"),
        (lambda X, y: (X * 1e200, y), "overflows"),
        (lambda X, y: (X[0], y), "1D array"),
        (lambda X, y: (X + 1j, y), "Complex"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_training_data(name, change, words, problem):
    X, y = problem
    model = quick(name)
    with pytest.raises(ValueError, match=words):
        model.fit(*change(X, y))
    assert not hasattr(model, "coef_")


@every
@pytest.mark.parametrize(
    ("weight", "words"),
    [
        (lambda y: -np.ones(len(y)), "[Nn]egative"),
        (lambda y: np.full(len(y), np.nan), "NaN"),
        (lambda y: np.ones(3), "shape"),
        (lambda y: [10**400] * len(y), "what is no number"),
        (lambda y: (y > 0).astype(float), "one class only"),
        (lambda y: np.zeros(len(y)), "one class only|zero"),
        (lambda y: np.full(len(y), 1e308), r"from 1e\+308 to 1e\+308, expected 1e-75 to 1e\+75"),
        (lambda y: np.where(np.arange(len(y)) == 3, 1e-200, 1.0), "from 1e-200 to 1, expected 1e-75"),
        (
            lambda y: np.where(y > 0, 1e-20, 1.0),
            r"label 1(\.0)? a share of .*e-2[01] of all weight, expected at least 1e-12",
        ),
        (lambda y: np.ma.masked_array(np.ones(len(y)), y > 0), "masked array with .* values masked"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_weights(name, weight, words, problem):
    X, y = problem
    with pytest.raises(ValueError, match=words):
        quick(name).fit(X, y, sample_weight=weight(y))


@every
def test_prediction_data(name, problem):
    X, y = problem
    model = quick(name)
    with pytest.raises(Exception, match="not fitted"):
        model.decision_function(X)
    model.fit(X, y)
    with pytest.raises(ValueError, match=r"31 features.*expecting 30"):
        model.decision_function(np.column_stack([X, y]))
    with pytest.raises(ValueError, match="NaN"):
        model.predict(np.full_like(X, np.nan))
    with pytest.raises(ValueError, match="the classes are"):
        model.score(X, np.where(y > 0, "a", "b"))
    with pytest.raises(ValueError, match="one class only"):
        model.objective(X[y > 0], y[y > 0])


def test_labels_and_numbers_that_cannot_be_compared(problem):
    X, y = problem
    model = quick("SPAM").fit(X, y)
    with pytest.raises(ValueError, match="y holds None or another missing value"):
        model.score(X, np.array([pd.NA, *y[1:]], dtype=object))
    with pytest.raises(ValueError, match="y holds None or another missing value"):
        AUCClassifier("square", 0.1).fit(X, y).score(X, np.array([pd.NA, *y[1:]], dtype=object))
    with pytest.raises(ValueError, match=r"X holds what is no number .*expected floats or whole numbers"):
        model.decision_function(np.array([[10**400] + [0] * (X.shape[1] - 1)], dtype=object))
    # two bytes a number, which scipy cannot sort
    half = sp.csr_matrix((np.float16([1, 2]), [1, 0], [0, 2]), shape=(1, X.shape[1]))
    assert model.decision_function(half) == pytest.approx(model.decision_function(half.astype(float)))


@every
@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf"), "much", True])
def test_parameters(name, value, problem):
    X, y = problem
    names = {"l2", "l1", "gamma", "norm", "radius", "step", "C", "tol"} & set(ESTIMATORS[name]().get_params())
    for parameter in names:
        with pytest.raises(ValueError, match=rf"{name}\({parameter}=.*expected"):
            quick(name).set_params(**{parameter: value}).fit(X, y)
    for wrong in (0, 2.5, -3):
        with pytest.raises(ValueError, match=rf"max_iter={wrong}.*integer"):
            quick(name).set_params(max_iter=wrong).fit(X, y)


@every
def test_flags(name, problem):
    X, y = problem
    for flag in [key for key, value in quick(name).get_params().items() if isinstance(value, bool)]:
        for wrong in ("yes", np.ones(2), None):
            with pytest.raises(ValueError, match=rf"{name}\({flag}=.*expected True or False"):
                quick(name).set_params(**{flag: wrong}).fit(X, y)


def test_words_and_impossible_combinations(problem):
    X, y = problem
    with pytest.raises(ValueError, match=r"schedule='cubic'.*'sqrt', 'power', 'theorem'"):
        SPAM(schedule="cubic").fit(X, y)
    with pytest.raises(ValueError, match="needs l2 > 0"):
        SPAM(l2=0.0, schedule="theorem").fit(X, y)
    with pytest.raises(ValueError, match="above 0"):
        SPDAM(l2=0.0).fit(X, y)
    with pytest.raises(ValueError, match="at least 0"):
        ExactAUC.path(X, y, [0.1, -1.0])
    with pytest.raises(ValueError, match="without y_val"):
        SPAM().fit(X, y, X_val=X)
    with pytest.raises(ValueError, match="without X_val"):
        SPAM().fit(X, y, y_val=y)
    with pytest.raises(ValueError, match="validation set holds one class"):
        SPAM().fit(X, y, X_val=X[y > 0], y_val=y[y > 0])


@pytest.mark.filterwarnings("ignore:overflow|invalid:RuntimeWarning")
def test_a_diverging_step_names_itself(problem):
    X, y = problem
    for model in (SPAM(step=1e200, l2=0.0), RegSOLAM(l2=0.0, step=1e200)):
        with pytest.raises(FloatingPointError, match="step=1e\\+200"):
            model.fit(X, y)
        assert not hasattr(model, "coef_")
        assert not hasattr(model, "classes_")


@pytest.mark.filterwarnings("ignore:overflow|invalid:RuntimeWarning")
def test_a_fit_that_diverges_leaves_the_model_before_it(problem):
    X, y = problem
    model = SPAM(random_state=0).fit(X, y)
    before = model.coef_.copy()
    with pytest.raises(FloatingPointError):
        model.set_params(step=1e200, l2=0.0).fit(X, np.where(y > 0, "yes", "no"))
    np.testing.assert_array_equal(model.coef_, before)
    np.testing.assert_array_equal(model.classes_, [-1, 1])


@pytest.mark.parametrize("name", ONLINE)
def test_streams(name, problem):
    X, y = problem
    with pytest.raises(ValueError, match="name both in classes"):
        quick(name).partial_fit(X[y > 0], y[y > 0])
    with pytest.raises(ValueError, match="Only binary"):
        quick(name).partial_fit(X, y, classes=[1, 2, 3])
    model = quick(name).partial_fit(X, y)
    with pytest.raises(ValueError, match="differ from those of the first call"):
        model.partial_fit(X, y, classes=[0, 1])


def test_a_stream_too_wide_for_second_moments_says_what_to_use():
    X = sp.csr_matrix(([1.0, 1.0], ([0, 1], [0, 99_999])), shape=(2, 100_000))
    with pytest.raises(ValueError, match="SPAM"):
        ExactAUC().partial_fit(X, [0, 1])
