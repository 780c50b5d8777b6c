"""SPAM: stochastic proximal AUC maximization (thesis, algorithm 20).

    line 4   a, b, alpha from the class means                  eq. 4.5, 4.6
    line 5   w <- w - eta_t d1F(w, a, b, alpha; z_t)            eq. 4.11
    line 6   w <- prox_{eta_t Omega}(w)                         eq. 4.12

Put into d1F, a(w), b(w) and alpha(w) leave a scalar times the row (``pull`` below). Letters: w weights, a = w·m+,
b = w·m-, p the share of positives, eta the step on X/κ, eps the same step in the units of X.

Departures: by default the step-weighted average of the iterates is returned, as SOLAM's is; algorithm 20 ends with the
last iterate, which is ``average=False``. The step sizes, which the thesis leaves open but for theorems 4.1 and 4.2,
are C/√t by default, with a C from the data that ``step`` describes, on X/κ. ``fit`` goes over the rows up to 20 times,
in a new random order each time, where algorithm 20 receives samples. The products of w with the class sums are
tracked, so a step costs the row's non-zeros, not d; the penalty's shrinkage is one scalar (L2) or a clock (elastic
net). Streams use running class means, which count the row of the step. The steps of theorem 4.2 start at t0 = L/C̃
with L = 2: with the printed t0 = 1 the first ones overflow for small l2.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from aucmax.kernel import net, weights
from aucmax.kernel.driver import algorithm
from aucmax.kernel.jit import inlined
from aucmax.kernel.moments import Known, Running, Seen, positive_share, unit_step, witness
from aucmax.kernel.rows import dot
from aucmax.model.data import NOTHING_KNOWN, Data
from aucmax.model.docs import documented
from aucmax.model.iterative import IterativeEstimator
from aucmax.model.params import PENALTY, STEP, Choice, Number, Range
from aucmax.model.stepped import Machine, OnlineEstimator

LARGEST_CURVATURE = 2.0  # of one row's loss on X/κ
LARGEST_CONSTANT = 30.0  # of the default steps


class Ridge(NamedTuple):
    """Options with an L2 penalty."""

    l2: float


class ElasticNet(NamedTuple):
    """Options with both penalties."""

    l2: float
    l1: float


class Vectors(NamedTuple):
    """The weight vector and the class sums."""

    w: Any
    means: Any


class RidgeScalars(NamedTuple):
    """The scalars with an L2 penalty; pos and neg are w's products with the class sums."""

    scale: weights.Scale
    seen: Seen
    pos: float
    neg: float


class NetScalars(NamedTuple):
    """The scalars with both penalties."""

    clock: net.Clock
    seen: Seen


@inlined
def class_mean(product: Any, weight: Any) -> Any:
    """A class's mean score; zero before its first row."""
    return product / weight if weight > 0.0 else 0.0


@inlined
def pull(batch: Any, i: Any, score: Any, pos: Any, neg: Any, seen: Any) -> Any:
    """The factor of the row in the stochastic gradient, weighted; pos and neg are w's products with the class sums."""
    share = 1.0 / (seen.pos + seen.neg)
    weight = 2.0 * batch.weight[i] * seen.rows * share * share
    if batch.y[i] > 0:
        return weight * seen.neg * (score - class_mean(neg, seen.neg) - 1.0)
    return weight * seen.pos * (score - class_mean(pos, seen.pos) + 1.0)


@algorithm(Ridge)
def ridge_step(options: Any, vectors: Any, scalars: Any, batch: Any, i: Any) -> Any:
    """One step with an L2 penalty."""
    scale = weights.accumulate(scalars.scale, batch.eta[i])
    score = scale.s * dot(batch.rows, i, vectors.w.v, 0)
    seen, x_pos, x_neg = witness(vectors.means, scalars.seen, batch, i)
    # a running mean has just taken the row in; a known one adds nothing here
    pos = scalars.pos + (seen.pos - scalars.seen.pos) * score
    neg = scalars.neg + (seen.neg - scalars.seen.neg) * score
    eps = unit_step(seen, batch.eta[i])
    change = -eps * pull(batch, i, score, pos, neg, seen)
    factor = 1.0 / (1.0 + eps * options.l2)
    scale = weights.add(vectors.w, scale, batch, i, change, score)
    scale = weights.shrink(vectors.w, scale, factor)
    return RidgeScalars(scale, seen, factor * (pos + change * x_pos), factor * (neg + change * x_neg))


@algorithm(ElasticNet)
def net_step(options: Any, vectors: Any, scalars: Any, batch: Any, i: Any) -> Any:
    """One step with both penalties."""
    w, sums = vectors.w, vectors.means.sums
    clock = net.accumulate(scalars.clock, batch.eta[i])
    score, slopes = net.lines(w, clock, batch.rows, i)
    seen, x_pos, x_neg = witness(vectors.means, scalars.seen, batch, i)
    more_pos = seen.pos - scalars.seen.pos
    more_neg = seen.neg - scalars.seen.neg
    clock = net.joined(clock, more_pos * score, more_neg * score, more_pos * slopes, more_neg * slopes)
    eps = unit_step(seen, batch.eta[i])
    change = -eps * pull(batch, i, score, clock.pos, clock.neg, seen)
    clock = net.add(w, clock, sums, batch.rows, i, change, options.l1)
    clock = net.joined(clock, change * x_pos, change * x_neg, 0.0, 0.0)
    clock = net.shrink(w, clock, sums, net.Shrinkage(eps, options.l1, 1.0 / (1.0 + eps * options.l2)))
    return NetScalars(clock, seen)


@documented
@dataclass(eq=False, repr=False)
class SPAM(OnlineEstimator):
    r"""Stochastic proximal AUC maximization: SPAM-L2, and SPAM-NET with ``l1 > 0``.

    Minimises, with ``p`` the share of positives and the mean over all pairs of a positive and a negative row,

    .. math:: p(1-p)\,\mathrm{mean}\,(1 - w\cdot(x^+ - x^-))^2 + \frac{l_2}{2}|w|^2 + l_1|w|_1

    by one proximal gradient step per row.

    Parameters
    ----------
    l2, l1 : float, default=1e-4 and 0
        The penalties, at least 0, in the units of X.
    step : float, optional
        The constant C of the step sizes, on rows divided by the largest row norm κ. By default ``fit`` takes
        ``1/(4p(1-p)m)``, with m the mean squared norm of those rows, at most 30, and a stream takes 1.
    schedule : {"sqrt", "power", "theorem"}, default="sqrt"
        Steps ``C/√t``, ``C/t^theta``, or those of theorem 4.2, ``1/(C̃(t+t0))``, which need ``l2 > 0`` and no C.
    theta : float, default=0.75
        The exponent of ``schedule="power"``, between 0 and 1.
    average : bool, default=True
        Whether to return the step-weighted average of the iterates (before their update) or the last one.
    <<passes>>
    <<shared>>

    Attributes
    ----------
    <<attributes>>

    References
    ----------
    M. Natole, Y. Ying, S. Lyu, "Stochastic proximal algorithms for AUC maximization", ICML 2018, algorithm 1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import SPAM
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SPAM(random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.93)
    True
    """

    _sums_in_step = True
    _ranges: ClassVar[dict[str, Range]] = {
        "l2": PENALTY,
        "l1": PENALTY,
        "step": STEP,
        "schedule": Choice(("sqrt", "power", "theorem")),
        "theta": Number(0.0, 1.0),
        **IterativeEstimator._shared_ranges,
    }

    l2: float = 1e-4
    l1: float = 0.0
    step: float | None = field(default=None, kw_only=True)
    schedule: str = field(default="sqrt", kw_only=True)
    theta: float = field(default=0.75, kw_only=True)
    average: bool = field(default=True, kw_only=True)

    def _machine(self, data: Data, start: np.ndarray | None, *, stream: bool) -> Machine:
        if self.schedule == "theorem" and self.l2 == 0:
            raise ValueError(
                'SPAM(schedule="theorem") needs l2 > 0: its steps are 1/(l2·t); choose "sqrt" or raise l2.'
            )
        start = np.zeros(data.d) if start is None else start
        self._constant = _step_constant(self.step, data, stream)
        means: Known | Running
        if stream:
            means, seen, along = Running(np.zeros((data.d, 2))), Seen(0.0, 0.0, 0.0, 0.0), NOTHING_KNOWN
        else:
            means, seen = Known(data.class_sums), data.seen
            along = data.products(means.sums)
        if self.l1 > 0:
            vector = net.net(data.d, data.dense)
            net.reset(vector, start, float(self.l1))
            scalars: Any = NetScalars(net.clock(vector, means.sums), seen)
            return Machine(ElasticNet(float(self.l2), float(self.l1)), Vectors(vector, means), scalars, along)
        kind = weights.Averaged if self.average else weights.Plain
        w = kind(weights.columns(data.d, 2 if self.average else 1, data.dense))
        w.v[:, 0] = start
        pos, neg = start @ means.sums
        scalars = RidgeScalars(weights.scale_of(w.v), seen, float(pos), float(neg))
        return Machine(Ridge(float(self.l2)), Vectors(w, means), scalars, along)

    def _weights(self, machine: Machine) -> np.ndarray:
        w, scalars = machine.vectors.w, machine.scalars
        if isinstance(scalars, NetScalars):
            return (net.average if self.average else net.current)(w, scalars.clock)
        return (weights.average if self.average else weights.current)(w, scalars.scale)

    def _step_sizes(self, t: np.ndarray, kappa2: Any) -> np.ndarray:
        if self.schedule == "theorem":
            beta = self.l2 / np.maximum(kappa2, np.finfo(float).tiny)
            rate = beta / (1.0 + beta**2 / 128.0) ** 2
            return np.asarray(1.0 / (rate * t + LARGEST_CURVATURE))
        return self._constant / (np.sqrt(t) if self.schedule == "sqrt" else t**self.theta)


def _step_constant(step: float | None, data: Data, stream: bool) -> float:
    """C: as given, or about the reciprocal of the mean curvature of the loss on X/κ.

    That is large where positives are rare, or where most rows are far shorter than the longest one: with a constant of
    one, they would hardly move the weights.
    """
    if step is not None:
        return float(step)
    total = float(data.sqnorm.sum())
    if stream or total == 0.0:
        return 1.0
    p = float(positive_share(data.seen))
    mean = total / (data.n * float(data.sqnorm.max()))
    return min(1.0 / (4.0 * p * (1.0 - p) * mean), LARGEST_CONSTANT)
