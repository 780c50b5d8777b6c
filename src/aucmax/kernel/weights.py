from __future__ import annotations
from typing import Any, NamedTuple
import numpy as np
from numba.extending import overload
from aucmax.kernel.jit import inlined
from aucmax.kernel import rows as R
from aucmax.kernel.rows import dot, add as add_row, add2

class Plain(NamedTuple):
    v: np.ndarray

class Averaged(NamedTuple):
    v: np.ndarray

class Scale(NamedTuple):
    s: float
    tally: float
    total: float
    sq: float

TINY = 1e-4

@inlined
def fold(w, c):
    s = c.s
    sq = 0.0
    for j in range(w.v.shape[0]):
        if w.v.shape[1] > 1:
            w.v[j, 1] -= c.tally * w.v[j, 0]
        w.v[j, 0] *= s
        sq += w.v[j, 0] * w.v[j, 0]
    return Scale(1.0, 0.0, c.total, sq)

@inlined
def shrink(w, c, factor):
    c = Scale(c.s * factor, c.tally, c.total, c.sq)
    if c.s < TINY:
        c = fold(w, c)
    return c

@inlined
def accumulate(c, gamma):
    return Scale(c.s, c.tally + gamma * c.s, c.total + gamma, c.sq)

def add_both(w, rows, i, amount, other):
    if isinstance(w, Averaged):
        add2(rows, i, w.v, amount, other)
    else:
        add_row(rows, i, w.v, 0, amount)

@overload(add_both)
def _add_both(w, rows, i, amount, other):
    def both(w, rows, i, amount, other):
        add2(rows, i, w.v, amount, other)
    def one(w, rows, i, amount, other):
        add_row(rows, i, w.v, 0, amount)
    return both if w.instance_class is Averaged else one

@inlined
def add(w, c, rows, i, amount, u_dot_x, sqnorm):
    du = amount / c.s
    add_both(w, rows, i, du, c.tally * du)
    return Scale(c.s, c.tally, c.total, c.sq + du * (2.0 * u_dot_x + du * sqnorm))
