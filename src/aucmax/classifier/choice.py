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

from aucmax.classifier.folds import Begun, Fold, Plan, Scores, Trial, cross_validate, folds, last_draw, model
from aucmax.classifier.paths import Task, l2_of
from aucmax.model.newton import Budget

PREFERENCE = 0.5  # for strong penalties: one may cost so many standard errors of its difference to the best
AROUND = 1  # penalties to either side of the first loss's best at which the others are tried
FARTHER = 2  # the same for other sizes of columns, which change what a penalty does
FEW = 1500  # rows, as many as two equal classes would need to say as much, up to which folds are drawn again
ROUGHLY = Budget(3e-2, 100)  # while the choice is made: the last step leaves less than a thousandth of the loss
MANY = 20_000  # rows above which they are not


class Chosen(NamedTuple):
    """A loss with the strength of its penalty on columns of some sizes; why; and what the choice was made by.

    Every task has a penalty of its own, of that strength beside its own rows, unless one is given for all.
    """

    loss: str
    strength: float
    reason: str
    given: float | None = None
    scaling: str = ""  # the first measure of the sizes by default
    tasks: Sequence[int] = ()  # those that the choice was made by: not those with nothing to hold out
    scores: Sequence[Sequence[Scores]] = ()  # by such task, then by loss
    strengths: Mapping[str, np.ndarray] = MappingProxyType({})
    parts: Sequence[Sequence[Fold]] = ()  # by such task
    at: int = 0  # the strength's place on the path of its loss
    preference: float = PREFERENCE
    confirmed: Sequence[Scores] = ()  # by such task: the choice alone, where folds had learnt from some rows only
    models: Mapping[int, np.ndarray] = MappingProxyType({})  # weights made on the way, by the number of the task

    def l2(self, task: Task) -> float:
        """The penalty of a task."""
        return l2_of(self.loss, self.strength, task.classes) if self.given is None else self.given

    def l2_of_all(self, tasks: Sequence[Task]) -> float | np.ndarray:
        """That of the only task, or those of all."""
        return self.l2(tasks[0]) if len(tasks) == 1 else np.array([self.l2(task) for task in tasks])

    @property
    def auc(self) -> float:
        """The mean AUC of held-out rows."""
        if self.confirmed:
            return float(mean_aucs([[found] for found in self.confirmed])[0][0])
        return float(mean_aucs(self.scores)[list(self.strengths).index(self.loss)][self.at])

    def tried(self, place: int) -> Scores | None:
        """What the choice was made by for its own loss, by the task's place among those that took part, if anything."""
        return next((found for found in (self.scores[place] if self.scores else ()) if found.loss == self.loss), None)

    def held_out(self, task: int) -> np.ndarray | None:
        """Scores of every row by models that did not learn from it, where the choice has left some."""
        if task not in self.tasks:
            return None
        if self.confirmed:
            return np.asarray(self.confirmed[self.tasks.index(task)].held_out[0])
        found = self.tried(self.tasks.index(task))
        return None if found is None else np.asarray(found.held_out[self.at])

    def begun(self, task: Task, place: int, lines: np.ndarray) -> Task:
        """A task beginning at the mean weights of its folds, from which a fit to all rows has no long way left."""
        if not lines.size:
            return task
        first, best = self.scores[place][0], int(np.argmax(mean_aucs(self.scores)[0]))
        nearby = first.lines[:, best].mean(axis=0) if first.loss != "ramp" and first.lines.size else None
        return task._replace(start=lines.mean(axis=0), nearby=nearby)

    def model(self, task: Task, k: int) -> np.ndarray:
        """The weights of task k, learnt from all of its rows: already, or now."""
        if k in self.models:
            return self.models[k]
        if self.confirmed and k in self.tasks:
            place = self.tasks.index(k)
            task = self.begun(task, place, self.confirmed[place].lines[:, 0])
        return next(task.path(self.loss, [self.l2(task)]))


class Search(NamedTuple):
    """What to choose from: tasks with their folds, losses with their paths of strengths, sizes of columns."""

    parts: Mapping[int, tuple[Task, list[Fold]]]  # by the number of the task
    paths: dict[str, np.ndarray]
    sizes: dict[str, np.ndarray]
    plan: Plan
    finely: bool = False  # whether penalties between those of the path are tried, beside the best of the first loss

    def run(self, preference: float = PREFERENCE) -> Chosen:
        """The choice; its strength is one for all tasks, and for all of their rows."""
        first, *others = self.paths
        scaling, scores, path = self._scaled(first)
        if self.finely:
            scores, path = self._refined(first, self.sizes[scaling], scores, path)
        strengths = {first: path}
        best = int(np.argmax(mean_aucs(scores)[0]))
        convex = [Begun(found[0].lines[:, best], False) for found in scores]
        strengths |= {loss: around(self.paths[loss], self.paths[first], path[best], AROUND) for loss in others}
        trials = [[Trial(loss, strengths[loss], begun) for loss in others] for begun in convex]
        more = self._scores(trials, self.sizes[scaling])
        scores = [[*known, *new] for known, new in zip(scores, more, strict=True)]
        means = mean_aucs(scores)
        k = int(np.argmax([mean.max() for mean in means]))
        at = _strong(scores, k, means[k], preference)
        loss = list(strengths)[k]
        found = Chosen(loss, float(strengths[loss][at]), "", None, scaling, list(self.parts), scores, strengths)
        return found._replace(parts=[made for _, made in self.parts.values()], at=at, preference=preference)

    def confirmed(self, chosen: Chosen, given: bool) -> Chosen:
        """The choice with folds, given ones or the last draw, learning from all of their rows, if they have not yet.

        The model of all rows is made beside them, where there are weights of the folds to begin from.
        """
        if all(
            len(fold.train) <= self.plan.most or task.data.group is not None
            for task, made in self.parts.values()
            for fold in made
        ):
            return chosen
        strength, plan = chosen.strengths[chosen.loss][[chosen.at]], self.plan._replace(most=np.inf)
        found: list[Scores] = []
        models: dict[int, np.ndarray] = {}
        for place, (k, (task, made)) in enumerate(self.parts.items()):
            parts = made if given else made[-last_draw(made)[1] :]
            tried, task = chosen.tried(place), task._replace(sizes=self.sizes[chosen.scaling])
            lines = np.empty(0) if tried is None else tried.lines[:, chosen.at]
            trial, first = Trial(chosen.loss, strength), []
            if lines.size:
                trial = trial._replace(begun=Begun(lines[-len(parts) :], True))
                first = [model(chosen.begun(task, place, lines), chosen.loss, chosen.l2(task), plan.ledger)]
            (confirmed,), learnt = cross_validate(task._replace(budget=ROUGHLY), [trial], parts, plan, first)
            found.append(confirmed)
            if learnt:
                models[k] = learnt[0]
        return chosen._replace(confirmed=found, models=models)

    def _scaled(self, loss: str) -> tuple[str, list[list[Scores]], np.ndarray]:
        """The best sizes of columns: the usual ones along the whole path, the others around their best penalty."""
        usual, *others = self.sizes
        path = self.paths[loss]
        found = {usual: (path, self._along(loss, path, self.sizes[usual]))}
        best = path[int(np.argmax(mean_aucs(found[usual][1])[0]))]
        for name in others:
            near = around(path, path, best, FARTHER)
            found[name] = near, self._along(loss, near, self.sizes[name])
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
        more = self._along(loss, between, sizes)
        order = np.argsort(-np.concatenate([path, between]))
        merged = [[known[0].beside(new[0], order)] for known, new in zip(scores, more, strict=True)]
        return merged, np.concatenate([path, between])[order]

    def _plan(self) -> Plan:
        """The plan; of several tasks, whose samples together could outgrow the data, each draws its own again."""
        return self.plan if len(self.parts) == 1 else self.plan._replace(samples={})

    def _scores(self, trials: Sequence[Sequence[Trial]], sizes: np.ndarray) -> list[list[Scores]]:
        """Of every task, what its trials come to on columns of some sizes."""
        return [
            cross_validate(task._replace(sizes=sizes, budget=ROUGHLY), each, made, self._plan())[0]
            for (task, made), each in zip(self.parts.values(), trials, strict=True)
        ]

    def _along(self, loss: str, path: np.ndarray, sizes: np.ndarray) -> list[list[Scores]]:
        """The same for one loss along a path of strengths."""
        return self._scores([[Trial(loss, path)]] * len(self.parts), sizes)


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


def repeated_folds(task: Task, count: int, seed: int, repeats: int) -> list[Fold]:
    """Folds, drawn several times where a single draw is mostly chance."""
    return folds(task, count, seed, repeats if scarce(task) else 1)


def scarce(task: Task) -> bool:
    """Whether rows of the smaller class are so few that a single part held out is mostly chance."""
    pos, neg = len(task.classes.pos), len(task.classes.neg)
    return 4 * pos * neg <= FEW * (pos + neg) and task.data.n <= MANY
