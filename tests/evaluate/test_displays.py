import sys

import matplotlib as mpl
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.calibration import calibration_curve as sklearn_curve
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from aucmax import SPAM, AUCClassifierCV
from aucmax import evaluate as ev

mpl.use("Agg")
import matplotlib.pyplot as plt

CURVES = (ev.ROCDisplay, ev.PrecisionRecallDisplay, ev.LiftDisplay)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.3
    return y, rng.standard_normal(400) + 1.5 * y, rng.random(400) + 0.1


def drawn(display):
    """Render, so that anything that cannot be drawn fails."""
    display.figure_.canvas.draw()
    return display


@pytest.mark.parametrize("cls", CURVES)
def test_curves_hold_their_band(cls, data):
    y, scores, weight = data
    for given in (None, weight):
        display = drawn(cls.from_predictions(y, scores, given, random_state=0, name="model"))
        middle = np.interp(display.band.x, display.x, display.y)
        inside = (display.band.low <= middle + 1e-9) & (middle <= display.band.high + 1e-9)
        assert inside.mean() > 0.9
        assert display.line_.get_label().startswith("model: ")
        assert display.line_.get_linewidth() == 1.6


def test_what_the_curves_show(data):
    y, scores, weight = data
    roc = ev.ROCDisplay.from_predictions(y, scores, weight, n_resamples=0)
    assert roc.band is None
    assert_allclose(roc.summary, ev.delong_ci(y, scores, weight))
    assert_allclose(np.trapezoid(roc.y, roc.x), ev.roc_auc(y, scores, weight))
    recall = ev.PrecisionRecallDisplay.from_predictions(y, scores, n_resamples=0)
    assert_allclose(recall.summary, ev.average_precision(y, scores))
    assert_allclose(recall.share, y.mean())
    lift = ev.LiftDisplay.from_predictions(y, scores, n_resamples=0)
    assert_allclose(np.trapezoid(lift.y, lift.x), ev.area_under_lift(y, scores))


@pytest.mark.parametrize("cls", CURVES)
def test_models_on_the_same_axes_differ_in_line_and_lightness(cls, data):
    y, scores, _ = data
    first = cls.from_predictions(y, scores, n_resamples=0, name="a")
    second = drawn(cls.from_predictions(y, -scores, n_resamples=0, name="b", ax=first.ax_))
    assert first.ax_ is second.ax_
    assert first.line_.get_linestyle() != second.line_.get_linestyle()
    grey = [np.dot(mpl.colors.to_rgb(one.line_.get_color()), [0.3, 0.59, 0.11]) for one in (first, second)]
    assert abs(grey[0] - grey[1]) > 0.15
    assert [text.get_text()[0] for text in first.ax_.get_legend().get_texts()] == ["a", "b"]
    assert cls.from_predictions(y, scores, n_resamples=0, color="black").line_.get_color() == "black"


def test_many_points_are_thinned():
    rng = np.random.default_rng(1)
    y = rng.random(50_000) < 0.5
    display = ev.ROCDisplay.from_predictions(y, rng.standard_normal(50_000), n_resamples=0)
    assert len(display.line_.get_xdata()) <= 4096
    assert_allclose(display.line_.get_xydata()[[0, -1]], [[0, 0], [1, 1]])


def test_estimators_are_scored_as_they_can_be():
    X, y = load_breast_cancer(return_X_y=True)
    X = X / X.std(axis=0)
    model = LogisticRegression().fit(X[::2], y[::2])
    display = ev.ROCDisplay.from_estimator(model, X[1::2], y[1::2], n_resamples=0)
    assert_allclose(display.summary.estimate, ev.roc_auc(y[1::2], model.decision_function(X[1::2])))
    assert display.line_.get_label().startswith("LogisticRegression: AUC 0.9")
    drawn(ev.CalibrationDisplay.from_estimator(model, X[1::2], y[1::2]))
    with pytest.raises(ValueError, match="LinearSVC has no predict_proba"):
        ev.CalibrationDisplay.from_estimator(LinearSVC().fit(X, y), X, y)


def test_calibration_equals_scikit_learns():
    rng = np.random.default_rng(2)
    p = rng.random(3000)
    y = rng.random(3000) < p**2
    found = ev.calibration_curve(y, p, bins=10)
    observed, predicted = sklearn_curve(y, p, n_bins=10, strategy="quantile")
    assert_allclose(found.observed, observed, atol=2e-3)
    assert_allclose(found.predicted, predicted, atol=2e-3)
    assert np.all((found.low <= found.observed) & (found.observed < found.high))
    truth = found.predicted**2
    assert np.mean((found.low <= truth) & (truth <= found.high)) >= 0.7
    assert_allclose(found.weight, 300)


def test_equal_probabilities_stay_together():
    y, p = np.arange(100) % 3 == 0, np.repeat([0.1, 0.5], [90, 10])
    found = ev.calibration_curve(y, p)
    assert_allclose(found.predicted, [0.1, 0.5])
    assert_allclose(found.weight, [90, 10])
    weight = np.arange(100.0) + 1
    assert_allclose(ev.calibration_curve(y, p, weight).weight, [weight[:90].sum(), weight[90:].sum()])
    with pytest.raises(ValueError, match="expected 0 to 1"):
        ev.calibration_curve(y, p * 10)


def test_scores_of_both_classes(data):
    y, scores, weight = data
    display = drawn(ev.ScoresDisplay.from_predictions(y, scores, weight, threshold=0.7, name="model"))
    widths = np.diff(display.edges)
    assert_allclose([display.pos @ widths, display.neg @ widths], 1.0)
    assert {"positives", "negatives", " threshold"} <= {text.get_text() for text in display.ax_.texts}
    drawn(ev.ScoresDisplay.from_predictions([0, 1, 1], [np.inf, -np.inf, 0.0]))
    drawn(ev.ScoresDisplay.from_predictions([0, 1], [1.0, 1.0]))


def test_convergence_and_path():
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    models = {
        f"step {step}": SPAM(step=step, random_state=0, max_iter=3, tol=None).fit(
            X[::2], y[::2], None, X[1::2], y[1::2]
        )
        for step in (0.1, 1.0)
    }
    display = drawn(ev.ConvergenceDisplay.from_estimators(models, n_rows=len(y[::2])))
    assert len(display.axes_) == 2
    assert [text.get_text() for text in display.axes_[1].texts] == ["step 0.1", "step 1.0"]
    assert display.axes_[0].get_lines()[0].get_xdata()[-1] == 3.0
    with pytest.raises(ValueError, match="history of plain holds no validation_auc"):
        ev.ConvergenceDisplay.from_estimators({"plain": SPAM(record=True, random_state=0).fit(X, y)})
    model = AUCClassifierCV(n_l2=4, cv=3).fit(X, y)
    path = drawn(ev.PathDisplay.from_estimator(model))
    assert set(path.paths) == {"logistic", "ramp"}
    assert path.chosen == (model.loss_, model.l2_)
    marks = [line for line in path.ax_.get_lines() if line.get_marker() == "o"]
    assert_allclose(marks[0].get_xydata(), [[model.l2_, model.best_score_]], rtol=1e-9)
    several = AUCClassifierCV("logistic", n_l2=3, cv=2).fit(X, np.where(X[:, 0] > 1.0, 2, y))
    assert drawn(ev.PathDisplay.from_estimator(several)).chosen == ("logistic", several.l2_.mean())


def test_without_matplotlib_one_line_says_what_to_install(data, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"Pictures need matplotlib: pip install 'aucmax\[plot\]'"):
        ev.ROCDisplay.from_predictions(*data)
