"""Many settings of one algorithm in one sweep: every block of rows is read once and serves all of them.

What the settings share is done once: checking the rows, class sums, shuffling. Each model is that of a fit of its own
with the same random state, to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from aucmax.model.base import _without_zero_weights, checked_data, validated
from aucmax.model.labels import signs, two_classes
from aucmax.model.params import check_parameters
from aucmax.model.stepped import SteppedEstimator
from aucmax.model.trace import Trace

SHARED = ("shuffle", "random_state")
ALONE = ("early_stopping", "record", "verbose", "warm_start")


def together(models: Sequence[Any]) -> bool:
    """Whether models can be fitted in one sweep: stepped ones of one class and order, that only train."""
    first = models[0]
    return type(first)._train is SteppedEstimator._train and all(
        type(model) is type(first)
        and all(getattr(model, name) == getattr(first, name) for name in SHARED)
        and not any(getattr(model, name) for name in ALONE)
        and model.random_state is not None
        for model in models
    )


def fit_together(models: Sequence[Any], X: Any, y: Any, sample_weight: Any = None) -> list[Exception | None]:
    """Fit models for which :func:`together` holds; the error of each that diverged, or None."""
    for model in models:
        check_parameters(model, model._ranges)
    first = models[0]
    X, labels, weight = validated(first, X, y, sample_weight, reset=True)
    classes = two_classes(labels)
    data = checked_data(*_without_zero_weights(X, signs(labels, classes), weight))
    for model in models[1:]:
        model.n_features_in_ = first.n_features_in_
        if hasattr(first, "feature_names_in_"):
            model.feature_names_in_ = first.feature_names_in_
    order = first._order(data, check_random_state(first.random_state))
    runs = [_Run(model, order) for model in models]
    while any(run.going for run in runs):
        for block in order.blocks():
            for run in runs:
                run.through(block)
        for run in runs:
            run.end_pass()
    for run in runs:
        run.finish(data, classes)
    return [run.error for run in runs]


class _Run:
    """One model under way."""

    def __init__(self, model: Any, order: Any) -> None:
        self.model, self.order = model, order
        self.trace = Trace(model, None, None)
        model._start, model.n_iter_, model.t_ = None, 0, 0
        self.machine = model._machine(order.data, None, stream=False)
        self.before = model._weights(self.machine)
        self.going = True
        self.error: Exception | None = None

    def through(self, block: tuple[int, int]) -> None:
        """Step through a block."""
        if not self.going:
            return
        try:
            self.machine = self.model._through(self.machine, self.order, block, self.trace)
        except FloatingPointError as error:
            self.going, self.error = False, error

    def end_pass(self) -> None:
        """Count a pass, and see whether it was the last."""
        if not self.going:
            return
        model, after = self.model, self.model._weights(self.machine)
        model.n_iter_ += 1
        self.going = model.n_iter_ < model.max_iter and not model._settled(self.before, after)
        self.before = after

    def finish(self, data: Any, classes: np.ndarray) -> None:
        """Make the weights the model's own."""
        del self.model._start
        if self.error is None:
            try:
                self.model._set_model(self.before, data.class_sums, data.masses)
            except FloatingPointError as error:
                self.error = error
        self.model._stream = None
        self.model.classes_, self.model.history_ = classes, self.trace.history()
