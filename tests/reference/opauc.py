"""OPAUC and AdaOAM, line by line, on X/κ: the moments and the gradient they share."""

import numpy as np

from tests.reference.common import passage


class Moments:
    """Counts, means and covariances of both classes; with draws, sketches in place of the covariances."""

    def __init__(self, d, draws=None):
        self.T = {1: 0.0, -1: 0.0}
        self.c = {1: np.zeros(d), -1: np.zeros(d)}
        self.draws = draws
        shape = (d, d) if draws is None else (d, draws.shape[1])
        self.S = {1: np.zeros(shape), -1: np.zeros(shape)}  # Γ or Z
        self.r = {1: 0.0, -1: 0.0}  # Σr

    def rescale(self, growth):
        for side in (1, -1):
            self.c[side] = self.c[side] / growth
            self.S[side] = self.S[side] / (growth**2 if self.draws is None else growth)

    def absorb(self, x, label, v, t):
        T, c, S = self.T, self.c, self.S
        T[label] += v
        before = c[label]
        c[label] = before + v / T[label] * (x - before)
        if self.draws is None:
            # eq. 2.14 with the mean's square in the bracket too: in print Γ is not the covariance that the text defines
            gain = v / T[label] * (np.outer(x, x) - S[label] - np.outer(before, before))
            S[label] = S[label] + gain + np.outer(before, before) - np.outer(c[label], c[label])
        else:
            r = np.sqrt(v) * self.draws[t] / np.sqrt(self.draws.shape[1])
            S[label] = S[label] + np.outer(x, r)
            self.r[label] = self.r[label] + r

    def covariance(self, side):
        if self.draws is None:
            return self.S[side]
        centred = self.S[side] - np.outer(self.c[side], self.r[side])  # Σ (x - c) rᵀ
        return centred @ centred.T / self.T[side]

    def gradient(self, w, x, label):
        gap = x - self.c[-label]
        return -label * gap + gap * (gap @ w) + self.covariance(-label) @ w


def opauc(X, y, l2, *, step, schedule="sqrt", draws=None, weight=None, stream=False):
    """w after one pass, in the units of X."""
    weight = np.ones(len(y)) if weight is None else weight
    w, moments, kappa = np.zeros(X.shape[1]), Moments(X.shape[1], draws), 1.0
    for t, (x, label, share, kappa, growth) in enumerate(passage(X, y, weight, stream=stream)):
        w = w * growth
        moments.rescale(growth)
        moments.absorb(x, label, weight[t], t)
        if moments.T[-label] > 0:
            g = l2 / kappa**2 * w + share * moments.gradient(w, x, label)
            w = w - (step / np.sqrt(t + 1) if schedule == "sqrt" else step) * g
    return w / kappa
