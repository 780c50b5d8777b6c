"""``aucmax data``."""

from __future__ import annotations

from typing import Any

from aucmax.cli.output import Output, Progress
from aucmax.data.registry import NamedSet, fetch, found, named_sets, set_of


def data(options: Any) -> int:
    """List, fetch or describe sets."""
    if options.action != "list" and not options.names:
        raise ValueError(f"data {options.action}: name at least one set; data list shows them")
    return {"list": _list, "fetch": _fetch, "info": _info}[options.action](options)


def _list(options: Any) -> int:
    chosen = [set_of(name) for name in options.names] or list(named_sets().values())
    rows = [(s, found(s.name, options.data_dir)) for s in chosen]
    lines = [f"{'set':<22}{'rows':>9}{'columns':>9}{'positive':>10}  where"]
    for item, path in rows:
        where = str(path) if path else ("can be fetched" if item.url else "only from a folder")
        lines.append(f"{item.name:<22}{item.rows:>9,}{item.columns:>9,}{item.positive_rate:>10.2%}  {where}")
    facts = [{**item._asdict(), "path": str(path) if path else None} for item, path in rows]
    return Output(options).result(lines, {"sets": facts})


def _fetch(options: Any) -> int:
    paths = {}
    for name in options.names:
        progress = Bytes(f"fetched {name}", options.quiet)
        try:
            paths[name] = str(fetch(name, data_dir=options.data_dir, report=progress.report))
        finally:
            progress.close()
    return Output(options).result([f"{name}: {path}" for name, path in paths.items()], {"paths": paths})


class Bytes(Progress):
    """The progress of a download, in bytes."""

    def __init__(self, what: str, quiet: bool) -> None:
        super().__init__(what, None, quiet)

    def report(self, have: int, total: int | None) -> None:
        """So many bytes have come."""
        self.total = total
        self.advance(have - self.done)

    def line(self, seconds: float, more: str) -> str:
        """The state in one line."""
        return super().line(seconds, more).replace(" rows", " bytes")


def _info(options: Any) -> int:
    sets = [set_of(name) for name in options.names]
    lines = [line for item in sets for line in _described(item, options)]
    return Output(options).result(lines, {"sets": [item._asdict() for item in sets]})


def _described(item: NamedSet, options: Any) -> list[str]:
    return [
        f"{item.name}: {item.rows:,} rows, {item.columns:,} columns, {item.positive_rate:.2%} positive",
        f"  source: {item.source}",
        f"  labels: {item.labels}",
        f"  preprocessing: {item.preprocessing}",
        f"  sha256: {item.sha256}",
        f"  file: {found(item.name, options.data_dir) or item.url or 'only from a folder'}",
    ]
