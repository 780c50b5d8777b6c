"""Resamples of sorted rows: both classes apart, or whole clusters."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.evaluate import check
from aucmax.evaluate.curves import Steps
from aucmax.evaluate.roc import group_codes
from aucmax.kernel.order import falling
from aucmax.kernel.resample import draw, lost, running

STRIDE = 0xD1342543DE82EF95  # between the seeds of one resample: odd, so that none repeats


class Sorted(NamedTuple):
    """One class in falling order: its depths, weights or None, clusters or None, and the rows they come from."""

    depth: np.ndarray
    weight: np.ndarray | None
    cluster: np.ndarray | None
    rows: np.ndarray

    @classmethod
    def of(cls, ranked: check.Ranking, rows: np.ndarray, clusters: np.ndarray | None) -> Sorted:
        """The given rows, sorted."""
        order, ordered = falling(ranked.scores[rows].astype(np.float64, copy=False))
        rows = rows[order]
        weight = None if ranked.weight is None else ranked.weight[rows]
        return cls(-ordered, weight, None if clusters is None else clusters[rows], rows)


class Resampler:
    """Draws resamples of two sorted classes: both classes apart, or whole clusters.

    Parameters
    ----------
    ranked
        The rows, both classes among them.
    groups
        The cluster of every row, or None.
    """

    def __init__(self, ranked: check.Ranking, groups: Any) -> None:
        clusters, self.n_clusters = None, 0
        if groups is not None:
            clusters, self.n_clusters = group_codes(groups, len(ranked.positive))
            present, clusters = np.unique(clusters, return_inverse=True)
            self.n_clusters = len(present)
        self.ranked = ranked
        self.classes = [
            Sorted.of(ranked, np.flatnonzero(side), clusters) for side in (ranked.positive, ~ranked.positive)
        ]
        pos, neg = (side.depth for side in self.classes)
        self.above, self.down = (np.searchsorted(neg, pos, side=side) for side in ("left", "right"))
        depths = np.unique(np.concatenate([pos, neg]))
        self.thresholds = -depths
        self.ends = [np.searchsorted(depth, depths, side="right") for depth in (pos, neg)]

    def sums(self, seed: int) -> list[np.ndarray]:
        """The running weights of both classes in one resample, which holds both."""
        with np.errstate(over="ignore"):  # random numbers wrap around, of which Python without the JIT would warn
            out = self._drawn(seed)
            while out[0][-1] == 0 or out[1][-1] == 0:  # clusters of one class only; at worst every other draw
                seed += 2 * STRIDE
                out = self._drawn(seed)
        return out

    def _drawn(self, seed: int) -> list[np.ndarray]:
        counts = None
        if self.n_clusters:
            counts = np.empty(self.n_clusters, dtype=np.int32)
            draw(np.uint64(seed % 2**64), counts)
        out = []
        for k, side in enumerate(self.classes):
            own = counts
            if own is None:
                own = np.empty(len(side.depth), dtype=np.int32)
                draw(np.uint64((seed + k * STRIDE) % 2**64), own)
            sums = np.empty(len(side.depth) + 1, dtype=np.int64 if side.weight is None else np.float64)
            running(own, side.cluster, side.weight, sums)
            out.append(sums)
        return out

    def area(self, seed: int) -> float:
        """The AUC of one resample."""
        pos, neg = self.sums(seed)
        return 1.0 - float(lost(pos, neg, self.above, self.down)) / (float(pos[-1]) * float(neg[-1]))

    def steps(self, seed: int) -> Steps:
        """The steps of one resample."""
        pos, neg = (sums[ends].astype(np.float64) for sums, ends in zip(self.sums(seed), self.ends, strict=True))
        drawn = slice(int(np.argmax(pos + neg > 0.0)), None)
        return Steps(self.thresholds[drawn], pos[drawn], neg[drawn])

    def weights(self, seed: int) -> np.ndarray:
        """How much every row weighs in one resample."""
        out = np.zeros(len(self.ranked.positive))
        for sums, side in zip(self.sums(seed), self.classes, strict=True):
            out[side.rows] = np.diff(sums)
        return out
