"""Suites: one TOML file for every table of a paper, with its protocol, its sets, its algorithms and its figures."""

from __future__ import annotations

import math
import tomllib
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

ALGORITHMS, FILES = "algorithms.toml", "files.toml"  # which are no suites
CLOSE = 0.002  # how far below the exact minimiser a method may stay for the minimiser to be the cause
SPLITS = ("folds", "holdout", "thirds", "given")
SAYS = ("rows", "columns", "nothing")
ITERATES = ("average", "average of the last stage", "last")


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
    iterate: str  # which weights of a fit are scored, one of ITERATES
    own: dict[str, Any]  # what makes the estimator this algorithm
    fixed: dict[str, Any]
    grid: dict[str, list[Any]]
    quick: dict[str, list[Any]]
    wide: dict[str, Any]  # what else is fixed in high dimension
    wide_from: int = 1000  # columns
    quick_cost: float = math.inf  # rows times squared columns that a quick run trains on at most, up to wide_from
    quick_rows: int = 0  # by which a quick run chooses parameters at least, where the usual number misleads
    note: str = ""
    informed: str = ""  # options that the paper leaves open and that were chosen knowing test figures
    informed_wide: str = ""  # the same in high dimension


class Entry(NamedTuple):
    """A set of a table: the files that make it, what is done to its rows and labels, and why it may differ."""

    name: str
    files: tuple[str, ...]
    columns: str  # "range", "zero to one", "largest" or "as they are"
    rows: str  # "unit", "centred" or "as they are"
    labels: str
    test: str = ""  # the file of a given test part
    landmarks: int | None = None  # of the embedding, where the set has its own number
    quick_rows: int = 0  # by which a quick run chooses parameters at least, where the usual number misleads


class Cause(NamedTuple):
    """Why ours fall short of printed figures, and the tests that show it."""

    text: str
    tests: tuple[str, ...]
    sets: tuple[str, ...]
    algorithms: tuple[str, ...] = ()  # all of them
    at_most: float = 0.0  # the largest shortfall that it explains, below one printed standard deviation
    reach: float | None = None  # what the exact minimiser reaches, its penalty chosen by the test rows

    def explains(self, printed: float, ours: float) -> bool:
        """Whether ours is short of the printed mean less its deviation for this cause, and for no other.

        Where the exact minimiser is short of it too, a method explains itself by coming close to that one.
        """
        if self.reach is not None:
            return printed > self.reach and ours >= self.reach - CLOSE
        return printed - ours <= self.at_most


class Taken(NamedTuple):
    """Algorithms whose figures a paper takes from another one, and what that one says and does."""

    algorithms: tuple[str, ...]
    says: str  # as that of a suite
    rows: str = ""  # what is done to them, if it is something else than in the suite
    labels: str = ""  # how several classes become two, if it is otherwise than in the suite


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
    says: str  # what the paper says of scaling: that "rows" are normalised, where "columns" are put, or "nothing"
    counted: dict[str, tuple[int, int]]  # rows and columns of every set, as the paper counts them
    interchanged: dict[str, str]  # sets whose printed rows are not theirs, and why we know
    informed: dict[str, str]  # of sets: options that the paper leaves open and that were chosen knowing test figures
    causes: tuple[Cause, ...] = ()
    taken: tuple[Taken, ...] = ()
    quick_train: int = 60_000  # rows that a quick run trains on at most
    quick_numbers: float = 2e7  # the same for the numbers in them, zeros of sparse rows left out
    note: str = ""

    def entry(self, where: str, algorithm: str) -> Entry:
        """A set, with its rows as the figures of an algorithm have them."""
        entry, taken = self.sets[where], self.source(algorithm)
        return entry._replace(rows=taken.rows) if taken is not None and taken.rows else entry

    def source(self, algorithm: str) -> Taken | None:
        """The other paper that the figures of an algorithm are taken from; None where they are the paper's own."""
        return next((taken for taken in self.taken if algorithm in taken.algorithms), None)

    def cause(self, where: str, algorithm: str) -> Cause | None:
        """The first cause that is known for a figure."""
        fitting = (c for c in self.causes if where in c.sets and (not c.algorithms or algorithm in c.algorithms))
        return next(fitting, None)


def _text(name: str) -> dict[str, Any]:
    path = resources.files("aucmax.bench").joinpath("suites", name)
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def suite_names() -> tuple[str, ...]:
    """The names of all suites."""
    names = (path.name for path in resources.files("aucmax.bench").joinpath("suites").iterdir())
    suites = (name for name in names if name.endswith(".toml") and name not in (ALGORITHMS, FILES))
    return tuple(sorted(name.removesuffix(".toml") for name in suites))


class Known(NamedTuple):
    """What is known of the files at hand, whatever paper uses their sets."""

    two_scales: frozenset[str]
    other_numbers: dict[str, str]


@cache
def known_files() -> Known:
    """Return what is known of the files at hand."""
    found = _text(FILES)
    return Known(frozenset(found["two_scales"]), found["other_numbers"])


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
    settings = found.pop("settings", {})
    names = dict.fromkeys(key for _, key in published)
    algorithms = {key: _algorithm(key, {**known[key], **settings.get(key, {})}) for key in names}
    causes = tuple(_tuples(Cause, entry) for entry in found.pop("causes", ()))
    taken = tuple(_tuples(Taken, entry) for entry in found.pop("taken", ()))
    counted = {key: (rows, columns) for key, (rows, columns) in found.pop("counted").items()}
    given: dict[str, Any] = {"sets": sets, "algorithms": algorithms, "published": published, "counted": counted}
    given.update({key: found.pop(key, {}) for key in ("interchanged", "informed")})
    suite = Suite(name=name, causes=causes, taken=taken, **given, **found)
    _check(suite)
    return suite


def _check(suite: Suite) -> None:
    """Refuse keys that no code reads, and sets whose rows the paper does not count."""
    says = [suite.says, *(taken.says for taken in suite.taken)]
    words = [("splits", suite.splits, SPLITS), *(("says", word, SAYS) for word in says)]
    words += [("iterate", algorithm.iterate, ITERATES) for algorithm in suite.algorithms.values()]
    for key, word, known in words:
        if word not in known:
            raise ValueError(f"suite {suite.name}: {key}={word!r}, expected one of {', '.join(known)}")
    if missing := sorted(set(suite.sets) ^ set(suite.counted)):
        raise ValueError(f"suite {suite.name}: [counted] and the sets differ in {', '.join(missing)}")


def _tuples(cls: Any, given: dict[str, Any]) -> Any:
    return cls(**{key: tuple(value) if isinstance(value, list) else value for key, value in given.items()})


def _entry(name: str, given: dict[str, Any]) -> Entry:
    return Entry(name=name, files=tuple(given.pop("files", [name])), **given)


def _algorithm(name: str, given: dict[str, Any]) -> Algorithm:
    empty: dict[str, Any] = {"own": {}, "fixed": {}, "grid": {}, "quick": {}, "wide": {}}
    return Algorithm(name=name, **{**empty, **given})
