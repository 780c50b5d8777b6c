"""Coordinate descent on ``½wᵀAw - b·w + l2/2·|w|² + l1·|w|₁``, A given as a matrix or by the columns of the data.

And, by steps along pairs of coordinates, on ``½wᵀAw - b·w`` over the simplex.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.kernel import rows as row
from aucmax.kernel.jit import inlined, kernel
from aucmax.kernel.prox import soft


class Penalty(NamedTuple):
    """The two penalties."""

    l2: float
    l1: float


class Budget(NamedTuple):
    """When to stop: at an optimality violation below tol, or after so many sweeps."""

    tol: float
    sweeps: int


class ByColumns(NamedTuple):
    """``A = Xᵀ diag(omega) X + Z diag(signs) Zᵀ``, X given as the rows of its transpose."""

    columns: Any  # Dense or Csr of shape (d, n)
    omega: np.ndarray  # (n,)
    Z: np.ndarray  # (d, k), k small
    signs: np.ndarray  # (k,)


@inlined
def violation(gradient: Any, value: Any, l1: Any) -> Any:
    """How far zero is from the subdifferential at a coordinate."""
    if value > 0.0:
        return abs(gradient + l1)
    if value < 0.0:
        return abs(gradient - l1)
    return max(abs(gradient) - l1, 0.0)


@kernel
def descend_gram(A: Any, b: Any, penalty: Any, budget: Any, w: Any, gradient: Any) -> Any:
    """Descend from w in place; sweeps made and the last violation. ``gradient`` is workspace of length d."""
    d = b.shape[0]
    for j in range(d):
        gradient[j] = -b[j]
    for j in range(d):
        if w[j] != 0.0:
            for k in range(d):
                gradient[k] += w[j] * A[j, k]
    worst = 0.0
    for sweep in range(budget.sweeps):
        worst = 0.0
        for j in range(d):
            slope = gradient[j] + penalty.l2 * w[j]
            worst = max(worst, violation(slope, w[j], penalty.l1))
            curve = A[j, j] + penalty.l2
            if curve <= 0.0:
                continue
            change = soft(w[j] * curve - slope, penalty.l1) / curve - w[j]
            if change != 0.0:
                w[j] += change
                for k in range(d):
                    gradient[k] += change * A[j, k]
        if worst <= budget.tol:
            return sweep + 1, worst
    return budget.sweeps, worst


@kernel
def descend_columns(form: Any, b: Any, penalty: Any, budget: Any, w: Any, scores: Any, tracked: Any) -> Any:
    """The same without a matrix: ``scores`` = X·w (n by 1) and ``tracked`` = Zᵀw are kept current."""
    k_max = form.signs.shape[0]
    worst = 0.0
    for sweep in range(budget.sweeps):
        worst = 0.0
        for j in range(b.shape[0]):
            slope = penalty.l2 * w[j] - b[j]
            curve = penalty.l2
            first, last = row.span(form.columns, j)
            for k in range(first, last):
                i, x = row.entry(form.columns, j, k)
                slope += form.omega[i] * x * scores[i, 0]
                curve += form.omega[i] * x * x
            for k in range(k_max):
                slope += form.signs[k] * form.Z[j, k] * tracked[k]
                curve += form.signs[k] * form.Z[j, k] * form.Z[j, k]
            worst = max(worst, violation(slope, w[j], penalty.l1))
            if curve <= 0.0:
                continue
            change = soft(w[j] * curve - slope, penalty.l1) / curve - w[j]
            if change != 0.0:
                w[j] += change
                row.add(form.columns, j, scores, 0, change)
                for k in range(k_max):
                    tracked[k] += change * form.Z[j, k]
        if worst <= budget.tol:
            return sweep + 1, worst
    return budget.sweeps, worst


@inlined
def _best_pair(A: Any, w: Any, gradient: Any) -> Any:
    """The coordinate of least gradient, the one it should grow at the cost of, how much, and a bound of the gap."""
    i = 0
    mean = 0.0
    for k in range(w.shape[0]):
        mean += w[k] * gradient[k]
        if gradient[k] < gradient[i]:
            i = k
    gain, j, amount = 0.0, i, 0.0
    for k in range(w.shape[0]):
        slope = gradient[k] - gradient[i]
        if w[k] > 0.0 and slope > 0.0:
            curve = A[i, i] + A[k, k] - 2.0 * A[i, k]
            step = w[k] if slope >= curve * w[k] else slope / curve
            if step * (slope - 0.5 * curve * step) > gain:
                gain, j, amount = step * (slope - 0.5 * curve * step), k, step
    return i, j, amount, mean - gradient[i]


@kernel
def descend_simplex(A: Any, b: Any, w: Any, budget: Any, gradient: Any) -> Any:
    """Descend from w ≥ 0 of sum one, in place; a bound of the gap to the least value. ``gradient`` is workspace."""
    for k in range(b.shape[0]):
        gradient[k] = -b[k]
        for j in range(b.shape[0]):
            gradient[k] += A[k, j] * w[j]
    gap = 0.0
    for _ in range(budget.sweeps):
        i, j, amount, gap = _best_pair(A, w, gradient)
        if gap <= budget.tol or amount == 0.0:
            break
        w[i] += amount
        w[j] = 0.0 if amount == w[j] else w[j] - amount
        for k in range(b.shape[0]):
            gradient[k] += amount * (A[k, i] - A[k, j])
    return gap
