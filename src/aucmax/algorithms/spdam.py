"""SPDAM: a stochastic primal-dual algorithm for AUC maximization (thesis, algorithm 21).

    line 3   beta_i  <- argmax  beta_i <wbar, x_i> - beta_i²/2 - (beta_i - beta_i_old)²/(2 sigma),   i in a mini-batch
    line 4   u       <- u + (1/n) sum (change of beta_i) x_i
    line 5   ubar    =  u_old + (n/m) (u - u_old)
    line 6   w       <- argmin  <ubar, w> + g(w) + |w - w_old|²/(2 tau),   g(w) = (b·w)²/2 + b·w + λ/2·|w|²
    line 7   wbar    =  w + theta (w - w_old)
    theorem 5.1  sigma, tau, theta

Letters as in the thesis: beta the dual variables, b = m- - m+, x_i the centred and scaled row. All on X/κ.

Departures: the box writes x_i where it means x̄_i; and x̄ = (x - m)/√p (or √(1-p)), because with the printed √(2p) the
dual belongs to another objective, whose minimiser is elsewhere. The w-step is closed by the Sherman-Morrison formula.
The printed sigma lacks a factor λ: it does not balance the two contraction factors in the theorem's own proof,

    λ/(λ + 2σκ²)  =  (m/n)·2σ/(2σ + 1),   whose root is  λ·((n-m) + √((n-m)² + 4nmκ²/λ))/(4mκ²),

and the rate falls as λ^1.5 instead of √λ. ``schedule="balanced"``, the default, uses the root, "theorem" the formula
as printed. The start is zero, a mini-batch a tenth of the rows, as in the thesis's tables, and a fit has up to 2,000
of them by default; the thesis gives no start and no number. The last iterate is returned.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from aucmax.kernel import rows as row
from aucmax.kernel.jit import kernel
from aucmax.model.base import diverged
from aucmax.model.data import Data
from aucmax.model.docs import documented
from aucmax.model.iterative import IterativeEstimator
from aucmax.model.params import POSITIVE, Choice, Number, Range
from aucmax.model.square import Implicit, warn_unconverged
from aucmax.model.trace import Trace

# a check of the tolerance costs about as much as an epoch of mini-batches
EPOCHS_PER_CHECK = 5


class Geometry(NamedTuple):
    """The rows x̄: the class means, each row's factor, and b = m- - m+, on X/κ."""

    means: np.ndarray  # (d, 2)
    factors: np.ndarray  # (n,)
    gap: np.ndarray
    largest: float  # the largest squared norm of an x̄
    kappa: float

    @classmethod
    def of(cls, data: Data) -> Geometry:
        """The geometry of the given rows."""
        seen = data.seen
        kappa = float(np.sqrt(seen.kappa2)) or 1.0
        mass = np.array([seen.pos, seen.neg])
        means = data.class_sums / mass
        positive = data.y > 0
        share = np.where(positive, *(mass / mass.sum()))
        factors = np.sqrt(data.weight * (seen.rows / mass.sum()) / share) / kappa
        products = data.products(means)
        apart = data.sqnorm - 2.0 * np.where(positive, *products.T) + np.where(positive, *np.sum(means**2, axis=0))
        largest = float(np.max(factors**2 * np.maximum(apart, 0.0)))
        return cls(means, factors, (means[:, 1] - means[:, 0]) / kappa, largest, kappa)


class Steps(NamedTuple):
    """The step sizes of theorem 5.1."""

    sigma: float
    tau: float
    theta: float


def theorem_5_1(n: int, m: int, largest: float, l2: float, printed: bool) -> Steps:
    """sigma, tau and theta for batches of m out of n rows."""
    largest = largest if largest > 0.0 else 1.0
    sigma = ((n - m) + np.sqrt((n - m) ** 2 + 4.0 * n * largest * m / l2)) / (8.0 * m * largest)
    if not printed:
        sigma *= 2.0 * l2
    return Steps(sigma, 1.0 / (4.0 * sigma * largest), 1.0 - l2 / (l2 + 2.0 * sigma * largest))


@kernel
def ascend(rows: Any, y: Any, factors: Any, chosen: Any, steps: Any, w: Any, means: Any, beta: Any, out: Any) -> Any:
    """Lines 3 and 4 on the chosen rows: new beta, and the sum of its changes times the rows (uncentred) into out.

    ``means`` are the products of wbar with the class means; the sums of the changes per class are returned.
    """
    total_pos = 0.0
    total_neg = 0.0
    for k in range(chosen.shape[0]):
        i = chosen[k]
        side = 0 if y[i] > 0 else 1
        score = factors[i] * (row.dot(rows, i, w, 0) - means[side])
        change = (steps.sigma * score + beta[i]) / (steps.sigma + 1.0) - beta[i]
        beta[i] += change
        row.add(rows, i, out, 0, change * factors[i])
        if side == 0:
            total_pos += change * factors[i]
        else:
            total_neg += change * factors[i]
    return total_pos, total_neg


class Iterate(NamedTuple):
    """The state of the algorithm, on X/κ."""

    w: np.ndarray
    ahead: np.ndarray  # wbar
    u: np.ndarray
    beta: np.ndarray


@documented
@dataclass(eq=False, repr=False)
class SPDAM(IterativeEstimator):
    r"""Stochastic primal-dual AUC maximization with mini-batches.

    Minimises, with the mean over all pairs of a positive and a negative row,

    .. math:: \tfrac12\,\mathrm{mean}\,(1 - w\cdot(x^+ - x^-))^2 + \frac{l_2}{2}|w|^2

    at a linear rate.

    Parameters
    ----------
    l2 : float, default=1e-4
        The penalty, above 0, in the units of X.
    batch_fraction : float, default=0.1
        The part of the rows in a mini-batch, above 0 and at most 1.
    schedule : {"balanced", "theorem"}, default="balanced"
        The step sizes: those that balance the two rates of theorem 5.1, or the theorem's as printed, which are far
        slower when ``l2`` is small.
    max_iter : int, default=2000
        Mini-batches.
    tol : float or None, default=1e-3
        Stop when the gradient is below this part of the gradient at zero, looked at every few passes' worth of
        mini-batches; None makes all iterations.
    <<shared>>

    Attributes
    ----------
    <<attributes>>

    References
    ----------
    M. Natole, "Stochastic optimization for AUC maximization", thesis, chapter 5, algorithm 21.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from aucmax import SPDAM
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bool(SPDAM(l2=1.0, random_state=0).fit(scale(X), y).score(scale(X), y) > 0.98)
    True
    """

    _first_checkpoint = 1
    _pair_scale = 0.5
    _ranges: ClassVar[dict[str, Range]] = {
        "l2": POSITIVE,
        "batch_fraction": Number(0.0, 1.0, open_low=True),
        "schedule": Choice(("balanced", "theorem")),
        **IterativeEstimator._shared_ranges,
    }

    l2: float = 1e-4
    batch_fraction: float = 0.1
    schedule: str = field(default="balanced", kw_only=True)
    max_iter: int = field(default=2000, kw_only=True)

    def _train(self, data: Data, trace: Trace) -> np.ndarray:
        rng = check_random_state(self.random_state)
        geometry = Geometry.of(data)
        m = max(1, round(self.batch_fraction * data.n))
        steps = theorem_5_1(data.n, m, geometry.largest, self.l2 / geometry.kappa**2, self.schedule == "theorem")
        state = self._begun(data, geometry)
        epoch = -(-data.n // m)
        check = Gradient(data, float(self.l2))
        settled = self.tol is None
        state, rng, done = trace.resumed((state, rng, 0), data.d)
        w, self.n_iter_, self.t_ = state.w / geometry.kappa, done, done * m
        for t in range(done, self.max_iter):
            chosen = rng.choice(data.n, m, replace=False) if self.shuffle else np.arange(t * m, (t + 1) * m) % data.n
            state = self._iterated(state, data, geometry, steps, chosen)
            self.n_iter_, self.t_ = t + 1, (t + 1) * m
            w = state.w / geometry.kappa
            if t + 1 >= trace.mark:
                trace.record(t + 1, w)
            if (t + 1) % epoch == 0 and trace.should_stop(w):
                settled = True
                break
            if self.tol is not None and (t + 1) % (EPOCHS_PER_CHECK * epoch) == 0:
                settled = check.relative(w) <= self.tol
                if settled:
                    break
            trace.offer((state, rng, t + 1))
        trace.record(self.n_iter_, w)
        if self.tol is not None and not settled and check.relative(w) > self.tol:
            warn_unconverged("SPDAM", self.max_iter, self.tol)
        return w

    def _begun(self, data: Data, geometry: Geometry) -> Iterate:
        """The first iterate: zero, or the weights to continue from with the dual variables that belong to them."""
        w = np.zeros(data.d)
        beta, u = np.zeros(data.n), np.zeros(data.d)
        if self._start is not None:
            w = self._start * geometry.kappa
            centred = data.products(w[:, None])[:, 0] - np.where(data.y > 0, *(w @ geometry.means))
            beta = geometry.factors * centred
            u = data.combination(beta * geometry.factors)
            for side, sign in enumerate((1, -1)):
                u -= geometry.means[:, side] * float((beta * geometry.factors)[data.y == sign].sum())
            u /= data.n
        return Iterate(w, w.copy(), u, beta)

    def _iterated(self, state: Iterate, data: Data, geometry: Geometry, steps: Steps, chosen: np.ndarray) -> Iterate:
        """Lines 3 to 7."""
        change = np.zeros((data.d, 1))
        ahead = state.ahead[:, None].copy()
        totals = ascend(
            data.rows, data.y, geometry.factors, chosen, steps, ahead, state.ahead @ geometry.means, state.beta, change
        )
        change = (change[:, 0] - geometry.means @ np.array(totals)) / data.n
        pushed = state.u + (data.n / len(chosen)) * change
        # (λ + 1/τ + b bᵀ) w = w_old/τ - ubar - b, by Sherman-Morrison
        ridge = self.l2 / geometry.kappa**2 + 1.0 / steps.tau
        right = state.w / steps.tau - pushed - geometry.gap
        w = (right - geometry.gap * (geometry.gap @ right) / (ridge + geometry.gap @ geometry.gap)) / ridge
        if not np.all(np.isfinite(w)):
            raise diverged(self)
        return Iterate(w, w + steps.theta * (w - state.w), state.u + change, state.beta)


class Gradient:
    """The gradient of the objective, for the stopping rule."""

    def __init__(self, data: Data, l2: float) -> None:
        problem = Implicit.of(data)
        seen = data.seen
        mass = seen.pos + seen.neg
        self.problem = problem
        # ExactAUC's problem has the factor p(1-p) where this one has 1/2
        self.scale = 0.5 * mass**2 / (seen.pos * seen.neg)
        self.l2 = l2

    def relative(self, w: np.ndarray) -> float:
        """Its norm over its norm at zero."""
        gradient = self.scale * (self.problem.product(w) - self.problem.b) + self.l2 * w
        return float(np.linalg.norm(gradient) / max(self.scale * np.linalg.norm(self.problem.b), np.finfo(float).tiny))
