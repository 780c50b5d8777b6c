"""All that is known after a run, as the report takes it."""

from __future__ import annotations

from typing import Any

from aucmax.bench.about import heading, origin
from aucmax.bench.errata import errata
from aucmax.bench.outcome import Row, counted, rows_of
from aucmax.bench.store import Store
from aucmax.bench.suite import ITERATES, Suite, suite_names, suite_of
from aucmax.bench.summary import summary

AGAIN = (
    "export AUCMAX_DATA=FOLDER",
    "aucmax bench run all --quick",
    "aucmax bench rates --quick",
    "aucmax bench times",
    "aucmax bench figures --quick",
    "aucmax report --quick -o report.html",
)
PAPERS = ("set", "algorithm", "printed", "ours", "ratio", "note", "fair")
RATE = ("algorithm", "promised", "measured", "state", "note")
RIVALS = (
    "Each as its library ships it, but for what stands in its name; seconds of processor time of a fit on one thread, "
    "the median of five, all models in turns in one run; AUC on the given test file, or on a fifth of the rows."
)


def facts_of(store: Store, quick: bool) -> dict[str, Any]:
    """The report of a store."""
    tables: list[dict[str, Any]] = []
    every: list[Row] = []
    cells: list[dict[str, Any]] = []
    timings = [{**found, "fair": True} for found in store.timings()]
    measured = {(found["set"], found["algorithm"]) for found in timings}
    for name in suite_names():
        suite, found = suite_of(name), store.cells(name, quick)
        rows = rows_of(suite, found, quick)
        every += rows
        cells += counted(suite, found, quick)
        tables.append(_table(suite, rows))
        again = (_timing(row, name) for row in rows if (row.set, row.algorithm) not in measured)
        timings += [found for found in again if found is not None]
    rates = _rates(store, quick)
    return {
        **heading("The papers, run again", store, cells),
        "quick": quick,
        "summary": summary(every, quick),
        "tables": tables,
        "figures": [*_rate_figures(rates), *store.figures(quick)],
        "rates": [{key: rate[key] for key in RATE} for rate in rates],
        "timings": timings,
        "rivals": store.rivals(),
        "errata": errata(),
        "notes": _notes(store, quick),
        "again": again_of(quick),
    }


def _table(suite: Suite, rows: list[Row]) -> dict[str, Any]:
    """A paper's table with its protocol, notes and rows."""
    notes = "; ".join(f"{key}: {item.note}" for key, item in suite.algorithms.items() if item.note)
    head = {"id": suite.name, "paper": suite.paper, "title": suite.title, "protocol": suite.protocol}
    said = " ".join(filter(None, [suite.note, _iterates(suite), notes]))
    return {**head, "note": said, "rows": [row._asdict() for row in rows]}


def _iterates(suite: Suite) -> str:
    """Return in words which weights of a fit are scored."""
    of = {kind: [key for key, item in suite.algorithms.items() if item.iterate == kind] for kind in ITERATES}
    words = "; ".join(f"the {kind} of {', '.join(names)}" for kind, names in of.items() if names)
    return f"The iterate that is scored: {words}."


def again_of(quick: bool) -> list[str]:
    """The commands that make the page anew."""
    return [line if quick else line.replace(" --quick", "") for line in AGAIN]


def _notes(store: Store, quick: bool) -> dict[str, str]:
    """Where the parts of the page were measured, or the command that fills them."""
    fill = {line.split()[2]: f"Nothing here yet: {line} measures it." for line in again_of(quick) if "bench" in line}
    drawn = f"The papers' figures are not here yet: aucmax bench figures{' --quick' if quick else ''} draws them."
    rivals = " ".join(filter(None, [RIVALS, origin(store, "rival")])) if store.rivals() else fill["times"]
    return {
        "rates": origin(store, "rate") or fill["rates"],
        "timings": origin(store, "timing") or fill["times"],
        "rivals": rivals,
        "figures": "" if store.figures(quick) else drawn,
    }


def _rates(store: Store, quick: bool) -> list[dict[str, Any]]:
    """The rates of runs of this kind, or of the other kind, which are then marked."""
    kept: dict[str, dict[str, Any]] = {}
    for rate in store.rates():
        if rate["algorithm"] not in kept or bool(rate.get("quick")) == quick:
            kept[rate["algorithm"]] = rate
    other = "of a full run" if quick else "of a quick run, on fewer rows"
    return [
        rate if bool(rate.get("quick")) == quick else {**rate, "note": "; ".join(filter(None, [rate["note"], other]))}
        for rate in kept.values()
    ]


def _timing(row: Row, table: str) -> dict[str, Any] | None:
    if row.seconds is None or not row.printed_seconds:
        return None
    ratio = row.printed_seconds / row.seconds if row.seconds > 0 else None
    note = "fit and scores of the last fit in the tables above; rows, passes and machine are not the paper's"
    found = (row.set, row.algorithm, row.printed_seconds, row.seconds, ratio, f"{table}; {note}", False)
    return dict(zip(PAPERS, found, strict=True))


def _rate_figures(measured: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What all theorems bound: against steps where a slope is promised, against iterations where a line is."""
    found = []
    note = (
        "What the theorem bounds, the mean over the seeds: the duality gap (SOLAM, regSOLAM), the squared distance "
        "from the exact minimiser (SPAM, VRSPAM, SPDAM), the objective above its minimum (FSAUC)."
    )
    for log_x, title, name in (
        (True, "Distance from the optimum: slopes", "rates-slopes"),
        (False, "Distance from the optimum: linear rates", "rates-lines"),
    ):
        rates = [rate for rate in measured if rate["log_x"] is log_x]
        series = [{"name": r["algorithm"], "x": r["x"], "y": r["y"], "low": None, "high": None} for r in rates]
        axes = {"x": "steps" if log_x else "iterations", "y": "gap or squared distance", "log_x": log_x, "log_y": True}
        if series:
            found.append({"id": name, "title": title, "kind": "lines", **axes, "note": note, "series": series})
    return found
