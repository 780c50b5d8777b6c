"""Cross-validated AUC of losses along paths of penalties."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

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

    A single group cannot be kept whole: its rows are parted as if there were none.
    A fold whose held-out rows make no pair is left out.
    """
    rows = np.sort(np.concatenate([task.classes.pos, task.classes.neg]))
    y, group = task.data.y[rows], None if task.data.group is None else task.data.group[rows]
    group = group if group is not None and group.min() < group.max() else None
    count = min(count, task.fewest, count if group is None else len(np.unique(group)))
    found = []
    for repeat in range(repeats):
        kind = StratifiedKFold if group is None else StratifiedGroupKFold
        splitter = kind(count, shuffle=True, random_state=seed + repeat)
        found += [Fold(rows[a], rows[b]) for a, b in splitter.split(np.zeros(len(rows)), y, group)]
    return [fold for fold in found if all(len(np.unique(task.data.y[part])) == 2 for part in fold)]


def cross_validate(task: Task, loss: str, strengths: np.ndarray, parts: list[Fold], n_jobs: int) -> Scores:
    """A loss on every fold along a path of strengths; the same numbers whatever the number of threads."""

    def run(fold: Fold) -> tuple[np.ndarray, np.ndarray]:
        known, aside = task.of_rows(fold.train), task.of_rows(fold.test).classes
        aucs, held_out = np.full(len(strengths), np.nan), np.full((len(strengths), len(fold.test)), np.nan)
        for k, w in enumerate(known.path(loss, [l2_of(loss, strength, known.classes) for strength in strengths])):
            scores = task.data.products(w[:, None])[:, 0]
            aucs[k], held_out[k] = auc(aside, scores), scores[fold.test]
            if aucs[k] < np.nanmax(aucs) - HOPELESS and auc(known.classes, scores) > LEARNT:
                break
        return aucs, held_out

    if n_jobs == 1:
        done = [run(fold) for fold in parts]
    else:
        with ThreadPoolExecutor(n_jobs) as pool:
            done = list(pool.map(run, parts))
    held_out = np.full((len(strengths), task.data.n), np.nan)
    for fold, (_, scores) in zip(parts, done, strict=True):
        held_out[:, fold.test] = scores
    return Scores(loss, np.array([aucs for aucs, _ in done]), held_out)
