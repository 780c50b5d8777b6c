"""Show that the tests notice small wrong changes of the library: ``python -m tests.mutants.run``.

``tests/mutants.toml`` lists the changes. Each is made in a copy of the sources, its tests run there, and one of them
must fail. The same tests must pass on the sources as they are. What may be wrong with a mutant:

    survived    its tests pass
    broken      the source no longer works at all (it cannot be imported or compiled), which proves nothing
    too long    its tests ran out of time; right only for a mutant said to be ``endless``
"""

import argparse
import collections
import contextlib
import datetime
import importlib
import multiprocessing
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
PACKAGE = Path("src", "aucmax")
LIST = ROOT / "tests" / "mutants.toml"
SECONDS, SECONDS_OF_ALL = 180, 1800  # that the tests of one mutant may take, and those of all without any
# what most tests load: once, for all of them
LOADED = ("numpy", "numba", "scipy.stats", "sklearn.model_selection", "pandas", "pytest")
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


class Job(NamedTuple):
    """Tests to run, with a mutant or on the sources as they are."""

    name: str
    tests: tuple[str, ...]
    compiled: bool
    mutant: Mutant | None = None

    @property
    def seconds(self):
        """How long the tests may take."""
        return SECONDS if self.mutant else SECONDS_OF_ALL


class Running(NamedTuple):
    """A job under way: on which copy, in which process, and since when."""

    job: Job
    copy: Any
    process: Any
    began: float


class Outcome(NamedTuple):
    """How the tests of a job ended, what they printed and what they took."""

    word: str
    output: str
    seconds: float


def listed():
    """Return all mutants."""
    with LIST.open("rb") as file:
        entries = tomllib.load(file)["mutant"]
    return [Mutant(**{**entry, "tests": tuple(entry["tests"])}) for entry in entries]


def drawn(mutants, count, seed):
    """Return some of the mutants that need no compiler, drawn by a seed such as a date."""
    quick = [mutant for mutant in mutants if not (mutant.compiled or mutant.endless)]
    return random.Random(str(seed)).sample(quick, min(count, len(quick)))


def jobs_of(mutants):
    """Return the jobs of mutants, after those that run the same tests on the sources as they are."""
    whole = []
    for compiled, name in ((True, "as it is, compiled"), (False, "as it is")):
        tests = sorted({test for mutant in mutants if mutant.compiled == compiled for test in mutant.tests})
        whole += [Job(name, tuple(tests), compiled)] if tests else []
    return [*whole, *(Job(mutant.name, mutant.tests, mutant.compiled, mutant) for mutant in mutants)]


class Copy:
    """A copy of the sources in a folder of its own, where a mutant is made and unmade."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.report, self.output = self.folder / "report.xml", self.folder / "output"
        shutil.copytree(ROOT / "src", self.folder / "src")
        (self.folder / "docs").symlink_to(ROOT / "docs")  # a page of which the package shows

    def begun(self, job):
        """Make the mutant of a job, if it has one, and begin to run its tests."""
        if job.mutant:
            self._write(job.mutant)
        self.report.unlink(missing_ok=True)
        process = multiprocessing.get_context("fork").Process(target=self._test, args=(job,))
        process.start()
        return Running(job, self, process, time.monotonic())

    def _write(self, mutant):
        path, original = self.folder / PACKAGE / mutant.file, ROOT / PACKAGE / mutant.file
        text = original.read_text(encoding="utf-8")
        if text.count(mutant.old) != 1:
            raise ValueError(f"{mutant.name}: the old text occurs {text.count(mutant.old)} times in {mutant.file}")
        path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
        # never the second of the original, whose compiled form Python and numba would take
        changed = original.stat().st_mtime + 10
        os.utime(path, (changed, changed))

    def _test(self, job):
        """In a process of its own: run the tests on this copy, and end with pytest's exit code."""
        os.setsid()  # so that what the tests start can be ended with them
        output = os.open(self.output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.chdir(ROOT)
        os.environ["PYTHONPATH"] = str(self.folder / "src")
        os.environ["PYTHONDONTWRITEBYTECODE"], sys.dont_write_bytecode = "1", True
        os.environ["AUCMAX_CACHE_DIR"] = str(self.folder / "kernels")
        os.environ["NUMBA_DISABLE_JIT"] = str(int(not job.compiled))
        sys.modules["numba"].config.DISABLE_JIT = int(not job.compiled)
        sys.path.insert(0, str(self.folder / "src"))
        command = ["-x", "-q", "--no-header", "-p", "no:cacheprovider", f"--junitxml={self.report}", *job.tests]
        code = sys.modules["pytest"].main(command)
        sys.stdout.flush()
        os._exit(int(code))

    def ended(self, running):
        """Unmake the mutant of a job that has ended; how it ended."""
        job, code, took = running.job, running.process.exitcode, time.monotonic() - running.began
        output = self.output.read_text(encoding="utf-8", errors="replace")
        if job.mutant:
            shutil.copy2(ROOT / PACKAGE / job.mutant.file, self.folder / PACKAGE / job.mutant.file)
            return Outcome(_word(code, self.report, job.mutant), output, took)
        fine = code == 0 and not re.search(r"\d+ skipped", output)
        return Outcome("passed" if fine else "failed", output, took)


def _word(code, report, mutant):
    """What the exit code of pytest, negative where it was killed, and its report say of a mutant."""
    if code == 0:
        return "survived"
    if code == -signal.SIGKILL:
        return "caught" if mutant.endless else "too long"
    if code != 1 or not report.exists():
        return "broken"
    root = ElementTree.parse(report).getroot()
    failures = [failure.get("message", "") for failure in root.iter("failure")]
    if not failures or next(root.iter("error"), None) is not None or any(map(BROKEN.match, failures)):
        return "broken"
    return "caught"


def run(jobs, processes):
    """Run jobs, some at a time; yield each with its outcome as it ends."""
    assert "aucmax" not in sys.modules, "the processes would not load their copies"
    for name in LOADED:
        importlib.import_module(name)
    waiting, running = collections.deque(jobs), {}
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        free = [Copy(Path(folder, str(number))) for number in range(processes)]
        while waiting or running:
            while waiting and free:
                one = free.pop().begun(waiting.popleft())
                running[one.process.sentinel] = one
            for sentinel in wait(list(running), timeout=1.0):
                one = running.pop(sentinel)
                one.process.join()
                yield one.job, one.copy.ended(one)
                free.append(one.copy)
            for one in running.values():
                if time.monotonic() - one.began > one.job.seconds:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(one.process.pid, signal.SIGKILL)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="mutants to try, by name or the beginning of it; all by default")
    parser.add_argument("--only", type=int, metavar="N", help="try N of those that need no compiler, drawn by the seed")
    parser.add_argument("--seed", default=datetime.date.today().isoformat(), help="today's date by default")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time (%(default)s)")
    parser.add_argument("--verbose", action="store_true", help="show what the tests of mutants not caught print")
    options = parser.parse_args()
    mutants = [m for m in listed() if not options.names or m.name.startswith(tuple(options.names))]
    if options.only is not None:
        mutants = drawn(mutants, options.only, options.seed)
    began, left = time.monotonic(), []
    for job, outcome in run(jobs_of(mutants), options.jobs):
        print(f"{outcome.word:9} {outcome.seconds:6.1f} s  {job.name}", flush=True)
        if outcome.word not in ("caught", "passed"):
            left.append((job, outcome))
            if options.verbose or job.mutant is None:
                print(outcome.output[-5000:], flush=True)
    found = len(mutants) - sum(job.mutant is not None for job, _ in left)
    print(f"{found} of {len(mutants)} mutants caught in {time.monotonic() - began:.0f} s")
    for job, outcome in left:
        print(f"  {outcome.word}: {job.name}")
    sys.exit(1 if left or not mutants else 0)


if __name__ == "__main__":
    main()
