"""What came of a suite, beside what the paper prints."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from aucmax.bench.cell import SHIPPED, TUNED, Cell, asked
from aucmax.bench.comparable import reasons, repeats_of
from aucmax.bench.suite import Suite

LEVEL = 0.95
GOOD = ("better", "reproduced")
OPEN = ("unfinished", "failed", "not run", "no data")  # nothing can be said of these


class Row(NamedTuple):
    """One printed figure and ours.

    ``state`` is "better" than printed, "reproduced" (at least the printed mean minus one printed standard deviation),
    "short", "cause known" (short, for a cause that a test shows), "not comparable" (by the rule of
    ``aucmax.bench.comparable``, whether better or worse), "unfinished" (some of its runs are missing), "failed" (some
    or all of them), "not run" or "no data". ``fails`` names the criteria of that rule that the figure fails.
    """

    set: str
    algorithm: str
    printed: float
    printed_std: float | None
    ours: float | None
    ours_std: float | None
    low: float | None
    high: float | None
    runs: int
    shipped: float | None
    difference: float | None
    state: str
    cause: str
    seconds: float | None
    printed_seconds: float | None
    params: str
    planned: int | None = None  # runs that the suite asks for
    aside: int = 0  # results that do not count: the suite has asked for something else since
    below: float | None = None  # by how much ours falls short of the printed mean minus one standard deviation
    tests: str = ""  # that show the cause
    fails: tuple[str, ...] = ()

    @property
    def judged(self) -> str:
        """Our mean beside the printed one, whether they can be compared or not; empty where runs are missing."""
        if self.ours is None or self.state in OPEN:
            return ""
        return judged(self.ours, self.printed, self.printed_std)


class Runs(NamedTuple):
    """The results of one figure: those that count, and how many there should be and were left aside."""

    tuned: list[dict[str, Any]]
    shipped: list[dict[str, Any]]
    planned: int | None
    aside: int

    @property
    def found(self) -> list[float]:
        """The AUC of every run that ended well."""
        return [cell["auc"] for cell in self.tuned if cell["auc"] is not None]

    @property
    def default(self) -> float | None:
        """The mean AUC as shipped, of all runs or none."""
        found = [cell["auc"] for cell in self.shipped if cell["auc"] is not None]
        return _mean(found) if self.planned is None or len(found) == self.planned else None

    @property
    def missing(self) -> tuple[str, str] | None:
        """The state of a figure whose runs are not all there, and why; None where they are."""
        count, planned = len(self.found), self.planned if self.planned is not None else 1
        aside = f"{self.aside} older results are left aside: the suite has changed since" if self.aside else ""
        errors = [cell["error"].splitlines()[-1] for cell in self.tuned if cell["error"]]
        if errors:
            many = f"{len(errors)} of {planned} runs failed: " if self.planned is not None and count else ""
            return "failed", f"{many}{errors[0]}"
        if count >= planned:
            return None
        done = f"{count} of {planned} runs" if count else ""
        return ("unfinished" if count else "not run"), "; ".join(filter(None, [done, aside]))


def counted(suite: Suite, cells: list[dict[str, Any]], quick: bool) -> list[dict[str, Any]]:
    """Those results that answer what the suite asks now: a changed grid or set makes another experiment."""
    return [cell for cell in cells if _asked_now(suite, cell, quick)]


def _asked_now(suite: Suite, cell: dict[str, Any], quick: bool) -> bool:
    where, name = cell["set"], cell["algorithm"]
    if (where, name) not in suite.published or where not in suite.sets:
        return False
    if cell["repeat"] >= repeats_of(suite, where, name, quick):
        return False
    return bool(cell["asked"] == asked(Cell(suite.name, where, name, cell["kind"], cell["repeat"], quick), suite))


def rows_of(suite: Suite, cells: list[dict[str, Any]], quick: bool | None = None) -> list[Row]:
    """All printed figures of a suite, with what was found; None takes all results that are given as whole."""
    kept = cells if quick is None else counted(suite, cells, quick)
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for cell in kept:
        groups[cell["set"], cell["algorithm"], cell["kind"]].append(cell)
    rows = []
    for where, name in suite.published:
        tuned, shipped = (groups[where, name, kind] for kind in (TUNED, SHIPPED))
        planned = None if quick is None else repeats_of(suite, where, name, quick)
        given = [cell for cell in cells if (cell["set"], cell["algorithm"]) == (where, name)]
        within = sum(planned is None or cell["repeat"] < planned for cell in given)  # more were asked for once
        rows.append(_row(suite, (where, name), Runs(tuned, shipped, planned, within - len(tuned) - len(shipped))))
    return rows


def _row(suite: Suite, key: tuple[str, str], runs: Runs) -> Row:
    figure, found = suite.published[key], runs.found
    std, mean = _number(figure.std), _mean(found)
    low, high = interval(found)
    said = _said(suite, key, mean, runs)
    row = Row(
        *key,
        figure.auc,
        std,
        mean,
        float(np.std(found, ddof=1)) if len(found) > 1 else None,
        low,
        high,
        len(found),
        runs.default,
        None if mean is None else mean - figure.auc,
        said.state,
        "; ".join(said.causes),
        _mean(cell["seconds"] for cell in runs.tuned),
        _number(figure.seconds),
        common(runs.tuned),
        runs.planned,
        runs.aside,
        fails=said.fails,
    )
    if row.judged != "short" or mean is None:
        return row
    return row._replace(below=figure.auc - (std or 0.0) - mean, tests=", ".join(said.tests))


class Said(NamedTuple):
    """The state of a figure, in words why, the tests that show it, and the criteria that the figure fails."""

    state: str
    causes: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    fails: tuple[str, ...] = ()


def _said(suite: Suite, key: tuple[str, str], mean: float | None, runs: Runs) -> Said:
    """Return the state of a figure, and why."""
    if key[0] not in suite.sets:
        return Said("no data")
    against = reasons(suite, *key)
    fails = tuple(reason.criterion for reason in against)
    if mean is None or runs.missing:
        state, why = runs.missing or ("not run", "")
        return Said(state, (why,) if why else (), fails=fails)
    figure, known = suite.published[key], suite.cause(*key)
    std = _number(figure.std) or 0.0
    state = judged(mean, figure.auc, std)
    causes, tests = [reason.text for reason in against], [test for reason in against for test in reason.tests]
    if known is not None and state == "short" and known.explains(figure.auc - std, mean):
        state = "cause known"
        causes, tests = [*causes, known.text], [*tests, *known.tests]
    return Said("not comparable" if against else state, tuple(causes), tuple(tests), fails)


def deviation(std: float) -> str:
    """A standard deviation with four decimals, or with as many as show it to a twentieth."""
    found = (f"{std:.{places}f}" for places in range(4, 10))
    return next((text for text in found if abs(float(text) - std) <= std / 20), f"{std:.9f}")


def judged(ours: float, printed: float, std: float | None) -> str:
    """Our mean beside a printed one."""
    if ours > printed:
        return "better"
    return "reproduced" if ours >= printed - (std or 0.0) else "short"


def interval(found: list[float]) -> tuple[float | None, float | None]:
    """The interval of a mean by Student's t, inside [0, 1]."""
    if len(found) < 2:
        return None, None
    half = float(stats.t.ppf((1 + LEVEL) / 2, len(found) - 1) * np.std(found, ddof=1) / math.sqrt(len(found)))
    return max(0.0, float(np.mean(found)) - half), min(1.0, float(np.mean(found)) + half)


def common(cells: list[dict[str, Any]]) -> str:
    """The parameters chosen most often, in words."""
    chosen = Counter(
        ", ".join(
            f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}"
            for key, value in cell["params"].items()
        )
        for cell in cells
        if cell["params"]
    )
    return chosen.most_common(1)[0][0] if chosen else ""


def tally(rows: list[Row]) -> dict[str, int]:
    """How many rows are in every state."""
    return dict(Counter(row.state for row in rows))


def _number(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else float(value)


def _mean(values: Any) -> float | None:
    found = [value for value in values if value is not None]
    return float(np.mean(found)) if found else None
