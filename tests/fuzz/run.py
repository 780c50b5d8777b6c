"""Reads mutated files: ``python -m tests.fuzz.run --count 100000``.

Each process reads many, its memory capped and every file under an alarm. Files that end a process by a signal, take
too long, exceed the memory, or raise anything but the library's own errors are counted and named by their number.
"""

import argparse
import json
import resource
import signal
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

KINDS = ("libsvm", "csv", "wide", "model")  # wide: CSV files by the reader for very many columns
LONGEST = 5  # seconds
MEMORY = 2**30  # bytes beyond what a process has after its imports
BATCH = 2000


class TooLongError(BaseException):
    """A file took longer than it may."""


def _alarm(*_):
    raise TooLongError


def child(kind, first, count, folder):
    """Read some files; print what went wrong, and the number under way before each."""
    from aucmax.data import DataError, read, tables
    from aucmax.persist import ModelFileError, open_model
    from tests.conftest import make_problem
    from tests.fuzz import mutate

    warnings.simplefilter("ignore")
    if kind == "wide":
        kind, tables.WIDEST, tables.CSV_BLOCK = "csv", 0, 256
    X, y = make_problem(n=20, d=6)
    known = mutate.originals() if kind == "model" else None
    path = Path(folder) / {"libsvm": "rows", "csv": "rows.csv", "model": "model.auc"}[kind]
    tally = {"read": 0, "refused": 0, "used": 0, "wrong": []}
    warm(kind, known, path, X, y)
    signal.signal(signal.SIGALRM, _alarm)
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
    for number in range(first, first + count):
        path.write_bytes(mutate.case(kind, number, known))
        (Path(folder) / "number").write_text(str(number))
        signal.setitimer(signal.ITIMER_REAL, LONGEST)
        try:
            if kind == "model":
                found = open_model(path).model
                tally["read"] += 1
                tally["used"] += use(found, X, y)
            else:
                read(path, **({"target": "y"} if kind == "csv" else {}))
                tally["read"] += 1
        except (DataError, ModelFileError):
            tally["refused"] += 1
        except (Exception, TooLongError) as error:
            tally["wrong"].append((number, f"{type(error).__name__}: {error}"[:200]))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    print(json.dumps(tally))


def warm(kind, known, path, X, y):
    """Let numba compile or fetch what honest files need, and libraries load, whose time is not that of a file."""
    from aucmax.data import read
    from aucmax.persist import container, open_model

    if kind != "model":
        path.write_text("1 1:1\n" if kind == "libsvm" else "a,b,y\n1,x,0\n")
        read(path, **({"target": "y"} if kind == "csv" else {}))
    for arrays, document in known or ():
        path.write_bytes(container.packed(arrays, document))
        assert use(open_model(path).model, X, y)


def use(model, X, y):
    """Whatever was loaded may refuse to work, but must not crash."""
    worked = 0
    for work in (lambda: model.decision_function(X), lambda: model.partial_fit(X, y, classes=model.classes_)):
        try:
            work()
            worked = 1
        except Exception:
            continue
    return worked


def batch(kind, first, count):
    """Read some files in a process of their own; what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.fuzz.run", "--child", kind, str(first), str(count), folder]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60 + count * LONGEST)
        if done.returncode == 0:
            return json.loads(done.stdout.splitlines()[-1])
        number = int((Path(folder) / "number").read_text() or first)
        reason = f"exit code {done.returncode}: {done.stderr.strip().splitlines()[-1:]}"
        rest = batch(kind, number + 1, first + count - number - 1) if number + 1 < first + count else {"wrong": []}
        return {**rest, "wrong": [(number, reason), *rest["wrong"]]}


def run(kind, count, first=0, report=None):
    """Read so many files of a kind; totals."""
    total = {"read": 0, "refused": 0, "used": 0, "wrong": []}
    for start in range(first, first + count, BATCH):
        found = batch(kind, start, min(BATCH, first + count - start))
        total = {key: total[key] + found.get(key, type(total[key])()) for key in total}
        if report:
            report(kind, start, total)
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000, help="files in all")
    parser.add_argument("--kind", choices=KINDS, help="one kind only")
    parser.add_argument("--first", type=int, default=0, help="number of the first file")
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child[0], *map(int, options.child[1:3]), options.child[3])
        return
    kinds = [options.kind] if options.kind else KINDS
    wrong = 0
    for kind in kinds:
        total = run(kind, options.count // len(kinds), options.first)
        wrong += len(total["wrong"])
        print(f"{kind}: {total['read']} read, {total['refused']} refused, {len(total['wrong'])} wrong", flush=True)
        for number, reason in total["wrong"][:20]:
            print(f"  {number}: {reason}", flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
