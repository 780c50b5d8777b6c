"""BAM: batch AUC maximization, the squared hinge over all pairs (PSAM paper, section IV.B, item 4, after PRSVM+).

    w = argmin  λ/2·|w|² + mean over pairs of max(0, 1 - w·(x⁺ - x⁻))²

by truncated Newton. Value, gradient and Hessian-vector products over all n⁺·n⁻ pairs cost O(non-zeros + n log n).

Departures: the penalty is λ on the mean over pairs, where the paper has C on the loss. A line search along the
direction takes the place of PRSVM+'s trust region. By default a fit ends when the gap is estimated at 1e-3 of the
objective, before the last step. Large data get their start from samples of rows. Few columns get an explicit Hessian,
from all rows or from a sample, as a preconditioner. The loss may also be ASAM's smooth hinge.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from aucmax.kernel.pairs import LOSSES
from aucmax.model import newton
from aucmax.model.data import Data
from aucmax.model.docs import documented
from aucmax.model.iterative import BatchEstimator
from aucmax.model.params import COUNT, PENALTY, TOLERANCE, Choice, Range
from aucmax.model.problem import Problem
from aucmax.model.square import warn_unconverged
from aucmax.model.trace import Trace


@documented
@dataclass(eq=False, repr=False)
class BAM(BatchEstimator):
    r"""Batch AUC maximization: a convex loss over all pairs, minimised to the end.

    Minimises, with the mean over all pairs of a positive and a negative row and ``m = w·(x⁺ - x⁻)``,

    .. math:: \mathrm{mean}\,\max(0, 1 - m)^2 + \frac{l_2}{2}|w|^2

    by truncated Newton with sums over sorted scores: no pair is ever formed. There is no step size.

    Parameters
    ----------
    l2 : float, default=1e-3
        The penalty, at least 0, in the units of X.
    loss : {"squared_hinge", "smooth_hinge"}, default="squared_hinge"
        The loss of a margin. The smooth hinge is ``(1-m)²/2`` for m between 0 and 1 and goes on as a line below.
    max_iter : int, default=100
        Newton steps on all rows.
    tol : float or None, default=1e-3
        Stop after a step at whose start the estimated gap to the least objective was below this part of it; the step
        itself leaves about a hundredth. None goes on until rounding ends the progress.
    random_state : int, RandomState instance or None, default=None
        Seeds the samples of rows from which large data get their start.
    <<batch>>

    Attributes
    ----------
    <<attributes>>

    References
    ----------
    M. Khalid, H. Chitsaz, I. Ray, "Proximal stochastic AUC maximization", IEEE 2020, BAM; C.-P. Lee, C.-J. Lin,
    "Large-scale linear rankSVM", Neural Computation 26, 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import BAM
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bool(BAM().fit(X, y).score(X, y) > 0.99)
    True
    """

    _pair_scale = 1.0
    _ranges: ClassVar[dict[str, Range]] = {
        "l2": PENALTY,
        "loss": Choice(("squared_hinge", "smooth_hinge")),
        "max_iter": COUNT,
        "tol": TOLERANCE,
    }
    _first_checkpoint = 1

    l2: float = 1e-3
    loss: str = "squared_hinge"
    max_iter: int = field(default=100, kw_only=True)
    tol: float | None = field(default=1e-3, kw_only=True)
    random_state: Any = field(default=None, kw_only=True)

    @property
    def _pair_loss(self) -> str:  # type: ignore[override]
        return self.loss

    def _train(self, data: Data, trace: Trace) -> np.ndarray:
        problem = Problem.of(data, LOSSES[self.loss], float(self.l2))
        budget = newton.Budget(0.0 if self.tol is None else float(self.tol), int(self.max_iter))
        result = newton.solve(problem, self._start, budget, trace.watch, check_random_state(self.random_state))
        if not result.converged and not trace.stopped:
            warn_unconverged("Newton's method", result.steps, budget.tol)
        self.n_iter_, self.t_ = result.steps, data.n * result.steps
        return result.w
