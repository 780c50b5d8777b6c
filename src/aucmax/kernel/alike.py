"""Rows as numbers of 64 bits, so that equal rows are found without comparing all pairs of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.kernel import rows as row
from aucmax.kernel.jit import inlined, kernel

GOLDEN, FIRST, SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)


@inlined
def mixed(z: Any) -> Any:
    """The last steps of splitmix64: every bit of the result depends on every bit of z."""
    z = (z ^ (z >> SHIFTS[0])) * FIRST
    z = (z ^ (z >> SHIFTS[1])) * SECOND
    return z ^ (z >> SHIFTS[2])


@kernel
def fingerprints(rows: Any, at: Any, out: Any) -> None:
    """Write a number for each of some rows: the same for equal ones, and of others the same by a rare chance only.

    Zeros add nothing, and columns may come in any order, so that dense and sparse rows agree. Two passes mix the value
    with its column: their sum alone would confuse columns whose numbers and values differ by as much.
    """
    for i in range(at.shape[0]):
        total = np.uint64(0)
        first, last = row.span(rows, at[i])
        for k in range(first, last):
            j, x = row.entry(rows, at[i], k)
            if x != 0.0:
                total += mixed(mixed(np.float64(x).view(np.uint64)) + GOLDEN * np.uint64(j + 1))
        out[i] = total
