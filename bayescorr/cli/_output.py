"""How commands print: a table for people, JSON, CSV or LaTeX for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    import pandas as pd

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
CsvOption = Annotated[bool, typer.Option("--csv", help="Print CSV instead of a table.")]
LatexOption = Annotated[bool, typer.Option("--latex", help="Print a LaTeX table (booktabs).")]

# In characters. A longer text, or one of several words, is broken into lines where it has to be.
_LONGEST_LABEL = 40
_WIDEST = 100_000


def show_table(
    frame: pd.DataFrame, *, title: str = "", digits: int = 4, numbers: Collection[str] = ()
) -> None:
    """Print ``frame`` as a table, its numbers rounded to ``digits`` decimals.

    Numbers and labels are never shortened: where the terminal is too narrow, its lines wrap.
    ``numbers`` are further columns to set flush right: numbers that are text already.
    """
    from bayescorr.report.tables import format_cell, is_number

    # Labels are the user's: as Text, what looks like markup is printed as it is.
    table = Table(title=Text(title, style="table.title") if title else None, title_justify="left")
    for name in frame.columns:
        right = is_number(frame[name]) or name in numbers
        cells = [format_cell(value, digits) for value in frame[name].tolist()]
        width = max(map(cell_len, [str(name), *cells]))
        whole = right or (width <= _LONGEST_LABEL and not any(" " in cell for cell in cells))
        table.add_column(
            Text(str(name)),
            justify="right" if right else "left",
            no_wrap=whole,
            min_width=width if whole else None,
        )
    for row in frame.itertuples(index=False):
        table.add_row(*(Text(format_cell(value, digits)) for value in row))
    console = Console(width=None if sys.stdout.isatty() else 200, highlight=False)
    needed = Measurement.get(console, console.options.update_width(_WIDEST), table).minimum
    console.width = max(console.width, needed)
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
