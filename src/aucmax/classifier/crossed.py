"""The classifier that chooses by full cross-validation and keeps its results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from aucmax.classifier import rules, words
from aucmax.classifier.choice import PREFERENCE, Chosen, Search, repeated_folds
from aucmax.classifier.door import FrontDoor
from aucmax.classifier.folds import Fold, Given, last_draw
from aucmax.classifier.paths import LOSSES as KNOWN
from aucmax.classifier.paths import STOCHASTIC, USUAL_STRENGTH, Task, l2_of, within_groups
from aucmax.evaluate import check
from aucmax.evaluate.delong import interval, moments
from aucmax.evaluate.intervals import Class, Interval, Moments
from aucmax.model.newton import MATRIX_LIMIT
from aucmax.model.params import COUNT, Range, check_parameters

LOSSES = ("logistic", "ramp", "square")
CONVEX = ("logistic", "square")
STRONGEST, WEAKEST = 3.5, -3.0  # powers of ten of the path's strengths
REPEATS = 4
LEVEL = 0.95
FEW_ROWS = 1500  # up to which the square loss is not among those to choose from
LEARN = 5000  # rows at the most from which a fold learns while the choice is made


@dataclass(eq=False, repr=False)
class AUCClassifierCV(FrontDoor):
    r"""A classifier that ranks, its loss and penalty chosen by stratified cross-validation on AUC.

    The objective, ``coef_`` and the log-odds are those of :class:`AUCClassifier`, and so are the parameters that are
    not described here.

    Parameters
    ----------
    losses : tuple of str, str or None, default=None
        The losses to choose from; None is ``("logistic", "ramp", "square")``, the last of more than 1,500 rows and up
        to 500 columns only (or rows, of a wide dense table), without the ramp where ``l1`` is above 0 or the solver is
        "proximal", and ``("square", "smooth_hinge")`` where it is "stochastic". With groups, the squared hinge stands
        in for those that are not over pairs. The first is tried along the whole path, the others at the three penalties
        around its best.
    n_l2 : int, default=10
        Penalties on the path, evenly spaced in the logarithm: from the strength of some 3,000 rows to that of 0.001. Of
        up to 5,000 rows two more are tried, between the best and its neighbours. A single one is that of one row.
    cv : int, splitter or iterable, default=5
        Folds; fewer where a class has fewer distinct rows. Equal rows stay in one fold; with groups, groups do. Where
        ``4n⁺n⁻/n`` is at most 1,500 they are drawn four times. A splitter of scikit-learn, or pairs of rows to learn
        from and rows to rank, by their place in X, are taken as they are; files of models and checkpoints hold pairs,
        but no splitter. Of more than 5,000 rows (without groups) a fold learns from 5,000 while the choice is made,
        half of either class as far as there are enough; the choice is then made good with all of them.
    l1, solver, kernel, n_components, multi_class, calibration, prevalence, threshold, costs, n_jobs, warm_start
        As in :class:`AUCClassifier`.
    one_standard_error : bool, default=False
        Take the strongest penalty whose mean AUC is within one standard error of the best, not half: that of the mean
        over folds of the difference between the two.
    random_state : int, RandomState instance or None, default=None
        Seeds the folds and landmarks; None is 0, so that a fit always gives the same model.

    Attributes
    ----------
    coef_, intercept_, classes_, threshold_, loss_, l2_, embedding_
        As in :class:`AUCClassifier`.
    cv_results_ : dict of arrays
        ``loss``, ``l2``, ``mean_auc``, ``std_auc`` and the AUC of every fold, ``split0_auc`` and so on, averaged over
        the classes; not a number where a fold gave weak penalties up. What the choice was made by. Of more than two
        classes ``l2`` is the mean over the lines of ``coef_``, so that what was chosen has that of ``l2_``.
    best_score_ : float
        The mean AUC over the folds of what was chosen, learnt from all of their rows.
    oof_auc_ : Interval or None
        The mean AUC of the held-out rows over the folds (of the last draw), with DeLong's standard error and a 95 %
        interval. It is of the model chosen by the same folds, hence a little optimistic, and takes equal rows for
        independent ones. None with more than two classes, with groups, and where a fold holds out a single row of a
        class, as those of a class of less than ``2cv`` rows do.

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
        "cv": rules.FOLDS,
        "random_state": rules.SEED,
        **FrontDoor._shared_ranges,
    }

    losses: tuple[str, ...] | str | None = None
    n_l2: int = 10
    cv: Any = 5
    l1: float = field(default=0.0, kw_only=True)
    solver: str = field(default="auto", kw_only=True)
    one_standard_error: bool = field(default=False, kw_only=True)
    random_state: int | np.random.RandomState | None = field(default=None, kw_only=True)

    def _losses(self, grouped: bool) -> list[str]:
        losses = self._named()
        return within_groups(losses) if grouped and set(losses) <= set(KNOWN) else losses

    def _named(self) -> list[str]:
        """The losses as given, or those that go with the solver: the ramp is for Newton's method only."""
        if self.losses is None:
            check_parameters(self, self._ranges)
            solver = "proximal" if self.l1 > 0 else rules.solver_of(self)
            return list({"newton": LOSSES, "proximal": CONVEX, "stochastic": tuple(STOCHASTIC)}[solver])
        if isinstance(self.losses, str):
            return [self.losses]
        if not isinstance(self.losses, Iterable) or not all(isinstance(loss, str) for loss in self.losses):
            raise ValueError(
                f"AUCClassifierCV(losses={self.losses!r}): expected None or some of {', '.join(KNOWN)}, as a tuple."
            )
        return list(self.losses)

    def _fit(self, X: Any, labels: np.ndarray, weight: np.ndarray, group: np.ndarray | None, kept: np.ndarray) -> None:
        self._given = None if isinstance(self.cv, Integral) else Given.of(self.cv, X, labels, group, kept)
        try:
            super()._fit(X, labels, weight, group, kept)
        finally:
            del self._given

    def _folds(self, task: Task, seed: int) -> list[Fold]:
        """The folds of a task; none where there is nothing to hold out."""
        if self._given is not None:
            return self._given.folds(task)
        return repeated_folds(task, self.cv, seed, REPEATS) if task.fewest > 1 else []

    def _choose(self, tasks: list[Task], sizes: dict[str, np.ndarray]) -> Chosen:
        losses, seed = self._losses(tasks[0].data.group is not None), self._seed
        # the square loss is slow where it is not solved in one step; of few rows, one more to choose from loses
        # more by chance than it brings
        if self.losses is None and self.solver != "stochastic":
            spared = tasks[0].data.d > MATRIX_LIMIT or tasks[0].data.n <= FEW_ROWS
            losses = [loss for loss in losses if not (spared and loss == "square")]
        parts = {k: (task, made) for k, task in enumerate(tasks) if (made := self._folds(task, seed))}
        if not parts:
            raise ValueError(
                "A class has too few rows that make pairs for some to be held out in cross-validation; expected at "
                "least 2 of each: give more rows, or use AUCClassifier."
                if self._given is None
                else "cv: no fold has rows of both classes to learn from, and some of both to rank; give such folds."
            )
        paths = dict.fromkeys(losses, self._path())
        search = Search(parts, paths, sizes, self._plan(LEARN), finely=tasks[0].data.n <= LEARN)
        found = search.run(1.0 if self.one_standard_error else PREFERENCE)
        chosen = search.confirmed(found, self._given is not None)
        learnt = f", chosen by models of {LEARN} rows" if chosen.confirmed else ""
        how = words.of_folds(list(parts.values()), self.cv if self._given is None else None) + learnt
        return chosen._replace(reason=words.of_choice(chosen, search, how, len(tasks), self._given is not None))

    def _path(self) -> np.ndarray:
        """The strengths to try; the usual one where it is to be one only."""
        return np.array([USUAL_STRENGTH]) if self.n_l2 == 1 else np.logspace(STRONGEST, WEAKEST, self.n_l2)

    def _note(self, chosen: Chosen, tasks: list[Task]) -> None:
        tried = [(loss, strength) for loss, path in chosen.strengths.items() for strength in path]
        made = min(len(found.aucs) for by_loss in chosen.scores for found in by_loss)
        lines = [np.concatenate([found.aucs[:made] for found in by_loss], axis=1) for by_loss in chosen.scores]
        aucs = np.mean(lines, axis=0)
        l2s = [np.mean([l2_of(loss, strength, task.classes) for task in tasks]) for loss, strength in tried]
        self.cv_results_ = {
            "loss": np.array([loss for loss, _ in tried]),
            "l2": np.array(l2s),
            "mean_auc": aucs.mean(axis=0),
            "std_auc": aucs.std(axis=0),
            **{f"split{k}_auc": values for k, values in enumerate(aucs)},
        }
        self.best_score_ = chosen.auc
        self.oof_auc_ = _out_of_fold(tasks[0], chosen) if len(tasks) == 1 and tasks[0].data.group is None else None


def _out_of_fold(task: Task, chosen: Chosen) -> Interval | None:
    """The mean over folds of the AUC of held-out rows, and its interval: a mean over disjoint sets of rows.

    The folds are those of the last draw. None where they overlap, or where one has a single row of a class: no spread.
    """
    scores, parts = chosen.held_out(0), chosen.parts[0][-last_draw(chosen.parts[0])[1] :]
    labels = [task.data.y[fold.test] > 0 for fold in parts]
    if scores is None or last_draw(parts)[0] > 1 or min(min(y.sum(), (~y).sum()) for y in labels) < 2:
        return None
    found = [
        moments(check.two_sided(y, scores[fold.test], task.data.weight[fold.test]))
        for y, fold in zip(labels, parts, strict=True)
    ]
    sides = []
    for side in ("pos", "neg"):
        each = [getattr(moment, side) for moment in found]
        n, informative = sum(one.n for one in each), sum(one.informative for one in each)
        sides.append(Class(n, float(np.mean([one.variance for one in each])), informative))
    return interval(Moments(float(np.mean([moment.auc for moment in found])), *sides), LEVEL)
