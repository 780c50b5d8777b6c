from __future__ import annotations
from typing import Any, NamedTuple
import numpy as np
from numba.extending import overload
from aucmax.kernel.jit import kernel
_STEPS = {}
class Batch(NamedTuple):
    rows: Any
    y: np.ndarray
    weight: np.ndarray
    sqnorm: np.ndarray
    eta: np.ndarray
    along: np.ndarray
def algorithm(options):
    def register(step):
        _STEPS[options] = step
        return step
    return register
def step(o, v, c, batch, i):
    return _STEPS[type(o)](o, v, c, batch, i)
@overload(step, inline="always")
def _step(o, v, c, batch, i):
    return _STEPS[o.instance_class]
@kernel
def run(o, v, c, batch):
    for i in range(batch.y.shape[0]):
        c = step(o, v, c, batch, i)
    return c
