"""``aucmax report``: what came of the papers' tables, as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from aucmax.bench.facts import facts_of
from aucmax.cli.bench import kind_of, opened
from aucmax.cli.output import Output
from aucmax.report import write


def report(options: Any) -> int:
    """Write the page."""
    store = opened(options)
    facts = facts_of(store, kind_of(options, store))
    path = Path(options.output)
    write(facts, path)
    counts = {item["name"]: item["value"] for item in facts["summary"]["counts"]}
    lines = [*facts["summary"]["lines"], f"the report is in {path}"]
    return Output(options).result(lines, {"report": str(path), "counts": counts})
