"""ROC-area SVM, B-SVM-OR: the pairwise hinge by cutting planes (thesis, algorithms 13 to 15; SVMperf).

    algorithm 13   w <- the minimiser of λ/2·|w|² + xi over the constraints so far
                   add the most violated constraint; stop when it is violated by less than epsilon
    algorithm 15   the most violated constraint by one sort of the scores

Departures: a pair's margin is 1, as in the other estimators of this library; algorithm 15 adds and takes 1/4 from the
scores, which is a margin of 1/2: with twice our penalty its w is half of ours. The loss is the mean over all pairs,
weighed against λ/2·|w|², where algorithm 13 has C·xi with a loss that counts pairs. The constraint is added near the
best point on the segment to w (Franc and Sonnenburg's OCAS), which takes far fewer of them, and the stop is a duality
gap relative to the objective, 1e-6 by default. Algorithm 14, for measures of the contingency table, is not here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from aucmax.kernel.pairs import HINGE
from aucmax.model import bundle
from aucmax.model.data import Data
from aucmax.model.docs import documented
from aucmax.model.iterative import BatchEstimator
from aucmax.model.newton import Budget
from aucmax.model.params import COUNT, POSITIVE, TOLERANCE, Range
from aucmax.model.problem import Problem
from aucmax.model.square import warn_unconverged
from aucmax.model.trace import Trace


@documented
@dataclass(eq=False, repr=False)
class ROCSVM(BatchEstimator):
    r"""The support vector machine of the area under the ROC curve.

    Minimises, with the mean over all pairs of a positive and a negative row,

    .. math:: \mathrm{mean}\,\max(0, 1 - w\cdot(x^+ - x^-)) + \frac{l_2}{2}|w|^2

    by cutting planes with one slack, up to a proven gap. There is no step size and no randomness. Columns should be of
    comparable size, and l2 not tiny beside their squares: it takes as many planes as the problem is ill-conditioned.

    Parameters
    ----------
    l2 : float, default=1e-3
        The penalty, above 0, in the units of X.
    max_iter : int, default=2000
        Cutting planes. Those in use are kept, so memory is O(n + d·planes).
    tol : float or None, default=1e-6
        Stop when the duality gap is below this part of the objective; None goes on until rounding ends the progress.
    <<batch>>

    Attributes
    ----------
    <<attributes>>
    dual_gap_ : float
        How far the objective may be above its least value; infinite where rounding left no proof.

    References
    ----------
    T. Joachims, "A support vector method for multivariate performance measures", ICML 2005; V. Franc, S. Sonnenburg,
    "Optimized cutting plane algorithm for large-scale risk minimization", JMLR 10, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import ROCSVM
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bool(ROCSVM().fit(X / X.max(axis=0), y).score(X / X.max(axis=0), y) > 0.99)
    True
    """

    _pair_scale = 1.0
    _ranges: ClassVar[dict[str, Range]] = {"l2": POSITIVE, "max_iter": COUNT, "tol": TOLERANCE}
    _pair_loss = "hinge"
    _first_checkpoint = 1

    l2: float = 1e-3
    max_iter: int = field(default=2000, kw_only=True)
    tol: float | None = field(default=1e-6, kw_only=True)

    def _train(self, data: Data, trace: Trace) -> np.ndarray:
        start = np.zeros(data.d) if self._start is None else self._start
        tol = 0.0 if self.tol is None else float(self.tol)
        problem = Problem.of(data, HINGE, float(self.l2))
        found = bundle.minimise(problem, start, Budget(tol, int(self.max_iter)), trace.watch)
        if not found.converged and not trace.stopped:
            warn_unconverged("the cutting-plane method", found.steps, tol)
        self.n_iter_, self.t_, self.dual_gap_ = found.steps, data.n * found.steps, found.gap
        return found.w
