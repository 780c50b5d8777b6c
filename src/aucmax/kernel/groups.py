"""Pairs within groups: what wrong order loses, over the rows by group and falling score."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.kernel.jit import kernel
from aucmax.kernel.order import falling


@kernel
def _grouped(items: Any, scores: Any, positive: Any, weight: Any, groups: Any) -> Any:
    """Over the rows by group and falling score: what is lost, and the weight of all pairs, within groups."""
    lost, pairs, negs_above, pos_above = 0.0, 0.0, 0.0, 0.0
    k, n = 0, items.shape[0]
    while k < n:
        group, score = groups[items[k]], scores[items[k]]
        mass, other = 0.0, 0.0
        while k < n and groups[items[k]] == group and scores[items[k]] == score:
            v = 1.0 if weight is None else weight[items[k]]
            if positive[items[k]]:
                mass += v
            else:
                other += v
            k += 1
        lost += mass * (negs_above + 0.5 * other)
        negs_above += other
        pos_above += mass
        if k == n or groups[items[k]] != group:
            pairs += negs_above * pos_above
            negs_above, pos_above = 0.0, 0.0
    return lost, pairs


@kernel
def _by_group(order: Any, groups: Any, starts: Any, out: Any) -> None:
    """Sort by group, keeping the order within; starts holds the groups' sizes."""
    total = 0
    for g in range(starts.shape[0]):
        size = starts[g]
        starts[g] = total
        total += size
    for k in range(order.shape[0]):
        g = groups[order[k]]
        out[starts[g]] = order[k]
        starts[g] += 1


def grouped_losses(
    positive: np.ndarray, scores: np.ndarray, weight: np.ndarray | None, groups: np.ndarray, count: int
) -> tuple[float, float]:
    """What is lost, and the weight of all pairs, over the pairs within a group; groups are numbers below count."""
    order, _ = falling(scores.astype(np.float64, copy=False))
    items = np.empty_like(order)
    _by_group(order, groups, np.bincount(groups, minlength=count), items)
    lost, pairs = _grouped(items, scores, positive, weight, groups)
    return float(lost), float(pairs)
