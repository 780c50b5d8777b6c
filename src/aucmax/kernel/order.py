"""Sorting scores by a radix sort, stable, that brings positions or a cargo along.

Where neither is needed ``numpy.sort`` is faster; ``python -m benchmarks.evaluate`` compares them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.kernel.jit import inlined, kernel

BITS = 8  # of a digit: few enough places to write to for every level of the cache
DIGITS = 8
SIGN = np.uint64(1 << 63)
MASK = np.uint64(2**BITS - 1)


@inlined
def _count(bits: Any, cargo: Any, items: Any, counts: Any) -> None:
    """Turn floats, given by their bits, into integers that rise as the floats fall; count their digits.

    Beside each goes its cargo or, where that is None, its position.
    """
    for i in range(bits.shape[0]):
        b = bits[i]
        key = b if b & SIGN else ~(b | SIGN)
        items[i, 0] = key
        if cargo is None:
            items[i, 1] = i
        else:
            items[i, 1] = cargo[i]
        for k in range(DIGITS):
            counts[k, (key >> np.uint64(BITS * k)) & MASK] += 1


@inlined
def _scatter(shift: Any, items: Any, ends: Any, out: Any) -> None:
    """Sort by one digit, keeping the order of equals; ends holds the digits' counts."""
    total = 0
    for b in range(ends.shape[0]):
        count = ends[b]
        ends[b] = total
        total += count
    for i in range(items.shape[0]):
        key = items[i, 0]
        b = (key >> np.uint64(shift)) & MASK
        at = ends[b]
        ends[b] = at + 1
        out[at, 0] = key
        out[at, 1] = items[i, 1]


@inlined
def _sort(items: Any, spare: Any, counts: Any) -> Any:
    """Sort by every digit, the lowest first; whether the sorted items lie in the spare."""
    moved = False
    for k in range(DIGITS):
        most = 0
        for b in range(counts.shape[1]):
            most = max(most, counts[k, b])
        if most < items.shape[0]:  # otherwise the digit is the same in all
            if moved:
                _scatter(BITS * k, spare, counts[k], items)
            else:
                _scatter(BITS * k, items, counts[k], spare)
            moved = not moved
    return moved


@inlined
def _unpack(items: Any, bits: Any, cargo: Any) -> None:
    """Write the floats of sorted keys, as their bits, and what goes beside them."""
    for i in range(items.shape[0]):
        key = items[i, 0]
        bits[i] = key if key & SIGN else ~key & ~SIGN
        cargo[i] = items[i, 1]


@kernel
def _order(bits: Any, cargo: Any, room: Any, counts: Any, out: Any) -> None:
    """Sort floats, given by their bits, and what goes beside them; in one call, for threads wait at every one."""
    items, spare = room
    _count(bits, cargo, items, counts)
    if _sort(items, spare, counts):
        _unpack(spare, out[0], out[1])
    else:
        _unpack(items, out[0], out[1])


def _sorted(scores: np.ndarray, cargo: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The numbers from the largest to the smallest, and what goes beside them."""
    n = len(scores)
    counts = np.zeros((DIGITS, 2**BITS), dtype=np.int64)
    items, spare = np.empty((2, n, 2), dtype=np.uint64)
    ordered, beside = np.empty((2, n), dtype=np.uint64)
    _order(np.ascontiguousarray(scores).view(np.uint64), cargo, (items, spare), counts, (ordered, beside))
    return ordered.view(np.float64), beside


def falling(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The positions of float64 numbers from the largest to the smallest, equals in their order; and they.

    Infinities are numbers here; not-a-number has no place.
    """
    ordered, positions = _sorted(scores, None)
    return positions.view(np.int64), ordered


def falling_with(scores: np.ndarray, cargo: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """float64 numbers from the largest to the smallest, and a cargo of float64 numbers that moves with them."""
    ordered, carried = _sorted(scores, np.ascontiguousarray(cargo).view(np.uint64))
    return ordered, carried.view(np.float64)
