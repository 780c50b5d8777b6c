import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.metrics import roc_auc_score

from aucmax.evaluate import gini, group_auc, roc_auc
from aucmax.kernel.order import falling, falling_with
from tests.evaluate.cases import brute_auc, random_cases


def test_auc_is_the_share_of_right_pairs():
    for y, scores, weight in random_cases():
        assert_allclose(roc_auc(y, scores), brute_auc(y, scores), rtol=0, atol=1e-12)
        assert_allclose(roc_auc(y, scores, weight), brute_auc(y, scores, weight), rtol=0, atol=1e-12)
        single = scores.astype(np.float32)
        assert_allclose(roc_auc(y, single, weight), brute_auc(y, single, weight), rtol=0, atol=1e-12)
        assert gini(y, scores, weight) == 2 * roc_auc(y, scores, weight) - 1


def test_auc_equals_scikit_learns():
    rng = np.random.default_rng(0)
    for n, digits in ((50, 0), (5000, 1), (5000, 8)):
        y = rng.random(n) < 0.3
        scores, weight = np.round(rng.standard_normal(n) + y, digits), rng.random(n)
        assert_allclose(roc_auc(y, scores), roc_auc_score(y, scores), rtol=0, atol=1e-12)
        expected = roc_auc_score(y, scores, sample_weight=weight)
        assert_allclose(roc_auc(y, scores, weight), expected, rtol=0, atol=1e-12)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.booleans(), st.floats(allow_nan=False)), min_size=2, max_size=30))
def test_any_floats_rank_as_they_compare(rows):
    y = np.array([positive for positive, _ in rows])
    scores = np.array([score for _, score in rows])
    if y.all() or not y.any():
        assert np.isnan(roc_auc(y, scores, undefined="nan"))
    else:
        assert_allclose(roc_auc(y, scores), brute_auc(y, scores), rtol=0, atol=1e-12)
        weight = np.arange(1.0, len(y) + 1)
        assert_allclose(roc_auc(y, scores, weight), brute_auc(y, scores, weight), rtol=0, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64, np.float16, np.float32, bool])
def test_scores_of_any_type(dtype):
    rng = np.random.default_rng(1)
    y, scores = rng.random(200) < 0.4, rng.integers(0, 2 if dtype is bool else 20, 200).astype(dtype)
    assert_allclose(roc_auc(y, scores), brute_auc(y, scores.astype(float)), rtol=0, atol=1e-12)


def test_large_integers_are_compared_as_integers():
    scores = np.array([2**62, 2**62 + 1, 2**62 + 2, -(2**62)])
    assert roc_auc([0, 1, 1, 0], scores) == 1.0
    assert roc_auc([1, 0, 1, 0], scores.astype(np.uint64)) == 0.25


def test_labels_of_any_type():
    scores = [0.1, 0.4, 0.35, 0.8]
    for labels in ([0, 0, 1, 1], [-1, -1, 1, 1], [1, 1, 2, 2], ["a", "a", "b", "b"], [False, False, True, True]):
        assert roc_auc(labels, scores) == 0.75
        assert roc_auc(np.array(labels, dtype=object), scores) == 0.75
    assert roc_auc(np.array([[0], [0], [1], [1]]), np.array(scores)[:, None]) == 0.75


def test_read_only_and_strided_input():
    rng = np.random.default_rng(2)
    y, scores = rng.random(100) < 0.5, rng.standard_normal(100)
    expected = brute_auc(y[::2], scores[::2])
    scores.flags.writeable = False
    y.flags.writeable = False
    assert_allclose(roc_auc(y[::2], scores[::2]), expected)


def test_a_missing_class_is_an_error_or_nan():
    with pytest.raises(ValueError, match="one class only: all 2 rows are positive"):
        roc_auc([1, 1], [0.1, 0.2])
    with pytest.raises(ValueError, match="all 2 rows are negative"):
        roc_auc([0, 0], [0.1, 0.2])
    with pytest.raises(ValueError, match="no rows"):
        roc_auc([], [])
    with pytest.raises(ValueError, match="weight 0"):
        roc_auc([0, 1], [0.1, 0.2], [1.0, 0.0])
    assert np.isnan(roc_auc([1, 1], [0.1, 0.2], undefined="nan"))
    assert np.isnan(group_auc([1, 1], [0.1, 0.2], [0, 0], undefined="nan"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [0.1, np.nan]), "NaN .first at position 1"),
        (([0, np.nan], [0.1, 0.2]), "y holds NaN"),
        (([0, 1, 2], [1, 2, 3]), "3 classes"),
        (([0, 1], [1, 2, 3]), "scores has 3 values and y has 2"),
        (([0, 1], [1, 2], [1, -1]), "sample_weight goes from -1.0"),
        (([0, 1], [1, 2], [1, np.nan]), "sample_weight goes from nan"),
        (([0, 1], [1, 2], [1]), "sample_weight has 1 values"),
        (([0, 1], ["a", "b"]), "expected numbers"),
        (([0, 1], [1j, 2]), "expected numbers"),
        (([[0, 1]], [1, 2]), "one dimension"),
        (([0, None], [1, 2]), "cannot be sorted"),
    ],
)
def test_bad_input_says_what_is_wrong(arguments, message):
    with pytest.raises(ValueError, match=message):
        roc_auc(*arguments)
    with pytest.raises(ValueError, match="undefined='zero': expected one of 'raise', 'nan'"):
        roc_auc([0, 1], [1, 2], undefined="zero")


def brute_group_auc(y, scores, groups, weight):
    won, pairs = 0.0, 0.0
    for group in set(groups):
        own = groups == group
        if y[own].any() and not y[own].all():
            mass = weight[own & y].sum() * weight[own & ~y].sum()
            won += mass * brute_auc(y[own], scores[own], weight[own]) if mass else 0.0
            pairs += mass
    return won / pairs


def test_group_auc_counts_pairs_within_groups():
    rng = np.random.default_rng(3)
    for y, scores, weight in random_cases():
        groups = rng.integers(-2, 3, len(y))
        groups[:2] = 0
        for given_groups in (groups, groups.astype(str), groups * 1000.5, groups.astype(np.int8), groups * 10**6):
            expected = brute_group_auc(y, scores, groups, weight)
            assert_allclose(group_auc(y, scores, given_groups, weight), expected, rtol=0, atol=1e-12)
        expected = brute_group_auc(y, scores, groups, np.ones(len(y)))
        assert_allclose(group_auc(y, scores, groups), expected, rtol=0, atol=1e-12)
        assert_allclose(group_auc(y, scores, np.zeros(len(y), int)), brute_auc(y, scores), rtol=0, atol=1e-12)


def test_groups_of_narrow_and_of_large_integers():
    rng = np.random.default_rng(5)
    y, scores = rng.random(300) < 0.5, rng.standard_normal(300)
    codes = rng.integers(0, 250, 300) // 50 * 50
    expected = brute_group_auc(y, scores, codes, np.ones(300))
    for groups in ((codes - 125).astype(np.int8), codes.astype(np.uint8), codes.astype(np.uint64) + np.uint64(2**63)):
        assert_allclose(group_auc(y, scores, groups), expected, rtol=0, atol=1e-12)


def test_groups_without_pairs_are_an_error():
    with pytest.raises(ValueError, match="None of the 2 groups holds rows of both classes"):
        group_auc([1, 0], [0.1, 0.2], ["a", "b"])
    with pytest.raises(ValueError, match="groups holds NaN"):
        group_auc([1, 0], [0.1, 0.2], [0.5, np.nan])


def test_falling_takes_infinities_and_a_cargo():
    rng = np.random.default_rng(4)
    scores = rng.standard_normal(1000)
    scores[:20], scores[20:40] = np.inf, -np.inf
    order, ordered = falling(scores)
    assert np.array_equal(order, np.argsort(-scores, kind="stable"))
    assert np.array_equal(ordered, np.sort(scores)[::-1])
    cargo = rng.standard_normal(1000)
    with_cargo, carried = falling_with(scores, cargo)
    assert np.array_equal(with_cargo, ordered)
    assert np.array_equal(carried, cargo[order])


def test_importing_loads_neither_metrics_nor_pictures():
    script = "import sys, aucmax.evaluate as e; e.roc_auc([0, 1], [1, 2]); e.delong_ci([0, 1] * 2, [1, 2, 3, 4])"
    script += "\nprint([m for m in ('sklearn', 'matplotlib', 'pandas', 'scipy.stats') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
