"""What came of a suite, beside what the paper prints."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from aucmax.bench.cell import SHIPPED, TUNED
from aucmax.bench.suite import Published, Suite

LEVEL = 0.95
GOOD = ("better", "reproduced")


class Row(NamedTuple):
    """One printed figure and ours.

    ``state`` is "better" than printed, "reproduced" (at least the printed mean minus one printed standard deviation),
    "short", "cause known" (short, for a cause that a test shows), "not comparable" (ours is another problem, whether
    better or worse), "not run", "no data" or "failed".
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


def rows_of(suite: Suite, cells: list[dict[str, Any]]) -> list[Row]:
    """All printed figures of a suite, with what was found."""
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for cell in cells:
        groups[cell["set"], cell["algorithm"], cell["kind"]].append(cell)
    return [
        _row(suite, where, name, figure, groups[where, name, TUNED], groups[where, name, SHIPPED])
        for (where, name), figure in suite.published.items()
    ]


def _row(
    suite: Suite, where: str, name: str, figure: Published, tuned: list[dict[str, Any]], shipped: list[dict[str, Any]]
) -> Row:
    found = [cell["auc"] for cell in tuned if cell["auc"] is not None]
    errors = [cell["error"] for cell in tuned if cell["error"]]
    mean = float(np.mean(found)) if found else None
    low, high = interval(found)
    std = _number(figure.std)
    error = errors[0].splitlines()[-1] if errors and not found else ""
    state, cause = _state(suite, (where, name), mean, error)
    return Row(
        where,
        name,
        figure.auc,
        std,
        mean,
        float(np.std(found, ddof=1)) if len(found) > 1 else None,
        low,
        high,
        len(found),
        _mean(cell["auc"] for cell in shipped),
        None if mean is None else mean - figure.auc,
        state,
        cause,
        _mean(cell["seconds"] for cell in tuned),
        _number(figure.seconds),
        common(tuned),
    )


def _state(suite: Suite, key: tuple[str, str], mean: float | None, error: str) -> tuple[str, str]:
    """The state of a figure, and its cause in words."""
    figure, known = suite.published[key], suite.cause(*key)
    unread = [] if figure.sure else ["the print can hardly be read"]
    if mean is None:
        state = "no data" if key[0] not in suite.sets else "failed" if error else "not run"
        return state, error or "; ".join(unread)
    std = _number(figure.std)
    state = judged(mean, figure.auc, std)
    if known is not None and not known.comparable:
        state = "not comparable"
    elif known is not None and state == "short" and known.explains(figure.auc - (std or 0.0), mean):
        state = "cause known"
    said = [known.text] if known and state in ("cause known", "not comparable") else []
    return state, "; ".join([*said, *unread])


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
