import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from aucmax.evaluate import AUCSummary, WindowedAUC, roc_auc
from aucmax.evaluate.summary import _keys
from aucmax.kernel.window import NONE


def stream(n=600, seed=0, digits=1):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    return y, np.round(rng.standard_normal(n) + y, digits)


@pytest.mark.parametrize("window", [1, 2, 7, 64, 1000])
@pytest.mark.parametrize("digits", [0, 1, 9])
def test_the_window_is_exact_after_every_row(window, digits):
    y, scores = stream(digits=digits)
    found = WindowedAUC(window).trace(y, scores)
    for k in range(len(y)):
        own = slice(max(0, k + 1 - window), k + 1)
        expected = roc_auc(y[own], scores[own], undefined="nan")
        assert_allclose(found[k], expected, rtol=0, atol=1e-12, equal_nan=True)


def test_rows_singly_or_in_parts_are_the_same():
    y, scores = stream()
    whole, parts, single = (WindowedAUC(50) for _ in range(3))
    whole.update(y, scores)
    for k in range(0, 600, 37):
        parts.update(y[k : k + 37], scores[k : k + 37])
    for label, score in zip(y, scores, strict=True):
        single.update(label, score)
    assert whole.auc == parts.auc == single.auc == roc_auc(y[-50:], scores[-50:])
    assert whole.n_pos + whole.n_neg == 50
    assert whole.n_seen == 600
    again = pickle.loads(pickle.dumps(whole))
    assert again.update(True, 0.5).auc == whole.update(True, 0.5).auc
    assert "AUC 0." in repr(whole)


def depth(tree):
    """The longest path from the root, by sweeping along the parents."""
    longest = 0
    for node in range(len(tree.score)):
        steps = 0
        while node != NONE:
            node, steps = tree.links[node, 2], steps + 1
        longest = max(longest, steps)
    return longest


@pytest.mark.parametrize("order", ["rising", "falling", "equal", "waves"])
def test_the_tree_stays_shallow(order):
    n, window = 8000, 2000
    t = np.arange(n, dtype=float)
    scores = {"rising": t, "falling": -t, "equal": np.zeros(n), "waves": t % 50}[order]
    monitor = WindowedAUC(window).update(t % 3 == 0, scores)
    assert depth(monitor._tree) < 45  # log2 is 11; a list would be 2000
    assert_allclose(monitor.auc, roc_auc((t % 3 == 0)[-window:], scores[-window:]), atol=1e-12)


def test_bad_rows_change_nothing():
    for keeper in (WindowedAUC(10), AUCSummary()):
        keeper.update([0, 1, 1], [1, 2, 0])
        before = keeper.auc
        for y, scores, message in (
            ([1, 0], [1.0, np.nan], "NaN"),
            ([np.nan], [1.0], "y holds NaN"),
            (["a"], [1.0], "a stream needs booleans or numbers"),
            ([1, 0], [1.0], "scores has 1 values"),
            ([1], [2**60], "beyond"),
        ):
            with pytest.raises(ValueError, match=message):
                keeper.update(y, scores)
        assert keeper.auc == before
        assert keeper.n_pos == 2
    with pytest.raises(ValueError, match="window=0"):
        WindowedAUC(0)
    with pytest.raises(ValueError, match="bins=1"):
        AUCSummary(1)


HARD = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "rising": lambda rng, n: np.arange(n, dtype=float),
    "one cluster": lambda rng, n: 1.0 + 1e-9 * rng.random(n),
    "cluster and outliers": lambda rng, n: np.where(
        rng.random(n) < 0.9, rng.random(n) * 1e-6 + 5, 10.0 ** rng.uniform(-300, 300, n)
    ),
    "probabilities near one": lambda rng, n: 1 / (1 + np.exp(-12 * rng.standard_normal(n))),
    "tanh": lambda rng, n: np.tanh(6 * rng.standard_normal(n)),
    "all doubles": lambda rng, n: np.nan_to_num(rng.integers(2**64, size=n, dtype=np.uint64).view(float)),
    "ties and infinities": lambda rng, n: rng.choice([-np.inf, -1.0, 0.0, -0.0, 0.25, np.inf], n),
}


@pytest.mark.parametrize("bins", [2, 64, 1024])
@pytest.mark.parametrize("name", HARD)
def test_the_error_stays_below_its_bound(name, bins):
    rng = np.random.default_rng(3)
    scores = HARD[name](rng, 5000)
    ranks = np.argsort(np.argsort(scores)) / 5000
    for y in (rng.random(5000) < 0.3, rng.random(5000) < ranks, np.arange(5000) % 2 == 0, ranks > 0.5):
        truth = roc_auc(y, scores)
        for order in (np.arange(5000), np.argsort(scores), np.argsort(-scores), np.argsort(y)):
            found = AUCSummary(bins)
            for part in np.array_split(order, 7):
                found.update(y[part], scores[part])
            assert abs(found.auc - truth) <= found.error_bound + 1e-12
            assert len(found._bins.keys) <= bins


def test_the_bound_is_small_where_it_should_be():
    rng = np.random.default_rng(4)
    y = rng.random(50_000) < 0.3
    logits = 12 * rng.standard_normal(50_000) + 9 * y
    for scores in (logits, 1 / (1 + np.exp(-logits)), -1 / (1 + np.exp(logits)), np.tanh(logits), 1e-9 * logits + 3.0):
        assert AUCSummary(4096).update(y, scores).error_bound < 1e-3
    few = AUCSummary(1024).update(y, np.round(logits))
    assert few.error_bound == 0.0
    assert_allclose(few.auc, roc_auc(y, np.round(logits)), rtol=0, atol=1e-12)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from(sorted(HARD)), st.integers(2, 40))
def test_merging_in_any_order_and_grouping_is_the_same_to_the_bit(seed, name, bins):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 200))
    scores, y = HARD[name](rng, n), rng.random(n) < 0.5
    whole = AUCSummary(bins).update(y, scores)
    owner = rng.integers(5, size=n)
    parts = [AUCSummary(bins).update(y[owner == k], scores[owner == k]) for k in range(5)]
    a, b, c, d, e = (parts[k] for k in rng.permutation(5))
    left = a.merge(b).merge(c).merge(d).merge(e)
    right = a.merge(b.merge(c.merge(d.merge(e))))
    at_once = e.merge(d, c, b, a)
    one_by_one = AUCSummary.of_chunks(((y[k], scores[k]) for k in rng.permutation(n)), bins)
    assert left == right == at_once == one_by_one == whole
    assert np.array_equal([left.auc, left.error_bound], [whole.auc, whole.error_bound], equal_nan=True)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.floats(allow_nan=False), min_size=2, max_size=20), st.integers(1, 2**53 - 1))
def test_keys_keep_the_order(values, near_one):
    close = [near_one / 2**53, (near_one - 1) / 2**53, -near_one / 2**53, 1.0, -1.0, 0.5, -0.5]
    scores = np.sort(np.array([*values, *close, *np.nextafter(values, 0.0)])) + 0.0
    keys = _keys(scores)
    assert np.all(keys[1:] >= keys[:-1])
    apart = (scores[1:] > scores[:-1]) & (np.maximum(np.abs(scores[1:]), np.abs(scores[:-1])) > 2.0**-899)
    assert np.all(keys[1:][apart] > keys[:-1][apart])


def test_summaries_of_other_sizes_do_not_merge():
    with pytest.raises(ValueError, match="cannot be merged with a summary of 64 bins"):
        AUCSummary(64).merge(AUCSummary(32))
    assert AUCSummary(64) != 3
    assert np.isnan(AUCSummary().auc)
    assert "± " in repr(AUCSummary(8).update(*stream(digits=9)))


def test_counts_beyond_64_bits():
    summary = AUCSummary().update([0, 1, 0, 1], [1, 2, 3, 3])
    large = summary._bins._replace(pos=summary._bins.pos * 2**40, neg=summary._bins.neg * 2**40)
    summary._bins = large
    assert summary.auc == 0.625
