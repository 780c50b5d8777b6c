"""``partial_fit`` of the front door: no step size to set, columns in any units.

With few columns the class moments of the stream are kept, and the pairwise square loss is minimised exactly, as if all
rows were there. With many, SPAM steps along on columns divided by their sizes so far (``wide``). The log-odds follow
from the class means and variances of the scores, as for normal scores of one variance.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from aucmax.classifier.door import FrontDoor
from aucmax.classifier.paths import STIFFNESS, USUAL_STRENGTH
from aucmax.classifier.rules import check_stream
from aucmax.classifier.threads import BLAS
from aucmax.classifier.wide import Line, Wide
from aucmax.kernel.moments import Moments, class_moments
from aucmax.model.base import checked_data, validated
from aucmax.model.data import Data
from aucmax.model.params import check_parameters
from aucmax.model.square import Quadratic, quadratic_of, solve_ridge
from aucmax.model.stream import FEATURE_ATTRIBUTES, stream_classes

MOST_COLUMNS = 500  # whose second moments are kept
TURNED = 1e-6  # the slope of scores that rank the wrong way round: a ranking is never turned
UNSEEN = -1e30  # log-odds of one of several classes before its first row: below those of any other


class Exact(NamedTuple):
    """The moments of every class of the rows so far."""

    classes: tuple[Moments, ...]
    counts: np.ndarray  # rows of every class

    @classmethod
    def empty(cls, d: int, count: int) -> Exact:
        """Before the first row."""
        return cls(tuple(Moments.empty(d) for _ in range(count)), np.zeros(count))

    def absorbed(self, data: Data, labels: np.ndarray) -> Exact:
        """With some more rows, their labels counted from zero."""
        found = []
        for k, known in enumerate(self.classes):
            more, _ = class_moments(data.matrix, np.where(labels == k, 1, -1), data.weight)
            found.append(known.merge(more))
        return Exact(tuple(found), self.counts + np.bincount(labels, minlength=len(found)))

    @property
    def masses(self) -> np.ndarray:
        """The weights of the classes."""
        return np.array([side.weight for side in self.classes])

    def line(self, k: int, l2: float) -> Line:
        """The minimiser for a class against the rest, on columns of unit size."""
        pos = self.classes[k]
        neg = reduce(
            Moments.merge, (side for j, side in enumerate(self.classes) if j != k), Moments.empty(len(pos.mean))
        )
        total = pos.weight + neg.weight
        share = pos.weight / total
        variance = (pos.scatter.diagonal() + neg.scatter.diagonal()) / total
        sizes = np.sqrt(variance + share * (1.0 - share) * (pos.mean - neg.mean) ** 2)
        sizes = np.where(sizes > 0.0, sizes, 1.0)
        problem = quadratic_of(pos, neg)
        scaled_problem = Quadratic(problem.A / np.outer(sizes, sizes), problem.b / sizes)
        w = solve_ridge(scaled_problem, l2 * share * (1.0 - share)) / sizes
        sides = [(float(w @ m.mean), float(w @ m.scatter @ w) / m.weight) for m in (pos, neg)]
        return Line(w, sizes, *sides)


class StreamingDoor(FrontDoor):
    """Adds ``partial_fit`` to a classifier of the front door."""

    l2: float | str

    @available_if(check_stream)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the next rows of a stream: the pairwise square loss, without a step size to set.

        Up to 500 columns the result is what all rows at once would give; it holds O(d²) numbers. Above, one step a row
        is made, and O(d) numbers are held. A stream begins anew after ``fit``. There is no ``partial_fit`` with
        parameters that a stream cannot follow: another loss, a kernel, l1, a threshold, a prevalence, pairs of classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The next rows, in any units. They may well hold one class only.
        y : array-like of shape (n,)
            Their labels.
        classes : array-like, optional
            All labels, needed at the first call unless its rows hold them all. Each of several is ranked against the
            rest.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows.

        Returns
        -------
        self
            The estimator; after an error it is as it was before the call.
        """
        before = dict(vars(self))
        try:
            with BLAS.held():
                self._take_in(X, y, classes, sample_weight)
        except Exception:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return self

    def _take_in(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> None:
        check_parameters(self, self._ranges)
        stream = getattr(self, "_stream", None)
        if stream is None:
            for name in ("classes_", *FEATURE_ATTRIBUTES):
                self.__dict__.pop(name, None)
        X, labels, weight = validated(self, X, y, sample_weight, reset=stream is None)
        self.classes_ = _classes(getattr(self, "classes_", None), labels, classes)
        codes = _codes(labels, self.classes_)
        kept = weight > 0.0
        data = checked_data(X if kept.all() else X[kept], np.ones(int(kept.sum()), dtype=np.int8), weight[kept])
        if stream is None:
            kind = Exact.empty if data.d <= MOST_COLUMNS else Wide
            stream = kind(data.d, len(self.classes_))
        self._stream = stream.absorbed(data, codes[kept]) if data.n else stream
        self._read_lines(self._stream, data.d)

    def _read_lines(self, stream: Exact | Wide, d: int) -> None:
        """The model of the stream so far; weights are zero for a class until rows of it and of others are seen."""
        tasks = range(len(self.classes_)) if len(self.classes_) > 2 else [1]
        self.coef_, self.intercept_, self._sizes = np.zeros((len(tasks), d)), np.zeros(len(tasks)), np.ones(d)
        self.loss_, self.embedding_, self.threshold_ = "square", None, 0.5
        l2s = np.full(len(tasks), 0.0 if self.l2 == "auto" else float(self.l2))
        for at, k in enumerate(tasks):
            pos = float(stream.masses[k])
            neg = float(stream.masses.sum()) - pos
            if pos <= 0.0 or neg <= 0.0:
                self.intercept_[at] = _unseen(stream.counts, k)
                continue
            if self.l2 == "auto":
                l2s[at] = _usual_l2(stream.counts, k)
            found = stream.line(k, l2s[at])
            slope = _slope(found, pos / (pos + neg), stream.counts, k)
            self.coef_[at], self._sizes = slope * found.w, found.sizes
            self.intercept_[at] = np.log(pos / neg) - 0.5 * slope * (found.pos[0] + found.neg[0])
        self.l2_ = float(l2s[0]) if len(tasks) == 1 else l2s
        how = "exactly, from class moments" if isinstance(stream, Exact) else "by a step a row (SPAM)"
        self._reason = f"a stream of {stream.counts.sum():.0f} rows so far, learnt {how}"


def _slope(line: Line, share: float, counts: np.ndarray, k: int) -> float:
    """By what scores become log-odds, as of normal scores of one variance.

    So few rows that a line parts them without a fault say no more than their number does: the mean log-odds of the
    classes differ by those of Platt's targets at the most.
    """
    gap, spread = line.pos[0] - line.neg[0], share * line.pos[1] + (1.0 - share) * line.neg[1]
    if gap <= 0.0:
        return TURNED
    most = float(np.log1p(counts[k]) + np.log1p(counts.sum() - counts[k])) / gap
    return max(min(gap / spread, most) if spread > 0.0 else most, TURNED)


def _unseen(counts: np.ndarray, k: int) -> float:
    """The log-odds of class k while it, or the rest, has no rows: such a class is not predicted."""
    if len(counts) > 2:
        return UNSEEN if counts[k] == 0 else 0.0
    return float(np.log((counts[k] + 1.0) / (counts.sum() - counts[k] + 1.0)))


def _usual_l2(counts: np.ndarray, k: int) -> float:
    """The usual penalty of class k against the rest, by the rows of the classes."""
    pos, neg = counts[k], counts.sum() - counts[k]
    return float(USUAL_STRENGTH * STIFFNESS["square"] * (pos + neg) / (4.0 * pos * neg))


def _classes(known: np.ndarray | None, labels: np.ndarray, classes: Any) -> np.ndarray:
    """The classes of a stream, two or more: known from before, given, or found in its first rows."""
    if known is None and len(np.unique(labels if classes is None else np.asarray(classes))) > 2:
        return np.unique(labels if classes is None else np.asarray(classes))
    return stream_classes(known, labels, classes)


def _codes(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Labels as their places among the classes."""
    strange = ~np.isin(labels, classes)
    if strange.any():
        raise ValueError(
            f"y holds the label {labels[strange].tolist()[0]!r}, but the classes are {classes.tolist()}; "
            "use the labels of the first call."
        )
    return np.searchsorted(classes, labels)
