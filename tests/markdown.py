"""The Python of a markdown page, run from top to bottom, beside the output that the page shows."""

import contextlib
import io
import re

BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<shown>.*?)^```\n)?", flags=re.DOTALL | re.MULTILINE
)
NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
SECONDS = re.compile(r"\d+ s\b")
NEAR, PART = 0.003, 0.03  # what numbers may differ by between machines, or the part of them


def shape(text):
    """A text without its numbers and gaps."""
    return " ".join(NUMBER.sub("0", text).split())


def numbers(text):
    """Its numbers, but for times."""
    return [float(found.replace(",", "")) for found in NUMBER.findall(SECONDS.sub("", text))]


def assert_shown(printed, shown):
    """What was printed is what a page shows: the same words, and about the same numbers."""
    assert shape(printed) == shape(shown), printed
    for ours, theirs in zip(numbers(printed), numbers(shown), strict=True):
        assert abs(ours - theirs) <= max(NEAR, PART * abs(theirs)), f"{ours}, where the page has {theirs}:\n{printed}"


def run_python(path):
    """Execute the page's Python blocks, one after the other, with shared names; the names in the end.

    A block of text right after one of Python is what it prints.
    """
    names, text = {}, path.read_text(encoding="utf-8")
    for found in BLOCK.finditer(text):
        before = text.count("\n", 0, found.start("code"))
        # blank lines in front, so that an error names the line of the page
        code = compile("\n" * before + found["code"], str(path), "exec")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, names)
        if found["shown"] is not None:
            assert_shown(printed.getvalue(), found["shown"])
    return names
