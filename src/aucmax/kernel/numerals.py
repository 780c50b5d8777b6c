"""Decimal numbers in text, read to the nearest float64 as Python's ``float`` reads them.

Up to 19 digits fit a 64-bit integer. Times a power of ten that float64 holds exactly, one operation rounds rightly;
otherwise the product with a 128-bit power of five does (D. Lemire, "Number parsing at a gigabyte per second", 2021).
With more digits both neighbours of the cut are tried; where they differ, the number is called hard and left to Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.kernel.jit import inlined

ZERO, NINE, PLUS, MINUS, DOT = 48, 9, 43, 45, 46
LETTER_E = 101
LONGEST = 1000  # characters of a number; float64 never depends on more than 770 digits
FAR = 100_000  # an exponent beyond this is as good as infinite

# what became of a number
FINE, HARD, NO_NUMBER, TOO_LONG = 0, 1, 2, 3

LOW_POWER, HIGH_POWER = -342, 308
EXACT = 22  # the largest power of ten that float64 holds
TEN = np.array([float(f"1e{q}") for q in range(EXACT + 1)])
TWO = np.array([float(2.0**q) for q in range(-1074, 972)])


def _powers_of_five() -> np.ndarray:
    """The leading 128 bits of 5^q, in two halves; rounded down, but up where ties can occur, from 5^-27 to 5^-1."""
    halves = np.empty((HIGH_POWER - LOW_POWER + 1, 2), dtype=np.uint64)
    for q in range(LOW_POWER, HIGH_POWER + 1):
        power = 5 ** abs(q)
        if q < 0:
            bits = (power - 1).bit_length()
            power = 2 ** (bits + 127 if q >= -27 else 2 * bits + 128) // power + 1
        extra = power.bit_length() - 128
        power = power >> extra if extra > 0 else power << -extra
        halves[q - LOW_POWER] = power >> 64, power & (2**64 - 1)
    return halves


FIVE = _powers_of_five()

_1 = np.uint64(1)
_3 = np.uint64(3)
_TEN = np.uint64(10)
_32 = np.uint64(32)
_63 = np.uint64(63)
_LOW = np.uint64(0xFFFFFFFF)
_PRECISION = np.uint64(0x1FF)  # the bits of the upper product below those that are kept
_KEPT = np.uint64(1 << 53)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_EXACT_MANTISSA = np.uint64(1 << 53)
_ZERO = np.uint64(ZERO)
_NINE = np.uint64(NINE)


@inlined
def product(a: Any, b: Any) -> Any:
    """The upper and the lower half of the product of two 64-bit numbers."""
    a1, a0, b1, b0 = a >> _32, a & _LOW, b >> _32, b & _LOW
    low = a0 * b0
    middle = a1 * b0 + (low >> _32)
    other = a0 * b1 + (middle & _LOW)
    return a1 * b1 + (middle >> _32) + (other >> _32), (other << _32) | (low & _LOW)


@inlined
def leading_zeros(w: Any) -> Any:
    """Zero bits above the highest one of a 64-bit number that is not zero."""
    count = np.uint64(0)
    for bits in (32, 16, 8, 4, 2, 1):
        step = np.uint64(bits)
        if w >> (np.uint64(64) - step) == np.uint64(0):
            w = w << step
            count += step
    return count


@inlined
def scaled(w: Any, q: Any) -> Any:
    """The float64 nearest to w·10^q, ties to even; infinite where there is none."""
    if w == np.uint64(0) or q < LOW_POWER:
        return 0.0
    if q > HIGH_POWER:
        return np.inf
    if w <= _EXACT_MANTISSA and -EXACT <= q <= EXACT:
        return np.float64(w) * TEN[q] if q >= 0 else np.float64(w) / TEN[-q]
    zeros = leading_zeros(w)
    w = w << zeros
    high, low = product(w, FIVE[q - LOW_POWER, 0])
    if high & _PRECISION == _PRECISION:
        more, _ = product(w, FIVE[q - LOW_POWER, 1])
        carry = low > _ALL - more
        low = more - (_ALL - low) - _1 if carry else low + more
        if carry:
            high = high + _1
    return rounded(high, low, zeros, q)


@inlined
def rounded(high: Any, low: Any, zeros: Any, q: Any) -> Any:
    """The product's leading 53 bits, or fewer where the result is subnormal, rounded to even."""
    upper = high >> _63
    shift = upper + np.uint64(9)
    mantissa = high >> shift
    exponent = ((217706 * q) >> 16) + 63 + np.int64(upper) - np.int64(zeros) + 1023
    if exponent <= 0:
        if exponent <= -63:
            return 0.0
        mantissa = mantissa >> np.uint64(1 - exponent)
        exponent = 1
    elif low <= _1 and -4 <= q <= 23 and mantissa & _3 == _1 and mantissa << shift == high:
        mantissa = mantissa - _1  # a tie, and the lower neighbour is even
    mantissa = (mantissa + (mantissa & _1)) >> _1
    if mantissa == _KEPT:
        mantissa = mantissa >> _1
        exponent += 1
    if exponent >= 2047:
        return np.inf
    return np.float64(mantissa) * TWO[exponent - 1]


@inlined
def digits(text: Any, at: Any, so_far: Any) -> Any:
    """Append a run of digits to a number, which wraps around beyond 19 of them; and where the run ends."""
    d = np.uint64(text[at]) - _ZERO
    while d <= _NINE:
        so_far = so_far * _TEN + d
        at += 1
        d = np.uint64(text[at]) - _ZERO
    return so_far, at


@inlined
def exponent(text: Any, at: Any) -> Any:
    """The exponent after an "e", where it ends, and whether it has digits."""
    sign = 1
    if text[at] == MINUS:
        sign = -1
        at += 1
    elif text[at] == PLUS:
        at += 1
    begun = at
    value: Any = 0
    while ZERO <= text[at] <= ZERO + NINE:
        value = min(10 * value + (np.int64(text[at]) - ZERO), FAR)
        at += 1
    return sign * value, at, at > begun


@inlined
def long_number(text: Any, at: Any, end: Any, power: Any) -> Any:
    """A number of more than 19 digits, from its first digit to its last; power is that of its last digit."""
    w = np.uint64(0)
    taken = 0
    dropped = 0
    while at < end:
        c = np.uint64(text[at]) - _ZERO
        at += 1
        if c <= _NINE:
            if taken == 19:
                dropped += 1
            elif taken > 0 or c > np.uint64(0):
                w = w * _TEN + c
                taken += 1
    value = scaled(w, power + dropped)
    if dropped > 0 and value != scaled(w + _1, power + dropped):
        return value, HARD
    return value, FINE


@inlined
def number(text: Any, at: Any) -> Any:
    """The number that begins here, where it ends, and what became of it. The text must end in no part of a number."""
    begun = at
    negative = text[at] == MINUS
    if negative or text[at] == PLUS:
        at += 1
    first = at
    w, at = digits(text, at, np.uint64(0))
    count = at - first
    power = 0
    if text[at] == DOT:
        point = at + 1
        w, at = digits(text, point, w)
        power = point - at
        count -= power
    if count == 0:
        return 0.0, begun, NO_NUMBER
    end = at
    if text[at] | 32 == LETTER_E:
        shift, at, found = exponent(text, at + 1)
        power += shift
        if not found:
            return 0.0, begun, NO_NUMBER
    if at - begun > LONGEST:
        return 0.0, begun, TOO_LONG
    state = FINE
    if count > 19:
        value, state = long_number(text, first, end, power)
    else:
        value = scaled(w, power)
    return -value if negative else value, at, state
