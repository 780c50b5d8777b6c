"""The k-means Nyström embedding, side by side in one run: ``python -m benchmarks.nystroem`` (``make bench``)."""

import bz2
import os
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.datasets import load_svmlight_file
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

import aucmax
from aucmax import KMeansNystroem
from aucmax.features.landmarks import landmarks
from benchmarks.timing import line, machine, medians

COMPONENTS = 500


def ijcnn1(folder):
    """The rows as they are, 80 % to train on."""
    with bz2.open(folder / "ijcnn1.bz2") as file:
        X, y = load_svmlight_file(file, zero_based=False)
    return train_test_split(X.toarray(), y, test_size=0.2, random_state=0, stratify=y)


def against_logistic_regression(X, X_test, y, y_test):
    """Fits of the whole pipeline; both get the same bandwidth, and a penalty under which they rank well."""
    solver = aucmax.BAM(1e-5) if hasattr(aucmax, "BAM") else aucmax.ExactAUC(1e-5)
    ours = make_pipeline(KMeansNystroem(COMPONENTS, random_state=0), solver)
    gamma = ours[0].fit(X).gamma_
    features = Nystroem(n_components=COMPONENTS, gamma=gamma, random_state=0)
    theirs = make_pipeline(features, LogisticRegression(C=100, max_iter=1000))
    a, b = medians(lambda: lambda: ours.fit(X, y), lambda: lambda: theirs.fit(X, y))
    auc, their_auc = (roc_auc_score(y_test, model.decision_function(X_test)) for model in (ours, theirs))
    name = f"Nystroem + LogisticRegression / KMeansNystroem + {type(solver).__name__}"
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
    folder = Path(os.environ.get("AUCMAX_DATA", ""))
    if not (folder / "ijcnn1.bz2").is_file():
        print("Nyström: skipped, AUCMAX_DATA names no folder with ijcnn1.bz2")
        return
    print(machine())
    print(f"{f'ijcnn1, {COMPONENTS} components':<58}{'ratio':>8}   {'goal':<12}")
    X, X_test, y, y_test = ijcnn1(folder)
    with threadpool_limits(1):
        against_logistic_regression(X, X_test, y, y_test)
        transform(X)
        k_means(X)


if __name__ == "__main__":
    main()
