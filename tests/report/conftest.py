import pytest

from aucmax.report import write
from tests.report.browser import CHROMIUM, Browser
from tests.report.facts import facts, hostile


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    """One browser for all tests, or none."""
    if CHROMIUM is None:
        pytest.skip("needs Chromium on the PATH")
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """Addresses of written reports."""
    folder = tmp_path_factory.mktemp("pages")
    given = {"rich": facts(), "hostile": hostile(), "bare": {"title": "Bare", "again": ["make demo"]}}
    for name, content in given.items():
        write(content, folder / f"{name}.html")
    return {name: (folder / f"{name}.html").as_uri() for name in given}


@pytest.fixture
def fresh(chromium, pages):
    """The browser on a desk with nothing remembered; afterwards nothing may have gone wrong or been fetched."""
    chromium.size(1440, 900)
    chromium.scheme("light")
    yield chromium
    if chromium.run("location.protocol") == "file:":
        chromium.run("localStorage.clear()")
    assert chromium.faults() == []
    assert set(chromium.requests()) <= set(pages.values())


@pytest.fixture
def browser(fresh, pages):
    """The browser with the rich report."""
    fresh.open(pages["rich"])
    return fresh
