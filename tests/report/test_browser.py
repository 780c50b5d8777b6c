"""Themes, keys, paper, phones and attacks, in a browser."""

import json

import pytest

from tests.report.facts import HOSTILE
from tests.report.reading import at, readout


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


def test_commands_can_be_copied(browser):
    browser.run("document.querySelector('.command button').focus()")
    browser.press("Enter")
    browser.until("document.querySelector('.said').textContent === 'copied'")


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


def test_tables_fit_a_screen_of_1280_pixels(browser):
    browser.size(1280, 900)
    browser.settle()
    wide = "[...document.querySelectorAll('.box')].filter(e => e.scrollWidth > e.clientWidth).length"
    assert browser.run(wide) == 0


def test_a_phone_shows_printed_ours_and_difference_at_once(fresh, pages):
    fresh.size(390, 844)
    fresh.open(pages["rich"])
    ends = "[...document.querySelectorAll('#oak-3\\\\.2 tbody tr')].map(r => r.querySelector('.col-difference')"
    assert fresh.run(f"Math.max(...{ends}.getBoundingClientRect().right))") <= 390
