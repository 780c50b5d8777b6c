"""CBR, line by line, on X/κ."""

import numpy as np
from scipy.stats import norm

from tests.reference.common import Buffers, passage, scaled


def cbr(X, y, *, C, covariance, kind, size, draws, eta=0.7, weight=None, stream=False):
    """w after one pass, in the units of X."""
    weight = np.ones(len(y)) if weight is None else weight
    d = X.shape[1]
    w, sigma, buffers = np.zeros(d), np.eye(d), Buffers(size, kind, draws)
    phi = norm.ppf(eta)
    psi, zeta = 1 + phi**2 / 2, 1 + phi**2
    for t, (x, label, share, _, growth) in enumerate(passage(X, y, weight, stream=stream)):
        w, sigma = w * growth, sigma * growth**2
        buffers.rescale(growth)
        buffers.keep(x, weight[t], label)
        for other, mass in buffers.kept[-label]:
            z = label * (x - other)
            m, v = w @ z, z @ sigma @ z
            if v == 0:
                continue
            cap = C * share * mass / weight[: t + 1].mean()
            alpha = min(cap, max(0, (-m * psi + np.sqrt(m**2 * phi**4 / 4 + v * phi**2 * zeta)) / (v * zeta)))
            u = (-alpha * v * phi + np.sqrt(alpha**2 * v**2 * phi**2 + 4 * v)) ** 2 / 4
            beta = alpha * phi / (np.sqrt(u) + v * alpha * phi)
            w = w + alpha * sigma @ z
            change = beta * np.outer(sigma @ z, z @ sigma)
            sigma = sigma - (change if covariance == "full" else np.diag(np.diag(change)))
    return w / scaled(X)[1]
