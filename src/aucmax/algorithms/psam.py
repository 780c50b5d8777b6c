"""PSAM and ASAM: stochastic AUC maximization over pairs (PSAM paper, algorithm 1).

    line 5   a random pair of opposite rows, x = x⁺ - x⁻
    line 6   lambda_t = 1/(gamma (t + t0))
    line 7   PSAM: w <- prox of lambda_t max(0, 1 - w·x), i.e. w + lambda_t clip((1 - w·x)/(lambda_t |x|²), 0, 1) x
             ASAM: w <- w + lambda_t clip(1 - w·x, 0, 1) x, the smooth hinge's gradient step
    line 9   every reg_skip steps  w <- w - reg_skip/(t + t0) w
    line 13  every avg_skip steps  w enters the average, which is returned

Letters: w, x, gamma as in the paper; eta is lambda_t in the units of X.

Departures: t0, which the paper leaves open, is κ²/gamma with κ the largest row norm, so that the first step is 1 on
X/κ. A regularisation step that would turn w round (reg_skip > t + t0) sets it to zero. w is scaled, the average lazy:
a step costs the non-zeros of its two rows. Pairs keep to the order of memory (``model/pairing.py``): each is uniform,
but a pass takes every row of the larger class once; the paper draws n pairs an epoch. A fit has up to 20 passes by
default, gamma is 1e-3, beyond the paper's grid, and rskip and askip, which it leaves open, are 16. ``rcount < 0`` is
taken for ``rcount ≤ 0``. ASAM is algorithm 1 with another step, not a transcript of its own paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from aucmax.kernel import rows, weights
from aucmax.kernel.driver import algorithm
from aucmax.kernel.jit import inlined
from aucmax.model.data import Data
from aucmax.model.docs import documented
from aucmax.model.iterative import IterativeEstimator
from aucmax.model.pairing import Pairing
from aucmax.model.params import COUNT, POSITIVE, Range
from aucmax.model.stepped import Machine, SteppedEstimator

X_COLUMN = 2  # after u and q, a row spread out over the columns while a step lasts


class Hinge(NamedTuple):
    """Options of PSAM."""

    gamma: float
    reg_skip: int
    avg_skip: int


class SmoothHinge(NamedTuple):
    """Options of ASAM."""

    gamma: float
    reg_skip: int
    avg_skip: int


class Vectors(NamedTuple):
    """The weight vector; its array has a third column, zero between steps."""

    w: weights.Averaged


class Scalars(NamedTuple):
    """The scale, and the number of steps made."""

    scale: weights.Scale
    t: float


@inlined
def moved(w: Any, scale: Any, batch: Any, i: Any, amount: Any) -> Any:
    """Add amount times the difference of the pair to w."""
    if amount != 0.0:
        weights.add_row(w, scale, batch.rows, batch.lead[i], amount * batch.y[i])
        weights.add_row(w, scale, batch.rows, batch.partner[i], -amount * batch.y[i])


@inlined
def scheduled(options: Any, w: Any, scale: Any, t: Any, eta: Any) -> Any:
    """The regularisation and the averaging that are due after step t."""
    if t % options.reg_skip == 0.0:
        scale = weights.shrink(w, scale, max(0.0, 1.0 - options.reg_skip * options.gamma * eta))
    if t % options.avg_skip == 0.0:
        scale = weights.accumulate(scale, 1.0)
    return Scalars(scale, t)


@algorithm(Hinge)
def psam_step(options: Any, vectors: Any, scalars: Any, batch: Any, i: Any) -> Any:
    """One step of PSAM."""
    w, scale, eta = vectors.w, scalars.scale, batch.eta[i]
    lead, partner = batch.lead[i], batch.partner[i]
    first = rows.dot_spread(batch.rows, lead, w.v, 0, X_COLUMN)
    second, cross = rows.dot2(batch.rows, partner, w.v, 0, X_COLUMN)
    rows.clear(batch.rows, lead, w.v, X_COLUMN)
    missing = 1.0 - scale.s * (first - second) * batch.y[i]
    if missing > 0.0:
        square = batch.sqnorm[i] - 2.0 * cross
        amount = eta * batch.weight[i]
        if amount * square > missing:
            amount = missing / square
        moved(w, scale, batch, i, amount)
    return scheduled(options, w, scale, scalars.t + 1.0, eta)


@algorithm(SmoothHinge)
def asam_step(options: Any, vectors: Any, scalars: Any, batch: Any, i: Any) -> Any:
    """One step of ASAM."""
    w, scale, eta = vectors.w, scalars.scale, batch.eta[i]
    first = rows.dot(batch.rows, batch.lead[i], w.v, 0)
    second = rows.dot(batch.rows, batch.partner[i], w.v, 0)
    missing = 1.0 - scale.s * (first - second) * batch.y[i]
    moved(w, scale, batch, i, eta * batch.weight[i] * min(max(missing, 0.0), 1.0))
    return scheduled(options, w, scale, scalars.t + 1.0, eta)


class PairwiseEstimator(SteppedEstimator):
    """What PSAM and ASAM share."""

    _options: ClassVar[type]
    _pair_scale = 1.0
    _ranges: ClassVar[dict[str, Range]] = {
        "gamma": POSITIVE,
        "reg_skip": COUNT,
        "avg_skip": COUNT,
        **IterativeEstimator._shared_ranges,
    }

    @property
    def l2(self) -> float:
        """The penalty of the objective, by its other name."""
        return float(self.gamma)

    def _order(self, data: Data, rng: Any) -> Pairing:
        return Pairing(data, self.shuffle, rng)

    def _machine(self, data: Data, start: np.ndarray | None, *, stream: bool) -> Machine:
        w = weights.Averaged(weights.columns(data.d, 3, data.dense))
        if start is not None:
            w.v[:, 0] = start
        options = self._options(float(self.gamma), int(self.reg_skip), int(self.avg_skip))
        return Machine(options, Vectors(w), Scalars(weights.Scale(1.0, 0.0, 0.0, 0.0), 0.0))

    def _settled(self, before: np.ndarray, after: np.ndarray) -> bool:
        # a short pass may add nothing to the average
        return super()._settled(before, after) and not np.array_equal(before, after)

    def _weights(self, machine: Machine) -> np.ndarray:
        return weights.average(machine.vectors.w, machine.scalars.scale)

    def _step_sizes(self, t: np.ndarray, kappa2: Any) -> np.ndarray:
        return np.asarray(1.0 / (self.gamma * t + (kappa2 or 1.0)))


@documented
@dataclass(eq=False, repr=False)
class PSAM(PairwiseEstimator):
    r"""Proximal stochastic AUC maximization over random pairs.

    Minimises, with the mean over all pairs of a positive and a negative row,

    .. math:: \mathrm{mean}\,\max(0, 1 - w\cdot(x^+ - x^-)) + \frac{\gamma}{2}|w|^2

    by proximal steps on random pairs. Returns the average of every ``avg_skip``-th iterate.

    Parameters
    ----------
    gamma : float, default=1e-3
        The penalty, above 0, in the units of X; steps are ``1/(gamma t + κ²)`` with κ the largest row norm.
    reg_skip, avg_skip : int, default=16
        Steps between two regularisations, and between two iterates that enter the average.
    <<passes>>
    <<shared>>

    Attributes
    ----------
    <<attributes>>

    Notes
    -----
    A pass takes every row of the larger class once, each with a uniformly drawn partner of the smaller class; ``t_``
    counts pairs. A pair weighs the product of its two rows' sample weights.

    References
    ----------
    M. Khalid, H. Chitsaz, I. Ray, "Proximal stochastic AUC maximization", IEEE 2020, algorithm 1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import PSAM
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bool(PSAM(random_state=0).fit(X / X.max(axis=0), y).score(X / X.max(axis=0), y) > 0.98)
    True
    """

    _options = Hinge
    _pair_loss = "hinge"

    gamma: float = 1e-3
    reg_skip: int = 16
    avg_skip: int = 16


@documented
@dataclass(eq=False, repr=False)
class ASAM(PairwiseEstimator):
    r"""Averaged stochastic AUC maximization over random pairs.

    Minimises, with the mean over all pairs of a positive and a negative row and ``m = w·(x⁺ - x⁻)``,

    .. math:: \mathrm{mean}\,h(m) + \frac{\gamma}{2}|w|^2

    where h is the smooth hinge: 0 from 1 on, ``(1-m)²/2`` between 0 and 1, ``1/2 - m`` below 0. Takes gradient steps on
    random pairs; returns the average of every ``avg_skip``-th iterate.

    Parameters
    ----------
    gamma : float, default=1e-3
        The penalty, above 0, in the units of X; steps are ``1/(gamma t + κ²)`` with κ the largest row norm.
    reg_skip, avg_skip : int, default=16
        Steps between two regularisations, and between two iterates that enter the average.
    <<passes>>
    <<shared>>

    Attributes
    ----------
    <<attributes>>

    Notes
    -----
    Pairs, ``t_`` and weights are as in :class:`PSAM`; but a gradient step grows with the pair's weight without bound:
    weights should not differ by orders of magnitude.

    References
    ----------
    M. Khalid, H. Chitsaz, I. Ray, "Proximal stochastic AUC maximization", IEEE 2020, section III.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import ASAM
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bool(ASAM(random_state=0).fit(X / X.max(axis=0), y).score(X / X.max(axis=0), y) > 0.98)
    True
    """

    _options = SmoothHinge
    _pair_loss = "smooth_hinge"

    gamma: float = 1e-3
    reg_skip: int = 16
    avg_skip: int = 16
