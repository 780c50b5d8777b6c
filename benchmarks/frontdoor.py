"""The front door's time beside scikit-learn's, in one run: ``python -m benchmarks.frontdoor`` (``make bench``).

Rows and columns as in ``benchmarks.pairwise``: columns scaled beforehand for everybody, one thread, medians of 5
(one run, after another to warm up, of the cross-validated ones).
"""

import warnings

import numpy as np
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


def rival(X, y, solvers):
    """The fastest balanced logistic regression."""
    models = [LogisticRegression(class_weight="balanced", solver=s, max_iter=1000) for s in solvers]
    if not isinstance(X, np.ndarray):
        models = [m for m in models if m.solver != "newton-cholesky"]
    times = medians(*(lambda m=m: lambda: m.fit(X, y) for m in models), rounds=2)
    return models[int(np.argmin(times))]


def timed(models, X, y, rounds=5):
    return medians(*(lambda m=m: lambda: m.fit(X, y) for m in models), rounds=rounds)


def aucs(models, X, y):
    return "AUC " + " / ".join(f"{roc_auc_score(y, m.decision_function(X)):.4f}" for m in models)


def single(name, task, other):
    X, X_test, y, y_test = task
    given, chosen = AUCClassifier("logistic", 1 / len(y)), AUCClassifier()
    a, b, c = timed((given, chosen, other), X, y)
    line(f"{name}: AUCClassifier('logistic', l2) / LR ({other.solver})", a / c, "<= 1", f"{a:.3f} / {c:.3f} s")
    line(f"{name}: AUCClassifier() / LR", b / c, "<= 3", f"{b:.3f} s; {aucs((given, chosen, other), X_test, y_test)}")


def crossed(name, task, solver, jobs):
    X, X_test, y, y_test = task
    how = {"Cs": 10, "cv": 5, "scoring": "roc_auc", "class_weight": "balanced", "max_iter": 1000}
    models = AUCClassifierCV(n_jobs=jobs), LogisticRegressionCV(**how, solver=solver, n_jobs=jobs)
    a, b = timed(models, X, y, 1)
    detail = f"{a:.2f} / {b:.2f} s; {aucs(models, X_test, y_test)}"
    line(f"{name}: AUCClassifierCV / LogisticRegressionCV, {jobs} thread(s)", a / b, "<= 0.5", detail)


def main():
    print(machine())
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.simplefilter("ignore", FutureWarning)
    for name, positive, dense, solvers in SETS:
        found = real(name)
        if found is None:
            continue
        task = split(found[0], (found[1] == positive).astype(int), dense)
        with threadpool_limits(1):
            other = rival(task[0], task[2], solvers)
            single(name, task, other)
            for jobs in (1, 2):
                crossed(name, task, other.solver, jobs)


if __name__ == "__main__":
    main()
