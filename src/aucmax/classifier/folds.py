"""Cross-validated AUC of losses along paths of penalties."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from aucmax.classifier.paths import Task, l2_of
from aucmax.kernel.classes import Classes
from aucmax.kernel.pairs import STEP, PairSums

HOPELESS = 0.002  # so far below the best of its path, with nothing left to learn, a fold gives weaker penalties up
LEARNT = 0.9999  # the AUC of its own rows at which nothing is


def auc(classes: Classes, scores: np.ndarray) -> float:
    """The weighted area under the ROC curve, ties counting half; over pairs within groups where there are groups."""
    return 1.0 - PairSums(classes, scores, STEP).value


class Fold(NamedTuple):
    """Rows to learn from and rows to rank."""

    train: np.ndarray
    test: np.ndarray


class Scores(NamedTuple):
    """Cross-validated AUCs of one loss: folds by strengths; and the held-out scores, strengths by rows.

    Not a number where a fold gave up: it ranked its own rows without a fault, and the others worse and worse. A falling
    AUC alone is no reason: it may well rise again along the path.
    """

    loss: str
    aucs: np.ndarray
    held_out: np.ndarray


def folds(task: Task, count: int, seed: int, repeats: int = 1) -> list[Fold]:
    """Stratified folds that keep groups whole, at most as many as the smaller class has rows, or as there are groups.

    A fold whose held-out rows make no pair is left out.
    """
    rows = np.sort(np.concatenate([task.classes.pos, task.classes.neg]))
    y, group = task.data.y[rows], None if task.data.group is None else task.data.group[rows]
    count = min(count, task.fewest, count if group is None else len(np.unique(group)))
    found = []
    for repeat in range(repeats):
        kind = StratifiedKFold if group is None else StratifiedGroupKFold
        splitter = kind(count, shuffle=True, random_state=seed + repeat)
        found += [Fold(rows[a], rows[b]) for a, b in splitter.split(np.zeros(len(rows)), y, group)]
    return [fold for fold in found if all(len(np.unique(task.data.y[part])) == 2 for part in fold)]


def cross_validate(
    task: Task, losses: list[str], strengths: dict[str, np.ndarray], parts: list[Fold], n_jobs: int
) -> list[Scores]:
    """Every loss on every fold along its path of strengths; the same numbers whatever the number of threads."""

    def run(work: tuple[str, Fold]) -> tuple[np.ndarray, np.ndarray]:
        loss, fold = work
        known, aside = task.of_rows(fold.train), task.of_rows(fold.test).classes
        path = strengths[loss]
        aucs, held_out = np.full(len(path), np.nan), np.full((len(path), len(fold.test)), np.nan)
        for k, w in enumerate(known.path(loss, [l2_of(loss, strength, known.classes) for strength in path])):
            scores = task.data.products(w[:, None])[:, 0]
            aucs[k], held_out[k] = auc(aside, scores), scores[fold.test]
            if aucs[k] < np.nanmax(aucs) - HOPELESS and auc(known.classes, scores) > LEARNT:
                break
        return aucs, held_out

    work = [(loss, fold) for loss in losses for fold in parts]
    if n_jobs == 1:
        done: list[Any] = [run(part) for part in work]
    else:
        with ThreadPoolExecutor(n_jobs) as pool:
            done = list(pool.map(run, work))
    return [
        _gathered(loss, task.data.n, parts, done[k * len(parts) : (k + 1) * len(parts)])
        for k, loss in enumerate(losses)
    ]


def _gathered(loss: str, n: int, parts: list[Fold], done: list[tuple[np.ndarray, np.ndarray]]) -> Scores:
    held_out = np.full((done[0][1].shape[0], n), np.nan)
    for fold, (_, scores) in zip(parts, done, strict=True):
        held_out[:, fold.test] = scores
    return Scores(loss, np.array([aucs for aucs, _ in done]), held_out)
