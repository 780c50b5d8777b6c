"""SOLAM and regSOLAM, line by line."""

import numpy as np

from tests.reference.common import project_l1, project_l2, saddle_derivatives, scaled


def solam(X, y, *, radius=None, ball="l2", l2=0.0, step=1.0, weight=None, scale="norm"):
    """The average after one pass, in the units of X."""
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
        a = np.clip(a - gamma * relative * da, -R * box, R * box)
        b = np.clip(b - gamma * relative * db, -R * box, R * box)
        alpha = np.clip(alpha + gamma * relative * dalpha, -2 * R * box, 2 * R * box)
    return total / mass / kappa
