"""The rows that the stored results are of: the same on every machine, whatever the version of numpy."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

OTHER = 10  # rows that no model learns from, which it scores
UNITS = 10.0 ** (np.arange(12) % 4 - 1)  # what the columns are multiplied by for the classifiers, which scale them


class Rows(NamedTuple):
    """Rows to learn from, with their labels, and others to score."""

    X: Any
    y: np.ndarray
    other: Any

    def sparse(self):
        return self._replace(X=sp.csr_matrix(self.X), other=sp.csr_matrix(self.other))

    def scaled(self, units):
        return self._replace(X=self.X * units, other=self.other * units)


def made(n, d, density, seed, special=True):
    """Some rows with zeros, an empty and two equal ones if ``special``; three in ten are positive, by a line and noise.

    ``RandomState`` draws the same numbers in all versions; rounded, and with labels by integers, no last bit matters.
    """
    rng = np.random.RandomState(seed)
    X = np.round(rng.standard_normal((n + OTHER, d)), 3) * (rng.random_sample((n + OTHER, d)) < density)
    if special:
        X[5], X[7] = 0.0, X[6]
    line, noise = rng.randint(-9, 10, d), rng.randint(-9000, 9001, n + OTHER)
    scores = np.rint(1000.0 * X).astype(np.int64) @ line + noise
    y = np.where(scores[:n] > np.sort(scores[:n])[int(0.7 * n)], 1, -1)
    return Rows(X[:n], y, X[n:])


DENSE = made(200, 12, 0.6, 0)
# equal rows would tie, or not, by the last bit of coordinates in the span of the rows
WIDE = made(60, 600, 0.05, 1, special=False).sparse()
KINDS = {"dense": DENSE, "csr": DENSE.sparse(), "wide": WIDE}
IN_UNITS = DENSE.scaled(UNITS)
DOOR = {"dense": IN_UNITS, "csr": IN_UNITS.sparse(), "wide": WIDE}

_drawn = np.random.RandomState(2)
WEIGHT = np.round(_drawn.uniform(0.2, 2.0, 200), 2) * (_drawn.random_sample(200) < 0.9)  # some are zero
GROUPS = np.arange(200) // 10
THREE = np.array(["high", "low", "none"])[np.argsort(np.argsort(DENSE.X[:, :4].sum(axis=1), kind="stable")) * 3 // 200]


def halves(rows):
    """The rows in two chunks."""
    at = rows.X.shape[0] // 2
    return [(rows.X[:at], rows.y[:at]), (rows.X[at:], rows.y[at:])]
