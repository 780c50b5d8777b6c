"""VRSPAM: SPAM with variance reduction (Dan and Sahoo, algorithm 1).

    outer    w~ = the last iterate,  mu = mean of G(w~, z)
    inner    w <- w - eta (G(w, z) - G(w~, z) + mu)
             w <- prox_{eta Omega}(w)

Letters: w~ the anchor, mu its full gradient, eta the step on X/κ, eps the same step in the units of X.

Departures: the inner loop takes every row once, in a random order, instead of drawing rows with replacement; the first
anchor is the average of one pass of SPAM with steps 1/√t. ``w = s·(u - E·mu)`` with two scalars, so a step costs the
row's non-zeros. The default step is the reciprocal of the largest curvature of a row: the paper's bound β/(128M⁴) is
far from practice. A stage has n steps, where the paper leaves their number open, and a fit has up to 50 stages by
default, and ends before when the gradient is small. With l1 = 0 the penalty is l2/2·|w|², as in the paper's section 5;
its section 2 has β|w|².
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from aucmax.algorithms.spam import SPAM, class_mean
from aucmax.kernel import net, weights
from aucmax.kernel.driver import algorithm
from aucmax.kernel.jit import inlined
from aucmax.kernel.moments import Known, Seen, relative_weight, unit_step
from aucmax.kernel.rows import add, dot
from aucmax.model.data import Data, Order
from aucmax.model.docs import documented
from aucmax.model.iterative import IterativeEstimator
from aucmax.model.params import PENALTY, STEP, Range
from aucmax.model.square import warn_unconverged
from aucmax.model.stepped import Machine, SteppedEstimator
from aucmax.model.trace import Trace

FULL_GRADIENT, ANCHOR = 2, 3  # columns of what is known of a row: its products with mu and with w~


class Anchor(NamedTuple):
    """What is fixed during a stage: the anchor's mean scores, and the products of mu with the class sums."""

    a: float
    b: float
    mu_pos: float
    mu_neg: float
    p: float


class Ridge(NamedTuple):
    """Options with an L2 penalty."""

    l2: float
    anchor: Anchor


class ElasticNet(NamedTuple):
    """Options with both penalties."""

    l2: float
    l1: float
    anchor: Anchor


class Vectors(NamedTuple):
    """The weight vector, the full gradient and the class sums."""

    w: Any
    mu: np.ndarray
    means: Known


class RidgeScalars(NamedTuple):
    """``w = s·(u - E·mu)``; pos and neg are w's products with the class sums."""

    s: float
    E: float
    pos: float
    neg: float
    seen: Seen


class NetScalars(NamedTuple):
    """The scalars with both penalties."""

    clock: net.Clock
    seen: Seen


@inlined
def difference(y: Any, score: Any, before: Any, a: Any, b: Any, anchor: Any) -> Any:
    """The factor of the row in G(w, z) - G(w~, z)."""
    if y > 0:
        return 2.0 * (1.0 - anchor.p) * ((score - before) - (b - anchor.b))
    return 2.0 * anchor.p * ((score - before) - (a - anchor.a))


@algorithm(Ridge)
def ridge_step(options: Any, vectors: Any, scalars: Any, batch: Any, i: Any) -> Any:
    """One inner step with an L2 penalty."""
    anchor, seen, s = options.anchor, scalars.seen, scalars.s
    score = s * (dot(batch.rows, i, vectors.w.v, 0) - scalars.E * batch.along[i, FULL_GRADIENT])
    a, b = class_mean(scalars.pos, seen.pos), class_mean(scalars.neg, seen.neg)
    g = difference(batch.y[i], score, batch.along[i, ANCHOR], a, b, anchor)
    eps = unit_step(seen, batch.eta[i])
    change = -eps * relative_weight(seen, batch, i) * g
    add(batch.rows, i, vectors.w.v, 0, change / s)
    factor = 1.0 / (1.0 + eps * options.l2)
    pos = factor * (scalars.pos + change * batch.along[i, 0] - eps * anchor.mu_pos)
    neg = factor * (scalars.neg + change * batch.along[i, 1] - eps * anchor.mu_neg)
    E = scalars.E + eps / s
    s *= factor
    if s < weights.SMALLEST_SCALE:
        for j in range(vectors.mu.shape[0]):
            vectors.w.v[j, 0] = s * (vectors.w.v[j, 0] - E * vectors.mu[j])
        s, E = 1.0, 0.0
    return RidgeScalars(s, E, pos, neg, seen)


@algorithm(ElasticNet)
def net_step(options: Any, vectors: Any, scalars: Any, batch: Any, i: Any) -> Any:
    """One inner step with both penalties; the full gradient is the drift of the net."""
    w, sums, seen, clock = vectors.w, vectors.means.sums, scalars.seen, scalars.clock
    score, _ = net.lines(w, clock, batch.rows, i)
    a, b = class_mean(clock.pos, seen.pos), class_mean(clock.neg, seen.neg)
    g = difference(batch.y[i], score, batch.along[i, ANCHOR], a, b, options.anchor)
    eps = unit_step(seen, batch.eta[i])
    change = -eps * relative_weight(seen, batch, i) * g
    clock = net.add(w, clock, sums, batch.rows, i, change, options.l1)
    clock = net.joined(clock, change * batch.along[i, 0], change * batch.along[i, 1], 0.0, 0.0)
    clock = net.shrink(w, clock, sums, net.Shrinkage(eps, options.l1, 1.0 / (1.0 + eps * options.l2)))
    return NetScalars(clock, seen)


class Problem(NamedTuple):
    """What is fixed during a fit: the data, its counts and class sums, and every row's products with the sums."""

    data: Data
    seen: Seen
    means: Known
    along: np.ndarray

    @classmethod
    def of(cls, data: Data) -> Problem:
        """The problem of the given rows."""
        sums = data.class_sums
        return cls(data, data.seen, Known(sums), data.products(sums))

    def anchored(self, w: np.ndarray) -> tuple[Anchor, np.ndarray, np.ndarray]:
        """The anchor at w, its full gradient, and what is then known of every row."""
        data, seen = self.data, self.seen
        scores = data.products(w[:, None])[:, 0]
        a, b = w @ self.means.sums / (seen.pos, seen.neg)
        p = seen.pos / (seen.pos + seen.neg)
        factors = np.where(data.y > 0, 2.0 * (1.0 - p) * (scores - b - 1.0), 2.0 * p * (scores - a + 1.0))
        mu = data.combination(factors * data.weight / (seen.pos + seen.neg))
        mu_pos, mu_neg = mu @ self.means.sums
        anchor = Anchor(float(a), float(b), float(mu_pos), float(mu_neg), float(p))
        return anchor, mu, np.column_stack([self.along, data.products(mu[:, None]), scores])

    def largest_curvature(self) -> float:
        """The largest Lipschitz constant of a row's stochastic gradient, on X/κ."""
        data, seen = self.data, self.seen
        mass = np.array([seen.pos, seen.neg])
        means, sides = self.means.sums / mass, self.along / mass
        p = seen.pos / mass.sum()
        # the other class's mean enters a row's gradient
        apart = data.sqnorm[:, None] - 2.0 * sides + np.sum(means**2, axis=0)
        far = np.sqrt(np.maximum(np.where(data.y > 0, apart[:, 1], apart[:, 0]), 0.0))
        relative = data.weight * (seen.rows / mass.sum()) * np.where(data.y > 0, 2.0 * (1.0 - p), 2.0 * p)
        largest = float(np.max(relative * np.sqrt(data.sqnorm) * far))
        return largest / seen.kappa2 if largest > 0.0 else 1.0


@documented
@dataclass(eq=False, repr=False)
class VRSPAM(SteppedEstimator):
    r"""SPAM with variance reduction: VRSPAM-L2, and VRSPAM-NET with ``l1 > 0``.

    Minimises, with ``p`` the share of positives and the mean over all pairs of a positive and a negative row,

    .. math:: p(1-p)\,\mathrm{mean}\,(1 - w\cdot(x^+ - x^-))^2 + \frac{l_2}{2}|w|^2 + l_1|w|_1

    at a linear rate.

    Parameters
    ----------
    l2, l1 : float, default=1e-4 and 0
        The penalties, at least 0, in the units of X.
    step : float, optional
        The constant step, on rows divided by the largest row norm; by default the reciprocal of the largest curvature
        of a single row's loss.
    max_iter : int, default=50
        Outer stages; each costs a full gradient and one pass.
    tol : float or None, default=1e-3
        Stop when the proximal gradient is below this part of the gradient at zero; None makes all stages.
    <<shared>>

    Attributes
    ----------
    <<attributes>>

    References
    ----------
    S. Dan, D. Sahoo, "Variance reduced stochastic proximal algorithm for AUC maximization", algorithm 1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from aucmax import VRSPAM
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bool(VRSPAM(l2=0.01, random_state=0).fit(scale(X), y).score(scale(X), y) > 0.99)
    True
    """

    _ranges: ClassVar[dict[str, Range]] = {
        "l2": PENALTY,
        "l1": PENALTY,
        "step": STEP,
        **IterativeEstimator._shared_ranges,
    }

    l2: float = 1e-4
    l1: float = 0.0
    step: float | None = field(default=None, kw_only=True)
    max_iter: int = field(default=50, kw_only=True)

    def _train(self, data: Data, trace: Trace) -> np.ndarray:
        rng = check_random_state(self.random_state)
        order = Order(data, self.shuffle, rng)
        problem = Problem.of(order.data)
        self._eta = 1.0 / problem.largest_curvature() if self.step is None else float(self.step)
        w, self.n_iter_ = trace.resumed((self._first_anchor(order), 0), data.d)
        for _ in range(self.n_iter_):
            order.blocks()  # random numbers that were drawn before
        trace.record(self.n_iter_, w)
        self.t_, settled = self.n_iter_ * data.n, False
        while self.n_iter_ < self.max_iter and not settled:
            anchor, mu, along = problem.anchored(w)
            settled = self._optimal(w, mu, problem)
            if settled:
                break
            w = self._stage(problem, w, (anchor, mu, along), order)
            self.n_iter_, self.t_ = self.n_iter_ + 1, self.t_ + data.n
            trace.record(self.n_iter_, w)
            if trace.should_stop(w):
                return w
            trace.offer((w, self.n_iter_))
        if self.tol is not None and not settled and not self._optimal(w, problem.anchored(w)[1], problem):
            warn_unconverged("VRSPAM", self.max_iter, self.tol)
        return w

    def _first_anchor(self, order: Order) -> np.ndarray:
        if self._start is not None:
            return np.array(self._start)
        # data that lie shuffled already need no second copy
        shuffle = self.shuffle and order.small
        spam = SPAM(self.l2, self.l1, step=1.0, max_iter=1, tol=None, shuffle=shuffle, random_state=order.rng)
        spam._start = None
        return spam._train(order.data, Trace(spam, None, None))

    def _stage(self, problem: Problem, w: np.ndarray, anchored: Any, order: Order) -> np.ndarray:
        """One outer stage from the anchor w; the next anchor."""
        data, seen = problem.data, problem.seen
        anchor, mu, along = anchored
        if self.l1 > 0:
            vector: Any = net.net(data.d, data.dense)
            vector.v[:, 3] = mu
            net.reset(vector, w, float(self.l1))
            options: Any = ElasticNet(float(self.l2), float(self.l1), anchor)
            scalars: Any = NetScalars(net.clock(vector, problem.means.sums), seen)
        else:
            vector = weights.Plain(weights.columns(data.d, 1, data.dense))
            vector.v[:, 0] = w
            pos, neg = w @ problem.means.sums
            options = Ridge(float(self.l2), anchor)
            scalars = RidgeScalars(1.0, 0.0, float(pos), float(neg), seen)
        machine = Machine(options, Vectors(vector, mu, problem.means), scalars, along)
        for start, stop in order.blocks():
            machine = self._advance(machine, order.piece(start, stop, along), start, seen.kappa2)
        return self._weights(machine)

    def _weights(self, machine: Machine) -> np.ndarray:
        vectors, scalars = machine.vectors, machine.scalars
        if isinstance(scalars, NetScalars):
            return net.current(vectors.w, scalars.clock)
        return np.asarray(scalars.s * (vectors.w.v[:, 0] - scalars.E * vectors.mu))

    def _step_sizes(self, t: np.ndarray, kappa2: Any) -> np.ndarray:
        return np.full(len(t), self._eta)

    def _optimal(self, w: np.ndarray, mu: np.ndarray, problem: Problem) -> bool:
        """Whether the proximal gradient at w, whose smooth part is mu, is within the tolerance."""
        if self.tol is None:
            return False
        gradient = mu + self.l2 * w
        at_zero = np.maximum(np.abs(gradient) - self.l1, 0.0)
        subgradient = np.where(w == 0.0, at_zero, gradient + self.l1 * np.sign(w))
        seen = problem.seen
        mass = seen.pos + seen.neg
        sums = problem.means.sums
        first = 2.0 * (seen.neg * sums[:, 0] - seen.pos * sums[:, 1]) / mass**2
        return bool(np.linalg.norm(subgradient) <= self.tol * np.linalg.norm(first))
