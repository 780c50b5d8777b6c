"""The front door."""

import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.estimator_checks import (
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
    parametrize_with_checks,
)

from aucmax import BAM, AUCClassifier, AUCClassifierCV
from aucmax.classifier import choice, crossed, folds, paths
from aucmax.classifier.folds import Plan
from aucmax.evaluate import delong_ci
from tests.conftest import make_problem

SHORT = partial(AUCClassifierCV, n_l2=4, cv=2)  # the same on a short path
both = pytest.mark.parametrize("cls", [AUCClassifier, SHORT], ids=["AUCClassifier", "AUCClassifierCV"])
WEIGHTED = [check_sample_weight_equivalence_on_dense_data, check_sample_weight_equivalence_on_sparse_data]
ROWS = "the strength of a penalty counts rows, whatever their weight"  # which may be in any unit
FOLDS = f"folds are drawn by row, and {ROWS}"
START = "the penalty of the convex start counts rows, and the ramp may end elsewhere"


def expected_failures(estimator):
    reason = FOLDS if isinstance(estimator, AUCClassifier) else ROWS
    return {check.__name__: reason for check in WEIGHTED}


@parametrize_with_checks(
    [AUCClassifier(), AUCClassifierCV(("logistic",), n_l2=2, cv=2)],
    expected_failed_checks=expected_failures,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("check", WEIGHTED)
def test_but_for_that_a_weight_is_as_good_as_repeated_rows(check, monkeypatch):
    check("AUCClassifier", AUCClassifier("logistic", 0.1))
    for module in (paths, choice, crossed):
        monkeypatch.setattr(module, "l2_of", lambda loss, strength, classes: strength / 30.0)
    check("AUCClassifierCV", AUCClassifierCV(("logistic",), n_l2=2))


@pytest.fixture(scope="module")
def rare():
    X, y = make_classification(3000, 20, n_informative=8, weights=[0.95], class_sep=0.7, random_state=0)
    return X[:2000], y[:2000], X[2000:], y[2000:]


@both
def test_ranks_as_well_as_balanced_logistic_regression(cls, rare):
    X, y, X_test, y_test = rare
    rival = LogisticRegression(class_weight="balanced", max_iter=1000).fit(X, y)
    auc = cls().fit(X, y).score(X_test, y_test)
    assert auc > roc_auc_score(y_test, rival.decision_function(X_test)) - 0.005
    assert auc > 0.7


@both
def test_the_units_of_x_do_not_matter(cls, rare):
    X, y, X_test, _ = rare
    units = 10.0 ** np.linspace(-12, 12, X.shape[1])
    expected, found = cls().fit(X, y), cls().fit(X * units, y)
    assert (found.loss_, found.l2_) == (expected.loss_, expected.l2_)
    assert_allclose(found.coef_ * units, expected.coef_, rtol=1e-4, atol=1e-4 * np.abs(expected.coef_).max())
    assert_allclose(found.decision_function(X_test * units), expected.decision_function(X_test), rtol=1e-3, atol=1e-3)


@both
def test_constant_and_repeated_columns_are_harmless(cls, rare):
    X, y, X_test, y_test = rare
    odd = [np.column_stack([A, 7.0 + 0 * A[:, 0], 0 * A[:, 0], A[:, 0], 1e9 + 0 * A[:, 1]]) for A in (X, X_test)]
    model = cls().fit(odd[0], y)
    assert_allclose(model.score(odd[1], y_test), cls().fit(X, y).score(X_test, y_test), atol=0.005)
    assert_allclose(model.coef_[0, [20, 21, 23]], 0.0, atol=1e-12)


@pytest.mark.parametrize("loss", ["squared_hinge", "smooth_hinge"])
def test_a_given_loss_and_penalty_is_that_on_scaled_columns(loss, rare):
    X, y, *_ = rare
    X = X * np.linspace(0.1, 10, X.shape[1])
    model = AUCClassifier(loss, 0.01).fit(X, y)
    direct = BAM(0.01, loss, tol=1e-8).fit(X / X.std(axis=0), y)
    ours, theirs = model.coef_[0] * X.std(axis=0), direct.coef_[0]
    assert_allclose(ours / np.linalg.norm(ours), theirs / np.linalg.norm(theirs), atol=1e-2)
    assert "as given" in model.explain_choice()


def test_a_given_penalty_still_lets_the_loss_be_chosen(rare):
    X, y, *_ = rare
    model = AUCClassifier(l2=0.01).fit(X, y)
    assert model.l2_ == 0.01
    assert "the given l2" in model.explain_choice()


@both
def test_log_odds_probabilities_and_predictions_agree(cls, rare):
    X, y, X_test, y_test = rare
    model = cls().fit(X, y)
    scores, p = model.decision_function(X_test), model.predict_proba(X_test)
    assert_allclose(scores, X_test @ model.coef_[0] + model.intercept_[0])
    assert_allclose(p[:, 1], expit(scores))
    assert_array_equal(model.predict(X_test), (p[:, 1] > 0.5).astype(int))
    assert abs(p[:, 1].mean() - y_test.mean()) < 0.02
    assert_allclose(model.score(X_test, y_test), roc_auc_score(y_test, scores))


@both
def test_several_classes_each_against_the_rest(cls):
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = cls().fit(X[::2], names[::2])
    scores = model.decision_function(X[1::2])
    assert scores.shape == (75, 3)
    assert_allclose(model.predict_proba(X[1::2]).sum(axis=1), 1.0)
    each = [roc_auc_score(names[1::2] == name, scores[:, k]) for k, name in enumerate(model.classes_)]
    assert_allclose(model.score(X[1::2], names[1::2]), np.mean(each))
    assert np.mean(model.predict(X[1::2]) == names[1::2]) > 0.8


@both
def test_dense_sparse_and_frames(cls):
    X, y = make_problem(n=600)
    A = sp.csr_matrix(X)
    model = cls().fit(A, y)
    assert model.score(A, y) > 0.9
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
    named = cls().fit(frame, y)
    assert_allclose(named.coef_, cls().fit(X, y).coef_)
    table = named.summary(5)
    assert len(table.feature) == 5
    assert np.all(np.diff(np.abs(table.weight)) <= 0)
    assert str(table.feature[0]) in str(table)
    assert_allclose(table.coef[0], named.coef_[0, list(frame.columns).index(table.feature[0])])


@both
def test_large_data_are_chosen_for_on_a_part(cls):
    X, y = make_problem(n=9000, d=10)
    model = cls().fit(X, y)
    if cls is AUCClassifier:
        assert "4000 rows to learn from" in model.explain_choice()
    assert model.score(X, y) > 0.9
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.decision_function(X), model.decision_function(X))


def test_many_rows_with_few_of_a_class_are_chosen_for_by_folds(monkeypatch):
    """A part held out of 60 would be mostly chance; the folds learn from no more rows than those of small data."""
    X, y = make_classification(6600, 5, weights=[0.99], random_state=0)
    learnt = []
    taken = Plan.learner

    def learner(plan, task, fold, k):
        found = taken(plan, task, fold, k)
        learnt.append((found.data.n, len(found.classes.pos)))
        return found

    monkeypatch.setattr(Plan, "learner", learner)
    model = AUCClassifier().fit(X, y)
    assert "5 folds" in model.explain_choice()
    assert {n for n, _ in learnt} == {5000}
    assert {pos for _, pos in learnt} <= {sum(y) * 4 // 5, sum(y) * 4 // 5 + 1}  # all that a fold has


def test_cross_validation_keeps_its_results_and_ignores_threads(rare):
    X, y, *_ = rare
    one, two = (AUCClassifierCV(n_l2=6, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert_array_equal(one.coef_, two.coef_)
    results = one.cv_results_
    assert len(results["loss"]) == len(results["l2"]) == len(results["split4_auc"])
    assert np.sum(results["loss"] == "logistic") == 8  # the path, and two beside its best
    best = np.nanmax(results["mean_auc"])
    at = np.flatnonzero((results["loss"] == one.loss_) & np.isclose(results["l2"], one.l2_, rtol=1e-9))
    assert len(at) == 1
    assert one.best_score_ == results["mean_auc"][at[0]]
    assert results["loss"][np.nanargmax(results["mean_auc"])] == one.loss_
    stronger = (results["loss"] == one.loss_) & (results["l2"] >= one.l2_)
    assert best - one.best_score_ < 0.01
    tight = AUCClassifierCV(n_l2=6, one_standard_error=True).fit(X, y)
    assert np.isclose(tight.l2_, results["l2"][stronger]).any()


@pytest.mark.parametrize("d", [20, 60])
def test_penalties_between_those_of_the_path_are_tried_beside_its_best(d, monkeypatch):
    """Whether the weights of folds are kept (as with 20 columns) or not, or those of the few more ones only."""
    monkeypatch.setattr(folds, "MOST_KEPT", 5 * 7 * 20)
    monkeypatch.setattr(choice, "FEW", 0)
    X, y = make_problem(n=200, d=d)
    y = np.where(np.arange(200) % 5 == 0, -y, y)  # noise, so that no fold gives weak penalties up
    coarse = AUCClassifierCV(("logistic",), n_l2=7)
    with monkeypatch.context() as patch:
        patch.setattr(crossed, "LEARN", 199)  # there are more rows, though no fold learns from more
        known = coarse.fit(X, y).cv_results_
    found = coarse.fit(X, y).cv_results_
    at, of_path = int(np.nanargmax(known["mean_auc"])), np.isin(found["l2"], known["l2"])
    assert 0 < at < 6
    assert_array_equal(found["mean_auc"][of_path], known["mean_auc"])
    between = np.sqrt(known["l2"][at] * known["l2"][[at - 1, at + 1]])
    assert_allclose(found["l2"][~of_path], between, rtol=1e-12)
    assert np.all(np.diff(found["l2"]) < 0)
    direct = AUCClassifierCV(("logistic",), n_l2=13).fit(X, y).cv_results_  # whose path is the finer one
    same = np.isclose(direct["l2"][:, None], found["l2"][~of_path], rtol=1e-9).any(axis=1)
    assert_allclose(found["mean_auc"][~of_path], direct["mean_auc"][same], atol=2e-3)  # both are rough solutions


@pytest.mark.parametrize(("d", "sparse", "quick"), [(20, False, True), (600, False, True), (600, True, False)])
def test_the_square_loss_is_tried_where_one_step_solves_it(d, sparse, quick, monkeypatch):
    """With few columns, or within the span of few dense rows."""
    monkeypatch.setattr(crossed, "FEW_ROWS", 50)
    X, y = make_problem(n=80, d=d)
    X, expected = sp.csr_array(X) if sparse else X, {"logistic", "ramp", *(["square"] if quick else [])}
    assert set(AUCClassifierCV(n_l2=2, cv=2).fit(X, y).cv_results_["loss"]) == expected


def test_out_of_fold_auc_has_an_interval(rare):
    X, y, X_test, y_test = rare
    model = AUCClassifierCV(("logistic",), n_l2=3).fit(X, y)
    found = model.oof_auc_
    assert found.low < found.estimate < found.high
    folds = [v[np.isclose(model.cv_results_["l2"], model.l2_)][0] for k, v in model.cv_results_.items() if "split" in k]
    assert_allclose(found.estimate, np.mean(folds[-5:]))
    # beside DeLong's error of as many rows that no fold has seen
    outside = delong_ci(y_test, model.decision_function(X_test))
    assert 0.4 < found.std_error / (outside.std_error * np.sqrt(len(y_test) / len(y))) < 2.5
    assert AUCClassifierCV(("logistic",), n_l2=3).fit(*load_iris(return_X_y=True)).oof_auc_ is None


def test_many_rows_are_chosen_for_by_some_and_confirmed_by_all(rare):
    X, y = make_classification(9000, 10, n_informative=5, weights=[0.8], class_sep=0.5, random_state=0)
    one, two = (AUCClassifierCV(("logistic",), n_l2=3, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert "chosen by models of 5000 rows" in one.explain_choice()
    assert "models of" not in AUCClassifierCV(("logistic",), n_l2=2).fit(*rare[:2]).explain_choice()
    assert_array_equal(one.coef_, two.coef_)
    assert_allclose(one.best_score_, one.oof_auc_.estimate)
    # the folds of the choice, learnt from all of their rows by hand
    aucs = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        model = AUCClassifier(one.loss_, one.l2_ * len(y) / len(train)).fit(X[train], y[train])
        aucs.append(roc_auc_score(y[test], model.decision_function(X[test])))
    assert_allclose(one.best_score_, np.mean(aucs), atol=2e-4)
    assert one.best_score_ != one.cv_results_["mean_auc"].max()


@both
def test_empty_columns_of_sparse_rows_change_nothing(cls):
    X, y = make_problem(n=300, d=6)
    wide = sp.csr_matrix((300, 5000))
    wide = sp.hstack([wide, sp.csr_matrix(X), wide], format="csr")
    narrow, model = cls().fit(sp.csr_matrix(X), y), cls(warm_start=True).fit(wide, y)
    assert model.coef_.shape == (1, 10_006)
    assert_array_equal(model.coef_[0, 5000:5006], narrow.coef_[0])
    assert np.count_nonzero(model.coef_) == np.count_nonzero(narrow.coef_)
    assert_allclose(model.decision_function(wide), narrow.decision_function(X))
    assert model.summary(3).feature[0] == f"x{5000 + int(narrow.summary(1).feature[0][1:])}"
    assert_allclose(model.fit(wide, y).score(wide, y), narrow.score(X, y), atol=0.01)


def test_few_rows_of_a_class_are_handled_and_said():
    X, y = load_breast_cancer(return_X_y=True)
    rows = np.r_[np.flatnonzero(y == 0)[:3], np.flatnonzero(y == 1)[:60]]
    assert (
        "3 folds, since a class has 3 rows, drawn 4 times"
        in AUCClassifierCV(n_l2=3).fit(X[rows], y[rows]).explain_choice()
    )
    with pytest.raises(ValueError, match="use AUCClassifier"):
        AUCClassifierCV().fit(X[rows[2:]], y[rows[2:]])
    model = AUCClassifier().fit(X[rows[2:]], y[rows[2:]])
    assert "too few distinct rows for some to be held out" in model.explain_choice()
    assert np.all(np.isfinite(model.coef_))


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (AUCClassifier(loss="cubic"), "loss='cubic'"),
        (AUCClassifier(l2=-1.0), "l2=-1.0"),
        (AUCClassifier(l2="much"), "l2='much'"),
        (AUCClassifierCV(losses=("hinge",)), "expected some of"),
        (AUCClassifier(l1=-1.0), "l1=-1.0"),
        (AUCClassifier(loss="ramp", l1=0.1), "not convex"),
        (AUCClassifier(l1=0.1, solver="newton"), "l1 needs solver='proximal'"),
        (AUCClassifier(loss="logistic", solver="stochastic"), "solver='stochastic'"),
        (AUCClassifier(kernel="poly"), "kernel='poly'"),
        (AUCClassifier(multi_class="all"), "multi_class='all'"),
        (AUCClassifier(calibration="beta"), "calibration='beta'"),
        (AUCClassifier(prevalence=1.5), "prevalence=1.5"),
        (AUCClassifier(prevalence=(0.2, 0.2)), "together 1"),
        (AUCClassifier(threshold="best"), "threshold='best'"),
        (AUCClassifier(threshold=0.0), "threshold=0.0"),
        (AUCClassifier(threshold="cost"), "costs of a false positive"),
        (AUCClassifier(threshold="cost", costs=3), "two numbers above 0"),
        (AUCClassifier(threshold="cost", costs=("a", "b")), "two numbers above 0"),
        (AUCClassifier(threshold="cost", costs={"fp": 1, "fn": 2}), "two numbers above 0"),
        (AUCClassifier(threshold="cost", costs=(1.0, 0.0)), "two numbers above 0"),
        (AUCClassifier(threshold="cost", costs={0: 1.0}), "two numbers above 0, or by label"),
        (AUCClassifier(threshold="cost", costs={0: 1.0, 1: None}), "two numbers above 0, or by label"),
        (AUCClassifier(costs=(1.0, 9.0)), "count for threshold='cost' only"),
        (AUCClassifier(threshold=np.array([0.5, 0.2])), "threshold=array"),
        (AUCClassifier(threshold=float("nan")), "threshold=nan"),
        (AUCClassifier(prevalence="rare"), "prevalence='rare'"),
        (AUCClassifier(kernel=["rbf"]), "expected None or 'rbf'"),
        (AUCClassifier(warm_start="no"), "warm_start='no'.*True or False"),
        (AUCClassifierCV(one_standard_error="yes"), "one_standard_error='yes'"),
        (AUCClassifierCV(losses=()), "expected some of"),
        (AUCClassifierCV(losses=5), "losses=5"),
        (AUCClassifierCV(l1=None), "l1=None"),
        (AUCClassifierCV(l1=0.1, solver="newton"), "l1 needs solver='proximal'"),
        (AUCClassifierCV(losses=("logistic", 5)), "as a tuple"),
        (AUCClassifierCV(losses=("logistic", "ramp"), l1=0.1), "leave it out of losses="),
        (AUCClassifierCV(cv=1), "cv=1"),
        (AUCClassifierCV(n_l2=0), "n_l2=0"),
    ],
)
def test_bad_parameters(model, words, rare):
    with pytest.raises(ValueError, match=words):
        model.fit(*rare[:2])
    assert not hasattr(model, "coef_")


def test_one_class_only_is_an_error(rare):
    with pytest.raises(ValueError, match="2 classes"):
        AUCClassifier().fit(rare[0], np.ones(len(rare[0])))


@both
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_columns_far_from_zero_are_harmless(cls, kind, rare):
    X, y, X_test, y_test = rare
    offset = np.where(np.arange(X.shape[1]) % 2 == 0, 1e7, 0.0)
    expected, found = cls().fit(kind(X), y), cls().fit(kind(X + offset), y)
    assert_allclose(found.score(kind(X_test + offset), y_test), expected.score(kind(X_test), y_test), atol=0.01)


@both
def test_numbers_whose_squares_underflow_are_refused(cls, rare):
    X, y, *_ = rare
    with pytest.raises(ValueError, match="scale the columns of X up"):
        cls().fit(X * 1e-200, y)
    some = np.column_stack([X, 1e-200 * X[:, 0]])
    assert np.isfinite(cls().fit(some, y).coef_).all()


@parametrize_with_checks(
    [AUCClassifier("logistic", 0.1), AUCClassifier("squared_hinge", 0.1), AUCClassifier("ramp", 0.1)],
    expected_failed_checks=lambda model: (
        {"check_sample_weight_equivalence_on_sparse_data": START} if model.loss == "ramp" else {}
    ),
    xfail_strict=False,  # it may, not that it must
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learn_with_a_loss_and_a_penalty(estimator, check):
    check(estimator)
