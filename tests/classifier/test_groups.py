"""Pairs within groups."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from aucmax import AUCClassifier, AUCClassifierCV
from aucmax.classifier.folds import folds
from aucmax.classifier.table import Table
from aucmax.evaluate import group_auc, roc_auc


def queries(count=60, size=12, seed=0):
    """Rows whose level differs from group to group far more than the classes do within one."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(count), size)
    level = rng.standard_normal(count)[groups]
    y = (rng.random(len(groups)) < 1 / (1 + np.exp(-3 * level))).astype(int)
    signal = 0.8 * y + rng.standard_normal(len(y))
    X = np.column_stack([level + rng.standard_normal(len(y)), signal, rng.standard_normal((len(y), 3))])
    return X, y, groups


@pytest.mark.parametrize("cls", [AUCClassifier, AUCClassifierCV])
def test_what_tells_groups_apart_does_not_count(cls):
    X, y, groups = queries()
    X_test, y_test, groups_test = queries(seed=1)
    plain, grouped = cls().fit(X, y), cls().fit(X, y, groups=groups)
    assert grouped.score(X_test, y_test, groups=groups_test) > plain.score(X_test, y_test, groups=groups_test) + 0.02
    assert plain.score(X_test, y_test) > grouped.score(X_test, y_test)
    assert abs(grouped.coef_[0, 0]) < 0.3 * abs(grouped.coef_[0, 1])
    assert abs(plain.coef_[0, 0]) > 0.6 * abs(plain.coef_[0, 1])


def test_the_score_counts_pairs_within_groups_only():
    X, y, groups = queries()
    model = AUCClassifier("squared_hinge", 0.1).fit(X, y, groups=groups)
    scores = model.decision_function(X)
    assert_allclose(model.score(X, y, groups=groups), group_auc(y, scores, groups))
    assert_allclose(model.score(X, y), roc_auc(y, scores))


def test_names_and_order_of_groups_do_not_matter():
    X, y, groups = queries()
    order = np.random.default_rng(0).permutation(len(y))
    names = np.array([f"hospital {g % 7}-{g}" for g in groups])
    one = AUCClassifier("squared_hinge", 0.1).fit(X, y, groups=groups)
    two = AUCClassifier("squared_hinge", 0.1).fit(X[order], y[order], groups=names[order])
    assert_allclose(one.coef_, two.coef_, rtol=1e-6)


def test_groups_of_one_class_take_no_part():
    X, y, groups = queries()
    extra = np.full(50, 999)
    rng = np.random.default_rng(2)
    far = 100 * rng.standard_normal((50, X.shape[1]))
    model = AUCClassifier("squared_hinge", 0.1).fit(X, y, groups=groups)
    # its columns are as large as before, so that the penalty is too
    more = AUCClassifier("squared_hinge", 0.1).fit(
        np.r_[X, far],
        np.r_[y, np.ones(50, int)],
        sample_weight=np.r_[np.ones(len(y)), np.full(50, 1e-12)],
        groups=np.r_[groups, extra],
    )
    assert_allclose(more._raw, model._raw, rtol=1e-3, atol=1e-3 * np.abs(model._raw).max())


def test_folds_keep_groups_whole():
    X, y, groups = queries()
    task = Table.of(X, y, np.ones(len(y)), groups).tasks(False)[0]
    parts = folds(task, 5, 0)
    assert len(parts) == 5
    for fold in parts:
        assert not set(groups[fold.train]) & set(groups[fold.test])
    taking_part = np.sort(np.r_[task.classes.pos, task.classes.neg])
    assert_array_equal(np.sort(np.concatenate([fold.test for fold in parts])), taking_part)


def test_bad_groups():
    X, y, groups = queries()
    for given, words in (
        (groups[:-1], "719 values"),
        (np.column_stack([groups, groups]), "groups has the shape"),
        (np.where(groups == 0, None, groups), "groups holds None"),
        (np.where(groups == 0, np.nan, groups.astype(float)), "NaN"),
        (np.arange(len(y)), "no pair to rank"),
    ):
        with pytest.raises(ValueError, match=words):
            AUCClassifier().fit(X, y, groups=given)
    with pytest.raises(ValueError, match="loss over pairs"):
        AUCClassifier("logistic").fit(X, y, groups=groups)


@pytest.mark.parametrize("cls", [AUCClassifier, AUCClassifierCV])
def test_a_single_group_is_no_group(cls):
    X, y, _ = queries(20)
    one = cls().fit(X, y, groups=np.zeros(len(y), int))
    assert_allclose(one.score(X, y), cls().fit(X, y).score(X, y), atol=0.01)
    assert one.loss_ in ("squared_hinge", "ramp")


@pytest.mark.parametrize(
    ("names", "words"),
    [(["a", None, "b"], "None or NaN"), (["a", np.nan, "b"], "None or NaN"), (["a", 1, "b"], "different types")],
)
def test_groups_without_a_name_are_refused(names, words):
    X, y = np.arange(12.0)[:, None], np.arange(12) // 3 % 2
    with pytest.raises(ValueError, match=words):
        AUCClassifier().fit(X, y, groups=np.array(names, dtype=object)[np.arange(12) % 3])


def test_a_class_without_pairs_is_named_as_it_was_given():
    X, y = np.arange(12.0)[:, None], np.arange(12) // 3 % 2
    with pytest.raises(ValueError, match="row of class 1 and"):
        AUCClassifier().fit(X, y, groups=y)
