"""Choosing losses and penalties by the AUC of held-out rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from aucmax.classifier.folds import Fold, Scores
from aucmax.classifier.paths import Task, l2_of
from aucmax.kernel.classes import Classes

CLOSE = 0.002  # losses whose best AUCs differ by less are as good as equal, and averaged
PREFERENCE = 0.5  # for strong penalties: a stronger one may cost so many standard errors of its difference to the best


class Pick(NamedTuple):
    """A loss with its penalty; ``at`` is the place of its strength on the path."""

    loss: str
    l2: float
    at: int = 0


class Chosen(NamedTuple):
    """One loss, or several to be averaged, the best first; why; and what the choice was made by."""

    picks: tuple[Pick, ...]
    reason: str
    scores: Sequence[Sequence[Scores]] = ()  # by task, then by loss
    strengths: Mapping[str, np.ndarray] = MappingProxyType({})
    parts: Sequence[Sequence[Fold]] = ()  # by task

    def held_out(self, task: int) -> np.ndarray | None:
        """Scores of every row by models that did not learn from it, where the choice has left some."""
        if not self.scores:
            return None
        by_loss = {found.loss: found.held_out for found in self.scores[task]}
        parts = [by_loss[pick.loss][pick.at] for pick in self.picks]
        return np.asarray(np.sum([normalised(part) for part in parts], axis=0)) if len(parts) > 1 else parts[0]


def normalised(scores: np.ndarray) -> np.ndarray:
    """Scores on a common scale, so that they may be averaged."""
    spread = float(np.nanstd(scores))
    return scores / spread if spread > 0.0 else scores


def mean_aucs(scores: Sequence[Sequence[Scores]]) -> list[np.ndarray]:
    """For every loss the mean AUC along its path, over folds and tasks; -inf where a fold gave up."""
    means = [np.mean([by_loss[k].aucs.mean(axis=0) for by_loss in scores], axis=0) for k in range(len(scores[0]))]
    return [np.where(np.isnan(mean), -np.inf, mean) for mean in means]


def smoothed(means: np.ndarray) -> np.ndarray:
    """AUCs along a path, each half by itself and half by its neighbours: the true ones are smooth, their noise is not.

    A neighbour that was given up counts as the lowest.
    """
    known = np.isfinite(means)
    if not known.any():
        return means
    filled = np.where(known, means, means[known].min())
    around = np.pad(filled, 1, mode="edge")
    return np.where(known, 0.5 * filled + 0.25 * (around[:-2] + around[2:]), -np.inf)


def reference(tasks: list[Task]) -> Classes:
    """The classes of the task with the fewest rows in one of them: the penalty is one for all."""
    return min(tasks, key=lambda task: task.fewest).classes


def choose(
    scores: Sequence[Sequence[Scores]], strengths: Mapping[str, np.ndarray], tasks: list[Task], blend: bool
) -> tuple[Pick, ...]:
    """The best strength of every loss, or a stronger one about as good; of the losses the best, and its equals."""
    classes = reference(tasks)
    found = []
    for k, means in enumerate(mean_aucs(scores)):
        loss, curve = scores[0][k].loss, smoothed(means)
        best = int(np.argmax(curve))
        at = int(np.argmax(curve[best] - curve <= PREFERENCE * _errors([by[k] for by in scores], best)))
        found.append((curve[best], Pick(loss, l2_of(loss, strengths[loss][at], classes), at)))
    found.sort(key=lambda pair: -pair[0])
    return tuple(pick for value, pick in found if pick is found[0][1] or (blend and value > found[0][0] - CLOSE))


def _errors(found: list[Scores], best: int) -> np.ndarray:
    """Standard errors of the mean differences to the best strength, over folds and tasks; zero where there is none."""
    gaps = np.concatenate([scores.aucs[:, [best]] - scores.aucs for scores in found])
    errors = gaps.std(axis=0, ddof=1) / np.sqrt(len(gaps)) if len(gaps) > 1 else np.zeros(gaps.shape[1])
    return np.where(np.isfinite(errors), errors, 0.0)
