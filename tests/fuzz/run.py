"""Tries inputs that are damaged: ``python -m tests.fuzz.run --count 100000``.

Every input has a kind and a number, and is the same whenever it is made: ``--kind arrays --seed 17 --count 1`` tries
number 17 again. Each is tried in a process that may die of it; see ``pool.py``. ``judge.py`` says what is a fault.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process with threads cannot be forked safely
os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import sys
import tempfile
import time
import warnings
from collections import Counter, defaultdict
from pathlib import Path

from tests.fuzz import arrays, files, pool, scores, texts
from tests.fuzz.judge import SORTS

SHOWN = 5  # numbers of inputs that are shown of one fault
TEXT, TABLE = "1 1:1\n", "a,b,y\n1,x,0\n"
# how each kind is made, and its part of a hundred in a whole run
KINDS = {
    "arrays": (arrays.Arrays, 25),
    "scores": (scores.Scores, 5),
    "arrow": (lambda: files.columnar("arrow"), 12),
    "feather": (lambda: files.columnar("feather"), 8),
    "parquet": (lambda: files.columnar("parquet"), 10),
    "npz": (files.npz, 5),
    "model": (files.Models, 10),
    "checkpoint": (files.Checkpoints, 5),
    "libsvm": (lambda: files.text("rows", TEXT, texts.libsvm), 8),
    "csv": (lambda: files.text("rows.csv", TABLE, texts.table, target="y"), 7),
    "wide": (lambda: files.text("rows.csv", TABLE, texts.table, files.Wide, target="y"), 5),
}


def run(name, count, first=0, jobs=2, full=True, report=None):
    """Try so many inputs of a kind; what became of them."""
    kind = KINDS[name][0]()
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        kind.prepare(full, Path(folder))
    return pool.run(kind, first, count, jobs, report)


def line(name, total):
    """The figures of a kind in one line."""
    found = Counter(fault.sort for fault in total.faults)
    faults = ", ".join(f"{found[sort]} {sort}" for sort in SORTS)
    return f"{name}: {total.inputs} inputs, {total.accepted} accepted, {total.refused} refused, {faults}"


def groups(faults):
    """What is alike among faults, the most frequent first: how many, an example, and the numbers of some."""
    found = defaultdict(list)
    for fault in faults:
        method = fault.case.split(" ")[0].rpartition(".")[2]
        place = fault.words.rpartition(" at ")[2] if fault.sort == "untyped" else method
        found[fault.sort, fault.words.partition(":")[0] if fault.sort == "untyped" else fault.words, place].append(
            fault
        )
    for (sort, _, _), alike in sorted(found.items(), key=lambda item: -len(item[1])):
        numbers = " ".join(str(fault.number) for fault in alike[:SHOWN])
        yield f"  {len(alike)} {sort}: {alike[0].words} ({alike[0].case}); seeds {numbers}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000, help="inputs in all")
    parser.add_argument("--kind", choices=KINDS, help="one kind only")
    parser.add_argument("--seed", type=int, default=0, help="number of the first input")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time")
    parser.add_argument("--quick", action="store_true", help="compile for the usual types only")
    options = parser.parse_args()
    parts = {options.kind: 100} if options.kind else {name: part for name, (_, part) in KINDS.items()}
    wrong = 0
    for name, part in parts.items():
        began = time.monotonic()
        count = options.count * part // 100
        total = run(name, count, options.seed, options.jobs, not options.quick, progress if count > 2000 else None)
        wrong += len(total.faults)
        print(f"{line(name, total)}, {time.monotonic() - began:.0f} s", flush=True)
        for group in groups(total.faults):
            print(group, flush=True)
    sys.exit(1 if wrong else 0)


def progress(total):
    """Say how far it is."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{total.inputs} inputs, {len(total.faults)} faults ")


if __name__ == "__main__":
    main()
