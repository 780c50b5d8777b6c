"""Figures, themes, keys, paper, phones and attacks, in a browser."""

import json

import pytest

from tests.report.facts import HOSTILE, facts

FIGURES = {figure["id"]: figure for figure in facts()["figures"]}


def readout(browser, figure):
    """The values beside the crosshair by curve, and the place."""
    box = f"#{figure} .readout"
    if not browser.visible(box):
        return None, {}
    values = zip(browser.texts(f"{box} .name"), browser.texts(f"{box} .value"), strict=True)
    return browser.texts(f"{box} strong")[0], dict(values)


def at(browser, figure, share):
    """Move the mouse to a share of the way along the x axis."""
    browser.centre(f"#{figure} svg[role=slider]")
    left, width, bottom = browser.run(
        f"(b => [b.left, b.width, b.top])([...document.querySelectorAll('#{figure} .axes > line:not([class])')]"
        ".map(n => n.getBoundingClientRect()).reduce((a, b) => (b.width > a.width ? b : a)))"
    )
    browser.hover(left + share * width, bottom - 40)


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
    from aucmax.report import write

    ends = {"name": "ends", "x": [1, 100], "y": [0.1, 0.9]}
    every = {"name": "every", "x": [1, 10, 100], "y": [0.2, 0.3, 0.4]}
    figure = {"id": "f", "x": "n", "log_x": True, "kind": "lines", "series": [ends, every]}
    write({"figures": [figure]}, tmp_path / "two.html")
    pages["two"] = (tmp_path / "two.html").as_uri()
    fresh.open(pages["two"])
    at(fresh, "f", 0.5)
    assert readout(fresh, "f") == ("n 10", {"ends": "≈ 0.5", "every": "0.3"})


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


def paper(browser):
    return browser.run("getComputedStyle(document.body).backgroundColor")


def test_the_theme_follows_the_system_until_chosen_and_is_remembered(browser, pages):
    light = paper(browser)
    browser.scheme("dark")
    dark = paper(browser)
    assert dark != light
    assert browser.run("document.querySelector('.theme').getAttribute('aria-pressed')") == "true"
    browser.click(".theme")
    assert paper(browser) == light
    browser.open(pages["rich"])
    assert paper(browser) == light
    assert browser.run("document.querySelector('.theme').getAttribute('aria-pressed')") == "false"
    browser.click(".theme")
    browser.scheme("light")
    browser.open(pages["rich"])
    assert paper(browser) == dark


def test_hostile_labels_do_nothing(fresh, pages):
    fresh.open(pages["hostile"])
    for selector in (".state", "#convergence .curve", ".theme", "thead button"):
        fresh.click(selector)
    at(fresh, "convergence", 0.4)
    assert HOSTILE in readout(fresh, "convergence")[0]
    assert fresh.run("window.broken === undefined")
    assert fresh.run("document.querySelectorAll('img, main script, [onerror]').length") == 0
    assert HOSTILE in fresh.texts("h1")[0]
    assert HOSTILE in fresh.run("document.title")
    assert fresh.run("document.documentElement.scrollWidth <= innerWidth")


def test_scripts_that_got_in_would_be_refused(browser):
    browser.run("document.body.insertAdjacentHTML('beforeend', '<p id=trap onclick=\"window.broken=1\">x</p>')")
    browser.run("document.getElementById('trap').click()")
    assert browser.run("window.broken === undefined")
    assert "Content Security Policy" in json.dumps(browser.faults())
    browser.events.clear()  # these refusals are what was wanted


def test_the_keyboard_reaches_everything(browser):
    focus = "document.activeElement"
    browser.press("Tab")
    assert browser.run(f"{focus}.className") == "skip"
    assert browser.run(f"{focus}.getBoundingClientRect().left >= 0")
    browser.press("Enter")
    assert browser.run(f"{focus}.id") == "main"
    assert browser.run("location.hash") == ""
    browser.press("Tab")
    assert browser.run(f"{focus}.className") == "theme"
    assert browser.run(f"getComputedStyle({focus}).outlineStyle") == "solid"
    clickable = "[...document.querySelectorAll('main *')].filter(n => getComputedStyle(n).cursor === 'pointer')"
    assert browser.run(f"{clickable}.every(n => n.closest('button, a[href], select, option'))")
    controls = "[...document.querySelectorAll('button, select, input, [tabindex=\"0\"]')]"
    assert browser.run(f"{controls}.every(n => n.labels?.length || n.textContent.trim() || n.ariaLabel)")


@pytest.mark.parametrize("width", [390, 320])
def test_a_phone_scrolls_tables_not_the_page(fresh, pages, width):
    fresh.size(width, 844)
    fresh.open(pages["rich"])
    assert fresh.run("document.documentElement.scrollWidth") == width
    assert fresh.run("(b => b.scrollWidth > b.clientWidth)(document.querySelector('.paper .box'))")
    assert fresh.run(
        "[...document.querySelectorAll('figure svg')].every(s => s.getBoundingClientRect().right <= innerWidth)"
    )


def test_paper_shows_all_without_controls(browser):
    browser.scheme("dark")
    pdf = browser.pdf()
    assert pdf.startswith(b"%PDF")
    browser.call("Emulation.setEmulatedMedia", media="print")
    assert browser.visible(".filters") + browser.visible(".theme") + browser.visible("nav") == 0
    assert browser.visible(".paper tbody tr") == 60
    assert browser.run("getComputedStyle(document.querySelector('.box')).overflowX") == "visible"
    light = "getComputedStyle(document.querySelector('h1')).color"
    assert browser.run(light) == "rgb(29, 28, 26)"
    browser.call("Emulation.setEmulatedMedia", media="")


def test_parts_without_content_are_left_out(fresh, pages):
    fresh.open(pages["bare"])
    assert fresh.texts("h2") == ["How to run it again"]
    assert fresh.texts("nav a") == ["How to run it again"]
    assert fresh.texts("code") == ["make demo"]


def test_without_scripts_there_are_tables(fresh, pages):
    fresh.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        fresh.call("Page.navigate", url="about:blank")
        fresh.call("Page.navigate", url=pages["rich"])
        fresh.until("document.readyState === 'complete' && location.href !== 'about:blank'")
        assert fresh.visible("noscript tr") == 5 + 41 + 21
        assert fresh.visible(".filters") == 0
    finally:
        fresh.call("Emulation.setScriptExecutionDisabled", value=False)
