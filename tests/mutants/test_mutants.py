"""Four mutants a day, and that the list fits the sources; ``make mutants`` tries them all."""

import subprocess
import sys

import pytest

from tests.mutants.run import PACKAGE, ROOT, _word, drawn, jobs_of, listed

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


CASE = "<testsuites><testsuite><testcase>{}</testcase></testsuite></testsuites>"


@pytest.mark.parametrize(
    ("code", "inside", "word"),
    [
        (0, "", "survived"),
        (1, '<failure message="AssertionError: 1 != 2"/>', "caught"),
        (1, '<failure message="NameError: no such name"/>', "broken"),
        (1, '<failure message="numba.core.errors.TypingError: no such type"/>', "broken"),
        (1, '<failure message="assert 1"/><error message="of a fixture"/>', "broken"),
        (1, "", "broken"),
        (2, '<error message="collection failure"/>', "broken"),
        (4, None, "broken"),
        (-11, None, "broken"),
        (-9, None, "too long"),
    ],
)
def test_a_mutant_is_caught_by_a_test_that_fails_and_by_nothing_else(code, inside, word, tmp_path):
    report = tmp_path / "report.xml"
    if inside is not None:
        report.write_text(CASE.format(inside))
    assert _word(code, report, MUTANTS[0]) == word
    endless = MUTANTS[0]._replace(endless=True)
    assert _word(code, report, endless) == ("caught" if code == -9 else word)


def test_draws_follow_the_seed_and_need_no_compiler():
    days = [drawn(MUTANTS, 4, f"2026-01-{day:02}") for day in range(1, 29)]
    assert days[0] == drawn(MUTANTS, 4, "2026-01-01")
    assert len({mutant.name for day in days for mutant in day}) > 60
    assert not any(mutant.compiled for day in days for mutant in day)


def test_tests_run_without_mutants_too():
    first, second = MUTANTS[0]._replace(compiled=True), MUTANTS[1]._replace(compiled=False)
    jobs = jobs_of([first, second])
    assert [(job.mutant, job.compiled, job.tests) for job in jobs] == [
        (None, True, first.tests),
        (None, False, second.tests),
        (first, True, first.tests),
        (second, False, second.tests),
    ]


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="needs fork")
def test_mutants_of_the_day():
    command = [sys.executable, "-m", "tests.mutants.run", "--only", "4", "--verbose"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
