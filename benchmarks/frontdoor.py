"""The front door's time beside scikit-learn's, in one run: ``python -m benchmarks.frontdoor`` (``make bench``).

Rows and columns as in ``benchmarks.pairwise``: columns scaled beforehand for everybody, one thread, medians of 5; of 3
with cross-validation (of one run where it is long), both warmed up on some rows: kernels are then loaded, and
scikit-learn's processes up. A single fit is timed at the penalty that the contestant's own cross-validation chose,
since the same number means different things on columns of different sizes.
"""

import sys
import time
import warnings

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

from aucmax import AUCClassifier, AUCClassifierCV
from benchmarks.sets import real, split
from benchmarks.timing import line, machine, medians

# a set, its positive class, whether it is taken as dense, and scikit-learn's solvers that are fast on such a set
SETS = [
    ("a9a", 1, False, ("lbfgs", "liblinear", "newton-cholesky")),
    ("ijcnn1", 1, True, ("lbfgs", "newton-cholesky")),
    ("w8a", 1, False, ("lbfgs", "liblinear")),
    ("covtype", 7, True, ("lbfgs", "newton-cholesky")),
    ("news20", 1, False, ("lbfgs", "liblinear")),
]


SOME = 6000  # rows to warm up on
ROUNDS = 3  # of cross-validation
LONG = 20.0  # seconds after which no further round begins


def rival(X, y, solvers):
    """The solver of the fastest balanced logistic regression."""
    solvers = [name for name in solvers if isinstance(X, np.ndarray) or name != "newton-cholesky"]
    models = [LogisticRegression(class_weight="balanced", solver=name, max_iter=1000) for name in solvers]
    return solvers[int(np.argmin(timed(models, X, y, 2)))]


def timed(models, X, y, rounds=5):
    return medians(*(lambda m=m: lambda: m.fit(X, y) for m in models), rounds=rounds)


def aucs(models, X, y):
    return "AUC " + " / ".join(f"{roc_auc_score(y, m.decision_function(X)):.4f}" for m in models)


def crossed(name, task, solver, jobs):
    """Both with cross-validation; the models."""
    X, X_test, y, y_test = task
    how = {"Cs": 10, "cv": 5, "scoring": "roc_auc", "class_weight": "balanced", "max_iter": 1000}
    models = AUCClassifierCV(n_jobs=jobs), LogisticRegressionCV(**how, solver=solver, n_jobs=jobs)
    for model in models:
        clone(model).fit(X[:SOME], y[:SOME])
    seconds = []
    while not seconds or (len(seconds) < ROUNDS and sum(map(sum, seconds)) < LONG):
        seconds.append([])
        for model in models:
            begun = time.perf_counter()
            model.fit(X, y)
            seconds[-1].append(time.perf_counter() - begun)
    a, b = np.median(seconds, axis=0)
    detail = f"{a:.2f} / {b:.2f} s; {aucs(models, X_test, y_test)}; {models[0].loss_}"
    line(f"{name}: AUCClassifierCV / LogisticRegressionCV, {jobs} thread(s)", a / b, "<= 0.5", detail)
    return models


def single(name, task, solver, strength):
    """One fit at the chosen C, beside ours at its own chosen penalty and with its own choice."""
    X, X_test, y, y_test = task
    other = LogisticRegression(C=strength, class_weight="balanced", solver=solver, max_iter=1000)
    chosen = AUCClassifier()
    given = AUCClassifier("logistic", AUCClassifier("logistic").fit(X, y).l2_)
    a, b, c = timed((given, chosen, other), X, y)
    what = f"LR ({solver}, C = {strength:.3g})"
    line(f"{name}: AUCClassifier('logistic', l2) / {what}", a / c, "<= 1", f"{a:.3f} / {c:.3f} s")
    line(f"{name}: AUCClassifier() / LR", b / c, "<= 3", f"{b:.3f} s; {aucs((given, chosen, other), X_test, y_test)}")


def main():
    print(machine())
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.simplefilter("ignore", FutureWarning)
    wanted = sys.argv[1:]
    for name, positive, dense, solvers in SETS:
        if wanted and name not in wanted:
            continue
        found = real(name)
        if found is None:
            continue
        task = split(found[0], (found[1] == positive).astype(int), dense)
        with threadpool_limits(1):
            solver = rival(task[0], task[2], solvers)
            _, tuned = crossed(name, task, solver, 1)
            crossed(name, task, solver, 2)
            single(name, task, solver, float(tuned.C_[0]))


if __name__ == "__main__":
    main()
