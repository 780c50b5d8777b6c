"""The page for readers without JavaScript: the summary and the papers' tables as plain HTML."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

COLUMNS = {"set": "Data set", "algorithm": "Algorithm", "printed": "Printed", "ours": "Ours", "state": "State"}


def plain(facts: dict[str, Any]) -> str:
    """HTML of the title, the summary and every paper's table; all text is escaped."""
    summary = facts.get("summary") or {}
    lines = "".join(f"<p>{escape(line)}</p>" for line in summary.get("lines") or [] if line)
    counts = summary.get("counts") or []
    counted = _table(("Count", ""), ((c.get("name"), c.get("value")) for c in counts)) if counts else ""
    return f"<h1>{escape(facts.get('title') or 'Results')}</h1>{lines}{counted}{''.join(_papers(facts))}"


def _papers(facts: dict[str, Any]) -> Iterable[str]:
    for table in facts.get("tables") or []:
        rows = ([row.get(key) for key in COLUMNS] for row in table.get("rows") or [])
        yield f"<h2>{escape(table.get('title') or table['id'])}</h2>{_table(COLUMNS.values(), rows)}"


def _table(titles: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    body = "".join("<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.4f}" if isinstance(value, float) else escape(str(value))
