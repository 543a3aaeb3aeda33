"""Tables as Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

_LATEX = {character: f"\\{character}" for character in "_%&#${}"}
_LATEX |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX_ESCAPES = str.maketrans(_LATEX)
# Lines of LaTeX that fit on a page; longer tables break over pages.
_MOST_ROWS = 45
_MARKDOWN_ESCAPES = str.maketrans({character: f"\\{character}" for character in r"\`*_{}[]<>#|~"})


def is_number(column: pd.Series) -> bool:
    """Return whether a column holds numbers, which are aligned right."""
    return bool(column.dtype.kind in "iuf")


def format_cell(value: object, digits: int) -> str:
    """Round a number to ``digits`` decimals; a missing number is empty.

    Examples
    --------
    >>> format_cell(0.12345, 3), format_cell(float("nan"), 3), format_cell("ML", 3)
    ('0.123', '', 'ML')
    """
    if isinstance(value, float):
        return "" if value != value else f"{value:.{digits}f}"
    return str(value)


def interval_cell(row: pd.Series, digits: int) -> str:
    """Write the estimate of a row with its interval; a dash if there is none.

    Examples
    --------
    >>> import pandas as pd
    >>> interval_cell(pd.Series({"estimate": 0.8, "lower": 0.7, "upper": 0.9}), 2)
    '0.80 [0.70, 0.90]'
    """
    estimate, lower, upper = (
        format_cell(row[name], digits) for name in ("estimate", "lower", "upper")
    )
    return f"{estimate} [{lower}, {upper}]" if lower else estimate or "-"


def latex_text(text: str) -> str:
    r"""Escape the special characters of LaTeX.

    Examples
    --------
    >>> latex_text("a_b & 50%")
    'a\\_b \\& 50\\%'
    """
    return text.translate(_LATEX_ESCAPES)


def markdown_text(text: str) -> str:
    r"""Escape the special characters of Markdown.

    Examples
    --------
    >>> print(markdown_text("a_b|<c>"))
    a\_b\|\<c\>
    """
    return text.translate(_MARKDOWN_ESCAPES)


def markdown_table(frame: pd.DataFrame, *, digits: int = 4) -> str:
    """Write a table in Markdown, with escaped text and rounded numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> print(markdown_table(pd.DataFrame({"method": ["ML"], "tau": [0.81234]}), digits=3))
    | method | tau |
    | --- | --: |
    | ML | 0.812 |
    """
    rule = ["--:" if is_number(frame[name]) else "---" for name in frame.columns]
    head, *body = [[markdown_text(cell) for cell in row] for row in _cells(frame, digits)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *body])


def latex_table(
    frame: pd.DataFrame,
    *,
    digits: int = 4,
    headers: Sequence[str] | None = None,
    superscripts: Mapping[str, Sequence[str]] | None = None,
) -> str:
    r"""Write a table in LaTeX for the package booktabs, with escaped text and rounded numbers.

    Parameters
    ----------
    frame : DataFrame
        Any table of bayescorr, such as ``fit.ranking()``. Its index is not written.
    digits : int
        Decimals of the numbers. Missing numbers are empty.
    headers : sequence of str, optional
        LaTeX code to use instead of the names of the columns.
    superscripts : dict, optional
        Texts to raise behind the cells of a column, one per row, by the name of the column.

    Returns
    -------
    str
        The environment ``tabular``; numbers are aligned right, text is aligned left.

    Examples
    --------
    >>> import bayescorr, pandas as pd
    >>> table = pd.DataFrame({"method": ["ML"], "tau_ap": [0.81234]})
    >>> print(bayescorr.latex_table(table, digits=3))
    \begin{tabular}{lr}
    \toprule
    method & tau\_ap \\
    \midrule
    ML & 0.812 \\
    \bottomrule
    \end{tabular}
    """
    # With superscripts, numbers of equal length line up on the left.
    raised = superscripts or {}
    right = [is_number(frame[name]) and name not in raised for name in frame.columns]
    columns = "".join("r" if number else "l" for number in right)
    head, *body = [[latex_text(cell) for cell in row] for row in _cells(frame, digits)]
    for name, texts in raised.items():
        column = list(frame.columns).index(name)
        for row, text in zip(body, texts, strict=True):
            row[column] += rf"\textsuperscript{{{latex_text(text)}}}" if text else ""
    first, *rest = [" & ".join(row) + r" \\" for row in [headers or head, *body]]
    start = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", first, r"\midrule"]
    return "\n".join([*start, *rest, r"\bottomrule", r"\end{tabular}"])


def captioned(tabular: str, caption: str, label: str, *, dense: bool = False) -> str:
    r"""Return a table of LaTeX with its caption: it floats, or is long if it has many rows.

    A dense table is set in a smaller font, with less space between columns.

    Examples
    --------
    >>> import pandas as pd
    >>> tabular = latex_table(pd.DataFrame({"rank": range(50)}))
    >>> print(captioned(tabular, "The ranking.", "tab:ranking").splitlines()[1])
    \begin{longtable}{r}
    """
    lines = tabular.splitlines()
    words = rf"\caption{{{latex_text(caption)}}}"
    setting = [r"\footnotesize\setlength{\tabcolsep}{3pt}"] if dense else []
    if len(lines) <= _MOST_ROWS:
        return "\n".join(
            [
                r"% Needs \usepackage{booktabs}.",
                r"\begin{table}",
                r"\centering",
                words,
                rf"\label{{{label}}}",
                *setting,
                tabular,
                r"\end{table}",
                "",
            ]
        )
    begin, *head, end = [line.replace("tabular", "longtable") for line in lines]
    return "\n".join(
        [
            r"% Needs \usepackage{booktabs} and \usepackage{longtable}.",
            *([r"\begingroup", *setting] if dense else []),
            begin,
            rf"{words}\label{{{label}}} \\",
            *head[:3],
            r"\endhead",
            *head[3:],
            end,
            *([r"\endgroup"] if dense else []),
            "",
        ]
    )


def _cells(frame: pd.DataFrame, digits: int) -> list[list[str]]:
    """Return the names of the columns and all rows as text."""
    rows = ([format_cell(value, digits) for value in row] for row in frame.itertuples(index=False))
    return [[str(name) for name in frame.columns], *rows]
