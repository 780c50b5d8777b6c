"""The pages of the site say what is: their Python runs, their commands print what is shown, their lists are whole."""

import ast
import re
import tomllib
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

import aucmax
import aucmax.algorithms
import aucmax.data
import aucmax.evaluate
from aucmax.cli import main
from tests.markdown import assert_shown, run_page

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *DOCS.glob("guide/*.md")])
SHELL = {"pip", "export"}
ELSEWHERE = {"benchmarks.md", "quality.md"}  # commands that need the papers' sets
ENTRIES = tomllib.loads((DOCS / "algorithms.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_page(page, tmp_path, monkeypatch, capsys):
    def command(words):
        program, *arguments = words
        if program in SHELL:
            return ""
        capsys.readouterr()
        assert program == "aucmax"
        assert main(arguments) == 0
        return capsys.readouterr().out

    monkeypatch.chdir(tmp_path)
    plt.switch_backend("Agg")
    run_page(page, None if page.name in ELSEWHERE else command)
    plt.close("all")


@pytest.mark.parametrize("other", ["AUC 0.9100, 30 rows in 1 s", "AUC 0.9002, 33 rows in 1 s", "AUC 0.9002 in 1 s"])
def test_other_words_or_numbers_than_a_page_shows_are_found(other):
    assert_shown("AUC 0.9001, 30 rows in 7 s", "AUC 0.9002, 30 rows in 1 s")
    with pytest.raises(AssertionError):
        assert_shown("AUC 0.9001, 30 rows in 7 s", other)


def test_every_algorithm_has_a_page():
    homes = {name: getattr(getattr(aucmax, name), "__module__", "") for name in aucmax.__all__}
    named = {name for name, home in homes.items() if home.startswith(("aucmax.algorithms.", "aucmax.features."))}
    assert set(ENTRIES["algorithm"]) == named
    assert {entry["family"] for entry in ENTRIES["algorithm"].values()} == set(ENTRIES["family"])


@pytest.mark.parametrize("name", ENTRIES["algorithm"])
def test_shown_source_exists(name):
    package = Path(aucmax.__file__).parent
    home = getattr(aucmax, name).__module__.removeprefix("aucmax.").replace(".", "/") + ".py"
    for place in ENTRIES["algorithm"][name]["ours"]:
        file, _, piece = place.rpartition(":")
        scope = ast.parse((package / (file or home)).read_text(encoding="utf-8"))
        for part in piece.split("."):
            scope = next(node for node in scope.body if getattr(node, "name", None) == part)


def test_reference_lists_every_public_name():
    text = (DOCS / "reference.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^   (?:\w+\.)?(\w+)$", text, flags=re.MULTILINE))
    public = {*aucmax.__all__, *aucmax.evaluate.__all__, *aucmax.data.__all__, *aucmax.algorithms.__all__}
    assert public - listed == {"__version__"}
