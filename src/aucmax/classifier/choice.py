"""Choosing the sizes of columns, the penalty and the loss by the AUC of held-out rows.

The first loss is tried along the whole path of penalties, in sparse data with each measure of the columns' sizes; of
few rows also half a step to either side of its best penalty, since there the best may lie on a narrow peak. The other
losses are tried only around its best penalty. Of the penalties of a loss the strongest is taken that is about as good
as the best: held-out AUCs are noisy, and on wide data a weak penalty loses more than a strong one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from aucmax.classifier.folds import Begun, Fold, Plan, Scores, cross_validate, folds
from aucmax.classifier.paths import Task, l2_of
from aucmax.kernel.classes import Classes
from aucmax.model.newton import Budget

PREFERENCE = 0.5  # for strong penalties: one may cost so many standard errors of its difference to the best
AROUND = 1  # penalties to either side of the first loss's best at which the others are tried
FARTHER = 2  # the same for other sizes of columns, which change what a penalty does
FEW = 1500  # rows, as many as two equal classes would need to say as much, up to which folds are drawn again
ROUGHLY = Budget(3e-2, 100)  # while the choice is made: the last step leaves less than a thousandth of the loss
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
    confirmed: Sequence[Scores] = ()  # by task: the choice alone, where folds had learnt from some of their rows only

    @property
    def auc(self) -> float:
        """The mean AUC of held-out rows."""
        if self.confirmed:
            return float(mean_aucs([[found] for found in self.confirmed])[0][0])
        return float(mean_aucs(self.scores)[list(self.strengths).index(self.loss)][self.at])

    def tried(self, task: int) -> Scores | None:
        """What the choice was made by for its own loss, if anything was tried."""
        return next((found for found in (self.scores[task] if self.scores else ()) if found.loss == self.loss), None)

    def held_out(self, task: int) -> np.ndarray | None:
        """Scores of every row by models that did not learn from it, where the choice has left some."""
        if self.confirmed:
            return np.asarray(self.confirmed[task].held_out[0])
        found = self.tried(task)
        return None if found is None else np.asarray(found.held_out[self.at])

    def start(self, task: int) -> np.ndarray | None:
        """The mean weights of the folds, from which a fit to all rows has no long way left."""
        if not self.confirmed or not self.confirmed[task].lines.size:
            return None
        return np.asarray(self.confirmed[task].lines[:, 0].mean(axis=0))


class Search(NamedTuple):
    """What to choose from: tasks with their folds, losses with their paths of strengths, sizes of columns."""

    parts: list[tuple[Task, list[Fold]]]
    paths: dict[str, np.ndarray]
    sizes: dict[str, np.ndarray]
    plan: Plan
    finely: bool = False  # whether penalties between those of the path are tried, beside the best of the first loss

    def run(self, tasks: list[Task], preference: float = PREFERENCE) -> Chosen:
        """The choice; its penalty is one for all tasks, and for all of their rows."""
        first, *others = self.paths
        scaling, scores, path = self._scaled(first)
        if self.finely:
            scores, path = self._refined(first, self.sizes[scaling], scores, path)
        strengths = {first: path}
        best = int(np.argmax(mean_aucs(scores)[0]))
        convex = [Begun(found[0].lines[:, best], False) for found in scores]
        for loss in others:
            strengths[loss] = around(self.paths[loss], self.paths[first], path[best], AROUND)
            more = self._scores(loss, strengths[loss], self.sizes[scaling], convex)
            scores = [[*known, *new] for known, new in zip(scores, more, strict=True)]
        means = mean_aucs(scores)
        k = int(np.argmax([mean.max() for mean in means]))
        at = _strong(scores, k, means[k], preference)
        loss = list(strengths)[k]
        l2 = l2_of(loss, strengths[loss][at], reference(tasks))
        return Chosen(loss, l2, "", scaling, scores, strengths, [made for _, made in self.parts], at)

    def confirmed(self, chosen: Chosen, count: int) -> Chosen:
        """The choice with the last so many folds learning from all of their rows, if they have not yet."""
        if all(len(fold.train) <= self.plan.most for _, made in self.parts for fold in made):
            return chosen
        strength = chosen.strengths[chosen.loss][[chosen.at]]
        found = []
        for k, (task, made) in enumerate(self.parts):
            tried, task = chosen.tried(k), task._replace(sizes=self.sizes[chosen.scaling], budget=ROUGHLY)
            begun = Begun(tried.lines[-count:, chosen.at], True) if tried is not None and tried.lines.size else None
            found.append(
                cross_validate(task, chosen.loss, strength, made[-count:], self.plan._replace(most=np.inf), begun)
            )
        return chosen._replace(confirmed=found)

    def _scaled(self, loss: str) -> tuple[str, list[list[Scores]], np.ndarray]:
        """The best sizes of columns: the usual ones along the whole path, the others around their best penalty."""
        usual, *others = self.sizes
        path = self.paths[loss]
        found = {usual: (path, self._scores(loss, path, self.sizes[usual]))}
        best = path[int(np.argmax(mean_aucs(found[usual][1])[0]))]
        for name in others:
            near = around(path, path, best, FARTHER)
            found[name] = near, self._scores(loss, near, self.sizes[name])
        scaling = max(found, key=lambda name: float(mean_aucs(found[name][1])[0].max()))
        return scaling, found[scaling][1], found[scaling][0]

    def _refined(
        self, loss: str, sizes: np.ndarray, scores: list[list[Scores]], path: np.ndarray
    ) -> tuple[list[list[Scores]], np.ndarray]:
        """The same scores and path with the penalties half a step beside the best one among them."""
        best = int(np.argmax(mean_aucs(scores)[0]))
        between = finer(path)[1::2][max(best - 1, 0) : best + 1]
        if not len(between):
            return scores, path
        more = self._scores(loss, between, sizes)
        order = np.argsort(-np.concatenate([path, between]))
        merged = [[known[0].beside(new[0], order)] for known, new in zip(scores, more, strict=True)]
        return merged, np.concatenate([path, between])[order]

    def _plan(self) -> Plan:
        """The plan; of several tasks, whose samples together could outgrow the data, each draws its own again."""
        return self.plan if len(self.parts) == 1 else self.plan._replace(samples={})

    def _scores(
        self, loss: str, path: np.ndarray, sizes: np.ndarray, begun: Sequence[Begun | None] = ()
    ) -> list[list[Scores]]:
        each = begun or [None] * len(self.parts)
        return [
            [cross_validate(task._replace(sizes=sizes, budget=ROUGHLY), loss, path, made, self._plan(), from_)]
            for (task, made), from_ in zip(self.parts, each, strict=True)
        ]


def finer(path: np.ndarray) -> np.ndarray:
    """A path with strengths half way between its own."""
    return np.insert(path, np.arange(1, len(path)), np.sqrt(path[:-1] * path[1:]))


def around(path: np.ndarray, known: np.ndarray, best: float, reach: int) -> np.ndarray:
    """The strengths some steps of a path beside the best of a known one, or of a finer; all where it has but one."""
    if len(path) == 1:
        return path
    at = int(np.flatnonzero(finer(known) == best)[0])
    return finer(path)[at % 2 :: 2][max(at // 2 - reach, 0) : at // 2 + reach + 1]


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
    """Folds, drawn several times where a single draw is mostly chance."""
    return folds(task, count, seed, repeats if scarce(task) else 1)


def scarce(task: Task) -> bool:
    """Whether rows of the smaller class are so few that a single part held out is mostly chance."""
    pos, neg = len(task.classes.pos), len(task.classes.neg)
    return 4 * pos * neg <= FEW * (pos + neg) and task.data.n <= MANY
