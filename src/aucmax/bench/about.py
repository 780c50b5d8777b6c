"""By what and where the results of a page were made."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import aucmax
from aucmax.bench.store import Store, machine, source


def heading(title: str, store: Store | None = None, cells: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """What stands at the top of every report: by what its cells were run, or by what we are if there are none."""
    known = store.runs() if store else {}
    runs = [known[cell["run"]] for cell in cells or []]
    return {
        "title": title,
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "version": named(run["version"] for run in runs) or aucmax.__version__,
        "commit": named(run["source"] for run in runs) or source(),
        "machine": named(run["machine"] for run in runs) or machine(),
    }


def named(values: Any) -> str:
    """The values, most frequent first; where there are several, with the number of results of each."""
    found = Counter(values).most_common()
    return ", ".join(f"{name} ({count:,} results)" if len(found) > 1 else name for name, count in found)


def origin(store: Store, table: str) -> str:
    """Where what a table of the store holds was measured, in a sentence."""
    known = store.runs()
    runs = [known[run] for run in store.runs_of(table)]
    if not runs:
        return ""
    return (
        f"Measured by commit {named(run['source'] for run in runs)}; machine: {named(run['machine'] for run in runs)}."
    )
