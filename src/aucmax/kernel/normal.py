"""Weights with a normal distribution: their mean w and its covariance Σ, full or diagonal.

A pair of rows is met first (its margin ``w·z`` and its variance ``zᵀΣz``, with z the difference of its rows) and learnt
from then: ``w += alpha·Σz``, ``Σ -= beta·Σz zᵀΣ``. With a diagonal Σ both cost the non-zeros of the two rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from aucmax.kernel.jit import inlined
from aucmax.kernel.rows import add, entry, span


class Full(NamedTuple):
    """The full covariance; v has the columns w, the current row, z and Σz."""

    v: np.ndarray
    sigma: np.ndarray


class Diagonal(NamedTuple):
    """The diagonal covariance; v has the columns w, the current row, Σ and the other row."""

    v: np.ndarray


class Pair(NamedTuple):
    """The current row, of label y, and another one: each as rows and a position in them."""

    y: float
    rows: Any
    i: int
    others: Any
    slot: int


class Update(NamedTuple):
    """The multiple of Σz in w, and that of Σz zᵀΣ in Σ."""

    alpha: float
    beta: float


def begin(normal: Any, variance: Any) -> None:
    """Let the covariance start from a multiple of the identity."""
    (_begin_diagonal if isinstance(normal, Diagonal) else _begin_full)(normal, variance)


def meet(normal: Any, pair: Any) -> Any:
    """The margin and the variance of a pair."""
    return (_meet_diagonal if isinstance(normal, Diagonal) else _meet_full)(normal, pair)


def learn(normal: Any, pair: Any, update: Any) -> None:
    """Update w and its covariance by the pair just met."""
    (_learn_diagonal if isinstance(normal, Diagonal) else _learn_full)(normal, pair, update)


@inlined
def _begin_full(normal: Any, variance: Any) -> None:
    for j in range(normal.v.shape[0]):
        normal.sigma[j, j] = variance


@inlined
def _meet_full(normal: Any, pair: Any) -> Any:
    v, sigma, d = normal.v, normal.sigma, normal.v.shape[0]
    for j in range(d):
        v[j, 2] = pair.y * v[j, 1]
    add(pair.others, pair.slot, v, 2, -pair.y)
    margin, variance = 0.0, 0.0
    for j in range(d):
        product = 0.0
        for k in range(d):
            product += sigma[j, k] * v[k, 2]
        v[j, 3] = product
        margin += v[j, 0] * v[j, 2]
        variance += product * v[j, 2]
    return margin, variance


@inlined
def _learn_full(normal: Any, pair: Any, update: Any) -> None:
    v, sigma, d = normal.v, normal.sigma, normal.v.shape[0]
    if update.alpha == 0.0:
        return
    for j in range(d):
        v[j, 0] += update.alpha * v[j, 3]
        less = update.beta * v[j, 3]
        for k in range(d):
            sigma[j, k] -= less * v[k, 3]


@inlined
def _begin_diagonal(normal: Any, variance: Any) -> None:
    for j in range(normal.v.shape[0]):
        normal.v[j, 2] = variance


# Columns of both rows are dealt with in the current row's sweep, the rest of the other row in its own.


@inlined
def _meet_diagonal(normal: Any, pair: Any) -> Any:
    v, margin, variance = normal.v, 0.0, 0.0
    first, last = span(pair.others, pair.slot)
    for k in range(first, last):
        j, other = entry(pair.others, pair.slot, k)
        v[j, 3] = other
    for k in range(first, last):
        j, other = entry(pair.others, pair.slot, k)
        z = -other if v[j, 1] == 0.0 else 0.0
        margin += v[j, 0] * z
        variance += v[j, 2] * z * z
    first, last = span(pair.rows, pair.i)
    for k in range(first, last):
        j, x = entry(pair.rows, pair.i, k)
        z = x - v[j, 3] if x != 0.0 else 0.0
        margin += v[j, 0] * z
        variance += v[j, 2] * z * z
    return pair.y * margin, variance


@inlined
def _learn_diagonal(normal: Any, pair: Any, update: Any) -> None:
    v, alpha = normal.v, pair.y * update.alpha
    if update.alpha > 0.0:
        first, last = span(pair.rows, pair.i)
        for k in range(first, last):
            j, x = entry(pair.rows, pair.i, k)
            z = x - v[j, 3] if x != 0.0 else 0.0
            step = v[j, 2] * z
            v[j, 0] += alpha * step
            v[j, 2] -= update.beta * step * step
    first, last = span(pair.others, pair.slot)
    for k in range(first, last):
        j, other = entry(pair.others, pair.slot, k)
        v[j, 3] = 0.0
        z = -other if v[j, 1] == 0.0 else 0.0
        step = v[j, 2] * z
        v[j, 0] += alpha * step
        v[j, 2] -= update.beta * step * step


@overload(begin)
def _begin(normal: Any, variance: Any) -> Any:
    def diagonal(normal: Any, variance: Any) -> None:
        _begin_diagonal(normal, variance)

    def full(normal: Any, variance: Any) -> None:
        _begin_full(normal, variance)

    return diagonal if normal.instance_class is Diagonal else full


@overload(meet)
def _meet(normal: Any, pair: Any) -> Any:
    def diagonal(normal: Any, pair: Any) -> Any:
        return _meet_diagonal(normal, pair)

    def full(normal: Any, pair: Any) -> Any:
        return _meet_full(normal, pair)

    return diagonal if normal.instance_class is Diagonal else full


@overload(learn)
def _learn(normal: Any, pair: Any, update: Any) -> Any:
    def diagonal(normal: Any, pair: Any, update: Any) -> None:
        _learn_diagonal(normal, pair, update)

    def full(normal: Any, pair: Any, update: Any) -> None:
        _learn_full(normal, pair, update)

    return diagonal if normal.instance_class is Diagonal else full
