"""FSAUC, line by line, the projection by scipy's root finder."""

import numpy as np
from scipy.optimize import brentq

from tests.reference.common import project_l1, saddle_derivatives, scaled


def project(z, R):
    return np.append(project_l1(z[:-2], R), np.clip(z[-2:], -R, R))


def project_intersection(z, centre, R, r):
    inside = project(z, R)
    if np.linalg.norm(inside - centre) <= r:
        return inside

    def distance(theta):
        return np.linalg.norm(project((z + theta * centre) / (1 + theta), R) - centre) - r

    high = 1.0
    while distance(high) > 0:
        high *= 2
    theta = brentq(distance, 0, high, xtol=1e-15, rtol=1e-15)
    return project((z + theta * centre) / (1 + theta), R)


def fsauc(X, y, *, radius, schedule="halving", step=1.0):
    """The last stage's average after one pass, and how often the ball was active."""
    Z, kappa = scaled(X)
    n, d = X.shape
    R, log = radius, np.log(12 / 0.1)
    stages = max(1, int(0.5 * np.log2(2 * n / np.log2(n))) - 1)
    length = n // stages
    v, alpha, r = np.zeros(d + 2), 0.0, 2 * np.sqrt(3) * R
    D, beta, eta = 2 * np.sqrt(2) * r, 9.0, step
    sums, counts, t, active = np.zeros((2, d)), np.zeros(2), 0, 0
    for k in range(stages):
        T = length if k < stages - 1 else n - length * (stages - 1)
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
            active += np.linalg.norm(project(z, R) - centre) > r
            v = project_intersection(z, centre, R, r)
            alpha = np.clip(np.clip(alpha + eta * dalpha, alpha_1 - D, alpha_1 + D), -2 * R, 2 * R)
        v = total / T
        alpha = (sums[1] / counts[1] - sums[0] / counts[0]) @ v[:-2]
        r /= 2
        least, before = min(p, 1 - p), beta
        c = 2 + np.sqrt(2 * log)
        D = 2 * np.sqrt(2) * r + 4 * np.sqrt(2) * c * 3 * R / np.sqrt(
            max(least * length - np.sqrt(2 * length * log), 1)
        )
        beta = 9 + 32 * 9 * c**2 / max(least - np.sqrt(2 * log / length), 1e-3)
        eta = eta / 2 if schedule == "halving" else np.sqrt(beta / before) / 2 * eta
    return v[:-2] / kappa, active
