"""AdaOAM: adaptive online AUC maximization (thesis, algorithm 9).

    the row enters the moments of its class, g is OPAUC's gradient                      eq. 2.11 to 2.15
    H = δ + √(Σ g²), coordinate by coordinate
    w <- Π(w - eta g/H), the projection on |w| ≤ 1/√λ in the norm of H

Letters: w, g, H, eta, δ = 1e-8 as in the thesis, on X/κ.

Departures: H is a diagonal matrix only; the thesis also describes a full one. eta is 0.2 and λ is 1e-4 by default,
where the paper chooses both, and a fit goes over the rows up to 20 times by default, the paper once; the last iterate
is returned. Everything is kept in the units of X, where g is κ times as large and w is 1/κ times, so that H becomes κδ
+ √(Σ g²) and the step (eta/κ)g/H. When κ grows along a stream, rescaling the gradients so far exactly leaves their
squares as they are in the units of X. As in OPAUC there is no step before both classes have been seen, and weights
enter in the same way. The projection is the root of one equation, found by Newton's method.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from aucmax.algorithms.opauc import FullScalars, FullVectors, full_vectors
from aucmax.kernel import covariance
from aucmax.kernel.driver import algorithm
from aucmax.kernel.moments import Seen, counted
from aucmax.kernel.prox import project_metric
from aucmax.model.data import Data
from aucmax.model.docs import documented
from aucmax.model.iterative import IterativeEstimator
from aucmax.model.params import PENALTY, POSITIVE, Range, check_dimension
from aucmax.model.stepped import Machine, OnlineEstimator

DELTA = 1e-8


class Adaptive(NamedTuple):
    """Options."""

    l2: float


class Vectors(NamedTuple):
    """OPAUC's vectors, and as columns the sums of the squared gradients and H."""

    model: FullVectors
    squares: np.ndarray
    metric: np.ndarray


@algorithm(Adaptive)
def adaptive_step(options: Any, vectors: Any, scalars: Any, batch: Any, i: Any) -> Any:
    """One step."""
    w, g = vectors.model.w, vectors.model.gradient
    seen = counted(scalars.seen, batch, i)
    covariance.absorb(vectors.model.moments, seen, batch, i)
    if seen.pos > 0.0 and seen.neg > 0.0 and seen.kappa2 > 0.0:
        covariance.gradient(vectors.model.moments, seen, batch, i, w, g)
        kappa = np.sqrt(seen.kappa2)
        for j in range(w.shape[0]):
            slope = options.l2 * w[j, 0] + g[j, 0]
            vectors.squares[j, 0] += slope * slope
            vectors.metric[j, 0] = kappa * DELTA + np.sqrt(vectors.squares[j, 0])
            w[j, 0] -= batch.eta[i] / kappa * slope / vectors.metric[j, 0]
        if options.l2 > 0.0:
            project_metric(w, vectors.metric, 1.0 / np.sqrt(options.l2))
    return FullScalars(seen)


@documented
@dataclass(eq=False, repr=False)
class AdaOAM(OnlineEstimator):
    r"""Adaptive online AUC maximization.

    Minimises, with the mean over all pairs of a positive and a negative row,

    .. math:: \tfrac12\,\mathrm{mean}\,(1 - w\cdot(x^+ - x^-))^2 + \frac{l_2}{2}|w|^2

    with OPAUC's gradients and a step of its own for every feature, smaller where gradients have been large.

    Parameters
    ----------
    l2 : float, default=1e-4
        The penalty, at least 0, in the units of X. Weights stay in the ball ``|w| ≤ 1/√l2``, which holds the minimiser.
    step : float, default=0.2
        η, above 0, on rows divided by the largest row norm κ (in a stream, of the rows so far).
    <<passes>>
    <<shared>>

    Attributes
    ----------
    <<attributes>>

    Notes
    -----
    A step costs O(d²). Class moments are weighted by the rows' weights, and the loss of a row is multiplied by its
    weight relative to the mean weight of the rows so far. ``partial_fit`` carries the moments and the squared gradients
    along: cutting a stream changes nothing. As κ grows along it, past gradients count as if taken at the new κ.

    References
    ----------
    Y. Ding, P. Zhao, S. Hoi, Y.-S. Ong, "An adaptive gradient method for online AUC maximization", AAAI 2015,
    algorithm 1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import AdaOAM
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bool(AdaOAM(random_state=0).fit(X, y).score(X, y) > 0.9)
    True
    """

    _pair_scale = 0.5
    _ranges: ClassVar[dict[str, Range]] = {"l2": PENALTY, "step": POSITIVE, **IterativeEstimator._shared_ranges}

    l2: float = 1e-4
    step: float = field(default=0.2, kw_only=True)

    def _machine(self, data: Data, start: np.ndarray | None, *, stream: bool) -> Machine:
        check_dimension("AdaOAM", data.d, 2, "use OPAUC(rank=50), which holds O(d·rank)")
        vectors = Vectors(full_vectors(data.d, start), np.zeros((data.d, 1)), np.zeros((data.d, 1)))
        seen = Seen(0.0, 0.0, 0.0, 0.0 if stream else data.largest)
        return Machine(Adaptive(float(self.l2)), vectors, FullScalars(seen))

    def _weights(self, machine: Machine) -> np.ndarray:
        return np.array(machine.vectors.model.w[:, 0])

    def _step_sizes(self, t: np.ndarray, kappa2: Any) -> np.ndarray:
        return np.full(len(t), float(self.step))
