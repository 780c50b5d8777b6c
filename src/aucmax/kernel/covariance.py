"""The pairwise square loss of a row against the moments of the other class: full covariances.

Means and scatters (Σ weight·(x - mean)(x - mean)ᵀ) of both classes run along with the stream by Welford's rule, which
does not cancel. A row and a gradient cost O(d²) each.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.kernel import rows as row
from aucmax.kernel.jit import inlined
from aucmax.kernel.moments import relative_weight


class Covariances(NamedTuple):
    """Moments of the positives and of the negatives."""

    means: np.ndarray  # (d, 2)
    scatters: np.ndarray  # (2, d, d)
    gap: np.ndarray  # (d, 1): the current row minus a mean


def covariances(d: int) -> Covariances:
    """The moments of no rows."""
    return Covariances(np.zeros((d, 2), order="F"), np.zeros((2, d, d)), np.zeros((d, 1)))


@inlined
def _subtract_mean(moments: Any, side: Any, batch: Any, i: Any) -> None:
    for j in range(moments.gap.shape[0]):
        moments.gap[j, 0] = -moments.means[j, side]
    row.add(batch.rows, i, moments.gap, 0, 1.0)


@inlined
def absorb(moments: Any, seen: Any, batch: Any, i: Any) -> None:
    """Let row i, counted already, enter the moments of its class."""
    side = 0 if batch.y[i] > 0 else 1
    _subtract_mean(moments, side, batch, i)
    share = batch.weight[i] / (seen.pos if side == 0 else seen.neg)
    gap, means, scatters = moments.gap, moments.means, moments.scatters
    for j in range(gap.shape[0]):
        means[j, side] += share * gap[j, 0]
        part = batch.weight[i] * (1.0 - share) * gap[j, 0]
        for k in range(gap.shape[0]):
            scatters[side, j, k] += part * gap[k, 0]


@inlined
def gradient(moments: Any, seen: Any, batch: Any, i: Any, w: Any, out: Any) -> None:
    """Write the gradient at w of half the mean squared loss of row i's pairs, times the row's relative weight."""
    side = 1 if batch.y[i] > 0 else 0
    _subtract_mean(moments, side, batch, i)
    gap, scatters = moments.gap, moments.scatters
    score = 0.0
    for j in range(gap.shape[0]):
        score += gap[j, 0] * w[j, 0]
    weight = relative_weight(seen, batch, i)
    pull = weight * (score - batch.y[i])
    spread = weight / (seen.neg if side == 1 else seen.pos)
    for j in range(gap.shape[0]):
        product = 0.0
        for k in range(gap.shape[0]):
            product += scatters[side, j, k] * w[k, 0]
        out[j, 0] = pull * gap[j, 0] + spread * product
