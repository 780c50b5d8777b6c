"""LIBSVM text beside scikit-learn's reader, training from a file beside parsing it: ``python -m benchmarks.reading``.

With ``--gigabytes 4`` the file to train from is that large, with ``--format parquet`` it is a table. Training and
parsing alone have the same cores: one, then two. The peak of resident memory is that of a process which only trains.
"""

import argparse
import os
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
from aucmax.data.tables import Batches
from benchmarks.timing import line, machine, medians

COLUMNS = 50_000
PER_ROW = 60
TABLE_COLUMNS = 50
GROUP_ROWS = 100_000  # of a row group: 40 MB as float64


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


def written_table(path, megabytes, seed=0):
    """Row groups of numbers, half of the columns of 32 bits, half of 64."""
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(seed)
    X = rng.standard_normal((GROUP_ROWS, TABLE_COLUMNS))
    kinds = [np.float32 if j % 2 else np.float64 for j in range(TABLE_COLUMNS)]
    columns = {f"x{j}": X[:, j].astype(kind) for j, kind in enumerate(kinds)}
    table = pa.table({**columns, "y": (X[:, 0] + X[:, 1] > 2).astype(np.int8)})
    with parquet.ParquetWriter(path, table.schema, use_dictionary=["y"]) as writer:
        while not path.exists() or path.stat().st_size < megabytes * 1e6:
            writer.write_table(table, GROUP_ROWS)
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
import sys
from aucmax.data import read_libsvm
from benchmarks.reading import peak, peak_from_now
read_libsvm(sys.argv[2])
before = peak_from_now()
X = read_libsvm(sys.argv[1]).X
added = peak() - before
size = sum(part.nbytes for part in (X.data, X.indices, X.indptr))
print(added / size, size)
"""


def peak():
    """The most bytes that this process has had resident; ``ru_maxrss`` would count those of its parent too."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(words.split()[1]) for words in lines if words.startswith("VmHWM"))


def peak_from_now():
    """Forget the peak so far, which imports made, and return what is resident: a later peak is above that."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak()


def peak_of_reading(path, small):
    """What a read has resident at its peak, beyond what the process had before."""
    command = [sys.executable, "-c", MEMORY, str(path), str(small)]
    ratio, size = map(float, subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    line("peak memory of a read / the CSR matrix", ratio, "<= 1.5", f"{size / 1e6:.0f} MB")


def parse(path, n_jobs):
    """The rows of a file, block by block, and nothing made of them."""
    if path.suffix == ".parquet":
        for _ in Batches(path, "parquet", []):
            pass
        return
    with opened(path) as file:
        for _ in pieces(file, Format(COLUMNS), n_jobs):
            pass


def chunks_of(path, n_jobs, encoder=None):
    if path.suffix == ".parquet":
        return stream(path, target="y", encoder=encoder)
    return stream(path, n_features=COLUMNS, n_jobs=n_jobs)


def learn(chunks, classes):
    model = SPAM()
    for chunk in chunks:
        model.partial_fit(chunk.X, chunk.y, classes=classes)


def go_through(chunks):
    for _ in chunks:
        pass


def training(path, rounds):
    """One pass of SPAM beside one of parsing alone, and one of shuffled chunks without training."""
    size, cores = path.stat().st_size / 1e6, sorted(os.sched_getaffinity(0))
    classes, encoder = [-1, 1], None
    if path.suffix == ".parquet":
        begun = time.perf_counter()
        classes, encoder = [0, 1], chunks_of(path, 1).encoder
        found = time.perf_counter() - begun
        print(f"{'first pass, which finds the rules':<58}{'':>8}   {'':<12}{size / found:.0f} MB/s", flush=True)
    for count in (1, 2):
        os.sched_setaffinity(0, cores[:count])
        runs = (
            lambda n=count: parse(path, n),
            lambda n=count: go_through(chunks_of(path, n, encoder)),
            lambda n=count: learn(chunks_of(path, n, encoder), classes),
        )
        (parsed, p), (chunked, c), (trained, t) = seconds_of(runs, rounds)
        line(
            f"training from a file / parsing it, cores: {count}", trained / parsed, "<= 2", f"{size / trained:.0f} MB/s"
        )
        line("    the same in processor time", t / p, "", f"parsing alone {size / parsed:.0f} MB/s")
        line("    shuffled chunks / parsing it", chunked / parsed, "", f"processor time {c / p:.2f}")
    os.sched_setaffinity(0, cores)


def seconds_of(runs, rounds):
    """The median seconds of each, on the clock and of the processor (for a busy machine), in turn.

    They are warmed up once where there are several rounds; one round is of a file so large that it does not matter.
    """
    found = [[] for _ in runs]
    for round_ in range(rounds + 1) if rounds > 1 else (1,):
        for k, run in enumerate(runs):
            begun, used = time.perf_counter(), time.process_time()
            run()
            if round_ > 0:
                found[k].append((time.perf_counter() - begun, time.process_time() - used))
    return [np.median(each, axis=0) for each in found]


def peak_of_training(path):
    """The peak of a process that trains from a file, the first pass over a table included."""
    command = [sys.executable, "-m", "benchmarks.reading", "--train", str(path)]
    most = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    print(f"{'    peak of resident memory, MB':<58}{most:>8.0f}   {'<= 500':<12}{path.stat().st_size / 1e9:.1f} GB")


def train(path):
    chunks = chunks_of(path, 2)
    learn(chunks, chunks.classes)
    print(peak() / 1e6)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=0.1, help="size of the file to train from")
    parser.add_argument("--format", choices=("libsvm", "parquet"), default="libsvm", help="of the file to train from")
    parser.add_argument("--train", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.train:
        train(options.train)
        return
    print(machine())
    print(f"{'reading':<58}{'ratio':>8}   {'goal':<12}")
    rounds = 5 if options.gigabytes < 1 else 1
    with tempfile.TemporaryDirectory() as folder:
        if options.format == "parquet":
            large = written_table(Path(folder) / "large.parquet", 1000 * options.gigabytes)
        else:
            large = written(Path(folder) / "large", 1000 * options.gigabytes)
        training(large, rounds)
        peak_of_training(large)
        large.unlink()
        if options.format == "libsvm":
            small, path = written(Path(folder) / "small", 1), written(Path(folder) / "rows", 100)
            peak_of_reading(path, small)
            against_scikit_learn(path)


if __name__ == "__main__":
    main()
