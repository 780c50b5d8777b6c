"""A page for each algorithm of ``aucmax.__all__``: its docstring, and the paper's lines beside its source.

The paper's lines are in ``algorithms.toml``, everything else comes from the package. An algorithm without an entry,
or an entry without its algorithm, ends the build.
"""

from __future__ import annotations

import inspect
import os
import tomllib
from pathlib import Path
from typing import Any

from sphinx.errors import ExtensionError

import aucmax

SOURCES = Path(aucmax.__file__).parent
PAGES = Path(__file__).parents[1] / "algorithms"
HOMES = ("aucmax.algorithms.", "aucmax.features.")

PAGE = """---
hide-toc: true
---

# {name}

```{{eval-rst}}
{opening}
```

{notes}
## The paper beside the source

::::{{div}} beside
:::{{div}} paper
The paper: {where}

```text
{paper}
```
:::
:::{{div}} ours
The source

{code}
:::
::::

## Reference

```{{eval-rst}}
.. autoclass:: aucmax.{name}
   :members:
   :inherited-members:
```
"""

INDEX = """# Algorithms

{intro}
{families}
"""

FAMILY = """
## {title}

{text}

| estimator | what it is | penalty | stream |
|---|---|---|---|
{rows}

```{{toctree}}
:hidden:

{names}
```
"""


def algorithms() -> dict[str, Any]:
    """The estimators and transformers that come from papers, by name."""
    found = {name: getattr(aucmax, name) for name in aucmax.__all__}
    return {name: one for name, one in found.items() if getattr(one, "__module__", "").startswith(HOMES)}


def opening(cls: type) -> str:
    """The docstring up to its parameters: what the algorithm is and what it minimises."""
    return (inspect.getdoc(cls) or "").partition("\n\nParameters\n")[0]


def summary(cls: type) -> str:
    """The first sentence of the docstring."""
    return opening(cls).partition("\n\n")[0].replace("\n", " ")


def notes(cls: type) -> str:
    """What the source file says of its letters and departures; indented lines are code in markdown too."""
    paragraphs = (inspect.getmodule(cls).__doc__ or "").strip("\n").split("\n\n")
    for at, text in enumerate(paragraphs):
        if "Letters" in text or text.startswith("Departures"):
            kept = "\n\n".join(paragraphs[at:]).replace("Departures:", "*Departures from print:*")
            return f"## Letters and departures\n\n{kept}\n"
    return ""


def source(cls: type, place: str) -> str:
    """A piece of source: ``function``, or ``folder/file.py:function`` where it is not in the file of the class."""
    file, _, piece = place.rpartition(":")
    path = SOURCES / file if file else Path(inspect.getfile(cls))
    if not path.is_file():
        raise ExtensionError(f"algorithms.toml: {place!r} of {cls.__name__} names a file that is not there.")
    lines = [
        f"```{{literalinclude}} {os.path.relpath(path, PAGES)}",
        f":pyobject: {piece}",
        ":language: python",
        ":dedent:",
        f":caption: {path.relative_to(SOURCES.parent)}",
        "```",
    ]
    return "\n".join(lines)


def page(name: str, entry: dict[str, Any]) -> str:
    """The page of one algorithm."""
    cls = getattr(aucmax, name)
    return PAGE.format(
        name=name,
        opening=opening(cls),
        where=entry["where"],
        paper=entry["paper"].strip("\n"),
        code="\n\n".join(source(cls, place) for place in entry["ours"]),
        notes=notes(cls),
    )


def index_row(name: str) -> str:
    """One line of the table of a family."""
    cls = getattr(aucmax, name)
    parameters = inspect.signature(cls).parameters
    penalty = ", ".join(p for p in ("l2", "l1", "radius", "gamma", "norm") if p in parameters)
    stream = "yes" if hasattr(cls, "partial_fit") else ""
    return f"| [{name}]({name}.md) | {summary(cls)} | {penalty} | {stream} |"


def family(title: str, text: str, names: list[str]) -> str:
    """One family in the index."""
    return FAMILY.format(title=title, text=text, rows="\n".join(map(index_row, names)), names="\n".join(names))


def write(path: Path, text: str) -> None:
    """Write a page unless it is there already: Sphinx reads again what is newer than its last build."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def write_pages(app: Any) -> None:
    """Write ``algorithms/*.md`` into the sources of the site, and remove what is left from before."""
    told = tomllib.loads(PAGES.with_suffix(".toml").read_text(encoding="utf-8"))
    entries = told["algorithm"]
    if odd := set(entries) ^ set(algorithms()):
        raise ExtensionError(f"algorithms.toml and aucmax.__all__ differ in {', '.join(sorted(odd))}.")
    pages = {name: page(name, entry) for name, entry in entries.items()}
    families = [
        family(one["title"], one["text"], [name for name in entries if entries[name]["family"] == key])
        for key, one in told["family"].items()
    ]
    pages["index"] = INDEX.format(intro=told["intro"], families="".join(families))
    PAGES.mkdir(exist_ok=True)
    for old in PAGES.glob("*.md"):
        if old.stem not in pages:
            old.unlink()
    for name, text in pages.items():
        write(PAGES / f"{name}.md", text)


def setup(app: Any) -> dict[str, Any]:
    """Write the pages before Sphinx looks for sources."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
