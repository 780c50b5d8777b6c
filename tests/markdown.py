"""The Python of a markdown page, run from top to bottom."""

import re


def run_python(path, names=None):
    """Execute the page's Python blocks, one after the other, with shared names; the names in the end."""
    names = {} if names is None else names
    text = path.read_text(encoding="utf-8")
    for found in re.finditer(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE):
        before = text.count("\n", 0, found.start(1))
        # blank lines in front, so that an error names the line of the page
        exec(compile("\n" * before + found[1], str(path), "exec"), names)
    return names
