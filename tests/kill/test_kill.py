"""A few kills; ``python -m tests.kill.run`` makes many."""

import subprocess
import sys

import pytest


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="needs fork")
def test_killed_training_and_saving():
    command = [sys.executable, "-m", "tests.kill.run", "--count", "6"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "nothing left" in done.stdout
