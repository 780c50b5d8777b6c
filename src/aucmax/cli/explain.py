"""``aucmax explain``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from aucmax.classifier.summary import Summary
from aucmax.cli.output import Output
from aucmax.persist import ModelFile, open_model

MOST_RULES = 100  # that a person is shown


def explain(options: Any) -> int:
    """Say what is in a model file."""
    found, out = open_model(options.model), Output(options)
    size = Path(options.model).stat().st_size
    steps = [step for _, step in found.model.steps] if hasattr(found.model, "steps") else [found.model]
    weights = heaviest(found, steps[-1], options.top)
    facts = {
        "file": str(options.model),
        "bytes": size,
        "versions": found.versions,
        "steps": [{"class": type(step).__name__, "parameters": _changed(step)} for step in steps],
        "features": getattr(found.model, "n_features_in_", None),
        "classes": getattr(found.model, "classes_", None),
        "rules": [] if found.encoder is None else [f"{r.name}: {r.kind}, {r.describe()}" for r in found.encoder.rules_],
        "weights": weights,
        "notes": found.notes,
    }
    return out.result(_lines(facts), {**facts, "notes": _simple(found.notes)})


def _simple(notes: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in notes.items() if isinstance(value, str | int | float | list | dict | None)}


def _changed(step: Any) -> dict[str, Any]:
    """The parameters that are not the default ones, as text."""
    defaults = type(step)().get_params() if type(step).__name__ != "Pipeline" else {}
    return {k: repr(v) for k, v in step.get_params().items() if repr(defaults.get(k)) != repr(v)}


def heaviest(found: ModelFile, last: Any, top: int) -> list[tuple[str, float, float]]:
    """The features of the largest weights, as far as they are features of the rows: weight and coefficient.

    The weight is that in the spread of the column where the model knows it, hence comparable, and else the coefficient.
    """
    weights = getattr(last, "coef_", None)
    names = None if found.encoder is None else found.encoder.names_
    if (
        weights is None
        or getattr(last, "embedding_", None) is not None
        or weights.shape[1] != getattr(found.model, "n_features_in_", None)
    ):
        return []
    called = names if names is not None and len(names) == weights.shape[1] else None
    labels = np.array(called or [f"column {j + 1}" for j in range(weights.shape[1])], dtype=object)
    sizes = getattr(last, "_sizes", np.ones(weights.shape[1]))
    table = Summary.of(weights, sizes, labels, np.arange(len(weights)), top)
    return list(zip(table.feature.tolist(), table.weight.tolist(), table.coef.tolist(), strict=True))


def _lines(facts: dict[str, Any]) -> list[str]:
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    lines = [f"{facts['file']}: {facts['bytes']:,} bytes, written by {versions}"]
    for step in facts["steps"]:
        parameters = ", ".join(f"{name}={value}" for name, value in step["parameters"].items())
        lines.append(f"step: {step['class']}({parameters})")
    if facts["classes"] is not None:
        lines.append(
            f"fitted on {facts['features']} features; classes {facts['classes'].tolist()}, the last is positive"
        )
    else:
        lines.append("not fitted")
    lines += [f"column {rule}" for rule in facts["rules"][:MOST_RULES]]
    if len(facts["rules"]) > MOST_RULES:
        lines.append(f"and {len(facts['rules']) - MOST_RULES:,} columns more; --json lists them all")
    lines += [
        f"weight {weight:+.4g} of {name}" + ("" if weight == coef else f" ({coef:+.4g} a unit)")
        for name, weight, coef in facts["weights"]
    ]
    return lines + [f"{name}: {value}" for name, value in facts["notes"].items() if value is not None]
