"""Four mutants a day, and that the list fits the sources; ``make mutants`` tries them all."""

import subprocess
import sys

import pytest

from tests.mutants.run import PACKAGE, ROOT, listed

MUTANTS = listed()


def test_there_are_many_and_each_has_a_name():
    names = [mutant.name for mutant in MUTANTS]
    assert len(set(names)) == len(names) >= 120


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_old_text_occurs_once(mutant):
    text = (ROOT / PACKAGE / mutant.file).read_text(encoding="utf-8")
    assert text.count(mutant.old) == 1
    assert mutant.new != mutant.old


def test_the_tests_exist():
    tests = {test for mutant in MUTANTS for test in mutant.tests}
    files = sorted({test.split("::")[0] for test in tests})
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    there = set(done.stdout.splitlines())
    there |= {line.split("[")[0] for line in there}  # with all their parameters
    assert tests - there == set()


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="needs fork")
def test_mutants_of_the_day():
    command = [sys.executable, "-m", "tests.mutants.run", "--only", "4", "--verbose"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
