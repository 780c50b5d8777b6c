import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq
from scipy.special import expit, logit
from scipy.stats import multivariate_normal, norm
from scipy.stats import t as student

from aucmax.evaluate import delong_ci, delong_covariance, delong_test, delong_test_unpaired, roc_auc
from aucmax.evaluate.intervals import METHODS, hanley_mcneil_variance, normal_share
from tests.evaluate.cases import brute_auc, random_cases, right, table

CASES = ("continuous", "ties", "few", "rare", "high", "low")


def stored(name):
    rows = [row for row in table("proc_inputs.csv") if row["case"] == name]
    y = np.array([row["y"] == "1" for row in rows])
    columns = [np.array([float(row[key]) for row in rows]) for key in "ab"]
    found = [row for row in table("proc_outputs.csv") if row["case"] == name and row["value"] != "NA"]
    return y, *columns, {row["quantity"]: float(row["value"]) for row in found}


@pytest.mark.parametrize("name", CASES)
def test_delong_equals_proc(name):
    y, a, b, expected = stored(name)
    close = {"rtol": 1e-11, "atol": 1e-13}
    found = delong_covariance(y, np.column_stack([a, b]))
    assert_allclose(found.aucs, [expected["auc_a"], expected["auc_b"]], **close)
    variances = [[expected["var_a"], expected["cov"]], [expected["cov"], expected["var_b"]]]
    assert_allclose(found.covariance, variances, **close)
    assert_allclose(delong_ci(y, a).std_error ** 2, expected["var_a"], **close)
    paired = delong_test(y, a, b)
    assert_allclose([paired.statistic, paired.p_value], [expected["z"], expected["p"]], rtol=1e-9)
    half = np.arange(1, len(y) + 1) % 2 == 0
    unpaired = delong_test_unpaired(y[half], a[half], y[~half], b[~half])
    assert_allclose([unpaired.statistic, unpaired.p_value], [expected["unpaired_t"], expected["unpaired_p"]], rtol=1e-9)


def spread(shares, weight):
    """The variance of a class's mean share of right pairs, by the definition."""
    shares, weight = shares[weight > 0], weight[weight > 0]
    n = weight.sum() ** 2 / (weight**2).sum()
    mean = shares @ weight / weight.sum()
    return (weight**2 @ (shares - mean) ** 2) / weight.sum() ** 2 * n / (n - 1)


def test_weighted_variance_is_that_of_the_definition():
    for y, scores, weight in random_cases(seed=5):
        pairs = right(scores[y], scores[~y])
        for v in (weight, np.ones(len(y))):
            pos, neg = v[y], v[~y]
            variance = spread(pairs @ neg / neg.sum(), pos) + spread(pos @ pairs / pos.sum(), neg)
            found = delong_ci(y, scores, v)
            assert_allclose(found.std_error**2, variance, rtol=1e-10, atol=1e-15)
            assert_allclose(found.estimate, brute_auc(y, scores, v), rtol=0, atol=1e-12)
            both = delong_covariance(y, {"one": scores, "other": -scores}, v)
            assert_allclose(both.covariance, variance * np.array([[1, -1], [-1, 1]]), rtol=1e-9, atol=1e-15)


def test_the_variance_does_not_cancel():
    rng = np.random.default_rng(0)
    n = 200_000
    y = rng.random(n) < 0.5
    for sign in (1, -1):
        scores = sign * (y * 6.0 + rng.standard_normal(n))
        found = delong_covariance(y, scores[:, None])
        assert 0 < found.covariance[0, 0] < 1e-9
        assert_allclose(delong_ci(y, scores).std_error ** 2, found.covariance[0, 0], rtol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_intervals_hold_the_estimate_and_stay_within_bounds(method):
    for y, scores, weight in random_cases(seed=6):
        for level in (0.5, 0.95):
            found = delong_ci(y, scores, weight, method=method, level=level)
            assert 0.0 <= found.low <= found.estimate <= found.high <= 1.0
        wide, narrow = (delong_ci(y, scores, weight, method=method, level=level) for level in (0.99, 0.8))
        assert wide.low <= narrow.low
        assert narrow.high <= wide.high


@pytest.mark.parametrize("method", ["score", "logit"])
def test_a_perfect_ranking_is_not_certain(method):
    y = np.arange(40) >= 20
    found = delong_ci(y, np.arange(40.0), method=method)
    assert found.estimate == found.high == 1.0
    assert 0.8 < found.low < 0.99
    turned = delong_ci(~y, np.arange(40.0), method=method)
    assert_allclose([turned.low, turned.high], [0.0, 1.0 - found.low], atol=1e-9)


def test_intervals_mirror():
    for y, scores, _ in random_cases(count=20, seed=7):
        for method in ("score", "logit", "delong"):
            a, b = delong_ci(y, scores, method=method), delong_ci(~y, scores, method=method)
            assert_allclose([a.low, a.high], [1 - b.high, 1 - b.low], atol=1e-9)


def test_the_variance_of_normal_scores():
    for theta in (0.1, 0.5, 0.8, 0.97):
        d = norm.ppf(theta)
        expected = multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]]).cdf([d, d]) - theta**2
        assert_allclose(normal_share(theta), expected, atol=1e-6)
    assert_allclose(hanley_mcneil_variance(0.5, 10, 10), 0.0175, rtol=1e-12)


@pytest.mark.parametrize("auc", [0.6, 0.8, 0.95])
def test_the_default_covers(auc):
    """A short simulation; the long one is benchmarks/evaluate.py."""
    rng = np.random.default_rng(int(100 * auc))
    y, shift, rounds = np.arange(60) < 20, norm.ppf(auc) * np.sqrt(2), 800
    covered = 0
    for _ in range(rounds):
        found = delong_ci(y, rng.standard_normal(60) + shift * y)
        covered += found.low <= auc <= found.high
    assert 0.93 <= covered / rounds <= 0.98


def test_equal_models_are_not_told_apart():
    rng = np.random.default_rng(1)
    y, scores = rng.random(100) < 0.5, rng.standard_normal(100)
    same = delong_test(y, scores, 2 * scores)
    assert (same.statistic, same.p_value) == (0.0, 1.0)
    certain = delong_test([0, 0, 1, 1], [1, 2, 3, 4], [4, 3, 2, 1])
    assert (certain.statistic, certain.p_value) == (np.inf, 0.0)
    assert certain.aucs == (1.0, 0.0)


def test_the_test_keeps_its_level():
    rng = np.random.default_rng(2)
    y, rounds = np.arange(150) < 50, 600
    base = rng.standard_normal((rounds, 150)) + y
    noise = rng.standard_normal((2, rounds, 150))
    rejected = [delong_test(y, s + a, s + b).p_value < 0.05 for s, a, b in zip(base, *noise, strict=True)]
    assert 0.03 <= np.mean(rejected) <= 0.075


def test_rows_of_weight_zero_do_not_count():
    rng = np.random.default_rng(3)
    y, a, b, weight = rng.random(50) < 0.5, rng.standard_normal(50), rng.standard_normal(50), rng.random(50)
    weight[::3] = 0.0
    kept = weight > 0
    expected = delong_test(y[kept], a[kept], b[kept], weight[kept])
    assert_allclose(delong_test(y, a, b, weight).p_value, expected.p_value, rtol=1e-12)
    assert_allclose(delong_ci(y, a, weight), delong_ci(y[kept], a[kept], weight[kept]), rtol=1e-12)


def test_bad_input_says_what_is_wrong():
    with pytest.raises(ValueError, match="level=1: expected a number strictly between 0 and 1"):
        delong_ci([0, 1], [1, 2], level=1)
    with pytest.raises(ValueError, match="method='exact': expected one of 'score', 'logit'"):
        delong_ci([0, 1], [1, 2], method="exact")
    with pytest.raises(ValueError, match="1 positive and 2 negative rows"):
        delong_ci([0, 1, 0], [1, 2, 3])
    with pytest.raises(ValueError, match="1 row of a class"):
        delong_test([0, 1, 0], [1, 2, 3], [1, 2, 3])
    with pytest.raises(ValueError, match="two dimensions"):
        delong_covariance([0, 1, 0], [1, 2, 3])
    with pytest.raises(ValueError, match="one class only"):
        delong_test([1, 1], [1, 2], [1, 2])


def test_aucs_agree():
    for y, scores, weight in random_cases(seed=8):
        assert_allclose(delong_ci(y, scores, weight).estimate, roc_auc(y, scores, weight), rtol=0, atol=1e-12)


def parts_of(scores, y):
    """The share of pairs in right order of every positive and of every negative row."""
    pairs = scores[y == 1][:, None] - scores[y == 0]
    right = (pairs > 0) + 0.5 * (pairs == 0)
    return right.mean(axis=1), right.mean(axis=0)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("shift", [0.0, 1.5])
def test_the_score_interval_ends_where_refutation_begins(level, shift):
    """By the formulas of the module's docstring, the variances from all pairs and the ends by bisection."""
    rng = np.random.default_rng(5)
    y = np.repeat([1, 0], [12, 30])
    scores = np.round(rng.standard_normal(42) + shift * y, 1)
    right = parts_of(scores, y)
    auc, sizes, pairs = right[0].mean(), (12, 30), 12 * 30
    spreads = [part.var(ddof=1) for part in right]
    variance = sum(v / n for v, n in zip(spreads, sizes, strict=True))
    degrees = variance**2 / sum((v / n) ** 2 / (n - 1) for v, n in zip(spreads, sizes, strict=True))
    # rows that have a part in a pair in wrong order, or in right order where those are fewer
    counts = [np.count_nonzero(part < 1 if auc >= 0.5 else part > 0) for part in right]

    def of_normal_scores(theta):
        delta = norm.ppf(theta)
        return multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]]).cdf([delta, delta]) - theta**2

    near = of_normal_scores((auc * pairs + 0.5) / (pairs + 1))
    a, b = ((v / near * k + 12) / (k + 12) for v, k in zip(spreads, counts, strict=True))
    quantile = student.ppf(0.5 + 0.5 * level, degrees)

    def excess(theta):
        q = of_normal_scores(theta)
        return (auc - theta) ** 2 - quantile**2 * (theta * (1 - theta) + (29 * a + 11 * b) * q) / pairs

    found = delong_ci(y, scores, level=level)
    assert_allclose(found.std_error**2, variance, rtol=1e-10)
    assert_allclose([found.low, found.high], [brentq(excess, 1e-3, auc), brentq(excess, auc, 1 - 1e-3)], rtol=1e-5)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_plain_intervals_are_so_many_standard_errors_wide(level):
    rng = np.random.default_rng(6)
    y = np.repeat([1, 0], [20, 50])
    scores = rng.standard_normal(70) + y
    auc, z = roc_auc(y, scores), norm.ppf(0.5 + 0.5 * level)
    once, twice = auc / (2 - auc), 2 * auc**2 / (1 + auc)  # that two of a class beat one of the other
    spread = auc * (1 - auc) + 19 * (once - auc**2) + 49 * (twice - auc**2)
    error = delong_ci(y, scores).std_error
    half = z * error / (auc * (1 - auc))
    expected = {
        "delong": (auc - z * error, auc + z * error),
        "hanley-mcneil": (auc - z * np.sqrt(spread / 1000), auc + z * np.sqrt(spread / 1000)),
        "logit": (expit(logit(auc) - half), expit(logit(auc) + half)),
    }
    for method, limits in expected.items():
        found = delong_ci(y, scores, level=level, method=method)
        assert_allclose([found.low, found.high], limits, rtol=1e-10)
