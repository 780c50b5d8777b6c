"""LIBSVM text beside scikit-learn's reader, training from a file beside parsing it: ``python -m benchmarks.reading``.

With ``--gigabytes 4`` the file to train from is that large; its peak of resident memory is printed.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file

from aucmax import SPAM
from aucmax.data import read_libsvm, stream
from aucmax.data.files import opened
from aucmax.data.libsvm import Format, pieces
from benchmarks.timing import line, machine, medians

COLUMNS = 50_000
PER_ROW = 60


def written(path, megabytes, seed=0):
    """Sparse rows of six digits, as many as it takes."""
    rng = np.random.default_rng(seed)
    pieces = []
    for _ in range(2000):
        columns = np.unique(rng.integers(1, COLUMNS, PER_ROW))
        values = rng.standard_normal(len(columns))
        label = 1 if values[columns % 2 == 0].sum() > 5 else -1
        pieces.append(f"{label} " + " ".join(f"{j}:{x:.6g}" for j, x in zip(columns, values, strict=True)))
    block = ("\n".join(pieces) + "\n").encode()
    with path.open("wb") as file:
        for _ in range(int(megabytes * 1e6 / len(block)) + 1):
            file.write(block)
    return path


def against_scikit_learn(path):
    one, two, theirs = medians(
        lambda: lambda: read_libsvm(path, n_jobs=1),
        lambda: lambda: read_libsvm(path, n_jobs=2),
        lambda: lambda: load_svmlight_file(path, zero_based=False),
    )
    size = path.stat().st_size / 1e6
    line(
        f"load_svmlight_file / read_libsvm, {size:.0f} MB, one thread", theirs / one, ">= 2.5", f"{size / one:.0f} MB/s"
    )
    line("    two threads", theirs / two, ">= 4.5", f"{size / two:.0f} MB/s")


MEMORY = """
import resource, sys
from aucmax.data import read_libsvm
read_libsvm(sys.argv[2])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
X = read_libsvm(sys.argv[1]).X
added = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
size = sum(part.nbytes for part in (X.data, X.indices, X.indptr))
print(added / size, size)
"""


def peak_of_reading(path, small):
    """What a read adds to the peak of a process that has done nothing larger before."""
    command = [sys.executable, "-c", MEMORY, str(path), str(small)]
    ratio, size = map(float, subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    line("peak memory of a read / the CSR matrix", ratio, "<= 1.5", f"{size / 1e6:.0f} MB")


def training(path):
    """One pass of SPAM over a file beside one of parsing alone, and beside one of shuffled chunks without training."""
    begun = time.perf_counter()
    with opened(path) as file:
        for _ in pieces(file, Format(COLUMNS), 2):
            pass
    seconds = [time.perf_counter() - begun]
    for learns in (False, True):
        model, begun = SPAM(), time.perf_counter()
        for chunk in stream(path, n_features=COLUMNS):
            if learns:
                model.partial_fit(chunk.X, chunk.y, classes=[-1, 1])
        seconds.append(time.perf_counter() - begun)
    size = path.stat().st_size / 1e6
    line("training from a file / parsing it", seconds[2] / seconds[0], "<= 2", f"{size / seconds[2]:.0f} MB/s")
    line("    / shuffled chunks of it", seconds[2] / seconds[1], "", f"{size / seconds[1]:.0f} MB/s")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=0.1, help="size of the file to train from")
    gigabytes = parser.parse_args().gigabytes
    print(machine())
    print(f"{'reading':<58}{'ratio':>8}   {'goal':<12}")
    with tempfile.TemporaryDirectory() as folder:
        small, path = written(Path(folder) / "small", 1), written(Path(folder) / "rows", 100)
        large = path if gigabytes == 0.1 else written(Path(folder) / "large", 1000 * gigabytes)
        peak_of_reading(path, small)
        training(large)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{'    peak of resident memory, MB':<58}{peak:>8.0f}   {'<= 500':<12}{large.stat().st_size / 1e9:.1f} GB"
        )
        against_scikit_learn(path)


if __name__ == "__main__":
    main()
