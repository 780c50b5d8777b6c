"""``aucmax fit --stream``: training from a file larger than memory, with checkpoints."""

from __future__ import annotations

import hashlib
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler

import aucmax
from aucmax.cli.fit import SELF_SCALING, in_words, method, model_path
from aucmax.cli.inputs import label_notes, reading_options
from aucmax.cli.output import Output, Progress, clock
from aucmax.data.chunks import Stream, stream
from aucmax.evaluate import delong_ci
from aucmax.persist import open_model

HOLDOUT = 0.05
WIDEST_EXACT = 2000
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def fit_stream(options: Any) -> int:
    """Read chunk by chunk, train, save."""
    out, path, pause = Output(options), model_path(options), seconds_of(options.every)
    if options.passes < 1:
        raise ValueError(f"--passes {options.passes}: expected at least 1")
    begun = time.monotonic()
    settings = reading_options(options, options.train)
    chunks = stream(options.train, holdout=HOLDOUT, random_state=options.seed, **settings)
    facts = chunks.facts
    classes = chunks.classes
    notes = label_notes(options, classes, np.zeros(len(classes))) | {"rows": facts.rows, "counts": None}
    if len(classes) > 2:
        raise ValueError(f"{len(classes)} classes {classes[:8].tolist()}; name one with --positive")
    shape = f"{facts.rows:,} rows, {facts.n_features:,} columns"
    out.note(f"scanned {options.train}: {shape} in {clock(time.monotonic() - begun)}")
    run = Run(options, chunks, pause)
    model = run.trained()
    scores = model.decision_function(chunks.held_out.X)
    interval = delong_ci(chunks.held_out.y == classes[1], scores)
    words = in_words(model)
    found = {"auc": interval.estimate, "low": interval.low, "high": interval.high, "rows": len(scores)}
    notes |= {"method": words, "held_out": found, "passes": options.passes, "seed": options.seed}
    aucmax.save(model, path, encoder=chunks.encoder, notes=notes)
    run.forget()
    seconds = time.monotonic() - begun
    lines = [
        f"AUC {interval} on {len(scores):,} held-out rows",
        f"method: {words}",
        f"trained in {clock(seconds)} on {options.passes} pass(es); the model is in {path}",
    ]
    return out.result(lines, {**notes, "seconds": seconds, "model": str(path)})


def seconds_of(text: str) -> float:
    """A time such as 30s, 5m or 1h in seconds."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text.strip())
    if not found:
        raise ValueError(f"--every {text}: expected a time such as 30s, 5m or 1h")
    return float(found[1]) * UNITS[found[2] or "s"]


class Run:
    """Training under way: the scaler and the model so far, and how many chunks they have seen."""

    def __init__(self, options: Any, chunks: Stream, pause: float) -> None:
        self.options, self.chunks, self.pause = options, chunks, pause
        if options.method in ("auto", "cv"):
            options.method = "ExactAUC" if chunks.facts.n_features <= WIDEST_EXACT else "SPAM"
        self.model = method(options)
        self.scaler: Any = None if type(self.model).__name__ in SELF_SCALING else self.model.steps[0][1]
        self.learner = self.model if self.scaler is None else self.model.steps[1][1]
        if not hasattr(self.learner, "partial_fit"):
            raise ValueError(f"--method {options.method} cannot learn from a stream; use SPAM or ExactAUC")
        self.path = Path(options.checkpoint) if options.checkpoint else None
        self.done = [0, 0]  # chunks for the scaler, chunks for the model

    def trained(self) -> Any:
        """All passes; those that a checkpoint has seen are read again, but not learned from."""
        self._resume()
        total = self.chunks.facts.rows * (self.options.passes + (self.scaler is not None))
        progress = Progress("trained", total, self.options.quiet)
        saved = time.monotonic()
        try:
            for number, chunk, is_scaling in self._chunks():
                if number >= self.done[not is_scaling]:
                    self._learn(chunk, is_scaling)
                    self.done[not is_scaling] = number + 1
                    if self.path and time.monotonic() - saved >= self.pause:
                        self._save()
                        saved = time.monotonic()
                progress.advance(chunk.X.shape[0])
        finally:
            progress.close()
        return self.model if self.scaler is None else Pipeline(self.model.steps)

    def _chunks(self) -> Any:
        """Numbered chunks: one pass for the scaler, if there is one, then those for the model."""
        number = 0
        if self.scaler is not None:
            for number, chunk in enumerate(self.chunks):
                yield number, chunk, True
        number = 0
        for _ in range(self.options.passes):
            for chunk in self.chunks:
                yield number, chunk, False
                number += 1

    def _learn(self, chunk: Any, is_scaling: bool) -> None:
        if is_scaling:
            self.scaler.partial_fit(chunk.X)
        else:
            X = chunk.X if self.scaler is None else self.scaler.transform(chunk.X)
            self.learner.partial_fit(X, chunk.y, classes=self.chunks.classes)

    def _save(self) -> None:
        notes = {"done": self.done, "fingerprint": self._fingerprint()}
        aucmax.save(
            Pipeline([("scaler", self.scaler or MaxAbsScaler()), ("model", self.learner)]), self.path, notes=notes
        )

    def _resume(self) -> None:
        if self.path is None or not self.path.exists():
            return
        found = open_model(self.path)
        if found.notes.get("fingerprint") != self._fingerprint():
            raise ValueError(f"{self.path}: the checkpoint of another run; remove it, or name another file")
        scaler, learner = (step for _, step in found.model.steps)
        self.done, self.learner = list(found.notes["done"]), learner
        if self.scaler is None:
            self.model = learner
        else:
            self.scaler = scaler
            self.model.steps = [(self.model.steps[0][0], scaler), (self.model.steps[1][0], learner)]

    def _fingerprint(self) -> str:
        """What makes a run the same run: the command, the file's size and time, and what is in it."""
        stat, facts = Path(self.options.train).stat(), self.chunks.facts
        wanted = {k: v for k, v in vars(self.options).items() if k not in ("json", "quiet", "debug", "every", "model")}
        known = (sorted(wanted.items()), stat.st_size, stat.st_mtime_ns, facts.rows, facts.n_features)
        return hashlib.sha256(repr(known).encode()).hexdigest()

    def forget(self) -> None:
        """Remove the checkpoint: the model is in its place."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
