"""From a choice to the model: weights, log-odds, one line a class, and a threshold."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.classifier import calibration
from aucmax.classifier.choice import Chosen
from aucmax.classifier.folds import folds
from aucmax.classifier.paths import Task
from aucmax.classifier.table import Table

CALIBRATION_FOLDS = 5


class Lines(NamedTuple):
    """Weights and intercepts of the log-odds of every task in the units of X, and a threshold."""

    coef: np.ndarray
    intercept: np.ndarray
    threshold: float


def cross_fitted(task: Task, chosen: Chosen, seed: int) -> np.ndarray:
    """Scores of every row, measured, by models of the same kind that did not learn from it."""
    scores, middle = np.full(task.data.n, np.nan), task.middle()
    for fold in folds(task, CALIBRATION_FOLDS, seed):
        w = next(task.of_rows(fold.train).path(chosen.loss, [chosen.l2(task)]))
        offset, length = task.measure(w, middle)
        scores[fold.test] = (task.data.products(w[:, None])[fold.test, 0] - offset) / length
    return scores


def sigmoid(task: Task, w: np.ndarray, held_out: np.ndarray | None) -> tuple[calibration.Sigmoid, np.ndarray]:
    """The sigmoid of some weights, by held-out scores where there are some; the log-odds it was fitted to."""
    part, (offset, length) = task.classes.weight > 0.0, task.measure(w, task.middle())
    if held_out is None or not np.isfinite(held_out[part]).all():
        held_out = (task.data.products(w[:, None])[:, 0] - offset) / length
    found = calibration.platt(held_out[part], task.data.y[part], task.data.weight[part])
    logits = found.slope * held_out[part] + found.intercept
    slope = found.slope / length
    return calibration.Sigmoid(slope, found.intercept - slope * offset), logits


def lines(model: Any, table: Table, tasks: list[Task], chosen: Chosen) -> Lines:
    """The model of a choice, as the parameters of an estimator want it."""
    fitted = [
        sigmoid(task, w, _held_out(model, task, chosen, k))
        for k, (task, w) in enumerate(zip(tasks, model._raw, strict=True))
    ]
    coef = np.array([found.slope * w for (found, _), w in zip(fitted, model._raw, strict=True)])
    gains = calibration.gains(model.prevalence, table.shares(), model.multi_class == "ovo")
    intercept = np.array([found.intercept for found, _ in fitted]) - coef @ table.shift + gains
    return Lines(coef, intercept, _threshold(model, table, tasks[0], fitted[0][1] + gains[0]))


def _held_out(model: Any, task: Task, chosen: Chosen, k: int) -> np.ndarray | None:
    """Scores of all rows, measured, by models that did not learn from them: from the choice, or made if asked for."""
    known = chosen.held_out(k)
    if known is not None and len(known) == task.data.n:
        return known
    wanted = model.calibration == "cv" and task.fewest > 1
    return cross_fitted(task, chosen, model._seed) if wanted else None


def _threshold(model: Any, table: Table, task: Task, logits: np.ndarray) -> float:
    if not table.binary:
        return 0.5
    share = float(table.shares()[1] if model.prevalence is None else np.atleast_1d(model.prevalence)[-1])
    part = task.classes.weight > 0.0
    prices = calibration.prices(model.costs, table.classes)
    return calibration.threshold_of(model.threshold, prices, share, task.data.y[part], logits, task.data.weight[part])
