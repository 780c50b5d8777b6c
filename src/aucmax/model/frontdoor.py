"""What the classifiers of the front door share: everything but the choice of loss and penalty."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import roc_auc_score
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_is_fitted, validate_data

from aucmax.kernel.pairs import Classes
from aucmax.model.base import checked_data, validated
from aucmax.model.data import Data
from aucmax.model.params import Range, check_parameters
from aucmax.model.platt import platt
from aucmax.model.scaling import Columns, moved
from aucmax.model.selection import STIFFNESS, Scores, Task, fewest


class Chosen(NamedTuple):
    """A loss and a penalty, why, and what the choice was made by."""

    loss: str
    l2: float
    reason: str
    scores: list[list[Scores]]  # by class, then by loss
    strengths: np.ndarray
    at: int = 0  # the chosen one of these

    def l2_of(self, loss: str, strength: float) -> float:
        """The penalty of another loss and strength on the same rows."""
        return float(self.l2 * strength / self.strengths[self.at] * STIFFNESS[loss] / STIFFNESS[self.loss])


class Summary(NamedTuple):
    """Features by falling size of their weight, in units of the columns' sizes."""

    feature: np.ndarray
    weight: np.ndarray
    coef: np.ndarray

    def __str__(self) -> str:
        head = f"{'feature':<30}{'weight':>12}{'coef':>14}"
        rows = zip(self.feature, self.weight, self.coef, strict=True)
        return "\n".join([head, *(f"{name!s:<30.30}{weight:>12.4g}{coef:>14.4g}" for name, weight, coef in rows)])


class FrontDoor(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What the two classifiers share: everything but the choice."""

    _ranges: ClassVar[dict[str, Range]] = {}

    def _choose(self, tasks: list[Data], sizes: np.ndarray) -> Chosen:
        """The loss and the penalty for these rows; one set of labels a class."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The rows, in any units.
        y : array-like of shape (n,)
            Labels of any type; of two, the larger one is the positive class.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows; those of weight zero are left out.

        Returns
        -------
        self
            The fitted estimator.
        """
        check_parameters(self, self._ranges)
        X, labels, weight = validated(self, X, y, sample_weight, reset=True)
        kept = weight > 0.0
        if not kept.all():
            X, labels, weight = X[kept], labels[kept], weight[kept]
        classes = _classes(labels)
        ones = np.ones(len(labels), dtype=np.int8)
        whole = checked_data(X, ones, weight)
        columns = Columns.of(whole)
        shift = columns.offsets(X)
        if shift.any():
            whole = checked_data(moved(X, shift), ones, weight)
            columns = Columns.of(whole)
        sides = classes[1:] if len(classes) == 2 else classes
        tasks = [replace(whole, y=np.where(labels == side, 1, -1).astype(np.int8)) for side in sides]
        sizes = columns.sizes()
        chosen = self._choose(tasks, sizes)
        lines = [_line(task, sizes, chosen, k) for k, task in enumerate(tasks)]
        self.coef_ = np.array([w for w, _ in lines])
        self.intercept_ = np.array([b for _, b in lines]) - self.coef_ @ shift
        self.classes_, self.loss_, self.l2_ = classes, chosen.loss, chosen.l2
        self._sizes, self._reason = sizes, chosen.reason
        self._note(chosen)
        return self

    def _note(self, chosen: Chosen) -> None:
        """Keep more of the choice, where there is more."""

    def decision_function(self, X: Any) -> np.ndarray:
        """The log-odds of the positive class, or of each class against the rest."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=(np.float64, np.float32), reset=False)
        scores = np.asarray(X @ self.coef_.T + self.intercept_)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, in the order of ``classes_``."""
        p = expit(self.decision_function(X))
        if p.ndim == 1:
            return np.column_stack([1.0 - p, p])
        return np.asarray(p / p.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row."""
        scores = self.decision_function(X)
        at = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[at])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The area under the ROC curve; of several classes, the mean of each against the rest."""
        scores, y = self.decision_function(X), column_or_1d(y)
        if scores.ndim == 1:
            return float(roc_auc_score(y == self.classes_[1], scores, sample_weight=sample_weight))
        each = [
            roc_auc_score(y == side, scores[:, k], sample_weight=sample_weight) for k, side in enumerate(self.classes_)
        ]
        return float(np.mean(each))

    def explain_choice(self) -> str:
        """What was chosen, and why, in words."""
        check_is_fitted(self)
        return f"loss={self.loss_!r}, l2={self.l2_:.3g} on columns of unit size: {self._reason}"

    def summary(self, top: int | None = None) -> Summary:
        """The features by falling size of ``coef_`` times the size of their column (the largest over the classes)."""
        check_is_fitted(self)
        weights = self.coef_ * self._sizes
        side = np.abs(weights).argmax(axis=0)
        columns = np.arange(len(self._sizes))
        order = np.argsort(-np.abs(weights[side, columns]), kind="stable")[:top]
        names = getattr(self, "feature_names_in_", np.array([f"x{j}" for j in columns]))
        return Summary(names[order], weights[side, columns][order], self.coef_[side, columns][order])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _classes(labels: np.ndarray) -> np.ndarray:
    classes = np.unique(labels)
    if len(classes) < 2:
        raise ValueError(
            f"y holds {len(classes)} class only, in the rows of positive sample_weight; a ranking needs 2 classes: "
            "give rows of both."
        )
    return classes


def _line(task: Data, sizes: np.ndarray, chosen: Chosen, k: int) -> tuple[np.ndarray, float]:
    """Weights and intercept of one class's log-odds.

    The sigmoid is fitted to held-out scores where the choice left some of all rows, to the scores of the fit otherwise.
    """
    whole = Task.of(task, sizes)
    w = next(whole.path(chosen.loss, [chosen.l2]))
    scores = task.products(w[:, None])[:, 0]
    held_out = next((s for s in (chosen.scores[k] if chosen.scores else []) if s.loss == chosen.loss), None)
    if held_out is not None and held_out.held_out.shape[1] == task.n:
        scores = held_out.held_out[chosen.at]
    slope, intercept = platt(scores, task.y, task.weight)
    return slope * w, intercept


def best_of(scores: list[list[Scores]]) -> tuple[int, int, np.ndarray]:
    """The loss and the strength of the highest AUC, the stronger of equals; and all AUCs, losses by strengths."""
    means = np.mean([[s.aucs.mean(axis=0) for s in by_loss] for by_loss in scores], axis=0)
    means = np.where(np.isnan(means), -np.inf, means)
    loss, strength = np.unravel_index(int(np.argmax(means)), means.shape)
    return int(loss), int(strength), means


def classes_of(tasks: list[Data]) -> Classes:
    """The classes of the task with the fewest rows in one of them: the penalty is one for all."""
    task = min(tasks, key=fewest)
    return Classes.of(task.y, task.weight)


def split_aucs(scores: list[list[Scores]]) -> np.ndarray:
    """AUCs by loss, fold and strength, averaged over the classes."""
    folds_made = min(len(s.aucs) for by_loss in scores for s in by_loss)
    return np.asarray(np.mean([[s.aucs[:folds_made] for s in by_loss] for by_loss in scores], axis=0))
