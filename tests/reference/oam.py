"""OAM, line by line, on X/κ."""

import numpy as np

from tests.reference.common import Buffers, passage, scaled


def oam(X, y, *, C, variant, size, draws, kind="reservoir", weight=None, stream=False, most=None):
    """w after one pass, in the units of X; in several passes, N counts no more rows of a class than there are."""
    weight = np.ones(len(y)) if weight is None else weight
    w, buffers = np.zeros(X.shape[1]), Buffers(size, kind, draws)
    for t, (x, label, share, _, growth) in enumerate(passage(X, y, weight, stream=stream)):
        w = w * growth
        buffers.rescale(growth)
        buffers.keep(x, weight[t], label)
        N = min(buffers.passed[-label], most[-label]) if most else buffers.passed[-label]
        C_t = C * max(1, N / size) * share
        w_t = w.copy()
        for other, v in buffers.kept[-label]:
            z = label * (x - other)
            C_pair = C_t * v / weight[: t + 1].mean()
            if variant == "gra":
                w = w + C_pair * z / 2 * (w_t @ z <= 1)
            elif z @ z > 0:
                w = w + min(C_pair / 2, max(0, 1 - w @ z) / (z @ z)) * z
    return w / scaled(X)[1]
