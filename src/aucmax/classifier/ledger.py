"""The folds that are done, which a checkpoint may keep."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

Arrays = tuple[np.ndarray, ...]


class Ledger:
    """What every fold of a choice came to, by the number of its run and its own; a keeper writes it down.

    Runs come in an order that depends on the data and the parameters alone, hence a fit that goes on from a checkpoint
    finds there what it would have computed.
    """

    def __init__(self, keeper: Any = None) -> None:
        self.keeper = keeper
        self.done: dict[str, list[np.ndarray]] = dict((keeper.state if keeper else None) or {})
        self.runs = 0
        self.lock = threading.Lock()

    def begin(self) -> int:
        """The number of a new run over the folds."""
        self.runs += 1
        return self.runs

    def known(self, run: int, fold: int, like: Arrays) -> Arrays | None:
        """What a fold came to, if that is known; arrays of other shapes than those expected are refused."""
        found = self.done.get(f"{run}.{fold}")
        if found is None:
            return None
        if [np.shape(part) for part in found] != [part.shape for part in like]:
            raise self.keeper.fault("folds of other shapes")
        return tuple(np.asarray(part, dtype=float) for part in found)

    def add(self, run: int, fold: int, arrays: Arrays) -> None:
        """Take down a fold, and offer all to the keeper."""
        if self.keeper is not None:
            with self.lock:
                self.done[f"{run}.{fold}"] = list(arrays)
                self.keeper.offer(self.done, None)
