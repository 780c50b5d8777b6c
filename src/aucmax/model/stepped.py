"""Estimators that step from row to row: passes over shuffled chunks, and streams."""

from __future__ import annotations

import copy
import math
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from aucmax.kernel.bounds import FREE, bounded
from aucmax.kernel.driver import Batch, Pairs, run
from aucmax.kernel.moments import Seen, add_class_sums
from aucmax.model.base import diverged
from aucmax.model.data import CHUNK, NOTHING_KNOWN, Data, Order
from aucmax.model.iterative import IterativeEstimator
from aucmax.model.stream import StreamingEstimator
from aucmax.model.trace import Trace


class Machine(NamedTuple):
    """A running algorithm: options, arrays and scalars, what is known of every row beforehand, random numbers."""

    options: Any
    vectors: Any
    scalars: Any
    along: np.ndarray = NOTHING_KNOWN
    rng: np.random.Generator | None = None


@bounded(passes=FREE, steps=FREE, blocks=FREE)
class Reached(NamedTuple):
    """How far a fit has come: its algorithm, whole passes, steps, blocks of the pass under way, weights before it."""

    vectors: Any
    scalars: Any
    rng: np.random.Generator | None
    passes: int
    steps: int
    blocks: int
    before: np.ndarray


class Stream(NamedTuple):
    """What ``partial_fit`` carries from one call to the next."""

    machine: Machine
    sums: np.ndarray
    seen: Seen


def generator(random_state: Any) -> np.random.Generator:
    """Random numbers for the steps, apart from those that shuffle. How a stream is cut does not change them."""
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1, size=4))


def _finite(scalars: Any) -> bool:
    """Whether all scalars, nested or not, are finite."""
    return all(_finite(s) if isinstance(s, tuple) else math.isfinite(s) for s in scalars)


def _copied(state: Any, known: dict[int, Any]) -> Any:
    """What ``deepcopy`` gives, an array met twice being one array again, without its cost for every number."""
    if isinstance(state, tuple):
        parts = [_copied(part, known) for part in state]
        return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
    if isinstance(state, float | int | None):
        return state
    if id(state) not in known:
        known[id(state)] = copy.deepcopy(state)
    return known[id(state)]


class SteppedEstimator(IterativeEstimator):
    """An algorithm given by a compiled step; ``fit`` makes passes over the data with it."""

    # whether the compiled step itself adds to the class sums of a stream
    _sums_in_step = False

    # What an algorithm provides -------------------------------------------------------------------------------------

    def _machine(self, data: Data, start: np.ndarray | None, *, stream: bool) -> Machine:
        """The algorithm before its first step; ``data`` is all there is, or the first chunk of a stream."""
        raise NotImplementedError

    def _weights(self, machine: Machine) -> np.ndarray:
        """The weights the algorithm would return now."""
        raise NotImplementedError

    def _step_sizes(self, t: np.ndarray, kappa2: Any) -> np.ndarray:
        """The sizes of steps number t (from 1), κ² being the largest squared row norm by then."""
        raise NotImplementedError

    def _order(self, data: Data, rng: Any) -> Any:
        """The order of the rows, or of pairs of them."""
        return Order(data, self.shuffle, rng)

    def _equipped(self, machine: Machine, batch: Any) -> tuple[Machine, Any]:
        """Both with what the steps on these rows need besides: random draws, room in a buffer."""
        return machine, batch

    # Passes over the data -------------------------------------------------------------------------------------------

    def _train(self, data: Data, trace: Trace) -> np.ndarray:
        order = self._order(data, check_random_state(self.random_state))
        machine = self._machine(order.data, self._start, stream=False)
        begun = Reached(machine.vectors, machine.scalars, machine.rng, 0, 0, 0, self._weights(machine))
        reached = trace.resumed(begun, data.d)
        machine = machine._replace(vectors=reached.vectors, scalars=reached.scalars, rng=reached.rng)
        self.n_iter_, self.t_, after = reached.passes, reached.steps, reached.before
        for _ in range(self.n_iter_):
            order.blocks()  # random numbers that were drawn before
        settled = False
        while self.n_iter_ < self.max_iter and not settled:
            before = after
            machine = self._pass(machine, order, before, trace, reached.blocks)
            self.n_iter_, reached = self.n_iter_ + 1, begun
            after = self._weights(machine)
            settled = trace.should_stop(after) or self._settled(before, after)
        trace.record(self.t_, after)
        self._stream: Stream | None = None
        return after

    def _pass(self, machine: Machine, order: Any, before: np.ndarray, trace: Trace, done: int) -> Machine:
        """Step through all blocks but those done; after each the fit may be written down."""
        for k, block in enumerate(order.blocks()):
            if k < done:
                continue
            machine = self._through(machine, order, block, trace)
            _, vectors, scalars, _, rng = machine
            trace.offer(Reached(vectors, scalars, rng, self.n_iter_, self.t_, k + 1, before))
        return machine

    def _through(self, machine: Machine, order: Any, block: tuple[int, int], trace: Trace) -> Machine:
        """Step through a block, with a stop at every checkpoint."""
        at, end = block
        kappa2 = order.data.largest
        while at < end:
            stop = min(end, at + trace.mark - self.t_)
            machine = self._advance(machine, order.piece(at, stop, machine.along), self.t_, kappa2)
            self.t_ += stop - at
            at = stop
            if self.t_ == trace.mark:
                trace.record(self.t_, self._weights(machine))
        return machine

    def _settled(self, before: np.ndarray, after: np.ndarray) -> bool:
        """Whether a whole pass moved the weights by less than ``tol`` of their norm."""
        if self.tol is None:
            return False
        return bool(np.linalg.norm(after - before) <= self.tol * np.linalg.norm(after))

    def _advance(self, machine: Machine, batch: Batch | Pairs, t: int, kappa2: Any) -> Machine:
        """Step through some rows; t steps were made before."""
        numbers = np.arange(t + 1, t + 1 + len(batch.y), dtype=float)
        machine, batch = self._equipped(machine, batch._replace(eta=self._step_sizes(numbers, kappa2)))
        scalars = run(machine.options, machine.vectors, machine.scalars, batch)
        if not _finite(scalars):
            raise diverged(self)
        return machine._replace(scalars=scalars)


class OnlineEstimator(SteppedEstimator, StreamingEstimator):
    """A stepped algorithm that also learns from a stream."""

    def _absorbed(self, stream: Any, data: Data) -> Stream:
        stream = self._opened(data) if stream is None else _copied(stream, {})
        return self._fed(stream, data) if data.n else stream

    def _adopt(self, stream: Stream, rows: int) -> None:
        self._set_model(self._weights(stream.machine), stream.sums, (stream.seen.pos, stream.seen.neg))
        self._stream, self.t_, self.n_iter_ = stream, int(stream.seen.rows), 1

    def _opened(self, data: Data) -> Stream:
        """A stream before its first row, continuing from the coefficients of an earlier fit if there is one."""
        start = np.array(self.coef_[0], dtype=float) if hasattr(self, "coef_") else None
        machine = self._machine(data, start, stream=True)
        sums = machine.vectors.means.sums if self._sums_in_step else np.zeros((data.d, 2))
        return Stream(machine, sums, Seen(0.0, 0.0, 0.0, 0.0))

    def _fed(self, stream: Stream, data: Data) -> Stream:
        machine, sums, seen = stream
        kappa2 = np.maximum(np.maximum.accumulate(data.sqnorm), seen.kappa2)
        for start in range(0, data.n, CHUNK):
            stop = min(start + CHUNK, data.n)
            t = int(seen.rows) + start
            batch = data.piece(start, stop, None, machine.along)
            machine = self._advance(machine, batch, t, kappa2[start:stop])
        if not self._sums_in_step:
            add_class_sums(data.rows, data.y, data.weight, sums)
        more = data.seen
        total = Seen(seen.rows + more.rows, seen.pos + more.pos, seen.neg + more.neg, float(kappa2[-1]))
        return Stream(machine, sums, total)
