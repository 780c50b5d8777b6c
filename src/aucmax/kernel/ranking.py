"""Two classes ranked against each other: what wrong order loses, in one sweep over both in falling order.

A class is given by its depths, minus its scores, in rising order, and by its weights in the same order, or None where
all weigh one. The loss of a positive row is the weight of the negative rows above it, ties counting half; the loss of a
negative row is that of the positive rows below it. One minus the mean loss over all pairs is the AUC.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.kernel.classes import Classes
from aucmax.kernel.jit import inlined, kernel
from aucmax.kernel.order import falling, falling_with


class Side(NamedTuple):
    """One class: depths in rising order, their weights or None, and the sum of the weights."""

    depth: np.ndarray
    weight: np.ndarray | None
    total: float


class Spread(NamedTuple):
    """The losses of one class about a centre c: Σv², Σv²(l-c) and Σv²(l-c)², v being the weights."""

    squares: float
    first: float
    second: float


class Losses(NamedTuple):
    """The weight of the pairs in wrong order, and the spread of the losses of either class."""

    lost: float
    pos: Spread
    neg: Spread


@inlined
def _block(depth: Any, weight: Any, first: Any, x: Any) -> Any:
    """The end of the rows at one depth, their weight, and the sum of their squared weights."""
    end = first
    if weight is None:
        while end < depth.shape[0] and depth[end] == x:
            end += 1
        return end, float(end - first), float(end - first)
    mass = 0.0
    squares = 0.0
    while end < depth.shape[0] and depth[end] == x:
        mass += weight[end]
        squares += weight[end] * weight[end]
        end += 1
    return end, mass, squares


@inlined
def _rest(weight: Any, first: Any, n: Any) -> Any:
    """The weight of the rows from one on, and the sum of their squared weights."""
    if weight is None:
        return float(n - first), float(n - first)
    mass = 0.0
    squares = 0.0
    for k in range(first, n):
        mass += weight[k]
        squares += weight[k] * weight[k]
    return mass, squares


@inlined
def _grown(sums: Any, squares: Any, distance: Any) -> Any:
    return sums[0] + squares, sums[1] + squares * distance, sums[2] + squares * distance * distance


@kernel
def _losses(pos: Any, neg: Any, v: Any, w: Any, centres: Any) -> Any:
    """What is lost over all pairs, and the spread of the losses about the centres."""
    lost, negs_above, pos_above = 0.0, 0.0, 0.0
    p, q = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    i, j = 0, 0
    whole = _rest(v, 0, pos.shape[0])[0]
    while i < pos.shape[0] and j < neg.shape[0]:
        x = min(pos[i], neg[j])
        i, mass, squares = _block(pos, v, i, x)
        j, other, other_squares = _block(neg, w, j, x)
        loss = negs_above + 0.5 * other
        lost += mass * loss
        p = _grown(p, squares, loss - centres[0])
        q = _grown(q, other_squares, whole - pos_above - 0.5 * mass - centres[1])
        negs_above += other
        pos_above += mass
    mass, squares = _rest(v, i, pos.shape[0])
    p = _grown(p, squares, negs_above - centres[0])
    q = _grown(q, _rest(w, j, neg.shape[0])[1], -centres[1])
    return lost + mass * negs_above, p, q


@kernel
def _row_losses(pos: Any, neg: Any, v: Any, w: Any, rows: Any, out: Any) -> None:
    """Write the loss of every row to its place; rows holds the places of the positive and of the negative rows."""
    negs_above, pos_above = 0.0, 0.0
    i, j = 0, 0
    whole = _rest(v, 0, pos.shape[0])[0]
    while i < pos.shape[0] or j < neg.shape[0]:
        x = pos[i] if j == neg.shape[0] or (i < pos.shape[0] and pos[i] < neg[j]) else neg[j]
        first, other_first = i, j
        i, mass, _ = _block(pos, v, i, x)
        j, other, _ = _block(neg, w, j, x)
        for k in range(first, i):
            out[rows[0][k]] = negs_above + 0.5 * other
        for k in range(other_first, j):
            out[rows[1][k]] = whole - pos_above - 0.5 * mass
        negs_above += other
        pos_above += mass


@kernel
def _steps(pos: Any, neg: Any, v: Any, w: Any, out: Any) -> Any:
    """Write every depth and the weight of the positives and negatives down to it; the number of depths."""
    count, i, j = 0, 0, 0
    down, other_down = 0.0, 0.0
    while i < pos.shape[0] or j < neg.shape[0]:
        x = pos[i] if j == neg.shape[0] or (i < pos.shape[0] and pos[i] < neg[j]) else neg[j]
        i, mass, _ = _block(pos, v, i, x)
        j, other, _ = _block(neg, w, j, x)
        down += mass
        other_down += other
        out[0, count], out[1, count], out[2, count] = x, down, other_down
        count += 1
    return count


@kernel
def _part(scores: Any, positive: Any, weight: Any, depths: Any, weights: Any) -> None:
    """Part the rows by class, without a branch on the label: every row is written to both, and kept by one."""
    i, j = 0, 0
    for k in range(scores.shape[0]):
        step = 1 if positive[k] else 0
        depths[0][i] = -scores[k]
        depths[1][j] = -scores[k]
        if weight is not None:
            weights[0][i] = weight[k]
            weights[1][j] = weight[k]
        i += step
        j += 1 - step


@kernel
def _hull(x: Any, y: Any, kept: Any) -> Any:
    """The corners of the upper hull of points in rising order of x and of y; how many there are."""
    count = 0
    for k in range(x.shape[0]):
        while count > 1:
            a, b = kept[count - 2], kept[count - 1]
            if (x[b] - x[a]) * (y[k] - y[a]) < (y[b] - y[a]) * (x[k] - x[a]):
                break
            count -= 1
        kept[count] = k
        count += 1
    return count


def sides(positive: np.ndarray, scores: np.ndarray, weight: np.ndarray | None) -> tuple[Side, Side]:
    """Both classes in falling order of their scores, which are finite or infinite floats; positive holds booleans."""
    n_pos = int(np.count_nonzero(positive))
    sizes = n_pos, len(scores) - n_pos
    depths = tuple(np.empty(size + 1, dtype=scores.dtype) for size in sizes)  # one spare place to write to
    weights = None if weight is None else tuple(np.empty(size + 1) for size in sizes)
    _part(scores, positive, weight, depths, weights)
    if weights is None:
        return tuple(_sorted_in_place(depth[:-1]) for depth in depths)  # type: ignore[return-value]
    pairs = zip(depths, weights, strict=True)
    return tuple(_weighted(depth[:-1], weight[:-1]) for depth, weight in pairs)  # type: ignore[return-value]


def class_sides(classes: Classes, scores: np.ndarray) -> tuple[Side, Side]:
    """Both of two classes without groups, by the scores of all rows."""
    found = []
    for rows in (classes.pos, classes.neg):
        depth = -scores[rows]
        found.append(_sorted_in_place(depth) if classes.even else _weighted(depth, classes.weight[rows]))
    return found[0], found[1]


def _sorted_in_place(depth: np.ndarray) -> Side:
    depth.sort()
    return Side(depth, None, float(len(depth)))


def _weighted(depth: np.ndarray, weight: np.ndarray) -> Side:
    ordered, carried = falling_with(-depth.astype(np.float64, copy=False), weight)
    return Side(-ordered, carried, float(carried.sum()))


def lost_share(pos: Side, neg: Side) -> float:
    """One minus the AUC."""
    return float(_losses(pos.depth, neg.depth, pos.weight, neg.weight, (0.0, 0.0))[0]) / (pos.total * neg.total)


def losses(pos: Side, neg: Side, centres: tuple[float, float] = (0.0, 0.0)) -> Losses:
    """What is lost, and the spread of the losses about the centres: near their means, nothing cancels."""
    lost, p, q = _losses(pos.depth, neg.depth, pos.weight, neg.weight, centres)
    return Losses(lost, Spread(*p), Spread(*q))


def row_losses(positive: np.ndarray, scores: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """The loss of every row."""
    out = np.empty(len(scores))
    rows = np.flatnonzero(positive), np.flatnonzero(~positive)
    depths, places, weights = [], [], []
    for own in rows:
        order, ordered = falling(scores[own].astype(np.float64, copy=False))
        depths.append(-ordered)
        places.append(own[order])
        weights.append(None if weight is None else weight[places[-1]])
    _row_losses(depths[0], depths[1], weights[0], weights[1], (places[0], places[1]), out)
    return out


def steps(pos: Side, neg: Side) -> np.ndarray:
    """Three rows: the distinct scores, falling, and the weights of the positives and of the negatives down to each."""
    out = np.empty((3, len(pos.depth) + len(neg.depth)))
    count = _steps(pos.depth, neg.depth, pos.weight, neg.weight, out)
    out = out[:, :count]
    np.negative(out[0], out=out[0])
    return out


def upper_hull(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The positions of the corners of the upper convex hull of a rising curve."""
    kept = np.empty(len(x), dtype=np.int64)
    return kept[: _hull(x, y, kept)]
