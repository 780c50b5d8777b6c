"""Probabilities, thresholds, several classes, kernels."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score

from aucmax import BAM, AUCClassifier, AUCClassifierCV
from aucmax.classifier.calibration import platt
from aucmax.classifier.quick import _parts
from aucmax.classifier.table import Table
from aucmax.evaluate import operating_point


@pytest.fixture(scope="module")
def rare():
    X, y = make_classification(3000, 20, n_informative=8, weights=[0.9], class_sep=0.7, random_state=0)
    return X[:2000], y[:2000], X[2000:], y[2000:]


def test_platt_is_logistic_regression_on_smoothed_targets():
    rng = np.random.default_rng(0)
    y = np.where(rng.random(500) < 0.2, 1, -1)
    scores, weight = 3 * rng.standard_normal(500) + y + 100.0, rng.random(500) + 0.5
    slope, intercept = platt(scores, y, weight)
    weight = weight / weight.mean()  # only their ratios count
    pos, neg = weight @ (y > 0), weight @ (y < 0)
    target = np.where(y > 0, (pos + 1) / (pos + 2), 1 / (neg + 2))
    twice, classes = np.r_[scores, scores][:, None] - 100.0, np.repeat([1, 0], 500)
    shares = np.r_[weight * target, weight * (1 - target)]
    both = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000).fit(twice, classes, shares)
    assert_allclose(slope, both.coef_[0, 0], rtol=1e-4)
    assert_allclose(intercept + 100 * slope, both.intercept_[0], rtol=1e-4, atol=1e-4)


def test_another_prevalence_moves_the_log_odds(rare):
    X, y, X_test, _ = rare
    plain = AUCClassifier("logistic", 0.01).fit(X, y)
    other = AUCClassifier("logistic", 0.01, prevalence=0.3).fit(X, y)
    gain = logit(0.3) - logit(y.mean())
    assert_allclose(other.decision_function(X_test), plain.decision_function(X_test) + gain)


def test_cross_fitted_probabilities_are_less_certain(rare):
    X, y, X_test, y_test = rare
    few = np.r_[np.flatnonzero(y == 1)[:30], np.flatnonzero(y == 0)[:60]]
    losses = []
    for calibration in ("platt", "cv"):
        model = AUCClassifier("logistic", 1e-6, calibration=calibration).fit(X[few], y[few])
        p = expit(model.decision_function(X_test) - logit(1 / 3) + logit(y_test.mean()))
        losses.append(-np.mean(y_test * np.log(p + 1e-300) + (1 - y_test) * np.log1p(-p + 1e-300)))
    assert losses[1] < 0.95 * losses[0]


@pytest.mark.parametrize("rule", [None, "youden", "balanced", "cost", 0.2])
def test_thresholds(rule, rare):
    X, y, X_test, y_test = rare
    model = AUCClassifier("logistic", 0.01, threshold=rule, costs=(1.0, 9.0) if rule == "cost" else None).fit(X, y)
    p = model.predict_proba(X_test)[:, 1]
    assert_array_equal(model.predict(X_test), (p > model.threshold_).astype(int))
    expected = {None: 0.5, "balanced": y.mean(), "cost": 0.1, 0.2: 0.2}
    if rule == "youden":
        recall, fall_out = model.predict(X_test)[y_test == 1].mean(), model.predict(X_test)[y_test == 0].mean()
        half = (p > 0.5)[y_test == 1].mean() - (p > 0.5)[y_test == 0].mean()
        assert recall - fall_out > half
    else:
        assert_allclose(model.threshold_, expected[rule])


def test_costs_by_label(rare):
    X, y, X_test, _ = rare
    names = np.where(y == 1, "fraud", "ok")  # "ok" is the last in alphabetical order, hence the positive class
    named = AUCClassifier("logistic", 0.01, threshold="cost", costs={"fraud": 9.0, "ok": 1.0}).fit(X, names)
    model = AUCClassifier("logistic", 0.01, threshold="cost", costs=(1.0, 9.0)).fit(X, y)
    assert_allclose(named.threshold_, 0.9)
    flagged = named.predict(X_test) == "fraud"
    assert flagged.sum() > (AUCClassifier("logistic", 0.01).fit(X, names).predict(X_test) == "fraud").sum()
    assert (flagged == model.predict(X_test)).mean() > 0.999  # Platt's targets differ a little between the classes


def test_thresholds_are_for_two_classes():
    with pytest.raises(ValueError, match="needs two classes"):
        AUCClassifier(threshold=0.3).fit(*load_iris(return_X_y=True))


@pytest.mark.parametrize("cls", [AUCClassifier, AUCClassifierCV])
def test_pairs_of_classes(cls):
    X, y = load_iris(return_X_y=True)
    model = cls(multi_class="ovo").fit(X[::2], y[::2])
    X, y = X[1::2], y[1::2]
    assert model.coef_.shape == (3, 4)
    scores = model.decision_function(X)
    assert scores.shape == (75, 3)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert_array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))
    assert np.mean(model.predict(X) == y) > 0.9
    pairs = X @ model.coef_.T + model.intercept_
    each = [
        roc_auc_score(y[(y == a) | (y == b)] == b, pairs[(y == a) | (y == b), k])
        for k, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)])
    ]
    assert_allclose(model.score(X, y), np.mean(each))


def test_a_pair_of_classes_is_a_model_of_their_rows_alone():
    X, y = load_iris(return_X_y=True)
    w = AUCClassifier("squared_hinge", 0.1, multi_class="ovo").fit(X, y).coef_[2] * X.std(axis=0)
    rows = y != 0
    # the penalty is on columns of the size that they have in all rows
    alone = BAM(0.1, tol=1e-6).fit(X[rows] / X.std(axis=0), y[rows]).coef_[0]
    assert_allclose(w / np.linalg.norm(w), alone / np.linalg.norm(alone), atol=0.02)


def test_prevalences_of_several_classes():
    X, y = load_iris(return_X_y=True)
    for multi_class in ("ovr", "ovo"):
        plain = AUCClassifier("logistic", 0.1, multi_class=multi_class).fit(X, y)
        rare = AUCClassifier("logistic", 0.1, multi_class=multi_class, prevalence=(0.01, 0.98, 0.01)).fit(X, y)
        assert_allclose(rare.coef_, plain.coef_)
        assert np.sum(rare.predict(X) == 1) > np.sum(plain.predict(X) == 1)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_a_kernel_ranks_what_no_line_can(kind):
    X, y = make_moons(600, noise=0.2, random_state=0)
    X = X * [1.0, 1000.0]
    line, curve = AUCClassifier("logistic"), AUCClassifier("logistic", kernel="rbf", n_components=50)
    for model in (line, curve):
        model.fit(kind(X[:400]), y[:400])
    X, y = kind(X[400:]), y[400:]
    assert curve.score(X, y) > 0.98 > line.score(X, y)
    assert curve.coef_.shape == (1, 50)
    assert_allclose(curve.decision_function(X), curve.embedding_.transform(X) @ curve.coef_[0] + curve.intercept_[0])


def test_one_seed_one_model_whatever_the_threads(rare):
    X, y, *_ = rare
    models = [AUCClassifier(n_jobs=jobs, random_state=3).fit(X[:600], y[:600]) for jobs in (1, 2, 2)]
    for model in models[1:]:
        assert_array_equal(model.coef_, models[0].coef_)


@pytest.mark.parametrize("few", [2, 3, 40])
def test_of_many_rows_some_of_either_class_are_left_to_rank(few):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [6000, few, few + 1])
    X = rng.standard_normal((len(y), 3)) + y[:, None]
    for task in Table.of(X, y, np.ones(len(y)), None).tasks(True):
        part, (fold,) = _parts(task, False, 0)
        for rows in fold:
            classes = part.of_rows(rows).classes
            assert len(classes.pos)
            assert len(classes.neg)
        assert not set(fold.train) & set(fold.test)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_probabilities_of_rows_far_away(multi_class):
    X, y = load_iris(return_X_y=True)
    model = AUCClassifier("logistic", 1e-3, multi_class=multi_class).fit(X, y)
    for size in (1.0, 1e3, 1e5, 1e9):
        far = np.random.default_rng(0).standard_normal((300, 4)) * size
        p = model.predict_proba(far)
        assert_allclose(p.sum(axis=1), 1.0)
        assert_array_equal(p.argmax(axis=1), model.predict(far))
    near = expit(model.decision_function(X))
    assert_allclose(model.predict_proba(X), near / near.sum(axis=1, keepdims=True), rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("labels", [[1, 2], [7, 1], [np.nan, 1.0], ["0", "1"], [None, 1]])
def test_scores_of_other_labels_are_refused(labels, rare):
    X, y, X_test, y_test = rare
    model = AUCClassifier("logistic", 0.01).fit(X, y)
    words = "y holds None or another missing" if labels[0] is None else "use the labels the model was fitted with"
    with pytest.raises(ValueError, match=words):
        model.score(X_test, np.array(labels)[y_test])
    several = AUCClassifier("logistic", 0.01).fit(X, np.where(X[:, 0] > 0, y, 2))
    with pytest.raises(ValueError, match=r"holds the label 9, but the classes are \[0, 1, 2\]"):
        several.score(X_test, np.where(X_test[:, 0] > 0, y_test, 9))


@pytest.mark.parametrize("times", [1e-6, 1.0 / 300, 7.3, 1e9])
@pytest.mark.parametrize("weights", ["equal", "whole", "any"])
def test_the_scale_of_the_weights_does_not_matter(times, weights, rare):
    X, y = rare[0][:300], rare[1][:300]
    rng = np.random.default_rng(0)
    w = {"equal": np.ones(300), "whole": rng.integers(0, 4, 300), "any": rng.random(300)}[weights]
    for model in (AUCClassifier("logistic", 0.01, threshold="youden"), AUCClassifier("squared_hinge")):
        one, other = (clone(model).fit(X, y, sample_weight=v) for v in (w, times * w))
        assert_allclose(other.predict_proba(X), one.predict_proba(X), rtol=1e-5, atol=1e-9)
        assert (one.loss_, one.l2_) == (other.loss_, other.l2_)
        assert_allclose(other.threshold_, one.threshold_, rtol=1e-5)


def test_whole_weights_are_repeated_rows_to_probabilities(rare):
    X, y = rare[0][:300], rare[1][:300]
    w = np.random.default_rng(0).integers(0, 4, 300)
    one = AUCClassifier("logistic", 0.01).fit(X, y, sample_weight=w)
    other = AUCClassifier("logistic", 0.01).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert_allclose(other.predict_proba(X), one.predict_proba(X), rtol=1e-7)


def test_the_best_threshold_is_met_by_predictions():
    """Log-odds of either formula differ in their last bit, and sigmoids near one in none."""
    for seed in range(30):
        X, y = make_classification(
            300, 6, n_informative=4, n_redundant=0, weights=[0.8], class_sep=3.0, random_state=seed
        )
        model = AUCClassifier("logistic", 1e-4, threshold="youden").fit(X, y)
        scores = model.decision_function(X)
        best = operating_point(y, scores, criterion="youden").threshold
        assert_array_equal(model.predict(X), scores >= best)
        assert_array_equal(model.predict(X), model.predict_proba(X)[:, 1] > model.threshold_)


def test_a_summary_of_several_classes_says_for_which_a_weight_is():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = AUCClassifier("logistic", 0.1).fit(X, names)
    table = model.summary()
    for feature, coef, side in zip(table.feature, table.coef, table.side, strict=True):
        assert coef == model.coef_[list(model.classes_).index(side), int(feature[1:])]
    assert str(table).splitlines()[1].endswith(table.side[0])
    pairs = AUCClassifier("logistic", 0.1, multi_class="ovo").fit(X, names).summary()
    assert set(pairs.side) <= {"versicolor over setosa", "virginica over setosa", "virginica over versicolor"}
    two = AUCClassifier("logistic", 0.1).fit(X, y > 0).summary()
    assert two.side is None
    assert "class" not in str(two)


@pytest.mark.parametrize(
    "model",
    [
        AUCClassifier(),
        AUCClassifier("ramp"),
        AUCClassifier("square", 0.1, calibration="cv"),
        AUCClassifierCV("logistic", n_l2=4),
        AUCClassifierCV("logistic", n_l2=4, threshold="youden"),
    ],
    ids=str,
)
def test_columns_far_from_zero_change_no_probability(model):
    """Every fold has an offset of its own there."""
    X, y = make_classification(900, 6, n_informative=4, weights=[0.7], random_state=0)
    near = model.fit(X[:600], y[:600]).predict_proba(X[600:])
    for offset in (10.0, 300.0):
        far = X + offset
        assert_allclose(model.fit(far[:600], y[:600]).predict_proba(far[600:]), near, atol=1e-3)
    assert log_loss(y[600:], near) < 0.6


@pytest.mark.parametrize("seed", range(3))
def test_folds_of_fewer_rows_do_not_make_the_model_too_sure(seed):
    """Under a strong penalty their weights are shorter than those of all rows."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((4000, 10))
    y = (X[:, 0] + 0.5 * X[:, 1] + 0.5 * rng.standard_normal(4000) > 2.0).astype(int)
    model = AUCClassifierCV(("logistic",), n_l2=4).fit(X[:600], y[:600])
    assert abs(model.predict_proba(X[:600])[:, 1].mean() - y[:600].mean()) < 0.005
