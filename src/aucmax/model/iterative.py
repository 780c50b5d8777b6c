"""The parameters that algorithms share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aucmax.model.base import AUCEstimator
from aucmax.model.params import COUNT, FRACTION, TOLERANCE, Range


@dataclass(kw_only=True, eq=False, repr=False)
class IterativeEstimator(AUCEstimator):
    """An estimator that goes over the rows again and again.

    Estimators are data classes: the fields are the parameters, and the constructor only stores them.
    """

    _shared_ranges: ClassVar[dict[str, Range]] = {
        "max_iter": COUNT,
        "tol": TOLERANCE,
        "validation_fraction": FRACTION,
        "n_iter_no_change": COUNT,
    }

    max_iter: int = 20
    tol: float | None = 1e-3
    shuffle: bool = True
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 5
    warm_start: bool = False
    random_state: Any = None
    record: bool = False
    verbose: bool = False


@dataclass(kw_only=True, eq=False, repr=False)
class BatchEstimator(AUCEstimator):
    """An estimator that works on all rows at once."""

    warm_start: bool = False
    record: bool = False
    verbose: bool = False
