import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import friedmanchisquare, norm, rankdata

from aucmax.evaluate import (
    compare,
    critical_difference,
    delong_ci,
    delong_test,
    holm,
    required_sample_size,
)


def models(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    return y, {f"model {k}": rng.standard_normal(n) + 0.7 * k * y for k in range(4)}, rng.random(n) + 0.1


def test_the_table_holds_every_interval_and_test():
    y, scores, weight = models()
    for given in (None, weight):
        table = compare(y, scores, given, level=0.9)
        assert list(table.names) == ["model 3", "model 2", "model 1", "model 0"]
        for name, one in zip(table.names, table.intervals, strict=True):
            assert_allclose(one, delong_ci(y, scores[name], given, level=0.9), rtol=1e-9)
        for i, a in enumerate(table.names):
            for j, b in enumerate(table.names):
                if i != j:
                    test = delong_test(y, scores[a], scores[b], given, level=0.9)
                    assert_allclose(table.p_value[i, j], test.p_value, rtol=1e-9)
                    assert_allclose(table.difference[i, j], test.difference.estimate, atol=1e-12)
        pairs = pd.DataFrame(table.pairs())
        assert len(pairs) == 6
        assert_allclose(pairs["p_holm"], holm(pairs["p_value"]))
        last = delong_test(y, scores["model 1"], scores["model 0"], given, level=0.9).difference
        assert_allclose(pairs[["difference", "low", "high"]].iloc[-1], last[:3], rtol=1e-9)
        assert pd.DataFrame(table.models())["auc"].is_monotonic_decreasing


def test_the_table_prints_one_line_a_model():
    y, scores, _ = models()
    lines = str(compare(y, scores)).splitlines()
    assert len(lines) == 6
    assert lines[1].startswith(" 1  model 3")
    assert max(map(len, lines)) < 100


def test_holm():
    rng = np.random.default_rng(0)
    for _ in range(20):
        p = rng.random(6) ** 3
        expected = [max(min(1, (6 - sum(p < q)) * q) for q in p[p <= own]) for own in p]
        assert_allclose(holm(p), expected)


def test_ranks_and_friedman_equal_scipys():
    rng = np.random.default_rng(1)
    results = np.round(rng.random((12, 5)) + 0.05 * np.arange(5), 1)
    found = critical_difference(results, names="abcde")
    ranks = np.array([rankdata(-row) for row in results]).mean(axis=0)
    assert_allclose(found.mean_ranks, np.sort(ranks))
    assert list(found.names) == [name for _, name in sorted(zip(ranks, "abcde", strict=True))]
    assert_allclose(found.friedman, friedmanchisquare(*results.T), rtol=1e-9)


def test_critical_difference_of_the_paper():
    """Demšar's example: four models, fourteen sets, q = 2.569."""
    rng = np.random.default_rng(2)
    found = critical_difference(rng.random((14, 4)))
    assert_allclose(found.critical_difference, 2.569 * np.sqrt(4 * 5 / (6 * 14)), rtol=1e-3)


def test_groups_are_the_longest_runs():
    base = np.array([[4.0, 3.0, 2.0, 1.0]] * 30)
    found = critical_difference(base, names="abcd")
    assert_allclose(found.mean_ranks, [1, 2, 3, 4])
    assert found.groups == ()
    assert found.iman_davenport == (np.inf, 0.0)
    few = critical_difference(base[:3], names="abcd")
    assert few.groups == (("a", "b", "c"), ("b", "c", "d"))
    assert "|" in str(few)
    equal = critical_difference(np.ones((3, 3)))
    assert equal.friedman == (0.0, 1.0)
    assert len(equal.groups) == 1


def test_the_width_is_reached():
    rng = np.random.default_rng(3)
    size = required_sample_size(0.8, width=0.1, ratio=2.0)
    assert size.n_neg == 2 * size.n_pos
    assert size.total == 3 * size.n_pos
    y = np.arange(size.total) < size.n_pos
    shift = norm.ppf(0.8) * np.sqrt(2)
    found = [delong_ci(y, rng.standard_normal(size.total) + shift * y) for _ in range(300)]
    assert_allclose(np.mean([one.high - one.low for one in found]), 0.1, rtol=0.05)


def test_the_power_is_reached():
    rng = np.random.default_rng(4)
    size = required_sample_size(0.85, other=0.75, power=0.8)
    y = np.arange(size.total) < size.n_pos
    a, b = (norm.ppf(auc) * np.sqrt(2) for auc in (0.85, 0.75))
    noise = rng.standard_normal((400, 2, size.total))
    rejected = [delong_test(y, u + a * y, v + b * y).p_value < 0.05 for u, v in noise]
    assert 0.73 < np.mean(rejected) < 0.87
    fewer = required_sample_size(0.85, other=0.75, correlation=0.5)
    assert fewer.n_pos < 0.6 * size.n_pos
    assert required_sample_size(0.85, null=0.75).n_pos < 0.6 * size.n_pos


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "needs one of null, other and width, but none"),
        ({"null": 0.5, "width": 0.1}, "needs one of"),
        ({"null": 0.8}, "equal"),
        ({"width": 0.0}, "width=0.0"),
        ({"other": 1.0}, "other=1.0"),
        ({"null": 0.5, "power": 1.0}, "power=1.0"),
    ],
)
def test_bad_designs_say_what_is_wrong(options, message):
    with pytest.raises(ValueError, match=message):
        required_sample_size(0.8, **options)


def test_bad_comparisons_say_what_is_wrong():
    with pytest.raises(ValueError, match="at least two names"):
        compare([0, 1], {"a": [1, 2]})
    with pytest.raises(ValueError, match="2 data sets and 2 models"):
        critical_difference([[1, 2]])
    with pytest.raises(ValueError, match="not finite"):
        critical_difference([[1, 2], [np.nan, 1]])
    with pytest.raises(ValueError, match="3 names for 2 models"):
        critical_difference([[1, 2], [2, 1]], names="abc")
