"""``aucmax export``."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from aucmax.cli.explain import heaviest
from aucmax.cli.inputs import opened
from aucmax.cli.output import Output, field
from aucmax.persist.whole import whole_text


def export(options: Any) -> int:
    """Write a model as ONNX, or its weights as CSV."""
    found, path = opened(options.model), Path(options.output)
    out = Output(options)
    if path.suffix.lower() == ".onnx":
        from aucmax.export import save_onnx

        save_onnx(found.model, path)
        lines = [f"the model is in {path}: a matrix of {found.model.n_features_in_} columns, as its encoder makes it"]
    elif path.suffix.lower() == ".csv":
        last = found.model.steps[-1][1] if hasattr(found.model, "steps") else found.model
        weights = heaviest(found, last, found.model.n_features_in_)
        if not weights or last is not found.model or len(last.coef_) > 1:
            raise ValueError(f"{options.model}: its weights are not one for each column; export it as .onnx")
        with whole_text(path) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([("feature", "weight"), ("intercept", repr(float(last.intercept_[0])))])
            writer.writerows((name if options.raw else field(name), repr(coef)) for name, _, coef in weights)
        lines = [f"{len(weights)} weights are in {path}"]
    else:
        raise ValueError(f"{path}: expected a name that ends in .onnx or .csv")
    return out.result(lines, {"output": str(path)})
