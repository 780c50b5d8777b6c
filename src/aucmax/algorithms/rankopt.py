"""RankOpt: gradient ascent on a sigmoid of linked pairs (thesis, eq. 2.4; Herschtal and Raskutti).

    maximise  Σ_k s(w·(x⁺_{k mod n⁺} - x⁻_k))/n⁻   with s the sigmoid and |w| fixed, by gradient ascent with line search

Departures: k runs over the larger class, whichever that is, so that swapping the labels only turns w round. The ascent
moves along the sphere |w| = norm, where a trial costs no product with X; norm is 10 by default, and the thesis gives
none. It starts at the difference of the class means, and ends after 500 steps or when a step gains less than 1e-8 by
default; the thesis names neither a start nor an end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import expit

from aucmax.model.data import Data
from aucmax.model.docs import documented
from aucmax.model.iterative import BatchEstimator
from aucmax.model.pairing import Pairing
from aucmax.model.params import COUNT, POSITIVE, TOLERANCE, Range
from aucmax.model.square import warn_unconverged
from aucmax.model.trace import Trace

MOST_TRIALS = 60  # of a line search
SUFFICIENT = 1e-4  # the part of the promised gain that a step must bring


class Links(NamedTuple):
    """Each row of the larger class with one of the smaller: +1 for a positive leader, and the pairs' shares."""

    lead: np.ndarray
    partner: np.ndarray
    sign: int
    share: np.ndarray

    @classmethod
    def of(cls, data: Data) -> Links:
        """The links of the rows as they lie."""
        pairing = Pairing(data, False, None)
        pairing.blocks()
        weight = pairing.weight[pairing.lead] * pairing.weight[pairing.partner]
        return cls(pairing.lead, pairing.partner, pairing.sign, weight / weight.sum())

    def margins(self, scores: np.ndarray) -> np.ndarray:
        """The linked differences of scores."""
        return np.asarray(self.sign * (scores[self.lead] - scores[self.partner]))

    def value(self, margins: np.ndarray) -> float:
        """The mean sigmoid."""
        return float(self.share @ expit(margins))

    def slopes(self, margins: np.ndarray, n: int) -> np.ndarray:
        """Its derivative with respect to every score."""
        s = expit(margins)
        slope = self.sign * self.share * s * (1.0 - s)
        return np.bincount(self.lead, slope, n) - np.bincount(self.partner, slope, n)


@documented
@dataclass(eq=False, repr=False)
class RankOpt(BatchEstimator):
    r"""Gradient ascent on a smoothed AUC of linked pairs.

    Minimises, over all w of one norm, with every row of the larger class linked to one of the smaller in turn,

    .. math:: 1 - \mathrm{mean}\,\frac{1}{1 + e^{-w\cdot(x^+ - x^-)}} \quad\text{subject to}\quad |w| = R/\kappa

    with κ the largest row norm. The problem is not convex; the ascent starts at the difference of the class means.

    Parameters
    ----------
    norm : float, default=10
        R, above 0, on rows divided by κ: the larger, the closer the sigmoid is to a step.
    max_iter : int, default=500
        Ascent steps.
    tol : float or None, default=1e-8
        Stop when a step gains less than this; None makes all steps.
    <<batch>>

    Attributes
    ----------
    <<attributes>>

    Notes
    -----
    A pair weighs the product of its rows' sample weights. ``objective`` links the rows it is given, in their order.

    References
    ----------
    A. Herschtal, B. Raskutti, "Optimising area under the ROC curve using gradient descent", ICML 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import RankOpt
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bool(RankOpt().fit(X / X.max(axis=0), y).score(X / X.max(axis=0), y) > 0.98)
    True
    """

    _ranges: ClassVar[dict[str, Range]] = {"norm": POSITIVE, "max_iter": COUNT, "tol": TOLERANCE}
    _pair_loss = "sigmoid"
    _first_checkpoint = 1

    norm: float = 10.0
    max_iter: int = field(default=500, kw_only=True)
    tol: float | None = field(default=1e-8, kw_only=True)

    def _objective(self, scores: np.ndarray, data: Data, w: np.ndarray) -> float:
        links = Links.of(data)
        return 1.0 - links.value(links.margins(scores))

    def _train(self, data: Data, trace: Trace) -> np.ndarray:
        links = Links.of(data)
        radius = self.norm / np.sqrt(data.largest or 1.0)
        w = _on_sphere(data.class_sums @ (1.0 / data.seen.pos, -1.0 / data.seen.neg), radius)
        if self._start is not None and self._start.any():
            w = _on_sphere(self._start, radius)
        margins = links.margins(data.products(w[:, None])[:, 0])
        reach, gain = 1.0, np.inf
        for step in range(1, int(self.max_iter) + 1):
            w, margins, reach, gain = _ascended(data, links, w, margins, reach)
            if trace.watch(step, w) or gain <= (self.tol or 0.0):
                break
        else:
            if self.tol is not None:
                warn_unconverged("gradient ascent", step, self.tol)
        self.n_iter_, self.t_ = step, data.n * step
        return w


def _on_sphere(w: np.ndarray, radius: float) -> np.ndarray:
    """The multiple of w of that norm; of the vector of ones where w is zero."""
    size = np.linalg.norm(w)
    return w * (radius / size) if size > 0.0 else np.full(len(w), radius / np.sqrt(len(w)))


def _ascended(
    data: Data, links: Links, w: np.ndarray, margins: np.ndarray, reach: float
) -> tuple[np.ndarray, np.ndarray, float, float]:
    """A step along the sphere that gains enough: weights, margins, the angle tried next, and the gain (0 if none)."""
    size = float(np.linalg.norm(w))
    g = data.combination(links.slopes(margins, data.n))
    g -= (g @ w) / size**2 * w
    steep = float(np.linalg.norm(g))
    if steep == 0.0:
        return w, margins, reach, 0.0
    turn = g * (size / steep)
    along, before = links.margins(data.products(turn[:, None])[:, 0]), links.value(margins)
    for _ in range(MOST_TRIALS):
        moved = np.cos(reach) * margins + np.sin(reach) * along
        gain = links.value(moved) - before
        if gain >= SUFFICIENT * reach * steep * size:
            return np.cos(reach) * w + np.sin(reach) * turn, moved, min(2.0 * reach, 1.0), gain
        reach *= 0.5
    return w, margins, reach, 0.0
