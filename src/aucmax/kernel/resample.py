"""Resampling rows with replacement, by counts: what is sorted stays sorted, and only the weights change.

A class keeps its order from the highest score to the lowest. A resample draws how often every row (or every cluster of
rows) occurs; the running sums of these counts, weights included, are all that a curve or an area needs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.kernel.jit import inlined, kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_A = np.uint64(0xBF58476D1CE4E5B9)
MIX_B = np.uint64(0x94D049BB133111EB)
TO_UNIT = 2.0**-53


@inlined
def mixed(state: Any) -> Any:
    """A random number from a counter: SplitMix64."""
    z = (state ^ (state >> np.uint64(30))) * MIX_A
    z = (z ^ (z >> np.uint64(27))) * MIX_B
    return z ^ (z >> np.uint64(31))


@kernel
def draw(seed: Any, counts: Any) -> None:
    """Draw as many as there are, with replacement, and count how often each is drawn."""
    n = counts.shape[0]
    for i in range(n):
        counts[i] = 0
    state = seed
    for _ in range(n):
        state += GOLDEN
        counts[int(float(mixed(state) >> np.uint64(11)) * TO_UNIT * n)] += 1


@kernel
def running(counts: Any, cluster: Any, weight: Any, out: Any) -> None:
    """Sum the weights of the rows drawn, down from the first; a row occurs as often as its cluster, if it has one."""
    out[0] = 0
    total = out[0]
    for i in range(out.shape[0] - 1):
        count = counts[i] if cluster is None else counts[cluster[i]]
        if weight is None:
            total += count
        else:
            total += count * weight[i]
        out[i + 1] = total


@kernel
def lost(pos: Any, neg: Any, above: Any, down: Any) -> Any:
    """The weight of the pairs in wrong order, from both running sums; negatives above, and down to, each positive."""
    total = 0.0
    for i in range(above.shape[0]):
        total += float(pos[i + 1] - pos[i]) * (0.5 * float(neg[above[i]] + neg[down[i]]))
    return total
