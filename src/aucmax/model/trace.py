"""What happened during a fit: history, progress, early stopping."""

from __future__ import annotations

import sys
import time
from typing import Any, NamedTuple, TypeVar

import numpy as np

from aucmax.evaluate.roc import roc_auc

PER_DECADE = 4  # checkpoints per tenfold number of iterations
NEVER = 2**62
Begun = TypeVar("Begun")


class Validation(NamedTuple):
    """Rows kept aside: features as given, labels as ±1, weights."""

    X: Any
    y: np.ndarray
    weight: np.ndarray

    def auc(self, w: np.ndarray) -> float:
        """The AUC of the scores X·w."""
        return roc_auc(self.y > 0, self.X @ w, self.weight)


class Trace:
    """Records history when asked to, with evaluation taken off the clock, and decides when to stop early.

    Parameters
    ----------
    estimator
        The estimator being fitted; its ``record``, ``verbose``, ``early_stopping``, ``n_iter_no_change`` are followed.
    objective
        A function from a weight vector to the training objective.
    validation
        Rows kept aside, or None.
    classes
        The two labels, for callbacks that score the model on the way.

    Attributes
    ----------
    mark
        The iteration of the next checkpoint; checkpoints are evenly spaced on a logarithmic scale.
    """

    def __init__(
        self, estimator: Any, objective: Any, validation: Validation | None, classes: np.ndarray | None = None
    ) -> None:
        self.estimator = estimator
        self.objective = objective
        self.validation = validation
        self.classes = classes
        self.active = bool(validation is not None or estimator.record or estimator.verbose)
        self.mark = estimator._first_checkpoint if self.active else NEVER
        self.rows: list[tuple[float, float, float, float]] = []
        self.best: tuple[float, np.ndarray] | None = None
        self.stale = 0
        self.stopped = False  # at somebody's wish
        self._spent = 0.0
        self._since = time.perf_counter()
        self._keeper = getattr(estimator, "_keeper", None)
        context = getattr(estimator, "_callback_fit_ctx", None)
        self._context = context if hasattr(estimator, "_skl_callbacks") else None

    def resumed(self, begun: Begun, d: int) -> Begun:
        """The state from which a fit goes on: that of its checkpoint, if there is one, or the given beginning."""
        if self._keeper is None:
            return begun
        if self._keeper.trace is not None:
            self.rows, self.best, self.stale, self.mark, self._spent = self._keeper.trace
        reached: Begun = self._keeper.resumed(begun, d)
        return reached

    def offer(self, state: Any) -> None:
        """Let the state of the fit be written to its checkpoint, if there is one and it is time to."""
        if self._keeper is not None:
            self._keeper.offer(state, (self.rows, self.best, self.stale, self.mark, self._elapsed()))

    def _elapsed(self) -> float:
        return self._spent + time.perf_counter() - self._since

    def record(self, iteration: float, w: np.ndarray) -> None:
        """Note objective and validation AUC of w at this point of the fit."""
        if not self.active or (self.rows and self.rows[-1][0] == iteration):
            return
        while self.mark <= iteration:
            self.mark = int(np.ceil(self.mark * 10 ** (1 / PER_DECADE)))
        self._spent += time.perf_counter() - self._since
        auc = float("nan") if self.validation is None else self.validation.auc(w)
        self.rows.append((iteration, self._spent, self.objective(w), auc))
        if self.estimator.verbose:
            self._say()
        self._since = time.perf_counter()

    def _say(self) -> None:
        iteration, seconds, objective, auc = self.rows[-1]
        tail = "" if np.isnan(auc) else f"  validation AUC {auc:.5f}"
        name = type(self.estimator).__name__
        sys.stderr.write(f"[{name}] iteration {iteration:>10g}  {seconds:8.2f} s  objective {objective:.8g}{tail}\n")

    def should_stop(self, w: np.ndarray) -> bool:
        """At the end of a pass: whether a callback asks for the end, or the validation AUC has stopped rising."""
        stop = self._call_back(w)
        if self.estimator.early_stopping and self.validation is not None:
            self._spent += time.perf_counter() - self._since
            auc = self.validation.auc(w)
            if self.best is None or auc > self.best[0]:
                self.best, self.stale = (auc, w.copy()), 0
            else:
                self.stale += 1
            stop = stop or self.stale >= self.estimator.n_iter_no_change
            self._since = time.perf_counter()
        return stop

    def watch(self, iteration: int, w: np.ndarray) -> bool:
        """Record an iteration, and say whether to stop after it."""
        self.record(iteration, w)
        self.stopped = self.should_stop(w)
        return self.stopped

    def _call_back(self, w: np.ndarray) -> bool:
        if self._context is None:
            return False
        task = self._context.subcontext(task_name="pass")
        attributes = {"coef_": w[None, :].copy(), "intercept_": np.zeros(1), "classes_": self.classes}
        task.call_on_fit_task_begin(estimator=self.estimator)
        return bool(task.call_on_fit_task_end(estimator=self.estimator, reconstruction_attributes=attributes))

    def chosen(self, w: np.ndarray) -> np.ndarray:
        """The weights to keep: the best on the validation rows when stopping early, the last ones otherwise."""
        return w if self.best is None else self.best[1]

    def history(self) -> dict[str, np.ndarray]:
        """The record as columns, ready for a plot or a data frame."""
        table = np.array(self.rows, dtype=float).reshape(-1, 4)
        return dict(zip(("iteration", "seconds", "objective", "validation_auc"), table.T.copy(), strict=True))
