"""Tables of cells: what every file format is read into, and how formats are declared.

To support another file format, write a module with a :class:`Format` and list it in
``bayescorr.scores.read.FORMATS``. What the cells of a table mean is decided in
``bayescorr.scores.shapes``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pandas as pd

from bayescorr.errors import ScoresError, Text
from bayescorr.scores.files import File
from bayescorr.scores.frames import (
    NAMES,
    SYSTEM_NAMES,
    TOPIC_NAMES,
    is_name,
    number,
    upright,
)
from bayescorr.scores.measures import is_measure

#: Label of the rows that summarise all topics, in the output of evaluation tools.
SUMMARY = "all"


@dataclass(frozen=True)
class Table:
    """Cells with column names, and the place of each row in its source ("line 7" or "row 5").

    ``numbers`` are the row numbers of a DataFrame; they label topics if no column does. ``shape``
    is "long" or "wide" if the format determines it. ``separator`` is that of the columns in a text
    file. ``measures`` are those to choose from if a format has others beside them. ``notes`` say
    what was converted.
    """

    source: str
    header: list[Hashable]
    rows: list[list[Any]]
    places: list[str]
    numbers: list[Hashable] | None = None
    shape: str = "auto"
    separator: str = ""
    measures: list[str] | None = None
    notes: tuple[Text, ...] = ()

    def columns(self, kind: str) -> list[int]:
        """Return the positions of the columns with the most specific names of a kind.

        Names such as ``id`` mean topics only in the first column, or beside a system column.
        """
        for priority, names in enumerate(NAMES[kind]):
            found = [i for i, h in enumerate(self.header) if is_name(h, names)]
            if kind == "topic" and priority == 2 and not self.columns("system"):
                found = [i for i in found if i == 0]
            if found:
                return found
        return [i for i, h in enumerate(self.header) if kind == "score" and is_measure(h)]

    def column(self, kind: str) -> int | None:
        """Return the position of the topic, system or measure column, found by name."""
        found = self.columns(kind)
        if len(found) > 1:
            headers = " and ".join(repr(self.header[i]) for i in found)
            raise ScoresError(
                f"{self.source}: more than one {kind} column: {headers}.",
                "Rename or remove all but one.",
            )
        return found[0] if found else None

    def cells(self, column: int) -> list[Any]:
        """Return all cells of a column."""
        return [row[column] for row in self.rows]

    def kind(self, column: int) -> str:
        """Return what a column holds: "text" (mostly), "fractions" or "whole" numbers."""
        values = [number(cell) for cell in self.cells(column)]
        if sum(value is None for value in values) > len(values) / 2:
            return "text"
        return "whole" if all(x is None or float(x).is_integer() for x in values) else "fractions"

    def has_text(self, column: int) -> bool:
        """Return whether a cell of a column is neither a number nor missing."""
        return any(number(cell) is None for cell in self.cells(column))

    def labels(self, column: int) -> list[Hashable]:
        """Return all cells of a column of labels; raise if one is missing or has several values."""
        cells = self.cells(column)
        for cell, place in zip(cells, self.places, strict=True):
            name = str(self.header[column]) or column + 1
            if not isinstance(cell, Hashable) or isinstance(cell, tuple):
                raise ScoresError(
                    f"{self.source}, {place}: expected one label in column {name!r}; got "
                    f"{type(cell).__name__}.",
                    "Use text or numbers as labels.",
                )
            if is_blank(cell):
                raise ScoresError(
                    f"{self.source}, {place}: no label in column {name!r}.",
                    "Give every row a topic and, in a long table, a system.",
                )
        return cells

    def where(self, column: int, keep: Callable[[Any], bool]) -> Table:
        """Return the rows with a cell to keep in a column."""
        kept = [i for i, cell in enumerate(self.cells(column)) if keep(cell)]
        rows, places = [self.rows[i] for i in kept], [self.places[i] for i in kept]
        return replace(self, rows=rows, places=places)


def is_blank(cell: Any) -> bool:
    """Return whether a cell is missing or has only blanks."""
    if isinstance(cell, float):
        return math.isnan(cell)
    return cell is None or cell is pd.NA or cell is pd.NaT or not str(cell).strip()


class Format(NamedTuple):
    """A file format of scores.

    Formats are tried in the order of ``FORMATS``: the first whose ``recognises`` returns True reads
    the file. A format with ``one_per_run`` may hold the scores of one system per file, so that
    several files make one table. A format with ``shaped`` has a shape of its own: asking for
    another one excludes it.
    """

    name: str
    description: str
    recognises: Callable[[File], bool]
    read: Callable[[File], Table]
    one_per_run: bool = False
    shaped: bool = False


def from_frame(frame: pd.DataFrame, source: str, *, transpose: bool = False) -> Table:
    """Turn a DataFrame into a Table; the index holds the topics unless a column does.

    An index that only numbers the rows is ignored, so that columns are interpreted as in a file. A
    table with named axes is turned so that topics are rows, unless the caller will transpose it.
    """
    if isinstance(frame.columns, pd.MultiIndex) or isinstance(frame.index, pd.MultiIndex):
        raise ScoresError(
            f"{source}: labels have several levels; expected 1.",
            "Use reset_index() for a long table, or keep one level.",
        )
    labelled = bool(Table(source, list(frame.columns), [], []).columns("topic"))
    frame = frame if labelled or transpose else upright(frame, ask=False)
    header: list[Hashable] = list(frame.columns)
    rows = frame.astype(object).to_numpy().tolist()
    numbers: list[Hashable] | None = None
    name = frame.index.name
    if isinstance(frame.index, pd.RangeIndex) and name is None and header:
        numbers = list(frame.index)
    elif not labelled or name is not None:
        known = labelled or is_name(name, TOPIC_NAMES | SYSTEM_NAMES)
        header.insert(0, name if known else "")
        rows = [[label, *row] for label, row in zip(frame.index, rows, strict=True)]
    if not rows:
        raise ScoresError(f"{source}: the table has no rows.", "Provide one row per topic.")
    return Table(source, header, rows, [f"row {i + 1}" for i in range(len(rows))], numbers)
