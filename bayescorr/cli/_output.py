"""How commands print: tables for people, JSON, CSV or LaTeX for programs, notes beside them."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from bayescorr.cli._options import option
from bayescorr.errors import BayescorrWarning, ConvergenceWarning, render

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

JsonOption = Annotated[bool, option("Print JSON instead of a table.", "--json")]

# In characters. Longer text, and text of several words, wraps where a table is too wide.
_LONGEST_LABEL = 40
_WIDEST = 100_000


@dataclass(frozen=True, kw_only=True)
class Output:
    """The format in which a command prints its table."""

    panel: ClassVar = "Output"

    as_json: JsonOption = False
    as_csv: Annotated[bool, option("Print CSV instead of a table.", "--csv")] = False
    as_latex: Annotated[bool, option("Print a LaTeX table (booktabs) instead.", "--latex")] = False

    @property
    def for_people(self) -> bool:
        """Whether a table was asked for, not a format for programs."""
        return not (self.as_json or self.as_csv or self.as_latex)

    def show(self, frame: pd.DataFrame, title: str = "", digits: int = 4) -> None:
        """Print ``frame`` in the chosen format."""
        if self.as_json:
            show_json(frame)
        elif self.as_csv:
            print(frame.to_csv(index=False), end="")
        elif self.as_latex:
            from bayescorr.report.tables import latex_table

            print(latex_table(frame, digits=digits))
        else:
            show_table(frame, title, digits)


def show_table(
    frame: pd.DataFrame, title: str = "", digits: int = 4, numbers: Collection[str] = ()
) -> None:
    """Print ``frame`` as a table, its numbers rounded to ``digits`` decimals.

    Numbers and labels are never shortened: where the terminal is too narrow, its lines wrap.
    ``numbers`` names text columns to align right, as numbers are.
    """
    from rich.cells import cell_len
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

    from bayescorr.report.tables import format_cell, is_number

    # Labels come from the user: as Text, whatever looks like markup is printed verbatim.
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
    """Print a table, or a dict with tables, as JSON; a table is a list of records."""

    def plain(other: Any) -> Any:
        # Missing and infinite numbers of a table become null.
        if hasattr(other, "to_json"):
            return json.loads(other.to_json(orient="records", double_precision=15))
        return str(other)

    print(json.dumps(value, indent=2, default=plain))


def list_pairs(matrix: pd.DataFrame, value: str) -> pd.DataFrame:
    """List each pair of a symmetric matrix once, the system of the upper row first."""
    import numpy as np
    import pandas as pd

    first, second = np.triu_indices(len(matrix), 1)
    return pd.DataFrame(
        {
            "system": matrix.index[first],
            "other": matrix.index[second],
            value: matrix.to_numpy()[first, second],
        }
    )


def write_plot(axes: Axes, path: Path) -> None:
    """Write a plot to a file and say so."""
    from bayescorr.report.files import save_plot

    show_notes([f"plot written to {save_plot(axes, path)}."])


def show_notes(notes: Iterable[str]) -> None:
    """Print notes to standard error, so that standard output can be piped on."""
    for note in notes:
        print(f"Note: {note}", file=sys.stderr)


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Show the warnings of bayescorr as notes, without the line of code that issued them."""
    shown: set[str] = set()
    with warnings.catch_warnings():
        show_others = warnings.showwarning

        def show(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, BayescorrWarning):
                # Several functions of a command may find the same.
                note = render(message.args[0], shell=True)
                show_notes([note] if note not in shown else [])
                shown.add(note)
            else:
                show_others(message, category, *where, **more)

        warnings.showwarning = show
        warnings.simplefilter("always", BayescorrWarning)
        # Commands that sample report convergence themselves, with the remedy and an exit code.
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield
