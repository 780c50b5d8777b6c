"""A fit that a file keeps while it is under way."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def kept_in(estimator: Any, path: Any, every: str | float, given: tuple[Any, ...]) -> Iterator[None]:
    """Keep what an estimator does meanwhile in a file, if one is named; ``given`` is what its fit depends on.

    Its random state is a number meanwhile, so that a fit that goes on draws what the first one would have drawn.
    """
    if path is None:
        yield
        return
    files = importlib.import_module("aucmax.persist.checkpoint")  # files know estimators, hence not imported above
    keeper = files.FitCheckpoint(estimator, path, every, given)
    before = {name: vars(estimator)[name] for name in ("random_state",) if name in vars(estimator)}
    vars(estimator).update(_keeper=keeper, **dict.fromkeys(before, keeper.seed))
    try:
        yield
    finally:
        vars(estimator).update(before)
        del estimator._keeper
