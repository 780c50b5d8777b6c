"""What is wrong in print, from the page of the documentation, which a wheel brings along."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

NAME = "errata.md"
REMARK = " (*remark*)"
PARTS = ("Printed", "Right", "Why", "Test")


def errata() -> list[dict[str, str]]:
    """All entries: where, what is printed, what is right, why, the tests, and whether it is a remark only."""
    found = []
    for entry in re.split(r"^### ", _text(), flags=re.MULTILINE)[1:]:
        given = dict(re.findall(r"^- \*\*(\w+)\*\*: (.*)$", entry, flags=re.MULTILINE))
        where = entry.splitlines()[0]
        kind = "remark" if where.endswith(REMARK) else "error"
        parts = {name.lower(): given.get(name, "") for name in PARTS}
        found.append({"where": where.removesuffix(REMARK), "kind": kind, **parts})
    return found


def _text() -> str:
    """The page, from the package, or in a checkout from where it is written."""
    packed = resources.files("aucmax.bench").joinpath(NAME)
    page = Path(__file__).parents[3] / "docs" / NAME
    if packed.is_file():
        return packed.read_text(encoding="utf-8")
    return page.read_text(encoding="utf-8") if page.is_file() else ""
