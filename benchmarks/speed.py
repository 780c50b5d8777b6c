"""Speed, side by side in one run: ``python -m benchmarks.speed`` (``make bench``)."""

import subprocess
import sys
import time

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import make_classification
from sklearn.linear_model import SGDClassifier
from threadpoolctl import threadpool_limits

from aucmax import FSAUC, SOLAM, SPAM, VRSPAM, ExactAUC, RegSOLAM
from aucmax.algorithms.vrspam import Problem
from aucmax.kernel.driver import run
from aucmax.model.data import Data, Order
from benchmarks.handwritten import bare_csr, spam_csr, spam_dense
from benchmarks.sets import real
from benchmarks.timing import line, machine, medians

ROWS = 100_000


def labels(n, rng):
    return np.where(rng.random(n) < 0.2, 1, -1).astype(np.int8)


def log_uniform(d, n=ROWS, count=50, seed=0):
    """Sparse rows of so many non-zeros in log-uniformly drawn columns, as in text; a column at most once in a row."""
    rng = np.random.default_rng(seed)
    indices = np.empty((n, count), dtype=np.int32)
    for start in range(0, n, 1000):
        drawn = np.exp(rng.random((1000, 8 * count)) * np.log(d)).astype(np.int32) % d
        for i, row in enumerate(drawn):
            _, first = np.unique(row, return_index=True)
            distinct = row[np.sort(first)][:count]
            spare = np.setdiff1d(np.arange(d - 4 * count, d), distinct)[: count - len(distinct)]
            indices[start + i] = np.concatenate([distinct, spare])
    data = rng.standard_normal(n * count)
    X = sp.csr_matrix((data, indices.ravel(), np.arange(0, n * count + 1, count)), shape=(n, d))
    X.sort_indices()
    return X, labels(n, rng)


def sweep(estimator, data, rows=None):
    """One compiled sweep over the data as it lies, by an estimator's own machine, from its start."""

    def prepare():
        estimator._start = None
        begun = estimator._machine(data, None, stream=False)
        batch = data.piece(0, rows or data.n, None, begun.along)
        batch = batch._replace(eta=estimator._step_sizes(np.arange(1.0, len(batch.y) + 1), data.seen.kappa2))
        return lambda: run(begun.options, begun.vectors, begun.scalars, batch)

    return prepare


def vrspam_sweep(estimator, data):
    """One inner loop of VRSPAM from zero; setting up the stage's vectors is part of the time."""
    problem = Problem.of(data)
    estimator._eta = 1.0 / problem.largest_curvature()
    w = np.zeros(data.d)
    anchored = problem.anchored(w)
    order = Order(data, False, None)
    return lambda: lambda: estimator._stage(problem, w, anchored, order)


def step_against_handwritten():
    rng = np.random.default_rng(0)
    for kind, X in (("dense, d = 50", rng.standard_normal((ROWS, 50))), ("CSR, 50 non-zeros", log_uniform(10_000)[0])):
        y = labels(ROWS, rng)
        data = Data.of(X, y, np.ones(ROWS))
        seen, sums = data.seen, data.class_sums
        along = data.products(sums / (seen.pos, seen.neg))
        ours = sweep(SPAM(1e-4, step=1.0, average=False), data)
        loop = spam_dense if data.dense else spam_csr
        matrix = (X,) if data.dense else (X.data, X.indices, X.indptr)
        known = (seen.pos / ROWS, 1e-4, 1.0, seen.kappa2)

        def hand(loop=loop, given=(*matrix, y, along), d=data.d, known=known):
            u = np.zeros(d)
            return lambda: loop(*given, u, *known)

        a, b = medians(ours, hand)
        line(
            f"(a) SPAM step / handwritten loop, {kind}",
            a / b,
            "<= 1.25",
            f"{a / ROWS * 1e9:.0f} / {b / ROWS * 1e9:.0f} ns",
        )


def steps_in_high_dimension():
    machines = {
        "SPAM-L2": (lambda data: sweep(SPAM(1e-4, step=1.0, average=False), data), 1),
        "SPAM-L2 averaged": (lambda data: sweep(SPAM(1e-4, step=1.0), data), 2),
        "SOLAM": (lambda data: sweep(SOLAM(), data), 2),
        "RegSOLAM": (lambda data: sweep(RegSOLAM(1e-4), data), 2),
        "VRSPAM-L2": (lambda data: vrspam_sweep(VRSPAM(1e-4), data), 1),
        "SPAM-NET (amortised)": (lambda data: sweep(SPAM(1e-4, 1e-4, step=1.0), data), 4),
        "VRSPAM-NET (amortised)": (lambda data: vrspam_sweep(VRSPAM(1e-4, 1e-4), data), 4),
        "FSAUC, R = 100,000 (amortised)": (lambda data: sweep(FSAUC(1e5), data), 4),
    }
    sets = {}
    for d in (10_000, 1_000_000):
        X, y = log_uniform(d)
        sets[d] = Data.of(X, y, np.ones(ROWS))
    for name, (make, columns) in machines.items():
        times, bare = {}, {}
        for d, data in sets.items():

            def loop(data=data, shape=(d, columns)):
                v = np.zeros(shape)
                return lambda: bare_csr(data.rows.data, data.rows.indices, data.rows.indptr, v, 1e-9)

            times[d], bare[d] = medians(make(data), loop)
        low, high = times[10_000], times[1_000_000]
        detail = f"{high / ROWS * 1e9:.0f} / {low / ROWS * 1e9:.0f} ns a step"
        line(f"(b) {name}: d = 1,000,000 / d = 10,000", high / low, "<= 2.5", detail)
        for d in times:
            line(
                f"    and over a bare loop at d = {d:,}",
                times[d] / bare[d],
                "<= 1.25",
                f"bare {bare[d] / ROWS * 1e9:.0f} ns",
            )


def active_l1_ball():
    """Where the ℓ1 ball binds at most steps, a step of FSAUC or SOLAM-l1 costs the support of w."""
    X, y = log_uniform(10_000)
    data, few = Data.of(X, y, np.ones(ROWS)), 2000
    for name, model in (("FSAUC", FSAUC(1.0)), ("SOLAM-l1", SOLAM(1.0, "l1"))):
        a, b = medians(sweep(model, data, few), sweep(type(model)(1e5), data, few))
        line(f"    {name} step, ball binding / ball of 100,000, d = 10,000", a / b, "(none)", f"{a / few * 1e9:.0f} ns")


def a9a_against_sgd():
    found = real("a9a")
    if found is None:
        return
    X, y = found
    ours = SPAM(1e-4, max_iter=5, tol=None, random_state=0)
    theirs = SGDClassifier(loss="log_loss", average=True, max_iter=5, tol=None, random_state=0)
    a, b = medians(lambda: lambda: ours.fit(X, y), lambda: lambda: theirs.fit(X, y))
    line("(c) SGDClassifier fit / SPAM fit, a9a, five passes", b / a, ">= 2", f"{b * 1e3:.0f} / {a * 1e3:.0f} ms")


def bandwidth():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, 300))
    data = Data.of(X, labels(ROWS, rng), np.ones(ROWS))
    out = np.empty_like(X)
    a, b = medians(sweep(SPAM(1e-4, step=1.0, average=False), data), lambda: lambda: np.copyto(out, X))
    size = X.nbytes / 1e9
    # a copy moves every byte twice: it reads and it writes
    line(
        "(d) SPAM's bandwidth / copy's, dense d = 300",
        (size / a) / (size / b),
        ">= 0.5",
        f"{size / a:.1f} / {size / b:.1f} GB/s of X",
    )


def exact_against_gemm():
    X, y = make_classification(500_000, 54, n_informative=20, weights=[0.9], random_state=0)
    model = ExactAUC(1e-3)
    a, b = medians(lambda: lambda: model.fit(X, y), lambda: lambda: X.T @ X)
    line("(e) ExactAUC fit / its one matrix product, 500,000 x 54", a / b, "<= 2", f"{a * 1e3:.0f} / {b * 1e3:.0f} ms")


FIRST_FIT = """
import time
import numpy as np
from sklearn.datasets import load_breast_cancer
X, y = load_breast_cancer(return_X_y=True)
begun = time.perf_counter()
from aucmax import SPAM
imported = time.perf_counter() - begun
times = []
for _ in range(2):
    begun = time.perf_counter()
    SPAM(random_state=0).fit(X, y)
    times.append(time.perf_counter() - begun)
print(imported, times[0] - times[1])
"""


def fresh_process():
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", FIRST_FIT], check=True, capture_output=True, text=True)
    imported, extra = map(float, done.stdout.split())
    line("(f) from aucmax import SPAM, beyond numpy and sklearn, s", imported, "< 0.7", "seconds")
    line("(g) first fit in a fresh process over the second, s", extra, "< 0.5", "seconds")


def main():
    print(machine())
    begun = time.perf_counter()
    print(f"{'':<58}{'ratio':>8}   {'goal':<12}")
    with threadpool_limits(1):
        for part in (
            step_against_handwritten,
            steps_in_high_dimension,
            active_l1_ball,
            a9a_against_sgd,
            bandwidth,
            exact_against_gemm,
        ):
            part()
    fresh_process()
    print(f"({time.perf_counter() - begun:.0f} s)")


if __name__ == "__main__":
    main()
