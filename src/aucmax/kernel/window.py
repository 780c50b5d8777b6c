"""The rows of a sliding window in a balanced search tree, so that one comes and one goes in O(log window).

The tree is a treap: ordered by score, a heap by random priorities, which keeps it shallow whatever comes. Every node
counts the positive and the negative rows of its subtree; so the losses of a row, hence of the window, follow from one
path. Losses are counted twice over, in integers: they are exact however long the stream.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.kernel.jit import inlined, kernel
from aucmax.kernel.resample import GOLDEN, mixed

NONE = -1
ROOT, SEEN, LOST, POS, NEG = range(5)  # places in the tally


class Tree(NamedTuple):
    """Nodes by place in the ring: score, label, priority, links (left, right, parent), counts (positive, negative)."""

    score: np.ndarray
    positive: np.ndarray
    priority: np.ndarray
    links: np.ndarray
    counts: np.ndarray
    tally: np.ndarray  # root, rows seen, twice the loss, rows of either class

    @classmethod
    def empty(cls, window: int) -> Tree:
        """A tree for so many rows."""
        tally = np.zeros(5, dtype=np.int64)
        tally[ROOT] = NONE
        return cls(
            np.zeros(window),
            np.zeros(window, dtype=np.bool_),
            np.zeros(window, dtype=np.uint64),
            np.full((window, 3), NONE, dtype=np.int64),
            np.zeros((window, 2), dtype=np.int64),
            tally,
        )


@inlined
def _refresh(tree: Any, node: Any) -> None:
    """Count a subtree anew from its children."""
    own = 1 if tree.positive[node] else 0
    pos, neg = own, 1 - own
    for side in range(2):
        child = tree.links[node, side]
        if child != NONE:
            pos += tree.counts[child, 0]
            neg += tree.counts[child, 1]
    tree.counts[node, 0] = pos
    tree.counts[node, 1] = neg


@inlined
def _replace(tree: Any, parent: Any, node: Any, other: Any) -> None:
    """Put another node, or none, in the place of a child."""
    if parent == NONE:
        tree.tally[ROOT] = other
    else:
        tree.links[parent, 0 if tree.links[parent, 0] == node else 1] = other
    if other != NONE:
        tree.links[other, 2] = parent


@inlined
def _lift(tree: Any, node: Any) -> None:
    """Rotate a node above its parent."""
    parent = tree.links[node, 2]
    side = 0 if tree.links[parent, 0] == node else 1
    inner = tree.links[node, 1 - side]
    _replace(tree, tree.links[parent, 2], parent, node)
    tree.links[node, 1 - side] = parent
    tree.links[parent, 2] = node
    tree.links[parent, side] = inner
    if inner != NONE:
        tree.links[inner, 2] = parent
    _refresh(tree, parent)
    _refresh(tree, node)


@inlined
def _insert(tree: Any, node: Any) -> None:
    score, column = tree.score[node], 0 if tree.positive[node] else 1
    parent, at, side = NONE, tree.tally[ROOT], 0
    while at != NONE:
        tree.counts[at, column] += 1
        side = 0 if score < tree.score[at] else 1
        parent, at = at, tree.links[at, side]
    for k in range(2):
        tree.links[node, k] = NONE
    tree.links[node, 2] = parent
    if parent == NONE:
        tree.tally[ROOT] = node
    else:
        tree.links[parent, side] = node
    _refresh(tree, node)
    while tree.links[node, 2] != NONE and tree.priority[tree.links[node, 2]] < tree.priority[node]:
        _lift(tree, node)


@inlined
def _remove(tree: Any, node: Any) -> None:
    """Rotate a node down to where it has at most one child, and take it out."""
    left, right = tree.links[node, 0], tree.links[node, 1]
    while left != NONE and right != NONE:
        _lift(tree, left if tree.priority[left] > tree.priority[right] else right)
        left, right = tree.links[node, 0], tree.links[node, 1]
    at = tree.links[node, 2]
    _replace(tree, at, node, left if left != NONE else right)
    column = 0 if tree.positive[node] else 1
    while at != NONE:
        tree.counts[at, column] -= 1
        at = tree.links[at, 2]


@inlined
def _below(tree: Any, score: Any, column: Any) -> Any:
    """The rows of a class strictly below a score, plus those not above it: twice below, ties once."""
    total, at = 0, tree.tally[ROOT]
    while at != NONE:  # those strictly below
        if tree.score[at] < score:
            right = tree.links[at, 1]
            total += tree.counts[at, column] - (tree.counts[right, column] if right != NONE else 0)
            at = right
        else:
            at = tree.links[at, 0]
    at = tree.tally[ROOT]
    while at != NONE:  # those not above
        if tree.score[at] <= score:
            right = tree.links[at, 1]
            total += tree.counts[at, column] - (tree.counts[right, column] if right != NONE else 0)
            at = right
        else:
            at = tree.links[at, 0]
    return total


@inlined
def _loss(tree: Any, node: Any) -> Any:
    """Twice what a row loses against the other class; the row itself need not be in the tree."""
    if tree.positive[node]:
        return 2 * tree.tally[NEG] - _below(tree, tree.score[node], 1)
    return _below(tree, tree.score[node], 0)


@kernel
def slide(tree: Any, positive: Any, scores: Any, out: Any) -> None:
    """Let rows pass through the window, one by one; write the AUC after each where there is room for it."""
    window = tree.score.shape[0]
    tally = tree.tally
    for k in range(scores.shape[0]):
        node = tally[SEEN] % window
        if tally[SEEN] >= window:
            _remove(tree, node)
            tally[POS if tree.positive[node] else NEG] -= 1
            tally[LOST] -= _loss(tree, node)
        tree.score[node] = scores[k]
        tree.positive[node] = positive[k]
        tree.priority[node] = mixed(np.uint64(tally[SEEN] + 1) * GOLDEN)
        tally[LOST] += _loss(tree, node)
        tally[POS if positive[k] else NEG] += 1
        _insert(tree, node)
        tally[SEEN] += 1
        if k < out.shape[0]:
            pairs = float(tally[POS]) * float(tally[NEG])
            out[k] = 1.0 - 0.5 * float(tally[LOST]) / pairs if pairs > 0.0 else np.nan
