"""``aucmax fit --stream``: training from a file larger than memory, with checkpoints."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

import aucmax
from aucmax.cli.fit import in_words, method, model_path
from aucmax.cli.inputs import label_notes, reading_options
from aucmax.cli.output import Output, Progress, clock
from aucmax.data.chunks import Stream, stream
from aucmax.evaluate import delong_ci
from aucmax.outofcore import train
from aucmax.persist.checkpoint import seconds_of
from aucmax.persist.whole import remove_whole

HOLDOUT = 0.05
WIDEST_EXACT = 2000


def fit_stream(options: Any) -> int:
    """Read chunk by chunk, train, save."""
    out, path, _ = Output(options), model_path(options), seconds_of(options.every)
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
    model = _trained(options, chunks)
    scores = model.decision_function(chunks.held_out.X)
    interval = delong_ci(chunks.held_out.y == classes[1], scores)
    words = in_words(model)
    found = {"auc": interval.estimate, "low": interval.low, "high": interval.high, "rows": len(scores)}
    notes |= {"method": words, "held_out": found, "passes": options.passes, "seed": options.seed}
    aucmax.save(model, path, encoder=chunks.encoder, notes=notes)
    if options.checkpoint:
        remove_whole(Path(options.checkpoint))
    seconds = time.monotonic() - begun
    lines = [
        f"AUC {interval} on {len(scores):,} held-out rows",
        f"method: {words}",
        f"trained in {clock(seconds)} on {options.passes} pass(es); the model is in {path}",
    ]
    return out.result(lines, {**notes, "seconds": seconds, "model": str(path)})


def _trained(options: Any, chunks: Stream) -> Any:
    """The model, after all passes, with progress."""
    if options.method in ("auto", "cv"):
        options.method = "ExactAUC" if chunks.facts.n_features <= WIDEST_EXACT else "SPAM"
    model = method(options)
    rows = chunks.facts.rows * (1.0 - HOLDOUT) * (options.passes + hasattr(model, "steps"))
    progress = Progress("trained", int(rows), options.quiet)
    try:
        return train(
            model,
            chunks,
            passes=options.passes,
            checkpoint=options.checkpoint,
            every=options.every,
            report=progress.advance,
        )
    finally:
        progress.close()
