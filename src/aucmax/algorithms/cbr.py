"""CBR: confidence-weighted bipartite ranking (Khalid, Ray and Chitsaz 2016; PSAM paper, section IV.B, item 2).

For every row x' in the buffer of the other class, z = y(x - x') makes one soft confidence-weighted (SCW-I) update:

    m = w·z,  v = zᵀΣz
    alpha = min(C, max(0, (-m psi + √(m² phi⁴/4 + v phi² zeta))/(v zeta)))
    u     = ¼(-alpha v phi + √(alpha² v² phi² + 4v))²,  beta = alpha phi/(√u + v alpha phi)
    w     <- w + alpha Σz
    Σ     <- Σ - beta Σz zᵀΣ            (its diagonal only, with the diagonal covariance)

and nothing when alpha or v is 0. Letters: phi = Φ⁻¹(eta), psi = 1 + phi²/2, zeta = 1 + phi².

Departures: the PSAM paper names the method, its buffers, eta and the grid of C; the update is that of the paper on
SCW-I. Buffered rows are met in the order of their slots, not from the oldest on: the newest row of a ring may come
before its oldest, which changes w and Σ, as each pair moves both. The diagonal covariance keeps the diagonal of the
change. Reservoirs are an option. C is 1 by default, where the paper chooses it, and a fit goes over the rows up to 20
times by default, where the paper goes once; the last iterate is returned. w and Σ are kept in the units of X, where
all of the above reads the same and Σ starts from I/κ². When κ grows along a stream, rescaling w and Σ exactly leaves
both as they are in the units of X: the start is I/κ² with the norm κ of the stream's first row that is not empty. C is
multiplied by the weights of the pair's two rows, each over the mean weight so far. With the diagonal covariance a pair
costs the non-zeros of its two rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any, ClassVar, NamedTuple

import numpy as np

from aucmax.kernel import buffer as buffers
from aucmax.kernel import normal
from aucmax.kernel.driver import algorithm
from aucmax.kernel.jit import inlined
from aucmax.kernel.moments import Seen, counted, relative_weight
from aucmax.kernel.rows import add
from aucmax.kernel.weights import columns
from aucmax.model.buffered import BufferedEstimator
from aucmax.model.data import Data
from aucmax.model.docs import documented
from aucmax.model.iterative import IterativeEstimator
from aucmax.model.params import COUNT, POSITIVE, Choice, Number, Range, check_dimension
from aucmax.model.stepped import Machine, generator


class Confidence(NamedTuple):
    """Options."""

    C: float
    phi: float


class Vectors(NamedTuple):
    """The weights with their covariance, and the buffers."""

    weights: normal.Full | normal.Diagonal
    buffer: buffers.Buffer


class Scalars(NamedTuple):
    """What has been seen, and the rows that have come by."""

    seen: Seen
    passed: buffers.Passed


@inlined
def confident(options: Any, weight: Any, m: Any, v: Any) -> Any:
    """The update for a pair of some weight with margin m and variance v."""
    phi = options.phi
    psi, zeta = 1.0 + 0.5 * phi * phi, 1.0 + phi * phi
    if v <= 0.0:
        return normal.Update(0.0, 0.0)
    root = np.sqrt(0.25 * m * m * phi * phi * phi * phi + v * phi * phi * zeta)
    alpha = min(options.C * weight, max(0.0, (root - m * psi) / (v * zeta)))
    pull = alpha * v * phi
    root = 0.5 * (np.sqrt(pull * pull + 4.0 * v) - pull)
    return normal.Update(alpha, alpha * phi / (root + pull))


@algorithm(Confidence)
def confident_step(options: Any, vectors: Any, scalars: Any, batch: Any, i: Any) -> Any:
    """One row against the buffer of the other class, pair after pair."""
    weights, buffer = vectors.weights, vectors.buffer
    seen = counted(scalars.seen, batch, i)
    if seen.kappa2 > 0.0 and (seen.rows == 1.0 or scalars.seen.kappa2 == 0.0):
        normal.begin(weights, 1.0 / seen.kappa2)
    passed = buffers.keep(buffer, scalars.passed, batch, i)
    share = relative_weight(seen, batch, i) * seen.rows / (seen.pos + seen.neg)
    y = float(batch.y[i])
    add(batch.rows, i, weights.v, 1, 1.0)
    first, last = buffers.opposite(buffer, passed, y)
    for slot in range(first, last):
        pair = normal.Pair(y, batch.rows, i, buffer.rows, slot)
        m, v = normal.meet(weights, pair)
        normal.learn(weights, pair, confident(options, share * buffer.weight[slot], m, v))
    add(batch.rows, i, weights.v, 1, -1.0)
    return Scalars(seen, passed)


@documented
@dataclass(eq=False, repr=False)
class CBR(BufferedEstimator):
    r"""Confidence-weighted bipartite ranking.

    Descends on, with the mean over all pairs of a positive and a negative row,

    .. math:: \mathrm{mean}\,\max(0, 1 - w\cdot(x^+ - x^-))

    (which it does not weigh against a penalty, and of which its own loss is a confidence-weighted variant) by comparing
    each row with buffered rows of the other class. w has a covariance: what is known well moves little.

    Parameters
    ----------
    C : float, default=1
        How far a pair may move w, above 0. The paper searches ``2**-10`` to ``2**10``.
    covariance : {"full", "diag"}, default="full"
        A full one costs O(d²) for each pair, a diagonal one the non-zeros of its rows.
    buffer : {"fifo", "reservoir"}, default="fifo"
        Whether the last rows of each class are kept, or a uniform sample of all of them.
    buffer_size : int, default=50
        The rows of each class that are kept.
    eta : float, default=0.7
        The probability, above 0.5 and below 1, with which a pair is to be ranked rightly.
    <<passes>>
    <<shared>>

    Attributes
    ----------
    <<attributes>>

    Notes
    -----
    C is multiplied by the product of the weights of a pair's rows, relative to the mean weight of the rows so far. The
    covariance starts from I on rows divided by the largest row norm; in a stream, by the norm of its first row that is
    not empty. ``partial_fit`` carries the covariance, the buffers and the state of the random numbers along: cutting a
    stream changes nothing.

    References
    ----------
    M. Khalid, I. Ray, H. Chitsaz, "Confidence-weighted bipartite ranking", ADMA 2016; the update is SCW-I of J. Wang,
    P. Zhao, S. Hoi, "Exact soft confidence-weighted learning", ICML 2012, proposition 1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import CBR
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bool(CBR(max_iter=2, random_state=0).fit(X, y).score(X, y) > 0.95)
    True
    """

    _ranges: ClassVar[dict[str, Range]] = {
        "C": POSITIVE,
        "covariance": Choice(("full", "diag")),
        "buffer": Choice(("fifo", "reservoir")),
        "buffer_size": COUNT,
        "eta": Number(0.5, 1.0, open_low=True, open_high=True),
        **IterativeEstimator._shared_ranges,
    }

    C: float = 1.0
    covariance: str = "full"
    buffer: str = field(default="fifo", kw_only=True)
    buffer_size: int = field(default=50, kw_only=True)
    eta: float = field(default=0.7, kw_only=True)

    def _machine(self, data: Data, start: np.ndarray | None, *, stream: bool) -> Machine:
        weights: normal.Full | normal.Diagonal
        if self.covariance == "full":
            check_dimension("CBR", data.d, 1, 'use CBR(covariance="diag"), which holds O(d)')
            weights = normal.Full(columns(data.d, 4, True), np.zeros((data.d, data.d)))
        else:
            weights = normal.Diagonal(columns(data.d, 4, data.dense))
        if start is not None:
            weights.v[:, 0] = start
        options = Confidence(float(self.C), NormalDist().inv_cdf(float(self.eta)))
        scalars = Scalars(self._begun(data, stream), buffers.Passed(0.0, 0.0))
        return Machine(options, Vectors(weights, self._empty_buffer(data)), scalars, rng=generator(self.random_state))

    def _weights(self, machine: Machine) -> np.ndarray:
        return np.array(machine.vectors.weights.v[:, 0])
