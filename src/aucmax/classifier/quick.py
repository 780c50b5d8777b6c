"""The classifier with nothing to tune."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from aucmax.classifier import words
from aucmax.classifier.choice import Chosen, Search, scarce
from aucmax.classifier.door import FrontDoor
from aucmax.classifier.folds import Fold, folds
from aucmax.classifier.paths import LOSSES, USUAL_STRENGTH, Task, l2_of, within_groups
from aucmax.classifier.rules import SEED
from aucmax.classifier.streaming import StreamingDoor
from aucmax.model.params import PENALTY, Choice, Range
from aucmax.model.problem import balanced

AUTO = ("logistic", "squared_hinge")  # the losses that loss="auto" chooses from
FEW_ROWS = ("logistic", "ramp")  # and of few rows, or of few in one class, where the ramp is quick
STRENGTHS = 10.0 ** np.arange(3, -4, -1)
SMALL = 5000  # rows up to which there are folds, each of so many; above, one part is held out, if no class is scarce
FOLDS = 5
LEARN, RANK = 4000, 12_000  # rows to learn from and to rank, of many


@dataclass(eq=False, repr=False)
class AUCClassifier(StreamingDoor):
    r"""A classifier that ranks, with nothing to tune.

    Minimises, with ``size_j`` the size of a column (its standard deviation, single gross values of dense columns
    brought near; in sparse data that, or its geometric mean with the largest value, whichever serves better), the mean
    over all pairs of a positive and a negative row for a pair loss, and the class-balanced mean over rows for the
    logistic loss,

    .. math:: \mathrm{mean}\,loss + \frac{l_2}{2}\sum_j (size_j w_j)^2 + l_1\sum_j size_j |w_j|

    so that the units of X do not matter. ``coef_`` is in the units of X. A sigmoid is folded into it, so that
    ``decision_function`` is the log-odds.

    Parameters
    ----------
    loss : {"auto", "logistic", "squared_hinge", "smooth_hinge", "square", "ramp"}, default="auto"
        The loss; "auto" takes the logistic or the squared hinge, of few rows the logistic or the ramp, whichever ranks
        held-out rows best. Few are up to 5,000, or up to 20,000 with ``4n⁺n⁻/n`` at most 1,500. "ramp" is AUC itself
        but for a smooth step; it is not convex, starts from convex solutions and never ends above them in its
        objective.
    l2 : float or "auto", default="auto"
        The penalty, at least 0, on columns of unit size; "auto" takes the strongest of seven whose AUC of held-out rows
        is within half a standard error of the best, by 5 folds of few rows (and then of two more, between the best and
        its neighbours), each learning from 5,000 at the most, or by 4,000 rows to learn from and 12,000 others of many,
        and makes it smaller for more rows. Equal rows are held out together; with groups, groups are.
    l1 : float, default=0
        The ℓ1 penalty, at least 0, on columns of unit size; not for the ramp.
    solver : {"auto", "newton", "proximal", "stochastic"}, default="auto"
        "auto" is Newton's method, or proximal steps with ``l1``; "stochastic" passes over scaled rows, for the losses
        "square" (SPAM) and "smooth_hinge" (ASAM). ``partial_fit`` has a solver of its own.
    kernel : {None, "rbf"}, default=None
        "rbf" puts ``KMeansNystroem``, on columns of unit size, in front; ``coef_`` then weighs its features.
    n_components : int, default=500
        Landmarks of the kernel.
    multi_class : {"ovr", "ovo"}, default="ovr"
        With more than two classes, rank each against the rest, or all pairs of classes (Hand and Till).
    calibration : {"platt", "cv"}, default="platt"
        The sigmoid is fitted to held-out scores where the choice of the penalty has left some of all rows, and to the
        scores of the training rows otherwise; "cv" holds rows out for it in any case.
    prevalence : float or array-like, optional
        Of the positive class, or of every class, where the model will be used; that of the training rows by default.
    threshold : {None, "youden", "balanced", "cost"} or float, default=None
        The probability above which ``predict`` says positive: 0.5; the one of the largest recall minus false positive
        rate; the prevalence, as if classes were of one size; the one of least cost; or as given. Two classes only.
    costs : tuple of two floats or dict, optional
        Of a false positive and of a false negative, or by label what an error on a row of it costs, such as
        ``{"fine": 1, "fraud": 20}``; for ``threshold="cost"`` alone.
    n_jobs : int or None, default=1
        Threads, None being 1 and -1 one for each processor; they share X and change no number.
    warm_start : bool, default=False
        Start from the weights of the earlier fit.
    random_state : int, RandomState instance or None, default=None
        Seeds samples, folds and landmarks; None is 0, so that a fit always gives the same model.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d) or (classes, d)
        Weights of the log-odds, in the units of X. With ``multi_class="ovo"`` a line for each pair of classes, in the
        order of ``itertools.combinations``, for the second of the two.
    intercept_ : ndarray of shape (1,) or (classes,)
        Their intercepts.
    classes_ : ndarray
        The labels.
    threshold_ : float
        The probability above which ``predict`` says positive.
    loss_ : str
        The loss that was chosen; ``explain_choice()`` says why.
    l2_ : float or ndarray
        The penalty; of more than two classes, that of every line of ``coef_``: what is chosen for all is its strength
        beside the rows of a class.
    embedding_ : Embedding or None
        The sizes of the columns and the ``KMeansNystroem`` in front of the linear model.
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
        "loss": Choice(("auto", *LOSSES)),
        "l2": PENALTY._replace(word="auto"),
        "random_state": SEED,
        **FrontDoor._shared_ranges,
    }

    loss: str = "auto"
    l2: float | str = "auto"
    l1: float = 0.0
    solver: str = "auto"
    random_state: int | np.random.RandomState | None = field(default=None, kw_only=True)

    def _losses(self, grouped: bool) -> list[str]:
        if self.loss != "auto":
            return [self.loss]
        if self.solver == "stochastic":
            return ["smooth_hinge"]
        return within_groups(AUTO) if grouped else list(AUTO)

    def _choose(self, tasks: list[Task], sizes: dict[str, np.ndarray]) -> Chosen:
        grouped, given = tasks[0].data.group is not None, None if self.l2 == "auto" else float(self.l2)
        small = tasks[0].data.n <= SMALL or grouped
        few = small or all(map(scarce, tasks))
        losses = self._losses(grouped)
        if self.loss == "auto" and few and self.l1 == 0 and self.solver in ("auto", "newton"):
            losses = within_groups(FEW_ROWS) if grouped else list(FEW_ROWS)
        if given is not None and len(losses) == 1:
            return Chosen(losses[0], USUAL_STRENGTH, self._as_given(grouped), given)
        held = {k: task._replace(given=_strength(given, task)) for k, task in enumerate(tasks) if task.fewest > 1}
        seed, paths = self._seed, dict.fromkeys(losses, STRENGTHS if given is None else np.ones(1))
        made = {k: _parts(task, few, seed) for k, task in held.items()}
        parts = {k: part for k, part in made.items() if part[1]}
        if not parts:
            why = "a class has too few distinct rows for some to be held out: the usual l2"
            return Chosen(losses[0], USUAL_STRENGTH, why, given)
        tried = sizes if few else dict([next(iter(sizes.items()))])
        search = Search(parts, paths, tried, self._plan(SMALL), finely=few)
        chosen = search.run()._replace(given=given)
        how = words.of_folds(list(parts.values()), FOLDS) if few else f"{LEARN} rows to learn from, others to rank"
        reason = words.of_choice(chosen, search, how, len(tasks))
        return chosen._replace(reason=reason, scores=chosen.scores if small else ())

    def _as_given(self, grouped: bool) -> str:
        """Why there is nothing to choose from."""
        if self.loss != "auto":
            return "both as given"
        return f"l2 as given, the loss the usual one {'for groups' if grouped else 'of the stochastic solver'}"


def _strength(l2: float | None, task: Task) -> float | None:
    """That of a given penalty, for a loss of stiffness one."""
    return None if l2 is None else l2 / l2_of("logistic", 1.0, task.classes)


def _parts(task: Task, small: bool, seed: int) -> tuple[Task, list[Fold]]:
    """The rows of the choice and their folds: all of few, and of many one part to learn from and one to rank.

    Either part of many is half of the smaller class, as far as there are enough, which takes two thirds to learn from.
    """
    if small:
        return task, folds(task, FOLDS, seed)
    rng = np.random.RandomState(seed)
    rows = balanced(task.classes, LEARN + RANK, rng) if task.data.n > LEARN + RANK else np.arange(task.data.n)
    part = task.taken(rows)
    sides = [rng.permutation(side) for side in (part.classes.pos, part.classes.neg)]
    fewer = min(map(len, sides))
    half = min(LEARN // 2, 2 * fewer // 3)
    takes = [half if len(side) == fewer else LEARN - half for side in sides]
    # of either class some must be left to rank, however few its rows
    learn = np.concatenate([side[: min(take, 2 * len(side) // 3)] for side, take in zip(sides, takes, strict=True)])
    return part, [_together(part, Fold(np.sort(learn), np.setdiff1d(np.arange(part.data.n), learn)))]


def _together(task: Task, fold: Fold) -> Fold:
    """The same with equal rows where the first of them is, if rows of both classes are left on either side."""
    firsts = None if task.alike is None else task.alike.firsts
    if firsts is None:
        return fold
    learnt = np.zeros(task.data.n, dtype=bool)
    learnt[fold.train] = True
    moved = Fold(np.flatnonzero(learnt[firsts]), np.flatnonzero(~learnt[firsts]))
    apart = all(len(np.unique(task.data.y[side])) == 2 for side in moved) and len(np.unique(firsts[moved.test])) > 1
    return moved if apart else fold
