"""Equal rows, which no fold may learn from in one place and rank in another."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from aucmax import AUCClassifier, AUCClassifierCV
from aucmax.classifier import quick
from aucmax.classifier.alike import Alike
from aucmax.classifier.folds import folds
from aucmax.classifier.table import Table
from tests.conftest import make_problem

both = pytest.mark.parametrize("cls", [AUCClassifier, AUCClassifierCV])
KEPT = "180 of 240 rows equal an earlier one, and equal rows were kept in one fold"


def noise(n=60, d=30, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), rng.integers(0, 2, n)


def task_of(X, y, groups=None):
    table = Table.of(X, y, np.ones(len(y)), groups)
    return table.tasks(False)[0]._replace(alike=Alike(X))


def crosses(X, fold):
    """Whether a row to rank equals one to learn from, found the slow way."""
    learnt = {row.tobytes() for row in X[fold.train]}
    return any(row.tobytes() in learnt for row in X[fold.test])


@both
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_repeated_noise_is_not_learnt_by_heart(cls, kind):
    X, y = (np.repeat(part, 4, axis=0) for part in noise())
    model = cls().fit(kind(X), y)
    assert KEPT in model.explain_choice()
    if cls is AUCClassifierCV:
        assert model.best_score_ < 0.8
        assert model.oof_auc_.estimate < 0.8


@both
def test_rows_that_a_kernel_or_their_span_has_changed_are_known_as_given(cls):
    X, y = (np.repeat(part, 4, axis=0) for part in noise())
    assert KEPT in cls(kernel="rbf", n_components=20).fit(X, y).explain_choice()
    wide, y = (np.repeat(part, 4, axis=0) for part in noise(d=600))
    assert KEPT in cls().fit(wide, y).explain_choice()


def test_equal_rows_are_found_whatever_holds_them():
    X = np.random.default_rng(0).integers(-1, 3, (300, 4)).astype(float)
    _, first, place = np.unique(X, axis=0, return_index=True, return_inverse=True)
    for rows in (X, np.negative(-X), X.astype(np.float32), sp.csr_matrix(X), sp.csr_array(X)[:, [0, 1, 2, 3]]):
        assert_array_equal(Alike(rows).firsts, first[place])
    some = np.random.default_rng(1).permutation(300)[:50]
    assert_array_equal(X[some][Alike(X).taken(some).firsts], X[some])
    assert Alike(np.arange(10.0)[:, None]).firsts is None
    assert Alike(np.array([[1.0, 2.0], [2.0, 1.0], [0.0, 3.0], [3.0, 0.0], [2.0, 2.0]])).firsts is None


def test_folds_keep_equal_rows_together_and_use_every_row_once():
    X, y = (np.repeat(part, 3, axis=0) for part in noise())
    y[::7] = 1 - y[::7]  # equal rows of both labels too
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    made = folds(task_of(X, y), 5, 0)
    assert len(made) == 5
    assert not any(crosses(X, fold) for fold in made)
    assert_array_equal(np.sort(np.concatenate([fold.test for fold in made])), np.arange(len(y)))


def test_folds_of_distinct_rows_are_those_of_old():
    X, y = noise()
    expected = StratifiedKFold(5, shuffle=True, random_state=3).split(X, y)
    for fold, (train, test) in zip(folds(task_of(X, y), 5, 3), expected, strict=True):
        assert_array_equal(fold.train, train)
        assert_array_equal(fold.test, test)


def test_there_are_as_many_folds_as_the_smaller_class_has_distinct_rows():
    X, y = noise()
    y[:] = np.arange(60) < 3
    X, y = np.repeat(X, 4, axis=0), np.repeat(y, 4)
    made = folds(task_of(X, y), 5, 0)
    assert len(made) == 3
    assert not any(crosses(X, fold) for fold in made)


@both
@pytest.mark.parametrize("values", [1, 2])
def test_too_few_distinct_rows_are_parted_and_that_is_said(cls, values):
    """As of one column of two values: a fold of one of them would rank nothing."""
    y = np.arange(200) % 4 // 3
    X = ((np.arange(200) % 8 > 4) * (values - 1.0))[:, None]
    model = cls().fit(X, y)
    assert "too few distinct ones" in model.explain_choice()
    if values == 2:
        assert model.score(X, y) > 0.55


def test_groups_come_before_equal_rows():
    X, y = noise()
    X, y, groups = np.tile(X, (4, 1)), np.tile(y, 4), np.repeat(np.arange(8), 30)
    words = AUCClassifier("squared_hinge").fit(X, y, groups=groups).explain_choice()
    assert "groups were kept in one fold, not equal rows" in words


def test_many_rows_keep_equal_ones_on_one_side():
    X, y = make_problem(n=3000, d=10)
    rng = np.random.default_rng(0)
    order = rng.permutation(9000)
    X, y = np.repeat(X, 3, axis=0)[order], np.repeat(y, 3)[order]
    part, (fold,) = quick._parts(task_of(X, y), False, 0)
    rows = np.asarray(part.data.matrix)
    assert not crosses(rows, fold)
    assert_array_equal(np.sort(np.concatenate(fold)), np.arange(9000))
    assert 3000 < len(fold.train) < 5000
    words = AUCClassifier().fit(X, y).explain_choice()
    assert "of 9000 rows equal an earlier one, and equal rows were kept in one fold" in words
    _, (kept,) = quick._parts(task_of(*noise(9000)), False, 0)
    assert len(kept.train) == 4000


def test_many_rows_of_few_distinct_ones_are_parted_and_that_is_said():
    y = np.arange(9000) % 4 // 3
    X = (np.arange(9000) % 8 > 4)[:, None] * 1.0
    assert "too few distinct ones" in AUCClassifier().fit(X, y).explain_choice()


@pytest.mark.parametrize("cls", [AUCClassifier, partial(AUCClassifierCV, n_l2=4)], ids=["AUCClassifier", "CV"])
@pytest.mark.parametrize("columns", [7, 12])
def test_rows_that_are_mostly_equal_rank_as_well(cls, columns):
    """Of many rows few are distinct, as in counts of words: folds, and what is learnt from, are then uneven."""
    rng = np.random.default_rng(0)
    X = (rng.random((24_000, columns)) < 0.1).astype(float)
    y = (X @ np.linspace(1.0, -1.0, columns) + rng.logistic(size=len(X)) > 2.0).astype(int)
    rival = LogisticRegression(class_weight="balanced").fit(X[:20_000], y[:20_000])
    expected = roc_auc_score(y[20_000:], rival.decision_function(X[20_000:]))
    assert cls().fit(X[:20_000], y[:20_000]).score(X[20_000:], y[20_000:]) > expected - 0.003
