"""A markdown page, its Python and its commands, run from top to bottom beside the output that the page shows."""

import contextlib
import io
import re
import shlex

BLOCK = re.compile(
    r"^```(?P<kind>python|console)\n(?P<code>.*?)^```\n(?:\n```text\n(?P<shown>.*?)^```\n)?",
    flags=re.DOTALL | re.MULTILINE,
)
COMMAND = re.compile(r"^\$ (.*)\n((?:[^$].*\n)*)", flags=re.MULTILINE)
NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
SECONDS = re.compile(r"\d+ s\b")
NEAR, PART = 0.003, 0.03  # what numbers up to 1 may differ by between machines, and the part of larger ones


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
        allowed = NEAR if abs(theirs) <= 1.0 else PART * abs(theirs)
        assert abs(ours - theirs) <= allowed, f"{ours}, where the page has {theirs}:\n{printed}"


def run_page(path, command=None):
    """Run a page's blocks, one after the other, those of Python with shared names; the names in the end.

    A block of text right after one of Python is what it prints. Of a block of the console, every command is handed on
    as its words, and gives what it prints; without somebody to hand them to, they are left out.
    """
    names, text = {}, path.read_text(encoding="utf-8")
    for found in BLOCK.finditer(text):
        if found["kind"] == "console":
            for line, shown in COMMAND.findall(found["code"]) if command else ():
                assert_shown(command(shlex.split(line)), shown)
            continue
        before = text.count("\n", 0, found.start("code"))
        # blank lines in front, so that an error names the line of the page
        code = compile("\n" * before + found["code"], str(path), "exec")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, names)
        if found["shown"] is not None:
            assert_shown(printed.getvalue(), found["shown"])
    return names
