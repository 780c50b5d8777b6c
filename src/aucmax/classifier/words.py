"""What a choice was made by, in words."""

from __future__ import annotations

import numpy as np

from aucmax.classifier.folds import Fold
from aucmax.classifier.paths import Task


def of_equal_rows(parts: list[tuple[Task, list[Fold]]]) -> str:
    """How many rows equal an earlier one, and whether folds have kept them together; nothing where all differ."""
    task = parts[0][0]
    if task.alike is None or task.alike.repeats == 0:
        return ""
    words = f"; {task.alike.repeats} of {task.data.n} rows equal an earlier one, "
    if not any(_parted(each, fold) for each, made in parts for fold in made):
        return words + "and equal rows were kept in one fold"
    if task.data.group is not None:
        return words + "but groups were kept in one fold, not equal rows"
    return words + "but are ranked beside rows learnt from, since a class has too few distinct ones to keep them apart"


def _parted(task: Task, fold: Fold) -> bool:
    """Whether a row to rank equals one that was learnt from."""
    firsts = None if task.alike is None else task.alike.firsts
    if firsts is None:
        return False
    learnt = np.zeros(len(firsts), dtype=bool)
    learnt[firsts[fold.train]] = True
    return bool(learnt[firsts[fold.test]].any())
