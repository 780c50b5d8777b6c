"""What the whole numbers of a state stand for, said where its tuples are defined, and the check of a state.

Kernels do not check bounds. A state that comes from a file therefore is looked at before a kernel steps on it. A
NamedTuple declares what its fields index or count:

    @bounded(indices=index(COLUMNS), length=count("Slots.data", axis=1))
    class Slots(NamedTuple): ...

Every field of whole numbers must have such a declaration, ``FREE`` where it indexes nothing. A tuple whose fields hang
together in other ways has a method ``fault(parts)`` besides, which gets all tuples of the state and returns words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

COLUMNS = "columns"  # of the rows
Class = TypeVar("Class", bound=type)


class Bound(NamedTuple):
    """Whole numbers from ``low`` up to the size of something, which is left out unless ``inclusive``."""

    of: str | None  # COLUMNS, or "Tuple.field": an array of the state; None bounds nothing
    low: int = 0
    axis: int = 0
    inclusive: bool = False


_BOUNDS: dict[type, dict[str, tuple[Bound, ...]]] = {}
FREE = Bound(None)  # takes part in arithmetic and comparisons only


def index(of: str, low: int = 0) -> Bound:
    """Positions in something; a lower ``low`` admits marks such as -1 for none."""
    return Bound(of, low)


def count(of: str, axis: int = 0) -> Bound:
    """Numbers of entries in use of something."""
    return Bound(of, 0, axis, inclusive=True)


def bounded(**bounds: Bound | tuple[Bound, ...]) -> Callable[[Class], Class]:
    """A decorator that declares the bounds of a NamedTuple's fields; several ones are for the columns of an array."""

    def declare(cls: Class) -> Class:
        unknown = bounds.keys() - set(cls._fields)  # type: ignore[attr-defined]
        if unknown:
            raise TypeError(f"{cls.__name__} has no fields {sorted(unknown)}, expected names of its own")
        _BOUNDS[cls] = {name: b if type(b) is tuple else (b,) for name, b in bounds.items()}  # type: ignore[misc]
        return cls

    return declare


def bounds_of(part: Any, name: str) -> tuple[Bound, ...]:
    """The bounds that the tuple's class declares for a field."""
    return _BOUNDS.get(type(part), {}).get(name, ())


def tuples_in(value: Any) -> Iterator[Any]:
    """All NamedTuples in a value, those within tuples included."""
    if isinstance(value, tuple):
        if hasattr(value, "_fields"):
            yield value
        for part in value:
            yield from tuples_in(part)


def fault_of(state: Any, columns: int) -> str:
    """What is wrong with a state of rows with so many columns, in words; empty if nothing is."""
    parts = list(tuples_in(state))
    for part in parts:
        for name, value in zip(part._fields, part, strict=True):
            if _undefined(value):
                return f"{name} that is not a number"
            for column, bound in enumerate(bounds_of(part, name)):
                size = _size(bound, part, parts, columns)
                if not _within(value[:, column] if _several(part, name) else value, bound, size):
                    return f"{name} beyond its bounds"
        words: str = part.fault(parts) if hasattr(part, "fault") else ""
        if words:
            return words
    return ""


def undeclared(state: Any) -> list[str]:
    """The fields of whole numbers in a state that declare nothing, each as "Tuple.field"."""
    return [
        f"{type(part).__name__}.{name}"
        for part in tuples_in(state)
        for name, value in zip(part._fields, part, strict=True)
        if _whole(value) and not bounds_of(part, name)
    ]


def first_of(cls: Any, parts: Sequence[Any]) -> Any:
    """The first tuple of a class, or None."""
    return next((part for part in parts if isinstance(part, cls)), None)


def _whole(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "iu"
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _undefined(value: Any) -> bool:
    """Whether NaN is among numbers; infinity is a limit that some options have."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind == "f" and bool(np.isnan(value).any())
    return isinstance(value, float) and math.isnan(value)


def _several(part: Any, name: str) -> bool:
    return len(bounds_of(part, name)) > 1


def _size(bound: Bound, part: Any, parts: Sequence[Any], columns: int) -> float:
    """The size that bounds a field of a tuple: of its own array, or of the one such tuple in the state."""
    if bound.of is None:
        return math.inf
    if bound.of == COLUMNS:
        return columns
    tuple_name, _, field = bound.of.partition(".")
    own = [part] if type(part).__name__ == tuple_name else [x for x in parts if type(x).__name__ == tuple_name]
    # without such an array, or with several, nothing is within
    return float(getattr(own[0], field).shape[bound.axis]) if len(own) == 1 else -1.0


def _within(value: Any, bound: Bound, size: float) -> bool:
    if not np.size(value) or bound.of is None:
        return True
    highest = np.max(value)
    return bool(np.min(value) >= bound.low and (highest <= size if bound.inclusive else highest < size))
