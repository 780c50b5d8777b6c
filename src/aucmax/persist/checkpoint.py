"""A file that keeps work under way: killed at any moment, the same call goes on from it to the same result."""

from __future__ import annotations

import contextlib
import hashlib
import re
import time
from collections.abc import Callable, Iterator
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import check_random_state

import aucmax
from aucmax.persist.checks import check_state, finite
from aucmax.persist.container import ModelFileError
from aucmax.persist.model import ModelFile, open_model, save

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def seconds_of(text: str | float) -> float:
    """A time such as 30s, 5m or 1h in seconds."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", str(text).strip())
    if not found:
        raise ValueError(f"every={text!r}: expected a time such as 30s, 5m or 1h.")
    return float(found[1]) * UNITS[found[2] or "s"]


class Checkpoint:
    """The file of one run, which its name tells from others.

    Parameters
    ----------
    path
        The file. If it is there, it must be of the same run.
    every
        The time between two writes.
    name
        What makes the run the same run, as a digest.

    Attributes
    ----------
    kept
        What the file holds, or None.
    """

    def __init__(self, path: Any, every: str | float, name: str) -> None:
        self.path, self.pause, self.name = Path(path), seconds_of(every), name
        self.written = time.monotonic()
        self.kept = self._found() if self.path.exists() else None
        if self.kept is not None and str(self.kept.notes.get("run")) != name:
            raise ModelFileError(f"{self.path}: the checkpoint of another run; remove it, or name another file.")
        if self.kept is not None and self.kept.versions.get("aucmax") != aucmax.__version__:
            found = self.kept.versions.get("aucmax")
            raise ModelFileError(f"{self.path}: a checkpoint of aucmax {found}, not {aucmax.__version__}; remove it.")

    def _found(self) -> ModelFile:
        try:
            return open_model(self.path)
        except ModelFileError as error:
            raise ModelFileError(f"{error}; remove it, or name another file") from error

    def offer(self, state: Callable[[], tuple[Any, dict[str, Any]]]) -> None:
        """Write a model and notes if it is time to."""
        if time.monotonic() - self.written >= self.pause:
            model, notes = state()
            save(model, self.path, notes={**notes, "run": self.name})
            self.written = time.monotonic()


class FitCheckpoint:
    """The checkpoint of an estimator's ``fit``; ``seed`` takes the place of its random state."""

    def __init__(self, estimator: Any, path: Any, every: str | float, given: tuple[Any, ...]) -> None:
        params = estimator.get_params()
        state = params.pop("random_state", None)
        fixed = int(state) if isinstance(state, Integral) else getattr(estimator, "_seed", None)
        self.file = Checkpoint(path, every, digest((type(estimator).__name__, sorted(params.items()), fixed, given)))
        self.bare = clone(estimator)
        notes = {} if self.file.kept is None else self.file.kept.notes
        self.state, self.trace = notes.get("state"), notes.get("trace")
        drawn = check_random_state(state).randint(2**31 - 1) if fixed is None else fixed
        self.seed, self.most = notes.get("seed", drawn), params.get("max_iter")
        with self._naming():
            _sure(type(self.seed) is int and 0 <= self.seed < 2**32, "no seed")
            _sure(self.trace is None or _is_trace(self.trace), "no history of a run")
            if isinstance(self.state, dict):
                _sure(all(map(_is_fold, self.state.values())), "folds that are none")

    def resumed(self, begun: Any, d: int) -> Any:
        """The state to go on from: that of the file, of the shape that a run begins with, or the beginning itself."""
        if self.state is None:
            return begun
        with self._naming():
            check_state(self.state, begun, d)
            check_progress(self.state, self.most)
        return self.state

    def fault(self, words: str) -> ModelFileError:
        """The error that says what is wrong with the file."""
        return ModelFileError(f"{self.file.path}: the checkpoint holds {words}; remove it, or name another file")

    @contextlib.contextmanager
    def _naming(self) -> Iterator[None]:
        """Turn errors into those that name the file."""
        try:
            yield
        except (ValueError, TypeError, LookupError, AttributeError, StopIteration) as error:
            raise ModelFileError(f"{self.file.path}: {error}; remove it, or name another file") from error

    def offer(self, state: Any, trace: Any) -> None:
        """Write the state of the algorithm and of its history if it is time to."""
        self.file.offer(lambda: (self.bare, {"state": state, "trace": trace, "seed": self.seed}))


def _sure(sound: bool, words: str) -> None:
    if not sound:
        raise ModelFileError(f"the checkpoint holds {words}")


def check_progress(state: Any, most: Any) -> None:
    """The counts in the state of a run: none is negative, and no more iterations are done than there may be."""
    counts = [part for part in state if type(part) is int]
    done = getattr(state, "passes", counts[-1] if counts else 0)
    _sure(all(0 <= count < 2**62 for count in counts), "counts that cannot be")
    _sure(not isinstance(most, Integral) or done <= int(most), f"{done} iterations of at most {most}")


def _is_trace(trace: Any) -> bool:
    """Whether a value is what a history writes down: rows, the best weights, counts and seconds."""
    if not isinstance(trace, tuple) or len(trace) != 5:
        return False
    rows, best, stale, mark, spent = trace
    lines = isinstance(rows, list) and all(isinstance(row, tuple) and len(row) == 4 for row in rows)
    numbers = lines and all(isinstance(x, float | int | np.number) for row in rows for x in row)
    pair = best is None or (isinstance(best, tuple) and len(best) == 2 and finite(best) and np.ndim(best[1]) == 1)
    counts = type(stale) is int and type(mark) is int and stale >= 0 and mark >= 1
    return bool(numbers and pair and counts and isinstance(spent, float) and np.isfinite(spent))


def _is_fold(arrays: Any) -> bool:
    """Whether a value is what a fold came to; NaN stands for the penalties that were not tried."""
    return (
        isinstance(arrays, list)
        and all(isinstance(x, np.ndarray) and x.dtype.kind in "fiu" for x in arrays)
        and all(finite(x[~np.isnan(x)]) for x in arrays)
    )


def digest(value: Any) -> str:
    """A name for values, arrays by their content."""
    found = hashlib.blake2b(digest_size=20)

    def take(value: Any) -> None:
        if sp.issparse(value):
            parts: Any = value
            value = (parts.shape, parts.data, parts.indices, parts.indptr)
        if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
            found.update(f"{value.dtype}{value.shape}".encode())
            found.update(np.ascontiguousarray(value).data)
        elif isinstance(value, list | tuple):
            found.update(f"({len(value)}".encode())
            for part in value:
                take(part)
        else:
            found.update(repr(value).encode())

    take(value)
    return found.hexdigest()
