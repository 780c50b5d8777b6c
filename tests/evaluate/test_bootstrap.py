import numpy as np
import pytest
from numpy.testing import assert_allclose

from aucmax import evaluate as ev
from aucmax.evaluate import check
from aucmax.evaluate.bootstrap import METRICS
from aucmax.evaluate.resampling import Resampler
from aucmax.kernel.resample import draw
from tests.evaluate.cases import brute_auc, random_cases

PUBLIC = {name: getattr(ev, name) for name in METRICS}


def problem(n=300, seed=0, digits=1):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    return y, np.round(rng.standard_normal(n) + y, digits), rng.random(n) + 0.1


@pytest.mark.parametrize("metric", METRICS)
def test_a_resample_is_the_metric_with_counts_for_weights(metric):
    for y, scores, weight in random_cases(count=8, seed=1):
        for given in (None, weight):
            resampler = Resampler(check.two_sided(y, scores, given), None)
            found = ev.bootstrap_ci(y, scores, given, metric=metric, n_resamples=4, random_state=3)
            assert_allclose(found.estimate, PUBLIC[metric](y, scores, given), rtol=1e-12, atol=1e-12)
            seeds = np.random.default_rng(3).integers(2**64, size=4, dtype=np.uint64).tolist()
            rows = resampler.ranked
            expected = [PUBLIC[metric](rows.positive, rows.scores, resampler.weights(seed)) for seed in seeds]
            assert_allclose(found.samples, expected, rtol=1e-12, atol=1e-12)


def test_counts_keep_the_classes_sizes():
    y, scores, _ = problem()
    resampler = Resampler(check.two_sided(y, scores), None)
    drawn = np.array([resampler.weights(seed) for seed in range(400)])
    assert np.all(drawn[:, y].sum(axis=1) == y.sum())
    assert np.all(drawn[:, ~y].sum(axis=1) == (~y).sum())
    assert np.all(np.abs(drawn.mean(axis=0) - 1.0) < 0.3)  # six standard errors
    assert_allclose(drawn.var(), 1.0, atol=0.03)


def test_draws_are_even():
    counts, total = np.zeros(10, dtype=np.int32), np.zeros(10)
    for seed in range(2000):
        draw(np.uint64(seed * 2**40), counts)
        assert counts.sum() == 10
        total += counts
    assert np.sum((total - 2000) ** 2 / 2000) < 28  # chi squared of 9 degrees, p = 0.001


def test_the_standard_error_is_delongs():
    y, scores, weight = problem(500)
    for given in (None, weight):
        found = ev.bootstrap_ci(y, scores, given, n_resamples=4000, random_state=0)
        expected = ev.delong_ci(y, scores, given)
        assert_allclose(found.std_error, expected.std_error, rtol=0.06)
        assert_allclose([found.low, found.high], [expected.low, expected.high], atol=0.01)


def test_the_seed_decides_and_threads_do_not():
    y, scores, _ = problem()
    a, b, c = (
        ev.bootstrap_ci(y, scores, n_resamples=50, random_state=seed, n_jobs=jobs).samples
        for seed, jobs in ((1, 1), (1, 4), (2, 1))
    )
    assert np.array_equal(a, b)
    assert not np.array_equal(a, c)


def test_any_function_can_be_the_metric():
    y, scores, weight = problem(60)

    def plain(labels, values, sample_weight):
        return brute_auc(labels, values, sample_weight)

    found = ev.bootstrap_ci(y, scores, weight, metric=plain, n_resamples=30, random_state=5)
    expected = ev.bootstrap_ci(y, scores, weight, n_resamples=30, random_state=5)
    assert_allclose(found.samples, expected.samples, rtol=1e-12)


def test_options_go_to_the_metric():
    y, scores, _ = problem()
    found = ev.bootstrap_ci(y, scores, metric="partial_auc", max_fpr=0.2, n_resamples=20, random_state=0)
    assert_allclose(found.estimate, ev.partial_auc(y, scores, max_fpr=0.2), rtol=1e-12)
    assert found.low < found.estimate < found.high


def test_whole_clusters_are_drawn():
    y, scores, weight = problem()
    groups = np.arange(300) // 5 * 7
    resampler = Resampler(check.two_sided(y, scores, weight), groups)
    for seed in range(20):
        counts = (resampler.weights(seed) / weight).reshape(60, 5)
        assert_allclose(counts, counts[:, :1] @ np.ones((1, 5)), rtol=1e-9)
        assert_allclose(counts[:, 0].sum(), 60)


def test_a_resample_holds_both_classes():
    found = ev.bootstrap_ci([0, 0, 1, 1], [1, 3, 2, 4], groups=["a", "a", "b", "b"], n_resamples=50, random_state=0)
    assert np.all(found.samples == 0.75)


def test_clusters_widen_the_interval_as_they_must():
    """Five copies of each row say as much as one: only the cluster bootstrap knows."""
    y, scores, _ = problem(200, digits=3)
    copies = [np.repeat(values, 5) for values in (y, scores, np.arange(200))]
    alone = ev.bootstrap_ci(y, scores, n_resamples=1000, random_state=0).std_error
    wrong = ev.bootstrap_ci(copies[0], copies[1], n_resamples=1000, random_state=0).std_error
    right = ev.bootstrap_ci(copies[0], copies[1], groups=copies[2], n_resamples=1000, random_state=0).std_error
    assert_allclose(wrong, alone / np.sqrt(5), rtol=0.1)
    assert_allclose(right, alone, rtol=0.15)


def test_groups_of_rows_of_weight_zero_are_left_out():
    y, scores, weight = problem()
    weight[::4] = 0.0
    kept, groups = weight > 0, np.arange(300) // 3
    found = ev.bootstrap_ci(y, scores, weight, groups=groups, n_resamples=10, random_state=0)
    expected = ev.bootstrap_ci(y[kept], scores[kept], weight[kept], groups=groups[kept], n_resamples=10, random_state=0)
    assert_allclose(found.samples, expected.samples, rtol=1e-12)


@pytest.mark.parametrize("method", ["percentile", "basic", "normal"])
def test_methods(method):
    y, scores, _ = problem()
    found = ev.bootstrap_ci(y, scores, method=method, n_resamples=500, random_state=0)
    assert found.low < found.estimate < found.high
    samples = np.quantile(found.samples, [0.025, 0.975])
    limits = {"percentile": samples, "basic": 2 * found.estimate - samples[::-1]}
    limits["normal"] = found.estimate + np.array([-1.959963984540054, 1.959963984540054]) * found.std_error
    assert_allclose([found.low, found.high], limits[method], rtol=1e-12)
    assert str(found).startswith(f"{found.estimate:.4f} [")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "auc"}, "metric='auc': expected one of 'roc_auc'"),
        ({"method": "bca"}, "method='bca'"),
        ({"n_resamples": 1}, "n_resamples=1"),
        ({"groups": [1, 2]}, "groups has 2 values"),
    ],
)
def test_bad_input_says_what_is_wrong(options, message):
    with pytest.raises(ValueError, match=message):
        ev.bootstrap_ci([0, 0, 1, 1], [1, 2, 3, 4], **{"n_resamples": 2000, "random_state": 0, **options})
