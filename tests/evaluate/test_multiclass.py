import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import roc_auc_score

from aucmax.evaluate import delong_ci, hand_till_auc, ovr_auc


def problem(n=400, seed=0, digits=1):
    rng = np.random.default_rng(seed)
    y = rng.choice(4, n, p=[0.5, 0.25, 0.15, 0.1])
    logits = np.round(rng.standard_normal((n, 4)) + 1.2 * (y[:, None] == np.arange(4)), digits)
    shares = np.exp(logits)
    return y, shares / shares.sum(axis=1, keepdims=True), rng.random(n) + 0.2


def test_values_equal_scikit_learns():
    y, scores, weight = problem()
    theirs = {"y_true": y, "y_score": scores, "multi_class": "ovr"}
    assert_allclose(ovr_auc(y, scores).estimate, roc_auc_score(**theirs), rtol=0, atol=1e-12)
    found = ovr_auc(y, scores, weight, average="weighted").estimate
    assert_allclose(found, roc_auc_score(**theirs, sample_weight=weight, average="weighted"), rtol=0, atol=1e-12)
    assert_allclose(ovr_auc(y, scores).aucs, roc_auc_score(**theirs, average=None), rtol=0, atol=1e-12)
    found = hand_till_auc(y, scores)
    assert_allclose(found.estimate, roc_auc_score(y, scores, multi_class="ovo"), rtol=0, atol=1e-12)
    assert np.array_equal(np.isnan(found.aucs), np.eye(4, dtype=bool))


def test_two_classes_are_delongs():
    rng = np.random.default_rng(1)
    y, scores, weight = rng.random(80) < 0.4, rng.standard_normal(80), rng.random(80) + 0.1
    expected = delong_ci(y, scores, weight, method="logit")
    for function in (ovr_auc, hand_till_auc):
        found = function(y, np.column_stack([-scores, scores]), weight)
        assert_allclose(found[:4], expected, rtol=1e-9)


@pytest.mark.parametrize("function", [ovr_auc, hand_till_auc, "weighted"])
def test_the_standard_error_is_that_of_resampling_within_classes(function):
    y, scores, _ = problem(600)
    if function == "weighted":
        found = ovr_auc(y, scores, average="weighted")
    else:
        found = function(y, scores)
    rng = np.random.default_rng(2)
    rows = [np.flatnonzero(y == c) for c in range(4)]
    values = []
    for _ in range(600):
        drawn = np.concatenate([rng.choice(own, len(own)) for own in rows])
        if function == "weighted":
            values.append(ovr_auc(y[drawn], scores[drawn], average="weighted").estimate)
        else:
            values.append(function(y[drawn], scores[drawn]).estimate)
    assert_allclose(found.std_error, np.std(values), rtol=0.12)
    assert found.low < np.quantile(values, 0.1)
    assert np.quantile(values, 0.9) < found.high


def test_integer_weights_are_copies_for_the_estimate():
    y, scores, _ = problem(100)
    counts = np.random.default_rng(3).integers(1, 4, 100)
    for function in (ovr_auc, hand_till_auc):
        a, b = function(y, scores, counts), function(np.repeat(y, counts), np.repeat(scores, counts, axis=0))
        assert_allclose(a.estimate, b.estimate, rtol=1e-12)


def test_classes_name_the_columns():
    y, scores, _ = problem(100)
    names = np.array(["d", "c", "b", "a"])
    found = ovr_auc(names[y], scores, classes=names)
    assert_allclose(found.aucs, ovr_auc(y, scores).aucs)
    assert found.classes.tolist() == names.tolist()
    assert "4 classes" in str(found)


def test_a_perfect_ranking_is_not_certain():
    y = np.repeat(np.arange(3), 5)
    found = hand_till_auc(y, np.eye(3)[y] + 0.01 * np.arange(15)[:, None])
    assert found.estimate == found.high == 1.0
    assert found.low < 0.99


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1, 2], np.eye(2)), "expected .3, 3."),
        (([0, 0, 1, 1, 2], np.ones((5, 3))), "Fewer than 2 rows .* of the classes .2."),
        (([0, 0, 1, 1], [[1, np.nan]] * 4), "NaN"),
        (([0, 0, 1, np.nan], np.ones((4, 3))), "y holds NaN"),
        (([0, 0, 1, 1], np.ones((5, 2))), "scores has 5 values"),
    ],
)
def test_bad_input_says_what_is_wrong(arguments, message):
    for function in (ovr_auc, hand_till_auc):
        with pytest.raises(ValueError, match=message):
            function(*arguments)


def test_labels_without_a_column():
    with pytest.raises(ValueError, match="label 3, but the classes are"):
        ovr_auc([0, 1, 3], np.ones((3, 2)), classes=[0, 1])
