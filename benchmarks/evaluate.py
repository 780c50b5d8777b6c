"""Evaluation: speed side by side, and how often intervals cover: ``python -m benchmarks.evaluate`` (``make bench``).

The lines about the packages confidenceinterval and MLstatkit are left out where they are not installed.
"""

import importlib
import itertools
import time

import numpy as np
from scipy.special import ndtri
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

from aucmax import evaluate as ev
from aucmax.evaluate import check
from aucmax.evaluate.delong import interval, moments
from aucmax.kernel.order import falling
from benchmarks.timing import line, machine, medians

SIZES = (1_000_000, 10_000_000)
METHODS = ("score", "logit", "delong", "hanley-mcneil")
ROUNDS = 2000


def problem(n, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.2).astype(np.int64)
    return y, rng.standard_normal(n) + y, rng.standard_normal(n) + 0.9 * y


def ratio(name, ours, theirs, goal, rounds=5):
    """How many times as long they take as we do."""
    a, b = medians(lambda: ours, lambda: theirs, rounds=rounds)
    line(name, b / a, goal, f"{b * 1e3:.0f} / {a * 1e3:.0f} ms")


def areas():
    for n in SIZES:
        y, scores, _ = problem(n)
        rounds = 5 if n < 10**7 else 3
        ratio(
            f"(a) roc_auc_score / roc_auc, {n:,} scores",
            lambda y=y, s=scores: ev.roc_auc(y, s),
            lambda y=y, s=scores: roc_auc_score(y, s),
            ">= 3",
            rounds,
        )
        weight = np.random.default_rng(1).random(n)
        ratio(
            "    the same with weights",
            lambda y=y, s=scores, w=weight: ev.roc_auc(y, s, w),
            lambda y=y, s=scores, w=weight: roc_auc_score(y, s, sample_weight=w),
            ">= 3",
            rounds,
        )
        ratio(
            f"(b) delong_ci / roc_auc, {n:,} scores",
            lambda y=y, s=scores: ev.roc_auc(y, s),
            lambda y=y, s=scores: ev.delong_ci(y, s),
            "<= 2",
        )


def sorts():
    for n in (100_000, *SIZES):
        scores = problem(n)[1]
        for name, theirs in (
            ("argsort", lambda s=scores: np.argsort(-s)),
            ("stable argsort", lambda s=scores: np.argsort(-s, kind="stable")),
            ("sort", lambda s=scores: np.sort(s)),
        ):
            ratio(f"    numpy's {name} / kernel.order.falling, {n:,}", lambda s=scores: falling(s), theirs, "(none)")


def peers():
    y, a, b = problem(10**6)
    cases = (
        ("confidenceinterval", "roc_auc_score", (y, a), lambda: ev.delong_ci(y, a), "roc_auc_score / delong_ci"),
        ("MLstatkit", "Delong_test", (y, a, b), lambda: ev.delong_test(y, a, b), "Delong_test / delong_test"),
    )
    for package, function, given, ours, name in cases:
        try:
            theirs = getattr(importlib.import_module(package), function)
        except ImportError:
            continue
        ratio(f"(c) {package}'s {name}, 1,000,000", ours, lambda f=theirs, g=given: f(*g), ">= 10", rounds=1)


def bootstrap():
    y, scores, _ = problem(10**5)
    rng = np.random.default_rng(0)

    def one_by_one():
        for _ in range(1000):
            rows = rng.integers(0, len(y), len(y))
            ev.roc_auc(y[rows], scores[rows])

    def ours():
        ev.bootstrap_ci(y, scores, n_resamples=1000, n_jobs=1, random_state=0)

    ratio("(d) 1,000 AUCs of resampled rows / bootstrap_ci, 100,000", ours, one_by_one, ">= 5", rounds=3)


def streams():
    y, scores, _ = problem(200_000)
    costs = {}
    for window in (1_000, 100_000):
        costs[window] = (
            medians(lambda w=window: lambda: ev.WindowedAUC(w).update(y, scores), rounds=3)[0] / len(y) * 1e9
        )
    low, high = costs[1_000], costs[100_000]
    line("(e) a row of WindowedAUC, window 100,000 / 1,000", high / low, "(log: 1.7)", f"{high:.0f} / {low:.0f} ns")
    y, scores, _ = problem(10**6)
    for name, values in (("normal scores", scores), ("saturated probabilities", 1 / (1 + np.exp(-20 * scores)))):
        summary = ev.AUCSummary.of_chunks((y[k : k + 10**5], values[k : k + 10**5]) for k in range(0, 10**6, 10**5))
        off = abs(summary.auc - ev.roc_auc(y, values))
        line(f"(f) AUCSummary, 65,536 bins: error / bound, {name}", off / summary.error_bound, "<= 1", f"{off:.0e}")


def normal(rng, y, auc):
    return rng.standard_normal(len(y)) + ndtri(auc) * np.sqrt(2) * y


def exponential(rng, y, auc):
    """Scores as Hanley and McNeil have them; near 1 a few low positives decide, and many samples hold none."""
    return rng.exponential(np.where(y, auc / (1 - auc), 1.0))


def coverage():
    """How many in 100 intervals of level 0.95 hold the AUC."""
    print(f"\ncoverage in %, {ROUNDS} samples a line; goal: 93.5 to 96.5")
    print(f"{'scores':<12}{'n+':>6}{'n-':>6}{'AUC':>6}" + "".join(f"{method:>15}" for method in METHODS))
    for draw in (normal, exponential):
        outside = dict.fromkeys(METHODS, 0)
        for n_pos, factor, auc in itertools.product((20, 100, 1000), (1, 4), (0.6, 0.8, 0.95, 0.99)):
            found = covered(draw, n_pos, factor * n_pos, auc)
            shown = "".join(f"{found[method]:>15.1f}" for method in METHODS)
            print(f"{draw.__name__:<12}{n_pos:>6}{factor * n_pos:>6}{auc:>6}{shown}", flush=True)
            for method in METHODS:
                outside[method] += not 93.5 <= found[method] <= 96.5
        print(f"{'outside':<30}" + "".join(f"{outside[method]:>15}" for method in METHODS))


def covered(draw, n_pos, n_neg, auc):
    rng = np.random.default_rng(n_pos + n_neg + int(100 * auc))
    y = np.arange(n_pos + n_neg) < n_pos
    hits = dict.fromkeys(METHODS, 0)
    for _ in range(ROUNDS):
        found = moments(check.two_sided(y, draw(rng, y, auc)))
        for method in METHODS:
            limits = interval(found, 0.95, method)
            hits[method] += limits.low <= auc <= limits.high
    return {method: 100 * count / ROUNDS for method, count in hits.items()}


def main():
    print(machine())
    begun = time.perf_counter()
    with threadpool_limits(1):
        for part in (areas, sorts, peers, bootstrap, streams, coverage):
            part()
    print(f"({time.perf_counter() - begun:.0f} s)")


if __name__ == "__main__":
    main()
