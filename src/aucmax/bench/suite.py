"""Suites: one TOML file for every table of a paper, with its protocol, its sets, its algorithms and its figures."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

ALGORITHMS = "algorithms.toml"
SPLITS = ("folds", "holdout", "thirds", "given")


class Published(NamedTuple):
    """A printed figure; ``sure`` is false where the print can hardly be read."""

    auc: float
    std: float | None = None
    seconds: float | None = None
    sure: bool = True


class Algorithm(NamedTuple):
    """An algorithm of a table: our estimator, what is fixed, and the grids of its parameters."""

    name: str
    estimator: str
    own: dict[str, Any]  # what makes the estimator this algorithm
    fixed: dict[str, Any]
    grid: dict[str, list[Any]]
    quick: dict[str, list[Any]]
    wide: dict[str, Any]  # what else is fixed in high dimension
    wide_from: int = 1000  # columns
    note: str = ""


class Entry(NamedTuple):
    """A set of a table: the files that make it, what is done to its rows and labels, and why it may differ."""

    name: str
    files: tuple[str, ...]
    columns: str  # "range", "largest" or "as they are"
    rows: str  # "unit", "centred" or "as they are"
    labels: str
    test: str = ""  # the file of a given test part
    cause: str = ""  # what sets it apart from the paper's; the figures are no target then


class Suite(NamedTuple):
    """A table of a paper and how it was made."""

    name: str
    paper: str
    title: str
    protocol: str
    splits: str
    repeats: int
    quick_repeats: int
    folds: int  # of the inner cross-validation; 0 takes the validation part of thirds
    sets: dict[str, Entry]
    algorithms: dict[str, Algorithm]
    published: dict[tuple[str, str], Published]
    note: str = ""


def _text(name: str) -> dict[str, Any]:
    path = resources.files("aucmax.bench").joinpath("suites", name)
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def suite_names() -> tuple[str, ...]:
    """The names of all suites."""
    names = (path.name for path in resources.files("aucmax.bench").joinpath("suites").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml") and name != ALGORITHMS))


@cache
def suite_of(name: str) -> Suite:
    """A suite by its name."""
    if name not in suite_names():
        raise ValueError(f"no suite {name!r} is known; known are {', '.join(suite_names())}, or all")
    found, known = _text(f"{name}.toml"), _text(ALGORITHMS)
    default = {key: found.pop(key) for key in ("columns", "rows", "labels")}
    sets = {key: _entry(key, {**default, **entry}) for key, entry in found.pop("sets").items()}
    published = {
        (where, key): Published(*figure)
        for where, figures in found.pop("published").items()
        for key, figure in figures.items()
    }
    algorithms = {key: _algorithm(key, known[key]) for key in dict.fromkeys(key for _, key in published)}
    if found["splits"] not in SPLITS:
        raise ValueError(f"suite {name}: splits={found['splits']!r}, expected one of {', '.join(SPLITS)}")
    return Suite(name=name, sets=sets, algorithms=algorithms, published=published, **found)


def _entry(name: str, given: dict[str, Any]) -> Entry:
    return Entry(name=name, files=tuple(given.pop("files", [name])), **given)


def _algorithm(name: str, given: dict[str, Any]) -> Algorithm:
    empty: dict[str, Any] = {"own": {}, "fixed": {}, "grid": {}, "quick": {}, "wide": {}}
    return Algorithm(name=name, **{**empty, **given})
