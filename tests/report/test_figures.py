"""Figures of the report, in a browser."""

import json

import pytest

from aucmax.report import write
from tests.report.facts import facts
from tests.report.reading import at, readout

FIGURES = {figure["id"]: figure for figure in facts()["figures"]}


def test_hover_reads_out_what_was_measured(browser):
    for k in (5, 20, 40):
        at(browser, "convergence", k / 40)
        where, values = readout(browser, "convergence")
        assert where.startswith("iterations ")
        for series in FIGURES["convergence"]["series"]:
            assert float(values[series["name"]]) == pytest.approx(series["y"][k], abs=6e-5)
    browser.hover(2, 2)
    assert readout(browser, "convergence") == (None, {})


def test_hover_between_points_says_so(browser):
    at(browser, "gap", 6 / 14)  # where the second curve has a gap
    where, values = readout(browser, "gap")
    assert where == "passes 64"
    assert {name: float(text) for name, text in values.items()} == {"promised 1/t": pytest.approx(0.3 / 64, abs=6e-7)}
    at(browser, "roc-cedar", 0.5)
    where, values = readout(browser, "roc-cedar")
    assert where == "false positive rate 0.5"
    assert float(values["ALPHA"]) == pytest.approx(0.5**0.2, abs=6e-5)


def test_a_curve_without_a_point_there_is_read_off_its_line(fresh, pages, tmp_path):
    ends = {"name": "ends", "x": [1, 100], "y": [0.1, 0.9]}
    every = {"name": "every", "x": [1, 10, 100], "y": [0.2, 0.3, 0.4]}
    figure = {"id": "f", "x": "n", "log_x": True, "kind": "lines", "series": [ends, every]}
    write({"figures": [figure]}, tmp_path / "two.html")
    pages["two"] = (tmp_path / "two.html").as_uri()
    fresh.open(pages["two"])
    at(fresh, "f", 0.5)
    assert readout(fresh, "f") == ("n 10", {"ends": "≈ 0.5", "every": "0.3"})


def figure(name, *curves, **options):
    series = [{"name": f"curve {k}", "x": x, "y": y} for k, (x, y) in enumerate(curves)]
    return {"id": name, "x": "n", "y": "v", "kind": "lines", "series": series, **options}


def test_odd_figures_and_tables_are_drawn_or_say_why_not(fresh, pages, tmp_path):
    figures = [
        figure("empty"),
        figure("unknown", ([1, 2], [None, None])),
        figure("single", ([5], [0.7])),
        figure("flat", ([1, 2, 3], [0.5, 0.5, 0.5])),
        figure("zeros", ([0, 1, 10, 100], [1.0, 0.1, 0.0, 0.001]), log_x=True, log_y=True),
        figure("narrow", ([11, 12, 13], [20, 21, 23]), log_x=True, log_y=True),
        figure("huge", ([0, 5e8, 1e9], [-1e12, 0, 1e12])),
    ]
    tables = [{"id": "none", "rows": []}, {"id": "gaps", "rows": [{"set": "a"}, {"state": "failed"}, {}]}]
    write({"figures": figures, "tables": tables, "leaderboard": [{"name": "x"}]}, tmp_path / "odd.html")
    pages["odd"] = (tmp_path / "odd.html").as_uri()
    fresh.open(pages["odd"])
    assert fresh.texts("figure .nothing") == ["No points.", "No points."]
    paths = "[...document.querySelectorAll('main svg *')].flatMap(n => [...n.attributes]).map(a => a.value).join(' ')"
    assert "NaN" not in fresh.run(paths)
    assert "Infinity" not in fresh.run(paths)
    assert fresh.run("document.querySelector('#zeros path.line').getAttribute('d')").count("M") == 2
    assert fresh.texts("#zeros figcaption") == ["2 points are missing, or not above zero on a logarithmic axis."]
    assert fresh.visible("#single circle.dot") == 1
    for name in ("flat", "zeros", "narrow", "huge"):
        assert len(fresh.texts(f"#{name} .axes text:not(.name)")) >= 4, name
    assert fresh.visible("#gaps tbody tr") == 3


def test_arrow_keys_move_the_crosshair(browser):
    browser.run("document.querySelector('#convergence svg[role=slider]').focus()")
    browser.press("ArrowRight")
    assert readout(browser, "convergence")[0] == "iterations 10"
    browser.press("ArrowRight")
    assert readout(browser, "convergence")[0] == "iterations 12.59"
    browser.press("ArrowLeft")
    browser.press("End")
    where, values = readout(browser, "convergence")
    assert where == "iterations 100,000"
    spoken = browser.run("document.activeElement.getAttribute('aria-valuetext')")
    assert spoken == f"{where}: " + ", ".join(f"{name} {value}" for name, value in values.items())
    browser.press("Escape")
    assert readout(browser, "convergence") == (None, {})


def test_buttons_switch_curves(browser):
    names = [series["name"] for series in FIGURES["convergence"]["series"]]
    button = "#convergence .curve:nth-of-type(2)"
    pressed = f"document.querySelector({json.dumps(button)}).getAttribute('aria-pressed')"
    assert browser.texts("#convergence .curve .name") == names
    assert browser.visible("#convergence .series") == 3
    browser.click(button)
    assert browser.run(pressed) == "false"
    assert browser.visible("#convergence .series") == 2
    at(browser, "convergence", 0.5)
    assert set(readout(browser, "convergence")[1]) == {names[0], names[2]}
    browser.run(f"document.querySelector({json.dumps(button)}).focus()")
    browser.press(" ")
    assert browser.run(pressed) == "true"
    assert browser.visible("#convergence .series") == 3
    browser.click(button)
    browser.size(1000, 800)  # drawn anew, the curve stays off
    assert browser.visible("#convergence .series") == 2


def test_all_curves_off_is_harmless(browser):
    for k in (1, 2, 3):
        browser.click(f"#convergence .curve:nth-of-type({k})")
    at(browser, "convergence", 0.5)
    browser.run("document.querySelector('#convergence svg[role=slider]').focus()")
    browser.press("ArrowRight")
    assert readout(browser, "convergence") == (None, {})


def test_lines_bands_gaps_and_ticks(browser):
    def drawn(figure, kind):
        return browser.run(f"[...document.querySelectorAll('#{figure} path.{kind}')].map(p => p.getAttribute('d'))")

    assert [d.count("M") for d in drawn("gap", "line")] == [1, 2]
    assert all(d.endswith("Z") for d in drawn("convergence", "band"))
    assert drawn("many", "band") == [""] * 10
    lines = "[...document.querySelectorAll('#many path.line')]"
    styles = browser.run(f"{lines}.map(p => p.getAttribute('class') + p.getAttribute('stroke-dasharray'))")
    assert len(set(styles)) == 10
    ticks = browser.texts("#gap .axes text:not(.name)")
    assert {"0.1", "0.001", "10⁻⁵", "1", "10", "100", "1000", "10⁴"} <= set(ticks)
    assert browser.texts("#roc-cedar .axes text:not(.name)")[:6] == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
    square = browser.run("(b => b.width / b.height)(document.querySelector('#roc-cedar svg').getBoundingClientRect())")
    assert square == pytest.approx(1.0)
    assert browser.visible("#roc-cedar .diagonal") == 1
