"""All that is known after a run, as the report takes it."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

from aucmax.bench.outcome import Row, rows_of
from aucmax.bench.store import Store, machine, source
from aucmax.bench.suite import suite_names, suite_of
from aucmax.bench.summary import summary

AGAIN = (
    "export AUCMAX_DATA=FOLDER",
    "aucmax bench run all --quick",
    "aucmax bench rates",
    "aucmax bench times",
    "aucmax bench figures --quick",
    "aucmax report --quick -o report.html",
)


def facts_of(store: Store, quick: bool) -> dict[str, Any]:
    """The report of a store."""
    tables: list[dict[str, Any]] = []
    every: list[Row] = []
    timings = store.timings()
    measured = {(found["set"], found["algorithm"]) for found in timings}
    for name in suite_names():
        suite, cells = suite_of(name), store.cells(name, quick)
        rows = rows_of(suite, cells, quick)
        every += rows
        shown = [row._asdict() for row in rows]
        notes = "; ".join(f"{key}: {item.note}" for key, item in suite.algorithms.items() if item.note)
        head = {"id": name, "paper": suite.paper, "title": suite.title, "protocol": suite.protocol}
        tables.append({**head, "note": f"{suite.note} {notes}".strip(), "rows": shown})
        again = (_timing(row, name) for row in rows if (row.set, row.algorithm) not in measured)
        timings += [found for found in again if found is not None]
    return {
        **heading("The papers, run again", store.last_run()),
        "quick": quick,
        "summary": summary(every, quick),
        "tables": tables,
        "figures": [*_rate_figures(store), *store.figures(quick)],
        "rates": [
            {key: rate[key] for key in ("algorithm", "promised", "measured", "state", "note")} for rate in store.rates()
        ],
        "timings": timings,
        "errata": errata(),
        "again": list(AGAIN if quick else (line.replace(" --quick", "") for line in AGAIN)),
    }


def heading(title: str, run: dict[str, Any]) -> dict[str, Any]:
    """What stands at the top of every report."""
    import aucmax

    return {
        "title": title,
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "version": run.get("version", aucmax.__version__),
        "commit": run.get("source") or source(),
        "machine": run.get("machine") or machine(),
    }


def _timing(row: Row, table: str) -> dict[str, Any] | None:
    if row.seconds is None or not row.printed_seconds:
        return None
    ratio = row.printed_seconds / row.seconds if row.seconds > 0 else None
    note = "fit and scores of the last fit in the tables above; rows, passes and machine are not the paper's"
    return {
        "set": row.set,
        "algorithm": row.algorithm,
        "printed": row.printed_seconds,
        "ours": row.seconds,
        "ratio": ratio,
        "note": f"{table}; {note}",
    }


def _rate_figures(store: Store) -> list[dict[str, Any]]:
    """The gaps of all rates: against steps where a slope is promised, against iterations where a line is."""
    found = []
    for log_x, title, name in (
        (True, "Objective above the optimum: slopes", "rates-slopes"),
        (False, "Objective above the optimum: linear rates", "rates-lines"),
    ):
        rates = [rate for rate in store.rates() if rate["log_x"] is log_x]
        series = [{"name": r["algorithm"], "x": r["x"], "y": r["y"], "low": None, "high": None} for r in rates]
        base = {"id": name, "title": title, "x": "steps" if log_x else "iterations", "y": "gap", "kind": "lines"}
        if series:
            found.append({**base, "log_x": log_x, "log_y": True, "note": "", "series": series})
    return found


def errata() -> list[dict[str, str]]:
    """What is wrong in print, from the page of the documentation, where that lies beside the sources."""
    page = Path(__file__).parents[3] / "docs" / "errata.md"
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    found = []
    for entry in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        parts = dict(re.findall(r"^- \*\*(\w+)\*\*: (.*)$", entry, flags=re.MULTILINE))
        where = entry.splitlines()[0]
        found.append({"where": where, "printed": parts.get("Printed", ""), "right": parts.get("Right", "")})
    return found
