"""MBA: mini-batch AUC optimization (thesis, algorithm 16).

    lines 2-7   mu_S, Sigma_S: first and (uncentred) second moment of the differences of sampled pairs
    line 8      w = argmin  ½wᵀΣw - w·μ + λ1|w|₁ + λ2/2·|w|²

Departures: the T mini-batches of B pairs are drawn as one sample of ``n_pairs``; the text's 2wᵀμ is the box's wᵀμ.
Wide or sparse data keep the sampled differences and descend along their columns, so that no d by d matrix is formed.
Pairs are drawn with replacement; there are 100,000 and both penalties are 1e-4 by default, where the thesis names no
values.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from aucmax.kernel import quadratic
from aucmax.kernel.moments import densified
from aucmax.model.data import Data, as_rows
from aucmax.model.docs import documented
from aucmax.model.iterative import BatchEstimator
from aucmax.model.params import COUNT, PENALTY, TOLERANCE, Range
from aucmax.model.square import Quadratic, solve_net, warn_unconverged
from aucmax.model.trace import Trace

MATRIX_LIMIT = 1000  # columns up to which the second moment is formed
BLOCK = 4096  # pairs at a time


@documented
@dataclass(eq=False, repr=False)
class MBA(BatchEstimator):
    r"""Mini-batch AUC optimization: the elastic net on the moments of sampled pairs.

    Minimises, with the mean over the sampled pairs of a positive and a negative row,

    .. math:: \tfrac12\,\mathrm{mean}\,(1 - w\cdot(x^+ - x^-))^2 + \frac{l_2}{2}|w|^2 + l_1|w|_1

    exactly, by coordinate descent. There is no step size. ``objective`` takes the mean over all pairs.

    Parameters
    ----------
    l1, l2 : float, default=1e-4
        The penalties, at least 0, in the units of X.
    n_pairs : int, default=100000
        Pairs drawn with replacement, each row with probability proportional to its weight within its class.
    max_iter : int, default=10000
        Sweeps of coordinate descent.
    tol : float or None, default=1e-8
        Stop when the violation of the optimality conditions is below this part of the gradient at zero.
    random_state : int, RandomState instance or None, default=None
        Seeds the draw of the pairs.
    <<batch>>

    Attributes
    ----------
    <<attributes>>

    References
    ----------
    S. Gultekin, A. Saha, A. Ratnaparkhi, J. Paisley, "MBA: mini-batch AUC optimization", 2018.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import MBA
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bool(MBA(random_state=0, tol=1e-3).fit(X / X.max(axis=0), y).score(X / X.max(axis=0), y) > 0.98)
    True
    """

    _pair_scale = 0.5
    _ranges: ClassVar[dict[str, Range]] = {
        "l1": PENALTY,
        "l2": PENALTY,
        "n_pairs": COUNT,
        "max_iter": COUNT,
        "tol": TOLERANCE,
    }

    l1: float = 1e-4
    l2: float = 1e-4
    n_pairs: int = 100_000
    max_iter: int = field(default=10000, kw_only=True)
    tol: float | None = field(default=1e-8, kw_only=True)
    random_state: Any = field(default=None, kw_only=True)

    def _train(self, data: Data, trace: Trace) -> np.ndarray:
        pairs = _draw_pairs(data, int(self.n_pairs), check_random_state(self.random_state))
        if data.d <= MATRIX_LIMIT:
            w = self._solved_by_matrix(data, *pairs)
        else:
            w = self._solved_by_columns(data, *pairs)
        self.t_ = len(pairs[0])
        trace.record(self.n_iter_, w)
        return w

    def _terms(self, mu: np.ndarray) -> tuple[quadratic.Penalty, quadratic.Budget]:
        tol = 0.0 if self.tol is None else float(self.tol) * float(np.abs(mu).max(initial=0.0))
        return quadratic.Penalty(float(self.l2), float(self.l1)), quadratic.Budget(tol, int(self.max_iter))

    def _solved_by_matrix(self, data: Data, pos: np.ndarray, neg: np.ndarray) -> np.ndarray:
        X = data.matrix
        mu, sigma = np.zeros(data.d), np.zeros((data.d, data.d))
        for start in range(0, len(pos), BLOCK):
            at = slice(start, start + BLOCK)
            z = densified(X[pos[at]] - X[neg[at]])
            mu += z.sum(axis=0)
            sigma += z.T @ z
        problem = Quadratic(sigma / len(pos), mu / len(pos))
        w, self.n_iter_ = solve_net(problem, *self._terms(problem.b), self._start)
        return w

    def _solved_by_columns(self, data: Data, pos: np.ndarray, neg: np.ndarray) -> np.ndarray:
        X = sp.csr_array(data.matrix)
        differences = X[pos] - X[neg]
        count = len(pos)
        mu = np.asarray(differences.sum(axis=0), dtype=float).ravel() / count
        w = np.zeros(data.d) if self._start is None else self._start.copy()
        none = np.empty((data.d, 0))
        columns = as_rows(differences.T.tocsr())
        form = quadratic.ByColumns(columns, np.full(count, 1.0 / count), none, np.empty(0))
        penalty, budget = self._terms(mu)
        scores = (differences @ w)[:, None].astype(float)
        self.n_iter_, worst = quadratic.descend_columns(form, mu, penalty, budget, w, scores, np.empty(0))
        if worst > budget.tol:
            warn_unconverged("coordinate descent", budget.sweeps, budget.tol)
        return w


def _draw_pairs(data: Data, count: int, rng: Any) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers of positives and negatives, drawn with replacement."""
    drawn = []
    for side in (data.y > 0, data.y < 0):
        rows = np.flatnonzero(side)
        weight = data.weight[rows]
        drawn.append(rng.choice(rows, count, p=weight / weight.sum()))
    return drawn[0], drawn[1]
