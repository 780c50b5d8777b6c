"""An array that grows at its end, for rows whose number is not known before."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np

CHUNK = 2**20  # bytes that an array grows by


class Growing:
    """An array that grows at its end, in mapped chunks: each goes back to the system once it is copied to its place.

    Growing one array would touch, and copy, far more: numpy fills what it adds with zeros.
    """

    def __init__(self, dtype: Any) -> None:
        self.dtype, self.size, self.room = np.dtype(dtype), 0, 0
        self.chunks: list[np.ndarray] = []

    def extend(self, more: np.ndarray) -> None:
        """Append an array."""
        self.size += len(more)
        while len(more):
            if not self.room:
                self.chunks.append(np.frombuffer(mmap.mmap(-1, CHUNK), dtype=self.dtype))
                self.room = len(self.chunks[-1])
            chunk, taken = self.chunks[-1], more[: self.room]
            at = len(chunk) - self.room
            chunk[at : at + len(taken)] = taken
            self.room, more = self.room - len(taken), more[len(taken) :]

    def done(self) -> np.ndarray:
        """The array; what it was gathered in is let go."""
        found, at = np.empty(self.size, dtype=self.dtype), 0
        while self.chunks:
            chunk = self.chunks.pop(0)[: self.size - at]
            found[at : at + len(chunk)] = chunk
            at += len(chunk)
        return found
