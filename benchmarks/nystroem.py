"""The k-means Nyström embedding, side by side in one run: ``python -m benchmarks.nystroem`` (``make bench``)."""

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from aucmax import BAM, KMeansNystroem
from aucmax.features.landmarks import landmarks
from benchmarks.sets import real, split
from benchmarks.timing import line, machine, medians

COMPONENTS = 500


def against_logistic_regression(X, X_test, y, y_test):
    """Fits of the whole pipeline; both get the same bandwidth, and a penalty under which they rank well."""
    ours = make_pipeline(KMeansNystroem(COMPONENTS, random_state=0), BAM(1e-5))
    gamma = ours[0].fit(X).gamma_
    features = Nystroem(n_components=COMPONENTS, gamma=gamma, random_state=0)
    theirs = make_pipeline(features, LogisticRegression(C=100, max_iter=1000))
    a, b = medians(lambda: lambda: ours.fit(X, y), lambda: lambda: theirs.fit(X, y))
    auc, their_auc = (roc_auc_score(y_test, model.decision_function(X_test)) for model in (ours, theirs))
    name = "(d) Nystroem + LogisticRegression / KMeansNystroem + BAM"
    line(name, b / a, ">= 1", f"{b:.2f} / {a:.2f} s, AUC {their_auc:.4f} / {auc:.4f}")


def transform(X):
    """The map alone, on fitted landmarks, and float32 against float64."""
    ours, double = (KMeansNystroem(COMPONENTS, dtype=dtype, random_state=0).fit(X) for dtype in ("float32", "float64"))
    theirs = Nystroem(n_components=COMPONENTS, gamma=ours.gamma_, random_state=0).fit(X)
    a, b, c = medians(*(lambda model=model: lambda: model.transform(X) for model in (ours, double, theirs)))
    line("Nystroem / KMeansNystroem, transform", c / a, ">= 1", f"{c:.2f} / {a:.2f} s")
    line("    and with dtype='float64'", c / b, ">= 1", f"{c:.2f} / {b:.2f} s")


def k_means(X):
    """The search for landmarks, each on the same number of rows, from a start at random."""
    rows = X[:: max(1, len(X) // (10 * COMPONENTS))][: 10 * COMPONENTS]
    settings = {"n_clusters": COMPONENTS, "init": "random", "n_init": 1, "max_iter": 5, "random_state": 0}
    rivals = {"KMeans": KMeans(**settings), "MiniBatchKMeans": MiniBatchKMeans(**settings)}
    for name, rival in rivals.items():
        found = lambda: landmarks(rows, COMPONENTS, None, 5, np.random.RandomState(0))  # noqa: E731
        a, b = medians(lambda found=found: found, lambda rival=rival: lambda: rival.fit(rows))
        line(f"{name} / our k-means, 10 rows a centre", b / a, ">= 1", f"{b * 1e3:.0f} / {a * 1e3:.0f} ms")


def main():
    found = real("ijcnn1")
    if found is None:
        return
    print(machine())
    print(f"{f'ijcnn1, {COMPONENTS} components':<58}{'ratio':>8}   {'goal':<12}")
    X, X_test, y, y_test = split(*found, dense=True, scaled=False)
    with threadpool_limits(1):
        against_logistic_regression(X, X_test, y, y_test)
        transform(X)
        k_means(X)


if __name__ == "__main__":
    main()
