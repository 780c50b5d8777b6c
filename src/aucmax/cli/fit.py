"""``aucmax fit``."""

from __future__ import annotations

import ast
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

import aucmax
from aucmax.classifier.door import FrontDoor
from aucmax.cli.inputs import Training, training_rows
from aucmax.cli.output import Output, clock
from aucmax.data.tables import suffix_of
from aucmax.evaluate import delong_ci, roc_auc
from aucmax.model.base import AUCEstimator
from aucmax.persist import ModelFileError
from aucmax.persist.checkpoint import Checkpoint, digest, seconds_of
from aucmax.persist.whole import remove_whole

SELF_SCALING = ("AUCClassifier", "AUCClassifierCV", "ExactAUC", "BAM")
NAMES = {"auto": "AUCClassifier", "cv": "AUCClassifierCV"}


def fit(options: Any) -> int:
    """Read, cross-validate, train, save."""
    if options.stream:
        from aucmax.cli.streaming import fit_stream

        return fit_stream(options)
    seconds_of(options.every)
    if options.cv < 0:
        raise ValueError(f"--cv {options.cv}: expected a number of folds, at least 2, or 0 for none")
    out, path = Output(options), model_path(options)
    begun = time.monotonic()
    rows = training_rows(options)
    out.note(f"read {described(rows, options)} in {clock(time.monotonic() - begun)}")
    model = method(options)
    found = cross_validated(model, rows, options)
    begun = time.monotonic()
    fitted(model, rows.table.X, rows.y, options, "last")
    seconds = time.monotonic() - begun
    words = in_words(model)
    notes = {**rows.notes, "method": words, "cross_validated": found, "seed": options.seed}
    aucmax.save(model, path, encoder=rows.table.encoder, notes=notes)
    if options.checkpoint:
        remove(options, "last", *range(options.cv))
        remove_whole(Path(options.checkpoint))
    lines = [*auc_lines(found), f"method: {words}", f"trained in {clock(seconds)}; the model is in {path}"]
    shape = {"rows": rows.table.X.shape[0], "columns": rows.table.X.shape[1]}
    return out.result(lines, {**shape, **notes, "seconds": seconds, "model": str(path)})


def model_path(options: Any) -> Path:
    """Where the model goes; a place that cannot be written is an error before any work is done."""
    name = Path(options.train).name
    while (
        Path(name).suffix.lower() in (".gz", ".bz2", ".xz", ".zst", suffix_of(Path(options.train))) and Path(name).stem
    ):
        if not Path(name).suffix:
            break
        name = Path(name).stem
    path = Path(options.model) if options.model else Path(f"{name}.auc")
    folder = Path(os.path.realpath(path)).parent
    if path.exists() and not path.is_file():
        what = "folder" if path.is_dir() else "device"
        raise ValueError(f"{path} is a {what}; name a file for the model with --model")
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder; make it first, or name another file with --model")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"{folder} cannot be written; name another file with --model")
    return path


def method(options: Any) -> Any:
    """The estimator of a method, with its parameters; a scaler in front where columns should be of one size."""
    name = NAMES.get(options.method, options.method)
    cls = getattr(aucmax, name)
    known = cls().get_params()
    given = {"random_state": options.seed} if "random_state" in known else {}
    for item in options.set:
        key, equals, text = item.partition("=")
        if not equals or key not in known:
            raise ValueError(f"--set {item}: expected NAME=VALUE with one of {', '.join(sorted(known))}")
        given[key] = _literal(text)
    return cls(**given) if name in SELF_SCALING else make_pipeline(MaxAbsScaler(), cls(**given))


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def described(rows: Training, options: Any) -> str:
    """The rows in words."""
    counts, n = rows.notes["counts"], rows.notes["rows"]
    shares = ", ".join(
        f"{label}: {count / n:.2%}" for label, count in list(zip(rows.notes["classes"], counts, strict=True))[:6]
    )
    named = f"; positive is {rows.notes['classes'][-1]}" if len(counts) == 2 and not options.positive else ""
    return f"{options.train}: {n:,} rows, {rows.table.X.shape[1]:,} columns, labels {shares}{named}"


def cross_validated(model: Any, rows: Training, options: Any) -> dict[str, Any] | None:
    """The AUC of held-out rows, with its interval where there are two classes."""
    folds = min(options.cv, min(rows.notes["counts"]))
    if folds < 2:
        return None
    splitter = StratifiedKFold(folds, shuffle=True, random_state=options.seed)
    scores = held_out_scores(model, rows, splitter, options)
    classes = np.unique(rows.y)
    if scores.ndim == 2:
        each = [roc_auc(rows.y == label, scores[:, k]) for k, label in enumerate(classes)]
        return {"folds": folds, "auc": float(np.mean(each)), "each": each}
    interval = delong_ci(rows.y == classes[1], scores)
    return {"folds": folds, "auc": interval.estimate, "low": interval.low, "high": interval.high}


def held_out_scores(model: Any, rows: Training, splitter: Any, options: Any) -> np.ndarray:
    """Every row's score by a model that has not seen it; a checkpoint keeps those of the folds that are done."""
    X, y, classes = rows.table.X, rows.y, np.unique(rows.y)
    scores, done = np.zeros((len(y), len(classes)) if len(classes) > 2 else len(y)), 0
    file = None
    if options.checkpoint:
        name = digest((X, y, sorted(model.get_params(deep=False).items(), key=str), options.cv, options.seed))
        file = Checkpoint(options.checkpoint, 0.0, name)
        if file.kept is not None:
            scores, done = _scored_before(file, scores, options.cv)
    for k, (train, test) in enumerate(splitter.split(X, y)):
        if k >= done:
            scores[test] = fitted(clone(model), X[train], y[train], options, k).decision_function(X[test])
            if file is not None:
                file.offer(lambda done=k + 1: (clone(model), {"scores": scores, "done": done}))  # type: ignore[misc]
        remove(options, k)
    return scores


def _scored_before(file: Checkpoint, like: np.ndarray, folds: int) -> tuple[np.ndarray, int]:
    """The scores of the folds that are done, by a checkpoint, and how many those are."""
    notes = {} if file.kept is None else file.kept.notes
    scores, done = notes.get("scores"), notes.get("done")
    advice = "remove it, or name another file"
    if not isinstance(scores, np.ndarray) or (scores.shape, scores.dtype) != (like.shape, like.dtype):
        raise ModelFileError(f"{file.path}: a checkpoint without the scores of folds; {advice}")
    if not np.isfinite(scores).all() or type(done) is not int or not 0 <= done <= folds:
        raise ModelFileError(f"{file.path}: a checkpoint of {str(done)[:40]} folds of {folds}; {advice}")
    return scores, done


def fitted(model: Any, X: Any, y: np.ndarray, options: Any, part: Any) -> Any:
    """A model after its fit, which a checkpoint of its own keeps if the model can go on from one."""
    last, prefix = (model.steps[-1][1], f"{model.steps[-1][0]}__") if hasattr(model, "steps") else (model, "")
    kept = {}
    if options.checkpoint and isinstance(last, AUCEstimator | FrontDoor):
        kept = {f"{prefix}checkpoint": f"{options.checkpoint}.{part}", f"{prefix}every": options.every}
    return model.fit(X, y, **kept)


def remove(options: Any, *parts: Any) -> None:
    """Remove the checkpoints of fits that are done."""
    for part in parts if options.checkpoint else ():
        remove_whole(Path(f"{options.checkpoint}.{part}"))


def auc_lines(found: dict[str, Any] | None) -> list[str]:
    """The cross-validated AUC in words."""
    if found is None:
        return ["no cross-validated AUC: it needs at least 2 folds, and 2 rows of each class"]
    if "low" not in found:
        return [f"AUC {found['auc']:.4f}, the mean over classes, by {found['folds']}-fold cross-validation"]
    return [
        f"AUC {found['auc']:.4f} [{found['low']:.4f}, {found['high']:.4f}] by {found['folds']}-fold cross-validation"
    ]


def in_words(model: Any) -> str:
    """The method in words."""
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    name = type(last).__name__
    if hasattr(last, "explain_choice"):
        return f"{name}, {last.explain_choice()}"
    words = (last.__doc__ or "").strip().split("\n")[0].rstrip(".")
    return f"{name} on columns divided by their largest value: {words}" if last is not model else f"{name}: {words}"
