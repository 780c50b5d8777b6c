"""What a choice was made by, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from aucmax.classifier.choice import PREFERENCE, Chosen, Search
from aucmax.classifier.folds import Fold, last_draw
from aucmax.classifier.paths import Task

MEASURES = {
    "std": "their standard deviation",
    "geometric": "the geometric mean of their standard deviation and largest value",
}

Parts = Sequence[tuple[Task, list[Fold]]]


def of_choice(chosen: Chosen, search: Search, how: str, tasks: int, given: bool = False) -> str:
    """Why a loss and its penalty were chosen: by which rows, among what, by which rule."""
    parts = list(search.parts.values())
    words = f"AUC {chosen.auc:.4f} of rows held out ({how}), {_of_losses(chosen)}"
    if len(search.sizes) > 1:
        words += f"; columns measured by {MEASURES[chosen.scaling]}, which ranked such rows best"
    if len(parts) < tasks:
        words += f"; {tasks - len(parts)} of {tasks} rankings took no part, since a class has no row to hold out"
    return words + of_equal_rows(parts, given)


def _of_losses(chosen: Chosen) -> str:
    """What was tried, and which of it is taken."""
    losses = list(chosen.strengths)
    if chosen.given is not None:
        return f"the highest among {_listed(losses)} with the given l2"
    if len(losses) == 1 and len(chosen.strengths[losses[0]]) == 1:
        return f"of {losses[0]}, the only loss, with the only penalty"
    tried = _listed(f"{loss} with {len(path)} penalties" for loss, path in chosen.strengths.items())
    loss = "" if len(losses) == 1 else "the loss of the highest AUC and "
    return f"among {tried}: {loss}{_of_rule(chosen)}"


def _of_rule(chosen: Chosen) -> str:
    """Which of its penalties a loss takes."""
    if sum(map(len, chosen.parts)) == 1:
        return "its best penalty"
    within = "half a" if chosen.preference == PREFERENCE else "one"
    return f"the strongest of its penalties within {within} standard error of its best"


def of_folds(parts: Parts, wanted: int | None) -> str:
    """How many folds there are, why not as many as wanted, and how often they were drawn; None: they were given."""
    if wanted is None:
        return f"{max(len(made) for _, made in parts)} given folds"
    draws, counts = zip(*(last_draw(made) for _, made in parts), strict=True)
    fewest = int(np.argmin(counts))
    most = "" if min(counts) == max(counts) else f" to {max(counts)}"
    words = f"{min(counts)}{most} folds"
    if min(counts) < wanted:
        words += f", since {_of_want(parts[fewest][0], counts[fewest])}"
    if max(draws) > 1:
        words += f", drawn {'up to ' if min(draws) < max(draws) else ''}{max(draws)} times"
    return words


def _of_want(task: Task, count: int) -> str:
    """Of what there is too little for more folds."""
    group = task.data.group
    if group is not None and len(np.unique(group[task.classes.weight > 0.0])) == count:
        return f"there are {count} groups"
    return f"a class has {count} {'' if task.fewest == count else 'distinct '}rows"


def of_equal_rows(parts: Parts, given: bool) -> str:
    """How many rows equal an earlier one, and whether folds have kept them together; nothing where all differ."""
    task = parts[0][0]
    if task.alike is None or task.alike.repeats == 0:
        return ""
    words = f"; {task.alike.repeats} of {task.data.n} rows equal an earlier one, "
    if not any(_parted(each, fold) for each, made in parts for fold in made):
        return words + "and equal rows were kept in one fold"
    if given:
        return words + "but the given folds do not keep them together"
    if task.data.group is not None:
        return words + "but groups were kept in one fold, not equal rows"
    return words + "but are ranked beside rows learnt from, since a class has too few distinct ones to keep them apart"


def of_l2(l2: float | np.ndarray) -> str:
    """A penalty, or the least and the largest of several."""
    least, largest = np.min(l2), np.max(l2)
    return f"{least:.3g}" if least == largest else f"{least:.3g} to {largest:.3g}"


def _parted(task: Task, fold: Fold) -> bool:
    """Whether a row to rank equals one that was learnt from."""
    firsts = None if task.alike is None else task.alike.firsts
    if firsts is None:
        return False
    learnt = np.zeros(len(firsts), dtype=bool)
    learnt[firsts[fold.train]] = True
    return bool(learnt[firsts[fold.test]].any())


def _listed(names: Iterable[str]) -> str:
    """Names as a sentence lists them."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
