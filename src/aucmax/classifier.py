"""The front door: ``AUCClassifier`` picks loss and penalty by itself, ``AUCClassifierCV`` by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from aucmax.kernel.pairs import Classes
from aucmax.model.data import Data
from aucmax.model.frontdoor import Chosen, FrontDoor, best_of, classes_of, split_aucs
from aucmax.model.newton import balanced
from aucmax.model.params import COUNT, PENALTY, Choice, Range
from aucmax.model.selection import LOSSES, cross_validate, fewest, folds, l2_of

CONVEX = tuple(LOSSES)
QUICK_LOSSES = ("logistic", "squared_hinge")  # those that loss="auto" chooses from
QUICK_ROWS = 5000  # rows of the quick choice
QUICK_FOLDS = 4
QUICK_STRENGTHS = 10.0 ** np.arange(3, -3, -1)
USUAL_STRENGTH = 1.0  # without rows to hold out


@dataclass(eq=False, repr=False)
class AUCClassifier(FrontDoor):
    r"""A classifier that ranks, with nothing to tune.

    Minimises, with ``size_j`` the size of a column (its standard deviation; in sparse data the geometric mean of that
    and its largest value), the mean over all pairs of a positive and a negative row for a pair loss, and the
    class-balanced mean over rows for the logistic loss,

    .. math:: \mathrm{mean}\,loss + \frac{l_2}{2}\sum_j (size_j w_j)^2

    so that the units of X do not matter. ``coef_`` is in the units of X. A sigmoid is folded into it, so that
    ``decision_function`` is the log-odds. With more than two classes, each is ranked against the rest.

    Parameters
    ----------
    loss : {"auto", "logistic", "squared_hinge", "smooth_hinge"}, default="auto"
        The loss; "auto" takes the logistic or the squared hinge, whichever ranks held-out rows better.
    l2 : float or "auto", default="auto"
        The penalty, at least 0, on columns of unit size; "auto" takes the one of six that ranks held-out rows best, by
        4 folds of at most 5,000 rows, and makes it smaller for more rows.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d) or (classes, d)
        Weights of the log-odds, in the units of X.
    intercept_ : ndarray of shape (1,) or (classes,)
        Their intercepts.
    classes_ : ndarray
        The labels.
    loss_, l2_ : str, float
        What was chosen; ``explain_choice()`` says why.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import AUCClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AUCClassifier().fit(X[:400], y[:400])
    >>> bool(model.score(X[400:], y[400:]) > 0.99)
    True
    """

    _ranges: ClassVar[dict[str, Range]] = {
        "loss": Choice(("auto", *CONVEX)),
        "l2": PENALTY._replace(word="auto"),
    }

    loss: str = "auto"
    l2: float | str = "auto"

    def _choose(self, tasks: list[Data], sizes: np.ndarray) -> Chosen:
        losses = list(QUICK_LOSSES) if self.loss == "auto" else [self.loss]
        strengths = QUICK_STRENGTHS
        if self.l2 != "auto" and len(losses) == 1:
            return Chosen(losses[0], float(self.l2), "both as given", [], strengths)
        if min(map(fewest, tasks)) < 2:
            l2 = l2_of(losses[0], USUAL_STRENGTH, classes_of(tasks)) if self.l2 == "auto" else float(self.l2)
            return Chosen(losses[0], l2, "a class has one row only, so there is none to hold out", [], strengths)
        parts = [_part(task) for task in tasks]
        if self.l2 != "auto":
            return self._with_penalty(parts, sizes, losses)
        scores = [cross_validate(part, sizes, losses, strengths, folds(part, QUICK_FOLDS, 0), 1) for part in parts]
        k, at, means = best_of(scores)
        reason = (
            f"the highest AUC, {means[k, at]:.4f}, in cross-validation on {parts[0].n} of {tasks[0].n} rows, from "
            f"{len(losses)} loss(es) and {len(strengths)} penalties"
        )
        return Chosen(losses[k], l2_of(losses[k], strengths[at], classes_of(tasks)), reason, scores, strengths, at)

    def _with_penalty(self, parts: list[Data], sizes: np.ndarray, losses: list[str]) -> Chosen:
        """The loss that ranks held-out rows better under a given penalty."""
        found: list[tuple[float, str]] = []
        for loss in losses:
            strength = np.array([float(self.l2) / l2_of(loss, 1.0, classes_of(parts))])
            scores = [cross_validate(part, sizes, [loss], strength, folds(part, QUICK_FOLDS, 0), 1) for part in parts]
            found.append((float(best_of(scores)[2].max()), loss))
        auc, loss = max(found, key=lambda pair: pair[0])
        reason = f"l2 as given, the loss of the higher AUC, {auc:.4f}, in cross-validation on {parts[0].n} rows"
        return Chosen(loss, float(self.l2), reason, [], QUICK_STRENGTHS)


def _part(task: Data) -> Data:
    """At most so many rows for a quick choice: half of them of the smaller class, as far as there are enough."""
    if task.n <= QUICK_ROWS:
        return task
    return task.taken(balanced(Classes.of(task.y, task.weight), QUICK_ROWS, np.random.RandomState(0)))


@dataclass(eq=False, repr=False)
class AUCClassifierCV(FrontDoor):
    r"""A classifier that ranks, its loss and penalty chosen by stratified cross-validation on AUC.

    The objective, ``coef_`` and the log-odds are those of :class:`AUCClassifier`.

    Parameters
    ----------
    losses : tuple of str, default=("logistic", "squared_hinge")
        The losses to choose from.
    n_l2 : int, default=10
        Penalties on the path, evenly spaced in the logarithm: from the strength of 10,000 rows to that of 0.01.
    cv : int, default=5
        Folds; fewer where a class has fewer rows.
    one_standard_error : bool, default=False
        Take the strongest penalty whose mean AUC is within one standard error of the best.
    n_jobs : int, default=1
        Threads; they share X and change no number.
    random_state : int, default=0
        Seeds the folds.

    Attributes
    ----------
    coef_, intercept_, classes_, loss_, l2_
        As in :class:`AUCClassifier`.
    cv_results_ : dict of arrays
        ``loss``, ``l2``, ``mean_auc``, ``std_auc`` and the AUC of every fold, ``split0_auc`` and so on, averaged over
        the classes.
    best_score_ : float
        The mean AUC over the folds of what was chosen.

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
        "n_jobs": COUNT,
        "random_state": COUNT._replace(low=0),
    }

    losses: tuple[str, ...] = QUICK_LOSSES
    n_l2: int = 10
    cv: int = 5
    one_standard_error: bool = field(default=False, kw_only=True)
    n_jobs: int = field(default=1, kw_only=True)
    random_state: int = field(default=0, kw_only=True)

    def _choose(self, tasks: list[Data], sizes: np.ndarray) -> Chosen:
        losses = list(self.losses)
        if not losses or not set(losses) <= set(CONVEX):
            raise ValueError(f"AUCClassifierCV(losses={self.losses!r}): expected some of {', '.join(CONVEX)}.")
        few = min(map(fewest, tasks))
        if few < 2:
            raise ValueError(
                "A class has one row only, so there is none to hold out in cross-validation; expected at least 2 of "
                "each: give more rows, or use AUCClassifier."
            )
        strengths = np.logspace(4, -2, self.n_l2)
        scores = [
            cross_validate(task, sizes, losses, strengths, folds(task, self.cv, self.random_state), self.n_jobs)
            for task in tasks
        ]
        k, at, means = best_of(scores)
        made = split_aucs(scores)[k]
        if self.one_standard_error:
            error = made[:, at].std(ddof=1) / np.sqrt(len(made))
            at = int(np.argmax(means[k] >= means[k, at] - error))
        reason = f"mean AUC {means[k, at]:.4f} in {len(made)}-fold cross-validation"
        if len(made) < self.cv:
            reason += f" (not {self.cv} folds: a class has {few} rows)"
        return Chosen(losses[k], l2_of(losses[k], strengths[at], classes_of(tasks)), reason, scores, strengths, at)

    def _note(self, chosen: Chosen) -> None:
        made = split_aucs(chosen.scores)
        losses = [s.loss for s in chosen.scores[0]]
        flat = made.transpose(1, 0, 2).reshape(made.shape[1], -1)
        self.cv_results_ = {
            "loss": np.repeat(losses, len(chosen.strengths)),
            "l2": np.array([chosen.l2_of(loss, strength) for loss in losses for strength in chosen.strengths]),
            "mean_auc": flat.mean(axis=0),
            "std_auc": flat.std(axis=0),
            **{f"split{k}_auc": aucs for k, aucs in enumerate(flat)},
        }
        at = losses.index(chosen.loss) * len(chosen.strengths) + chosen.at
        self.best_score_ = float(self.cv_results_["mean_auc"][at])
