"""The papers' convergence rates, measured against the exact optimum.

The stochastic methods make one pass over many rows, each seen once as the theory assumes: several passes over few rows
would look faster, because a pass without replacement averages out much of the noise. A promise is an upper bound.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from aucmax import FSAUC, SOLAM, SPAM, SPDAM, VRSPAM, ExactAUC, RegSOLAM

L2 = 0.5
FROM = 1000.0  # iteration from which on a slope is measured
SLACK = 0.1  # by which a measured slope may be flatter than the promised one, its error over ten seeds
STRAIGHT = -0.97  # correlation of log gap and iteration that counts as a line

Make = Callable[[int], Any]


class Rate(NamedTuple):
    """What was promised of an algorithm and what was measured, with the curve."""

    algorithm: str
    promised: str
    measured: str
    state: str
    note: str
    x: list[float]
    y: list[float]
    log_x: bool

    def facts(self) -> dict[str, Any]:
        """The same as a dictionary."""
        return self._asdict()


def problem(n: int, d: int = 10, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two noisy classes of well-conditioned rows: strongly convex with the penalty L2."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = np.where(X @ rng.standard_normal(d) + 2 * rng.standard_normal(n) > 1, 1, -1)
    return X, y


def measured_rates(rows: int = 200_000, seeds: int = 10) -> list[Rate]:
    """The rates of all algorithms that promise one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        X, y = problem(rows)
        return [*_stochastic(X, y, seeds), _fsauc(X, y, seeds), *_linear(*problem(2000), seeds)]


def _gaps(make: Make, X: np.ndarray, y: np.ndarray, best: float, seeds: int) -> tuple[np.ndarray, np.ndarray]:
    """Iterations, and the objective's mean distance from the optimum over the seeds."""
    histories = [make(seed).set_params(record=True, tol=None).fit(X, y).history_ for seed in range(seeds)]
    length = min(len(h["iteration"]) for h in histories)
    return histories[0]["iteration"][:length], np.mean([h["objective"][:length] for h in histories], axis=0) - best


def _sloped(name: str, promised: float, t: np.ndarray, gap: np.ndarray, note: str = "") -> Rate:
    late = t >= FROM
    slope = float(np.polyfit(np.log(t[late]), np.log(gap[late]), 1)[0])
    state = "met" if slope <= promised + SLACK else "not met"
    return Rate(name, f"slope {promised:g}", f"slope {slope:.2f}", state, note, t.tolist(), gap.tolist(), True)


def _stochastic(X: np.ndarray, y: np.ndarray, seeds: int) -> list[Rate]:
    """Log-log slopes of the methods that take one row a step."""
    best = ExactAUC(L2).fit(X, y).objective(X, y)
    free = ExactAUC(0.0).fit(X, y).objective(X, y)
    square = "1/√T is promised on any problem; on one that is strongly convex, as this is, the gap falls faster"
    plans: list[tuple[str, Make, float, float, str]] = [
        ("SOLAM", lambda s: SOLAM(10.0, step=10.0, max_iter=1, random_state=s), free, -0.5, square),
        ("regSOLAM", lambda s: RegSOLAM(L2, step=10.0, max_iter=1, random_state=s), best, -0.5, square),
        (
            "SPAM, theorem 4.2",
            lambda s: SPAM(L2, schedule="theorem", average=False, max_iter=1, random_state=s),
            best,
            -1.0,
            "up to a logarithm",
        ),
        (
            "SPAM, steps t^-0.75",
            lambda s: SPAM(L2, schedule="power", theta=0.75, step=1.0, average=False, max_iter=1, random_state=s),
            best,
            -0.75,
            "",
        ),
    ]
    return [
        _sloped(name, promised, *_gaps(make, X, y, optimum, seeds), note)
        for name, make, optimum, promised, note in plans
    ]


def _fsauc(X: np.ndarray, y: np.ndarray, seeds: int) -> Rate:
    """FSAUC's rate is in the number of steps it was planned for: one run each."""
    best = ExactAUC(0.0).fit(X, y).objective(X, y)
    sizes = np.logspace(3, np.log10(len(y)), 8).astype(int)
    gap = []
    for n in sizes:
        starts = np.random.default_rng(0).integers(0, len(y) - n + 1, seeds)
        models = [FSAUC(10.0, step=1.0, max_iter=1, shuffle=False).fit(X[k : k + n], y[k : k + n]) for k in starts]
        gap.append(np.mean([model.objective(X, y) for model in models]) - best)
    return _sloped("FSAUC, in n", -1.0, sizes.astype(float), np.array(gap), "up to logarithms")


def _linear(X: np.ndarray, y: np.ndarray, seeds: int) -> list[Rate]:
    """Methods with a linear rate: the factor per iteration, and how straight the line is."""
    p = float(np.mean(y > 0))
    best = ExactAUC(L2).fit(X, y).objective(X, y)
    halves = 0.5 / (p * (1 - p))
    plans: list[tuple[str, str, Make, float]] = [
        ("VRSPAM", "stage", lambda s: VRSPAM(L2, max_iter=25, random_state=s), best),
        ("SPDAM", "mini-batch", lambda s: SPDAM(L2 * halves, max_iter=1500, random_state=s), halves * best),
    ]
    found = []
    for name, unit, make, optimum in plans:
        t, gap = _gaps(make, X, y, optimum, seeds)
        clear = (gap > 1e-13) & (t > 0)
        t, gap = t[clear], gap[clear]
        factor = float(np.exp(np.polyfit(t, np.log(gap), 1)[0]))
        straight = float(np.corrcoef(t, np.log(gap))[0, 1])
        words = f"a factor {factor:.3g} a {unit}, correlation {straight:.4f}"
        state = "met" if straight <= STRAIGHT and factor < 1.0 else "not met"
        found.append(Rate(name, "linear", words, state, "", t.tolist(), gap.tolist(), False))
    return found
