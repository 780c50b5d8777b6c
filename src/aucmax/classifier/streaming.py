"""``partial_fit`` of the front door: no step size to set, columns in any units.

With few columns the class moments of the stream are kept, and the pairwise square loss is minimised exactly, as if all
rows were there. With many, SPAM steps along on columns divided by their sizes, each as it was when the column was first
seen. The log-odds follow from the class means and variances of the scores, as for normal scores of one variance.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple, Self

import numpy as np

from aucmax.algorithms.spam import SPAM
from aucmax.classifier.door import FrontDoor
from aucmax.classifier.paths import STIFFNESS, USUAL_STRENGTH
from aucmax.classifier.rules import check_stream
from aucmax.classifier.scaling import Columns
from aucmax.kernel.moments import Moments, class_moments
from aucmax.model.base import checked_data, signs, validated
from aucmax.model.data import Data
from aucmax.model.square import Quadratic, quadratic_of, solve_ridge
from aucmax.model.stream import FEATURE_ATTRIBUTES, stream_classes

MOST_COLUMNS = 500  # whose second moments are kept


class Line(NamedTuple):
    """Weights in the units of X, and the sizes of the columns."""

    w: np.ndarray
    sizes: np.ndarray
    pos: tuple[float, float]  # mean and variance of the scores of the positives
    neg: tuple[float, float]


class Exact(NamedTuple):
    """The class moments of the rows so far."""

    pos: Moments
    neg: Moments

    @classmethod
    def empty(cls, d: int) -> Exact:
        """Before the first row."""
        return cls(Moments.empty(d), Moments.empty(d))

    def absorbed(self, data: Data) -> Exact:
        """With some more rows."""
        pos, neg = class_moments(data.matrix, data.y, data.weight)
        return Exact(self.pos.merge(pos), self.neg.merge(neg))

    @property
    def masses(self) -> tuple[float, float]:
        """The weights of the classes."""
        return self.pos.weight, self.neg.weight

    def line(self, l2: float) -> Line:
        """The minimiser on columns of unit size."""
        variance = (self.pos.scatter.diagonal() + self.neg.scatter.diagonal()) / sum(self.masses)
        gap = self.pos.mean - self.neg.mean
        share = self.pos.weight / sum(self.masses)
        sizes = np.sqrt(variance + share * (1.0 - share) * gap**2)
        sizes = np.where(sizes > 0.0, sizes, 1.0)
        problem = quadratic_of(self.pos, self.neg)
        scaled = Quadratic(problem.A / np.outer(sizes, sizes), problem.b / sizes)
        w = solve_ridge(scaled, l2 * share * (1.0 - share)) / sizes
        sides = [(float(w @ m.mean), float(w @ m.scatter @ w) / m.weight) for m in (self.pos, self.neg)]
        return Line(w, sizes, *sides)


class Wide:
    """SPAM on scaled columns, and the spread of the scores that it gave rows."""

    in_model_files = True

    def __init__(self, d: int) -> None:
        self.sizes = np.zeros(d)  # zero: not seen yet
        self.model = SPAM()
        self.masses = (0.0, 0.0)
        self.squares = np.zeros(2)

    def absorbed(self, data: Data) -> Wide:
        """With some more rows."""
        new = copy.deepcopy(self)
        columns = Columns.of(data)
        seen = (new.sizes == 0.0) & (columns.largest > 0.0)
        new.sizes[seen] = columns.usual()[seen]
        X, inverse = data.matrix, 1.0 / np.where(new.sizes > 0.0, new.sizes, 1.0)
        X = X * inverse if data.dense else X.multiply(inverse).tocsr()
        new.model.partial_fit(X, data.y, classes=[-1, 1], sample_weight=data.weight)
        scores = new.model.decision_function(X)
        for side, label in enumerate((1, -1)):
            rows = data.y == label
            if rows.any():
                centre = float(np.average(scores[rows], weights=data.weight[rows]))
                new.squares[side] += float(data.weight[rows] @ (scores[rows] - centre) ** 2)
        pos = float(data.weight @ (data.y > 0))
        new.masses = (self.masses[0] + pos, self.masses[1] + float(data.weight.sum()) - pos)
        return new

    def line(self, l2: float) -> Line:
        """Where SPAM is."""
        sizes = np.where(self.sizes > 0.0, self.sizes, 1.0)
        w = self.model.coef_[0]
        stream: Any = self.model._stream
        sums = stream.sums
        sides = [(float(w @ sums[:, k]) / self.masses[k], self.squares[k] / self.masses[k]) for k in (0, 1)]
        return Line(w / sizes, sizes, *sides)


class StreamingDoor(FrontDoor):
    """Adds ``partial_fit`` to a classifier of the front door."""

    l2: float | str

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the next rows of a stream: the pairwise square loss, without a step size to set.

        Up to 500 columns the result is what all rows at once would give; it holds O(d²) numbers. Above, one step a row
        is made, and O(d) numbers are held. A stream begins anew after ``fit``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The next rows, in any units. They may well hold one class only.
        y : array-like of shape (n,)
            Their labels.
        classes : array-like of shape (2,), optional
            Both labels, needed at the first call unless its rows hold both.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows.

        Returns
        -------
        self
            The estimator; after an error it is as it was before the call.
        """
        before = dict(vars(self))
        try:
            self._take_in(X, y, classes, sample_weight)
        except Exception:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return self

    def _take_in(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> None:
        check_stream(self)
        stream = getattr(self, "_stream", None)
        if stream is None:
            for name in ("classes_", *FEATURE_ATTRIBUTES):
                self.__dict__.pop(name, None)
        X, labels, weight = validated(self, X, y, sample_weight, reset=stream is None)
        self.classes_ = stream_classes(getattr(self, "classes_", None), labels, classes)
        kept = weight > 0.0
        data = checked_data(X if kept.all() else X[kept], signs(labels, self.classes_)[kept], weight[kept])
        if stream is None:
            stream = Exact.empty(data.d) if data.d <= MOST_COLUMNS else Wide(data.d)
        self._stream = stream.absorbed(data) if data.n else stream
        self._read_line(self._stream, data.d)

    def _read_line(self, stream: Any, d: int) -> None:
        """The model of the stream so far; zero until both classes have been seen."""
        pos, neg = stream.masses
        self.loss_, self.embedding_, self.threshold_ = "square", None, 0.5
        self.coef_, self.intercept_, self._sizes = np.zeros((1, d)), np.zeros(1), np.ones(d)
        self.l2_ = 0.0
        if pos > 0.0 and neg > 0.0:
            auto = USUAL_STRENGTH * STIFFNESS["square"] * (pos + neg) / (4.0 * pos * neg)
            self.l2_ = auto if self.l2 == "auto" else float(self.l2)
            found = stream.line(self.l2_)
            spread = (pos * found.pos[1] + neg * found.neg[1]) / (pos + neg)
            slope = max(found.pos[0] - found.neg[0], 0.0) / spread if spread > 0.0 else 1.0
            slope = slope if slope > 0.0 else 1e-6
            centre = 0.5 * (found.pos[0] + found.neg[0])
            self.coef_ = slope * found.w[None, :]
            self.intercept_ = np.array([np.log(pos / neg) - slope * centre])
            self._sizes = found.sizes
        kind = "exactly, from class moments" if isinstance(stream, Exact) else "by a step a row (SPAM)"
        self._reason = f"a stream of {pos + neg:g} rows so far, learnt {kind}"
