"""The papers' figures, one file each: curves along a fit, test AUC against a parameter, ROC curves, the variance of
directions; mean and range over splits.

Parameters are fixed beforehand, so that the test rows choose nothing.
"""

from __future__ import annotations

import tomllib
import warnings
from collections import Counter
from collections.abc import Iterator
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

import aucmax
from aucmax.bench.sets import load, present, scaled
from aucmax.bench.splits import parts_of
from aucmax.bench.suite import Entry, suite_of
from aucmax.bench.variance import direction_variance
from aucmax.evaluate import roc_auc, roc_curve

FILES = {"splice": ("splice", "splice.t")}
REPEATS, QUICK_REPEATS = 10, 3
POINTS = 40  # of a curve
SCALED = {  # in words
    "range": "onto [-1, 1]",
    "zero to one": "onto [0, 1]",
    "largest": "divided by their largest value",
    "unit": "divided by their norm",
    "centred": "divided by their norm after their mean is taken off",
}
LABELS = {
    "iteration": "iterations",
    "seconds": "seconds",
    "passes": "passes over the rows",
    "max_iter": "epochs",
    "l2": "l2 penalty",
}


class Series(NamedTuple):
    """One curve: its mean over the splits, and the range."""

    name: str
    x: list[float]
    y: list[float]
    low: list[float]
    high: list[float]


def figure_plans() -> dict[str, dict[str, Any]]:
    """All figures by name."""
    folder = resources.files("aucmax.bench").joinpath("suites", "figures")
    paths = sorted((path for path in folder.iterdir() if path.name.endswith(".toml")), key=lambda path: path.name)
    return {path.name.removesuffix(".toml"): tomllib.loads(path.read_text(encoding="utf-8")) for path in paths}


def figures(quick: bool, data_dir: Any = None) -> Iterator[dict[str, Any]]:
    """Draw every figure on every set at hand; each as its facts for the report."""
    for name, plan in figure_plans().items():
        for where in plan["sets"]:
            entries = _entries(plan, where)
            if all(present(entry, data_dir) for entry in entries.values()):
                made = {entry: list(_splits(plan, entry, quick, data_dir)) for entry in set(entries.values())}
                yield from _drawn(name, plan, entries, {curve: made[entry] for curve, entry in entries.items()})


def drawn_sets(data_dir: Any = None) -> set[str]:
    """The sets at hand of which there are figures."""
    wanted = ((plan, where) for plan in figure_plans().values() for where in plan["sets"])
    return {where for plan, where in wanted if all(present(e, data_dir) for e in _entries(plan, where).values())}


def _entries(plan: dict[str, Any], where: str) -> dict[str, Entry]:
    """A set as every curve has it: as in the table of the paper, if it is in one that the plan names."""
    known = next((suite for suite in map(suite_of, plan.get("suites", ())) if where in suite.sets), None)
    own = Entry(where, FILES.get(where, (where,)), "range", "unit", "random halves")
    return {curve["name"]: own if known is None else known.entry(where, curve["name"]) for curve in plan["curves"]}


def _scaling(entries: dict[str, Entry]) -> str:
    """In words, what is done to columns and rows; first as most curves have them."""
    kinds = Counter(entry[2:4] for entry in entries.values()).most_common()
    found = []
    for k, (kind, _) in enumerate(kinds):
        columns, rows = (SCALED.get(how, how) for how in kind)
        names = ", ".join(name for name, entry in entries.items() if entry[2:4] == kind)
        found.append(f"columns {columns}, rows {rows}" + (f" ({names})" if k else ""))
    return "; ".join(found)


def note_of(plan: dict[str, Any], entries: dict[str, Entry], splits: int) -> str:
    """What a reader must know of a figure: lines and bands, how rows are scaled, the parameters of every curve."""
    given = "; ".join(
        f"{curve['name']}: {', '.join(f'{key}={value}' for key, value in curve['params'].items()) or 'as shipped'}"
        for curve in plan["curves"]
    )
    drawn = f"Lines are means over {splits} random 80/20 splits, bands reach from the least to the greatest"
    embedded = f", then embedded with {plan['landmarks']} landmarks" if "landmarks" in plan else ""
    lines = f"{drawn}; {_scaling(entries)}{embedded}."
    return " ".join(filter(None, [plan.get("note", ""), lines, f"Fixed: {given}; all else as shipped."]))


def _splits(plan: dict[str, Any], entry: Entry, quick: bool, data_dir: Any) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Training and test rows of every split, embedded where a figure has landmarks."""
    problem = load(entry, data_dir)
    for repeat in range(QUICK_REPEATS if quick else REPEATS):
        parts = parts_of("holdout", problem.y, 0, repeat)
        train, test = scaled(entry, (problem.X[parts.train], problem.X[parts.test]))
        if "landmarks" in plan:
            embed = aucmax.KMeansNystroem(n_components=plan["landmarks"], random_state=repeat).fit(train)
            train, test = embed.transform(train), embed.transform(test)
        yield train, problem.y[parts.train], test, problem.y[parts.test]


def _drawn(
    name: str, plan: dict[str, Any], entries: dict[str, Entry], splits: dict[str, list[Any]]
) -> Iterator[dict[str, Any]]:
    """A figure with its curves, of the splits that each has."""
    where, count = next(iter(entries.values())).name, len(next(iter(splits.values())))
    base = {"title": f"{plan['title']}: {where}", "y": "test AUC", "log_y": False, "kind": "lines"}
    base["note"] = note_of(plan, entries, count)
    key = f"{name}-{where}"
    if plan.get("roc"):
        series = [_roc(curve, splits[curve["name"]]) for curve in plan["curves"]]
        labels = {"x": "false positive rate", "y": "true positive rate", "log_x": False, "kind": "roc"}
        yield {**base, **labels, "id": key, "series": series}
    elif "variance" in plan:
        series = [_variances(curve, plan["variance"], splits[curve["name"]]) for curve in plan["curves"]]
        labels = {"x": "passes over the rows", "y": "variance of the direction", "log_x": True, "log_y": True}
        yield {**base, **labels, "id": key, "series": series}
    elif "vary" in plan:
        series = [_varied(curve, plan["vary"], plan["values"], splits[curve["name"]]) for curve in plan["curves"]]
        yield {**base, "id": key, "x": LABELS[plan["vary"]], "log_x": bool(plan.get("log_x")), "series": series}
    else:
        histories = {curve["name"]: _histories(curve, splits[curve["name"]]) for curve in plan["curves"]}
        for along in plan["along"]:
            series = [_along(curve, found, along) for curve, found in histories.items()]
            note = f"{base['note']} Seconds are medians over the splits." if along == "seconds" else base["note"]
            yield {**base, "note": note, "id": f"{key}-{along}", "x": LABELS[along], "log_x": True, "series": series}


def _fitted(curve: dict[str, Any], seed: int, rows: tuple[Any, Any], more: dict[str, Any], **given: Any) -> Any:
    model = getattr(aucmax, curve["estimator"])(**{**curve["params"], **more})
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of runs that end unconverged, which is what the figures show
        return model.fit(*rows, **given)


def _histories(curve: dict[str, Any], splits: list[Any]) -> list[dict[str, np.ndarray]]:
    """What is noted along a fit of every split; ``passes`` of a curve are those before the first note and of each."""
    found = []
    for seed, (X, y, X_test, y_test) in enumerate(splits):
        given = {"X_val": X_test, "y_val": y_test}
        if seed == 0:  # the clock is not to count the loading of kernels
            _fitted(curve, seed, (X, y), {"tol": None, "max_iter": 1}, **given)
        history = _fitted(curve, seed, (X, y), {"tol": None}, **given).history_
        before, each = curve.get("passes", (0.0, 1.0 / len(y)))
        found.append({**history, "passes": before + each * history["iteration"]})
    return found


def _along(name: str, histories: list[dict[str, np.ndarray]], along: str) -> dict[str, Any]:
    """Curves brought onto the same points; every history is a step function of what it goes along.

    Notes are taken after the same steps in every split, so that times, which the machine disturbs, are their medians.
    """
    if along == "seconds":
        length = min(len(found[along]) for found in histories)
        x = np.median([found[along][:length] for found in histories], axis=0)
        return _series(name, x, np.array([found["validation_auc"][:length] for found in histories]))
    last = min(float(found[along][-1]) for found in histories)
    first = max(float(found[along][0]) for found in histories)
    x = np.geomspace(max(first, last * 1e-4), last, POINTS) if first < last else np.array([last])
    at = [found["validation_auc"][np.searchsorted(found[along], x, side="right").clip(1) - 1] for found in histories]
    return _series(name, x, np.array(at))


def _varied(curve: dict[str, Any], parameter: str, values: list[float], splits: list[Any]) -> dict[str, Any]:
    scores = [
        [
            roc_auc(y_test, _fitted(curve, seed, (X, y), {parameter: value}).decision_function(X_test))
            for value in values
        ]
        for seed, (X, y, X_test, y_test) in enumerate(splits)
    ]
    return _series(curve["name"], np.array(values, dtype=float), np.array(scores))


def _variances(curve: dict[str, Any], passes: list[int], splits: list[Any]) -> dict[str, Any]:
    """The variance after some passes; that of VRSPAM at the end of a stage, where it is farthest from its anchor."""
    reduced = curve["estimator"] == "VRSPAM"
    found = []
    for seed, (X, y, _, _) in enumerate(splits):
        weights = {
            k: _fitted(curve, seed, (X, y), {"max_iter": k, "tol": None}).coef_.ravel()
            for k in sorted({*passes, *(k - 1 for k in passes if reduced)})
        }
        found.append([direction_variance(X, y, weights[k], weights[k - 1] if reduced else None) for k in passes])
    return _series(curve["name"], np.array(passes, dtype=float), np.array(found))


def _roc(curve: dict[str, Any], splits: list[Any]) -> dict[str, Any]:
    x = np.linspace(0.0, 1.0, 2 * POINTS + 1)
    found = []
    for seed, (X, y, X_test, y_test) in enumerate(splits):
        drawn = roc_curve(y_test, _fitted(curve, seed, (X, y), {}).decision_function(X_test))
        found.append(np.interp(x, drawn.fpr, drawn.tpr))
    return _series(curve["name"], x, np.array(found))


def _series(name: str, x: np.ndarray, ys: np.ndarray) -> dict[str, Any]:
    parts = (x, ys.mean(axis=0), ys.min(axis=0), ys.max(axis=0))
    return Series(name, *([float(f"{v:.7g}") for v in part] for part in parts))._asdict()
