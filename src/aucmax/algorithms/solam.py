"""SOLAM and regSOLAM: stochastic online AUC maximization (thesis, algorithms 10 and 18).

    line 3   p_t, the share of positives among the first t rows
    line 4   (w, a, b) <- P(  (w, a, b) - gamma_t d F_t )       eq. 2.25, 2.26
    line 5   alpha     <- P(  alpha + gamma_t d F_t )
    line 7   the average of the iterates before their update, weighted by gamma_t

P projects on |w| ≤ R, |a|, |b| ≤ Rκ, |alpha| ≤ 2Rκ. Letters: w, a, b, alpha, p as in the thesis; gamma the step on
X/κ, eps the same step in the units of X. With ``scale="none"`` all of this is literal on X as it is, and eps is gamma.

Departures: steps and radius are meant on X/κ, so that the units of X do not matter; the algorithms step on X (SOLAM's
``scale="none"``). w is kept in the units of X, where its step is gamma/κ² and its radius R/κ, so that κ may grow along
a stream without a rescaling; averages and norms are lazy. Algorithm 10 prints a descent on alpha; algorithm 18 has the
ascent. The constant of the steps is 1/(4p(1-p)) by default, at most 10, and SOLAM's R is 10; the thesis chooses both
by cross-validation. ``fit`` goes over the rows up to 20 times by default, in a new random order each time
(``max_iter``, ``tol``); the algorithms see a row once. A weight multiplies a row's derivatives. Only the average of w
is kept, not those of a, b and alpha.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numba.extending import overload

from aucmax.kernel import prox, rows, weights
from aucmax.kernel.driver import algorithm
from aucmax.kernel.jit import inlined
from aucmax.kernel.moments import Seen, counted, positive_share, relative_weight, unit_step
from aucmax.model.data import Data
from aucmax.model.docs import documented
from aucmax.model.iterative import IterativeEstimator
from aucmax.model.params import PENALTY, POSITIVE, STEP, Choice, Range
from aucmax.model.stepped import Machine, OnlineEstimator

# the tracked norm is counted afresh once in so many steps
RECOUNT = 65536
LARGEST_CONSTANT = 10.0  # of the default steps


class L2Ball(NamedTuple):
    """|w| ≤ radius on X/κ."""

    radius: float


class L1Ball(NamedTuple):
    """|w|₁ ≤ radius on X/κ."""

    radius: float


class Saddle(NamedTuple):
    """Options: the ball of w, the L2 penalty of regSOLAM, and whether steps and ball are meant on X, not on X/κ."""

    ball: Any
    l2: float
    literal: bool


class Vectors(NamedTuple):
    """The weight vector."""

    w: weights.Averaged | prox.Listed


class Dual(NamedTuple):
    """The scalar unknowns of the saddle problem."""

    a: float
    b: float
    alpha: float


class Scalars(NamedTuple):
    """The scalars; the support is tracked for the ℓ1 ball only."""

    scale: weights.Scale
    seen: Seen
    dual: Dual
    support: weights.Support


@inlined
def saddle_gradient(y: Any, score: Any, dual: Any, p: Any) -> Any:
    """The partial derivatives of F: the row's factor in w's, then a's, b's and alpha's."""
    curve = 2.0 * p * (1.0 - p) * dual.alpha
    if y > 0:
        q = 2.0 * (1.0 - p)
        return q * (score - dual.a - 1.0 - dual.alpha), -q * (score - dual.a), 0.0, -q * score - curve
    q = 2.0 * p
    return q * (score - dual.b + 1.0 + dual.alpha), 0.0, -q * (score - dual.b), q * score - curve


class Motion(NamedTuple):
    """What happens to w in a step: change times the row is added, then w is projected on a ball in the units of X."""

    change: float
    score: float  # of the row, before
    radius: float


def move(ball: Any, w: Any, scalars: Any, batch: Any, i: Any, motion: Any) -> Any:
    """Move w; its scale and its support afterwards."""
    if isinstance(ball, L1Ball):
        return _move_l1(ball, w, scalars, batch, i, motion)
    return _move_l2(ball, w, scalars, batch, i, motion)


@inlined
def _move_l2(ball: Any, w: Any, scalars: Any, batch: Any, i: Any, motion: Any) -> Any:
    scale = weights.add(w, scalars.scale, batch, i, motion.change, motion.score)
    if scalars.seen.rows % RECOUNT == 0.0:
        scale = weights.fold(w, scale)
    return weights.project_l2(w, scale, motion.radius), scalars.support


@inlined
def _move_l1(ball: Any, w: Any, scalars: Any, batch: Any, i: Any, motion: Any) -> Any:
    support = weights.add_listed(w, scalars.scale, batch, i, motion.change, scalars.support)
    if support.size > motion.radius or scalars.seen.rows % RECOUNT == 0.0:
        threshold = prox.l1_threshold(w, support.columns, motion.radius)
        support = weights.threshold_listed(w, scalars.scale, support, threshold)
    return scalars.scale, support


@overload(move)
def _move(ball: Any, w: Any, scalars: Any, batch: Any, i: Any, motion: Any) -> Any:
    def l1(ball: Any, w: Any, scalars: Any, batch: Any, i: Any, motion: Any) -> Any:
        return _move_l1(ball, w, scalars, batch, i, motion)

    def l2(ball: Any, w: Any, scalars: Any, batch: Any, i: Any, motion: Any) -> Any:
        return _move_l2(ball, w, scalars, batch, i, motion)

    return l1 if ball.instance_class is L1Ball else l2


@algorithm(Saddle)
def saddle_step(options: Any, vectors: Any, scalars: Any, batch: Any, i: Any) -> Any:
    """One step."""
    w, dual = vectors.w, scalars.dual
    gamma = batch.eta[i]
    seen = counted(scalars.seen, batch, i)
    scale = weights.accumulate(scalars.scale, gamma)
    score = scale.s * rows.dot(batch.rows, i, w.v, 0)
    g, g_a, g_b, g_alpha = saddle_gradient(batch.y[i], score, dual, positive_share(seen))
    relative = relative_weight(seen, batch, i)
    step = gamma * relative
    eps = gamma if options.literal else unit_step(seen, gamma)
    kappa = np.sqrt(seen.kappa2) if seen.kappa2 > 0.0 else 1.0
    # regSOLAM's ball is √(2/l2) in the units of X, SOLAM's is given on X/κ, or on X
    radius = options.ball.radius * kappa if options.literal else options.ball.radius
    if options.l2 > 0.0:
        radius = np.sqrt(2.0 / options.l2) * kappa
    dual = Dual(
        prox.clip(dual.a - step * g_a, radius),
        prox.clip(dual.b - step * g_b, radius),
        prox.clip(dual.alpha + step * g_alpha, 2.0 * radius),
    )
    factor = 1.0 - eps * options.l2
    if options.l2 > 0.0:
        scale = weights.shrink(w, scale, factor)
    motion = Motion(-eps * relative * g, factor * score, radius / kappa)
    scale, support = move(options.ball, w, Scalars(scale, seen, dual, scalars.support), batch, i, motion)
    return Scalars(scale, seen, dual, support)


def dual_at(w: np.ndarray, data: Data) -> Dual:
    """The a, b and alpha that belong to weights: the class means of their scores, and the gap."""
    a, b = (float(s / v) if v > 0.0 else 0.0 for s, v in zip(w @ data.class_sums, data.seen[1:3], strict=True))
    return Dual(a, b, b - a)


class SaddleEstimator(OnlineEstimator):
    """What SOLAM and regSOLAM share."""

    def _options(self) -> Saddle:
        raise NotImplementedError

    def _machine(self, data: Data, start: np.ndarray | None, *, stream: bool) -> Machine:
        p = 0.5 if stream else positive_share(data.seen)
        self._constant = min(1.0 / (4.0 * p * (1.0 - p)), LARGEST_CONSTANT) if self.step is None else float(self.step)
        options, w = self._options(), self._vector(data)
        dual = Dual(0.0, 0.0, 0.0)
        if start is not None:
            w.v[:, 0], dual = start, dual_at(start, data)
        begun = Seen(0.0, 0.0, 0.0, 0.0 if stream else data.seen.kappa2)
        support = weights.listed_support(w) if isinstance(w, prox.Listed) else weights.Support(0.0, 0)
        return Machine(options, Vectors(w), Scalars(weights.scale_of(w.v), begun, dual, support))

    def _vector(self, data: Data) -> weights.Averaged | prox.Listed:
        return weights.Averaged(weights.columns(data.d, 2, data.dense))

    def _weights(self, machine: Machine) -> np.ndarray:
        return weights.average(machine.vectors.w, machine.scalars.scale)

    def _step_sizes(self, t: np.ndarray, kappa2: Any) -> np.ndarray:
        return np.asarray(self._constant / np.sqrt(t))


@documented
@dataclass(eq=False, repr=False)
class SOLAM(SaddleEstimator):
    r"""Stochastic online AUC maximization in a ball.

    Minimises, with ``p`` the share of positives and the mean over all pairs of a positive and a negative row,

    .. math:: p(1-p)\,\mathrm{mean}\,(1 - w\cdot(x^+ - x^-))^2 \quad\text{subject to}\quad |w| \le R/\kappa

    with κ the largest row norm, as the saddle point of a function of single rows. Returns the step-weighted average.

    Parameters
    ----------
    radius : float, default=10
        R, above 0, on rows divided by κ. The papers search 0.1 to 100,000.
    ball : {"l2", "l1"}, default="l2"
        The norm of the ball.
    step : float, optional
        C in the steps ``C/√t`` on rows divided by κ; by default ``1/(4p(1-p))``, at most 10, and 1 in a stream.
    scale : {"norm", "none"}, default="norm"
        What rows are divided by, for ``radius`` and ``step`` to be taken literally: κ, or nothing. The second is the
        algorithm to the letter, for data of which the papers' grids are meant; its result depends on the units of X.
    <<passes>>
    <<shared>>

    Attributes
    ----------
    <<attributes>>

    References
    ----------
    Y. Ying, L. Wen, S. Lyu, "Stochastic online AUC maximization", NIPS 2016, algorithm 1; with the ℓ1 ball: M. Liu and
    others, "Fast stochastic AUC maximization with O(1/n)-convergence rate", ICML 2018, section 5.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import SOLAM
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bool(SOLAM(random_state=0).fit(X, y).score(X, y) > 0.9)
    True
    """

    _ranges: ClassVar[dict[str, Range]] = {
        "radius": POSITIVE,
        "ball": Choice(("l2", "l1")),
        "step": STEP,
        "scale": Choice(("norm", "none")),
        **IterativeEstimator._shared_ranges,
    }

    radius: float = 10.0
    ball: str = "l2"
    step: float | None = field(default=None, kw_only=True)
    scale: str = field(default="norm", kw_only=True)

    def _options(self) -> Saddle:
        ball = L1Ball if self.ball == "l1" else L2Ball
        return Saddle(ball(float(self.radius)), 0.0, self.scale == "none")

    def _vector(self, data: Data) -> weights.Averaged | prox.Listed:
        return weights.listed(data.d, 2, data.dense) if self.ball == "l1" else super()._vector(data)


@documented
@dataclass(eq=False, repr=False)
class RegSOLAM(SaddleEstimator):
    r"""Regularised stochastic online AUC maximization.

    Minimises, with ``p`` the share of positives and the mean over all pairs of a positive and a negative row,

    .. math:: p(1-p)\,\mathrm{mean}\,(1 - w\cdot(x^+ - x^-))^2 + \frac{l_2}{2}|w|^2

    as the saddle point of a function of single rows, in the ball ``|w| ≤ √(2/l2)``. Returns the step-weighted average.

    Parameters
    ----------
    l2 : float, default=1e-4
        The penalty, at least 0, in the units of X.
    step : float, optional
        C in the steps ``C/√t`` on rows divided by the largest row norm; by default ``1/(4p(1-p))``, at most 10, and 1
        in a stream.
    <<passes>>
    <<shared>>

    Attributes
    ----------
    <<attributes>>

    References
    ----------
    M. Natole, "Stochastic optimization for AUC maximization", thesis, chapter 3, algorithm 18.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import RegSOLAM
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bool(RegSOLAM(random_state=0).fit(X, y).score(X, y) > 0.9)
    True
    """

    _ranges: ClassVar[dict[str, Range]] = {"l2": PENALTY, "step": STEP, **IterativeEstimator._shared_ranges}

    l2: float = 1e-4
    step: float | None = field(default=None, kw_only=True)

    def _options(self) -> Saddle:
        return Saddle(L2Ball(float("inf")), float(self.l2), literal=False)
