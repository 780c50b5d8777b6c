"""Test AUC on every real set, everything tuned inside the training part: ``make bench-quality``.

Sets come from the folder that AUCMAX_DATA names; with more than two classes, the first half of them is positive. Rows
above 100,000 are sampled. Rivals are tuned by ``GridSearchCV`` on AUC; ours choose by themselves.
"""

import argparse
import bz2
import os
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.stats import wilcoxon
from sklearn.datasets import load_svmlight_file
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from aucmax import AUCClassifier, AUCClassifierCV

LARGEST = 100_000
TIE = 0.0005
DENSE = 0.3  # the share of non-zeros from which a set is taken as dense
CS = np.logspace(-4, 4, 9)


def load(path, rows):
    with bz2.open(path) as file:
        X, y = load_svmlight_file(file, zero_based=False)
    labels = np.unique(y)
    y = np.isin(y, labels[1:] if len(labels) == 2 else labels[: len(labels) // 2]).astype(int)
    if X.shape[0] > rows:
        X, _, y, _ = train_test_split(X, y, train_size=rows, stratify=y, random_state=0)
    dense = X.nnz > DENSE * X.shape[0] * X.shape[1]
    return (X.toarray() if dense else sp.csr_matrix(X)), y


def contestants(dense):
    scaler = StandardScaler if dense else MaxAbsScaler

    def tuned(model, name, values):
        pipe = make_pipeline(scaler(), model)
        return GridSearchCV(pipe, {f"{type(model).__name__.lower()}__{name}": values}, scoring="roc_auc", cv=5)

    return {
        "AUCClassifier": AUCClassifier(),
        "AUCClassifierCV": AUCClassifierCV(),
        "LR balanced, tuned C": tuned(LogisticRegression(class_weight="balanced", max_iter=300), "C", CS),
        "LR, tuned C": tuned(LogisticRegression(max_iter=300), "C", CS),
        "LinearSVC, tuned C": tuned(LinearSVC(class_weight="balanced"), "C", CS),
        "SGD, tuned alpha": tuned(
            SGDClassifier(loss="log_loss", class_weight="balanced"), "alpha", 10.0 ** np.arange(-6, 1)
        ),
        "Ridge, tuned alpha": tuned(RidgeClassifier(class_weight="balanced"), "alpha", 10.0 ** np.arange(-2, 5)),
    }


def compare(path, splits, rows):
    X, y = load(path, rows)
    if min(np.bincount(y, minlength=2)) < 20:
        return None
    models = contestants(isinstance(X, np.ndarray))
    aucs, seconds = {name: [] for name in models}, dict.fromkeys(models, 0.0)
    for seed in range(splits):
        train, test = train_test_split(np.arange(len(y)), test_size=0.25, stratify=y, random_state=seed)
        for name, model in models.items():
            begun = time.perf_counter()
            model.fit(X[train], y[train])
            seconds[name] += time.perf_counter() - begun
            aucs[name].append(roc_auc_score(y[test], model.decision_function(X[test])))
    print(f"\n{path.stem}: {X.shape[0]} x {X.shape[1]}, {100 * y.mean():.1f} % positive")
    for name in models:
        print(f"    {name:<24}{np.mean(aucs[name]):.4f}  {seconds[name] / splits:8.2f} s", flush=True)
    return {name: float(np.mean(values)) for name, values in aucs.items()}


def conclude(table):
    names = list(next(iter(table.values())))
    values = np.array([[row[name] for name in names] for row in table.values()])
    rounded = np.round(values / TIE)
    ranks = np.array([[1 + np.sum(row > v) + 0.5 * (np.sum(row == v) - 1) for v in row] for row in rounded])
    print(f"\n{len(table)} sets\n{'':<28}{'mean AUC':>9}{'mean rank':>11}{'worst loss':>12}   CV's wins-ties-losses, p")
    ours = values[:, names.index("AUCClassifierCV")]
    for k, name in enumerate(names):
        gap = ours - values[:, k]
        worst = np.max(values[:, 2:].max(axis=1) - values[:, k])
        text = f"{name:<28}{values[:, k].mean():>9.4f}{ranks[:, k].mean():>11.2f}{worst:>12.4f}"
        if name != "AUCClassifierCV":
            p = wilcoxon(gap).pvalue if np.any(gap != 0) and len(gap) > 5 else np.nan
            text += f"   {np.sum(gap > TIE)}-{np.sum(np.abs(gap) <= TIE)}-{np.sum(gap < -TIE)}, {p:.3f}"
        print(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", help="names of sets; all by default")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--rows", type=int, default=LARGEST)
    options = parser.parse_args()
    folder = Path(os.environ.get("AUCMAX_DATA", ""))
    paths = sorted(folder.glob("*.bz2")) if folder.is_dir() else []
    paths = [p for p in paths if not p.stem.endswith(".t") and (not options.sets or p.stem in options.sets)]
    if not paths:
        print("skipped: AUCMAX_DATA names no folder with sets")
        return
    warnings.simplefilter("ignore", ConvergenceWarning)
    with threadpool_limits(1):
        found = {path.stem: compare(path, options.splits, options.rows) for path in paths}
    conclude({name: row for name, row in found.items() if row is not None})


if __name__ == "__main__":
    main()
