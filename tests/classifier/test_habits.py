"""What users of scikit-learn are used to: threads, random states, folds of their own."""

import time
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.model_selection import GroupKFold, LeaveOneGroupOut, PredefinedSplit, ShuffleSplit, StratifiedKFold

import aucmax
from aucmax import AUCClassifier, AUCClassifierCV
from aucmax.classifier import crossed
from aucmax.classifier.folds import Plan
from aucmax.classifier.ledger import Ledger
from aucmax.classifier.paths import l2_of
from aucmax.kernel.classes import Classes

SHORT = {"losses": "logistic", "n_l2": 3}


@pytest.fixture(scope="module")
def rows():
    return make_classification(300, 6, weights=[0.7], flip_y=0.2, random_state=0)


@pytest.mark.parametrize("make", [AUCClassifier, lambda **given: AUCClassifierCV(**SHORT, **given)])
def test_threads_may_be_none_or_all(make, rows):
    expected = make().fit(*rows).coef_
    for n_jobs in (None, -1):
        assert_array_equal(make(n_jobs=n_jobs).fit(*rows).coef_, expected)
    with pytest.raises(ValueError, match="n_jobs=0"):
        make(n_jobs=0).fit(*rows)


@pytest.mark.parametrize("make", [AUCClassifier, lambda **given: AUCClassifierCV(**SHORT, **given)])
def test_a_random_state_may_be_an_instance_or_the_largest_seed(make, rows):
    one, two = (make(random_state=np.random.RandomState(3)).fit(*rows) for _ in range(2))
    assert_array_equal(one.coef_, two.coef_)
    assert np.isfinite(make(random_state=2**32 - 1).fit(*rows).coef_).all()
    with pytest.raises(ValueError, match="random_state=4294967296"):
        make(random_state=2**32).fit(*rows)


def test_folds_may_be_given_by_a_splitter_or_as_rows(rows):
    X, y = rows
    splitter = StratifiedKFold(4, shuffle=True, random_state=5)
    one, two = (AUCClassifierCV(**SHORT, cv=cv).fit(X, y) for cv in (splitter, list(splitter.split(X, y))))
    assert_array_equal(one.coef_, two.coef_)
    assert "4 given folds" in one.explain_choice()
    assert "split3_auc" in one.cv_results_
    assert "split4_auc" not in one.cv_results_
    assert one.oof_auc_.low < one.best_score_ < one.oof_auc_.high
    assert_array_equal(clone(one).fit(X, y).coef_, one.coef_)


def test_given_rows_count_those_of_weight_zero(rows):
    X, y = rows
    kept = np.arange(len(y)) % 3 > 0
    pairs = list(StratifiedKFold(3).split(X, y))
    weighted = AUCClassifierCV(**SHORT, cv=pairs).fit(X, y, sample_weight=kept * 1.0)
    place = np.cumsum(kept) - 1
    left = [tuple(place[side[kept[side]]] for side in pair) for pair in pairs]
    assert_array_equal(weighted.coef_, AUCClassifierCV(**SHORT, cv=left).fit(X[kept], y[kept]).coef_)


def test_a_splitter_sees_the_groups(rows):
    X, y = rows
    groups = np.arange(len(y)) % 12
    for cv, count in ((GroupKFold(3), 3), (LeaveOneGroupOut(), 12)):
        model = AUCClassifierCV("squared_hinge", n_l2=2, cv=cv).fit(X, y, groups=groups)
        assert f"{count} given folds" in model.explain_choice()


def test_folds_that_overlap_have_no_out_of_fold_auc(rows):
    model = AUCClassifierCV(**SHORT, cv=ShuffleSplit(6, test_size=0.4, random_state=0)).fit(*rows)
    assert model.oof_auc_ is None
    assert_allclose(model.best_score_, model.cv_results_["mean_auc"][model.cv_results_["l2"] == model.l2_])


def test_folds_that_overlap_all_count_when_the_choice_is_made_good(rows, monkeypatch):
    X, y = rows
    cv = ShuffleSplit(4, test_size=0.5, random_state=0)
    monkeypatch.setattr(crossed, "LEARN", 100)
    model = AUCClassifierCV("logistic", n_l2=2, cv=cv).fit(X, y)
    strength = model.l2_ / l2_of("logistic", 1.0, Classes.of(np.where(y > 0, 1, -1), np.ones(len(y))))
    aucs = []
    for train, test in cv.split(X):
        classes = Classes.of(np.where(y[train] > 0, 1, -1), np.ones(len(train)))
        fitted = AUCClassifier("logistic", l2_of("logistic", strength, classes)).fit(X[train], y[train])
        aucs.append(fitted.score(X[test], y[test]))
    assert_allclose(model.best_score_, np.mean(aucs), atol=2e-3)


def test_a_splitter_may_give_lists(rows):
    class Halves:
        def split(self, X, y, groups):
            places = list(range(len(y)))
            return [(places[::2], places[1::2]), (places[1::2], places[::2])]

    found, expected = (
        AUCClassifierCV(**SHORT, cv=given).fit(*rows) for given in (Halves(), Halves().split(*rows, None))
    )
    assert_array_equal(found.coef_, expected.coef_)


def test_a_splitter_may_know_the_places_of_rows_of_no_weight(rows):
    X, y = rows
    cv, weight = PredefinedSplit(np.arange(len(y)) % 3), np.ones(len(y))
    weight[:40] = 0.0
    found, expected = (
        AUCClassifierCV(**SHORT, cv=given).fit(X, y, sample_weight=weight) for given in (cv, list(cv.split()))
    )
    assert_array_equal(found.coef_, expected.coef_)


def test_given_folds_may_part_equal_rows_and_that_is_said(rows):
    X, y = (np.tile(part, (2,) + (1,) * (part.ndim - 1)) for part in rows)
    words = AUCClassifierCV(**SHORT, cv=StratifiedKFold(3)).fit(X, y).explain_choice()
    assert "300 of 600 rows equal an earlier one, but the given folds do not keep them together" in words


def test_several_classes_share_given_folds():
    X, y = make_classification(200, 6, n_informative=4, n_classes=3, n_clusters_per_class=1, random_state=0)
    for multi_class in ("ovr", "ovo"):
        model = AUCClassifierCV(**SHORT, cv=StratifiedKFold(3), multi_class=multi_class).fit(X, y)
        assert model.score(X, y) > 0.8


@pytest.mark.parametrize(
    ("cv", "words"),
    [
        ([([0, 1], [2, 999])], "from 0 to 299"),
        ([(0, 1, 2)], "expected pairs"),
        ([5], "expected pairs"),
        ([], "it has no folds"),
        ([([0], [1])], "no fold has rows of both classes"),
        (2.5, "cv=2.5"),
        ("five", "cv='five'"),
        (True, "cv=True"),
    ],
)
def test_bad_folds(cv, words, rows):
    with pytest.raises(ValueError, match=words):
        AUCClassifierCV(**SHORT, cv=cv).fit(*rows)


def test_a_generator_of_folds_serves_once(rows):
    model = AUCClassifierCV(**SHORT, cv=StratifiedKFold(3).split(*rows)).fit(*rows)
    assert_array_equal(model.coef_, AUCClassifierCV(**SHORT, cv=StratifiedKFold(3)).fit(*rows).coef_)
    with pytest.raises(ValueError, match="a generator has none after its first use"):
        model.fit(*rows)


def test_a_class_whose_rows_are_all_alike_has_the_usual_penalty():
    X = np.array([[1, 0], [0, 0], [1, 1], [0, 1], [1, 0], [0, 0], [0, 1], [0, 0], [0, 0], [1, 0]], dtype=float)
    y = [0, 1, 2, 2, 0, 1, 2, 0, 2, 2]
    for model in (AUCClassifier(), AUCClassifierCV()):
        assert np.isfinite(model.fit(X, y).decision_function(X)).all()


def test_stochastic_solvers_leave_the_filters_of_warnings(rows):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        before = list(warnings.filters)
        for n_jobs in (1, 2):
            AUCClassifierCV(solver="stochastic", n_l2=2, cv=3, n_jobs=n_jobs).fit(*rows)
        assert warnings.filters == before


def test_after_a_fault_no_other_work_begins():
    begun = []

    def fault():
        begun.append(0)
        raise KeyboardInterrupt

    def work():
        begun.append(1)
        time.sleep(0.5)

    plan = Plan(2, np.inf, Ledger(), {})
    with pytest.raises(KeyboardInterrupt):
        plan.all([fault, *[work] * 20])
    assert len(begun) < 5


def test_given_rows_go_to_checkpoints_and_files(rows, tmp_path):
    pairs = list(StratifiedKFold(3).split(*rows))
    model = AUCClassifierCV(**SHORT, cv=pairs).fit(*rows, checkpoint=tmp_path / "half", every=0.0)
    again = AUCClassifierCV(**SHORT, cv=pairs).fit(*rows, checkpoint=tmp_path / "half", every=0.0)
    assert_array_equal(again.coef_, model.coef_)
    aucmax.save(model, tmp_path / "model")
    assert_array_equal(aucmax.load(tmp_path / "model").decision_function(rows[0]), model.decision_function(rows[0]))
