"""What the classifiers of the front door share: everything but the choice of loss and penalty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from aucmax.classifier import calibration, rules, several, words
from aucmax.classifier.alike import Alike
from aucmax.classifier.choice import Chosen
from aucmax.classifier.embedding import Embedding
from aucmax.classifier.folds import Plan
from aucmax.classifier.ledger import Ledger
from aucmax.classifier.lines import lines
from aucmax.classifier.narrowing import Narrow
from aucmax.classifier.paths import Task
from aucmax.classifier.summary import Summary
from aucmax.classifier.table import Table
from aucmax.classifier.threads import BLAS
from aucmax.evaluate.roc import group_codes
from aucmax.model.base import validated
from aucmax.model.checkpoint import kept_in
from aucmax.model.inputs import checked_matrix, linear_scores, rows_to_score
from aucmax.model.params import COUNT, PENALTY, Choice, Range


@dataclass(eq=False, repr=False)
class FrontDoor(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What the two classifiers share: everything but the choice."""

    _ranges: ClassVar[dict[str, Range]] = {}
    _shared_ranges: ClassVar[dict[str, Range]] = {
        "l1": PENALTY,
        "solver": Choice(("auto", "newton", "proximal", "stochastic")),
        "n_components": COUNT,
        "multi_class": Choice(("ovr", "ovo")),
        "calibration": Choice(("platt", "cv")),
        "n_jobs": rules.JOBS,
    }

    kernel: str | None = field(default=None, kw_only=True)
    n_components: int = field(default=500, kw_only=True)
    multi_class: str = field(default="ovr", kw_only=True)
    calibration: str = field(default="platt", kw_only=True)
    prevalence: Any = field(default=None, kw_only=True)
    threshold: Any = field(default=None, kw_only=True)
    costs: tuple[float, float] | Mapping[Any, float] | None = field(default=None, kw_only=True)
    n_jobs: int | None = field(default=1, kw_only=True)
    warm_start: bool = field(default=False, kw_only=True)

    # What a classifier provides -------------------------------------------------------------------------------------

    def _losses(self, grouped: bool) -> list[str]:
        """The losses to choose from."""
        raise NotImplementedError

    def _choose(self, tasks: list[Task], sizes: dict[str, np.ndarray]) -> Chosen:
        """The loss and the penalty for these tasks, which share their rows, and one of the sizes of their columns."""
        raise NotImplementedError

    def _note(self, chosen: Chosen, tasks: list[Task]) -> None:
        """Keep more of the choice, where there is more."""

    # The public contract --------------------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        groups: Any = None,
        *,
        checkpoint: Any = None,
        every: str | float = "60s",
    ) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The rows, in any units.
        y : array-like of shape (n,)
            Labels of any type; of two, the larger one is the positive class.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows; those of weight zero are left out.
        groups : array-like of shape (n,), optional
            The group of every row (a query, a hospital, a day): only pairs within a group count. Folds keep groups
            whole. The loss must then be one over pairs, ``squared_hinge``, ``smooth_hinge`` or ``ramp``.
        checkpoint : path, optional
            A file that keeps the folds that are done. If it is there, the fit goes on from it, to the model of an
            uninterrupted one to the last bit; one of other data or parameters is refused. It is left in place; remove
            it when the model is saved.
        every : str or float, default="60s"
            The time between two writes of the checkpoint, in seconds or such as "30s", "5m" or "1h".

        Returns
        -------
        self
            The fitted estimator.
        """
        rules.check(self, self._losses(groups is not None), groups is not None)
        X, labels, weight = validated(self, X, y, sample_weight, reset=True)
        group, kept = None if groups is None else group_codes(groups, len(labels))[0], weight > 0.0
        if not kept.all():
            X, labels, weight, group = X[kept], labels[kept], weight[kept], None if group is None else group[kept]
        given: tuple[Any, ...] = ()
        if checkpoint is not None:
            earlier = getattr(self, "_raw", None) if self.warm_start else None
            given = (X, *np.unique(labels, return_inverse=True), weight, group, earlier)
        with kept_in(self, checkpoint, every, given), BLAS.held():
            self._fit(X, labels, weight, group, kept)
        return self

    def _fit(self, X: Any, labels: np.ndarray, weight: np.ndarray, group: np.ndarray | None, kept: np.ndarray) -> None:
        embedding = self._embedded(X, weight)
        rows = X if embedding is None else embedding.transform(X)
        ball, embedded = rules.solver_of(self) == "newton", embedding is not None
        narrow = Narrow.of(rows, ball, lambda some: Table.of(some, labels, weight, group, embedded=embedded))
        table = narrow.table
        calibration.check_threshold(self.threshold, self.costs, table.classes)
        calibration.gains(self.prevalence, table.shares(), False)  # refuses a wrong prevalence before the work
        tasks = self._tasks(table, narrow.used, Alike(X))
        chosen = self._choose(tasks, table.sizes)
        sizes = table.sizes[chosen.scaling or next(iter(table.sizes))]
        tasks = [task._replace(sizes=sizes) for task in tasks]
        self._raw = np.array([chosen.model(task, k) for k, task in enumerate(tasks)])
        self.coef_, self.intercept_, self.threshold_ = lines(self, table, tasks, chosen)
        self._raw, self.coef_ = narrow.weights(self._raw), narrow.weights(self.coef_)
        self.intercept_ = self.intercept_ - (self.coef_ * narrow.shift).sum(axis=1)
        self.classes_, self._sizes, self.embedding_ = table.classes, narrow.sizes(sizes), embedding
        self._stream: Any = None
        self.loss_, self.l2_ = chosen.loss, chosen.l2_of_all(tasks)
        solver = rules.solver_in_words(rules.solver_of(self), self.loss_, table.data, self.l1)
        self._reason = f"{chosen.reason}. {solver}{narrow.words}."
        self._note(chosen, tasks)

    def decision_function(self, X: Any) -> np.ndarray:
        """The log-odds of the positive class, or of each class, in the order of ``classes_``.

        With ``multi_class="ovo"``, those of the mean probability against each of the others.
        """
        scores = self._lines(X)
        if len(self.classes_) == 2:
            return scores[:, 0]
        return scores if self.multi_class == "ovr" else logit(several.mean_probabilities(scores, len(self.classes_)))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, in the order of ``classes_``."""
        scores = self.decision_function(X)
        if scores.ndim == 2:
            return several.probabilities(scores)
        p = expit(scores)
        return np.column_stack([1.0 - p, p])

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class; of two, the positive one where its probability is above the threshold."""
        scores = self.decision_function(X)
        at = (scores > logit(self.threshold_)).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[at])

    def score(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> float:
        """The area under the ROC curve; of several classes, the mean of each against the rest, or over all pairs.

        With groups, over pairs within a group. Labels other than those of the fit are an error.
        """
        check_is_fitted(self)
        scores, y = self._lines(X), several.known_labels(y, self.classes_)
        if len(self.classes_) == 2:
            return several.auc(y == self.classes_[1], scores[:, 0], sample_weight, groups)
        mean = several.macro_auc if self.multi_class == "ovr" else several.hand_and_till
        return mean(self.classes_, y, scores, sample_weight, groups)

    def explain_choice(self) -> str:
        """What was chosen, and why, in words."""
        check_is_fitted(self)
        return f"loss={self.loss_!r}, l2={words.of_l2(self.l2_)} on columns of unit size: {self._reason}"

    def summary(self, top: int | None = None) -> Summary:
        """The features by falling size of ``coef_`` times the size of their column (the largest over the classes).

        Of several classes, it also says for which the weight is.
        """
        check_is_fitted(self)
        known = getattr(self, "feature_names_in_", None) if self.embedding_ is None else None
        names = np.array([f"x{j}" for j in range(len(self._sizes))]) if known is None else known
        return Summary.of(self.coef_, self._sizes, names, several.sides(self.classes_, self.multi_class == "ovo"), top)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def _seed(self) -> int:
        return rules.seed_of(self.random_state)

    # Workings -------------------------------------------------------------------------------------------------------

    def _embedded(self, X: Any, weight: np.ndarray) -> Embedding | None:
        return None if self.kernel is None else Embedding.of(X, weight, self.n_components, self._seed)

    def _plan(self, most: float) -> Plan:
        """How folds are run, each learning from so many rows at the most."""
        return Plan(rules.threads(self.n_jobs), most, Ledger(getattr(self, "_keeper", None)), {})

    def _tasks(self, table: Table, used: np.ndarray | None, alike: Alike) -> list[Task]:
        """The tasks of the classes, with the earlier weights as a start where they fit and are asked for."""
        tasks = table.tasks(self.multi_class == "ovo")
        known = getattr(self, "_raw", None) if self.warm_start else None
        if known is not None and used is not None and known.shape[1] == self.n_features_in_:
            known = known[:, used]
        starts = [None] * len(tasks) if known is None or known.shape != (len(tasks), table.data.d) else list(known)
        return [
            task._replace(l1=float(self.l1), solver=rules.solver_of(self), start=start, alike=alike)
            for task, start in zip(tasks, starts, strict=True)
        ]

    def _lines(self, X: Any) -> np.ndarray:
        """The log-odds of every task."""
        return linear_scores(self._features(X), self.coef_.T, self.intercept_)

    def _features(self, X: Any) -> Any:
        check_is_fitted(self)
        if self.embedding_ is None:
            return rows_to_score(self, X)
        return self.embedding_.transform(checked_matrix(self, X, reset=False))
