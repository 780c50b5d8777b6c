"""The pairwise square loss of a row against a sketch of the other class's moments, in O(non-zeros times rank) a step.

A class's second moment Σ xxᵀ is sketched by ZZᵀ, where every row adds ``x·rᵀ`` to Z, r being normal with variance
1/rank. With Σr at hand that becomes a sketch of the centred rows, ``Z - c·(Σr)ᵀ``, whose product with itself is a
covariance; ``ZZᵀ/T - ccᵀ`` has a negative eigenvalue along c wherever the noise is, and w grows along it. Gradients
lie in the span of the rows and of K = (Z+, Σx+, Z-, Σx-), and so does w:

    w = s·u + K·b

A step changes the scalar s, a few coefficients b, and u and K on the row's columns only. The products p = Kᵀw and the
Gram matrix KᵀK are tracked, so that K·b is never formed, but for a fold once in so many steps that its cost per step
does not matter; it also stops rounding errors from piling up.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.kernel import rows as row
from aucmax.kernel.jit import inlined
from aucmax.kernel.moments import relative_weight
from aucmax.kernel.weights import SMALLEST_SCALE

SHORTEST = 256  # steps between two folds


class Motion(NamedTuple):
    """A gradient step: its size in the units of X, and the L2 penalty."""

    eps: float
    l2: float


class Sketch(NamedTuple):
    """w and the sketches of both classes: K has a block of rank + 1 columns for each, and then the column u."""

    K: np.ndarray
    gram: np.ndarray  # KᵀK
    b: np.ndarray
    p: np.ndarray  # Kᵀw
    along: np.ndarray  # Kᵀx of the current row
    drawn: np.ndarray  # Σr of a class at its block's columns
    h: np.ndarray  # what the row adds to its class's block is x·hᵀ; then, a change of the other block's b


def sketch(w: np.ndarray, rank: int) -> Sketch:
    """The sketch of no rows, with w to start from."""
    m = 2 * rank + 2
    K = np.zeros((len(w), m + 1))
    K[:, m] = w
    return Sketch(K, np.zeros((m, m)), np.zeros(m), np.zeros(m), np.zeros(m), np.zeros(m), np.zeros(rank + 1))


def current(w: Sketch, s: float) -> np.ndarray:
    """The vector w itself."""
    return np.asarray(w.K @ np.append(w.b, s))


@inlined
def _read(w: Any, s: Any, batch: Any, i: Any) -> Any:
    """Products of row i: with K, written to ``along``, and with w, returned."""
    m = w.b.shape[0]
    for c in range(m):
        w.along[c] = 0.0
    direct = 0.0
    first, last = row.span(batch.rows, i)
    for k in range(first, last):
        j, x = row.entry(batch.rows, i, k)
        for c in range(m):
            w.along[c] += x * w.K[j, c]
        direct += x * w.K[j, m]
    score = s * direct
    for c in range(m):
        score += w.b[c] * w.along[c]
    return score


@inlined
def _begin(width: Any, positive: Any) -> Any:
    """The first column of a class's block."""
    # unsigned, as in kernel.rows: it spares a check for negative indices that would keep LLVM from vectorising
    return np.uintp(0 if positive else width)


@inlined
def _enter(w: Any, s: Any, batch: Any, i: Any, score: Any) -> None:
    """Let row i, read already, enter its class's block, w staying as it is."""
    m, width = w.b.shape[0], w.h.shape[0]
    begin = _begin(width, batch.y[i] > 0)
    rank, weight = width - 1, batch.weight[i]
    for c in range(rank):
        w.h[c] = np.sqrt(weight / rank) * batch.along[i, c]
        w.drawn[begin + np.uintp(c)] += w.h[c]
    w.h[rank] = weight
    _enter_products(w, begin, batch.sqnorm[i])
    held = 0.0
    for c in range(width):
        w.p[begin + np.uintp(c)] += score * w.h[c]
    for c in range(width):
        held += w.h[c] * w.b[begin + np.uintp(c)]
    first, last = row.span(batch.rows, i)
    for k in range(first, last):
        j, x = row.entry(batch.rows, i, k)
        for c in range(width):
            w.K[j, begin + np.uintp(c)] += x * w.h[c]
        w.K[j, m] -= x * held / s


@inlined
def _enter_products(w: Any, begin: Any, square: Any) -> None:
    """What K += x·hᵀ does to KᵀK and to Kᵀx; square is |x|²."""
    m, width = w.b.shape[0], w.h.shape[0]
    for c in range(width):
        w.along[begin + np.uintp(c)] += 0.5 * square * w.h[c]
    for c in range(m):
        for e in range(width):
            w.gram[c, begin + np.uintp(e)] += w.along[c] * w.h[e]
    for c in range(width):
        for e in range(m):
            w.gram[begin + np.uintp(c), e] += w.h[c] * w.along[e]
    for c in range(width):
        w.along[begin + np.uintp(c)] += 0.5 * square * w.h[c]


@inlined
def fold(w: Any, s: Any, factor: Any) -> Any:
    """Multiply w by a factor, let u be all of it and count its products afresh; the scale, one."""
    m = w.b.shape[0]
    for c in range(m):
        w.p[c] = 0.0
    for j in range(w.K.shape[0]):
        total = s * w.K[j, m]
        for c in range(m):
            total += w.K[j, c] * w.b[c]
        total *= factor
        w.K[j, m] = total
        for c in range(m):
            w.p[c] += w.K[j, c] * total
    for c in range(m):
        w.b[c] = 0.0
    return 1.0


@inlined
def _shrink(w: Any, s: Any, factor: Any) -> Any:
    if s * factor < SMALLEST_SCALE:
        return fold(w, s, factor)
    for c in range(w.b.shape[0]):
        w.b[c] *= factor
        w.p[c] *= factor
    return s * factor


@inlined
def descend(w: Any, s: Any, seen: Any, batch: Any, i: Any, motion: Any) -> Any:
    """Take row i, counted already, in and make a gradient step once both classes were seen; the scale afterwards."""
    if seen.rows % max(SHORTEST, w.K.shape[0]) == 0.0:
        s = fold(w, s, 1.0)
    score = _read(w, s, batch, i)
    _enter(w, s, batch, i, score)
    others = seen.neg if batch.y[i] > 0 else seen.pos
    if others == 0.0:
        return s
    width = w.h.shape[0]
    begin = _begin(width, batch.y[i] < 0)
    eps = motion.eps * relative_weight(seen, batch, i)
    mean = w.p[begin + np.uintp(width - 1)] / others
    pull = eps * (score - mean - batch.y[i])
    for c in range(width - 1):
        w.h[c] = -eps * (w.p[begin + np.uintp(c)] - w.drawn[begin + np.uintp(c)] * mean) / others
    lean = 0.0  # what the mean takes of it
    for c in range(width - 1):
        lean += w.drawn[begin + np.uintp(c)] * w.h[c]
    w.h[width - 1] = (pull - lean) / others
    s = _shrink(w, s, 1.0 - motion.eps * motion.l2)
    _add_block(w, begin, pull)
    row.add(batch.rows, i, w.K, w.b.shape[0], -pull / s)
    return s


@inlined
def _add_block(w: Any, begin: Any, pull: Any) -> None:
    """Add a block times h to w, and take note of the products for the multiple of the row that u loses."""
    width = w.h.shape[0]
    for c in range(w.b.shape[0]):
        product = -pull * w.along[c]
        for e in range(width):
            product += w.gram[c, begin + np.uintp(e)] * w.h[e]
        w.p[c] += product
    for c in range(width):
        w.b[begin + np.uintp(c)] += w.h[c]
