"""Estimators that compare each row with some rows of the other class, kept in a buffer."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from aucmax.kernel import buffer as buffers
from aucmax.kernel.driver import Batch
from aucmax.kernel.moments import Seen
from aucmax.model.data import Data
from aucmax.model.stepped import Machine, OnlineEstimator

NO_STEPS = np.empty(0)


class BufferedEstimator(OnlineEstimator):
    """An online algorithm with the pair hinge whose vectors have a ``buffer`` and whose scalars say what ``passed``."""

    _pair_loss: ClassVar[str] = "hinge"
    _pair_scale = 1.0
    buffer_size: int
    buffer: str

    def _empty_buffer(self, data: Data) -> buffers.Buffer:
        return buffers.empty(data.d, int(self.buffer_size), data.dense)

    def _begun(self, data: Data, stream: bool) -> Seen:
        """Nothing seen yet but, in a fit, the scale of the rows."""
        return Seen(0.0, 0.0, 0.0, 0.0 if stream else data.largest)

    def _equipped(self, machine: Machine, batch: Batch) -> tuple[Machine, Batch]:
        if machine.rng is None:
            raise TypeError(f"{type(self).__name__} has no random numbers for its buffer.")
        # of the buffer as it began: a parameter may have been changed since
        size, passed = len(machine.vectors.buffer.weight) // 2, machine.scalars.passed
        slots = buffers.places(self.buffer, batch.y, passed, size, machine.rng)
        roomy = buffers.roomier(machine.vectors.buffer, batch.rows)
        return machine._replace(vectors=machine.vectors._replace(buffer=roomy)), batch._replace(along=slots)

    def _step_sizes(self, t: np.ndarray, kappa2: np.ndarray) -> np.ndarray:
        return NO_STEPS
