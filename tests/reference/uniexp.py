"""Online Uni-Exp, line by line, on X/κ."""

import numpy as np

from tests.reference.common import passage


def uniexp(X, y, l2, *, step, weight=None, stream=False):
    """w after one pass, in the units of X, and how often the exponent was clipped."""
    weight = np.ones(len(y)) if weight is None else weight
    w, kappa, clipped = np.zeros(X.shape[1]), 1.0, 0
    for t, (x, label, share, kappa, growth) in enumerate(passage(X, y, weight, stream=stream), 1):
        w = w * growth
        q = weight[:t][y[:t] == label].sum() / weight[:t].sum()
        clipped += -label * (w @ x) > 30
        g = l2 / kappa**2 * w - share / (2 * q) * label * np.exp(min(30, -label * (w @ x))) * x
        w = w - step / np.sqrt(t) * g
    return w / kappa, clipped
