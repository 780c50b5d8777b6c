"""Show that the tests notice small wrong changes of the library: ``python -m tests.mutants.run``.

``tests/mutants.toml`` lists the changes. Each is made in a copy of the sources, its tests run there, and one of them must
fail. The same tests must pass on the sources as they are. What a mutant may lack:

    survived    its tests pass
    broken      the source no longer works at all (it cannot be imported or compiled), which proves nothing
    too long    its tests ran out of time; right only for a mutant said to be ``endless``
"""

import argparse
import datetime
import os
import queue
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
PACKAGE = Path("src", "aucmax")
LIST = ROOT / "tests" / "mutants.toml"
SECONDS = 120  # that the tests of one mutant may take
BROKEN = re.compile(r"(ImportError|ModuleNotFoundError|NameError|SyntaxError|IndentationError|numba\.core\.errors)")


class Mutant(NamedTuple):
    """A wrong change of a file of the package, and the tests of which one must fail."""

    name: str
    file: str
    old: str  # occurs once in the file
    new: str
    tests: tuple[str, ...]
    compiled: bool = False  # whether numba compiles the kernels; else they run as plain Python
    endless: bool = False  # whether the change makes a loop endless
    slow: bool = False  # whether a daily draw leaves it out


class Outcome(NamedTuple):
    """How the tests of a mutant ended, and what they printed."""

    word: str
    output: str
    seconds: float


def listed():
    """Return all mutants."""
    with LIST.open("rb") as file:
        entries = tomllib.load(file)["mutant"]
    return [Mutant(**{**entry, "tests": tuple(entry["tests"])}) for entry in entries]


def drawn(mutants, count, seed):
    """Return some of the quick mutants, drawn by a seed such as a date."""
    quick = [mutant for mutant in mutants if not mutant.slow]
    return random.Random(str(seed)).sample(quick, min(count, len(quick)))


class Copy:
    """A copy of the sources in a folder of its own, where a mutant is made and unmade."""

    def __init__(self, folder):
        self.folder = Path(folder)
        shutil.copytree(ROOT / "src", self.folder / "src")
        (self.folder / "docs").symlink_to(ROOT / "docs")  # a page of which the package shows

    def judged(self, mutant):
        """Make a mutant, run its tests, and unmake it."""
        path, original = self.folder / PACKAGE / mutant.file, ROOT / PACKAGE / mutant.file
        text = original.read_text(encoding="utf-8")
        if text.count(mutant.old) != 1:
            return Outcome("broken", f"the old text occurs {text.count(mutant.old)} times in {mutant.file}", 0.0)
        path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
        # never the second of the original, whose compiled form Python and numba would take
        changed = original.stat().st_mtime + 10
        os.utime(path, (changed, changed))
        try:
            return self.tested(mutant.tests, mutant.compiled, mutant.endless)
        finally:
            shutil.copy2(original, path)

    def tested(self, tests, compiled, endless=False, seconds=SECONDS):
        """Run tests on the copy as it is."""
        report, started = self.folder / "report.xml", time.perf_counter()
        report.unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider"]
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.folder / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "NUMBA_DISABLE_JIT": "0" if compiled else "1",
            "AUCMAX_CACHE_DIR": str(self.folder / "kernels"),
        }
        try:
            done = subprocess.run(
                [*command, f"--junitxml={report}", *tests],
                cwd=ROOT,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=seconds,
            )
        except subprocess.TimeoutExpired:
            return Outcome("caught" if endless else "too long", "", time.perf_counter() - started)
        return Outcome(_word(done.returncode, report), done.stdout, time.perf_counter() - started)


def _word(code, report):
    """What pytest's exit code and report say of a mutant."""
    if code == 0:
        return "survived"
    if code != 1 or not report.exists():
        return "broken"
    root = ElementTree.parse(report).getroot()
    failures = [failure.get("message", "") for failure in root.iter("failure")]
    if not failures or next(root.iter("error"), None) is not None or any(map(BROKEN.match, failures)):
        return "broken"
    return "caught"


def unchanged(copy, mutants):
    """Run the tests of mutants on the sources as they are; what failed, if anything did."""
    for compiled in (False, True):
        tests = sorted({test for mutant in mutants if mutant.compiled == compiled for test in mutant.tests})
        if tests:
            outcome = copy.tested(tests, compiled, seconds=1800)
            if outcome.word != "survived" or re.search(r"\d+ skipped", outcome.output):
                return outcome.output
    return None


def judge(mutants, jobs, report):
    """Judge mutants, some at a time; the outcome of each, by name, unless tests fail on the sources as they are."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(jobs) as pool:
        copies = queue.SimpleQueue()
        for number in range(jobs):
            copies.put(Copy(Path(folder, str(number))))

        def work(task, subject):
            copy = copies.get()
            try:
                return task(copy, subject)
            finally:
                copies.put(copy)

        def one(mutant):
            outcome = work(Copy.judged, mutant)
            report(mutant, outcome)
            return mutant.name, outcome

        whole = pool.submit(work, unchanged, mutants)
        outcomes = dict(pool.map(one, mutants))
        return outcomes, whole.result()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="mutants to try, by name or the beginning of it; all by default")
    parser.add_argument("--only", type=int, metavar="N", help="try N of the quick ones, drawn by the seed")
    parser.add_argument("--seed", default=datetime.date.today().isoformat(), help="today's date by default")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time (%(default)s)")
    parser.add_argument("--verbose", action="store_true", help="show what the tests of those not caught print")
    options = parser.parse_args()
    mutants = [m for m in listed() if not options.names or m.name.startswith(tuple(options.names))]
    if options.only is not None:
        mutants = drawn(mutants, options.only, options.seed)
    started = time.perf_counter()

    def report(mutant, outcome):
        print(f"{outcome.word:9} {outcome.seconds:6.1f} s  {mutant.name}", flush=True)
        if options.verbose and outcome.word != "caught":
            print(outcome.output, flush=True)

    outcomes, failed = judge(mutants, options.jobs, report)
    left = {name: outcome.word for name, outcome in outcomes.items() if outcome.word != "caught"}
    print(f"{len(outcomes) - len(left)} of {len(outcomes)} mutants caught in {time.perf_counter() - started:.0f} s")
    for name, word in left.items():
        print(f"  {word}: {name}")
    if failed is not None:
        print("Tests fail or skip on the sources as they are:", failed, sep="\n")
    sys.exit(1 if left or failed is not None or not outcomes else 0)


if __name__ == "__main__":
    main()
