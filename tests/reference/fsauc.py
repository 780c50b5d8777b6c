"""FSAUC, line by line, the projection by scipy's root finder."""

import numpy as np
from scipy.optimize import brentq

from tests.reference.common import project_l1, saddle_derivatives, scaled


def project(z, R, kappa=1.0):
    return np.append(project_l1(z[:-2], R), np.clip(z[-2:], -R * kappa, R * kappa))


def project_intersection(z, centre, R, r, kappa=1.0):
    inside = project(z, R, kappa)
    if np.linalg.norm(inside - centre) <= r:
        return inside

    def distance(theta):
        return np.linalg.norm(project((z + theta * centre) / (1 + theta), R, kappa) - centre) - r

    high = 1.0
    while distance(high) > 0:
        high *= 2
    theta = brentq(distance, 0, high, xtol=1e-15, rtol=1e-15)
    return project((z + theta * centre) / (1 + theta), R, kappa)


def lengths_of(n, first):
    """The lengths of the stages over n rows."""
    if first is None:
        stages = max(1, int(0.5 * np.log2(2 * n / np.log2(n))) - 1)
        length = n // stages
        return [length] * (stages - 1) + [n - length * (stages - 1)]
    lengths = []
    while sum(lengths) < n:
        lengths.append(min(first * 2 ** len(lengths), n - sum(lengths)))
    return lengths


def fsauc(X, y, *, radius, schedule="halving", step=1.0, scale="norm", first=None):
    """The last stage's average after one pass, and how often the ball was active.

    With the length of the first stage given, as in a stream, every stage is twice as long as the one before.
    """
    Z, divisor = scaled(X)
    kappa = 1.0
    if scale == "none":
        Z, divisor, kappa = X, 1.0, divisor
    n, d = X.shape
    R, log = radius, np.log(12 / 0.1)
    lengths = lengths_of(n, first)
    v, alpha, r = np.zeros(d + 2), 0.0, 2 * np.sqrt(1 + 2 * kappa**2) * R
    D, beta, eta = 2 * np.sqrt(2) * kappa * r, 1 + 8 * kappa**2, step
    sums, counts, t, active = np.zeros((2, d)), np.zeros(2), 0, 0
    for T in lengths:
        centre, alpha_1, total = v.copy(), alpha, np.zeros(d + 2)
        for _ in range(T):
            x, label = Z[t], y[t]
            t += 1
            side = 0 if label > 0 else 1
            sums[side] += x
            counts[side] += 1
            p = counts[0] / counts.sum()
            total += v
            dw, da, db, dalpha = saddle_derivatives(v[:-2], v[-2], v[-1], alpha, x, label, p)
            z = v - eta * np.append(dw, [da, db])
            active += np.linalg.norm(project(z, R, kappa) - centre) > r
            v = project_intersection(z, centre, R, r, kappa)
            most = 2 * R * kappa
            alpha = np.clip(np.clip(alpha + eta * dalpha, alpha_1 - D, alpha_1 + D), -most, most)
        v = total / T
        alpha = (sums[1] / counts[1] - sums[0] / counts[0]) @ v[:-2]
        r /= 2
        least, before = min(p, 1 - p), beta
        c = 2 + np.sqrt(2 * log)
        few = np.sqrt(max(least * T - np.sqrt(2 * T * log), 1))
        D = 2 * np.sqrt(2) * kappa * r + 4 * np.sqrt(2) * kappa * c * (1 + 2 * kappa) * R / few
        spread = max(least - np.sqrt(2 * log / T), 1e-3)
        beta = 1 + 8 * kappa**2 + 32 * kappa**2 * (1 + 2 * kappa) ** 2 * c**2 / spread
        eta = eta / 2 if schedule == "halving" else np.sqrt(beta / before) / 2 * eta
    return v[:-2] / divisor, active
