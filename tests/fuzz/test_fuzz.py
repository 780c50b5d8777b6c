"""Small runs of the fuzzer; ``python -m tests.fuzz.run`` makes a large one."""

import ctypes
import json
import random
import re
import struct
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from aucmax.data import DataError, read
from aucmax.model.inputs import sound
from tests.fuzz import damage, pool
from tests.fuzz.judge import WrongResultError, judged
from tests.fuzz.run import KINDS, line


def test_damaged_inputs():
    # in a process of its own, since one with threads, as those of a test run may be, cannot be forked safely
    command = [sys.executable, "-m", "tests.fuzz.run", "--quick", "--count", "660", "--jobs", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    counts = re.findall(r"^(\w+): (\d+) inputs, (\d+) accepted, (\d+) refused", done.stdout, re.MULTILINE)
    assert [kind for kind, *_ in counts] == list(KINDS)
    for _, inputs, accepted, refused in counts:
        assert int(inputs) == int(accepted) + int(refused) >= 33
        assert min(int(accepted), int(refused)) >= 4


class Known:
    """A kind whose inputs end as their numbers say."""

    def attempt(self, number, tell, folder):
        tell(f"number {number}")
        if number == 3:
            ctypes.string_at(0)
        if number == 5:
            while True:
                pass
        if number == 7:
            np.empty(10**10)
        if number == 8:
            {}["key"]
        if number == 9:
            raise WrongResultError("no number")
        if number == 10:
            read(folder / "gone")


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_signals_and_hangs_are_counted_and_cost_no_other_input(monkeypatch):
    monkeypatch.setattr(pool, "LONGEST", 2.0)
    total = pool.run(Known(), 0, 20, jobs=1)
    assert [(fault.number, fault.sort) for fault in total.faults] == [
        (3, "signal"),
        (5, "hang"),
        (7, "memory"),
        (8, "untyped"),
        (9, "wrong"),
    ]
    assert total.faults[0].case == "number 3"
    assert total.faults[0].words == "SIGSEGV"
    assert (total.accepted, total.refused, total.inputs) == (14, 1, 20)
    assert "20 inputs, 14 accepted, 1 refused, 1 signal, 1 hang, 1 memory, 1 untyped, 1 wrong" in line("known", total)


def verdict(action):
    with pytest.raises(Exception) as caught:  # noqa: PT011
        action()
    return judged(caught.value)


def test_only_errors_that_are_raised_on_purpose_are_refusals():
    wrong = sp.csr_array(np.eye(3))
    wrong.indices = wrong.indices + 7
    assert verdict(lambda: sound(wrong)) is None
    assert verdict(lambda: read("gone.csv")) is None
    for action in (
        lambda: wrong.data.tolist().shape,  # AttributeError
        lambda: struct.unpack("d", b""),
        lambda: json.loads("{"),
        lambda: np.zeros(3) + np.zeros(4),  # a ValueError, but none of ours
        lambda: b"\xff".decode(),
    ):
        assert verdict(action)[0] == "untyped"
    assert verdict(lambda: np.empty(10**15))[0] == "memory"
    assert issubclass(DataError, ValueError)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_every_change_works_on_whole_arrays():
    for change in (damage.cut, damage.grown, damage.entry, damage.entries, damage.cast, damage.shaped):
        for array in (np.linspace(0, 1, 12).reshape(4, 3), np.arange(5)):
            for seed in range(20):
                change(random.Random(seed), array)
    for change in (damage.ordered, damage.laid_out, damage.wrapped):
        for seed in range(50):
            change(random.Random(seed), np.linspace(0, 1, 12).reshape(4, 3))
