"""Render formulas as MathML, which browsers display without scripts or a network."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

logger = logging.getLogger(__name__)
# MathML scales brackets automatically.
SIZES = re.compile(r"\\[bB]igg?[lrm]?(?![a-zA-Z])")
# docutils knows only one of the two names.
DOTS = re.compile(r"\\dots(?![a-zA-Z])")


def markup(node: nodes.Node, formula: str, *, as_block: bool = False) -> str:
    """Convert LaTeX to MathML; warn about unsupported LaTeX and show it unchanged."""
    try:
        return tex2mathml(DOTS.sub(r"\\ldots", SIZES.sub("", formula)), as_block=as_block)
    except MathError as problem:
        logger.warning("%s: %s", problem, formula, location=node)
        return f"<code>{nodes.unescape(formula)}</code>"


def inline(translator: Any, node: nodes.math) -> None:
    """Write an inline formula."""
    translator.body.append(markup(node, node.astext()))
    raise nodes.SkipNode


def block(translator: Any, node: nodes.math_block) -> None:
    """Write a display formula."""
    formula = node.astext()
    if "\\\\" in formula and "\\begin" not in formula:
        formula = rf"\begin{{aligned}}{formula}\end{{aligned}}"
    written = markup(node, formula, as_block=True)
    translator.body.append(f'<div class="formula">{written}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer with Sphinx."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
