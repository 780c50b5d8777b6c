"""A small run of the fuzzer; ``python -m tests.fuzz.run`` makes a large one."""

import pytest

from tests.fuzz.run import KINDS, run


@pytest.mark.parametrize("kind", KINDS)
def test_mutated_files(kind):
    total = run(kind, 250)
    assert total["wrong"] == []
    assert total["read"] > 20
    assert total["refused"] > 60
