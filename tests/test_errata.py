"""docs/errata.md and the tests in tests/errata name each other."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PARTS = ["Printed", "Right", "Why", "Here", "Test"]


def entries():
    text = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
    return [entry.split("\n## ")[0] for entry in text.split("\n### ")[1:]]


def test_errata_name_the_tests_there_are():
    named = [name for entry in entries() for name in re.findall(r"`(test_\w+)`", entry)]
    files = sorted((ROOT / "tests" / "errata").glob("test_*.py"))
    written = [name for path in files for name in re.findall(r"^def (test_\w+)", path.read_text("utf-8"), flags=re.M)]
    assert sorted(named) == sorted(written)
    assert len(set(named)) == len(named)


def test_the_changelog_counts_them():
    remarks = sum(entry.splitlines()[0].endswith("(*remark*)") for entry in entries())
    words = f"{len(entries()) - remarks} errors in print and {remarks} remarks"
    assert words in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_errata_have_all_their_parts():
    found = entries()
    assert len(found) > 50
    for entry in found:
        assert re.findall(r"^- \*\*(\w+)\*\*: \S", entry, flags=re.M) == PARTS, entry
    numbers = [re.match(r"([TVFP])(\d+)\. ", entry).groups() for entry in found]
    for letter in "TVFP":
        ours = [int(number) for kind, number in numbers if kind == letter]
        assert ours == list(range(1, len(ours) + 1))
