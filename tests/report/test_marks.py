"""Looks that mean something, and the parts of the page that are lists, in a browser."""

from aucmax.report import write
from tests.report.test_tables import MEANING, OAK, ROWS, TABLES


def test_every_state_looks_different_and_is_explained(browser):
    """In both themes a mark and a colour of its own, and its meaning beside the tables."""
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        marks = browser.texts(".state .mark")
        colours = browser.run("[...document.querySelectorAll('.state .badge')].map(n => getComputedStyle(n).color)")
        assert len(set(marks)) == len(set(colours)) == len(MEANING)
    assert [text[1:] for text in browser.texts(".meanings dt")] == MEANING
    assert "at least the printed mean minus one printed standard deviation" in browser.texts(".meanings dd")[1]
    assert "95 % interval by Student’s t" in browser.texts(".key")[0]


def test_shortfalls_are_listed_with_cause_and_tests(browser):
    expected = [(name, row) for name, row in ROWS if row["below"] is not None]
    cells = browser.run(
        "[...document.querySelectorAll('#shortfalls tbody tr')].map(r => [...r.cells].map(c => c.textContent))"
    )
    assert [cell[:3] for cell in cells] == [[name, row["set"], row["algorithm"]] for name, row in expected]
    assert [cell[7:] for cell in cells] == [[row["cause"], row["tests"]] for _, row in expected]
    assert {"short", "cause known"} == {row["state"] for _, row in expected}


def test_the_overview_names_the_papers(browser):
    assert browser.texts("#summary .over") == [table["paper"] for table in TABLES.values()]


def test_rows_of_a_set_share_a_scale_of_their_own(fresh, pages, tmp_path):
    """An interval of .003 beside an AUC of another set far away is a line, not a dot."""
    rows = [
        {"set": "a", "algorithm": "A", "printed": 0.9, "ours": 0.902, "low": 0.9005, "high": 0.9035, "state": "better"},
        {"set": "b", "algorithm": "A", "printed": 0.5, "ours": 0.55, "low": 0.5, "high": 0.6, "state": "better"},
    ]
    write({"tables": [{"id": "t", "rows": rows}]}, tmp_path / "scales.html")
    pages["scales"] = (tmp_path / "scales.html").as_uri()
    fresh.open(pages["scales"])
    widths = fresh.run("[...document.querySelectorAll('.picture line.ours')].map(n => n.getBoundingClientRect().width)")
    assert min(widths) > 50
    assert fresh.run("[...document.querySelectorAll('.spacing')].map(n => n.classList[1])") == ["dotted", "thin"]


def test_runs_say_how_many_of_how_many(browser):
    texts = dict(zip(((r["set"], r["algorithm"]) for r in OAK), browser.texts("#oak-3\\.2 td.col-runs"), strict=True))
    assert {texts[row["set"], row["algorithm"]] for row in OAK if row["state"] == "unfinished"} == {"3 of 25"}
    assert {texts[row["set"], row["algorithm"]] for row in OAK if row["state"] == "better"} == {"25"}


def test_timings_that_are_not_like_for_like_look_different(browser):
    assert browser.texts("#timings .col-fair")[1:] == ["yes", "", "no", ""]
    fills = "[...document.querySelectorAll('#timings rect.ours')].map(n => getComputedStyle(n).fill)"
    assert [fill == "none" for fill in browser.run(fills)] == [False, False, True]


def test_other_libraries_have_a_table(browser):
    assert browser.texts("#rivals .note") == ["One thread, on an imaginary machine."]
    assert browser.texts("#rivals td.col-model") == ["ALPHA()", "Other(1)"]
    assert browser.texts("#rivals td.col-seconds") == ["0.02", "0.3"]


def test_errata_show_code_and_emphasis_and_what_is_a_remark(browser):
    assert browser.texts("#errata code") == ["w ← w + ηg", "w ← w − ηg", "test_oak"]
    assert browser.texts("#errata em") == ["climbs"]
    assert browser.texts("#errata td.col-why") == ["a < b & 2 * 3 * 4, w*-v*", ""]
    assert browser.texts("#errata td.col-kind") == ["error", "remark"]


def test_empty_parts_say_how_to_fill_them(fresh, pages, tmp_path):
    notes = {"rates": "run this", "figures": "run that"}
    write({"rates": [], "figures": [], "notes": notes}, tmp_path / "empty.html")
    pages["empty"] = (tmp_path / "empty.html").as_uri()
    fresh.open(pages["empty"])
    assert fresh.texts("h2") == ["Figures", "Rates of convergence"]
    assert fresh.texts("section .note") == ["run that", "run this"]


def test_small_deviations_are_not_rounded_away(fresh, pages, tmp_path):
    rows = [
        {"set": where, "algorithm": "A", "printed": 0.97573, "printed_std": std, "ours": 0.9, "ours_std": 0.00047}
        for where, std in (("a", 0.00003), ("b", 0.0143), ("c", 0.0))
    ]
    write({"tables": [{"id": "t", "rows": rows}]}, tmp_path / "small.html")
    pages["small"] = (tmp_path / "small.html").as_uri()
    fresh.open(pages["small"])
    assert fresh.texts("td.col-printed .std") == ["±0.00003", "±0.0143", "±0.0000"]
    assert set(fresh.texts("td.col-ours .std")) == {"±0.00047"}
