"""One cell: an algorithm on one split of a set, its parameters chosen on the training rows, scored on the test rows."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import time
import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, train_test_split
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

import aucmax
from aucmax.bench.sets import Problem, scaled
from aucmax.bench.splits import Parts, parts_of
from aucmax.bench.suite import Algorithm, Entry, Suite
from aucmax.evaluate import roc_auc
from aucmax.model.together import fit_together, together

TUNED, SHIPPED = "tuned", "as shipped"
QUICK_ROWS, QUICK_FOLDS = 4000, 3  # by which a quick run chooses parameters in cross-validation
QUICK_FEWER = 300  # rows of the smaller class among them, or all: an AUC of a few positives chooses nothing
EMBEDDED = "N"  # the first letter of algorithms on the Nyström embedding
# of algorithms: what is said of them and changes nothing
WORDS = ("note", "informed", "informed_wide", "iterate")
_last: dict[str, Any] = {}  # the embedding made last


class Cell(NamedTuple):
    """Which experiment: everything random about it follows from these."""

    suite: str
    set: str
    algorithm: str
    kind: str
    repeat: int
    quick: bool

    @property
    def key(self) -> str:
        """A name that tells it from all others."""
        return "/".join(map(str, (*self[:5], "quick" if self.quick else "full")))


class Rows(NamedTuple):
    """Some rows and their labels."""

    X: Any
    y: np.ndarray

    def at(self, rows: np.ndarray) -> Rows:
        """Some of them."""
        return Rows(self.X[rows], self.y[rows])


def asked(cell: Cell, suite: Suite) -> str:
    """A digest of all that a suite says about a cell: a result with another one is of another experiment."""
    algorithm = suite.algorithms[cell.algorithm]
    if cell.kind == SHIPPED:
        fixed = _embedding(algorithm, suite.sets[cell.set])
        algorithm = algorithm._replace(grid={}, quick={}, quick_rows=0, fixed=fixed)
    limits = suite.quick_train, suite.quick_numbers
    told = {key: value for key, value in _said(algorithm).items() if key not in WORDS}
    about = (suite.splits, suite.folds, *limits, _said(suite.entry(cell.set, cell.algorithm)), told)
    return hashlib.sha256(repr(about).encode()).hexdigest()[:16]


def _said(record: Any) -> dict[str, Any]:
    """What a suite says otherwise than by default: what it may say one day changes no result of today."""
    return {key: value for key, value in record._asdict().items() if value != record._field_defaults.get(key)}


def run_cell(cell: Cell, suite: Suite, problem: Problem) -> dict[str, Any]:
    """The test AUC of a cell, the parameters, the seconds of the last fit and of the choice."""
    algorithm = suite.algorithms[cell.algorithm]
    train, validation, test = _prepared(cell, suite, problem)
    begun = time.perf_counter()
    chosen: dict[str, Any] = {}
    folds: list[float] = []
    wide = algorithm.wide if problem.X.shape[1] > algorithm.wide_from else {}
    chosen.update(wide)
    if cell.kind == TUNED:
        chosen, folds = _chosen(cell, suite, algorithm, {**algorithm.fixed, **wide}, (train, validation))
    tuned = time.perf_counter()
    model = _fitted(algorithm, chosen, train, cell.repeat)
    return {
        "auc": roc_auc(test.y, model.decision_function(test.X)),
        "seconds": time.perf_counter() - tuned,
        "choosing": tuned - begun,
        "params": chosen,
        "folds": folds,
        "rows": len(train.y),
        "tested": len(test.y),
    }


def _limited(parts: Parts, y: np.ndarray, cell: Cell, most: int) -> Parts:
    """In a quick run, not more training rows than it may take."""
    if not cell.quick or len(parts.train) <= most:
        return parts
    kept, _ = train_test_split(parts.train, train_size=most, stratify=y[parts.train], random_state=cell.repeat)
    return parts._replace(train=kept)


def share(cell: Cell, suite: Suite, problem: Problem) -> None:
    """Embed the rows of a cell, if it has them embedded: forked processes then find them, for every algorithm."""
    if suite.algorithms[cell.algorithm].estimator.startswith(EMBEDDED):
        with threadpool_limits(1):  # as in the processes, so that it is the same embedding
            _prepared(cell, suite, problem)


def _prepared(cell: Cell, suite: Suite, problem: Problem) -> tuple[Rows, Rows, Rows]:
    """The parts, with columns scaled or embedded as the training rows tell."""
    algorithm, columns = suite.algorithms[cell.algorithm], problem.X.shape[1]
    dear = algorithm.quick_cost / columns**2 if columns <= algorithm.wide_from else np.inf
    parts = parts_of(suite.splits, problem.y, problem.given, cell.repeat)
    full = suite.quick_numbers / max(problem.stored / len(problem.y), 1.0)
    parts = _limited(parts, problem.y, cell, int(min(suite.quick_train, dear, full)))
    entry = suite.entry(cell.set, cell.algorithm)
    if algorithm.estimator.startswith(EMBEDDED):
        Xs = _embedded(cell, entry, algorithm, problem, parts)
    else:
        Xs = scaled(entry, tuple(problem.X[rows] for rows in parts))
    train, validation, test = (Rows(X, problem.y[rows]) for X, rows in zip(Xs, parts, strict=True))
    return train, validation, test


def _embedded(cell: Cell, entry: Entry, algorithm: Algorithm, problem: Problem, parts: Parts) -> tuple[Any, ...]:
    """The parts embedded; the last embedding is kept, for cells that differ in their algorithm only."""
    settings = _embedding(algorithm, entry)
    about = (cell.suite, entry, cell.repeat, cell.quick, tuple(settings.items()))
    if _last.get("about") != about or _last["problem"] is not problem:
        _last.clear()  # before the next one is made: they are large
        Xs = scaled(entry, tuple(problem.X[rows] for rows in parts))
        embed = aucmax.KMeansNystroem(**settings, random_state=cell.repeat).fit(Xs[0])
        Xs = tuple(embed.transform(X) if X.shape[0] else X for X in Xs)
        _last.update(about=about, problem=problem, Xs=Xs)
    found: tuple[Any, ...] = _last["Xs"]
    return found


def _embedding(algorithm: Algorithm, entry: Entry) -> dict[str, Any]:
    """What is fixed about the embedding in front of an algorithm."""
    fixed = {key: value for key, value in algorithm.fixed.items() if key == "n_components"}
    return {**fixed, "n_components": entry.landmarks} if fixed and entry.landmarks else fixed


def _chosen(
    cell: Cell, suite: Suite, algorithm: Algorithm, fixed: dict[str, Any], rows: tuple[Rows, Rows]
) -> tuple[dict[str, Any], list[float]]:
    """The parameters with the best AUC on held-out training rows, the first of equal ones, and their AUC there."""
    train, validation = rows
    fixed = {key: value for key, value in fixed.items() if key != "n_components"}
    grid = algorithm.quick if cell.quick and algorithm.quick else algorithm.grid
    candidates = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    if len(candidates) == 1:
        return {**fixed, **candidates[0]}, []
    held_out = _held_out(cell, suite, train, validation)
    models = [_model(algorithm, {**fixed, **candidate}, cell.repeat) for candidate in candidates]
    scores = np.array([_scores(models, *pair) for pair in held_out])
    best = int(np.argmax(scores.mean(axis=0)))
    return {**fixed, **candidates[best]}, scores[:, best].tolist()


def _held_out(cell: Cell, suite: Suite, train: Rows, validation: Rows) -> list[tuple[Rows, Rows]]:
    """Training rows and rows to choose by; in cross-validation a quick run takes some of many."""
    if len(validation.y):
        return [(train, validation)]
    kept = np.arange(len(train.y))
    rare = int(QUICK_FEWER * len(kept) / np.bincount(train.y, minlength=2).min())
    most = max(QUICK_ROWS, rare, suite.sets[cell.set].quick_rows, suite.algorithms[cell.algorithm].quick_rows)
    if cell.quick and len(kept) > most:
        kept, _ = train_test_split(kept, train_size=most, stratify=train.y, random_state=cell.repeat)
    some = train.at(kept)
    folds = StratifiedKFold(QUICK_FOLDS if cell.quick else suite.folds, shuffle=True, random_state=cell.repeat)
    return [(some.at(a), some.at(b)) for a, b in folds.split(kept, some.y)]


def _scores(models: list[Any], train: Rows, held_out: Rows) -> list[float]:
    """The AUC of every model; of one whose steps are too long, less than any other's."""
    fitted = [clone(model) for model in models]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of runs that end unconverged, as the papers' do
        if together(fitted):
            errors = fit_together(fitted, *train)
        else:
            errors = [_failure(model, train) for model in fitted]
    return [
        -np.inf if error else float(roc_auc(held_out.y, model.decision_function(held_out.X)))
        for model, error in zip(fitted, errors, strict=True)
    ]


def _failure(model: Any, rows: Rows) -> Exception | None:
    """What becomes of a fit that may diverge."""
    try:
        model.fit(*rows)
    except FloatingPointError as error:
        return error
    return None


def _model(algorithm: Algorithm, params: dict[str, Any], seed: int) -> Any:
    """The estimator; on embedded rows it is the linear one behind the embedding."""
    cls = getattr(aucmax, algorithm.estimator.removeprefix(EMBEDDED))
    seeded = {"random_state": seed} if hasattr(cls(), "random_state") else {}
    return cls(**{**algorithm.own, **params, **seeded})


def _fitted(algorithm: Algorithm, params: dict[str, Any], rows: Rows, seed: int) -> Any:
    """The estimator after its fit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _model(algorithm, params, seed).fit(*rows)


def warm(suite: Suite, problem: Problem, name: str) -> None:
    """Fit every algorithm once on a few rows, so that forked processes need not load its kernels."""
    few = np.concatenate([np.flatnonzero(problem.y == label)[:20] for label in (0, 1)])
    rows = Rows(scaled(suite.sets[name], (problem.X[few],))[0], problem.y[few])
    for algorithm in suite.algorithms.values():
        wide = algorithm.wide if problem.X.shape[1] > algorithm.wide_from else {}
        fixed = {key: value for key, value in algorithm.fixed.items() if key != "n_components"}
        with contextlib.suppress(Exception):  # which the cells will report
            _fitted(algorithm, {**fixed, **wide}, rows, 0)
            _fitted(algorithm, {**fixed, **wide, **{key: values[0] for key, values in algorithm.grid.items()}}, rows, 0)
