"""Which losses, solvers, penalties and groups go together."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np
from joblib import effective_n_jobs  # type: ignore[import-untyped]

from aucmax.classifier.paths import LOSSES, OF_SORTED_PAIRS, STOCHASTIC
from aucmax.model.data import Data
from aucmax.model.newton import MATRIX_LIMIT, SAMPLE
from aucmax.model.params import Kind, check_parameters


def _integer(value: Any, low: int, high: float = np.inf) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and low <= int(value) <= high


JOBS = Kind(
    "an integer other than 0, or None", lambda value: value is None or (_integer(value, -(2**31)) and value != 0)
)
SEED = Kind(
    f"an integer from 0 to {2**32 - 1}, a RandomState instance or None",
    lambda value: value is None or isinstance(value, np.random.RandomState) or _integer(value, 0, 2**32 - 1),
)
FOLDS = Kind(
    "an integer of at least 2, a splitter, or pairs of rows to learn from and rows to rank",
    lambda value: (
        _integer(value, 2) or (not isinstance(value, str) and (hasattr(value, "split") or isinstance(value, Iterable)))
    ),
)


def seed_of(random_state: Any) -> int:
    """The seed of a random state: None is 0, and an instance draws one."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    return 0 if random_state is None else int(random_state)


def threads(n_jobs: int | None) -> int:
    """How many threads that is, as scikit-learn counts them."""
    return int(effective_n_jobs(n_jobs))


def check(model: Any, losses: list[str], grouped: bool) -> None:
    """Refuse parameters out of their range, and those that contradict each other."""
    name = type(model).__name__
    check_parameters(model, model._ranges)
    if not (model.kernel is None or (isinstance(model.kernel, str) and model.kernel == "rbf")):
        raise ValueError(f"{name}(kernel={model.kernel!r}): expected None or 'rbf'.")
    if not losses or not set(losses) <= set(LOSSES):
        raise ValueError(f"{name}: the losses are {losses!r}; expected some of {', '.join(LOSSES)}.")
    wrong = [loss for loss in losses if grouped and loss not in OF_SORTED_PAIRS]
    if wrong:
        raise ValueError(f"groups need a loss over pairs, one of {', '.join(OF_SORTED_PAIRS)}, not {wrong[0]!r}.")
    if "ramp" in losses and (model.l1 > 0 or model.solver not in ("auto", "newton")):
        given = "losses" if hasattr(model, "losses") else "loss"
        raise ValueError(
            f"{name}: the ramp is not convex, so that it takes l1=0 and solver='newton' only; leave it out of {given}=."
        )
    if model.l1 > 0 and model.solver not in ("auto", "proximal"):
        raise ValueError(f"{name}(l1={model.l1!r}, solver={model.solver!r}): l1 needs solver='proximal'.")
    if model.solver == "stochastic" and (grouped or not set(losses) <= set(STOCHASTIC)):
        raise ValueError(
            f"{name}(solver='stochastic'): expected no groups and losses of {', '.join(STOCHASTIC)}, not {losses}."
        )


def solver_of(model: Any) -> str:
    """The solver, "auto" being proximal steps under an ℓ1 penalty, Newton's method otherwise."""
    if model.solver != "auto":
        return str(model.solver)
    return "proximal" if model.l1 > 0 else "newton"


def solver_in_words(solver: str, loss: str, data: Data, l1: float) -> str:
    """Which solver, and why."""
    if solver == "proximal":
        return f"Solved by accelerated proximal steps, {'because l1 is above 0' if l1 > 0 else 'as asked for'}"
    if solver == "stochastic":
        return f"Solved by passes of {STOCHASTIC[loss].__name__} over scaled columns, as asked for"
    if loss == "square":
        return "Solved by one Newton step, which is exact for the square loss"
    how = "explicit Hessians" if data.d <= MATRIX_LIMIT else "conjugate gradients, because of many columns"
    start = ", started on samples of the rows" if data.n >= 2 * SAMPLE else ""
    return f"Solved by Newton's method with {how}{start}"


def check_stream(model: Any) -> bool:
    """Refuse parameters that a stream cannot follow; true for the others."""
    wanted = {"loss": ("auto", "square"), "kernel": (None,), "prevalence": (None,), "threshold": (None,), "l1": (0,)}
    for name, allowed in {**wanted, "multi_class": ("ovr",)}.items():
        value = getattr(model, name)
        if not any(value is one or (np.ndim(value) == 0 and value == one) for one in allowed):
            shown = " or ".join(map(repr, allowed))
            raise AttributeError(f"partial_fit learns with {name}={shown}, not {value!r}; use fit for the rest.")
    return True
