"""The front door's time beside scikit-learn's, in one run: ``python -m benchmarks.frontdoor`` (``make bench``).

Rows and columns as in ``benchmarks.pairwise``: columns scaled beforehand for everybody, one thread, medians of 5 (of 3
for the cross-validated ones).
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


def main(cross_validated=True):
    print(machine())
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.simplefilter("ignore", FutureWarning)
    for name, positive, dense, solvers in SETS:
        found = real(name)
        if found is None:
            continue
        X, X_test, y, y_test = split(found[0], (found[1] == positive).astype(int), dense)
        with threadpool_limits(1):
            other = rival(X, y, solvers)
            given, chosen = AUCClassifier("squared_hinge", 1e-3), AUCClassifier()
            a, b, c = medians(*(lambda m=m: lambda: m.fit(X, y) for m in (given, chosen, other)))
            aucs = [roc_auc_score(y_test, m.decision_function(X_test)) for m in (given, chosen, other)]
            shown = " / ".join(f"{auc:.4f}" for auc in aucs)
            line(f"{name}: AUCClassifier(l2=...) / LR ({other.solver})", a / c, "<= 1", f"{a:.3f} / {c:.3f} s")
            line(f"{name}: AUCClassifier() / LR", b / c, "<= 3", f"{b:.3f} s; AUC {shown}")
            if not cross_validated:
                continue
        for jobs in (1, 2):
            with threadpool_limits(1):
                ours = AUCClassifierCV(n_jobs=jobs)
                theirs = LogisticRegressionCV(
                    Cs=10,
                    cv=5,
                    scoring="roc_auc",
                    class_weight="balanced",
                    solver=other.solver,
                    n_jobs=jobs,
                    max_iter=1000,
                )
                a, b = medians(lambda m=ours: lambda: m.fit(X, y), lambda m=theirs: lambda: m.fit(X, y), rounds=1)
            aucs = [roc_auc_score(y_test, m.decision_function(X_test)) for m in (ours, theirs)]
            shown = " / ".join(f"{auc:.4f}" for auc in aucs)
            line(
                f"{name}: AUCClassifierCV / LogisticRegressionCV, {jobs} thread(s)",
                a / b,
                "<= 0.5",
                f"{a:.2f} / {b:.2f} s; AUC {shown}",
            )


if __name__ == "__main__":
    main()
