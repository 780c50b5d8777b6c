"""What came of all suites together, in numbers and in words."""

from __future__ import annotations

from collections import Counter
from typing import Any

from aucmax.bench.comparable import CRITERIA
from aucmax.bench.outcome import GOOD, OPEN, Row

ORDER = (
    *("better", "reproduced", "cause known", "short", "not comparable"),
    *("unfinished", "failed", "not run", "no data"),
)
WORDS = {
    "better": "better than printed",
    "cause known": "short, for a known cause",
    "short": "short without a cause",
    "no data": "on sets that are not at hand",
}
REASONS = {
    "not comparable": "they cannot be compared, by the rule below (not comparable)",
    "cause known": "a cause that stands beside the figure and that a test shows",
    "short": "no cause is known",
}
QUICK = (
    "A quick run: coarser grids, parameters by 4,000 training rows (more where a class is rare, all of them for OAM), "
    "at most 60,000 training rows and 20 million numbers in them, and fewer repeats "
    "than the papers make, a single one of sets whose rows, classes or printed row are not the paper's."
)


def summary(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Lines of text, and how many figures are in every state."""
    states = Counter(row.state for row in rows)
    lines = [*_whole(rows), _comparable(rows), *_criteria(rows), *_left(rows, states)]
    counts = [{"name": WORDS.get(s, s), "value": states[s], "state": s} for s in ORDER if states[s]]
    return {"lines": [*lines, QUICK] if quick else lines, "counts": counts}


def _whole(rows: list[Row]) -> list[str]:
    """Of all figures on sets at hand, comparable or not: how many are reached, and why the others are not."""
    at_hand = [row for row in rows if row.state != "no data"]
    found = Counter(row.judged for row in at_hand)
    good = sum(found[state] for state in GOOD)
    lines = [
        f"Of {len(rows)} printed figures {len(at_hand)} are on sets at hand. Ours reach the printed mean minus one "
        f"printed standard deviation for {good} of these {len(at_hand)}, {found['better']} of them above the printed "
        f"mean; {found['short']} fall short."
    ]
    short = Counter(row.state for row in at_hand if row.judged == "short")
    reasons = [f"{words}: {short[state]}" for state, words in REASONS.items() if short[state]]
    return [*lines, f"Why they fall short: {'; '.join(reasons)}."] if reasons else lines


def _comparable(rows: list[Row]) -> str:
    """Return how many of the figures that can be compared reach the bound, and how many of the others."""
    fair = [row for row in rows if row.state not in (*OPEN, "not comparable")]
    good = sum(row.state in GOOD for row in fair)
    above = sum(row.state == "better" for row in fair)
    other = [row for row in rows if row.state == "not comparable"]
    reached = sum(row.judged in GOOD for row in other)
    more = f" Of the {len(other)} that cannot, {reached} do." if other else ""
    return (
        f"{good} of {len(fair)} figures that can be compared reach that bound, {above} are above the printed "
        f"mean.{more}"
    )


def _criteria(rows: list[Row]) -> list[str]:
    """Return in words how many figures fail each criterion of the rule, and how many fail no other."""
    every = Counter(name for row in rows for name in row.fails)
    alone = Counter(row.fails[0] for row in rows if len(row.fails) == 1)
    found = [f"{criterion.words}: {every[name]} ({alone[name]})" for name, criterion in CRITERIA.items() if every[name]]
    if not found:
        return []
    return [
        "Whether a figure can be compared is decided by one rule, from the papers, the files and the suites, without "
        f"a look at any result. It cannot where (how many figures, and how many for no other reason): "
        f"{'; '.join(found)}."
    ]


def _left(rows: list[Row], states: Counter[str]) -> list[str]:
    """What was not run, or does not count."""
    lines = []
    left = [f"{states[state]} {state}" for state in ("unfinished", "failed", "not run") if states[state]]
    if left:
        lines.append(f"Of the figures on sets at hand, {', '.join(left)}; these count as neither.")
    aside = sum(row.aside for row in rows)
    if aside:
        lines.append(f"{aside:,} older results are left aside: the suites have changed since. Run them again.")
    return lines
