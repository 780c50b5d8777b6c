"""An AUC over partitions of the data, or over a file larger than memory, from summaries that can be merged.

A score becomes an integer of 64 bits in the same order, of which the summary keeps the leading bits: as many as leave
no more distinct values than there are bins. How many that is depends on the set of scores alone, not on their order or
partition, and the bins count in integers. So summaries of parts merge to the very summary of the whole, bit for bit,
in any order and grouping.

Pairs within a bin count as ties. The AUC is therefore off by at most half of their share of all pairs; this bound comes
with every answer, and it is zero while there are no more distinct scores than bins. A bin of a single score holds true
ties, which do not count towards the bound.

The integer is a float's own bits, with room made for probabilities near one: between 1/2 and 1 it holds the bits of
1 - s, which is exact, so that scores are told apart as finely near one as near zero, and near minus one likewise. The
room comes from numbers below 2⁻⁹⁰⁰, which lose their last bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

import numpy as np

from aucmax.evaluate import check
from aucmax.evaluate.window import stream_rows

SIGN = np.uint64(1 << 63)
BITS = 64
TINY = np.float64(2.0**-900).view(np.uint64)
HALF = np.float64(0.5).view(np.uint64)
ONE = np.float64(1.0).view(np.uint64)
ROOM = np.uint64(52 << 52)  # the 52 more binades of 1 - s below 1/2


class Bins(NamedTuple):
    """Leading bits of the scores, rising, the lowest and highest score of each, and the rows of either class."""

    keys: np.ndarray
    low: np.ndarray
    high: np.ndarray
    pos: np.ndarray
    neg: np.ndarray

    @classmethod
    def of(cls, scores: np.ndarray, positive: np.ndarray) -> Bins:
        """One bin for every distinct score."""
        distinct, places = np.unique(scores, return_inverse=True)
        pos = np.bincount(places[positive], minlength=len(distinct))
        neg = np.bincount(places, minlength=len(distinct)) - pos
        return cls(_keys(distinct), distinct, distinct, pos, neg)

    def joined(self, other: Bins) -> Bins:
        """The bins of both, sorted; equal keys not yet put together."""
        both = [np.concatenate(pair) for pair in zip(self, other, strict=True)]
        order = np.argsort(both[0], kind="stable")
        return Bins(*(values[order] for values in both))

    def shifted(self, bits: int) -> Bins:
        """Without so many of the last bits; equal keys put together."""
        keys = self.keys >> np.uint64(bits) if bits < BITS else np.zeros_like(self.keys)
        if not len(keys):
            return self
        first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
        lows, highs = np.minimum.reduceat(self.low, first), np.maximum.reduceat(self.high, first)
        return Bins(keys[first], lows, highs, np.add.reduceat(self.pos, first), np.add.reduceat(self.neg, first))


class AUCSummary:
    """A summary of scores and labels in bounded memory, from which the AUC follows up to a bound.

    Parameters
    ----------
    bins : int
        The most bins to keep, at least 2; 40 bytes each. Four times as many make the bound some four times smaller.

    Attributes
    ----------
    bins : int
        The same.

    Examples
    --------
    >>> import numpy as np
    >>> from aucmax.evaluate import AUCSummary
    >>> first = AUCSummary().update([0, 1, 0], [0.1, 0.35, 0.4])
    >>> both = first.merge(AUCSummary().update([1], [0.8]))
    >>> both.auc, both.error_bound
    (0.75, 0.0)
    """

    def __init__(self, bins: int = 2**16) -> None:
        self.bins = int(check.number("bins", bins, 2, 2**32, closed=True))
        self._dropped = 0  # of the last bits
        self._bins = Bins.of(np.empty(0), np.empty(0, dtype=bool))

    def update(self, y: Any, scores: Any) -> Self:
        """Take in rows.

        Parameters
        ----------
        y : bool or number, or array-like of shape (n,)
            Labels; those above 0 are positive.
        scores : number, or array-like of shape (n,)
            The scores; NaN is refused, and nothing changes then.

        Returns
        -------
        self
            The same, updated.
        """
        positive, values = stream_rows(y, scores)
        self._take(Bins.of(values + 0.0, positive), 0)
        return self

    @classmethod
    def of_chunks(cls, chunks: Iterable[tuple[Any, Any]], bins: int = 2**16) -> Self:
        """The summary of (labels, scores) in chunks, one at a time in memory."""
        summary = cls(bins)
        for y, scores in chunks:
            summary.update(y, scores)
        return summary

    def merge(self, *others: AUCSummary) -> AUCSummary:
        """The summary of the rows of all: the same, to the bit, in any order and grouping."""
        for other in others:
            if not isinstance(other, AUCSummary) or other.bins != self.bins:
                raise ValueError(
                    f"{other!r} cannot be merged with a summary of {self.bins} bins; expected another one."
                )
        whole = AUCSummary(self.bins)
        for part in (self, *others):
            whole._take(part._bins, part._dropped)
        return whole

    def _take(self, part: Bins, dropped: int) -> None:
        drop = max(self._dropped, dropped)
        ours, theirs = self._bins.shifted(drop - self._dropped), part.shifted(drop - dropped)
        joined = ours.joined(theirs).shifted(0)
        while len(joined.keys) > self.bins:
            drop += 1
            joined = joined.shifted(1)
        self._bins, self._dropped = joined, drop

    @property
    def auc(self) -> float:
        """The AUC, rows of one bin counting as ties; NaN while a class is missing."""
        pos, neg = self._bins.pos, self._bins.neg
        below = np.cumsum(neg) - neg
        return _share(sum_exact(pos, 2 * below + neg), 2 * self.n_pos * self.n_neg)

    @property
    def error_bound(self) -> float:
        """The AUC of the rows themselves lies no further than this from ``auc``, whatever the scores."""
        mixed = self._bins.low != self._bins.high
        return _share(sum_exact(self._bins.pos[mixed], self._bins.neg[mixed]), 2 * self.n_pos * self.n_neg)

    @property
    def n_pos(self) -> int:
        """The positive rows seen."""
        return int(self._bins.pos.sum())

    @property
    def n_neg(self) -> int:
        """The negative rows seen."""
        return int(self._bins.neg.sum())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AUCSummary):
            return NotImplemented
        mine, theirs = (self.bins, self._dropped), (other.bins, other._dropped)
        return mine == theirs and all(map(np.array_equal, self._bins, other._bins))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        bound = f" ± {self.error_bound:.1g}" if self.error_bound > 0.0 else ""
        return f"AUCSummary(bins={self.bins}): AUC {self.auc:.6f}{bound} of {self.n_pos} + {self.n_neg} rows"


def _keys(values: np.ndarray) -> np.ndarray:
    """Integers in the order of floats."""
    bits = np.abs(values).view(np.uint64)
    key = np.where(bits < TINY, bits >> np.uint64(1), bits - (TINY >> np.uint64(1)))
    high = (bits >= HALF) & (bits < ONE)
    key[high] = HALF - (TINY >> np.uint64(1)) + (HALF - (1.0 - np.abs(values[high])).view(np.uint64))
    key[bits >= ONE] += ROOM
    return np.asarray(np.where(values < 0.0, SIGN - np.uint64(1) - key, SIGN + key))


def sum_exact(a: np.ndarray, b: np.ndarray) -> int:
    """The sum of products of integers, however large."""
    if len(a) and float(np.abs(a).sum()) * float(np.abs(b).max()) >= 2.0**62:
        return int(a.astype(object) @ b.astype(object))
    return int(a @ b)


def _share(part: int, whole: int) -> float:
    return part / whole if whole > 0 else float("nan")
