"""Choosing the sizes of columns, the penalty and the loss by the AUC of held-out rows.

The first loss is tried along the whole path of penalties, in sparse data with each measure of the columns' sizes; the
other losses only around its best penalty. Of the penalties of a loss the strongest is taken that is about as good as
the best: held-out AUCs are noisy, and on wide data a weak penalty loses more than a strong one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from aucmax.classifier.folds import Fold, Scores, cross_validate, folds
from aucmax.classifier.paths import Task, l2_of
from aucmax.kernel.classes import Classes

PREFERENCE = 0.5  # for strong penalties: one may cost so many standard errors of its difference to the best
AROUND = 2  # penalties to either side of the first loss's best at which the others are tried
FEW = 1500  # rows, as many as two equal classes would need to say as much, up to which folds are drawn again
MANY = 20_000  # rows above which they are not


class Chosen(NamedTuple):
    """A loss with its penalty on columns of some sizes; why; and what the choice was made by."""

    loss: str
    l2: float
    reason: str
    scaling: str = ""  # the first measure of the sizes by default
    scores: Sequence[Sequence[Scores]] = ()  # by task, then by loss
    strengths: Mapping[str, np.ndarray] = MappingProxyType({})
    parts: Sequence[Sequence[Fold]] = ()  # by task
    at: int = 0  # the strength's place on the path of its loss

    @property
    def auc(self) -> float:
        """The mean AUC of held-out rows."""
        return float(mean_aucs(self.scores)[list(self.strengths).index(self.loss)][self.at])

    def held_out(self, task: int) -> np.ndarray | None:
        """Scores of every row by models that did not learn from it, where the choice has left some."""
        known = self.scores[task] if self.scores else ()
        return next((found.held_out[self.at] for found in known if found.loss == self.loss), None)


class Search(NamedTuple):
    """What to choose from: tasks with their folds, losses with their paths of strengths, sizes of columns."""

    parts: list[tuple[Task, list[Fold]]]
    paths: dict[str, np.ndarray]
    sizes: dict[str, np.ndarray]
    n_jobs: int

    def run(self, tasks: list[Task], preference: float = PREFERENCE) -> Chosen:
        """The choice; its penalty is one for all tasks, and for all of their rows."""
        first, *others = self.paths
        found = {name: self._scores(first, self.paths[first], sizes) for name, sizes in self.sizes.items()}
        scaling = max(found, key=lambda name: float(mean_aucs(found[name])[0].max()))
        scores, strengths = found[scaling], {first: self.paths[first]}
        best = int(np.argmax(mean_aucs(scores)[0]))
        for loss in others:
            path = self.paths[loss]
            strengths[loss] = path[max(best - AROUND, 0) : best + AROUND + 1] if len(path) > 1 else path
            more = self._scores(loss, strengths[loss], self.sizes[scaling])
            scores = [[*known, *new] for known, new in zip(scores, more, strict=True)]
        means = mean_aucs(scores)
        k = int(np.argmax([mean.max() for mean in means]))
        at = _strong(scores, k, means[k], preference)
        loss = list(strengths)[k]
        l2 = l2_of(loss, strengths[loss][at], reference(tasks))
        return Chosen(loss, l2, "", scaling, scores, strengths, [made for _, made in self.parts], at)

    def _scores(self, loss: str, path: np.ndarray, sizes: np.ndarray) -> list[list[Scores]]:
        return [
            [cross_validate(task._replace(sizes=sizes), loss, path, made, self.n_jobs)] for task, made in self.parts
        ]


def mean_aucs(scores: Sequence[Sequence[Scores]]) -> list[np.ndarray]:
    """For every loss the mean AUC along its path, over folds and tasks; -inf where a fold gave up."""
    means = [np.mean([by_loss[k].aucs.mean(axis=0) for by_loss in scores], axis=0) for k in range(len(scores[0]))]
    return [np.where(np.isnan(mean), -np.inf, mean) for mean in means]


def _strong(scores: Sequence[Sequence[Scores]], k: int, means: np.ndarray, preference: float) -> int:
    """The strongest penalty of a loss that is about as good as the best, over folds and tasks."""
    best = int(np.argmax(means))
    gaps = np.concatenate([by_loss[k].aucs[:, [best]] - by_loss[k].aucs for by_loss in scores])
    errors = gaps.std(axis=0, ddof=1) / np.sqrt(len(gaps)) if len(gaps) > 1 else np.zeros(len(means))
    return int(np.argmax(means[best] - means <= preference * np.where(np.isfinite(errors), errors, 0.0)))


def reference(tasks: list[Task]) -> Classes:
    """The classes of the task with the fewest rows in one of them: the penalty is one for all."""
    return min(tasks, key=lambda task: task.fewest).classes


def repeated_folds(task: Task, count: int, seed: int, repeats: int) -> list[Fold]:
    """Folds, drawn several times where rows of the smaller class are so few that a single draw is mostly chance."""
    pos, neg = len(task.classes.pos), len(task.classes.neg)
    few = 4 * pos * neg <= FEW * (pos + neg) and task.data.n <= MANY
    return folds(task, count, seed, repeats if few else 1)
