"""The one loop: it calls an algorithm's ``step`` for every row or pair of a batch, in order.

An algorithm is a function ``step(options, vectors, scalars, batch, i)`` that changes the vectors in place and returns
the new scalars. It is registered for the class of its options, and numba picks it by that class when it compiles
``run``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from aucmax.kernel.jit import Function, kernel
from aucmax.kernel.rows import anticipate


class Batch(NamedTuple):
    """Consecutive rows with all that a step may want to know of them."""

    rows: Any  # Dense or Csr
    y: np.ndarray  # int8, +1 or -1
    weight: np.ndarray
    sqnorm: np.ndarray  # |x|²
    eta: np.ndarray  # the step size of each row's step
    along: np.ndarray  # what is known of each row beforehand: inner products, random draws, a place in a buffer


class Pairs(NamedTuple):
    """Consecutive pairs of a leading row and its partner of the other class."""

    rows: Any  # Dense or Csr
    lead: np.ndarray
    partner: np.ndarray
    y: np.ndarray  # of the leading row
    weight: np.ndarray  # of the pair
    sqnorm: np.ndarray  # |x|² of the two rows together
    eta: np.ndarray


_STEPS: dict[type, Callable[..., Any]] = {}


def algorithm(options: type) -> Callable[[Function], Function]:
    """Register a function as one step of the algorithm with these options."""

    def register(step: Function) -> Function:
        _STEPS[options] = step
        return step

    return register


def step(options: Any, vectors: Any, scalars: Any, batch: Any, i: Any) -> Any:
    """One step of the algorithm that the class of the options names."""
    return _STEPS[type(options)](options, vectors, scalars, batch, i)


@overload(step, inline="always")
def _step(options: Any, vectors: Any, scalars: Any, batch: Any, i: Any) -> Any:
    return _STEPS[options.instance_class]


def prepare(vectors: Any, batch: Any, i: Any) -> None:
    """Ask for the weights that the row after i will touch."""


@overload(prepare)
def _prepare(vectors: Any, batch: Any, i: Any) -> Any:
    def fetch(vectors: Any, batch: Any, i: Any) -> None:
        anticipate(batch.rows, i + 1, vectors.w.v)

    def nothing(vectors: Any, batch: Any, i: Any) -> None:
        pass

    weights = dict(zip(vectors.fields, vectors.types, strict=True)).get("w")
    in_order = batch.instance_class is Batch  # pairs are not
    return fetch if in_order and "v" in getattr(weights, "fields", ()) else nothing


def flat(scalars: Any) -> tuple[Any, ...]:
    """The numbers of nested tuples in a row."""
    return sum((flat(part) if isinstance(part, tuple) else (part,) for part in scalars), ())


@overload(flat)
def _flat(scalars: Any) -> Any:
    def places(kind: Any, at: str) -> list[str]:
        parts = getattr(kind, "types", None)  # of a tuple
        if parts is None:
            return [at]
        return [place for k, part in enumerate(parts) for place in places(part, f"{at}[{k}]")]

    # a literal tuple of static places compiles at once; numba has no comprehension over tuples of several types
    names: dict[str, Any] = {}
    exec(f"def flat(scalars: Any) -> Any: return ({', '.join(places(scalars, 'scalars'))},)", names)
    return names["flat"]


def shaped(numbers: Iterator[Any], like: Any) -> Any:
    """Numbers in a row as nested tuples again."""
    return type(like)(*(shaped(numbers, part) if isinstance(part, tuple) else next(numbers) for part in like))


@kernel
def sweep(options: Any, vectors: Any, scalars: Any, batch: Any) -> Any:
    """Step through a batch; the scalars after its last row, as numbers in a row.

    numba makes tuples with names by calling Python, and when a signal's handler raises at that moment, as on Ctrl-C,
    the process dies. A plain tuple needs no such call.
    """
    for i in range(batch.y.shape[0]):
        prepare(vectors, batch, i)
        scalars = step(options, vectors, scalars, batch, i)
    return flat(scalars)


def run(options: Any, vectors: Any, scalars: Any, batch: Any) -> Any:
    """Step through a batch; the scalars after its last row."""
    return shaped(iter(sweep(options, vectors, scalars, batch)), scalars)
