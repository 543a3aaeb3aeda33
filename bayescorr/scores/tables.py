"""Tables of cells: what every file format is read into, and how formats are declared.

To support another file format, write a module with a :class:`Format` and list it in
``bayescorr.scores.read.FORMATS``. What the cells of a table mean is decided in
``bayescorr.scores.shapes``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pandas as pd

from bayescorr.errors import ScoresError
from bayescorr.scores.files import File
from bayescorr.scores.frames import SYSTEM_NAMES, TOPIC_NAMES, is_name, upright

HEADERS = {
    "topic": TOPIC_NAMES,
    "system": SYSTEM_NAMES,
    "score": frozenset({"score", "value"}),
    "measure": frozenset({"measure", "metric"}),
}
#: Label of the rows that summarise all topics.
SUMMARY = "all"


@dataclass(frozen=True)
class Table:
    """Cells with column names, and the place of each row in its source ("line 7" or "row 5").

    ``numbers`` are the row numbers of a DataFrame; they label topics if no column does. ``shape``
    is "long" or "wide" if the format determines it.
    """

    source: str
    header: list[Hashable]
    rows: list[list[Any]]
    places: list[str]
    numbers: list[Hashable] | None = None
    shape: str = "auto"

    def column(self, kind: str) -> int | None:
        """Return the position of the topic, system, score or measure column, found by name."""
        found = [i for i, h in enumerate(self.header) if is_name(h, HEADERS[kind])]
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

    def labels(self, column: int) -> list[Hashable]:
        """Return all cells of a column of labels; raise if one is missing."""
        cells = self.cells(column)
        for cell, place in zip(cells, self.places, strict=True):
            if pd.isna(cell) or not str(cell).strip():
                name = str(self.header[column]) or column + 1
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


class Format(NamedTuple):
    """A file format of scores.

    Formats are tried in the order of ``FORMATS``: the first whose ``recognises`` returns True reads
    the file. A format with ``one_per_run`` holds the scores of one system per file, so that several
    files make one table.
    """

    name: str
    description: str
    recognises: Callable[[File], bool]
    read: Callable[[File], Table]
    one_per_run: bool = False


def from_frame(frame: pd.DataFrame, source: str) -> Table:
    """Turn a DataFrame into a Table; the index holds the topics unless a column does.

    An index that only numbers the rows is ignored, so that columns are interpreted as in a file.
    """
    if isinstance(frame.columns, pd.MultiIndex) or isinstance(frame.index, pd.MultiIndex):
        raise ScoresError(
            f"{source}: labels have several levels; expected 1.",
            "Use reset_index() for a long table, or keep one level.",
        )
    labelled = any(is_name(h, TOPIC_NAMES) for h in frame.columns)
    frame = frame if labelled else upright(frame)
    header: list[Hashable] = list(frame.columns)
    rows = frame.astype(object).to_numpy().tolist()
    numbers: list[Hashable] | None = None
    if isinstance(frame.index, pd.RangeIndex) and frame.index.name is None and header:
        numbers = list(frame.index)
    elif not labelled or frame.index.name is not None:
        header.insert(0, frame.index.name if labelled else "topic")
        rows = [[label, *row] for label, row in zip(frame.index, rows, strict=True)]
    if not rows:
        raise ScoresError(f"{source}: the table has no rows.", "Provide one row per topic.")
    return Table(source, header, rows, [f"row {i + 1}" for i in range(len(rows))], numbers)
