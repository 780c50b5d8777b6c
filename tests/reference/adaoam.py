"""AdaOAM, line by line, on X/κ."""

import numpy as np
from scipy.optimize import brentq

from tests.reference.common import passage
from tests.reference.opauc import Moments


def project(v, H, radius):
    """The projection on |w| ≤ radius in the norm of H, and whether it moved v."""
    if np.linalg.norm(v) <= radius:
        return v, False

    def excess(theta):
        return np.linalg.norm(H * v / (H + theta)) - radius

    high = H.max()
    while excess(high) > 0:
        high *= 2
    return H * v / (H + brentq(excess, 0.0, high, xtol=1e-300, rtol=1e-15)), True


def adaoam(X, y, l2, *, step, weight=None, stream=False):
    """w after one pass, in the units of X, and how often the projection was active."""
    weight = np.ones(len(y)) if weight is None else weight
    d = X.shape[1]
    w, squares, moments, kappa, active = np.zeros(d), np.zeros(d), Moments(d), 1.0, 0
    for t, (x, label, share, kappa, growth) in enumerate(passage(X, y, weight, stream=stream)):
        w, squares = w * growth, squares / growth**2
        moments.rescale(growth)
        moments.absorb(x, label, weight[t], t)
        if moments.T[-label] > 0:
            g = l2 / kappa**2 * w + share * moments.gradient(w, x, label)
            squares = squares + g**2
            H = 1e-8 + np.sqrt(squares)
            w = w - step * g / H
            if l2 > 0:
                w, moved = project(w, H, kappa / np.sqrt(l2))
                active += moved
    return w / kappa, active
