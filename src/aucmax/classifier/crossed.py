"""The classifier that chooses by full cross-validation and keeps its results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from aucmax.classifier.choice import Chosen, Pick, choose, mean_aucs, reference
from aucmax.classifier.door import FrontDoor
from aucmax.classifier.folds import Fold, Scores, cross_validate, folds
from aucmax.classifier.paths import OF_SORTED_PAIRS, Task, l2_of
from aucmax.classifier.quick import AUTO
from aucmax.evaluate import check
from aucmax.evaluate.delong import interval, moments
from aucmax.evaluate.intervals import Class, Interval, Moments
from aucmax.model.params import COUNT, Range

STRONGEST, WEAKEST = 4, -4  # powers of ten of the path's strengths
REPEATED = 1500  # rows up to which the folds are drawn again
REPEATS = 4
LEVEL = 0.95


@dataclass(eq=False, repr=False)
class AUCClassifierCV(FrontDoor):
    r"""A classifier that ranks, its loss and penalty chosen by stratified cross-validation on AUC.

    The objective, ``coef_`` and the log-odds are those of :class:`AUCClassifier`, and so are the parameters that are
    not described here. The AUC along a path of penalties is smoothed, half of each value coming from its neighbours.
    Losses whose best AUCs differ by less than 0.001 are averaged.

    Parameters
    ----------
    losses : tuple of str, default=("logistic", "squared_hinge")
        The losses to choose from; with groups, those of them that are over pairs.
    n_l2 : int, default=10
        Penalties on the path, evenly spaced in the logarithm: from the strength of 10,000 rows to that of 0.0001.
    cv : int, default=5
        Folds; fewer where a class has fewer rows. Up to 1,500 rows they are drawn four times.
    l1, solver, kernel, n_components, multi_class, calibration, prevalence, threshold, costs, n_jobs, warm_start
        As in :class:`AUCClassifier`.
    one_standard_error : bool, default=False
        Take the strongest penalty whose mean AUC is within one standard error of the best.
    random_state : int, default=0
        Seeds the folds and landmarks.

    Attributes
    ----------
    coef_, intercept_, classes_, threshold_, loss_, l2_, blend_, embedding_
        As in :class:`AUCClassifier`.
    cv_results_ : dict of arrays
        ``loss``, ``l2``, ``mean_auc``, ``std_auc`` and the AUC of every fold, ``split0_auc`` and so on, averaged over
        the classes; not a number where a fold gave weak penalties up.
    best_score_ : float
        The mean AUC over the folds of the best loss and penalty.
    oof_auc_ : Interval or None
        The mean AUC of the held-out rows over the folds, with DeLong's standard error and a 95 % interval: two classes
        without groups only. It is of the model chosen by the same folds, hence a little optimistic.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import AUCClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AUCClassifierCV().fit(X[:400], y[:400])
    >>> bool(model.score(X[400:], y[400:]) > 0.99)
    True
    """

    _ranges: ClassVar[dict[str, Range]] = {
        "n_l2": COUNT,
        "cv": COUNT._replace(low=2),
        "random_state": COUNT._replace(low=0),
        **FrontDoor._shared_ranges,
    }

    losses: tuple[str, ...] = AUTO
    n_l2: int = 10
    cv: int = 5
    l1: float = field(default=0.0, kw_only=True)
    solver: str = field(default="auto", kw_only=True)
    one_standard_error: bool = field(default=False, kw_only=True)
    random_state: int = field(default=0, kw_only=True)

    def _losses(self, grouped: bool) -> list[str]:
        losses = list(self.losses)
        return [loss for loss in losses if loss in OF_SORTED_PAIRS] or losses if grouped else losses

    def _choose(self, tasks: list[Task]) -> Chosen:
        losses = self._losses(tasks[0].data.group is not None)
        few = min(task.fewest for task in tasks)
        if few < 2:
            raise ValueError(
                "A class has one row only, so there is none to hold out in cross-validation; expected at least 2 of "
                "each: give more rows, or use AUCClassifier."
            )
        strengths = dict.fromkeys(losses, np.logspace(STRONGEST, WEAKEST, self.n_l2))
        repeats = REPEATS if tasks[0].data.n <= REPEATED else 1
        parts = [folds(task, self.cv, self.random_state, repeats) for task in tasks]
        scores = [
            cross_validate(task, losses, strengths, made, self.n_jobs) for task, made in zip(tasks, parts, strict=True)
        ]
        picks = choose(scores, strengths, tasks, blend=True)
        if self.one_standard_error:
            picks = tuple(_stronger(pick, scores, strengths[pick.loss]) for pick in picks)
        made = min(self.cv, few)
        reason = f"mean AUC {mean_aucs(scores)[losses.index(picks[0].loss)][picks[0].at]:.4f} in {made}-fold"
        reason += " cross-validation" + (f", repeated {repeats} times" if repeats > 1 else "")
        if made < self.cv:
            reason += f" (not {self.cv} folds: a class has {few} rows)"
        return Chosen(picks, reason, scores, strengths, parts)

    def _note(self, chosen: Chosen, tasks: list[Task]) -> None:
        losses, aucs = list(chosen.strengths), _split_aucs(chosen.scores)
        classes, best = reference(tasks), chosen.picks[0]
        self.cv_results_ = {
            "loss": np.repeat(losses, self.n_l2),
            "l2": np.array([l2_of(loss, strength, classes) for loss in losses for strength in chosen.strengths[loss]]),
            "mean_auc": aucs.mean(axis=0),
            "std_auc": aucs.std(axis=0),
            **{f"split{k}_auc": values for k, values in enumerate(aucs)},
        }
        self.best_score_ = float(self.cv_results_["mean_auc"][losses.index(best.loss) * self.n_l2 + best.at])
        self.oof_auc_ = None
        if len(tasks) == 1 and tasks[0].data.group is None and tasks[0].fewest >= 2 * self.cv:
            self.oof_auc_ = _out_of_fold(tasks[0], chosen, chosen.parts[0][-self.cv :])


def _stronger(pick: Pick, scores: Sequence[Sequence[Scores]], strengths: np.ndarray) -> Pick:
    """The strongest penalty of a loss within one standard error of the best."""
    aucs = np.mean([found.aucs for by_loss in scores for found in by_loss if found.loss == pick.loss], axis=0)
    means = np.where(np.isnan(aucs).any(axis=0), -np.inf, aucs.mean(axis=0))
    error = aucs[:, pick.at].std(ddof=1) / np.sqrt(len(aucs))
    at = int(np.argmax(means >= means[pick.at] - error))
    return Pick(pick.loss, pick.l2 * float(strengths[at] / strengths[pick.at]), at)


def _split_aucs(scores: Sequence[Sequence[Scores]]) -> np.ndarray:
    """AUCs by fold, then by loss and strength in one line, averaged over the tasks."""
    made = min(len(found.aucs) for by_loss in scores for found in by_loss)
    lines = [np.concatenate([found.aucs[:made] for found in by_loss], axis=1) for by_loss in scores]
    return np.asarray(np.mean(lines, axis=0))


def _out_of_fold(task: Task, chosen: Chosen, parts: Sequence[Fold]) -> Interval:
    """The mean over folds of the AUC of held-out rows, and its interval: a mean over disjoint sets of rows."""
    scores = chosen.held_out(0)
    if scores is None:
        raise ValueError("No scores were held out.")
    found = []
    for fold in parts:
        y, weight = task.data.y[fold.test], task.data.weight[fold.test]
        found.append(moments(check.two_sided(y > 0, scores[fold.test], weight)))
    sides = []
    for side in ("pos", "neg"):
        each = [getattr(moment, side) for moment in found]
        n, informative = sum(one.n for one in each), sum(one.informative for one in each)
        sides.append(Class(n, float(np.mean([one.variance for one in each])), informative))
    return interval(Moments(float(np.mean([moment.auc for moment in found])), *sides), LEVEL)
