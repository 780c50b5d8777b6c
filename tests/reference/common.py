"""The pieces the papers write down once."""

import numpy as np


def scaled(X):
    """X/κ and κ."""
    kappa = np.sqrt((X**2).sum(axis=1).max())
    return X / kappa, kappa


def soft(v, threshold):
    return np.sign(v) * np.maximum(np.abs(v) - threshold, 0.0)


def project_l1(v, radius):
    """The projection on the ℓ1 ball by sorting."""
    if np.abs(v).sum() <= radius:
        return v.copy()
    sizes = np.sort(np.abs(v))[::-1]
    totals = np.cumsum(sizes)
    last = np.nonzero(sizes * np.arange(1, len(v) + 1) > totals - radius)[0][-1]
    return soft(v, (totals[last] - radius) / (last + 1))


def project_l2(v, radius):
    norm = np.linalg.norm(v)
    return v * (radius / norm) if norm > radius else v


def saddle_derivatives(w, a, b, alpha, x, y, p):
    """∂w, ∂a, ∂b, ∂alpha of F."""
    s = w @ x
    if y > 0:
        return (
            2 * (1 - p) * ((s - a) - (1 + alpha)) * x,
            -2 * (1 - p) * (s - a),
            0.0,
            -2 * (1 - p) * s - 2 * p * (1 - p) * alpha,
        )
    return 2 * p * ((s - b) + (1 + alpha)) * x, 0.0, -2 * p * (s - b), 2 * p * s - 2 * p * (1 - p) * alpha


def passage(X, y, weight=None, *, stream=False):
    """The rows of one pass: x/κ, label, weight over the mean weight so far, κ, and how much κ has just grown.

    κ is the largest row norm: of all rows, or in a stream of those so far, where 1 stands in before the first row that
    is not empty.
    """
    weight = np.ones(len(y)) if weight is None else weight
    norms = np.sqrt((X**2).sum(axis=1))
    kappa, before = (0.0, 0.0) if stream else (norms.max(), norms.max())
    for t, (x, label, v) in enumerate(zip(X, y, weight, strict=True), 1):
        kappa = max(kappa, norms[t - 1])
        growth = kappa / before if before > 0 else 1.0
        before = kappa
        yield x / (kappa or 1.0), label, v * t / weight[:t].sum(), kappa or 1.0, growth


class Buffers:
    """Rows of each class with their raw weights, as lists: the last ones, or a reservoir fed with uniform numbers."""

    def __init__(self, size, kind, draws):
        self.size, self.kind, self.draws = size, kind, iter(draws)
        self.kept = {1: [], -1: []}
        self.passed = {1: 0, -1: 0}

    def rescale(self, growth):
        for side, rows in self.kept.items():
            self.kept[side] = [(x / growth, v) for x, v in rows]

    def keep(self, x, v, label):
        self.passed[label] += 1
        kept, number, draw = self.kept[label], self.passed[label], next(self.draws)
        if len(kept) < self.size:
            kept.append((x, v))
        elif self.kind == "fifo":
            kept[(number - 1) % self.size] = (x, v)
        elif int(draw * number) < self.size:
            kept[int(draw * number)] = (x, v)
