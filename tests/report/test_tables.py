"""Sorting, filtering and links of the report's tables, in a browser."""

import json
from urllib.parse import parse_qs

import pytest

from tests.report.facts import STATES, facts

TABLES = {table["id"]: table for table in facts()["tables"]}
OAK = TABLES["oak-3.2"]["rows"]
ROWS = [(name, row) for name, table in TABLES.items() for row in table["rows"]]
MEANING = [
    *("better", "reproduced", "cause known", "short", "not comparable"),
    *("unfinished", "failed", "not run", "no data"),
]


def natural(text):
    """Digits as numbers: birch-9 before birch-10."""
    head, _, tail = text.partition("birch-")
    return (head + "birch-", int(tail)) if tail else (text.lower(), 0)


KEYS = {
    "set": lambda row: natural(row["set"]),
    "algorithm": lambda row: natural(row["algorithm"]),
    "state": lambda row: MEANING.index(row["state"]),
    "interval": lambda row: next((row[k] for k in ("low", "ours", "printed") if row[k] is not None), None),
    **{k: (lambda row, k=k: row[k]) for k in ("printed", "ours", "difference", "shipped", "seconds")},
    **{k: (lambda row, k=k: row[k]) for k in ("printed_seconds", "runs")},
}


def in_order(key, *, reverse):
    known = [row for row in OAK if KEYS[key](row) is not None]
    unknown = [row for row in OAK if KEYS[key](row) is None]
    known.sort(key=KEYS[key], reverse=reverse)  # Python's sort is stable in both directions
    return [(row["set"], row["algorithm"]) for row in known + unknown]


def shown(browser, table="oak-3.2"):
    nodes = f"[...document.getElementById({json.dumps(table)}).querySelectorAll('tbody tr')]"
    visible = f"{nodes}.filter(row => row.getClientRects().length)"
    return [
        tuple(pair) for pair in browser.run(f"{visible}.map(row => [...row.cells].slice(0, 2).map(c => c.textContent))")
    ]


def head(key):
    return f"#oak-3\\.2 th[data-key={key}]"


def sorted_as(browser, key):
    return browser.run(f"document.querySelector({json.dumps(head(key))}).getAttribute('aria-sort')")


def test_every_column_sorts_both_ways_and_back(browser):
    original = [(row["set"], row["algorithm"]) for row in OAK]
    heads = browser.run("[...document.querySelectorAll('#oak-3\\\\.2 th[data-key]')].map(n => n.dataset.key)")
    assert set(heads) == {*KEYS, "reason"}
    for key in KEYS:
        button = f"document.querySelector({json.dumps(head(key) + ' button')}).click()"
        wanted = {
            "ascending": in_order(key, reverse=False),
            "descending": in_order(key, reverse=True),
            "none": original,
        }
        assert sorted_as(browser, key) == "none"
        for way, rows in wanted.items():
            browser.run(button)
            assert (key, sorted_as(browser, key)) == (key, way)
            assert shown(browser) == rows, (key, way)


def test_sorting_by_mouse_and_by_keyboard(browser):
    browser.click(head("ours") + " button")
    assert shown(browser) == in_order("ours", reverse=False)
    browser.press("Enter")
    assert shown(browser) == in_order("ours", reverse=True)
    browser.click(head("printed") + " button")
    assert (sorted_as(browser, "ours"), sorted_as(browser, "printed")) == ("none", "ascending")
    browser.click(head("reason") + " button")
    texts = browser.texts("#oak-3\\.2 td.col-reason")
    with_cause = [bool(row["cause"]) for row in OAK].count(True)
    filled = [bool(row["cause"] or row["params"]) for row in OAK].count(True)
    assert all(not text.startswith("l2=") for text in texts[:with_cause])
    assert all(text.startswith("l2=") for text in texts[with_cause:filled])
    assert set(texts[filled:]) <= {""}


def matching(**wanted):
    """Rows that a naive reading of the filters keeps."""
    kept = []
    for name, row in ROWS:
        words = " ".join(str(row[k]) for k in ("set", "algorithm", "state", "cause", "params")).lower()
        words += f" {TABLES[name]['paper']} {TABLES[name]['title']}".lower()
        if all(
            (key == "find" and all(word in words for word in value.lower().split()))
            or (key == "table" and name == value)
            or (key == "state" and row["state"] in value)
            or (key in ("set", "algorithm") and row[key] == value)
            for key, value in wanted.items()
        ):
            kept.append((name, row["set"], row["algorithm"]))
    return kept


def listed(browser):
    return [(name, *pair) for name in TABLES for pair in shown(browser, name)]


def hash_of(browser):
    place, _, query = browser.run("location.hash").lstrip("#").partition("?")
    return place, parse_qs(query)


def choose(browser, name, value):
    select = f"document.querySelector('select[name={name}]')"
    browser.run(f"{select}.value = {json.dumps(value)}; {select}.dispatchEvent(new Event('change'))")


def total(browser):
    return browser.texts(".total")[0]


def test_text_filter_and_counts(browser):
    browser.run("document.querySelector('input[name=find]').focus()")
    browser.type("split BETA")
    expected = matching(find="split beta")
    assert 0 < len(expected) < 20
    assert listed(browser) == expected
    assert total(browser) == f"{len(expected)} of {len(ROWS)} rows"
    here = len([1 for name, *_ in expected if name == "oak-3.2"])
    assert browser.texts("#oak-3\\.2 .count") == [f"{here} of {len(OAK)} rows"]
    assert hash_of(browser) == ("table", {"find": ["split BETA"]})


def test_filters_work_together_and_show_all_undoes_them(browser):
    choose(browser, "table", "oak-3.2")
    choose(browser, "algorithm", "BETA-L2")
    assert listed(browser) == matching(table="oak-3.2", algorithm="BETA-L2")
    assert browser.visible("#elm-II") == 0
    browser.click(".state[data-state=better]")
    browser.click(".state[data-state=short]")
    expected = matching(table="oak-3.2", algorithm="BETA-L2", state=["better", "short"])
    assert 0 < len(expected) < 8
    assert listed(browser) == expected
    wanted = {"table": ["oak-3.2"], "algorithm": ["BETA-L2"], "state": ["better", "short"]}
    assert hash_of(browser) == ("table", wanted)
    browser.click(".reset")
    assert listed(browser) == matching()
    assert browser.run("location.hash") == "#table"
    assert browser.run("document.querySelector('select[name=table]').value") == ""


def test_state_buttons_count_what_they_would_show(browser):
    choose(browser, "set", "acorn")
    found = dict(zip(browser.texts(".state .badge"), browser.texts(".state .tally"), strict=True))
    assert {text[1:]: int(n) for text, n in found.items()} == {s: len(matching(set="acorn", state=[s])) for s in STATES}


def test_nothing_matches(browser):
    browser.run("document.querySelector('input[name=find]').focus()")
    browser.type("no such thing")
    assert listed(browser) == []
    assert browser.visible(".nothing") == 1
    assert browser.visible(".paper") == 0


def test_filters_hold_while_sorted(browser):
    choose(browser, "set", "cedar")
    browser.click(head("ours") + " button")
    assert shown(browser) == [pair for pair in in_order("ours", reverse=False) if pair[0] == "cedar"]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("set=acorn&algorithm=BETA-L2", {"set": "acorn", "algorithm": "BETA-L2"}),
        ("state=short", {"state": ["short"]}),
        ("state=not+run&state=failed", {"state": ["not run", "failed"]}),
        ("state=short,failed&find=oak", {"state": ["short", "failed"], "find": "oak"}),
        ("algorithm=DELTA(sparse)&table=elm-II", {"algorithm": "DELTA(sparse)", "table": "elm-II"}),
        ("set=elsewhere", {"set": "elsewhere"}),
    ],
)
def test_links_restore_filters(fresh, pages, query, wanted):
    fresh.open(f"{pages['rich']}#table?{query}")
    assert listed(fresh) == matching(**wanted)
    for name in ("set", "algorithm", "table"):
        assert fresh.run(f"document.querySelector('select[name={name}]').value") == wanted.get(name, "")
    pressed = fresh.run("[...document.querySelectorAll('.state[aria-pressed=true]')].map(b => b.dataset.state)")
    assert sorted(pressed) == sorted(wanted.get("state", []))
    assert fresh.run("document.querySelector('input[name=find]').value") == wanted.get("find", "")


def test_what_filters_wrote_brings_them_back(browser, pages):
    choose(browser, "algorithm", "DELTA(sparse)")
    browser.click(".state[data-state='not comparable']")
    browser.run("document.querySelector('input[name=find]').focus()")
    browser.type("on trees & = ? %")
    address = browser.run("location.href")
    before = browser.run("[...document.querySelectorAll('.filters select, .filters input')].map(n => n.value)")
    browser.open(address)
    assert browser.run("[...document.querySelectorAll('.filters select, .filters input')].map(n => n.value)") == before
    assert browser.run("location.href") == address


@pytest.mark.parametrize("place", ["elm-II", "oak-3.2", "gap", "again"])
def test_links_lead_to_places(fresh, pages, place):
    fresh.open(f"{pages['rich']}#{place}")
    fresh.until(f"document.activeElement.id === {json.dumps(place)}")
    node = f"document.getElementById({json.dumps(place)})"
    # the top of the part is in the window, or the page cannot scroll any further
    at_end = "innerHeight + scrollY >= document.documentElement.scrollHeight - 2"
    fresh.until(f"Math.abs({node}.getBoundingClientRect().top) < 40 || ({at_end})")


def test_links_change_the_open_page_and_keep_filters(browser):
    choose(browser, "algorithm", "ALPHA")
    browser.run("document.querySelector('#summary a[data-place=elm-II]').click()")
    browser.until("document.activeElement.id === 'elm-II'")
    assert hash_of(browser) == ("elm-II", {"algorithm": ["ALPHA"]})
    assert listed(browser) == matching(algorithm="ALPHA")
    browser.click(".state[data-state=better]")  # filters leave the reader where he is
    assert hash_of(browser)[0] == "elm-II"
    browser.run("history.back()")
    browser.until("!location.hash.startsWith('#elm-II')")
    browser.settle()
    assert listed(browser) == matching(algorithm="ALPHA")


def test_counts_of_the_summary_lead_to_their_rows(browser):
    browser.run("[...document.querySelectorAll('.counts a')].at(-1).click()")
    browser.settle()
    assert listed(browser) == matching(state=["short"])


@pytest.mark.parametrize("link", ["#%E0%A4%A", "#?", "#?state=short", "#__proto__?x=1", "#main"])
def test_odd_links_do_no_harm(fresh, pages, link):
    fresh.open(pages["rich"] + link)
    assert listed(fresh) == (matching(state=["short"]) if "short" in link else matching())


def test_empty_columns_are_left_out(browser):
    heads = browser.texts("#leaderboard th[data-key]")
    assert heads == ["Model", "AUC", "95 % interval0.900.920.94", "Seconds", "Note"]
    assert browser.texts("#rates td.col-state") == ["●met", "◐explained", "▼not met"]
    assert browser.texts("#timings .range") == ["427× faster", "1.29× faster", "≈ 2.5× slower", "–"]
