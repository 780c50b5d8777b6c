"""Class moments: counts and sums that run along with a stream, and exact ones that merge.

``Seen`` counts what a stochastic algorithm has seen; ``Known`` and ``Running`` say where it takes the class means from:
from all of the data, or from the rows so far. ``Moments`` are counts, means and centred second moments of one class, in
float64, merged exactly by Chan's rule: raw sums of squares would cancel when the means are large.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from aucmax.kernel import rows as row
from aucmax.kernel.jit import inlined, kernel

CACHED = 2**16  # numbers in a block of rows that a core's own cache holds while it is multiplied
NEAR = 10.0  # standard deviations from zero up to which a column's mean costs two digits at most


class Seen(NamedTuple):
    """Rows seen, the weights of the two classes among them, and the largest squared row norm."""

    rows: float
    pos: float
    neg: float
    kappa2: float


class Known(NamedTuple):
    """Class sums of the whole data; the batch brings each row's products with them."""

    sums: np.ndarray  # (d, 2): Σ weight·x of the positives, of the negatives


class Running(NamedTuple):
    """Class sums of the rows so far."""

    sums: np.ndarray


@inlined
def counted(seen: Any, batch: Any, i: Any) -> Any:
    """What has been seen once row i is counted."""
    weight = batch.weight[i]
    pos = seen.pos
    neg = seen.neg
    if batch.y[i] > 0:
        pos += weight
    else:
        neg += weight
    return Seen(seen.rows + 1.0, pos, neg, max(seen.kappa2, batch.sqnorm[i]))


@inlined
def relative_weight(seen: Any, batch: Any, i: Any) -> Any:
    """The weight of row i over the mean weight, so that only ratios of weights matter."""
    return batch.weight[i] * seen.rows / (seen.pos + seen.neg)


@inlined
def positive_share(seen: Any) -> Any:
    """The share p of the positive class."""
    return seen.pos / (seen.pos + seen.neg)


@inlined
def unit_step(seen: Any, eta: Any) -> Any:
    """The step on X that equals the step eta on X/κ; zero while all rows were empty."""
    return eta / seen.kappa2 if seen.kappa2 > 0.0 else 0.0


def witness(means: Any, seen: Any, batch: Any, i: Any) -> Any:
    """What has been seen with row i, and the row's products with the two class sums."""
    if isinstance(means, Running):
        return _witness_running(means, seen, batch, i)
    return seen, batch.along[i, 0], batch.along[i, 1]


@inlined
def _witness_running(means: Any, seen: Any, batch: Any, i: Any) -> Any:
    y = 0 if batch.y[i] > 0 else 1
    row.add(batch.rows, i, means.sums, y, batch.weight[i])
    x_pos, x_neg = row.dot2(batch.rows, i, means.sums, 0, 1)
    return counted(seen, batch, i), x_pos, x_neg


@overload(witness)
def _witness(means: Any, seen: Any, batch: Any, i: Any) -> Any:
    def running(means: Any, seen: Any, batch: Any, i: Any) -> Any:
        return _witness_running(means, seen, batch, i)

    def known(means: Any, seen: Any, batch: Any, i: Any) -> Any:
        return seen, batch.along[i, 0], batch.along[i, 1]

    return running if means.instance_class is Running else known


@kernel
def add_class_sums(rows: Any, y: Any, weight: Any, sums: Any) -> None:
    """Add weight times each row to the column of its class."""
    for i in range(y.shape[0]):
        row.add(rows, i, sums, 0 if y[i] > 0 else 1, weight[i])


@kernel
def products(rows: Any, v: Any, out: Any) -> None:
    """Write the products of every row with the columns of v."""
    for i in range(out.shape[0]):
        if v.shape[1] == 2:
            out[i, 0], out[i, 1] = row.dot2(rows, i, v, 0, 1)
        else:
            for column in range(v.shape[1]):
                out[i, column] = row.dot(rows, i, v, column)


@kernel
def add_combination(rows: Any, amounts: Any, v: Any) -> None:
    """Add Σ amounts[i]·x_i to the first column of v."""
    for i in range(amounts.shape[0]):
        row.add(rows, i, v, 0, amounts[i])


@kernel
def add_combinations(rows: Any, amounts: Any, others: Any, v: Any) -> None:
    """Add Σ amounts[i]·x_i to the first column of v and Σ others[i]·x_i to the second."""
    for i in range(amounts.shape[0]):
        row.add2(rows, i, v, amounts[i], others[i])


@kernel
def column_squares(rows: Any, amounts: Any, out: Any) -> None:
    """Add Σ amounts[i]·x_ij² to every column's entry."""
    for i in range(amounts.shape[0]):
        first, last = row.span(rows, i)
        for k in range(first, last):
            j, x = row.entry(rows, i, k)
            out[j] += amounts[i] * x * x


@kernel
def add_squares(rows: Any, amounts: Any, out: Any) -> None:
    """Add Σ amounts[i]·x_i·x_iᵀ to the lower half of a symmetric matrix, in O(non-zeros²) a row."""
    for i in range(amounts.shape[0]):
        first, last = row.span(rows, i)
        if amounts[i] == 0.0:
            last = first
        for k in range(first, last):
            j, x = row.entry(rows, i, k)
            for m in range(first, k + 1):  # columns rise within a row
                other, z = row.entry(rows, i, m)
                out[j, other] += amounts[i] * x * z


@kernel
def add_outer(a: Any, b: Any, amount: Any, out: Any) -> None:
    """Add amount·(a·bᵀ + b·aᵀ) to the lower half of a matrix, without the room of the products."""
    for j in range(out.shape[0]):
        for k in range(j + 1):
            other = np.uintp(k)
            out[j, other] += amount * (a[j] * b[other] + b[j] * a[other])


@kernel
def unit_sides(out: Any, scale: Any) -> None:
    """Multiply the lower half of a matrix from both sides, so that its diagonal is one, or zero if not positive."""
    for j in range(scale.shape[0]):
        scale[j] = 1.0 / np.sqrt(out[j, j]) if out[j, j] > 0.0 else 0.0
    for j in range(out.shape[0]):
        for k in range(j + 1):
            out[j, np.uintp(k)] *= scale[j] * scale[np.uintp(k)]


@kernel
def add_products(rows: Any, which: Any, amounts: Any, lines: Any, out: Any) -> None:
    """Add Σ amounts[at]·x_i·lines[at]ᵀ over some rows i to a matrix, in O(non-zeros·d) a row."""
    for at in range(which.shape[0]):
        i = which[at]
        first, last = row.span(rows, i)
        for k in range(first, last):
            j, x = row.entry(rows, i, k)
            for m in range(lines.shape[1]):
                out[j, m] += amounts[at] * x * lines[at, m]


@kernel
def centred_rows(rows: Any, which: Any, mean: Any, amounts: Any, out: Any) -> None:
    """Write ``amounts[at]·(x_i - mean)`` for some rows i, one a line."""
    for at in range(which.shape[0]):
        i = np.uintp(which[at])
        amount = amounts[at]
        for j in range(mean.shape[0]):
            out[at, np.uintp(j)] = -amount * mean[np.uintp(j)]
        first, last = row.span(rows, i)
        for k in range(first, last):
            j, x = row.entry(rows, i, k)
            out[at, j] += amount * x


@kernel
def squared_norms(rows: Any, out: Any) -> None:
    """Write the squared norm of every row."""
    for i in range(out.shape[0]):
        total = 0.0
        first, last = row.span(rows, i)
        for k in range(first, last):
            _, x = row.entry(rows, i, k)
            total += np.float64(x) * np.float64(x)
        out[i] = total


class Moments(NamedTuple):
    """Weight, mean and centred second moment (scatter) of one class."""

    weight: float
    mean: np.ndarray
    scatter: np.ndarray  # Σ weight·(x - mean)(x - mean)ᵀ

    @classmethod
    def empty(cls, d: int) -> Moments:
        """The moments of no rows."""
        return cls(0.0, np.zeros(d), np.zeros((d, d)))

    def merge(self, other: Moments) -> Moments:
        """The moments of both sets of rows together."""
        weight = self.weight + other.weight
        if weight == 0.0 or other.weight == 0.0:
            return self
        gap = other.mean - self.mean
        mean = self.mean + (other.weight / weight) * gap
        spread = self.weight * (other.weight / weight)
        return Moments(weight, mean, self.scatter + other.scatter + spread * np.outer(gap, gap))


def class_moments(
    X: Any, y: np.ndarray, weight: np.ndarray | None, block: int | None = None
) -> tuple[Moments, Moments]:
    """The moments of the positive and of the negative rows of X, in one sweep of matrix products.

    Columns far from zero are shifted by their mean in the first block, so that large means do not cancel. The total and
    the smaller class are accumulated; the larger class is their difference.
    """
    n, d = X.shape
    block = block or min(max(CACHED // max(d, 1), 1024), 4096)
    shift = _shift(densified(X[: min(n, block)]))
    small = 1 if 2 * np.count_nonzero(y > 0) <= n else -1
    gram, gram_small = np.zeros((d, d)), np.zeros((d, d))
    mass, sums = np.zeros(2), np.zeros((2, d))
    for start in range(0, n, block):
        at = slice(start, start + block)
        z = densified(X[at])
        if shift.any():
            z = z - shift
        root = np.ones(z.shape[0]) if weight is None else np.sqrt(weight[at])
        if weight is not None:
            z = z * root[:, None]
        chosen = y[at] == small
        picked, root_picked = z[chosen], root[chosen]
        gram += z.T @ z
        gram_small += picked.T @ picked
        mass += root @ root, root_picked @ root_picked
        sums += root @ z, root_picked @ picked
    rest = _centred(mass[0] - mass[1], sums[0] - sums[1], gram - gram_small, shift)
    minority = _centred(mass[1], sums[1], gram_small, shift)
    return (minority, rest) if small > 0 else (rest, minority)


def _shift(block: np.ndarray) -> np.ndarray:
    """What to take off each column: its mean, or nothing where that is near zero."""
    mean = block.mean(axis=0)
    near = np.abs(mean) <= NEAR * block.std(axis=0)
    return np.where(near, 0.0, mean)


def densified(X: Any) -> np.ndarray:
    """A block of rows as a dense float64 array."""
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)


def _centred(weight: float, sums: np.ndarray, gram: np.ndarray, shift: np.ndarray) -> Moments:
    """Moments from sums about a shift."""
    if weight <= 0.0:
        return Moments.empty(len(shift))
    mean = sums / weight
    scatter = gram - weight * np.outer(mean, mean)
    np.fill_diagonal(scatter, np.maximum(scatter.diagonal(), 0.0))
    return Moments(float(weight), shift + mean, scatter)
