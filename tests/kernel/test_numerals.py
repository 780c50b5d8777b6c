"""Numbers in text against Python's own float."""

import random
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aucmax.kernel.jit import kernel
from aucmax.kernel.numerals import FINE, HARD, NO_NUMBER, TOO_LONG, number


@kernel
def _numbers(text, starts, values, found):
    for i in range(starts.shape[0]):
        values[i], found[i, 0], found[i, 1] = number(text, starts[i])


def read(words):
    text = np.frombuffer("".join(f"{word}\n" for word in words).encode(), dtype=np.uint8)
    starts = np.cumsum([0, *(len(word) + 1 for word in words)])
    values, found = np.empty(len(words)), np.empty((len(words), 2), dtype=np.int64)
    _numbers(text, starts[:-1], values, found)
    return values, found[:, 0] - starts[:-1], found[:, 1]


def check(words, hard=False):
    values, ends, states = read(words)
    assert ends.tolist() == [len(word) for word in words]
    assert set(states) <= ({FINE, HARD} if hard else {FINE})
    wrong = [
        (word, value)
        for word, value, state in zip(words, values, states, strict=True)
        if state == FINE and struct.pack("d", float(word)) != struct.pack("d", value)
    ]
    assert wrong == []
    return states


def test_any_float_as_python_writes_it():
    rng = random.Random(0)
    bits = (struct.unpack("d", struct.pack("Q", rng.getrandbits(64)))[0] for _ in range(20_000))
    check([repr(x) for x in bits if np.isfinite(x)])


def test_any_mantissa_with_any_exponent():
    rng = random.Random(1)
    check([f"{rng.randrange(10 ** rng.randint(1, 19))}e{rng.randint(-350, 320)}" for _ in range(20_000)])


def test_halfway_between_two_floats():
    rng = random.Random(2)
    words = []
    for _ in range(20_000):
        odd, n = 2 * (rng.getrandbits(53) | 1 << 52) + 1, rng.randint(1, 4)
        words += [f"{odd}", f"{odd * 5**n}e-{n}", f"{odd * 2 ** rng.randint(1, 60)}"]
    states = check(words, hard=True)
    assert np.count_nonzero(states == FINE) > 40_000


def test_more_digits_than_an_integer_holds():
    rng = random.Random(3)
    states = check([f"{rng.random():.{rng.randint(18, 60)}f}" for _ in range(5000)], hard=True)
    assert np.mean(states == HARD) < 0.01
    check(["0" * 400 + "1.5", "0." + "0" * 400 + "25e400", "1" + "0" * 300], hard=True)


def test_the_edges():
    check(["0", "-0", "+0.0", ".5", "5.", "5.e1", "-.5E-2", "4.9e-324", "2.4703282292062327e-324", "1e-400"])
    check(["2.2250738585072011e-308", "2.2250738585072014e-308", "1.7976931348623157e308", "1.7976931348623159e308"])
    check(["1e400", "-1e309", "9007199254740993", "9007199254740995", "1e23", "8.5e22", "0e999999999999"])


@pytest.mark.parametrize("word", ["", "-", "+", ".", "e5", "-.", "1e", "1e+", "nan", "inf", "x1", "--1", "+-1", ".e1"])
def test_no_number(word):
    assert read([word])[2].tolist() == [NO_NUMBER]


@pytest.mark.parametrize(
    ("word", "end"), [("0x1p3", 1), ("1_000", 1), ("1.2.3", 3), ("1e5e5", 3), ("1,5", 1), ("1d5", 1)]
)
def test_a_number_ends_where_it_ends(word, end):
    _, ends, states = read([word])
    assert (ends.tolist(), states.tolist()) == ([end], [FINE])


def test_an_endless_number_is_refused():
    assert read(["1" * 1001])[2].tolist() == [TOO_LONG]


@settings(max_examples=300, deadline=None)
@given(st.from_regex(r"[+-]?([0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,30})([eE][+-]?[0-9]{1,4})?", fullmatch=True))
def test_any_numeral(word):
    check([word], hard=True)
