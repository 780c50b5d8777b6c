"""The Python of a markdown page, run from top to bottom, beside the output that the page shows."""

import contextlib
import io
import re

BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<shown>.*?)^```\n)?", flags=re.DOTALL | re.MULTILINE
)


def shape(text):
    """A text without its numbers and gaps, which differ between machines."""
    return " ".join(re.sub(r"[-+]?\d[\d,]*(\.\d+)?(e[-+]?\d+)?", "0", text).split())


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
            assert shape(printed.getvalue()) == shape(found["shown"]), printed.getvalue()
    return names
