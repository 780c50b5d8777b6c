"""Every algorithm equals its naive, literal twin over its first 400 steps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

import aucmax
from aucmax import FSAUC, SOLAM, SPAM, SPDAM, VRSPAM, RegSOLAM
from tests.conftest import make_problem
from tests.reference.common import scaled
from tests.reference.fsauc import fsauc, lengths_of
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


@pytest.mark.parametrize("ball", ["l2", "l1"])
@pytest.mark.parametrize("scale", ["norm", "none"])
def test_the_bounds_of_solams_scalars(problem, as_given, ball, scale):
    """Steps so long that a, b and alpha meet their bounds."""
    X, y = problem
    options = {"step": 30.0, "scale": scale}
    hits = np.zeros(3, dtype=int)
    expected = solam(X, y, radius=0.5, ball=ball, hits=hits, **options)
    assert hits.min() > 0
    assert_equal_weights(SOLAM(0.5, ball, **options, **LITERAL).fit(as_given(X), y), expected)


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


def test_the_last_stage_of_fsauc_takes_the_rows_that_are_left(problem, as_given):
    X, y = (part[:397] for part in problem)
    assert lengths_of(397, None) == [198, 199]
    assert_equal_weights(FSAUC(3.0, step=0.5, **LITERAL).fit(as_given(X), y), fsauc(X, y, radius=3.0, step=0.5)[0])


@pytest.mark.parametrize("scale", ["norm", "none"])
def test_the_box_of_fsaucs_scalars_where_the_weights_are_inside_their_ball(as_given, scale):
    X, y = make_problem(n=120, d=6)
    options = {"step": 10.0, "scale": scale}
    assert_equal_weights(FSAUC(1.0, **options, **LITERAL).fit(as_given(X), y), fsauc(X, y, radius=1.0, **options)[0])


@pytest.mark.parametrize("schedule", ["halving", "paper"])
def test_stages_of_a_stream_double(problem, as_given, schedule, monkeypatch):
    X, y = problem
    X = np.vstack([X[[np.argmax((X**2).sum(axis=1))]], X[:-1]])  # κ is that of the first row
    y = np.append(1, y[:-1])
    monkeypatch.setattr(aucmax.algorithms.fsauc, "FIRST_STAGE", 25)
    expected, _ = fsauc(X, y, radius=10.0, schedule=schedule, step=0.5, first=25)
    model = FSAUC(10.0, schedule, step=0.5)
    for chunk in np.split(np.arange(len(y)), [1, 30, 300]):
        model.partial_fit(as_given(X)[chunk], y[chunk], classes=[-1, 1])
    assert_equal_weights(model, expected)
    assert model._stream.machine.scalars.stage.number == 5  # 25, 50, 100, 200 and 25 rows of the fifth


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


@pytest.mark.parametrize("share", [0.25, 0.02])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_default_steps(share, weighted, as_given):
    """As the parameters are documented: by the share of positives and, of SPAM, the mean squared norm; and at most."""
    X, y = make_problem(share=share)
    weight = np.random.default_rng(1).uniform(0.5, 3.0, len(y)) if weighted else np.ones(len(y))
    p, squares = weight[y > 0].sum() / weight.sum(), (X**2).sum(axis=1)
    curvature = 4 * p * (1 - p)
    step = min(squares.max() / squares.mean() / curvature, 30.0)
    assert (step == 30.0) == (share == 0.02)
    model = SPAM(0.1, average=False, **LITERAL).fit(as_given(X), y, sample_weight=weight)
    assert_equal_weights(model, spam(X, y, 0.1, 0.0, step=step, weight=weight)[0])
    step = min(1 / curvature, 10.0)
    assert (step == 10.0) == (share == 0.02)
    options = {"step": step, "weight": weight}
    assert_equal_weights(SOLAM(3.0, **LITERAL).fit(as_given(X), y, weight), solam(X, y, radius=3.0, **options))
    assert_equal_weights(RegSOLAM(0.1, **LITERAL).fit(as_given(X), y, weight), solam(X, y, l2=0.1, **options))


@pytest.mark.parametrize("weighted", [False, True])
def test_the_default_step_of_vrspam_is_that_of_the_largest_curvature(problem, as_given, weighted):
    """Which is the norm of the matrix that takes a change of w to the change of a row's gradient."""
    X, y = problem
    weight = np.random.default_rng(1).uniform(0.5, 3.0, len(y)) if weighted else np.ones(len(y))
    Z, _ = scaled(X)
    p = weight[y > 0].sum() / weight.sum()
    pos, neg = (np.average(Z[side], axis=0, weights=weight[side]) for side in (y > 0, y < 0))
    changes = [
        v / weight.mean() * 2 * ((1 - p) * np.outer(x, x - neg) if label > 0 else p * np.outer(x, x - pos))
        for x, label, v in zip(Z, y, weight, strict=True)
    ]
    step = 1 / max(np.linalg.norm(change, 2) for change in changes)
    options = {"max_iter": 2, "tol": None, "shuffle": False}
    found, expected = (
        VRSPAM(0.1, step=given, **options).fit(as_given(X), y, sample_weight=weight) for given in (None, step)
    )
    assert_equal_weights(found, expected.coef_[0])


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
