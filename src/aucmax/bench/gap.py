"""The duality gap of the saddle problem that SOLAM and regSOLAM solve (thesis, equations 3.5, 3.18 and 3.19).

With the shares p of the positive and 1 - p of the negative rows, their means m± and covariances Σ±, and c = p(1 - p),

    f(w, a, b, α) = c(wᵀ(Σ₊ + Σ₋)w + (w·m₊ - a)² + (w·m₋ - b)²) + 2(1 + α)c·w·(m₋ - m₊) - cα² + λ/2·|w|²

on |w| ≤ R, |a|, |b| ≤ Rκ, |α| ≤ 2Rκ, and the gap of (w, a, b, α) is max f(w, a, b, ·) - min f(·, ·, ·, α). The
maximum is at the clipped w·(m₋ - m₊). The minimum has a = w·m₊ and b = w·m₋, which lie within their bounds for every w
in the ball, and leaves a quadratic function of w in a ball: one equation in one unknown.

The library's estimators keep the average of w alone. ``averages`` is algorithm 18 to the letter and keeps those of a, b
and α too; a test holds its w against the estimators'.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq


class Saddle(NamedTuple):
    """The saddle problem of some rows: moments of their classes, the penalty and the bounds."""

    p: float
    pos: np.ndarray  # the mean of the positive rows
    neg: np.ndarray
    scatter: np.ndarray  # the sum of the two covariances
    l2: float
    radius: float  # R
    box: float  # Rκ


class Point(NamedTuple):
    """Where the gap is asked for; with several seeds, every field has one row for each."""

    w: np.ndarray
    a: np.ndarray
    b: np.ndarray
    alpha: np.ndarray


def saddle_of(X: np.ndarray, y: np.ndarray, radius: float, l2: float = 0.0) -> Saddle:
    """Return the saddle problem of rows with labels ±1."""
    one, other = X[y > 0], X[y <= 0]
    scatter = np.cov(one.T, bias=True) + np.cov(other.T, bias=True)
    box = radius * float(np.linalg.norm(X, axis=1).max())
    return Saddle(len(one) / len(y), one.mean(axis=0), other.mean(axis=0), np.atleast_2d(scatter), l2, radius, box)


def value(saddle: Saddle, point: Point) -> float:
    """Return f at a point."""
    w, c = point.w, saddle.p * (1.0 - saddle.p)
    spread = w @ saddle.scatter @ w + (w @ saddle.pos - point.a) ** 2 + (w @ saddle.neg - point.b) ** 2
    apart = 2.0 * (1.0 + point.alpha) * (w @ (saddle.neg - saddle.pos)) - point.alpha**2
    return float(c * (spread + apart) + saddle.l2 / 2.0 * (w @ w))


def duality_gap(saddle: Saddle, point: Point) -> float:
    """Return the largest f over α less the smallest f over w, a and b."""
    return value(saddle, highest(saddle, point)) - value(saddle, lowest(saddle, point))


def highest(saddle: Saddle, point: Point) -> Point:
    """Return the point with the α that maximises f."""
    alpha = np.clip(point.w @ (saddle.neg - saddle.pos), -2.0 * saddle.box, 2.0 * saddle.box)
    return point._replace(alpha=alpha)


def lowest(saddle: Saddle, point: Point) -> Point:
    """Return the point with the w, a and b that minimise f."""
    c = saddle.p * (1.0 - saddle.p)
    curves, axes = np.linalg.eigh(2.0 * c * saddle.scatter + saddle.l2 * np.eye(len(point.w)))
    curves = np.maximum(curves, np.finfo(float).tiny)
    slopes = axes.T @ (2.0 * c * (1.0 + point.alpha) * (saddle.neg - saddle.pos))

    def beyond(multiplier: float) -> float:
        """Return the length of the minimiser of f + multiplier·|w|²/2, less the radius."""
        return float(np.linalg.norm(slopes / (curves + multiplier)) - saddle.radius)

    multiplier = 0.0
    if beyond(0.0) > 0.0:  # at this end of the bracket it is not: no curve is negative
        multiplier = brentq(beyond, 0.0, float(np.linalg.norm(slopes)) / saddle.radius, xtol=1e-300, rtol=1e-14)
    w = -axes @ (slopes / (curves + multiplier))
    return point._replace(w=w, a=w @ saddle.pos, b=w @ saddle.neg)


def averages(
    X: np.ndarray, y: np.ndarray, orders: np.ndarray, step: float, saddle: Saddle, marks: np.ndarray
) -> Iterator[Point]:
    """Yield the step-weighted averages of algorithm 18 at some iterations, a row for every order of the rows."""
    R, box, l2 = saddle.radius, saddle.box, saddle.l2
    seeds = len(orders)
    w, dual = np.zeros((seeds, X.shape[1])), np.zeros((3, seeds))
    at = {int(mark) for mark in marks}
    mean_w, mean_dual, mass, positives = np.zeros_like(w), np.zeros_like(dual), 0.0, np.zeros(seeds)
    for t in range(1, max(at) + 1):
        x, positive = X[orders[:, t - 1]], y[orders[:, t - 1]] > 0
        positives += positive
        gamma = step / np.sqrt(t)
        mass += gamma  # algorithm 18 averages the iterates before their update
        mean_w += gamma / mass * (w - mean_w)
        mean_dual += gamma / mass * (dual - mean_dual)
        if t in at:
            yield Point(mean_w.copy(), *mean_dual.copy())
        change, slopes = _slopes(np.einsum("ij,ij->i", w, x), dual, positive, positives / t)
        w = w - gamma * (change[:, None] * x + l2 * w)
        w *= np.minimum(1.0, R / np.maximum(np.linalg.norm(w, axis=1), R))[:, None]
        dual = dual - gamma * slopes
        np.clip(dual[:2], -box, box, out=dual[:2])
        np.clip(dual[2], -2.0 * box, 2.0 * box, out=dual[2])


def _slopes(score: np.ndarray, dual: np.ndarray, positive: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the factor of the row in F's derivative by w, and those by a and b and, turned round, by α."""
    a, b, alpha = dual
    share = np.where(positive, 1.0 - p, p)
    sign = np.where(positive, 1.0, -1.0)
    apart = score - np.where(positive, a, b)
    change = 2.0 * share * (apart - sign * (1.0 + alpha))
    ascent = -sign * 2.0 * share * score - 2.0 * p * (1.0 - p) * alpha
    down = -2.0 * share * apart
    return change, np.array([np.where(positive, down, 0.0), np.where(positive, 0.0, down), -ascent])
