"""OPAUC: one-pass AUC maximization (thesis, algorithm 8).

    the row enters the count, mean c and covariance S of its class                       eq. 2.13 to 2.15
    g = λw - y(x - c_o) + (x - c_o)(x - c_o)·w + S_o w, o the other class                 eq. 2.11, 2.12
    w <- w - eta_t g

With a rank τ: S = (Z - c gᵀ)(Z - c gᵀ)ᵀ/T, where Z <- Z + x rᵀ and g <- g + r, with r ~ N(0, I/τ) fresh for each row of
the class. Letters: w, c, S, Z, T as in the paper, eta the step on X/κ, eps the same step in the units of X.

Departures: the step is C/√t with C = 1 by default, where the papers choose a constant one (``schedule="constant"``). A
fit goes over the rows up to 20 times by default, the paper once; the last iterate is returned. ZZᵀ/T - ccᵀ has the
same mean, but noise leaves it a negative eigenvalue along c, along which w grows: with the paper's rank 50 such steps
rank the rows of sector by chance. Here the sketch is of centred rows, and S is a covariance at any rank. Eq. 2.14 and
2.15 lack a -ccᵀ/T: in print Γ is not the covariance that the text defines, here it is. Everything is kept in the units
of X, where the step is eta/κ², so that κ may grow along a stream without a rescaling. There is no step before both
classes have been seen: eq. 2.10 has no pairs then. Class moments are weighted; the loss of a row is multiplied by its
weight over the mean weight of the rows so far. With a rank, w is a combination of the sketches' columns, and a step
costs the row's non-zeros times τ, plus τ². A fit's passes continue one stream: after a pass the moments are those of
the data.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from aucmax.kernel import covariance, sketch
from aucmax.kernel.driver import Batch, algorithm
from aucmax.kernel.moments import Seen, counted, unit_step
from aucmax.model.data import Data
from aucmax.model.docs import documented
from aucmax.model.iterative import IterativeEstimator
from aucmax.model.params import PENALTY, POSITIVE, Choice, Number, Range, check_dimension
from aucmax.model.stepped import Machine, OnlineEstimator, generator


class FullRank(NamedTuple):
    """Options with full covariances."""

    l2: float


class LowRank(NamedTuple):
    """Options with sketched ones."""

    l2: float


class FullVectors(NamedTuple):
    """The weights, as a column, the moments of the classes, and a gradient."""

    w: np.ndarray
    moments: covariance.Covariances
    gradient: np.ndarray


class LowVectors(NamedTuple):
    """The weights with the sketches."""

    w: sketch.Sketch


class FullScalars(NamedTuple):
    """The scalars with full covariances."""

    seen: Seen


class LowScalars(NamedTuple):
    """The scalars with sketches: w's scale."""

    seen: Seen
    s: float


def full_vectors(d: int, start: np.ndarray | None) -> FullVectors:
    """Weights to start from and the moments of no rows."""
    w = np.zeros(d) if start is None else start.copy()
    return FullVectors(w[:, None], covariance.covariances(d), np.zeros((d, 1)))


@algorithm(FullRank)
def full_step(options: Any, vectors: Any, scalars: Any, batch: Any, i: Any) -> Any:
    """One step with full covariances."""
    w, g = vectors.w, vectors.gradient
    seen = counted(scalars.seen, batch, i)
    covariance.absorb(vectors.moments, seen, batch, i)
    if seen.pos > 0.0 and seen.neg > 0.0:
        covariance.gradient(vectors.moments, seen, batch, i, w, g)
        eps = unit_step(seen, batch.eta[i])
        for j in range(w.shape[0]):
            w[j, 0] -= eps * (options.l2 * w[j, 0] + g[j, 0])
    return FullScalars(seen)


@algorithm(LowRank)
def low_step(options: Any, vectors: Any, scalars: Any, batch: Any, i: Any) -> Any:
    """One step with sketched covariances."""
    seen = counted(scalars.seen, batch, i)
    motion = sketch.Motion(unit_step(seen, batch.eta[i]), options.l2)
    return LowScalars(seen, sketch.descend(vectors.w, scalars.s, seen, batch, i, motion))


@documented
@dataclass(eq=False, repr=False)
class OPAUC(OnlineEstimator):
    r"""One-pass AUC maximization, with full or with sketched class covariances.

    Minimises, with the mean over all pairs of a positive and a negative row,

    .. math:: \tfrac12\,\mathrm{mean}\,(1 - w\cdot(x^+ - x^-))^2 + \frac{l_2}{2}|w|^2

    by one gradient step per row, against the mean and the covariance of the other class so far. No row is kept.

    Parameters
    ----------
    l2 : float, default=1e-4
        The penalty, at least 0, in the units of X. The papers search ``2**-10`` to 1 on rows of norm one.
    rank : int or None, default=None
        None holds two d by d covariances and costs O(d²) a step; a rank τ (the papers take 50) holds two d by τ
        sketches and costs the row's non-zeros times τ, plus τ². Below a d of about 2τ, None is cheaper and better.
    step : float, default=1
        C, above 0, on rows divided by the largest row norm κ (in a stream, of the rows so far).
    schedule : {"sqrt", "constant"}, default="sqrt"
        Steps ``C/√t``, or C, for which the papers search ``2**-12`` to ``2**-4``.
    <<passes>>
    <<shared>>

    Attributes
    ----------
    <<attributes>>

    Notes
    -----
    Class moments are weighted by the rows' weights, and the loss of a row is multiplied by its weight relative to the
    mean weight of the rows so far. A sketch of low rank is noisy, but of centred rows, so that what it stands for is
    a covariance in any case. ``partial_fit`` carries the moments, or the sketches and the state of the random
    numbers, along: cutting a stream changes nothing.

    References
    ----------
    W. Gao, R. Jin, S. Zhu, Z.-H. Zhou, "One-pass AUC optimization", ICML 2013, algorithm 1 and section 3.2.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import OPAUC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bool(OPAUC(random_state=0).fit(X, y).score(X, y) > 0.9)
    True
    """

    _pair_scale = 0.5
    _ranges: ClassVar[dict[str, Range]] = {
        "l2": PENALTY,
        "rank": Number(1, integer=True, optional=True),
        "step": POSITIVE,
        "schedule": Choice(("sqrt", "constant")),
        **IterativeEstimator._shared_ranges,
    }

    l2: float = 1e-4
    rank: int | None = None
    step: float = field(default=1.0, kw_only=True)
    schedule: str = field(default="sqrt", kw_only=True)

    def _machine(self, data: Data, start: np.ndarray | None, *, stream: bool) -> Machine:
        seen = Seen(0.0, 0.0, 0.0, 0.0 if stream else data.largest)
        if self.rank is None:
            check_dimension("OPAUC", data.d, 2, "use OPAUC(rank=50), which holds O(d·rank)")
            return Machine(FullRank(float(self.l2)), full_vectors(data.d, start), FullScalars(seen))
        w = sketch.sketch(np.zeros(data.d) if start is None else start, int(self.rank))
        scalars = LowScalars(seen, 1.0)
        return Machine(LowRank(float(self.l2)), LowVectors(w), scalars, rng=generator(self.random_state))

    def _equipped(self, machine: Machine, batch: Batch) -> tuple[Machine, Batch]:
        if machine.rng is not None and isinstance(machine.scalars, LowScalars):
            rank = len(machine.vectors.w.h) - 1  # as it began: the parameter may have been changed since
            batch = batch._replace(along=machine.rng.standard_normal((len(batch.y), rank)))
        return machine, batch

    def _weights(self, machine: Machine) -> np.ndarray:
        if isinstance(machine.scalars, LowScalars):
            return sketch.current(machine.vectors.w, machine.scalars.s)
        return np.array(machine.vectors.w[:, 0])

    def _step_sizes(self, t: np.ndarray, kappa2: Any) -> np.ndarray:
        return self.step / np.sqrt(t) if self.schedule == "sqrt" else np.full(len(t), float(self.step))
