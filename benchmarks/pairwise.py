"""The pairwise family, side by side in one run: ``python -m benchmarks.pairwise`` (``make bench``)."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

from aucmax import ASAM, BAM, PSAM, SPAM
from aucmax.kernel.driver import run
from aucmax.kernel.pairs import SQUARED_HINGE
from aucmax.model.data import Data
from aucmax.model.newton import diagonal, direction, factored, search
from aucmax.model.pairing import Pairing
from aucmax.model.problem import Problem
from benchmarks.sets import real, split
from benchmarks.speed import ROWS, labels, log_uniform, sweep
from benchmarks.timing import line, machine, medians

SETS = {"a9a": (None, False), "ijcnn1": (None, True), "w8a": (None, False), "covtype": (7, True), "news20": (1, False)}
SOLVERS = ("lbfgs", "liblinear", "newton-cg", "newton-cholesky")
TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4)
SETTLED = 1e-4
WIDE = 1000  # columns from which newton-cholesky is out of the question


def settled(make, task):
    """The loosest tolerance from which on the test AUC stays within 1e-4 of its value at the tightest; that AUC."""
    X, X_test, y, y_test = task
    aucs = [roc_auc_score(y_test, make(tol).fit(X, y).decision_function(X_test)) for tol in (*TOLERANCES, 1e-6)]
    for k, tol in enumerate(TOLERANCES):
        if max(abs(auc - aucs[-1]) for auc in aucs[k:]) <= SETTLED:
            return tol, aucs[k]
    return None, aucs[-1]


def logistic(solver, tol):
    return LogisticRegression(class_weight="balanced", solver=solver, tol=tol, max_iter=2000, random_state=0)


def rivals(task):
    """Logistic regression by every solver that settles, each at its tolerance, with its AUC."""
    found = {}
    for solver in SOLVERS:
        if solver != "newton-cholesky" or task[0].shape[1] <= WIDE:
            tol, auc = settled(lambda tol, solver=solver: logistic(solver, tol), task)
            if tol is not None:
                found[f"{solver}, tol {tol:g}"] = (logistic(solver, tol), auc)
    return found


def bam_against_logistic_regression(name, positive, dense):
    found = real(name)
    if found is None:
        return
    X, y = found
    task = split(X, y == (y.max() if positive is None else positive), dense)
    others = rivals(task)
    tol, auc = settled(lambda tol: BAM(tol=tol, random_state=0), task)
    models = [BAM(tol=tol, random_state=0), *(model for model, _ in others.values())]
    times = medians(*(lambda model=model: lambda: model.fit(task[0], task[2]) for model in models))
    best = int(np.argmin(times[1:]))
    solver, (_, their_auc) = list(others.items())[best]
    detail = f"{times[0] * 1e3:.0f} / {times[1 + best] * 1e3:.0f} ms, AUC {auc:.4f} / {their_auc:.4f}"
    rest = f" (tol {tol:g}; {solver})"
    line(f"(a) BAM / balanced LogisticRegression, {name}", times[0] / times[1 + best], "<= 1", detail + rest)


def pair_sweep(estimator, data, shuffled):
    """One compiled pass over pairs, by an estimator's own machine."""
    order = Pairing(data, shuffled, np.random.RandomState(0))
    blocks = order.blocks()
    begun = estimator._machine(order.data, None, stream=False)
    pieces = [order.piece(start, stop, None) for start, stop in blocks]
    ends = np.cumsum([0, *(len(piece.y) for piece in pieces)])
    sizes = estimator._step_sizes(np.arange(1.0, ends[-1] + 1), data.seen.kappa2)
    pieces = [piece._replace(eta=sizes[ends[k] : ends[k + 1]]) for k, piece in enumerate(pieces)]

    def all_of_them():
        scalars = begun.scalars
        for piece in pieces:
            scalars = run(begun.options, begun.vectors, scalars, piece)

    return lambda: all_of_them, ends[-1]


def pair_step_against_two_rows():
    rng = np.random.default_rng(0)
    for kind, X in (("dense, d = 50", rng.standard_normal((ROWS, 50))), ("CSR, 50 non-zeros", log_uniform(10_000)[0])):
        data = Data.of(X, labels(ROWS, rng), np.ones(ROWS))
        for cls in (PSAM, ASAM):
            ours, steps = pair_sweep(cls(1e-3), data, True)
            a, b = medians(ours, sweep(SPAM(1e-4, step=1.0), data))
            a, b = a / steps, 2 * b / ROWS
            line(
                f"(b) {cls.__name__} step / two SPAM steps, {kind}",
                a / b,
                "<= 1.5",
                f"{a * 1e9:.0f} / {b * 1e9:.0f} ns",
            )


def newton_step(n, d, precondition):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    y = np.where(X[:, 0] + rng.standard_normal(n) > 1.8, 1, -1).astype(np.int8)
    problem = Problem.of(Data.of(X, y, np.ones(n)), SQUARED_HINGE, 1e-3)
    w = np.zeros(d)
    w[0] = 0.5

    def step():
        point = problem.at(w)
        system = problem.system(point)
        search(problem, point, direction(problem, system, precondition(problem, point, system)))

    return lambda: step


def newton_step_in_n():
    for name, precondition in (("explicit Hessian", factored), ("conjugate gradients", diagonal)):
        a, b = medians(newton_step(10**6, 20, precondition), newton_step(10**5, 20, precondition))
        line(f"(c) a Newton step, n = 10^6 / 10^5, {name}", a / b, "<= 13", f"{a * 1e3:.0f} / {b * 1e3:.0f} ms")


def main():
    print(machine())
    print(f"{'':<58}{'ratio':>8}   {'goal':<12}")
    warnings.simplefilter("ignore", ConvergenceWarning)
    with threadpool_limits(1):
        pair_step_against_two_rows()
        newton_step_in_n()
        for name, (positive, dense) in SETS.items():
            bam_against_logistic_regression(name, positive, dense)


if __name__ == "__main__":
    main()
