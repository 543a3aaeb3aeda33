"""How commands print: a table for people, JSON, CSV or LaTeX for programs."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    import pandas as pd

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
CsvOption = Annotated[bool, typer.Option("--csv", help="Print CSV instead of a table.")]
LatexOption = Annotated[bool, typer.Option("--latex", help="Print a LaTeX table (booktabs).")]


def show_table(frame: pd.DataFrame, *, title: str = "", digits: int = 4) -> None:
    """Print ``frame`` as a table, its numbers rounded to ``digits`` decimals."""
    from bayescorr.report.tables import format_cell, is_number

    table = Table(title=title or None, title_justify="left")
    for name in frame.columns:
        right = is_number(frame[name])
        table.add_column(str(name), justify="right" if right else "left", no_wrap=right)
    for row in frame.itertuples(index=False):
        table.add_row(*(format_cell(value, digits) for value in row))
    console = Console(width=None if sys.stdout.isatty() else 200, highlight=False)
    console.print(table)


def show_json(value: pd.DataFrame | dict[str, Any]) -> None:
    """Print a table as a list of records, or any other value, as JSON; NaN becomes null."""
    if isinstance(value, dict):
        print(json.dumps(value, indent=2, default=str))
    else:
        print(value.to_json(orient="records", indent=2, double_precision=15))


def show_frame(
    frame: pd.DataFrame,
    *,
    as_json: bool = False,
    as_csv: bool = False,
    as_latex: bool = False,
    title: str = "",
    digits: int = 4,
) -> None:
    """Print ``frame`` in the form asked for; a table by default."""
    if as_json:
        show_json(frame)
    elif as_csv:
        print(frame.to_csv(index=False), end="")
    elif as_latex:
        from bayescorr.report.tables import latex_table

        print(latex_table(frame, digits=digits))
    else:
        show_table(frame, title=title, digits=digits)
