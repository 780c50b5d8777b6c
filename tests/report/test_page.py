"""The page as text: what is in it, what is refused, and that no label gets out of its place."""

import copy
import json
import re
import subprocess
import sys
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import pytest

from aucmax.report import page, write
from aucmax.report.page import LARGEST, SCRIPTS
from tests.report.facts import HOSTILE, facts, hostile

ROOT = Path(__file__).parents[2]
STATE_COLOURS = ("better", "same", "known", "short", "other", "partial", "failed", "idle", "absent")


class Parts(HTMLParser):
    """Tags with their attributes, and the text of scripts and of the rest."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.scripts, self.texts, self._inside = [], [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self._inside = tag

    def handle_endtag(self, tag):
        self._inside = None

    def handle_data(self, data):
        (self.scripts if self._inside == "script" else self.texts).append(data)


def embedded(text):
    return json.loads(Parts(text).scripts[0])


def test_the_facts_are_in_the_page_as_they_were_given():
    given = facts()
    found = embedded(page(given))
    figures, expected = found.pop("figures"), given.pop("figures")
    assert found == given
    for got, wanted in zip(figures, expected, strict=True):
        for curve, other in zip(got.pop("series"), wanted.pop("series"), strict=True):
            assert curve["x"] == pytest.approx(other["x"], rel=1e-6)
            assert curve["y"] == [None if v is None else pytest.approx(v, rel=1e-6) for v in other["y"]]
        assert got == wanted


def test_nothing_is_fetched_from_elsewhere():
    tags = Parts(page(facts())).tags
    addresses = [v for _, attributes in tags for k, v in attributes.items() if k in ("src", "href", "action")]
    assert all(address.startswith(("#", "data:")) for address in addresses)
    policy = next(a["content"] for t, a in tags if t == "meta" and "http-equiv" in a)
    assert policy.startswith("default-src 'none'")


def test_labels_stay_text():
    text = page(hostile())
    assert text.count("</script>") == 2
    parts = Parts(text)
    assert [tag for tag, _ in parts.tags if tag in ("img", "script")] == ["script", "script"]
    assert not [key for _, attributes in parts.tags for key in attributes if key.startswith("on")]
    assert HOSTILE in embedded(text)["title"]
    assert HOSTILE in "".join(parts.texts)


def test_readers_without_scripts_get_tables():
    body = page(facts()).split("<noscript>")[1].split("</noscript>")[0]
    assert body.count("<tr>") == 5 + 41 + 21  # the counts and two tables, heads included
    assert "<td>acorn</td><td>ALPHA</td>" in body


def test_an_empty_report_is_a_page():
    assert embedded(page({})) == {"figures": []}
    nothing = {"title": "", "summary": None, "tables": [], "figures": None, "rates": [], "again": []}
    assert "<!DOCTYPE html>" in page(nothing)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (
            ("tables", 0, "rows", 3, "ours"),
            float("nan"),
            r"facts\.tables\[0\]\.rows\[3\]\.ours is nan; expected a finite",
        ),
        (("tables", 0, "rows", 3, "ours"), "0.9", "ours is '0.9'; expected a finite number"),
        (("tables", 0, "rows", 3, "low"), float("inf"), "low is inf"),
        (("tables", 0, "rows", 3, "runs"), 2.5, "runs is 2.5; expected an integer"),
        (("tables", 0, "rows", 3, "runs"), True, "runs is True; expected an integer"),
        (("tables", 0, "rows", 3, "state"), "good", "state is 'good'; expected one of 'better', 'reproduced'"),
        (("tables", 0, "rows", 3, "colour"), "red", "unknown entry 'colour'; expected only set, algorithm"),
        (("tables", 0, "rows"), {}, r"rows is \{\}; expected a list"),
        (("tables", 0, "rows", 3), 7, r"rows\[3\] is 7; expected a dict"),
        (("tables", 1, "id"), "oak-3.2", "'oak-3.2', which is taken"),
        (("figures", 0, "id"), "errata", "'errata', which is taken"),
        (("figures", 0, "id"), "facts", "'facts', which is taken"),
        (("figures", 0, "id"), "a b", "expected letters, digits"),
        (("figures", 0, "id"), None, "expected letters, digits"),
        (("figures", 0, "kind"), "pie", "kind is 'pie'; expected one of 'lines', 'roc'"),
        (("figures", 0, "log_x"), 1, "log_x is 1; expected True or False"),
        (("figures", 0, "series", 1, "y"), [1.0], r"series\[1\]\.y has 1 values, x has 41"),
        (("figures", 0, "series", 1, "high"), [], r"series\[1\]\.high has 0 values, x has 41"),
        (("summary", "lines", 0), 5, r"lines\[0\] is 5; expected a string"),
        (("summary", "lines", 0), None, r"lines\[0\] is None; expected a string"),
        (("tables", 0, "rows", 3), None, r"rows\[3\] is None; expected a dict"),
        (("quick",), "yes", "quick is 'yes'; expected True or False"),
    ],
)
def test_facts_of_another_shape_are_refused(path, value, message):
    wrong = copy.deepcopy(facts())
    place = wrong
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(ValueError, match=message):
        page(wrong)


def test_facts_must_be_a_dict():
    for wrong in ([], None, "facts"):
        with pytest.raises(ValueError, match=r"facts is .*; expected a dict"):
            page(wrong)


def test_a_page_beyond_the_limit_is_refused():
    long = facts()
    points = [7e-9 * (k + 10**7) for k in range(200_000)]
    long["figures"][0]["series"] = [{"name": "long", "x": points, "y": points}]
    with pytest.raises(ValueError, match=f"'figures' most of them .* at most {LARGEST:,}"):
        page(long)


def test_the_papers_figures_fit_many_times_over():
    large = facts()
    large["tables"] = [{**table, "id": f"{table['id']}-{k}"} for k in range(10) for table in large["tables"]]
    assert sum(len(table["rows"]) for table in large["tables"]) == 600
    assert len(page(large).encode()) < LARGEST / 5


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    path = tmp_path / "report.html"
    write(facts(), path)
    before = path.read_text(encoding="utf-8")
    assert before == page(facts())
    with pytest.raises(ValueError, match="quick"):
        write({"quick": "yes"}, path)
    assert path.read_text(encoding="utf-8") == before
    write({"title": "another"}, str(path))
    assert "<title>another</title>" in path.read_text(encoding="utf-8")
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_the_wheel_brings_the_files_of_the_page(tmp_path):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    names = zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist()
    wanted = ["page.html", "page.css", *(f"{name}.js" for name in SCRIPTS)]
    assert {f"aucmax/report/assets/{name}" for name in wanted} <= set(names)
    assert "aucmax/bench/errata.md" in names


def luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_colours_are_readable_in_both_themes(theme):
    css = (ROOT / "src/aucmax/report/assets/page.css").read_text(encoding="utf-8")
    found = {n: pair[theme] for n, *pair in re.findall(r"--(\w+): light-dark\((#\w{6}), (#\w{6})\)", css)}
    words = {"ink", "soft", "none", *STATE_COLOURS}
    lines = {f"c{k}" for k in range(8)}
    assert words | lines < set(found)
    for names, least in ((words, 4.5), (lines, 3.0)):  # WCAG 2, for text and for graphics
        for name in names:
            dark, bright = sorted((luminance(found["paper"]), luminance(found[name])))
            assert (bright + 0.05) / (dark + 0.05) >= least, name
