"""Formulas as MathML, written when the site is built: browsers show them without a script or the network."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

# bars around a symbol are no operators: without this there is a gap on either side of them
BAR = re.compile(r"<mo[^>]*>(&#x0007C;|\|)</mo>")


def mathml(formula: str, display: str = "inline") -> str:
    """A formula of LaTeX as an element of HTML."""
    return BAR.sub('<mo stretchy="false" lspace="0" rspace="0">|</mo>', convert(formula, display=display))


def visit_inline(writer: Any, node: nodes.math) -> None:
    """A formula within a line."""
    writer.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def visit_display(writer: Any, node: nodes.math_block) -> None:
    """A formula on lines of its own."""
    writer.body.append(f'<div class="formula">{mathml(node.astext(), "block")}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, Any]:
    """Register the renderer ``mathml``."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
