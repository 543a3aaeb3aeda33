"""Tables as text for papers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

_SPECIAL = {character: f"\\{character}" for character in "_%&#${}"}
_SPECIAL.update({"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"})
_ESCAPES = str.maketrans(_SPECIAL)


def is_number(column: pd.Series) -> bool:
    """Whether a column holds numbers, and so is set flush right."""
    return bool(column.dtype.kind in "iuf")


def format_cell(value: object, digits: int) -> str:
    """Round a number to ``digits`` decimals; nothing for a missing one.

    Examples
    --------
    >>> format_cell(0.12345, 3), format_cell(float("nan"), 3), format_cell("ML", 3)
    ('0.123', '', 'ML')
    """
    if isinstance(value, float):
        return "" if value != value else f"{value:.{digits}f}"
    return str(value)


def latex_text(text: str) -> str:
    r"""Escape what LaTeX would take for commands.

    Examples
    --------
    >>> latex_text("a_b & 50%")
    'a\\_b \\& 50\\%'
    """
    return text.translate(_ESCAPES)


def markdown_text(text: str) -> str:
    r"""Escape what Markdown would take for markup.

    Examples
    --------
    >>> print(markdown_text("a_b|<c>"))
    a\_b\|\<c\>
    """
    return "".join(f"\\{c}" if c in r"\`*_{}[]<>#|~" else c for c in text)


def markdown_table(frame: pd.DataFrame, *, digits: int = 4) -> str:
    """Write a table in Markdown; text is escaped, numbers are rounded and set flush right.

    Examples
    --------
    >>> import pandas as pd
    >>> print(markdown_table(pd.DataFrame({"method": ["ML"], "tau": [0.81234]}), digits=3))
    | method | tau |
    | --- | --: |
    | ML | 0.812 |
    """
    rows = [
        [str(name) for name in frame.columns],
        *([format_cell(value, digits) for value in row] for row in frame.itertuples(index=False)),
    ]
    lines = ["| " + " | ".join(markdown_text(text) for text in row) + " |" for row in rows]
    rule = " | ".join("--:" if is_number(frame[name]) else "---" for name in frame.columns)
    return "\n".join([lines[0], f"| {rule} |", *lines[1:]])


def latex_table(
    frame: pd.DataFrame, *, digits: int = 4, headers: Sequence[str] | None = None
) -> str:
    r"""Write a table in LaTeX for the package booktabs; text is escaped, numbers are rounded.

    ``headers`` are LaTeX to put in place of the names of the columns.

    Examples
    --------
    >>> import pandas as pd
    >>> print(latex_table(pd.DataFrame({"method": ["ML"], "tau_ap": [0.81234]}), digits=3))
    \begin{tabular}{lr}
    \toprule
    method & tau\_ap \\
    \midrule
    ML & 0.812 \\
    \bottomrule
    \end{tabular}
    """
    columns = "".join("r" if is_number(frame[name]) else "l" for name in frame.columns)
    rows = [[format_cell(value, digits) for value in row] for row in frame.itertuples(index=False)]
    heads = headers or [latex_text(str(name)) for name in frame.columns]
    lines = [
        " & ".join(row) + r" \\"
        for row in [heads, *([latex_text(text) for text in row] for row in rows)]
    ]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )
