"""The papers' convergence rates, measured on what their theorems bound.

That is the duality gap for SOLAM and regSOLAM (thesis, theorem 3.2), the mean squared distance of the last iterate from
the exact minimiser for SPAM (theorems 4.1 and 4.2), VRSPAM (its theorem 1) and SPDAM (theorem 5.1, which bounds its
dual variables too), and the objective for FSAUC. The stochastic methods make one pass over many rows, each seen once as
the theory assumes: several passes over few rows would look faster, because a pass without replacement averages out much
of the noise. A promise is an upper bound.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from aucmax import FSAUC, SPAM, SPDAM, VRSPAM, ExactAUC
from aucmax.bench.gap import Point, averages, duality_gap, saddle_of

L2 = 0.5
FROM = 1000.0  # iteration from which on a slope is measured
SLACK = 0.1  # by which a measured slope may be flatter than the promised one, its error over ten seeds
STRAIGHT = -0.97  # correlation of log gap and iteration that counts as a line
PER_DECADE = 4  # points of a curve

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
        return [*_saddles(X, y, seeds), *_proximal(X, y, seeds), _fsauc(X, y, seeds), *_linear(*problem(2000), seeds)]


def _to(cls: Any, aim: np.ndarray) -> Any:
    """Return an estimator's class that records the squared distance of its weights from the aim as its objective."""

    class Distance(cls):  # type: ignore[misc]
        def _objective(self, scores: np.ndarray, data: Any, w: np.ndarray) -> float:
            return float(np.sum((w - aim) ** 2))

    return Distance


def _distances(make: Make, X: np.ndarray, y: np.ndarray, seeds: int) -> tuple[np.ndarray, np.ndarray]:
    """Iterations, and the mean over the seeds of the recorded distances."""
    histories = [make(seed).set_params(record=True, tol=None).fit(X, y).history_ for seed in range(seeds)]
    length = min(len(h["iteration"]) for h in histories)
    return histories[0]["iteration"][:length], np.mean([h["objective"][:length] for h in histories], axis=0)


def _sloped(name: str, promised: float, t: np.ndarray, gap: np.ndarray, note: str = "") -> Rate:
    late = t >= FROM
    slope = float(np.polyfit(np.log(t[late]), np.log(gap[late]), 1)[0])
    state = "met" if slope <= promised + SLACK else "not met"
    return Rate(name, f"slope {promised:g}", f"slope {slope:.2f}", state, note, t.tolist(), gap.tolist(), True)


def _saddles(X: np.ndarray, y: np.ndarray, seeds: int) -> list[Rate]:
    """Log-log slopes of the duality gap: SOLAM's and regSOLAM's, on rows divided by the largest norm."""
    kappa = float(np.linalg.norm(X, axis=1).max())
    orders = np.array([np.random.default_rng(seed).permutation(len(y)) for seed in range(seeds)])
    marks = np.unique(np.geomspace(1, len(y), int(PER_DECADE * np.log10(len(y))) + 1).astype(int))
    found = []
    for name, radius, l2 in (("SOLAM", 10.0, 0.0), ("regSOLAM", kappa * np.sqrt(2.0 / L2), L2 / kappa**2)):
        saddle = saddle_of(X / kappa, y, radius, l2)
        points = averages(X / kappa, y, orders, 10.0, saddle, marks)
        gaps = [np.mean([duality_gap(saddle, Point(*one)) for one in zip(*point, strict=True)]) for point in points]
        note = "the duality gap; up to logarithms, and on any problem: this one is strongly convex in w"
        found.append(_sloped(f"{name}, duality gap", -0.5, marks.astype(float), np.array(gaps), note))
    return found


def _proximal(X: np.ndarray, y: np.ndarray, seeds: int) -> list[Rate]:
    """Log-log slopes of the distance of SPAM's last iterate from the minimiser."""
    cls = _to(SPAM, ExactAUC(L2).fit(X, y).coef_[0])
    fixed = {"average": False, "max_iter": 1}
    plans: list[tuple[str, Make, float, str]] = [
        (
            "SPAM, theorem 4.2",
            lambda s: cls(L2, schedule="theorem", random_state=s, **fixed),
            -1.0,
            "E|w - w*|²; up to a logarithm; t0 is ours (2/C̃), not the printed 1",
        ),
        (
            "SPAM, steps t^-0.75",
            lambda s: cls(L2, schedule="power", theta=0.75, step=1.0, random_state=s, **fixed),
            -0.75,
            "E|w - w*|²",
        ),
    ]
    return [_sloped(name, promised, *_distances(make, X, y, seeds), note) for name, make, promised, note in plans]


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
    aim = ExactAUC(L2).fit(X, y).coef_[0]
    halves = 0.5 / (p * (1 - p))  # SPDAM weighs the loss by 1/2, ExactAUC by p(1 - p)
    vrspam, spdam = _to(VRSPAM, aim), _to(SPDAM, aim)
    plans: list[tuple[str, str, Make, str]] = [
        (
            "VRSPAM",
            "stage",
            lambda s: vrspam(L2, max_iter=25, random_state=s),
            "E|w - w*|²; with the default step, which is larger than the theorem allows",
        ),
        (
            "SPDAM",
            "mini-batch",
            lambda s: spdam(L2 * halves, max_iter=1500, random_state=s),
            "E|w - w*|², without the dual variables; with our sigma, not the printed one",
        ),
    ]
    found = []
    for name, unit, make, note in plans:
        t, distance = _distances(make, X, y, seeds)
        clear = (distance > 1e-24) & (t > 0)
        t, distance = t[clear], distance[clear]
        factor = float(np.exp(np.polyfit(t, np.log(distance), 1)[0]))
        straight = float(np.corrcoef(t, np.log(distance))[0, 1])
        words = f"a factor {factor:.3g} a {unit}, correlation {straight:.4f}"
        state = "met" if straight <= STRAIGHT and factor < 1.0 else "not met"
        found.append(Rate(name, "linear", words, state, note, t.tolist(), distance.tolist(), False))
    return found
