"""OAM: online AUC maximization with buffers (thesis, algorithms 4 to 7).

    alg. 4   C_t = C max(1, N_o/B), o the class other than the row's
    alg. 5   the row enters its class's buffer: a reservoir of B rows
    alg. 6   seq: for every x' in the other buffer      w <- argmin |w - w_i|² + C_t l(w, y(x - x'))
    alg. 7   gra: for every x' with y w_t·(x - x') ≤ 1  w <- w + C_t y(x - x')/2

with l the hinge; the minimiser in alg. 6 is the passive-aggressive step ``min(C_t/2, l/|x - x'|²)``. Letters: w, C, N,
B as in the thesis, cap = C_t/2 in the units of X.

Departures: algorithm 4 prints max(1, N, N) for max(1, N/B). The buffers may be first in, first out instead of
algorithm 5's reservoirs; the rest stays the same. Buffered rows are met in the order of their slots, not from the
oldest on: a ring's newest row may come before its oldest, which changes where seq ends, as it takes one row after the
other. C is meant on X/κ, and is 0.01 by default, where the papers choose it; the penalty of the paper's objective is
in no update, as in algorithms 6 and 7. w is kept in the units of X, where C_t is C_t/κ², so that κ may grow along a
stream without a rescaling. The passes of a fit continue one stream, but N_o stops at the rows there are: a second pass
brings no new ones; a fit has up to 20 of them by default, the algorithms have one. The last iterate is returned. C_t
is multiplied by the weights of the pair's two rows, each over the mean weight so far. A step costs the non-zeros of
the row and of the buffered rows: the part of w along the row is a scalar until all of them have been met. Pairs of
equal rows are passed over.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from aucmax.kernel import buffer as buffers
from aucmax.kernel.driver import algorithm
from aucmax.kernel.jit import inlined
from aucmax.kernel.moments import Seen, counted, relative_weight, unit_step
from aucmax.kernel.rows import add, dot, dot2
from aucmax.kernel.weights import columns
from aucmax.model.buffered import BufferedEstimator
from aucmax.model.data import Data
from aucmax.model.docs import documented
from aucmax.model.iterative import IterativeEstimator
from aucmax.model.params import COUNT, POSITIVE, Choice, Range
from aucmax.model.stepped import Machine, generator


class Sequential(NamedTuple):
    """Options of seq: C, and the rows of each class there are at most."""

    C: float
    most: buffers.Passed


class Gradient(NamedTuple):
    """Options of gra."""

    C: float
    most: buffers.Passed


class Vectors(NamedTuple):
    """The columns w and the current row, the buffers, and w's products with buffered rows."""

    v: np.ndarray
    buffer: buffers.Buffer
    scores: np.ndarray


class Scalars(NamedTuple):
    """What has been seen, and the rows that have come by."""

    seen: Seen
    passed: buffers.Passed


@inlined
def pair_cap(options: Any, vectors: Any, scalars: Any, batch: Any, i: Any) -> Any:
    """C_t/2 in the units of X, for a buffered row of weight one."""
    seen, size = scalars.seen, vectors.scores.shape[0]
    if batch.y[i] > 0:
        others = min(scalars.passed.neg, options.most.neg)
    else:
        others = min(scalars.passed.pos, options.most.pos)
    mean_weight = (seen.pos + seen.neg) / seen.rows
    share = relative_weight(seen, batch, i) / mean_weight
    return 0.5 * unit_step(seen, options.C) * max(1.0, others / size) * share


@algorithm(Sequential)
def sequential_step(options: Any, vectors: Any, scalars: Any, batch: Any, i: Any) -> Any:
    """One row against the buffer of the other class, pair after pair."""
    v, buffer = vectors.v, vectors.buffer
    now = Scalars(counted(scalars.seen, batch, i), buffers.keep(buffer, scalars.passed, batch, i))
    cap = pair_cap(options, vectors, now, batch, i)
    y, square = float(batch.y[i]), batch.sqnorm[i]
    score = dot(batch.rows, i, v, 0)
    add(batch.rows, i, v, 1, 1.0)
    along = 0.0  # w is the column and so much of the row
    first, last = buffers.opposite(buffer, now.passed, y)
    for slot in range(first, last):
        other, both = dot2(buffer.rows, slot, v, 0, 1)
        loss = 1.0 - y * (score - other - along * both)
        length = square + buffer.sqnorm[slot] - 2.0 * both
        if loss > 0.0 and length > 0.0:
            change = y * min(cap * buffer.weight[slot], loss / length)
            add(buffer.rows, slot, v, 0, -change)
            score += change * (square - both)
            along += change
    add(batch.rows, i, v, 0, along)
    add(batch.rows, i, v, 1, -1.0)
    return now


@algorithm(Gradient)
def gradient_step(options: Any, vectors: Any, scalars: Any, batch: Any, i: Any) -> Any:
    """One row against the buffer of the other class, all pairs at the same w."""
    v, buffer, scores = vectors.v, vectors.buffer, vectors.scores
    now = Scalars(counted(scalars.seen, batch, i), buffers.keep(buffer, scalars.passed, batch, i))
    cap = pair_cap(options, vectors, now, batch, i)
    y = float(batch.y[i])
    score = dot(batch.rows, i, v, 0)
    first, last = buffers.opposite(buffer, now.passed, y)
    for slot in range(first, last):
        scores[slot - first] = dot(buffer.rows, slot, v, 0)
    along = 0.0
    for slot in range(first, last):
        if y * (score - scores[slot - first]) <= 1.0:
            change = y * cap * buffer.weight[slot]
            add(buffer.rows, slot, v, 0, -change)
            along += change
    add(batch.rows, i, v, 0, along)
    return now


@documented
@dataclass(eq=False, repr=False)
class OAM(BufferedEstimator):
    r"""Online AUC maximization with buffers: OAM-seq and OAM-gra.

    Descends on, with the mean over all pairs of a positive and a negative row,

    .. math:: \mathrm{mean}\,\max(0, 1 - w\cdot(x^+ - x^-))

    by comparing each row with a sample of the other class. The penalty of the paper's objective appears in no update:
    what keeps w small is C.

    Parameters
    ----------
    C : float, default=0.01
        How far a pair may move w, above 0, on rows divided by the largest row norm κ (in a stream, of the rows so far).
        The papers search ``2**-10`` to ``2**10``.
    variant : {"seq", "gra"}, default="seq"
        One passive-aggressive step for each buffered row, or one subgradient step for all of them.
    buffer : {"reservoir", "fifo"}, default="reservoir"
        Whether a uniform sample of the rows of each class is kept, or the last ones. Those come from all of the rows by
        and by, which ranks better where rows have few non-zeros among many columns, such as text.
    buffer_size : int, default=100
        B, the rows of each class that are kept.
    <<passes>>
    <<shared>>

    Attributes
    ----------
    <<attributes>>

    Notes
    -----
    C_t of a pair is multiplied by the product of its two rows' weights, relative to the mean weight of the rows so far;
    reservoirs are uniform samples of the rows, whatever their weights. ``partial_fit`` carries the buffers and the
    state of the random numbers along: cutting a stream changes nothing.

    References
    ----------
    P. Zhao, S. Hoi, R. Jin, T. Yang, "Online AUC maximization", ICML 2011, algorithms 1 to 4.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import OAM
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bool(OAM(random_state=0).fit(X, y).score(X, y) > 0.9)
    True
    """

    _ranges: ClassVar[dict[str, Range]] = {
        "C": POSITIVE,
        "variant": Choice(("seq", "gra")),
        "buffer": Choice(("reservoir", "fifo")),
        "buffer_size": COUNT,
        **IterativeEstimator._shared_ranges,
    }

    C: float = 0.01
    variant: str = "seq"
    buffer: str = field(default="reservoir", kw_only=True)
    buffer_size: int = field(default=100, kw_only=True)

    def _machine(self, data: Data, start: np.ndarray | None, *, stream: bool) -> Machine:
        v = columns(data.d, 2, data.dense)
        if start is not None:
            v[:, 0] = start
        positives = np.count_nonzero(data.y > 0)
        most = np.inf, np.inf
        if not stream:
            most = float(positives), float(data.n - positives)
        options = (Sequential if self.variant == "seq" else Gradient)(float(self.C), buffers.Passed(*most))
        vectors = Vectors(v, self._empty_buffer(data), np.zeros(int(self.buffer_size)))
        scalars = Scalars(self._begun(data, stream), buffers.Passed(0.0, 0.0))
        return Machine(options, vectors, scalars, rng=generator(self.random_state))

    def _weights(self, machine: Machine) -> np.ndarray:
        return np.array(machine.vectors.v[:, 0])
