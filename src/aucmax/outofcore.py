"""Training from a stream of chunks, with checkpoints: killed at any moment, the same call ends with the same model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from aucmax.data.chunks import Stream
from aucmax.persist.checkpoint import Checkpoint, digest, seconds_of
from aucmax.persist.container import ModelFileError

Report = Callable[[int], None]


def train(
    model: Any,
    chunks: Stream,
    *,
    passes: int = 1,
    checkpoint: Any = None,
    every: str | float = "60s",
    report: Report | None = None,
) -> Any:
    """Train a model from a stream, chunk by chunk.

    Parameters
    ----------
    model : estimator
        One with ``partial_fit``, or a ``Pipeline`` all of whose steps have it; each step but the last gets one pass
        over the stream, in its turn.
    chunks : Stream
        From :func:`aucmax.data.stream`.
    passes : int, default=1
        Passes for the model itself, at least 1.
    checkpoint : path, optional
        A file that keeps the state. If it is there, training goes on from it: what was seen is read again, but not
        learned from again, and the model in the end is that of an uninterrupted run to the last bit. It is left in
        place; remove it when the model is saved. A checkpoint of other data, parameters or passes is refused.
    every : str or float, default="60s"
        The time between checkpoints, in seconds or such as "30s", "5m" or "1h".
    report : callable, optional
        Called with the number of rows of every chunk that is done.

    Returns
    -------
    estimator
        The model, trained.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MaxAbsScaler
    >>> import aucmax
    >>> from aucmax.data import stream
    >>> frame = pd.DataFrame({"x": range(1000), "y": [0] * 500 + [1] * 500})
    >>> model = make_pipeline(MaxAbsScaler(), aucmax.SPAM())
    >>> chunks = stream(frame, target="y", chunk_rows=100, holdout=0.1)
    >>> model = aucmax.train(model, chunks, passes=2)
    >>> chunks.auc(model)
    1.0
    """
    if not isinstance(passes, int) or passes < 1:
        raise ValueError(f"train(passes={passes!r}): expected a whole number of at least 1.")
    seconds_of(every)
    run = Run(model, chunks, passes)
    if checkpoint is not None:
        run.keep(checkpoint, every)
    for rows in run.chunks_done():
        if report is not None:
            report(rows)
    return model


class Run:
    """Training under way: the steps, and the chunks that each has seen."""

    def __init__(self, model: Any, chunks: Stream, passes: int) -> None:
        self.steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
        for step in self.steps:
            if not hasattr(step, "partial_fit"):
                raise ValueError(f"{type(step).__name__} cannot learn from a stream: it has no partial_fit.")
        self.chunks, self.passes = chunks, passes
        self.done = [0] * len(self.steps)
        self.file: Checkpoint | None = None

    def chunks_done(self) -> Iterator[int]:
        """Go through all chunks for every step; the rows of each chunk once it is done."""
        for k in range(len(self.steps)):
            for number, chunk in enumerate(self._passes(self.passes if k == len(self.steps) - 1 else 1)):
                if number >= self.done[k]:
                    self._learn(k, chunk)
                    self.done[k] = number + 1
                    if self.file is not None:
                        self.file.offer(self._state)
                yield chunk.X.shape[0]

    def _passes(self, count: int) -> Iterator[Any]:
        for _ in range(count):
            yield from self.chunks

    def _learn(self, k: int, chunk: Any) -> None:
        X = chunk.X
        for step in self.steps[:k]:
            X = step.transform(X)
        if k == len(self.steps) - 1:
            self.steps[k].partial_fit(X, chunk.y, classes=self.chunks.classes)
        else:
            self.steps[k].partial_fit(X)

    def _state(self) -> tuple[Any, dict[str, Any]]:
        return Pipeline([(str(k), step) for k, step in enumerate(self.steps)]), {"done": self.done}

    def keep(self, path: Any, every: str | float) -> None:
        """Keep a checkpoint from now on, and take over the state of one that is there."""
        if self.chunks.passes:
            raise ValueError("A checkpoint needs a stream from its first pass; make a new one by aucmax.data.stream.")
        self.file = Checkpoint(path, every, self._fingerprint())
        if self.file.kept is not None:
            kept: Any = getattr(self.file.kept.model, "steps", [])
            done: Any = self.file.kept.notes.get("done")
            if not self._suits([step for _, step in kept], done):
                raise ModelFileError(f"{path}: no checkpoint of such a model; remove it, or name another file.")
            for mine, (_, step) in zip(self.steps, kept, strict=True):
                vars(mine).update(vars(step))
            self.done = list(done)

    def _suits(self, kept: list[Any], done: Any) -> bool:
        """Whether steps are those of the model, their numbers finite, and each has learned from a number of chunks."""
        same = [type(step) for step in kept] == [type(step) for step in self.steps]
        arrays = [x for step in kept for x in vars(step).values() if isinstance(x, np.ndarray) and x.dtype.kind == "f"]
        counts = isinstance(done, list) and len(done) == len(kept) and all(type(n) is int and n >= 0 for n in done)
        return same and counts and all(np.isfinite(array).all() for array in arrays)

    def _fingerprint(self) -> str:
        """What makes a run the same run: the rows, their order, and the model as it began."""
        chunks, facts = self.chunks, self.chunks.facts
        order = (chunks.seed, chunks.shuffle, chunks.chunk_rows, chunks.buffer_bytes, chunks.holdout, chunks.positive)
        shape = (facts.rows, facts.n_features, facts.classes.tolist(), self.passes)
        file = Path(chunks.source.path) if chunks.source.path else None
        stat = file.stat() if file is not None and file.exists() else None
        content = (stat.st_size, stat.st_mtime_ns) if stat else ()
        models = [(type(step).__name__, sorted(step.get_params().items(), key=str)) for step in self.steps]
        fitted = [step.coef_ for step in self.steps if "coef_" in vars(step)]
        return digest((order, shape, content, models, fitted))
