"""SOLAM and regSOLAM, line by line."""

import numpy as np

from tests.reference.common import project_l1, project_l2, saddle_derivatives, scaled


def solam(X, y, *, radius=None, ball="l2", l2=0.0, step=1.0, weight=None, scale="norm", hits=None):
    """The average after one pass, in the units of X; hits gets the steps at which a bound of a, b, alpha counted."""
    Z, kappa = scaled(X)
    box = 1.0  # κ of the rows that it steps on
    if scale == "none":
        Z, kappa, box = X, 1.0, kappa
    weight = np.ones(len(y)) if weight is None else weight
    beta = l2 / kappa**2
    R = np.sqrt(2 / beta) if l2 else radius
    w, a, b, alpha = np.zeros(X.shape[1]), 0.0, 0.0, 0.0
    total, mass, positives, seen = np.zeros(X.shape[1]), 0.0, 0.0, 0.0
    for t, (x, label, v) in enumerate(zip(Z, y, weight, strict=True), 1):
        seen += v
        positives += v * (label > 0)
        p, relative = positives / seen, v * t / seen
        gamma = step / np.sqrt(t)
        total, mass = total + gamma * w, mass + gamma
        dw, da, db, dalpha = saddle_derivatives(w, a, b, alpha, x, label, p)
        w = w - gamma * (relative * dw + beta * w)
        w = project_l1(w, R) if ball == "l1" else project_l2(w, R)
        free = a - gamma * relative * da, b - gamma * relative * db, alpha + gamma * relative * dalpha
        most = R * box, R * box, 2 * R * box
        if hits is not None:
            hits += np.abs(free) > most
        a, b, alpha = (np.clip(value, -bound, bound) for value, bound in zip(free, most, strict=True))
    return total / mass / kappa
