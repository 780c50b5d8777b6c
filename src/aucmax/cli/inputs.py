"""Rows and labels for the commands, and models from files."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.data.chunks import Stream, stream
from aucmax.data.encode import TableEncoder
from aucmax.data.errors import DataError
from aucmax.data.reading import TABLES, format_of, read
from aucmax.data.table import Table
from aucmax.data.tables import Batches
from aucmax.persist import ModelFile, open_model


class Training(NamedTuple):
    """Labelled rows, and what is to be noted of them in the model file."""

    table: Table
    y: np.ndarray
    notes: dict[str, Any]


def reading_options(options: Any, path: str) -> dict[str, Any]:
    """The options of ``read`` and ``stream`` for training rows, by the command line."""
    kind = format_of(path, options.format)
    found: dict[str, Any] = {"format": kind, "target": options.target, "positive": options.positive}
    found["max_bytes"] = options.max_bytes
    if kind in TABLES:
        if options.target is None:
            names = ", ".join(Batches(path, kind, [], options.max_bytes).names[:12])
            raise DataError(f"which column holds the labels? give --target; seen {names}", path)
        found["encoder"] = TableEncoder(categorical=tuple(options.categorical), drop=tuple(options.drop))
    elif options.categorical or options.drop:
        raise DataError("--categorical and --drop are for tables, but this file has no named columns", path)
    if kind == "libsvm":
        found |= {"zero_based": options.zero_based, "n_features": options.n_features}
        if options.target is not None:
            raise DataError("--target is for tables; in LIBSVM text the first number of a line is the label", path)
    return found


def training_rows(options: Any) -> Training:
    """Read the rows to train on."""
    table = read(options.train, **reading_options(options, options.train))
    if table.y is None:
        raise DataError(f"no labels; expected a member {options.target or 'y'!r}", options.train)
    return Training(table, table.y, label_notes(options, *np.unique(table.y, return_counts=True)))


def label_notes(options: Any, classes: np.ndarray, counts: np.ndarray) -> dict[str, Any]:
    """What is to be known of the labels later; one class only is an error."""
    if len(classes) < 2:
        raise DataError(
            f"one class only ({classes.tolist()[0] if len(classes) else 'none'}); a ranking needs rows of both",
            options.train,
        )
    return {
        "target": options.target,
        "positive": options.positive,
        "zero_based": options.zero_based,
        "rows": int(counts.sum()),
        "classes": classes.tolist(),
        "counts": counts.tolist(),
    }


def later_rows(found: ModelFile, options: Any, *, labelled: bool) -> Stream:
    """Rows for a trained model, in their order, chunk by chunk."""
    kind = format_of(options.rows, options.format)
    notes = found.notes
    target = options.target if options.target is not None else notes.get("target")
    positive = options.positive if options.positive is not None else notes.get("positive")
    more: dict[str, Any] = {"format": kind, "shuffle": False, "max_bytes": options.max_bytes}
    if kind in TABLES:
        if found.encoder is None:
            raise DataError("a table, but the model was trained on rows without named columns", options.rows)
        if labelled and target is None:
            raise DataError("which column holds the labels? give --target", options.rows)
        more |= {"encoder": found.encoder, "target": target if labelled else None}
    else:
        if found.encoder is not None:
            raise DataError("the model was trained on a table; expected one with the same columns", options.rows)
        more["target"] = target if kind == "npz" else None
    if kind == "libsvm":
        width = getattr(found.model, "n_features_in_", None)
        more |= {"zero_based": options.zero_based or bool(notes.get("zero_based")), "n_features": width}
    return stream(options.rows, positive=positive if labelled else None, **more)


def opened(path: str) -> ModelFile:
    """A model file with a fitted classifier in it."""
    found = open_model(path)
    if not hasattr(found.model, "decision_function") or not hasattr(found.model, "classes_"):
        raise ValueError(f"{path}: a {type(found.model).__name__} that cannot score rows; expected a fitted classifier")
    return found


def scores_and_labels(found: ModelFile, options: Any) -> tuple[np.ndarray, np.ndarray]:
    """All scores and labels; labels that the model does not know are an error."""
    chunks = later_rows(found, options, labelled=True)
    parts = [(found.model.decision_function(chunk.X), chunk.y) for chunk in chunks]
    if not parts or parts[0][1] is None:
        raise DataError("no labelled rows", options.rows)
    scores, y = np.concatenate([s for s, _ in parts]), np.concatenate([np.asarray(label) for _, label in parts])
    strange = ~np.isin(y, found.model.classes_)
    if strange.any():
        raise DataError(
            f"the label {y[strange][0]!s}, but the model knows {found.model.classes_.tolist()}; check --target and "
            "--positive",
            options.rows,
        )
    return scores, y
