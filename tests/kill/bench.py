"""Kills a run of the papers' tables at random moments: ``python -m tests.kill.bench --count 20``.

The same cells are run once without interruption and once killed, processes and all, and started again by the same
command until all have ended. Every score, fold and parameter must be the same to the last digit, no cell that had ended
may run again, and nothing but the store may remain.

The whole of a quick run takes half an hour and more, so that its uninterrupted side may be a store that is there:
``python -m tests.kill.bench --suite all --against out/papers.sqlite --gap 60 150``, the seconds between two kills.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from aucmax.bench.store import Store

SETS = ("german", "splice", "ijcnn1")
ALGORITHMS = ("regSOLAM", "OAMgra", "B-LS-SVM")


def say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def command(store, suites, sets, algorithms, data_dir):
    """The run of some cells into a store."""
    chosen = [*(("--set", name) for name in sets), *(("--algorithm", name) for name in algorithms)]
    where = ["--data-dir", data_dir] if data_dir else []
    options = ["--quick", "--jobs", "2", "--quiet", *where, *(word for pair in chosen for word in pair)]
    return [sys.executable, "-m", "aucmax.cli", "bench", "run", *suites, *options, "--store", str(store)]


def found(path):
    """What a store holds: of every cell all that must not depend on interruptions, and when it ended."""
    if not path.exists():
        return {}, {}
    store = Store(path)
    cells = store.cells()
    ended = dict(store.db.execute("select key, ended from cell").fetchall())
    store.close()
    kept = ("auc", "params", "folds", "rows", "tested", "error")
    return {cell["key"]: tuple(str(cell[name]) for name in kept) for cell in cells}, ended


def group_is_gone(group):
    """Whether no process of a group is left."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def interrupted(run, seconds):
    """Start a run and kill all its processes after some time; whether it ended before."""
    with subprocess.Popen(run, stdout=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            assert group_is_gone(process.pid), "processes were left behind"
            return False
    assert code == 0, f"a run ended with code {code}"
    return True


def killed_often(run, path, most, gap, rng):
    """Kill a run at most so many times, or until it has ended; how many cells were there at each kill."""
    there, before = [], {}
    while len(there) < most and not interrupted(run, rng.uniform(*gap)):
        _, ended = found(path)
        assert all(ended[key] == at for key, at in before.items()), "a cell that had ended ran again"
        before = ended
        there.append(len(ended))
    assert interrupted(run, None)
    _, ended = found(path)
    assert all(ended[key] == at for key, at in before.items()), "a cell that had ended ran again"
    return there


def main(given=None):
    """Run the cells twice and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--data-dir")
    parser.add_argument("--suite", action="append")
    parser.add_argument("--set", action="append")
    parser.add_argument("--algorithm", action="append")
    parser.add_argument("--against", type=Path, help="a store that holds the same cells, run without interruption")
    parser.add_argument("--gap", type=float, nargs=2, help="the least and the most seconds between kills")
    options = parser.parse_args(given)
    if options.against and not options.gap:
        parser.error("--against: how long the run takes is not known; give the time between kills as --gap")
    some = ((), ()) if options.suite else (SETS, ALGORITHMS)
    sets, algorithms = (named or usual for named, usual in zip((options.set, options.algorithm), some, strict=True))
    chosen = (options.suite or ["thesis-3.2"], sets, algorithms, options.data_dir)
    with tempfile.TemporaryDirectory() as folder:
        whole = options.against or Path(folder) / "whole.sqlite"
        begun = time.monotonic()
        if not options.against:
            subprocess.run(command(whole, *chosen), check=True, stdout=subprocess.DEVNULL)
        usual = time.monotonic() - begun
        wanted, gap = found(whole)[0], options.gap or (0.05 * usual, 0.35 * usual)
        say(f"{len(wanted)} cells without interruption{'' if options.against else f' in {usual:.0f} s'}")
        kills, rng = 0, random.Random(options.seed)
        while kills < options.count:
            with tempfile.TemporaryDirectory() as place:
                killed, began = Path(place) / "killed.sqlite", time.monotonic()
                there = killed_often(command(killed, *chosen), killed, options.count - kills, gap, rng)
                kills, took = kills + len(there), time.monotonic() - began
                say(f"killed {len(there)} times in {took:.0f} s, with {', '.join(map(str, there))} cells there")
                assert found(killed)[0] == wanted, "other numbers came out"
                left = {path.name for path in Path(place).iterdir()}
                assert left <= {f"killed.sqlite{end}" for end in ("", "-wal", "-shm")}, f"left behind: {left}"
    say("the same numbers to the last digit; no cell ran twice; nothing is left")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
