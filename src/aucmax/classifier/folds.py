"""Cross-validated AUC of losses along paths of penalties."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from aucmax.classifier.ledger import Ledger
from aucmax.classifier.paths import Task, auc
from aucmax.model.problem import balanced

HOPELESS = 0.002  # so far below the best of its path, with nothing left to learn, a fold gives weaker penalties up
LEARNT = 0.9999  # the AUC of its own rows at which nothing is
SEEDS = 2**32  # numbers that a random state may be seeded with
MOST_KEPT = 2**24  # numbers of weights of folds that are kept, to begin from when they learn from all of their rows


class Fold(NamedTuple):
    """Rows to learn from and rows to rank."""

    train: np.ndarray
    test: np.ndarray


class Scores(NamedTuple):
    """Cross-validated AUCs of one loss: folds by strengths; and the held-out scores, strengths by rows.

    Held-out scores are less that of the mean row, and over the length of the weights.

    Not a number where a fold gave up: it ranked its own rows without a fault, and the others worse and worse. A falling
    AUC alone is no reason: it may well rise again along the path.
    """

    loss: str
    aucs: np.ndarray
    held_out: np.ndarray
    lines: np.ndarray  # the weights, folds by strengths; empty where they would take too much room

    def beside(self, more: Scores, order: np.ndarray) -> Scores:
        """With the scores of more strengths of the same folds, all in some order."""
        kept = min(self.lines.shape[2], more.lines.shape[2])  # nothing, where either has none
        lines = np.concatenate([self.lines[..., :kept], more.lines[..., :kept]], axis=1)[:, order]
        aucs = np.concatenate([self.aucs, more.aucs], axis=1)[:, order]
        return Scores(self.loss, aucs, np.concatenate([self.held_out, more.held_out])[order], lines)


def folds(task: Task, count: int, seed: int, repeats: int = 1) -> list[Fold]:
    """Stratified folds that keep groups whole, or equal rows together; fewer where a class has fewer (distinct) rows.

    A single group cannot be kept whole: its rows are parted as if there were none.
    A fold whose held-out rows make no pair is left out.
    """
    rows = np.sort(np.concatenate([task.classes.pos, task.classes.neg]))
    y, group = task.data.y[rows], None if task.data.group is None else task.data.group[rows]
    group = group if group is not None and group.min() < group.max() else None
    count = min(count, task.fewest, count if group is None else len(np.unique(group)))
    distinct = None if group is not None else Distinct.of(task, rows, count)
    if distinct is not None:
        y, count = distinct.y, distinct.most(count)
    found = []
    for repeat in range(repeats):
        kind = StratifiedKFold if group is None else StratifiedGroupKFold
        splitter = kind(count, shuffle=True, random_state=(seed + repeat) % SEEDS)
        parts = splitter.split(np.zeros(len(y)), y, group)
        found += [(a, b) if distinct is None else distinct.rows(b) for a, b in parts]
    made = [Fold(rows[a], rows[b]) for a, b in found]
    return [fold for fold in made if all(len(np.unique(task.data.y[part])) == 2 for part in fold)]


class Given(NamedTuple):
    """Folds that the user gave, by the places of the rows that are left of X."""

    pairs: list[tuple[np.ndarray, np.ndarray]]

    @classmethod
    def of(cls, cv: Any, X: Any, y: np.ndarray, group: np.ndarray | None, kept: np.ndarray) -> Given:
        """Those of a splitter, of the rows that are kept; or pairs of rows, which count all of X."""
        if hasattr(cv, "split"):
            made = [(np.asarray(train), np.asarray(test)) for train, test in cv.split(X, y, group)]
            if all(len(side) == 0 or side.max() < len(y) for pair in made for side in pair):
                return cls(made)
            cv = made  # a splitter that was told the places of all rows, those of no weight among them
        place, cv = np.cumsum(kept) - 1, list(cv) if isinstance(cv, Iterable) else cv
        if cv == []:
            raise ValueError("cv: it has no folds; a generator has none after its first use: give a list of them.")
        try:
            pairs = [[np.arange(len(kept))[np.asarray(side)] for side in pair] for pair in cv]
            found = [(train, test) for train, test in pairs]
        except (IndexError, TypeError, ValueError) as error:
            raise ValueError(
                f"cv: expected pairs of rows to learn from and rows to rank, from 0 to {len(kept) - 1}; {error}."
            ) from error
        return cls([(place[train[kept[train]]], place[test[kept[test]]]) for train, test in found])

    def folds(self, task: Task) -> list[Fold]:
        """Those of the rows of a task, where there are pairs on either side."""
        part = task.classes.weight > 0.0
        made = [Fold(*(np.unique(side[part[side]]) for side in pair)) for pair in self.pairs]
        return [fold for fold in made if min(task.of_rows(side).fewest for side in fold) > 0]


def last_draw(parts: Sequence[Fold]) -> tuple[int, int]:
    """How often folds were drawn, and how many there are in the last draw."""
    draws = int(np.bincount(np.concatenate([fold.test for fold in parts])).max())
    return draws, -(-len(parts) // draws)


class Distinct(NamedTuple):
    """Rows of which some are equal: each distinct one once, labelled by the rarer of its labels."""

    place: np.ndarray  # of every row among the distinct ones
    y: np.ndarray
    sides: tuple[int, int]  # the distinct rows of either class; one may be of both

    @classmethod
    def of(cls, task: Task, rows: np.ndarray, count: int) -> Distinct | None:
        """None where no rows are equal, or where they cannot be kept in one fold.

        A class may have a single distinct row, or there may be less than two a fold: one alone ranks nothing.
        """
        firsts = None if task.alike is None else task.alike.firsts
        if firsts is None:
            return None
        _, place = np.unique(firsts[rows], return_inverse=True)
        y, n = task.data.y[rows], int(place.max()) + 1
        if n == len(rows):
            return None
        sides = [np.bincount(place[y == side], minlength=n) > 0 for side in (1, -1)]
        pos, neg = (int(side.sum()) for side in sides)
        rarer = sides[0] if pos <= neg else sides[1]
        many = n - int(rarer.sum()) >= count  # few without the rarer label are not worth a stratum of their own
        found = cls(place, np.where(rarer & many, 1, -1), (pos, neg))
        return found if 2 <= found.most(count) <= n // 2 else None

    def most(self, count: int) -> int:
        """So many folds, or as many as the smaller class has distinct rows."""
        return min(count, *self.sides)

    def rows(self, test: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rows to learn from and those to rank where some distinct ones are held out."""
        held = np.zeros(len(self.y), dtype=bool)
        held[test] = True
        return np.flatnonzero(~held[self.place]), np.flatnonzero(held[self.place])


class Plan(NamedTuple):
    """How folds are run: in how many threads, each learning from how many of its rows at the most; who keeps them.

    Samples that folds learn from are drawn once, and kept in ``samples`` for the next loss.
    """

    n_jobs: int
    most: float
    ledger: Ledger
    samples: dict[int, Task]

    def learner(self, task: Task, fold: Fold, k: int) -> Task:
        """The rows that fold k learns from: all in place, or a copy of a sample, half of it of either class."""
        if len(fold.train) <= self.most or task.data.group is not None:
            return task.of_rows(fold.train)
        if k not in self.samples:
            known = task.of_rows(fold.train)
            self.samples[k] = task.taken(balanced(known.classes, int(self.most), np.random.RandomState(0)))
        kept = self.samples[k]
        return task._replace(data=kept.data, classes=kept.classes, start=None)

    def all(self, work: Sequence[Callable[[], Any]]) -> list[Any]:
        """What some pieces of work come to, in their order; the longest are best first."""
        if self.n_jobs == 1:
            return [piece() for piece in work]
        with ThreadPoolExecutor(self.n_jobs) as pool:
            waiting = [pool.submit(piece) for piece in work]
            try:
                return [piece.result() for piece in waiting]
            except BaseException:  # a fault, or Ctrl-C: what has not begun is not wanted any more
                pool.shutdown(wait=False, cancel_futures=True)
                raise


class Begun(NamedTuple):
    """Weights of every fold to begin from: of the same loss on fewer rows, or of a convex one."""

    lines: np.ndarray
    same: bool


class Trial(NamedTuple):
    """A loss to try on every fold along a path of strengths.

    Beginning from weights of the same loss, the first strength alone.
    """

    loss: str
    strengths: np.ndarray
    begun: Begun | None = None

    def along(self, task: Task, known: Task, k: int) -> Iterator[np.ndarray]:
        """The path of fold k, by the rows it learns from, from where it begins, if that is known."""
        l2s, same = task.l2s(self.loss, self.strengths, known.classes), self.begun is not None and self.begun.same
        first = None if self.begun is None or not self.begun.lines.size else self.begun.lines[k]
        if first is None or not np.isfinite(first).all():
            return known.path(self.loss, l2s)
        return (
            iter([known.near(first, self.loss, l2s[0])]) if same else known._replace(convex=first).path(self.loss, l2s)
        )

    def pieces(self, task: Task, parts: list[Fold], plan: Plan) -> list[Callable[[], Scores]]:
        """The work on every fold."""
        kept = len(parts) * len(self.strengths) * task.data.d <= MOST_KEPT
        middle, number, count = task.middle(), plan.ledger.begin(), len(self.strengths)

        def run(k: int) -> Scores:
            shapes = (count,), (count, len(parts[k].test)), (count, task.data.d if kept else 0)
            aucs, held_out, lines = (np.full(shape, np.nan) for shape in shapes)
            before = plan.ledger.known(number, k, (aucs, held_out, lines))
            if before is not None:
                return Scores(self.loss, *before)
            known, aside = plan.learner(task, parts[k], k), task.taken(parts[k].test)
            for at, w in enumerate(self.along(task, known, k)):
                scores = aside.data.products(w[:, None])[:, 0]
                offset, length = task.measure(w, middle)
                aucs[at], held_out[at] = auc(aside.classes, scores), (scores - offset) / length
                lines[at] = w if kept else ()
                if aucs[at] < np.nanmax(aucs) - HOPELESS and known.auc(w) > LEARNT:
                    break
            plan.ledger.add(number, k, (aucs, held_out, lines))
            return Scores(self.loss, aucs, held_out, lines)

        return [partial(run, k) for k in range(len(parts))]

    def together(self, task: Task, parts: list[Fold], done: Sequence[Scores]) -> Scores:
        """What the folds came to, as one."""
        held_out = np.full((len(self.strengths), task.data.n), np.nan)
        for fold, found in zip(parts, done, strict=True):
            held_out[:, fold.test] = found.held_out
        aucs, lines = np.array([found.aucs for found in done]), np.array([found.lines for found in done])
        return Scores(self.loss, aucs, held_out, lines)


def model(task: Task, loss: str, l2: float, ledger: Ledger) -> Callable[[], np.ndarray]:
    """The work on the weights that are learnt from all rows."""
    number = ledger.begin()

    def run() -> np.ndarray:
        before = ledger.known(number, 0, (np.empty(task.data.d),))
        if before is not None:
            return before[0]
        w = next(task.path(loss, [l2]))
        ledger.add(number, 0, (w,))
        return w

    return run


def cross_validate(
    task: Task, trials: Sequence[Trial], parts: list[Fold], plan: Plan, first: Sequence[Callable[[], np.ndarray]] = ()
) -> tuple[list[Scores], list[np.ndarray]]:
    """Losses on every fold, and what other work comes to, all side by side; the same whatever the number of threads."""
    work = [trial.pieces(task, parts, plan) for trial in trials]
    done = plan.all([*first, *(piece for pieces in work for piece in pieces)])
    begun, count = len(first), len(parts)
    found = [done[begun + k * count : begun + (k + 1) * count] for k in range(len(trials))]
    return [trial.together(task, parts, scores) for trial, scores in zip(trials, found, strict=True)], done[:begun]
