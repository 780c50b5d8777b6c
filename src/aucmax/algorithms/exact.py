"""ExactAUC: the exact minimiser of the pairwise square loss (B-LS-SVM), the yardstick of the square-loss family.

    (2c(Σ+ + Σ- + δδᵀ) + l2·I) w = 2cδ,   c = p(1-p)

Letters: Σ± class covariances, δ = m+ - m- the gap of the class means, p the share of positives. One sweep gives the
class moments; then one Cholesky factorisation, or one eigendecomposition for a whole path of l2. Where d is large or
X is sparse, conjugate gradients need products with X only. With l1 > 0: coordinate descent.

Departures: the thesis names B-LS-SVM, a batch method that minimises the pairwise square loss, and neither writes its
objective nor how it is minimised. The factor p(1-p) is that of SOLAM's objective, so that both are one number; the
default penalty of 1e-4 and the ℓ1 penalty are ours.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from aucmax.kernel import quadratic
from aucmax.kernel.moments import Moments, class_moments
from aucmax.model.base import midpoint, refuse_infinite, validated
from aucmax.model.data import Data
from aucmax.model.docs import documented
from aucmax.model.iterative import BatchEstimator
from aucmax.model.labels import signs, two_classes
from aucmax.model.params import COUNT, PENALTY, TOLERANCE, Range, check_dimension
from aucmax.model.square import Implicit, Quadratic, quadratic_of, ridge_path, solve_net, solve_ridge
from aucmax.model.stream import StreamingEstimator
from aucmax.model.trace import Trace

DENSE_LIMIT = 3000  # columns up to which a dense X is solved through its d by d moments
SPARSE_LIMIT = 512  # the same for a sparse X


@documented
@dataclass(eq=False, repr=False)
class ExactAUC(BatchEstimator, StreamingEstimator):
    r"""The exact minimiser of the pairwise square loss.

    Minimises, with ``p`` the share of positives and the mean over all pairs of a positive and a negative row,

    .. math:: p(1-p)\,\mathrm{mean}\,(1 - w\cdot(x^+ - x^-))^2 + \frac{l_2}{2}|w|^2 + l_1|w|_1

    without an iteration where d allows it: a ridge-regularised Fisher discriminant.

    Parameters
    ----------
    l2, l1 : float, default=1e-4 and 0
        The penalties, at least 0, in the units of X.
    max_iter : int, default=10000
        Iterations of the iterative solvers: conjugate gradients (wide or sparse X), coordinate descent (``l1 > 0``).
    tol : float or None, default=1e-10
        Their tolerance: the residual, or the violation of the optimality conditions, relative to the gradient at zero.
    <<batch>>

    Attributes
    ----------
    <<attributes>>

    Notes
    -----
    ``partial_fit`` keeps counts, means and second moments of the classes (O(d²) memory) and merges them exactly:
    however the rows are cut into chunks, the result is that of ``fit`` up to rounding. The system is solved when
    ``coef_`` is first read.

    References
    ----------
    The square-loss problem of W. Gao, R. Jin, S. Zhu, Z.-H. Zhou, "One-pass AUC optimization", ICML 2013, solved
    exactly.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import ExactAUC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bool(ExactAUC().fit(X, y).score(X, y) > 0.99)
    True
    """

    _ranges: ClassVar[dict[str, Range]] = {"l2": PENALTY, "l1": PENALTY, "max_iter": COUNT, "tol": TOLERANCE}

    l2: float = 1e-4
    l1: float = 0.0
    max_iter: int = field(default=10000, kw_only=True)
    tol: float | None = field(default=1e-10, kw_only=True)

    @classmethod
    def path(cls, X: Any, y: Any, l2s: Any, sample_weight: Any = None) -> np.ndarray:
        """The coefficients for many L2 penalties, one a row, from one eigendecomposition."""
        penalties = np.asarray(l2s, dtype=float).ravel()
        if not np.all(np.isfinite(penalties)) or np.any(penalties < 0):
            raise ValueError(f"l2s={l2s!r}: expected finite numbers of at least 0.")
        X, labels, weight = cls()._validated(X, y, sample_weight, reset=True)
        data = Data.of(X, signs(labels, two_classes(labels)), weight)
        return ridge_path(quadratic_of(*_moments(data)), penalties)

    def _validated(self, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> tuple[Any, np.ndarray, np.ndarray]:
        return validated(self, X, y, sample_weight, reset=reset, finite=sample_weight is not None)  # else: _moments

    def _data(self, X: Any, y: np.ndarray, weight: np.ndarray) -> Data:
        data = Data.of(X, y, weight)
        if not self._by_moments(data):
            refuse_infinite(data.sqnorm.sum(), data)
        return data

    @staticmethod
    def _by_moments(data: Data) -> bool:
        return data.d <= (DENSE_LIMIT if data.dense else SPARSE_LIMIT)

    def _train(self, data: Data, trace: Trace) -> np.ndarray:
        self._stream: tuple[Moments, Moments] | None = None
        self.t_ = data.n
        if self._by_moments(data):
            moments = _moments(data)
            data.know(np.column_stack([side.weight * side.mean for side in moments]))
            w = self._solved(quadratic_of(*moments), self._start)
        else:
            w = self._solved_implicitly(Implicit.of(data))
        trace.record(self.n_iter_, w)
        return w

    def _budget(self, b: np.ndarray) -> quadratic.Budget:
        tol = 0.0 if self.tol is None else self.tol
        return quadratic.Budget(float(tol * np.abs(b).max(initial=0.0)), int(self.max_iter))

    def _solved(self, problem: Quadratic, start: np.ndarray | None) -> np.ndarray:
        self.n_iter_ = 1
        if self.l1 == 0.0:
            return solve_ridge(problem, float(self.l2))
        penalty = quadratic.Penalty(float(self.l2), float(self.l1))
        w, self.n_iter_ = solve_net(problem, penalty, self._budget(problem.b), start)
        return w

    def _solved_implicitly(self, problem: Implicit) -> np.ndarray:
        if self.l1 == 0.0:
            tol = 0.0 if self.tol is None else float(self.tol)
            w, made = problem.solve_ridge(float(self.l2), tol, int(self.max_iter), self._start)
        else:
            penalty = quadratic.Penalty(float(self.l2), float(self.l1))
            w, made = problem.solve_net(penalty, self._budget(problem.b), self._start)
        self.n_iter_ = max(made, 1)
        return w

    # A stream -------------------------------------------------------------------------------------------------------

    def _absorbed(self, stream: Any, data: Data) -> tuple[Moments, Moments]:
        check_dimension("ExactAUC.partial_fit", data.d, 2, "use fit, or SPAM, whose stream holds O(d)")
        pos, neg = stream or (Moments.empty(data.d), Moments.empty(data.d))
        if data.n:
            more_pos, more_neg = _moments(data)
            pos, neg = pos.merge(more_pos), neg.merge(more_neg)
        return pos, neg

    def _adopt(self, stream: tuple[Moments, Moments], rows: int) -> None:
        self.t_ = rows + (self.t_ if self._stream_open() else 0)
        self.n_iter_ = 1
        self._stream = stream
        self._model: tuple[np.ndarray, np.ndarray] | None = None

    def _current_model(self) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and intercept, solved for when a stream's are first read."""
        if self._model is None:
            pos, neg = self._stream or (Moments.empty(0), Moments.empty(0))
            d = len(pos.mean)
            if pos.weight == 0.0 or neg.weight == 0.0:
                return np.zeros((1, d)), np.zeros(1)
            w = self._solved(quadratic_of(pos, neg), None)
            self._model = w[None, :], np.array([midpoint(w @ pos.mean, w @ neg.mean)])
        return self._model

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    @property
    def coef_(self) -> np.ndarray:
        """The weights, in the units of X."""
        return self._read(0)

    @coef_.setter
    def coef_(self, value: np.ndarray) -> None:
        self._model = (value, np.zeros(1))

    @property
    def intercept_(self) -> np.ndarray:
        """Minus the midpoint of the two classes' mean scores."""
        return self._read(1)

    @intercept_.setter
    def intercept_(self, value: np.ndarray) -> None:
        self._model = (self.coef_, value)

    def _read(self, part: int) -> np.ndarray:
        if not hasattr(self, "_model"):
            raise AttributeError("ExactAUC has no coefficients before fit or partial_fit")
        return self._current_model()[part]


def _moments(data: Data) -> tuple[Moments, Moments]:
    """The class moments of the rows; numbers that are not finite, or whose squares are not, are refused."""
    unit = bool(np.all(data.weight == 1.0))
    with np.errstate(over="ignore", invalid="ignore"):
        pos, neg = class_moments(data.matrix, data.y, None if unit else data.weight)
        refuse_infinite(sum(side.scatter.trace() + side.mean.sum() for side in (pos, neg)), data)
    return pos, neg
