"""Kills training and saving at random moments: ``python -m tests.kill.run --count 200``.

Processes are forked from one that has imported and compiled everything, so that a kill may come at any moment of the
work itself. A killed training is started again by the same command until it ends; its model must be that of an
uninterrupted run to the last bit. A killed save must leave the old file or the new one. Nothing else may remain.
"""

import argparse
import contextlib
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import aucmax
from aucmax.cli import main as command
from tests.conftest import make_problem

MOST_ATTEMPTS = 60
HOW = (["--stream", "--passes", "30"], ["--cv", "3", "--set", "tol=None", "--set", "max_iter=100"])


def forked(work):
    """Run some work in a process of its own; its id."""
    process = os.fork()
    if process:
        return process
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    code = 1
    with contextlib.suppress(BaseException):
        code = work() or 0
    os._exit(code)


def killed(process, seconds):
    """Kill a process after some time, unless it has ended; whether it ended by itself, and well."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            if status:
                raise SystemExit(f"a run ended with status {status}")
            return True
        time.sleep(0.0005)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return False


def written(folder, rows=3000):
    X, y = make_problem(n=rows, d=12)
    lines = (f"{k} " + " ".join(f"{j + 1}:{x[j]:.6g}" for j in np.flatnonzero(x)) for x, k in zip(X, y, strict=True))
    path = folder / "rows"
    path.write_text("\n".join(lines))
    return path


def training(folder, count, rng, how):
    """Kill so many trainings of a kind; how many kills came while one was under way."""
    path = written(folder)
    plain = ["fit", str(path), "--method", "SPAM", "--n-features", "12", "--quiet", *how]
    reference, model, checkpoint = folder / "reference.auc", folder / "model.auc", folder / "run.ckpt"
    for _ in range(2):  # the first one compiles, or fetches what was compiled
        begun = time.monotonic()
        if command([*plain, "-o", str(reference)]):
            raise SystemExit("the reference run failed")
        usual = time.monotonic() - begun
    kills = 0
    while kills < count:
        for _ in range(MOST_ATTEMPTS):
            work = [*plain, "-o", str(model), "--checkpoint", str(checkpoint), "--every", "0"]
            if killed(forked(lambda work=work: command(work)), rng.uniform(0.0, 1.5 * usual)):
                break
            kills += 1
        else:  # on a busy machine none may come to its end by itself
            if command(work):
                raise SystemExit("a resumed run failed")
        if model.read_bytes() != reference.read_bytes():
            raise SystemExit("a resumed model differs from that of an uninterrupted run")
        left = {p.name for p in folder.iterdir()} - {"rows", "reference.auc", "model.auc"}
        if left:
            raise SystemExit(f"left over: {sorted(left)}")
        model.unlink()
    return kills


def saving(folder, count, rng):
    """Kill so many saves; how many were under way."""
    path = folder / "saved.auc"
    X, y = make_problem(n=100, d=5)
    models = [aucmax.SPAM(random_state=k).fit(X, y) for k in range(2)]
    for k, model in enumerate(models):
        model.ballast_ = np.full(300_000, float(k))
    aucmax.save(models[0], path)

    def again():
        while True:
            for model in models:
                aucmax.save(model, path)

    for _ in range(count):
        killed(forked(again), rng.uniform(0.0, 0.08))
        found = aucmax.load(path)
        if set(found.ballast_) != {float(found.random_state)}:
            raise SystemExit("a torn model file")
    aucmax.save(models[0], path)
    left = {p.name for p in folder.iterdir()} - {"rows", "reference.auc", "saved.auc"}
    if left:
        raise SystemExit(f"left over: {sorted(left)}")
    return count


def run(count, seed=0):
    """Kill trainings from a stream, trainings in memory, and saves: a third each."""
    rng, third = random.Random(seed), -(-count // 3)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kills = sum(training(folder, third, rng, how) for how in HOW)
        return kills, saving(folder, third, rng)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="kills in all")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    trained, saved = run(options.count, options.seed)
    sys.stdout.write(
        f"{trained} kills while training, {saved} while saving: every model whole and the same, nothing left\n"
    )


if __name__ == "__main__":
    main()
