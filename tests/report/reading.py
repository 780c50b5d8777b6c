"""What a figure of the report reads out."""


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
