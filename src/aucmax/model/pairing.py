"""Random pairs of opposite rows that keep to the order of memory.

A pass takes every row of the larger class once and gives each a partner of the smaller class. Which row is whose
partner is uniform: every pair has the same chance at every step of every pass. What differs from independent draws is
only how steps depend on each other: up to ``RESHUFFLED`` rows, a pass runs through random orders of the smaller class,
one after the other, so that its rows are used equally often; above, both classes are copied once in random order, a
pass takes blocks of the larger class in random order, and the partners of a block are consecutive rows of the smaller
class from a random place on, round the end if need be.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.kernel.driver import Pairs
from aucmax.model.data import CHUNK, NOTHING_KNOWN, RESHUFFLED, Data


class Pairing:
    """The pairs of every pass over the data; unshuffled, both classes as they lie, the smaller one in turn."""

    def __init__(self, data: Data, shuffle: bool, rng: Any) -> None:
        self.shuffle, self.rng = shuffle, rng
        self.small = data.n <= RESHUFFLED
        pos, neg = np.flatnonzero(data.y > 0), np.flatnonzero(data.y < 0)
        self.sign = 1 if len(pos) > len(neg) else -1
        self.lead, self.other = (pos, neg) if self.sign > 0 else (neg, pos)
        self.data = data
        if shuffle and not self.small:
            order = np.concatenate([rng.permutation(self.lead), rng.permutation(self.other)])
            self.data = data.taken(order)
            self.lead, self.other = np.split(np.arange(data.n), [len(self.lead)])
        # a pair weighs the product of its rows' weights, each relative to its class
        self.weight = self.data.weight.copy()
        for rows in (self.lead, self.other):
            self.weight[rows] /= self.weight[rows].mean()

    def blocks(self) -> list[tuple[int, int]]:
        """Begin a pass: the blocks of pairs to take, each as its first and last."""
        n, m = len(self.lead), len(self.other)
        ends = [(start, min(start + CHUNK, n)) for start in range(0, n, CHUNK)]
        self.partner = self.other[np.arange(n) % m]
        if self.shuffle and self.small:
            self.lead = self.rng.permutation(self.lead)
            orders = [self.rng.permutation(self.other) for _ in range(-(-n // m))]
            self.partner = np.concatenate(orders)[:n]
        elif self.shuffle:
            ends = [ends[k] for k in self.rng.permutation(len(ends))]
            for start, stop in ends:
                self.partner[start:stop] = self.other[(self.rng.randint(m) + np.arange(stop - start)) % m]
        return ends

    def piece(self, start: int, stop: int, along: np.ndarray) -> Pairs:
        """Some pairs of a block."""
        lead, partner = self.lead[start:stop], self.partner[start:stop]
        return Pairs(
            self.data.rows,
            lead,
            partner,
            np.full(stop - start, self.sign, dtype=np.int8),
            self.weight[lead] * self.weight[partner],
            self.data.sqnorm[lead] + self.data.sqnorm[partner],
            NOTHING_KNOWN,
        )
