"""Puts the page together: template, style, scripts and facts in one file that asks for nothing else."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from aucmax.persist.whole import write_whole
from aucmax.report.check import STATES, check
from aucmax.report.plain import plain

LARGEST = 3_000_000  # bytes of a page that mail and version control still take
DIGITS = 7  # of points along curves: more than any screen resolves
SCRIPTS = (
    "dom",
    "format",
    "scale",
    "table",
    "picture",
    "legend",
    "errata",
    "papers",
    "link",
    "chart",
    "figure",
    "start",
)


def page(facts: dict[str, Any]) -> str:
    r"""One self-contained HTML page of results.

    The page needs no network. Tables can be sorted and filtered, curves switched off and read out; links keep filters
    (``#table?set=a9a&state=short``) or lead to a part (``#thesis-3.2``). Without JavaScript it shows plain tables.

    Parameters
    ----------
    facts : dict
        What :data:`aucmax.report.check.FACTS` lays out: ``title``, ``summary``, ``tables``, ``figures`` and so on,
        of strings, finite numbers, None, lists and dicts. What is missing or empty is left out of the page. In
        ``timings``, ``ratio`` is the printed time over ours: above 1, ours is faster.

    Returns
    -------
    str
        The page.

    Raises
    ------
    ValueError
        If facts have another shape, or the page would exceed 3 MB.

    Examples
    --------
    >>> from aucmax.report import page
    >>> html = page({"title": "Results", "errata": [{"where": "eq. 3", "printed": "min", "right": "max"}]})
    >>> html.startswith("<!DOCTYPE html>")
    True
    """
    check(facts)
    style, script, data = _asset("page.css"), _script(), _data(facts)
    made = Template(_asset("page.html")).substitute(
        title=escape(facts.get("title") or "Results"),
        policy=f"default-src 'none'; img-src data:; style-src '{_digest(style)}'; script-src '{_digest(script)}'",
        style=style,
        plain=plain(facts),
        data=data,
        script=script,
    )
    _fits(made, facts)
    return made


def write(facts: dict[str, Any], path: str | os.PathLike[str]) -> None:
    """Write the page of results to a file, which appears whole or not at all.

    Parameters
    ----------
    facts : dict
        As for :func:`page`.
    path : str or path-like
        The file; one that is there is replaced.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from aucmax.report import write
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write({"title": "Results"}, pathlib.Path(folder) / "report.html")
    """
    write_whole(Path(path), page(facts).encode())


def _asset(name: str) -> str:
    return files("aucmax.report").joinpath("assets", name).read_text(encoding="utf-8")


def _script() -> str:
    parts = [_asset(f"{name}.js") for name in SCRIPTS]
    states = json.dumps(STATES)
    return '(() => {\n"use strict";\nconst STATES = ' + states + ";\n" + "\n".join(parts) + "})();\n"


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _data(facts: dict[str, Any]) -> str:
    """The facts as JSON that no label can break out of."""
    figures = [
        {**figure, "series": [_short(series) for series in figure.get("series") or []]}
        for figure in facts.get("figures") or []
    ]
    text = json.dumps({**facts, "figures": figures}, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _short(series: dict[str, Any]) -> dict[str, Any]:
    points = {key: _rounded(series.get(key)) for key in ("x", "y", "low", "high")}
    return {**series, **points}


def _rounded(values: list[Any] | None) -> list[Any] | None:
    if values is None:
        return None
    return [float(f"{v:.{DIGITS}g}") if isinstance(v, float) else v for v in values]


def _fits(made: str, facts: dict[str, Any]) -> None:
    size = len(made.encode())
    if size > LARGEST:
        sizes = {name: len(json.dumps(part)) for name, part in facts.items()}
        largest = max(sizes, key=lambda name: sizes[name])
        raise ValueError(
            f"the page has {size:,} bytes, {largest!r} most of them ({sizes[largest]:,}); expected at most "
            f"{LARGEST:,}: give fewer points per curve or fewer rows"
        )
