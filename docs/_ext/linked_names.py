"""Names of the library in code style become links: ``BAM``, ``ExactAUC.path``, ``AUCClassifier(l1=...)``."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes

import aucmax
import aucmax.algorithms
import aucmax.data
import aucmax.evaluate

SHAPE = re.compile(r"(?:aucmax\.)?((?:\w+\.)*\w+)(?:\(.*\))?")


def targets() -> dict[str, str]:
    """Where a name leads, for names that are no plain words and stand for one thing only."""
    found: dict[str, set[str]] = {}
    for module in (aucmax, aucmax.algorithms, aucmax.data, aucmax.evaluate):
        inside = module.__name__.removeprefix("aucmax").lstrip(".")
        for name in module.__all__:
            for spelt in {name, f"{inside}.{name}".lstrip(".")}:
                found.setdefault(spelt, set()).add(f"{module.__name__}.{name}")
    found["river.AUCRiver"] = found["AUCRiver"] = {"aucmax.river.AUCRiver"}
    return {name: min(homes) for name, homes in found.items() if len(homes) == 1}


TARGETS = targets()


def target(text: str) -> str | None:
    """The full name that a piece of code stands for."""
    match = SHAPE.fullmatch(text)
    if match is None:
        return None
    name, _, rest = match[1], *match[1].rpartition(".")[1:]
    plain = name.islower() and "_" not in name and not text.startswith("aucmax.")
    if name in TARGETS:
        return None if plain else TARGETS[name]
    owner = TARGETS.get(name.removesuffix(f".{rest}"))
    return f"{owner}.{rest}" if owner else None


def link(app: Any, doctree: nodes.document) -> None:
    """Wrap the code of a page that names something; what has no page stays as it is."""
    for node in list(doctree.findall(nodes.literal)):
        full = target(node.astext())
        if full is None or isinstance(node.parent, (nodes.reference, addnodes.pending_xref)):
            continue
        wish = addnodes.pending_xref(
            "", node.deepcopy(), refdomain="py", reftype="obj", reftarget=full, refexplicit=True, refwarn=False
        )
        wish["refdoc"] = app.env.current_document.docname
        node.replace_self(wish)


def setup(app: Any) -> dict[str, Any]:
    """Link after a page has been read."""
    app.connect("doctree-read", link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
