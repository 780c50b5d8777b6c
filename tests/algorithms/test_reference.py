"""Every algorithm equals its naive, literal twin over its first 400 steps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from aucmax import FSAUC, SOLAM, SPAM, SPDAM, VRSPAM, RegSOLAM
from tests.conftest import make_problem
from tests.reference.fsauc import fsauc
from tests.reference.solam import solam
from tests.reference.spam import spam, spam_stream
from tests.reference.spdam import spdam
from tests.reference.vrspam import vrspam

LITERAL = {"max_iter": 1, "tol": None, "shuffle": False}


def assert_equal_weights(model, expected):
    assert np.abs(expected).max() > 0
    assert_allclose(model.coef_[0], expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("l1", [0.0, 0.01, 0.3])
@pytest.mark.parametrize(
    ("l2", "options"),
    [
        (0.1, {"schedule": "sqrt", "step": 2.0}),
        (50.0, {"schedule": "sqrt", "step": 5.0}),
        (0.0, {"schedule": "power", "theta": 0.6, "step": 1.0}),
        (0.5, {"schedule": "theorem"}),
    ],
)
def test_spam(problem, as_given, average, l1, l2, options):
    X, y = problem
    expected = spam(X, y, l2, l1, **options)[average]
    assert_equal_weights(SPAM(l2, l1, average=average, **options, **LITERAL).fit(as_given(X), y), expected)


def test_spam_net_has_coordinates_that_die(problem):
    X, y = problem
    w = spam(X, y, 0.1, 0.3, step=2.0)[0]
    assert 0 < np.count_nonzero(w == 0.0) < len(w)


@pytest.mark.parametrize("l1", [0.0, 0.1])
def test_spam_with_weights(problem, as_given, l1):
    X, y = problem
    weight = np.random.default_rng(1).uniform(0.5, 3.0, len(y))
    model = SPAM(0.1, l1, step=1.0, average=False, **LITERAL).fit(as_given(X), y, sample_weight=7.0 * weight)
    assert_equal_weights(model, spam(X, y, 0.1, l1, weight=weight)[0])


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("l1", [0.0, 0.1])
def test_spam_on_a_stream(problem, as_given, average, l1):
    X, y = problem
    X = X * np.linspace(0.2, 2.0, len(y))[:, None]  # κ grows along the way
    expected = spam_stream(X, y, 0.2, l1, step=2.0)[average]
    model, given = SPAM(0.2, l1, step=2.0, average=average), as_given(X)
    for chunk in np.split(np.arange(len(y)), [1, 30, 300]):
        model.partial_fit(given[chunk], y[chunk], classes=[-1, 1])
    assert_equal_weights(model, expected)


@pytest.mark.parametrize("ball", ["l2", "l1"])
@pytest.mark.parametrize("radius", [0.3, 3.0, 100.0])
def test_solam(problem, as_given, ball, radius):
    X, y = problem
    model = SOLAM(radius, ball, step=5.0, **LITERAL).fit(as_given(X), y)
    assert_equal_weights(model, solam(X, y, radius=radius, ball=ball, step=5.0))


@pytest.mark.parametrize("ball", ["l2", "l1"])
@pytest.mark.parametrize("radius", [0.1, 1.0, 100.0])
def test_solam_on_rows_as_they_are(problem, as_given, ball, radius):
    X, y = problem
    options = {"step": 0.3, "scale": "none"}
    model = SOLAM(radius, ball, **options, **LITERAL).fit(as_given(X), y)
    assert_equal_weights(model, solam(X, y, radius=radius, ball=ball, **options))
    scaled = SOLAM(radius, ball, step=0.3, **LITERAL).fit(X, y)
    assert not np.allclose(model.coef_, scaled.coef_, rtol=0.01)


def test_solam_with_weights(problem, as_given):
    X, y = problem
    weight = np.random.default_rng(1).uniform(0.5, 3.0, len(y))
    model = SOLAM(3.0, step=2.0, **LITERAL).fit(as_given(X), y, sample_weight=weight)
    assert_equal_weights(model, solam(X, y, radius=3.0, step=2.0, weight=weight))


@pytest.mark.parametrize("l2", [0.01, 1.0, 10.0, 1000.0])
def test_regsolam(problem, as_given, l2):
    X, y = problem
    assert_equal_weights(RegSOLAM(l2, step=5.0, **LITERAL).fit(as_given(X), y), solam(X, y, l2=l2, step=5.0))


@pytest.mark.parametrize("schedule", ["halving", "paper"])
@pytest.mark.parametrize("radius", [0.3, 3.0, 100.0])
@pytest.mark.parametrize("step", [0.5, 4.0])
def test_fsauc(problem, as_given, schedule, radius, step):
    X, y = problem
    expected, active = fsauc(X, y, radius=radius, schedule=schedule, step=step)
    assert_equal_weights(FSAUC(radius, schedule, step=step, **LITERAL).fit(as_given(X), y), expected)
    assert (active > 0) == (schedule == "paper")  # the intersection is really exercised


@pytest.mark.parametrize("schedule", ["halving", "paper"])
@pytest.mark.parametrize("radius", [0.1, 1.0, 100.0])
def test_fsauc_on_rows_as_they_are(problem, as_given, schedule, radius):
    X, y = problem
    options = {"step": 0.05, "scale": "none"}
    expected, _ = fsauc(X, y, radius=radius, schedule=schedule, **options)
    assert_equal_weights(FSAUC(radius, schedule, **options, **LITERAL).fit(as_given(X), y), expected)


@pytest.mark.parametrize("model", [SOLAM(1.0, step=0.3, scale="none"), FSAUC(1.0, step=0.05, scale="none")])
def test_streams_of_rows_as_they_are(problem, as_given, model):
    """κ grows along a stream, however it is cut."""
    X, y = problem
    given = as_given(X)
    whole, cut = (clone(model) for _ in range(2))
    whole.partial_fit(given, y, classes=[-1, 1])
    for chunk in np.split(np.arange(len(y)), [1, 30, 300]):
        cut.partial_fit(given[chunk], y[chunk], classes=[-1, 1])
    assert_equal_weights(cut, whole.coef_[0])


@pytest.mark.parametrize("l1", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("l2", [0.1, 200.0])
def test_vrspam(problem, as_given, l1, l2):
    X, y = problem
    start = spam(X, y, l2, l1)[1]
    model = VRSPAM(l2, l1, step=0.3, max_iter=2, tol=None, shuffle=False).fit(as_given(X), y)
    assert_equal_weights(model, vrspam(X, y, l2, l1, step=0.3, start=start, stages=2))


@pytest.mark.parametrize("schedule", ["balanced", "theorem"])
@pytest.mark.parametrize("batch_fraction", [0.1, 0.33, 1.0])
def test_spdam(problem, as_given, schedule, batch_fraction):
    X, y = problem
    model = SPDAM(0.5, batch_fraction, schedule=schedule, max_iter=400, tol=None, shuffle=False).fit(as_given(X), y)
    expected = spdam(X, y, 0.5, batch_fraction=batch_fraction, iterations=400, printed=schedule == "theorem")
    assert_equal_weights(model, expected)


@pytest.mark.parametrize("l1", [0.0, 0.02])
def test_many_steps_stay_exact(l1):
    """Folds, rescans and recounts included: 20,000 steps with a strong penalty."""
    X, y = make_problem(n=20_000, d=12, seed=3)
    expected = spam(X, y, 30.0, l1, step=3.0)
    for average in (False, True):
        model = SPAM(30.0, l1, step=3.0, average=average, **LITERAL).fit(X, y)
        assert_equal_weights(model, expected[average])
