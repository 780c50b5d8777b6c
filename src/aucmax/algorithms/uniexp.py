"""Online Uni-Exp: the exponential loss of single rows, weighted to balance the classes (thesis, section 3.5).

    w <- w - eta_t (λw - y exp(-y w·x) x/(2q)),   q the share of the row's class so far

Letters: w weights, eta the step on X/κ, eps the same step in the units of X.

Departures: the thesis names the method and gives no algorithm; steps are C/√t with C = 1 by default, on X/κ, q runs
along with the rows, a fit goes over the rows up to 20 times by default, and the last iterate is returned. The exponent
is clipped at 30, so that an early step cannot overflow; w is kept in the units of X, where its step is eta/κ², so that
κ may grow along a stream without a rescaling. A row's loss is multiplied by its weight over the mean weight of the
rows so far, and q is a share of the weight.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from aucmax.kernel import weights
from aucmax.kernel.driver import algorithm
from aucmax.kernel.moments import Seen, counted, unit_step
from aucmax.kernel.rows import dot
from aucmax.model.data import Data
from aucmax.model.docs import documented
from aucmax.model.iterative import IterativeEstimator
from aucmax.model.objective import penalty
from aucmax.model.params import PENALTY, POSITIVE, Range
from aucmax.model.stepped import Machine, OnlineEstimator

LARGEST_EXPONENT = 30.0


class Exponential(NamedTuple):
    """Options."""

    l2: float


class Vectors(NamedTuple):
    """The weight vector."""

    w: weights.Plain


class Scalars(NamedTuple):
    """The scalars."""

    scale: weights.Scale
    seen: Seen


@algorithm(Exponential)
def exponential_step(options: Any, vectors: Any, scalars: Any, batch: Any, i: Any) -> Any:
    """One step."""
    y = float(batch.y[i])
    seen = counted(scalars.seen, batch, i)
    score = scalars.scale.s * dot(batch.rows, i, vectors.w.v, 0)
    # the weight over the mean weight, over twice the share of the class
    balance = 0.5 * batch.weight[i] * seen.rows / (seen.pos if y > 0.0 else seen.neg)
    eps = unit_step(seen, batch.eta[i])
    change = eps * balance * y * np.exp(min(-y * score, LARGEST_EXPONENT))
    factor = 1.0 - eps * options.l2
    scale = weights.shrink(vectors.w, scalars.scale, factor)
    return Scalars(weights.add(vectors.w, scale, batch, i, change, factor * score), seen)


@documented
@dataclass(eq=False, repr=False)
class UniExp(OnlineEstimator):
    r"""Online learning with the univariate exponential loss, classes weighted to balance.

    Minimises, with one mean over the positive and one over the negative rows,

    .. math:: \tfrac12\,\mathrm{mean}\,e^{-w\cdot x^+} + \tfrac12\,\mathrm{mean}\,e^{w\cdot x^-} + \frac{l_2}{2}|w|^2

    a loss of single rows, yet consistent with AUC, by one gradient step per row.

    Parameters
    ----------
    l2 : float, default=1e-4
        The penalty, at least 0, in the units of X.
    step : float, default=1
        C, above 0, in the steps ``C/√t`` on rows divided by the largest row norm κ (in a stream, of the rows so far).
    <<passes>>
    <<shared>>

    Attributes
    ----------
    <<attributes>>

    Notes
    -----
    The loss of a row is multiplied by its weight relative to the mean weight of the rows so far.

    References
    ----------
    W. Kotłowski, K. Dembczyński, E. Hüllermeier, "Bipartite ranking through minimization of univariate loss", ICML
    2011; online as in W. Gao, R. Jin, S. Zhu, Z.-H. Zhou, "One-pass AUC optimization", ICML 2013, section 5.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import UniExp
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bool(UniExp(random_state=0).fit(X, y).score(X, y) > 0.9)
    True
    """

    _pair_loss = "exponential"  # of single rows: see _objective
    _ranges: ClassVar[dict[str, Range]] = {"l2": PENALTY, "step": POSITIVE, **IterativeEstimator._shared_ranges}

    l2: float = 1e-4
    step: float = field(default=1.0, kw_only=True)

    def _machine(self, data: Data, start: np.ndarray | None, *, stream: bool) -> Machine:
        w = weights.Plain(weights.columns(data.d, 1, data.dense))
        if start is not None:
            w.v[:, 0] = start
        begun = Seen(0.0, 0.0, 0.0, 0.0 if stream else data.largest)
        return Machine(Exponential(float(self.l2)), Vectors(w), Scalars(weights.scale_of(w.v), begun))

    def _weights(self, machine: Machine) -> np.ndarray:
        return weights.current(machine.vectors.w, machine.scalars.scale)

    def _step_sizes(self, t: np.ndarray, kappa2: Any) -> np.ndarray:
        return np.asarray(self.step / np.sqrt(t))

    def _objective(self, scores: np.ndarray, data: Data, w: np.ndarray) -> float:
        losses = (
            float(np.average(np.exp(-sign * scores[data.y == sign]), weights=data.weight[data.y == sign]))
            for sign in (1, -1)
        )
        return 0.5 * sum(losses) + penalty(w, self.l2, 0.0)
