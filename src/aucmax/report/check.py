"""The shape of the facts that a report shows, and errors that say where they depart from it."""

from __future__ import annotations

import math
import re
from typing import Any

TEXT, NUMBER, COUNT, TRUTH = "a string", "a finite number or None", "an integer or None", "True or False"
PLACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
# ids of the page's own
SECTIONS = (
    *("main", "facts", "summary", "leaderboard", "table", "shortfalls"),
    *("figures", "rates", "timings", "rivals", "errata", "again"),
)
STATES = (
    *("better", "reproduced", "cause known", "short", "not comparable"),
    *("unfinished", "failed", "not run", "no data"),
)
RATE_STATES = ("met", "explained", "not met")

ROW = {
    **dict.fromkeys(("set", "algorithm", "cause", "params", "tests"), TEXT),
    **dict.fromkeys(("printed", "printed_std", "ours", "ours_std", "low", "high", "shipped", "difference"), NUMBER),
    **dict.fromkeys(("seconds", "printed_seconds", "below"), NUMBER),
    **dict.fromkeys(("runs", "planned", "aside"), COUNT),
    "state": STATES,
    "fails": [TEXT],
}
SERIES = {"name": TEXT, **{key: [NUMBER] for key in ("x", "y", "low", "high")}}
LEADER = {"name": TEXT, "note": TEXT, **dict.fromkeys(("auc", "low", "high", "seconds"), NUMBER)}
TABLE = {**dict.fromkeys(("id", "paper", "title", "protocol", "note"), TEXT), "rows": [ROW]}
FIGURE = {
    **dict.fromkeys(("id", "title", "x", "y", "note"), TEXT),
    **dict.fromkeys(("log_x", "log_y"), TRUTH),
    "kind": ("lines", "roc"),
    "series": [SERIES],
}
RATE = {**dict.fromkeys(("algorithm", "promised", "measured", "note"), TEXT), "state": RATE_STATES}
TIMING = {
    **dict.fromkeys(("set", "algorithm", "note"), TEXT),
    **dict.fromkeys(("printed", "ours", "ratio"), NUMBER),
    "fair": TRUTH,
}
RIVAL = {
    **dict.fromkeys(("set", "library", "model"), TEXT),
    **dict.fromkeys(("seconds", "auc"), NUMBER),
    **dict.fromkeys(("rows", "columns"), COUNT),
}
ERRATUM = {**dict.fromkeys(("where", "printed", "right", "why", "test"), TEXT), "kind": ("error", "remark")}
FACTS = {
    **dict.fromkeys(("title", "created", "version", "commit", "machine"), TEXT),
    "quick": TRUTH,
    "summary": {"lines": [TEXT], "counts": [{"name": TEXT, "value": NUMBER, "state": TEXT}]},
    "leaderboard": [LEADER],
    "tables": [TABLE],
    "figures": [FIGURE],
    "rates": [RATE],
    "timings": [TIMING],
    "rivals": [RIVAL],
    "errata": [ERRATUM],
    "notes": dict.fromkeys(("rates", "timings", "rivals", "figures"), TEXT),
    "again": [TEXT],
}


def check(facts: Any) -> None:
    """Raise a ValueError that names the first place where facts are not what a page can show."""
    _fields(facts, FACTS, "facts")
    seen: set[str] = set(SECTIONS)
    for kind in ("tables", "figures"):
        for k, part in enumerate(facts.get(kind) or []):
            _place(part.get("id"), f"facts.{kind}[{k}].id", seen)
    for k, figure in enumerate(facts.get("figures") or []):
        for j, series in enumerate(figure.get("series") or []):
            _lengths(series, f"facts.figures[{k}].series[{j}]")


def _shape(value: Any, shape: Any, where: str) -> None:
    if value is None:
        return  # what is not known is left out
    if isinstance(shape, dict):
        _fields(value, shape, where)
    elif isinstance(shape, list):
        _items(value, shape[0], where)
    elif isinstance(shape, tuple):
        if value not in shape:
            raise _wrong(where, value, "one of " + ", ".join(map(repr, shape)))
    elif not _plain(value, shape):
        raise _wrong(where, value, shape)


def _items(value: Any, shape: Any, where: str) -> None:
    if not isinstance(value, list | tuple):
        raise _wrong(where, value, "a list")
    for k, item in enumerate(value):
        if item is None and shape != NUMBER:
            raise _wrong(f"{where}[{k}]", item, "a dict" if isinstance(shape, dict) else shape)
        _shape(item, shape, f"{where}[{k}]")


def _fields(value: Any, shape: dict[str, Any], where: str) -> None:
    if not isinstance(value, dict):
        raise _wrong(where, value, "a dict")
    for key, item in value.items():
        if key not in shape:
            raise ValueError(f"{where} has the unknown entry {key!r}; expected only {', '.join(shape)}")
        _shape(item, shape[key], f"{where}.{key}")


def _plain(value: Any, shape: str) -> bool:
    if shape == TEXT:
        return isinstance(value, str)
    if shape == TRUTH:
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (shape == NUMBER and isinstance(value, float) and math.isfinite(value))


def _place(name: Any, where: str, seen: set[str]) -> None:
    if not isinstance(name, str) or not PLACE.fullmatch(name):
        raise _wrong(where, name, "letters, digits, dots, dashes and underscores, for links")
    if name in seen:
        raise ValueError(f"{where} is {name!r}, which is taken; expected an id of its own")
    seen.add(name)


def _lengths(series: dict[str, Any], where: str) -> None:
    length = len(series.get("x") or [])
    for key in ("y", "low", "high"):
        found = series.get(key)
        if (found is not None or key == "y") and len(found or []) != length:
            raise ValueError(f"{where}.{key} has {len(found or [])} values, x has {length}; expected as many")


def _wrong(where: str, value: Any, expected: str) -> ValueError:
    return ValueError(f"{where} is {repr(value)[:80]}; expected {expected}")
