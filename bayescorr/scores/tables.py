"""Tables of cells: what every file format is read into, and how formats are declared.

To support another file format, write a module with a :class:`Format` and list it in
``bayescorr.scores.read.FORMATS``. What the cells of a table mean is decided in
``bayescorr.scores.shapes``.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pandas as pd

from bayescorr.errors import ScoresError, Text
from bayescorr.scores.files import File
from bayescorr.scores.frames import (
    LABEL_NAMES,
    NAMES,
    SYSTEM_NAMES,
    TOPIC_NAMES,
    is_name,
    number,
    upright,
)
from bayescorr.scores.measures import is_measure

#: The cells of a column.
Cells: TypeAlias = list[Any]

#: Label of the rows that summarise all topics, in the output of evaluation tools.
SUMMARY = "all"


class Places(Sequence[str]):
    """Where the rows of a table are in its source: "line 7" or "row 5", without storing the text.

    Examples
    --------
    >>> places = Places.of("line", [2, 3, 5])
    >>> places[2]
    'line 5'
    >>> Places.joined({"a.csv": places, "b.csv": Places.of("line", [2])})[3]
    'b.csv, line 2'
    """

    def __init__(self, place: Callable[[int], str], size: int) -> None:
        self.place, self.size = place, size

    @classmethod
    def of(cls, word: str, numbers: Sequence[int]) -> Places:
        """Return places such as "line 7"."""
        return cls(lambda i: f"{word} {numbers[i]}", len(numbers))

    @classmethod
    def joined(cls, parts: Mapping[str, Sequence[str]]) -> Places:
        """Return the places of several sources."""
        starts = list(accumulate((len(part) for part in parts.values()), initial=0))
        names = list(parts)

        def place(i: int) -> str:
            k = bisect_right(starts, i) - 1
            return f"{names[k]}, {parts[names[k]][i - starts[k]]}"

        return cls(place, starts[-1])

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, i: Any) -> Any:
        return self.place(range(self.size)[i])


@dataclass(frozen=True)
class Table:
    """Cells by column with column names, and the place of each row in its source ("line 7").

    ``numbers`` are the row numbers of a DataFrame; they
    label topics if no column does. ``shape`` is "long" or "wide" if the format determines it.
    ``separator`` is that of the columns in a text file. ``measures`` are those to choose from if a
    format has others beside them. ``notes`` say what was converted.
    """

    source: str
    header: Sequence[Hashable]
    data: Sequence[Cells]
    places: Sequence[str]
    numbers: list[Hashable] | None = None
    shape: str = "auto"
    separator: str = ""
    measures: list[str] | None = None
    notes: tuple[Text, ...] = ()

    @classmethod
    def of_rows(
        cls,
        source: str,
        header: list[Any],
        rows: Sequence[Sequence[Any]],
        places: Sequence[str],
        **more: Any,
    ) -> Table:
        """Make a table from its rows."""
        data = list(map(list, zip(*rows, strict=True))) if rows else [[] for _ in header]
        return cls(source, header, data, places, **more)

    def __len__(self) -> int:
        return len(self.places)

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
        self._refuse_several(kind, found)
        return found[0] if found else None

    def _refuse_several(self, kind: str, found: Sequence[int]) -> None:
        if len(found) > 1:
            headers = " and ".join(repr(self.header[i]) for i in found)
            raise ScoresError(
                f"{self.source}: more than one {kind} column: {headers}.",
                "Rename or remove all but one.",
            )

    def task(self, topic: int | None = None) -> int | None:
        """Return the position of the column with the tasks of the topics, if there are several.

        It is another column than that of the topics.
        """
        for names in NAMES["task"]:
            found = [
                i
                for i, h in enumerate(self.header)
                if i != topic and is_name(h, names) and len(list(distinct(self.cells(i)))) > 1
            ]
            if found:
                self._refuse_several("task", found)
                return found[0]
        return None

    def with_notes(self, *notes: Text) -> Table:
        """Return the table with more notes."""
        return replace(self, notes=(*self.notes, *notes))

    def cells(self, column: int) -> Cells:
        """Return all cells of a column."""
        return self.data[column]

    def kind(self, column: int) -> str:
        """Return what a column holds: "text" (mostly), "fractions" or "whole" numbers."""
        values = parsed(self.cells(column))
        if values.count(None) > len(values) / 2:
            return "text"
        return "whole" if all(x is None or x.is_integer() for x in values) else "fractions"

    def has_text(self, column: int) -> bool:
        """Return whether a cell of a column is neither a number nor missing."""
        return any(number(cell) is None for cell in distinct(self.cells(column)))

    def labels(self, column: int) -> Cells:
        """Return all cells of a column of labels; raise if one is missing or has several values."""
        cells = self.cells(column)
        name = str(self.header[column]) or column + 1
        if all(isinstance(cell, str) and cell.strip() for cell in distinct(cells)):
            return cells
        for i, cell in enumerate(cells):
            if not isinstance(cell, Hashable) or isinstance(cell, tuple):
                raise ScoresError(
                    f"{self.source}, {self.places[i]}: expected one label in column {name!r}; got "
                    f"{type(cell).__name__}.",
                    "Use text or numbers as labels.",
                )
            if is_blank(cell):
                raise ScoresError(
                    f"{self.source}, {self.places[i]}: no label in column {name!r}.",
                    "Give every row a topic and, in a long table, a system.",
                )
        return cells

    def where(self, column: int, keep: Callable[[Any], bool]) -> Table:
        """Return the rows with a cell to keep in a column."""
        return self.take([i for i, kept in enumerate(each(keep, self.cells(column))) if kept])

    def take(self, kept: Sequence[int]) -> Table:
        """Return the rows at some positions."""
        if len(kept) == len(self):
            return self
        places = Places(lambda i: self.places[kept[i]], len(kept))
        return replace(self, data=[[cells[i] for i in kept] for cells in self.data], places=places)


def distinct(cells: Cells) -> Iterable[Any]:
    """Return the distinct cells of a column, or all of them if some cannot be compared."""
    try:
        return dict.fromkeys(cells)
    except TypeError:  # a list or a dict
        return cells


def each(function: Callable[[Any], Any], cells: Cells) -> list[Any]:
    """Apply a function to every cell of a column, once to equal cells if they can be compared."""
    try:
        known = {cell: function(cell) for cell in dict.fromkeys(cells)}
    except TypeError:
        return [function(cell) for cell in cells]
    return [known[cell] for cell in cells]


def parsed(cells: Cells) -> list[float | None]:
    """Return the cells of a column as numbers, NaN if missing, None if not numbers."""
    return each(number, cells)


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
    another one excludes it. A format with ``files`` is that of whole folders: ``files`` lists the
    files of this format below a folder, and their rows make one long table.
    """

    name: str
    description: str
    recognises: Callable[[File], bool]
    read: Callable[[File], Table]
    one_per_run: bool = False
    shaped: bool = False
    files: Callable[[Path], list[Path]] | None = None


def join(source: str, tables: Mapping[str, Table]) -> Table:
    """Join the rows of tables with the same header; the keys name them in messages."""
    first = next(iter(tables.values()))
    columns = zip(*(table.data for table in tables.values()), strict=True)
    data = [list(chain.from_iterable(cells)) for cells in columns]
    notes = dict.fromkeys(note for table in tables.values() for note in table.notes)
    places = Places.joined({name: table.places for name, table in tables.items()})
    return replace(first, source=source, data=data, places=places, notes=tuple(notes))


def from_frame(frame: pd.DataFrame, source: str, *, transpose: bool = False) -> Table:
    """Turn a DataFrame into a Table; the index holds the topics unless a column does.

    An index that only numbers the rows is ignored, so that columns are interpreted as in a file. A
    table with named axes is turned so that topics are rows, unless the caller will transpose it.
    """
    levels = frame.index.names
    if isinstance(frame.index, pd.MultiIndex) and all(is_name(x, LABEL_NAMES) for x in levels):
        frame = frame.reset_index()
    if isinstance(frame.columns, pd.MultiIndex) or isinstance(frame.index, pd.MultiIndex):
        raise ScoresError(
            f"{source}: labels have several levels; expected 1.",
            "Name the levels of the rows system and topic, or keep one level.",
        )
    labelled = bool(Table(source, list(frame.columns), [], []).columns("topic"))
    frame = frame if labelled or transpose else upright(frame, ask=False)
    header: list[Hashable] = list(frame.columns)
    data = [_cells(frame.iloc[:, i]) for i in range(frame.shape[1])]
    numbers: list[Hashable] | None = None
    name = frame.index.name
    if isinstance(frame.index, pd.RangeIndex) and name is None and header:
        numbers = list(frame.index)
    elif not labelled or name is not None:
        known = labelled or is_name(name, TOPIC_NAMES | SYSTEM_NAMES)
        unknown = "topic" if is_name(frame.columns.name, SYSTEM_NAMES) else ""
        header.insert(0, name if known else unknown)
        data.insert(0, frame.index.tolist())
    if not len(frame):
        raise ScoresError(f"{source}: the table has no rows.", "Provide one row per topic.")
    return Table(source, header, data, Places.of("row", range(1, len(frame) + 1)), numbers)


def _cells(column: pd.Series[Any]) -> Cells:
    """Return the cells of a column of a DataFrame; equal texts are one object."""
    cells = column.astype(object).tolist()
    if pd.api.types.is_numeric_dtype(column.dtype):
        return cells
    known: dict[str, str] = {}
    return [known.setdefault(x, x) if isinstance(x, str) else x for x in cells]
