"""Ranges of parameters, and errors that say what was seen, what was expected and what to do."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np


class Number(NamedTuple):
    """A finite number in a range, or a word in its place."""

    low: float = 0.0
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False
    optional: bool = False
    integer: bool = False
    word: str = ""

    def describe(self) -> str:
        """The range in words."""
        kind = "an integer" if self.integer else "a finite number"
        low = f"above {self.low:g}" if self.open_low else f"of at least {self.low:g}"
        high = "" if math.isinf(self.high) else f" and {'below' if self.open_high else 'at most'} {self.high:g}"
        return (
            f"{kind} {low}{high}" + (" or None" if self.optional else "") + (f" or {self.word!r}" if self.word else "")
        )

    def holds(self, value: Any) -> bool:
        """Whether a value is in the range."""
        if value is None:
            return self.optional
        if isinstance(value, str):
            return bool(self.word) and value == self.word
        if isinstance(value, bool) or not isinstance(value, Integral if self.integer else Real):
            return False
        value = float(value)
        above = value > self.low if self.open_low else value >= self.low
        below = value < self.high if self.open_high else value <= self.high
        return math.isfinite(value) and above and below


class Choice(NamedTuple):
    """One of some words."""

    words: tuple[str, ...]

    def describe(self) -> str:
        """The words."""
        return "one of " + ", ".join(map(repr, self.words))

    def holds(self, value: Any) -> bool:
        """Whether a value is one of the words."""
        return isinstance(value, str) and value in self.words


class Kind(NamedTuple):
    """What a test accepts."""

    words: str
    test: Callable[[Any], bool]

    def describe(self) -> str:
        """The words."""
        return self.words

    def holds(self, value: Any) -> bool:
        """Whether the test accepts a value."""
        return self.test(value)


Range = Number | Choice | Kind

PENALTY = Number(0.0)
POSITIVE = Number(0.0, open_low=True)
STEP = Number(0.0, open_low=True, optional=True)
COUNT = Number(1, integer=True)
TOLERANCE = Number(0.0, optional=True)
FRACTION = Number(0.0, 1.0, open_low=True, open_high=True)
LARGEST_STATE = 4 * 2**30  # bytes of d by d matrices that a model may hold


def check_dimension(name: str, d: int, matrices: int, advice: str) -> None:
    """Refuse a dimension whose d by d matrices would not fit."""
    size = 8 * matrices * d**2
    if size > LARGEST_STATE:
        raise ValueError(
            f"{name} would hold {matrices} matrices of {d} by {d}, {size / 2**30:.0f} GiB, more than the "
            f"{LARGEST_STATE / 2**30:.0f} GiB it may; {advice}."
        )


def check_parameters(estimator: Any, ranges: dict[str, Range]) -> None:
    """Refuse parameters out of their range, and flags (by their default) that are neither true nor false."""
    for name in estimator._get_param_names():
        value, flag = getattr(estimator, name), isinstance(getattr(type(estimator), name, None), bool)
        kinds = (bool, np.bool_, Integral) if name == "verbose" else (bool, np.bool_)
        if flag and not isinstance(value, kinds):
            raise ValueError(f"{type(estimator).__name__}({name}={value!r}): expected True or False.")
    for name, allowed in ranges.items():
        value = getattr(estimator, name)
        if not allowed.holds(value):
            raise ValueError(f"{type(estimator).__name__}({name}={value!r}): expected {allowed.describe()}.")
