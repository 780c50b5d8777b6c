"""An adapter for river, the library for learning from streams one dict at a time; the extra ``river``."""

from __future__ import annotations

import math
from collections.abc import Iterator
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from aucmax.algorithms.spam import SPAM
from aucmax.data.errors import missing

try:
    from river import base
except ModuleNotFoundError as error:
    raise missing("river", "river", "aucmax.river") from error

FEWEST = 2  # scores of a class before its mean and variance count


class Spread:
    """The running mean and variance of the scores of one class, each taken before the model learned the row."""

    def __init__(self) -> None:
        self.count, self.mean, self.square = 0, 0.0, 0.0

    def add(self, score: float) -> None:
        """One more score."""
        self.count += 1
        gap = score - self.mean
        self.mean += gap / self.count
        self.square += gap * (score - self.mean)


class AUCRiver(base.Classifier):
    r"""An online estimator of this library as a river classifier.

    Ranks by the estimator's score s. The probability is that of two normal distributions of scores with one variance,

    .. math:: \log\frac{p}{1-p} = \log\frac{n_+}{n_-}
        + \frac{\mu_+ - \mu_-}{\sigma^2}\left(s - \frac{\mu_+ + \mu_-}{2}\right)

    whose means, variance and counts run along the stream; it rises with s.

    Parameters
    ----------
    estimator : estimator, optional
        One with ``partial_fit``; ``SPAM(random_state=0)`` by default. It is cloned, never changed.
    classes : tuple, default=(False, True)
        The two labels, the positive one last.
    max_features : int, default=1024
        Columns set aside, at least 1; features get one each as they appear, and one too many is an error. A step copies
        the state of the estimator, whose size grows with this number.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> from aucmax.river import AUCRiver
    >>> model = preprocessing.StandardScaler() | AUCRiver()
    >>> metric = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.ROCAUC())
    >>> bool(metric.get() > 0.93)
    True
    """

    def __init__(
        self, estimator: Any = None, classes: tuple[Any, Any] = (False, True), max_features: int = 1024
    ) -> None:
        self.estimator, self.classes, self.max_features = estimator, classes, max_features
        self._model = clone(SPAM(random_state=0) if estimator is None else estimator)
        self._columns: dict[Any, int] = {}
        self._spreads = (Spread(), Spread())

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"estimator": SPAM(random_state=0)}

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        """Learn from one row.

        Parameters
        ----------
        x : dict
            Numbers by feature; those left out are zero.
        y : label
            One of ``classes``.
        """
        if y not in self.classes:
            raise ValueError(f"y={y!r}: expected one of the two labels {self.classes!r}; name yours in classes=...")
        positive = int(y == self.classes[1])
        row = self._row(x, grow=True)
        if hasattr(self._model, "classes_"):
            self._spreads[positive].add(float(self._model.decision_function(row)[0]))
        self._model.partial_fit(row, [positive], classes=[0, 1])

    def predict_proba_one(self, x: dict[Any, Any], **_: Any) -> dict[Any, float]:
        """The probabilities of both labels; a half each before anything is known."""
        p = self._probability(self.score_one(x))
        return {self.classes[0]: 1.0 - p, self.classes[1]: p}

    def score_one(self, x: dict[Any, Any]) -> float:
        """The score by which rows are ranked; 0 before the first row."""
        if not hasattr(self._model, "classes_"):
            return 0.0
        return float(self._model.decision_function(self._row(x, grow=False))[0])

    def _probability(self, score: float) -> float:
        neg, pos = self._spreads
        if min(neg.count, pos.count) < FEWEST:
            return 0.5
        variance = (neg.square + pos.square) / (neg.count + pos.count - 2)
        slope = max(pos.mean - neg.mean, 0.0) / variance if variance > 0.0 else 0.0
        odds = math.log(pos.count / neg.count) + slope * (score - 0.5 * (pos.mean + neg.mean))
        return 1.0 / (1.0 + math.exp(-min(max(odds, -700.0), 700.0)))

    def _row(self, x: dict[Any, Any], *, grow: bool) -> Any:
        """A dict as a sparse row; unknown features get a column, or are left out of a prediction."""
        for name, value in x.items():
            if not isinstance(value, Real) or not math.isfinite(value):
                raise ValueError(f"feature {name!r} is {value!r}: expected a finite number; encode or impute it first")
        if grow:
            new = sorted((name for name in x if name not in self._columns), key=repr)
            if len(self._columns) + len(new) > self.max_features:
                raise ValueError(f"more than max_features={self.max_features} features; raise it, or hash them first")
            self._columns |= {name: len(self._columns) + k for k, name in enumerate(new)}
        entries = sorted((self._columns[name], float(value)) for name, value in x.items() if name in self._columns)
        indices = np.array([column for column, _ in entries], dtype=np.int32)
        data = np.array([value for _, value in entries])
        return sp.csr_matrix((data, indices, np.array([0, len(entries)], dtype=np.int32)), shape=(1, self.max_features))
