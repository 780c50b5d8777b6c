"""Our methods beside those of another library: the same rows and test rows, one thread, timed in turns in one run.

Every model is as its library ships it, but for what stands in its name: this is about seconds and AUC before tuning.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

import aucmax
from aucmax.bench.sets import load, present, scaled
from aucmax.bench.splits import parts_of
from aucmax.bench.suite import Entry
from aucmax.evaluate import roc_auc

SETS = {"a9a": "a9a.t", "ijcnn1": "", "w8a": "w8a.t"}  # with their test files; a fifth of the rows where there is none
REPEATS = 5


def models() -> dict[tuple[str, str], Any]:
    """The models by library and name."""
    ours = {
        "SPAM()": aucmax.SPAM(random_state=0),
        "PSAM()": aucmax.PSAM(random_state=0),
        "BAM()": aucmax.BAM(random_state=0),
        "AUCClassifier(l2=1e-3)": aucmax.AUCClassifier(l2=1e-3, random_state=0),
    }
    theirs = {
        'LogisticRegression(class_weight="balanced")': LogisticRegression(class_weight="balanced"),
        'SGDClassifier("log_loss")': SGDClassifier("log_loss", random_state=0),
        "LinearSVC()": LinearSVC(random_state=0),
    }
    named = {("aucmax", name): model for name, model in ours.items()}
    return {**named, **{("scikit-learn", name): model for name, model in theirs.items()}}


def rival_sets(data_dir: Any = None) -> set[str]:
    """The sets at hand on which they are measured."""
    return {name for name in SETS if present(_entry(name), data_dir)}


def _entry(name: str) -> Entry:
    return Entry(name, (name,), "as they are", "as they are", "", SETS[name])


def measured_rivals(data_dir: Any = None) -> Iterator[dict[str, Any]]:
    """The median processor time of a fit, and the test AUC, of every model on every set at hand."""
    for name in SETS:
        entry = _entry(name)
        if present(entry, data_dir):
            problem = load(entry, data_dir)
            parts = parts_of("given", problem.y, problem.given, 0)
            train, rest = scaled(entry, (problem.X[parts.train], problem.X[parts.test]))
            yield from compared(name, (train, problem.y[parts.train]), (rest, problem.y[parts.test]))


def compared(where: str, train: tuple[Any, Any], test: tuple[Any, Any]) -> Iterator[dict[str, Any]]:
    """All models on one set, in turns, so that what disturbs the machine disturbs all of them."""
    given = models()
    seconds: dict[Any, list[float]] = {key: [] for key in given}
    aucs: dict[Any, float] = {}
    few = np.concatenate([np.flatnonzero(train[1] == label)[:100] for label in (0, 1)])
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fits that end unconverged, as they are shipped
        for model in given.values():
            clone(model).fit(train[0][few], train[1][few])  # the clock is not to count the loading of kernels
        for _ in range(REPEATS):
            for key, model in given.items():
                begun = time.process_time()
                fitted = clone(model).fit(*train)
                seconds[key].append(time.process_time() - begun)
                aucs[key] = roc_auc(test[1], fitted.decision_function(test[0]))
    size = {"rows": len(train[1]), "columns": int(train[0].shape[1])}
    for library, name in given:
        found = {"seconds": float(np.median(seconds[library, name])), "auc": float(aucs[library, name])}
        yield {"set": where, **size, "library": library, "model": name, **found}
