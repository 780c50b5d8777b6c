"""SPAM, line by line."""

import numpy as np

from tests.reference.common import scaled, soft


def steps(schedule, c, theta, beta, t):
    if schedule == "sqrt":
        return c / np.sqrt(t)
    if schedule == "power":
        return c / t**theta
    rate = beta / (1 + beta**2 / 128) ** 2
    return 1 / (rate * (t + 2 / rate))


def spam(X, y, l2, l1, *, step=1.0, schedule="sqrt", theta=0.75, weight=None):
    """Last iterate and average after one pass, in the units of X."""
    Z, kappa = scaled(X)
    weight = np.ones(len(y)) if weight is None else weight / weight.mean()
    pos, neg = y > 0, y < 0
    p = weight[pos].sum() / weight.sum()
    mean_pos, mean_neg = (np.average(Z[side], axis=0, weights=weight[side]) for side in (pos, neg))
    beta, beta1 = l2 / kappa**2, l1 / kappa
    w, total, mass = np.zeros(X.shape[1]), np.zeros(X.shape[1]), 0.0
    for t, (x, label, v) in enumerate(zip(Z, y, weight, strict=True), 1):
        eta = steps(schedule, step, theta, beta, t)
        total, mass = total + eta * w, mass + eta
        a, b = w @ mean_pos, w @ mean_neg
        alpha = b - a
        if label > 0:
            g = 2 * (1 - p) * ((w @ x - a) - (1 + alpha)) * x
        else:
            g = 2 * p * ((w @ x - b) + (1 + alpha)) * x
        w = soft(w - eta * v * g, eta * beta1) / (1 + eta * beta)
    return w / kappa, total / mass / kappa


def spam_stream(X, y, l2, l1, *, step=1.0):
    """The same with class means and κ of the rows so far; the state is rescaled when κ grows."""
    d = X.shape[1]
    w, total, mass, kappa = np.zeros(d), np.zeros(d), 0.0, 0.0
    sums, counts = np.zeros((2, d)), np.zeros(2)
    for t, (x, label) in enumerate(zip(X, y, strict=True), 1):
        side = 0 if label > 0 else 1
        sums[side] += x
        counts[side] += 1
        grown = max(kappa, np.linalg.norm(x))
        if grown == 0.0:
            continue
        if kappa > 0:
            w, total = w * grown / kappa, total * grown / kappa
        kappa = grown
        p = counts[0] / counts.sum()
        a, b = (w @ s / kappa / max(c, 1) for s, c in zip(sums, counts, strict=True))
        z = x / kappa
        eta = step / np.sqrt(t)
        total, mass = total + eta * w, mass + eta
        g = 2 * (1 - p) * (w @ z - b - 1) * z if label > 0 else 2 * p * (w @ z - a + 1) * z
        w = soft(w - eta * g, eta * l1 / kappa) / (1 + eta * l2 / kappa**2)
    return w / kappa, total / mass / kappa
