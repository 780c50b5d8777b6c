"""Test AUC on every real set, everything tuned inside the training part: ``make bench-quality``.

Sets come from the folder that AUCMAX_DATA names; with more than two classes, the first half of them is positive. Larger
sets are sampled. Rivals are tuned by ``GridSearchCV`` on AUC; ours choose by themselves. Every result is kept in
``out/quality.json`` as soon as it is there: a run that was cut off goes on where it stopped, and ``--again NAME``
measures one contestant anew. A new run begins with what ``quality.json`` beside this file knows of the models of other
libraries, which take the most time.
"""

import argparse
import bz2
import json
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
FEWEST = 20  # rows of a class
CS = np.logspace(-4, 4, 9)
OURS = ("AUCClassifier", "AUCClassifierCV")
RARE = 0.2
KNOWN = Path(__file__).with_name("quality.json")


def load(path, rows):
    with bz2.open(path) as file:
        X, y = load_svmlight_file(file, zero_based=False)
    labels = np.unique(y)
    y = np.isin(y, labels[1:] if len(labels) == 2 else labels[: len(labels) // 2]).astype(int)
    if X.shape[0] > rows:
        X, _, y, _ = train_test_split(X, y, train_size=rows, stratify=y, random_state=0)
    dense = X.nnz > DENSE * X.shape[0] * X.shape[1]
    X = X.toarray() if dense else sp.csr_matrix(X)
    if not dense:
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, y


def linear(dense):
    scaler = StandardScaler if dense else MaxAbsScaler

    def tuned(model, name, values):
        pipe = make_pipeline(scaler(), model)
        return GridSearchCV(pipe, {f"{type(model).__name__.lower()}__{name}": values}, scoring="roc_auc", cv=5)

    alphas = 10.0 ** np.arange(-6, 1)
    sgd = SGDClassifier(loss="log_loss", class_weight="balanced", average=True, random_state=0)
    return {
        "AUCClassifier": AUCClassifier(),
        "AUCClassifierCV": AUCClassifierCV(),
        "LR balanced, tuned C": tuned(LogisticRegression(class_weight="balanced", max_iter=300), "C", CS),
        "LR, tuned C": tuned(LogisticRegression(max_iter=300), "C", CS),
        "LinearSVC, tuned C": tuned(LinearSVC(class_weight="balanced", dual=False, max_iter=300), "C", CS),
        "SGD, tuned alpha": tuned(sgd, "alpha", alphas),
        "Ridge, tuned alpha": tuned(RidgeClassifier(class_weight="balanced"), "alpha", 10.0 ** np.arange(-2, 5)),
    }


def non_linear():
    models = {"AUCClassifierCV, rbf": AUCClassifierCV(kernel="rbf")}
    try:
        from lightgbm import LGBMClassifier
    except ImportError:
        print("LightGBM is not installed: left out")
    else:
        models["LightGBM"] = LGBMClassifier(class_weight="balanced", n_jobs=1, verbose=-1, random_state=0)
    return models


class Store:
    """Results by set, rows, split and contestant, written whole after each one."""

    def __init__(self, path, again):
        self.path, self.again = path, set(again)
        self.known = json.loads((path if path.is_file() else KNOWN).read_text())

    def result(self, key, measure):
        name = key.split("|")[-1]
        if key not in self.known or name in self.again:
            self.known[key] = measure()
            self.path.parent.mkdir(exist_ok=True)
            part = self.path.with_suffix(".part")
            part.write_text(json.dumps(self.known, indent=0))
            part.replace(self.path)
        return self.known[key]


def measured(model, X, y, train, test):
    begun = time.perf_counter()
    model.fit(X[train], y[train])
    seconds = time.perf_counter() - begun
    method = "decision_function" if hasattr(model, "decision_function") else "predict_proba"
    scores = getattr(model, method)(X[test])
    return roc_auc_score(y[test], scores if scores.ndim == 1 else scores[:, 1]), seconds


def compare(path, options, store):
    X, y = load(path, options.rows)
    if min(np.bincount(y, minlength=2)) < FEWEST:
        return None
    models = linear(isinstance(X, np.ndarray)) | ({} if options.linear else non_linear())
    models = {name: model for name, model in models.items() if not options.only or name in options.only}
    found = {name: [] for name in models}
    for seed in range(options.splits):
        train, test = train_test_split(np.arange(len(y)), test_size=0.25, stratify=y, random_state=seed)
        for name, model in models.items():
            key = f"{path.stem}|{options.rows}|{seed}|{name}"
            found[name].append(store.result(key, lambda m=model, a=train, b=test: measured(m, X, y, a, b)))
    print(f"\n{path.stem}: {X.shape[0]} x {X.shape[1]}, {100 * y.mean():.1f} % positive")
    for name, pairs in found.items():
        auc, seconds = np.mean(pairs, axis=0)
        print(f"    {name:<24}{auc:.4f}  {seconds:8.2f} s", flush=True)
    return y.mean(), {name: float(np.mean([auc for auc, _ in pairs])) for name, pairs in found.items()}


def conclude(title, table):
    """Mean AUC and rank, the worst distance to the best linear rival, and the balance of ours against each."""
    names = [name for name in next(iter(table.values())) if name not in ("AUCClassifierCV, rbf", "LightGBM")]
    values = np.array([[row[name] for name in names] for row in table.values()])
    rounded = np.round(values / TIE)
    ranks = np.array([[1 + np.sum(row > v) + 0.5 * (np.sum(row == v) - 1) for v in row] for row in rounded])
    rivals = values[:, [name not in OURS for name in names]]
    print(f"\n{title}: {len(table)} sets; wins-ties-losses and a paired Wilcoxon test are those of ours against each")
    print(f"{'':<24}{'mean AUC':>9}{'rank':>7}{'worst':>9}  {'AUCClassifierCV':<20}{'AUCClassifier':<20}")
    for k, name in enumerate(names):
        worst = np.max(rivals.max(axis=1) - values[:, k])
        text = f"{name:<24}{values[:, k].mean():>9.4f}{ranks[:, k].mean():>7.2f}{worst:>9.4f}  "
        for ours in reversed(OURS):
            gap = values[:, names.index(ours)] - values[:, k]
            p = wilcoxon(gap).pvalue if np.any(gap != 0) and len(gap) > 5 else np.nan
            balance = f"{np.sum(gap > TIE)}-{np.sum(np.abs(gap) <= TIE)}-{np.sum(gap < -TIE)}, p={p:.3f}"
            text += f"{balance if name != ours else '':<20}"
        print(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", help="names of sets; all by default")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--rows", type=int, default=LARGEST)
    parser.add_argument("--linear", action="store_true", help="leave the non-linear models out")
    parser.add_argument("--only", action="append", default=[], help="contestants to measure; all by default")
    parser.add_argument("--again", action="append", default=[], help="contestants to measure anew")
    parser.add_argument("--store", type=Path, default=Path("out/quality.json"))
    options = parser.parse_args()
    folder = Path(os.environ.get("AUCMAX_DATA", ""))
    paths = sorted(folder.glob("*.bz2"), key=lambda p: p.stat().st_size) if folder.is_dir() else []
    paths = [p for p in paths if ".t" not in p.stem and (not options.sets or p.stem in options.sets)]
    if not paths:
        print("skipped: AUCMAX_DATA names no folder with sets")
        return
    warnings.simplefilter("ignore", ConvergenceWarning)
    store = Store(options.store, options.again)
    with threadpool_limits(1):
        found = {path.stem: compare(path, options, store) for path in paths}
    table = {name: row for name, row in found.items() if row is not None}
    if options.only and not set(OURS) < set(options.only):
        return
    conclude("all sets", {name: aucs for name, (_, aucs) in table.items()})
    rare = {name: aucs for name, (share, aucs) in table.items() if min(share, 1 - share) < RARE}
    if rare:
        conclude(f"under {RARE:.0%} positives", rare)


if __name__ == "__main__":
    main()
