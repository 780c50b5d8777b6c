"""``aucmax predict``, ``evaluate`` and ``compare``."""

from __future__ import annotations

import contextlib
import csv
import sys
from pathlib import Path
from typing import Any

import numpy as np

from aucmax.cli.inputs import later_rows, opened, scores_and_labels
from aucmax.cli.output import Output, Progress, field, shown
from aucmax.evaluate import average_precision, delong_ci, delong_test, operating_point, roc_auc
from aucmax.persist import ModelFile
from aucmax.persist.whole import whole_text


def predict(options: Any) -> int:
    """Write score, probability and class of every row as CSV."""
    found, out = opened(options.model), Output(options)
    progress = Progress("scored", None, options.quiet or options.output is None)
    classes = _class_names(found)
    names = [_field(name, options) for name in classes]
    with contextlib.ExitStack() as stack:
        target: Any = sys.stdout
        if options.output:
            target = stack.enter_context(whole_text(Path(options.output)))
        stack.callback(progress.close)
        writer = csv.writer(target, lineterminator="\n")
        for chunk in later_rows(found, options, labelled=False):
            if not progress.done:
                writer.writerow([_field(name, options) for name in _header(found, classes)])
            writer.writerows(_lines(found, chunk.X, names))
            progress.advance(chunk.X.shape[0])
    if options.output:
        return out.result(
            [f"{progress.done:,} rows in {options.output}"], {"rows": progress.done, "output": options.output}
        )
    return 0


def _class_names(found: ModelFile) -> list[str]:
    """The classes as they were called in the training rows."""
    positive = found.notes.get("positive")
    return [f"not {positive}", str(positive)] if positive is not None else list(map(str, found.model.classes_.tolist()))


def _field(name: str, options: Any) -> str:
    """Return a name as a field that is safe where it goes: escaped for a terminal, harmless for a spreadsheet."""
    if options.output is None and (not options.raw or sys.stdout.isatty()):
        name = shown(name)
    return name if options.raw else field(name)


def _header(found: ModelFile, names: list[str]) -> list[str]:
    if len(names) > 2:
        return ["prediction", *(f"score {name}" for name in names)]
    return ["prediction", "score", *(["probability"] if hasattr(found.model, "predict_proba") else [])]


def _lines(found: ModelFile, X: Any, names: list[str]) -> Any:
    """One line a row: the class by its name, the score or scores, and the probability where the model has one."""
    model = found.model
    scores = model.decision_function(X)
    chosen = np.array(names)[np.searchsorted(model.classes_, model.predict(X))].tolist()
    if scores.ndim == 2:
        return ([label, *map(repr, row)] for label, row in zip(chosen, scores.tolist(), strict=True))
    columns = [chosen, map(repr, scores.tolist())]
    if hasattr(model, "predict_proba"):
        columns.append(map(repr, model.predict_proba(X)[:, 1].tolist()))
    return zip(*columns, strict=True)


def evaluate(options: Any) -> int:
    """Print the AUC with its interval, the average precision and an operating point."""
    found, out = opened(options.model), Output(options)
    scores, y = scores_and_labels(found, options)
    classes = found.model.classes_
    if scores.ndim == 2:
        each = {str(label): roc_auc(y == label, scores[:, k]) for k, label in enumerate(classes) if (y == label).any()}
        mean = float(np.mean(list(each.values())))
        lines = [f"AUC {mean:.4f}, the mean over classes", *(f"  {name}: {auc:.4f}" for name, auc in each.items())]
        return out.result(lines, {"rows": len(y), "auc": mean, "each": each})
    positive = y == classes[1]
    interval = delong_ci(positive, scores, level=options.level)
    precision, point = average_precision(positive, scores), operating_point(positive, scores)
    lines = [
        f"AUC {interval} ({options.level:.0%} interval), {len(y):,} rows, {positive.mean():.2%} positive",
        f"average precision {precision:.4f}",
        f"largest recall - FPR on these rows: {point}",
    ]
    facts = {"rows": len(y), "positives": int(positive.sum()), "auc": interval.estimate, "low": interval.low}
    more = {"high": interval.high, "level": options.level, "average_precision": precision, "threshold": point.threshold}
    return out.result(lines, facts | more)


def compare(options: Any) -> int:
    """Print the AUCs of two models on the same rows, and DeLong's test of their difference."""
    out = Output(options)
    models = [opened(path) for path in (options.first, options.second)]
    (a, y), (b, _) = (scores_and_labels(found, options) for found in models)
    if a.ndim == 2 or b.ndim == 2:
        raise ValueError("compare is for models of two classes; these know more")
    found = delong_test(y == models[0].model.classes_[1], a, b, level=options.level)
    gap = found.difference
    verdict = "the difference may be chance" if gap.low <= 0.0 <= gap.high else "the difference is more than chance"
    lines = [
        f"{options.first}: AUC {found.aucs[0]:.4f}",
        f"{options.second}: AUC {found.aucs[1]:.4f}",
        f"difference {gap} ({options.level:.0%} interval), p = {found.p_value:.3g}: {verdict}",
    ]
    facts = {"aucs": list(found.aucs), "difference": gap.estimate, "low": gap.low, "high": gap.high}
    return out.result(lines, facts | {"p_value": found.p_value, "rows": len(y)})
