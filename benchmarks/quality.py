"""Test AUC on every real set, everything tuned inside the training part: ``make bench-quality``.

Sets come from the folder that AUCMAX_DATA names; with more than two classes, the first half of them is positive. Larger
sets are sampled. Rivals are tuned by ``GridSearchCV`` on AUC, by 20,000 of the training rows at the most, and then
fitted to all of them; ours choose by themselves. Every result is kept in ``out/quality.json`` as soon as it is there: a
run that was cut off goes on where it stopped, ``--known`` says what there is so far, and ``--again NAME`` measures one
contestant anew. A new run begins with
what ``quality.json`` beside this file knows of the models of other libraries, which take the most time.
"""

import argparse
import bz2
import contextlib
import json
import os
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.stats import ttest_1samp, wilcoxon
from sklearn.base import clone
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
CHOOSING = 20_000  # rows of the training part by which a rival is tuned at the most
ALLOWED = {"AUCClassifier": 0.004, "AUCClassifierCV": 0.002}  # how far below the best linear rival ours may be
OURS = tuple(ALLOWED)
RBF, BOOSTED = NON_LINEAR = "AUCClassifierCV, rbf", "LightGBM"
RARE = 0.2
KNOWN = Path(__file__).with_name("quality.json")


@lru_cache(maxsize=1)
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


def contestants(dense):
    """All models by name: ours and linear ones on scaled columns, and non-linear ones."""
    scaler = StandardScaler if dense else MaxAbsScaler

    def tuned(model, name, values):
        pipe = make_pipeline(scaler(), model)
        return GridSearchCV(pipe, {f"{type(model).__name__.lower()}__{name}": values}, scoring="roc_auc", cv=5)

    alphas = 10.0 ** np.arange(-6, 1)
    sgd = SGDClassifier(loss="log_loss", class_weight="balanced", average=True, random_state=0)
    models = {
        "AUCClassifier": AUCClassifier(),
        "AUCClassifierCV": AUCClassifierCV(),
        "LR balanced, tuned C": tuned(LogisticRegression(class_weight="balanced", max_iter=300), "C", CS),
        "LR, tuned C": tuned(LogisticRegression(max_iter=300), "C", CS),
        "LinearSVC, tuned C": tuned(LinearSVC(class_weight="balanced", dual=False, max_iter=300), "C", CS),
        "SGD, tuned alpha": tuned(sgd, "alpha", alphas),
        "Ridge, tuned alpha": tuned(RidgeClassifier(class_weight="balanced"), "alpha", 10.0 ** np.arange(-2, 5)),
        RBF: AUCClassifierCV(kernel="rbf"),
    }
    with contextlib.suppress(ImportError):
        from lightgbm import LGBMClassifier

        models[BOOSTED] = LGBMClassifier(class_weight="balanced", n_jobs=1, verbose=-1, random_state=0)
    return models


class Store:
    """Results by set, rows, split and contestant, written whole after each one."""

    def __init__(self, path, again):
        self.path = path
        known = json.loads((path if path.is_file() else KNOWN).read_text())
        self.known = {key: value for key, value in known.items() if key.split("|")[-1] not in again}

    def add(self, task, result):
        self.known[task.key] = result
        self.path.parent.mkdir(exist_ok=True)
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(self.known, indent=0))
        part.replace(self.path)

    def splits(self, path, options):
        """The splits of a set on which all contestants are known."""
        tasks = {
            seed: [Task(path, options.rows, seed, name) for name in options.names] for seed in range(options.splits)
        }
        return [seed for seed, wanted in tasks.items() if all(task.key in self.known for task in wanted)]


class Task(NamedTuple):
    """One contestant on one split of a set."""

    path: Path
    rows: int
    seed: int
    name: str

    @property
    def key(self):
        return f"{self.path.stem}|{self.rows}|{self.seed}|{self.name}"


def fitted(model, X, y):
    """The model after its fit; one that is tuned on a grid, by some of many rows."""
    if not isinstance(model, GridSearchCV) or len(y) <= CHOOSING:
        return model.fit(X, y)
    some, _ = train_test_split(np.arange(len(y)), train_size=CHOOSING, stratify=y, random_state=0)
    tuned = model.set_params(refit=False).fit(X[some], y[some])
    return clone(tuned.estimator).set_params(**tuned.best_params_).fit(X, y)


def measured(task):
    """The AUC of the test part, and the seconds of the fit."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    X, y = load(task.path, task.rows)
    train, test = train_test_split(np.arange(len(y)), test_size=0.25, stratify=y, random_state=task.seed)
    X_train, y_train = X[train], y[train]
    with threadpool_limits(1):
        begun = time.perf_counter()
        model = fitted(contestants(isinstance(X, np.ndarray))[task.name], X_train, y_train)
        seconds = time.perf_counter() - begun
    method = "decision_function" if hasattr(model, "decision_function") else "predict_proba"
    scores = getattr(model, method)(X[test])
    return roc_auc_score(y[test], scores if scores.ndim == 1 else scores[:, 1]), seconds


def table_of(path, options, store):
    """The share of positives, and the AUC of every split by contestant; None where a class has too few rows."""
    X, y = load(path, options.rows)
    if min(np.bincount(y, minlength=2)) < FEWEST:
        return None
    print(f"\n{path.stem}: {X.shape[0]} x {X.shape[1]}, {100 * y.mean():.1f} % positive")
    found, splits = {}, store.splits(path, options)
    if not splits:
        return None
    for name in options.names:
        results = [store.known[Task(path, options.rows, seed, name).key] for seed in splits]
        auc, seconds = np.mean(results, axis=0)
        print(f"    {name:<24}{auc:.4f}  {seconds:8.2f} s", flush=True)
        found[name] = np.array([auc for auc, _ in results])
    return y.mean(), found


def conclude(title, table):
    """Mean AUC and rank, the worst distance to the best linear rival, and the balance of ours against each."""
    names = [name for name in next(iter(table.values())) if name not in NON_LINEAR]
    values = np.array([[row[name].mean() for name in names] for row in table.values()])
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
            text += f"{balance(gap) if name != ours else '':<20}"
        print(text)


def balance(gap):
    """Wins, ties and losses, and how likely such a balance is by chance."""
    p = wilcoxon(gap).pvalue if np.any(gap != 0) and len(gap) > 5 else np.nan
    return f"{np.sum(gap > TIE)}-{np.sum(np.abs(gap) <= TIE)}-{np.sum(gap < -TIE)}, p={p:.3f}"


def below(table):
    """The sets on which ours is farther below the best linear rival than it should be, and what of it may be chance.

    The rival is the one that did best on the very test rows: of five equal ones it is ahead by chance alone.
    """
    for ours, allowed in ALLOWED.items():
        print(f"\n{ours}, more than {allowed} below the best linear rival of a set:")
        for where, row in table.items():
            best = max((name for name in row if name not in (*OURS, *NON_LINEAR)), key=lambda name: row[name].mean())
            gap = row[ours] - row[best]
            if gap.mean() < -allowed:
                p = ttest_1samp(gap, -allowed, alternative="less").pvalue if len(gap) > 1 else np.nan
                print(f"    {where:<20}{gap.mean():+.4f}  {best:<24}p={p:.3f} over the splits, that it is so far below")


def non_linear(table):
    """The kernel beside boosted trees."""
    both = [row for row in table.values() if set(NON_LINEAR) <= set(row)]
    if both:
        values = np.array([[row[name].mean() for name in (*NON_LINEAR, "AUCClassifierCV")] for row in both])
        means = ", ".join(f"{v:.4f}" for v in values.mean(axis=0))
        print(f"\nmean AUC of {', '.join(NON_LINEAR)} and AUCClassifierCV on {len(both)} sets: {means}")
        print(f"{RBF} against {BOOSTED}: {balance(values[:, 0] - values[:, 1])}")


def run(tasks, store, jobs):
    """Measure what is not known yet, each in one of some processes, and keep it at once."""
    left = [task for task in tasks if task.key not in store.known]
    if not left:
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(measured, task): task for task in left}
        for k, done in enumerate(as_completed(waiting), 1):
            store.add(waiting[done], done.result())
            print(f"{k} of {len(left)}: {waiting[done].key}", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", help="names of sets; all by default")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--rows", type=int, default=LARGEST)
    parser.add_argument("--linear", action="store_true", help="leave the non-linear models out")
    parser.add_argument("--only", action="append", default=[], help="contestants to measure; all by default")
    parser.add_argument("--again", action="append", default=[], help="contestants to measure anew")
    parser.add_argument("--known", action="store_true", help="measure nothing: what the splits say that are known")
    parser.add_argument("--store", type=Path, default=Path("out/quality.json"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    folder = Path(os.environ.get("AUCMAX_DATA", ""))
    paths = sorted(folder.glob("*.bz2"), key=lambda p: p.stat().st_size) if folder.is_dir() else []
    paths = [p for p in paths if ".t" not in p.stem and (not options.sets or p.stem in options.sets)]
    if not paths:
        print("skipped: AUCMAX_DATA names no folder with sets")
        return
    options.names = [name for name in contestants(True) if not options.only or name in options.only]
    options.names = [name for name in options.names if not (options.linear and name in NON_LINEAR)]
    store = Store(options.store, options.again)
    tasks = [
        Task(path, options.rows, seed, name)
        for path in paths
        for seed in range(options.splits)
        for name in options.names
    ]
    if not options.known:
        run(tasks, store, options.jobs)
    found = {path.stem: table_of(path, options, store) for path in paths}
    table = {name: row for name, row in found.items() if row is not None}
    if not set(OURS) < set(options.names):
        return
    rows = {name: aucs for name, (_, aucs) in table.items()}
    conclude("all sets", rows)
    rare = {name: rows[name] for name, (share, _) in table.items() if min(share, 1 - share) < RARE}
    if rare:
        conclude(f"under {RARE:.0%} positives", rare)
    below(rows)
    non_linear(rows)


if __name__ == "__main__":
    main()
