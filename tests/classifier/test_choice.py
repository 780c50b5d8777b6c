"""What is chosen, for several classes too, and what is said of it."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.datasets import make_classification

from aucmax import AUCClassifier, AUCClassifierCV
from aucmax.classifier.paths import USUAL_STRENGTH, l2_of
from aucmax.kernel.classes import Classes
from tests.conftest import make_problem

SHORT = {"losses": ("logistic",), "n_l2": 3, "cv": 2}


def several(n=300, shares=(0.6, 0.3)):
    return make_classification(
        n, 6, n_informative=4, n_classes=3, n_clusters_per_class=1, weights=shares, class_sep=0.7, random_state=0
    )


def beside(y, loss, strength):
    """The penalty of a strength, of two classes."""
    return l2_of(loss, strength, Classes.of(np.where(y, 1, -1), np.ones(len(y))))


@pytest.mark.parametrize("make", [AUCClassifier, lambda **given: AUCClassifierCV(**SHORT, **given)])
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_every_class_has_the_penalty_of_one_strength_beside_its_own_rows(make, multi_class):
    X, y = several()
    model = make(multi_class=multi_class).fit(X, y)
    assert model.l2_.shape == (len(model.coef_),)
    pairs = [(y == b, (y == a) | (y == b)) for a, b in ((0, 1), (0, 2), (1, 2))]
    sides = [(y == k, np.ones(len(y), bool)) for k in range(3)] if multi_class == "ovr" else pairs
    strengths = [l2 / beside(side[part], model.loss_, 1.0) for l2, (side, part) in zip(model.l2_, sides, strict=True)]
    assert_allclose(strengths, strengths[0])
    alone = AUCClassifier(model.loss_, model.l2_[1]).fit(X, y == 1) if multi_class == "ovr" else None
    if alone is not None and model.loss_ == "logistic":
        assert_allclose(model._raw[1], alone._raw[0], rtol=1e-2, atol=1e-2 * np.abs(alone._raw).max())
    assert f"{model.l2_.min():.3g} to {model.l2_.max():.3g}" in model.explain_choice()


def test_results_of_several_classes_name_the_mean_penalty():
    X, y = several()
    model = AUCClassifierCV(**SHORT).fit(X, y)
    assert_allclose(model.cv_results_["l2"], np.sort(model.cv_results_["l2"])[::-1])
    assert np.isclose(model.cv_results_["l2"], model.l2_.mean(), rtol=1e-9).sum() == 1
    assert isinstance(AUCClassifierCV(**SHORT).fit(X, y == 1).l2_, float)


@pytest.mark.parametrize("make", [AUCClassifier, lambda: AUCClassifierCV(**SHORT)])
def test_a_stray_row_of_another_class_leaves_the_choice_to_the_others(make):
    X, y = several()
    X, y = X[y < 2], y[y < 2]
    stray, labels = np.r_[X, X[:1] + 0.1], np.r_[y, 2]
    model, plain = make().fit(stray, labels), make().fit(X, y)
    assert "1 of 3 rankings took no part, since a class has no row to hold out" in model.explain_choice()
    assert model.loss_ == plain.loss_
    assert np.all(model.l2_[:2] < 11.0 * plain.l2_)  # the stray row's own would be a hundred times as large
    scores = model.decision_function(X)
    assert np.corrcoef(scores[:, 1], plain.decision_function(X))[0, 1] > 0.99
    assert np.all(np.isfinite(model.coef_))


def test_a_given_penalty_is_that_of_all_classes():
    X, y = several()
    assert_allclose(AUCClassifier(l2=0.02).fit(X, y).l2_, [0.02] * 3)


def test_a_single_penalty_is_the_usual_one():
    X, y = make_problem(n=200, d=5)
    model = AUCClassifierCV("logistic", n_l2=1, cv=2).fit(X, y)
    assert_allclose(model.l2_, beside(y > 0, "logistic", USUAL_STRENGTH))
    assert "with the only penalty" in model.explain_choice()


def test_folds_are_counted_as_they_are():
    X, y = make_problem(n=240, d=5)
    groups = np.arange(240) % 3
    words = AUCClassifierCV("squared_hinge", n_l2=2).fit(X, y, groups=groups).explain_choice()
    assert "3 folds, since there are 3 groups, drawn 4 times" in words
    assert "(5 folds, drawn 4 times)" in AUCClassifierCV("logistic", n_l2=2).fit(X, y).explain_choice()
    few = np.r_[np.flatnonzero(y > 0)[:3], np.flatnonzero(y < 0)]
    assert "(3 folds, since a class has 3 rows)" in AUCClassifier("logistic").fit(X[few], y[few]).explain_choice()
    twice = np.repeat(few, 2)
    words = AUCClassifier("logistic").fit(X[twice], y[twice]).explain_choice()
    assert "(3 folds, since a class has 3 distinct rows)" in words


def test_folds_of_several_classes_are_counted_for_all():
    X, y = several()
    y[np.flatnonzero(y == 2)[3:]] = 1
    assert "3 to 5 folds, since a class has 3 rows" in AUCClassifier("logistic").fit(X, y).explain_choice()


def test_penalties_are_counted_and_the_rule_is_named():
    X, y = make_classification(300, 8, weights=[0.7], flip_y=0.2, random_state=0)
    words = AUCClassifier().fit(X, y).explain_choice()
    assert "among logistic with 9 penalties and ramp with 3 penalties" in words
    assert "the loss of the highest AUC and the strongest of its penalties within half a standard error" in words
    tight = AUCClassifierCV("logistic", n_l2=3, one_standard_error=True).fit(X, y).explain_choice()
    assert "the strongest of its penalties within one standard error of its best" in tight


def test_a_loss_that_was_not_given_is_not_said_to_be():
    X, y = make_problem(n=200, d=5)
    words = AUCClassifier(l2=0.1, solver="stochastic").fit(X, y).explain_choice()
    assert "l2 as given, the loss the usual one of the stochastic solver" in words
    assert "both as given" in AUCClassifier("smooth_hinge", 0.1, solver="stochastic").fit(X, y).explain_choice()


def test_the_measure_of_sparse_columns_is_named_where_it_was_chosen():
    X, y = make_problem(n=200, d=5)
    assert "columns measured by" in AUCClassifier("logistic").fit(sp.csr_matrix(X), y).explain_choice()
    assert "columns measured by" not in AUCClassifier("logistic").fit(X, y).explain_choice()


def test_the_out_of_fold_auc_needs_two_rows_of_a_class_in_every_fold():
    X, y = make_problem(n=240, d=5)
    for count, given in ((9, False), (10, True)):
        rows = np.r_[np.flatnonzero(y > 0)[:count], np.flatnonzero(y < 0)]
        found = AUCClassifierCV("logistic", n_l2=2).fit(X[rows], y[rows]).oof_auc_
        assert (found is not None) == given


@pytest.mark.parametrize(("rows", "known"), [(1500, {"logistic", "ramp"}), (1501, {"logistic", "ramp", "square"})])
def test_the_square_loss_is_tried_of_many_rows_only(rows, known):
    X, y = make_problem(n=rows, d=3)
    model = AUCClassifierCV(n_l2=3, cv=2).fit(X, y)
    assert set(model.cv_results_["loss"]) == known
    assert AUCClassifierCV("square", n_l2=3, cv=2).fit(X[:100], y[:100]).loss_ == "square"  # as given
