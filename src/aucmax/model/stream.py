"""Learning from a stream: ``partial_fit``, which either takes all of a chunk in or leaves the estimator as it was."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from aucmax.model.base import AUCEstimator, checked_data
from aucmax.model.data import Data
from aucmax.model.labels import signs, two_classes
from aucmax.model.params import check_parameters

FEATURE_ATTRIBUTES = ("n_features_in_", "feature_names_in_")


class StreamingEstimator(AUCEstimator):
    """An estimator whose state can absorb rows: adds ``partial_fit``."""

    def _absorbed(self, stream: Any, data: Data) -> Any:
        """The state (None before the first rows) after some more rows; the old state must stay as it is."""
        raise NotImplementedError

    def _adopt(self, stream: Any, rows: int) -> None:
        """Make a state, with so many new rows in it, the estimator's own; may refuse with an error first."""
        raise NotImplementedError

    def _stream_open(self) -> bool:
        return getattr(self, "_stream", None) is not None

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the next rows of a stream, each once, in the given order.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The next rows. They may well hold one class only.
        y : array-like of shape (n,)
            Their labels.
        classes : array-like of shape (2,), optional
            Both labels, needed at the first call unless its rows hold both.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows; only their ratios matter.

        Returns
        -------
        self
            The estimator; after an error it is as it was before the call.
        """
        before = {name: vars(self)[name] for name in FEATURE_ATTRIBUTES if name in vars(self)}
        try:
            self._take_in(X, y, classes, sample_weight)
        except Exception:
            self.__dict__.update(before)
            for name in set(FEATURE_ATTRIBUTES) - set(before):
                self.__dict__.pop(name, None)
            raise
        return self

    def _take_in(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> None:
        check_parameters(self, self._ranges)
        X, labels, weight = self._validated(X, y, sample_weight, reset=not hasattr(self, "classes_"))
        found = stream_classes(getattr(self, "classes_", None), labels, classes)
        kept = weight > 0
        whole = bool(kept.all())
        data = checked_data(X if whole else X[kept], signs(labels, found)[kept], weight[kept])
        self._adopt(self._absorbed(getattr(self, "_stream", None), data), data.n)
        self.classes_ = found
        self.history_: dict[str, np.ndarray] = {}


def stream_classes(known: np.ndarray | None, labels: np.ndarray, classes: Any) -> np.ndarray:
    """The two classes of a stream: known from before, given, or found in its first rows."""
    if known is not None:
        if classes is not None and not np.array_equal(np.unique(classes), known):
            raise ValueError(
                f"classes={list(classes)!r} differ from those of the first call, {known.tolist()}; "
                "leave them out or give the same."
            )
        return np.asarray(known)
    if classes is None and len(np.unique(labels)) == 1:
        raise ValueError(
            f"The first rows hold one class only ({labels.tolist()[0]!r}); name both in classes=... at the first call "
            "of partial_fit."
        )
    if classes is not None and len(np.unique(classes)) == 1:
        raise ValueError(f"classes={np.asarray(classes).tolist()!r} names one class, expected 2; name both.")
    return two_classes(labels if classes is None else np.asarray(classes))
