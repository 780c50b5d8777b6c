"""The contract of every estimator: validation, labels, prediction, score, objective."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.model_selection import train_test_split
from sklearn.utils import assert_all_finite, check_consistent_length, check_random_state
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from aucmax.evaluate.check import unique_labels, unmasked
from aucmax.evaluate.roc import roc_auc
from aucmax.model.checkpoint import kept_in
from aucmax.model.data import Data
from aucmax.model.inputs import checked_matrix, checked_weights, linear_scores, rows_to_score
from aucmax.model.labels import label_column, signs, two_classes, two_numbers
from aucmax.model.objective import pair_loss, penalty
from aucmax.model.params import Range, check_parameters
from aucmax.model.trace import Trace, Validation


class AUCEstimator(CallbackSupportMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A linear model for two classes, fitted for its ranking."""

    _ranges: ClassVar[dict[str, Range]] = {}

    _pair_loss: ClassVar[str] = "square"  # "square", a name in kernel.pairs.LOSSES, or one with its own _objective
    _pair_scale: ClassVar[float | None] = None  # the factor of the mean pair loss in the objective; None is p(1-p)
    _first_checkpoint = 100  # the iteration at which history begins

    # parameters that not every algorithm has
    early_stopping = False
    record = False
    verbose = False
    warm_start = False

    # What an algorithm provides -------------------------------------------------------------------------------------

    def _train(self, data: Data, trace: Trace) -> np.ndarray:
        """Fit on validated data; the weights. Sets ``n_iter_`` and ``t_``."""
        raise NotImplementedError

    def _data(self, X: Any, y: np.ndarray, weight: np.ndarray) -> Data:
        """Validated arrays as data for training."""
        return checked_data(X, y, weight)

    # The public contract --------------------------------------------------------------------------------------------

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
        *,
        checkpoint: Any = None,
        every: str | float = "60s",
    ) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The rows. C-ordered float64 or float32 arrays and CSR matrices are used as they are.
        y : array-like of shape (n,)
            Two labels of any type; the larger one, ``classes_[1]``, is the positive class.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows; a pair weighs the product of its two. Rows of weight zero are left out.
        X_val, y_val, sample_weight_val : optional
            Rows on which the AUC is recorded in ``history_`` and watched by ``early_stopping``.
        checkpoint : path, optional
            A file that keeps the state of the fit. If it is there, the fit goes on from it, to the model of an
            uninterrupted one to the last bit; one of other data or parameters is refused. It is left in place; remove
            it when the model is saved. Algorithms that solve for all rows at once start over instead.
        every : str or float, default="60s"
            The time between two writes of the checkpoint, in seconds or such as "30s", "5m" or "1h".

        Returns
        -------
        self
            The fitted estimator.
        """
        check_parameters(self, self._ranges)
        X, labels, weight = self._validated(X, y, sample_weight, reset=True)
        classes = two_classes(labels)
        y = signs(labels, classes)
        start = self._warm_coefficients(X.shape[1])
        validation = self._validation(X_val, y_val, sample_weight_val, classes)
        context = self._init_callback_context(max_subtasks=None)
        context.call_on_fit_task_begin(estimator=self, X=X, y=labels)
        with kept_in(self, checkpoint, every, (X, y, weight, start, validation, classes)):
            if validation is None and self.early_stopping:
                X, y, weight, validation = self._held_out(X, y, weight)
            self._fit(self._data(*_without_zero_weights(X, y, weight)), start, validation, classes)
        context.call_on_fit_task_end(estimator=self, X=X, y=labels)
        return self

    def _fit(self, data: Data, start: np.ndarray | None, validation: Validation | None, classes: np.ndarray) -> None:
        self._start = start
        trace = Trace(self, lambda w: self._objective(data.products(w[:, None])[:, 0], data, w), validation, classes)
        try:
            w = trace.chosen(self._train(data, trace))
        finally:
            del self._start
        self._set_model(w, data.class_sums, data.masses)
        self.classes_, self.history_ = classes, trace.history()

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores ``X @ coef_.T + intercept_``; the larger, the more likely positive."""
        check_is_fitted(self)
        return linear_scores(rows_to_score(self, X), self.coef_[0], self.intercept_[0])

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row: positive where the score is above zero.

        The threshold lies halfway between the mean scores of the two classes. It is a convention, not a tuned operating
        point: the model is fitted to rank.
        """
        scores = self.decision_function(X)
        return np.asarray(self.classes_[(scores > 0).astype(int)])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The area under the ROC curve: what this library optimises (scikit-learn's classifiers give accuracy)."""
        scores = self.decision_function(X)
        return roc_auc(signs(label_column(y), self.classes_) > 0, scores, sample_weight)

    def objective(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The objective that this estimator minimises, penalties included, at its coefficients on the given rows."""
        check_is_fitted(self)
        X, labels, weight = self._validated(X, y, sample_weight, reset=False)
        data = checked_data(*_without_zero_weights(X, signs(labels, self.classes_), weight))
        return self._objective(data.products(self.coef_.T.astype(float))[:, 0], data, self.coef_[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags

    # Shared workings ------------------------------------------------------------------------------------------------

    def _objective(self, scores: np.ndarray, data: Data, w: np.ndarray) -> float:
        pos, neg = data.masses
        p = pos / (pos + neg)
        scale = p * (1.0 - p) if self._pair_scale is None else self._pair_scale
        loss = pair_loss(self._pair_loss, data.y, scores, data.weight)
        return scale * loss + penalty(w, getattr(self, "l2", 0.0), getattr(self, "l1", 0.0))

    def _validated(self, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> tuple[Any, np.ndarray, np.ndarray]:
        return validated(self, X, y, sample_weight, reset=reset)

    def _validation(self, X: Any, y: Any, weight: Any, classes: np.ndarray) -> Validation | None:
        if X is None:
            if y is not None or weight is not None:
                raise ValueError("y_val or sample_weight_val was given without X_val; give all or none of them.")
            return None
        if y is None:
            raise ValueError("X_val was given without y_val; the validation AUC needs the labels too.")
        X, y, weight = self._validated(X, y, weight, reset=False)
        y = signs(y, classes)
        if len(np.unique(y[weight > 0])) < 2:
            raise ValueError("The validation set holds one class only, so its AUC is undefined; give rows of both.")
        return Validation(X, y, weight)

    def _held_out(self, X: Any, y: np.ndarray, weight: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray, Validation]:
        """Keep a stratified part of the rows aside for early stopping."""
        rows = np.arange(X.shape[0])
        if min(np.count_nonzero(y > 0), np.count_nonzero(y < 0)) < 2:
            raise ValueError(
                "early_stopping=True needs at least 2 rows of each class to keep some aside; "
                "give X_val and y_val, or set early_stopping=False."
            )
        kept, aside = train_test_split(
            rows,
            test_size=max(2, round(self.validation_fraction * len(rows))),
            stratify=y,
            random_state=check_random_state(self.random_state).randint(2**31 - 1),
        )
        kept.sort()
        return X[kept], y[kept], weight[kept], Validation(X[aside], y[aside], weight[aside])

    def _warm_coefficients(self, d: int) -> np.ndarray | None:
        """The coefficients of an earlier fit, when they are to be continued from."""
        if not self.warm_start or not hasattr(self, "coef_"):
            return None
        if self.coef_.shape[1] != d:
            raise ValueError(
                f"warm_start=True, but X has {d} features and the earlier fit had {self.coef_.shape[1]}; "
                "set warm_start=False to start afresh."
            )
        return np.array(self.coef_[0], dtype=float)

    def _set_model(self, w: np.ndarray, sums: np.ndarray, masses: tuple[float, float]) -> None:
        if not np.all(np.isfinite(w)):
            raise diverged(self)
        self.coef_ = w[None, :]
        self.intercept_ = np.array([midpoint_intercept(w, sums, masses)])


def validated(
    estimator: Any, X: Any, y: Any, sample_weight: Any, *, reset: bool, finite: bool = True
) -> tuple[Any, np.ndarray, np.ndarray]:
    """X as C-ordered or CSR floats, labels as a column, weights as floats; anything else is an error that says why.

    Without ``finite``, what is made of X must be looked at by ``refuse_infinite`` before it is used.
    """
    y = unmasked("y", y)
    if sp.issparse(X):
        check_consistent_length(X, y)  # before any matrix of so many rows is made
    X, y = checked_matrix(estimator, X, y=y, order="C", ensure_all_finite=finite, reset=reset)
    if y.dtype == object:
        unique_labels(y)  # refuses what cannot be sorted
    if two_numbers(y) is None and (kind := type_of_target(y, input_name="y")) not in ("binary", "multiclass"):
        raise ValueError(f"Unknown label type: {kind}. Expected classes, as numbers or strings.")
    return X, y, checked_weights(sample_weight, X, y)


def midpoint_intercept(w: np.ndarray, sums: np.ndarray, masses: tuple[float, float]) -> float:
    """Minus the midpoint of the two classes' mean scores; zero until both classes have been seen."""
    return midpoint(*(w @ sums / masses)) if min(masses) > 0.0 else 0.0


def midpoint(pos: float, neg: float) -> float:
    """The intercept that puts the threshold halfway between two mean scores."""
    return -0.5 * float(pos + neg)


def diverged(estimator: Any) -> FloatingPointError:
    """The error of a run whose weights have left the finite numbers."""
    known = estimator.get_params()
    seen = ", ".join(f"{name}={known[name]!r}" for name in ("step", "C", "l2", "gamma") if name in known)
    advice = [f"divide {name} by 10" for name in ("step", "C") if name in known]
    if "l2" in known:
        advice.append("lower l2 if it is large beside the squared norms of the rows")
    return FloatingPointError(
        f"{type(estimator).__name__} diverged: its weights are no longer finite ({seen}). Expected steps small enough "
        f"for the data; {', or '.join(advice) or 'scale the columns of X'}."
    )


def _without_zero_weights(X: Any, y: np.ndarray, weight: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray]:
    kept = weight > 0
    if not kept.all():
        X, y, weight = X[kept], y[kept], weight[kept]
    if not len(y) or y.min() == y.max():
        raise ValueError(
            "The rows (of positive sample_weight) are of one class only, but a ranking needs 2 classes; "
            "give rows of both."
        )
    return X, y, weight


def checked_data(X: Any, y: np.ndarray, weight: np.ndarray) -> Data:
    """Data for training; numbers whose squares overflow are refused, because every later result would be infinite."""
    data = Data.of(X, y, weight)
    refuse_infinite(data.sqnorm.sum(), data)
    return data


def refuse_infinite(total: Any, data: Data) -> None:
    """Raise an error that says why, if a sum of squares of the rows is not finite."""
    if not np.isfinite(total):
        assert_all_finite(data.matrix, input_name="X")
        i = int(np.argmax(data.sqnorm))
        raise ValueError(f"The squared norm of row {i} of X overflows float64; scale the columns of X down first.")
