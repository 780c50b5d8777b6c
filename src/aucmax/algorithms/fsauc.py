"""FSAUC: fast stochastic AUC maximization (Liu and others, ICML 2018, algorithms 1 to 3).

    alg. 1   m stages; stage k starts from the average of stage k-1 with half the radius and a smaller step
    alg. 2   5  (w, a, b) <- P( (w, a, b) - eta d F_t ), on {|w|₁ ≤ R, |a|, |b| ≤ Rκ} within r of the stage's start
             6  alpha     <- P( alpha + eta d F_t ), on |alpha| ≤ 2Rκ within D of the stage's start
             8  the average of the stage's iterates, and alpha = (A-/T- - A+/T+)·average
    alg. 3   A±, T±, p run along
    lemma 1  beta and D from the radius, p and the stage's length

Letters as in the paper; w is kept in the units of X, where its step is eta/κ² and its radius R/κ. With
``scale="none"`` all of this is literal on X as it is, κ being its largest row norm.

Departures: the projection on the intersection is exact (a root in one dimension), not alternating; |w|₁ and the
distance are tracked, an active ℓ1 ball costs w's support, and only an active ball around the start costs a sweep over
the columns. A±, T±, p run over all stages (the paper's remark). ``schedule="halving"`` halves eta at every stage; the
printed recursion ("paper") multiplies the second step by √(β₁/β₀)/2, often above 20, and then diverges when eta₁ is
tuned. In a stream, where n is unknown, stages double. Steps and radius are meant on X/κ by default, where the paper
steps on X (``scale="none"``); eta₁ is 1 and R is 100, where the paper tunes both; delta, which it does not give, is
0.1, and lemma 1's bracket is kept above 1 and beta's denominator above .001, below which it has no meaning. n counts
the steps of all passes, of which there are 20 by default and one in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from aucmax.algorithms.solam import Dual, dual_at, saddle_gradient
from aucmax.kernel import prox, rows, weights
from aucmax.kernel.bounds import FREE, bounded
from aucmax.kernel.driver import algorithm
from aucmax.kernel.jit import inlined
from aucmax.kernel.moments import Running, Seen, positive_share, relative_weight, witness
from aucmax.model.data import Data
from aucmax.model.docs import documented
from aucmax.model.iterative import IterativeEstimator
from aucmax.model.params import POSITIVE, STEP, Choice, Range
from aucmax.model.stepped import Machine, OnlineEstimator

CONFIDENCE = np.log(12.0 / 0.1)  # lemma 1 with delta = 0.1
FIRST_STAGE = 1000  # rows in the first stage of a stream
UNBOUNDED = 1e300  # finite, as all scalars of a run that has not diverged
CENTRE, TRIAL = 2, 3  # columns beside w and its averaging debt


@bounded(stages=FREE, length=FREE)
class Options(NamedTuple):
    """The radius R, on X/κ or on X, how eta shrinks from stage to stage, and how stages are counted."""

    radius: float
    literal: bool  # on X
    halving: bool
    stages: int  # 0: unknown, each twice as long as the one before
    length: int


class Vectors(NamedTuple):
    """The weight vector with its centre, and the class sums."""

    w: prox.Listed
    means: Running


@bounded(number=FREE, length=FREE, left=FREE)
class Stage(NamedTuple):
    """A stage: its number, its length, steps left, its step, reach r and D, beta, and its starting point."""

    number: int
    length: int
    left: int
    eta: float
    reach: float
    dual_reach: float
    beta: float
    start: Dual


class Scalars(NamedTuple):
    """The scalars; gap is |w - w₁|² in the units of X; sum_a and sum_b are for the stage's average."""

    scale: weights.Scale
    seen: Seen
    dual: Dual
    stage: Stage
    support: weights.Support
    gap: float
    sum_a: float
    sum_b: float


class Units(NamedTuple):
    """What rows are divided by, κ on those rows, and r₀ there over r₀ for κ = 1, which is the one that is kept."""

    divisor: float
    kappa: float
    reach: float


@inlined
def units_of(options: Any, seen: Any) -> Any:
    """The units of R and of the steps; κ is that of the rows so far where not all are known."""
    kappa = np.sqrt(seen.kappa2) if seen.kappa2 > 0.0 else 1.0
    if options.literal:
        return Units(1.0, kappa, np.sqrt((1.0 + 2.0 * kappa * kappa) / 3.0))
    return Units(kappa, 1.0, 1.0)


@inlined
def lemma_1(radius: Any, reach: Any, length: Any, p: Any, kappa: Any = 1.0) -> Any:
    """D and beta for the next stage."""
    least = min(p, 1.0 - p)
    confidence = 2.0 + np.sqrt(2.0 * CONFIDENCE)
    bracket = max(least * length - np.sqrt(2.0 * length * CONFIDENCE), 1.0)
    spread = max(least - np.sqrt(2.0 * CONFIDENCE / length), 1e-3)
    wide = kappa * (1.0 + 2.0 * kappa) * confidence
    dual_reach = 2.0 * np.sqrt(2.0) * kappa * reach + 4.0 * np.sqrt(2.0) * wide * radius / np.sqrt(bracket)
    beta = 1.0 + 8.0 * kappa * kappa + 32.0 * wide * wide / spread
    return dual_reach, beta


@inlined
def turn(options: Any, vectors: Any, scalars: Any) -> Any:
    """End a stage: start the next one from the average."""
    w, sums, seen, stage, tally = vectors.w, vectors.means.sums, scalars.seen, scalars.stage, scalars.scale.tally
    units = units_of(options, seen)
    alpha = 0.0
    square = 0.0
    for j in range(w.v.shape[0]):
        mean = (tally * w.v[j, 0] - w.v[j, 1]) / tally
        w.v[j, 0] = mean
        w.v[j, 1] = 0.0
        w.v[j, CENTRE] = mean
    for j in range(w.v.shape[0]):
        mean = w.v[j, CENTRE]
        alpha += mean * (sums[j, 1] / max(seen.neg, 1e-300) - sums[j, 0] / max(seen.pos, 1e-300))
        square += mean * mean
    start = Dual(scalars.sum_a / tally, scalars.sum_b / tally, alpha)
    reach = 0.5 * stage.reach
    p, kappa = positive_share(seen), units.kappa
    dual_reach, beta = lemma_1(options.radius, units.reach * reach, float(stage.length), p, kappa)
    before = 1.0 + 8.0 * kappa * kappa if stage.number == 1 else stage.beta
    eta = 0.5 * stage.eta if options.halving else 0.5 * np.sqrt(beta / before) * stage.eta
    number = stage.number + 1
    length = stage.length if options.stages else 2 * stage.length
    # with n known, the last stage takes what is left
    left = 2**62 if options.stages == number else length
    stage = Stage(number, length, left, eta, reach, dual_reach, beta, start)
    support = weights.list_support(w)
    return Scalars(weights.Scale(1.0, 0.0, 0.0, square), seen, start, stage, support, 0.0, 0.0, 0.0)


@inlined
def confine(options: Any, w: Any, scalars: Any, units: Any) -> Any:
    """Project (w, a, b) on the region of the stage; the scalars afterwards.

    The ℓ1 ball and the box alone cost w's support. Only when they do not lead within reach of the stage's start is the
    whole vector projected.
    """
    stage, dual, support, gap = scalars.stage, scalars.dual, scalars.support, scalars.gap
    threshold = prox.l1_threshold(w, support.columns, options.radius / units.divisor)
    for at in range(support.columns):
        j = w.names[at]
        before = w.v[j, 0] - w.v[j, CENTRE]
        after = prox.soft(w.v[j, 0], threshold) - w.v[j, CENTRE]
        gap += (after - before) * (after + before)
    box = options.radius * units.kappa
    a, b = prox.clip(dual.a, box), prox.clip(dual.b, box)
    distance = units.divisor**2 * gap + (a - stage.start.a) ** 2 + (b - stage.start.b) ** 2
    if distance <= (units.reach * stage.reach) ** 2:
        support = weights.threshold_listed(w, scalars.scale, support, threshold)
        dual = Dual(a, b, dual.alpha)
        return Scalars(scalars.scale, scalars.seen, dual, stage, support, gap, scalars.sum_a, scalars.sum_b)
    return confine_wholly(options, w, scalars, units)


@inlined
def confine_wholly(options: Any, w: Any, scalars: Any, units: Any) -> Any:
    """The same by a sweep over all columns."""
    stage, dual, tally = scalars.stage, scalars.dual, scalars.scale.tally
    radius, reach = options.radius, units.reach * stage.reach
    region = prox.Region(radius / units.divisor, radius * units.kappa, reach, units.divisor**2)
    point = prox.Point(dual.a, dual.b)
    a, b = prox.project_region(w.v, CENTRE, TRIAL, region, point, prox.Point(stage.start.a, stage.start.b))
    gap = 0.0
    for j in range(w.v.shape[0]):
        moved = w.v[j, TRIAL]
        w.v[j, 1] += tally * (moved - w.v[j, 0])
        w.v[j, 0] = moved
        gap += (moved - w.v[j, CENTRE]) ** 2
    dual = Dual(a, b, dual.alpha)
    support = weights.list_support(w)
    return Scalars(scalars.scale, scalars.seen, dual, stage, support, gap, scalars.sum_a, scalars.sum_b)


@algorithm(Options)
def step(options: Any, vectors: Any, scalars: Any, batch: Any, i: Any) -> Any:
    """One step."""
    if scalars.stage.left == 0:
        scalars = turn(options, vectors, scalars)
    w, dual, stage = vectors.w, scalars.dual, scalars.stage
    seen, _, _ = witness(vectors.means, scalars.seen, batch, i)
    scale = weights.accumulate(scalars.scale, 1.0)
    sum_a = scalars.sum_a + dual.a
    sum_b = scalars.sum_b + dual.b
    score = rows.dot(batch.rows, i, w.v, 0)
    apart = score - rows.dot(batch.rows, i, w.v, CENTRE)
    g, g_a, g_b, g_alpha = saddle_gradient(batch.y[i], score, dual, positive_share(seen))
    eta = stage.eta * relative_weight(seen, batch, i)
    units = units_of(options, seen)
    change = -eta / units.divisor**2 * g
    support = weights.add_listed(w, scale, batch, i, change, scalars.support)
    gap = scalars.gap + change * (2.0 * apart + change * batch.sqnorm[i])
    bound = 2.0 * options.radius * units.kappa
    low = max(-bound, stage.start.alpha - stage.dual_reach)
    high = min(bound, stage.start.alpha + stage.dual_reach)
    alpha = min(max(dual.alpha + eta * g_alpha, low), high)
    dual = Dual(dual.a - eta * g_a, dual.b - eta * g_b, alpha)
    stage = Stage(
        stage.number, stage.length, stage.left - 1, stage.eta, stage.reach, stage.dual_reach, stage.beta, stage.start
    )
    scalars = Scalars(scale, seen, dual, stage, support, gap, sum_a, sum_b)
    distance = units.divisor**2 * gap + (dual.a - stage.start.a) ** 2 + (dual.b - stage.start.b) ** 2
    outside = support.size * units.divisor > options.radius or distance > (units.reach * stage.reach) ** 2
    if outside or max(abs(dual.a), abs(dual.b)) > options.radius * units.kappa:
        scalars = confine(options, w, scalars, units)
    return scalars


@documented
@dataclass(eq=False, repr=False)
class FSAUC(OnlineEstimator):
    r"""Fast stochastic AUC maximization in stages.

    Minimises, with ``p`` the share of positives and the mean over all pairs of a positive and a negative row,

    .. math:: p(1-p)\,\mathrm{mean}\,(1 - w\cdot(x^+ - x^-))^2 \quad\text{subject to}\quad |w|_1 \le R/\kappa

    with κ the largest row norm, by a primal-dual method in stages of constant step. Returns the last stage's average.

    Parameters
    ----------
    radius : float, default=100
        R, above 0, on rows divided by κ. The paper searches 0.1 to 100,000.
    schedule : {"halving", "paper"}, default="halving"
        How the step shrinks from stage to stage; the printed recursion often diverges.
    step : float, optional
        The first stage's step, on rows divided by κ; by default 1.
    scale : {"norm", "none"}, default="norm"
        What rows are divided by, for ``radius`` and ``step`` to be taken literally: κ, or nothing. The second is the
        algorithm to the letter, for data of which the paper's grids are meant; its result depends on the units of X.
    max_iter : int, default=20
        Passes over the data; their number sets the number of stages.
    tol : float or None, default=None
        Stop when a pass moves the returned weights by less than this part of their norm; None makes all passes.
    <<shared>>

    Attributes
    ----------
    <<attributes>>

    References
    ----------
    M. Liu, X. Zhang, Z. Chen, X. Wang, T. Yang, "Fast stochastic AUC maximization with O(1/n)-convergence rate", ICML
    2018, algorithms 1 to 3.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import FSAUC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bool(FSAUC(random_state=0).fit(X, y).score(X, y) > 0.9)
    True
    """

    _sums_in_step = True
    _ranges: ClassVar[dict[str, Range]] = {
        "radius": POSITIVE,
        "schedule": Choice(("halving", "paper")),
        "step": STEP,
        "scale": Choice(("norm", "none")),
        **IterativeEstimator._shared_ranges,
    }

    radius: float = 100.0
    schedule: str = "halving"
    step: float | None = field(default=None, kw_only=True)
    scale: str = field(default="norm", kw_only=True)
    tol: float | None = field(default=None, kw_only=True)

    def _machine(self, data: Data, start: np.ndarray | None, *, stream: bool) -> Machine:
        radius = float(self.radius)
        stages, length = (0, FIRST_STAGE) if stream else _stages(self.max_iter * data.n)
        w = weights.listed(data.d, 4, data.dense)
        dual = Dual(0.0, 0.0, 0.0)
        if start is not None:
            w.v[:, 0] = w.v[:, CENTRE] = start
            dual = dual_at(start, data)
        reach = 2.0 * np.sqrt(3.0) * radius
        eta = 1.0 if self.step is None else float(self.step)
        left = 2**62 if stages == 1 else length
        # D₀ is wider than the box of alpha, and β₀ is computed when the stage is over: κ may be unknown before
        stage = Stage(1, length, left, eta, float(reach), UNBOUNDED, 9.0, dual)
        begun = Seen(0.0, 0.0, 0.0, 0.0 if stream else data.seen.kappa2)
        support = weights.listed_support(w)
        scalars = Scalars(weights.scale_of(w.v), begun, dual, stage, support, 0.0, 0.0, 0.0)
        options = Options(radius, self.scale == "none", self.schedule == "halving", stages, length)
        return Machine(options, Vectors(w, Running(np.zeros((data.d, 2)))), scalars)

    def _weights(self, machine: Machine) -> np.ndarray:
        return weights.average(machine.vectors.w, machine.scalars.scale)

    def _step_sizes(self, t: np.ndarray, kappa2: Any) -> np.ndarray:
        return t  # a stage has its own step


def _stages(steps: int) -> tuple[int, int]:
    """The number of stages for so many steps, and the length of all but the last."""
    count = 1 if steps < 2 else max(1, int(0.5 * np.log2(2.0 * steps / max(np.log2(steps), 1e-9))) - 1)
    return count, steps // count
