"""Tables of scores, wide or long, with errors that name line and column.

Text and DataFrames come here as a :class:`Table` of cells; what a cell holds is decided here only.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from bayescorr.errors import ScoresError, listing
from bayescorr.scores.check import SYSTEM_NAMES, TOPIC_NAMES, is_name, numbered, upright

MISSING_CELLS = frozenset({"", "na", "n/a", "nan", "null", "none", "<na>"})
HEADERS = {
    "topic": TOPIC_NAMES,
    "system": SYSTEM_NAMES,
    "score": frozenset({"score", "value"}),
    "measure": frozenset({"measure", "metric"}),
}
SUMMARY = "all"
SCORE = re.compile(r"-?((\d*\.\d+|\d+\.)([eE][-+]?\d+)?|\d+[eE][-+]?\d+|0|1)")


@dataclass(frozen=True)
class Table:
    """Cells with their names: header, rows, and where each row is ("line 7" or "row 5").

    The rows of a DataFrame have ``numbers``, which label the topics where no column does.
    """

    source: str
    header: list[Hashable]
    rows: list[list[Any]]
    places: list[str]
    numbers: list[Hashable] | None = None

    def column(self, kind: str) -> int | None:
        """Position of the one column that holds the topic, system, score or measure, by name."""
        found = [i for i, h in enumerate(self.header) if is_name(h, HEADERS[kind])]
        if len(found) > 1:
            headers = " and ".join(repr(self.header[i]) for i in found)
            raise ScoresError(
                f"{self.source}: columns {headers} could both be the {kind} column.",
                "Leave one of them out, or rename it.",
            )
        return found[0] if found else None

    def cells(self, column: int) -> list[Any]:
        """All cells of a column."""
        return [row[column] for row in self.rows]


def parse_text(text: str, source: str) -> Table:
    """Split delimited text (comma, tab or semicolon, found from the header) into a Table."""
    lines = text.splitlines()
    first = next(line for line in lines if line.strip())
    delimiter = max(",\t;", key=first.count)
    if delimiter not in first:
        raise ScoresError(
            f"{source}, line {lines.index(first) + 1}: a header with one column found: "
            f"{first.strip()[:60]!r}.",
            "Separate columns by comma, tab or semicolon, one column per system.",
        )
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True, skipinitialspace=True)
    rows: list[list[Any]] = []
    places: list[str] = []
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append([cell.strip() for cell in row])
                places.append(f"line {reader.line_num}")
    except csv.Error as problem:
        raise ScoresError(
            f"{source}, line {reader.line_num}: not a table ({problem}).",
            "Check quotes and separators on this line.",
        ) from None
    header, rows, places = rows[0], rows[1:], places[1:]
    if not rows:
        raise ScoresError(f"{source}: a header but no rows.", "Give one row per topic.")
    if all(len(row) == len(header) + 1 for row in rows):
        ended = not any(row[-1] for row in rows)
        if not header[0] or any(is_name(name, TOPIC_NAMES) for name in header):
            if ended:
                rows = [row[:-1] for row in rows]
            elif any(is_name(name, SYSTEM_NAMES) for name in header):
                # In a long table these are numbers of rows, not topics: by write.table as well.
                numbers = [str(i + 1) for i in range(len(rows))]
                rows = [row[1:] for row in rows] if [row[0] for row in rows] == numbers else rows
        elif not ended:
            header = ["", *header]  # as R's write.table does for row names
    for row, place in zip(rows, places, strict=True):
        if len(row) != len(header):
            raise ScoresError(
                f"{source}, {place}: {len(row)} columns found, the header has {len(header)}.",
                "Give every line as many columns as the header; is there a decimal comma, or a "
                "separator at the end?",
            )
    return Table(source, header, rows, places)


def from_frame(frame: pd.DataFrame, source: str) -> Table:
    """Take a DataFrame apart; its index holds the topics unless a column of that name does.

    An index that only numbers the rows is no column, so that the columns are judged as in text.
    """
    if isinstance(frame.columns, pd.MultiIndex) or isinstance(frame.index, pd.MultiIndex):
        raise ScoresError(
            f"{source}: labels with several levels.",
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
        raise ScoresError(f"{source}: no rows.", "Give one row per topic.")
    return Table(source, header, rows, [f"row {i + 1}" for i in range(len(rows))], numbers)


def number(cell: Any) -> float | None:
    """Read a cell as a finite number; NaN when it is missing, None when it is something else."""
    if cell is None or cell is pd.NA or cell is pd.NaT:
        return math.nan
    if isinstance(cell, str):
        if cell.strip().lower() in MISSING_CELLS:
            return math.nan
        if "_" in cell:  # Python would read 1_000 as a number
            return None
    try:
        value = float(cell)
    except (TypeError, ValueError):
        return None
    return None if math.isinf(value) else value


def wide_scores(table: Table, *, labels: bool = True) -> pd.DataFrame:
    """Read a table with one column per system; without ``labels`` every column is a system."""
    _check_header(table, labels)
    label = _label_column(table) if labels else None
    systems = [i for i in range(len(table.header)) if i != label]
    if not systems:
        raise ScoresError(f"{table.source}: topics but no systems.", "Give one column per system.")
    if label is None:
        topics = table.numbers or numbered("t", len(table.rows)).tolist()
    else:
        topics = [_label(row[label], table, i, label) for i, row in enumerate(table.rows)]
    rows = {i: topic for i, topic in enumerate(topics) if topic != SUMMARY}
    _refuse_repeats(table, rows)
    values = _numbers(table, systems, list(rows))
    names = [table.header[i] for i in systems]
    return pd.DataFrame(values, index=pd.Index(list(rows.values())), columns=pd.Index(names))


def long_scores(table: Table, measure: str | None = None) -> pd.DataFrame:
    """Read a table with one row per system and topic (and measure)."""
    system = _required(table, "system")
    topic = _required(table, "topic")
    rows, score = _choose_measure(table, measure, {system, topic})
    rows = [i for i in rows if table.rows[i][topic] != SUMMARY]
    values = _numbers(table, [score], rows)[:, 0]
    pairs: dict[tuple[Hashable, Hashable], int] = {}
    for i in rows:
        cells = table.rows[i]
        pair = (_label(cells[topic], table, i, topic), _label(cells[system], table, i, system))
        if pair in pairs:
            raise ScoresError(
                f"{table.source}, {table.places[i]}: topic {pair[0]!r} of system {pair[1]!r} "
                f"was scored before on {table.places[pairs[pair]]}.",
                "Keep one score per topic and system.",
            )
        pairs[pair] = i
    return pivot(list(pairs), values)


def is_long(table: Table) -> bool:
    """Whether a table is long by its column names; an error when it could be wide as well."""
    system, topic, score, measure = (
        table.column(kind) is not None for kind in ("system", "topic", "score", "measure")
    )
    systems = table.column("system")
    if not ((system and (topic or score)) or (topic and score and measure)):
        _refuse_averages(table, systems)
        return False
    if systems is not None and all(number(cell) is not None for cell in table.cells(systems)):
        raise ScoresError(
            f"{table.source}: column {table.header[systems]!r} holds numbers: the names of systems "
            "in a long table, or the scores of a system in a wide one.",
            "Say which with format='long' or format='wide'.",
        )
    return True


def _refuse_averages(table: Table, systems: int | None) -> None:
    """Refuse a table with one row per system, such as an experiment prints it by default."""
    if systems is None or any(number(cell) is not None for cell in table.cells(systems)):
        return
    raise ScoresError(
        f"{table.source}: one row per system (column {table.header[systems]!r}) and no topics.",
        "Give the scores of every topic, such as by perquery=True; where the rows are topics, name "
        "the column topic.",
    )


def pivot(pairs: Sequence[tuple[Hashable, Hashable]], values: Any) -> pd.DataFrame:
    """Make topics x systems from (topic, system) pairs, in order of first appearance."""
    topics = {topic: i for i, topic in enumerate(dict.fromkeys(t for t, _ in pairs))}
    systems = {system: i for i, system in enumerate(dict.fromkeys(s for _, s in pairs))}
    scores = np.full((len(topics), len(systems)), np.nan)
    for (topic, system), value in zip(pairs, values, strict=True):
        scores[topics[topic], systems[system]] = value
    return pd.DataFrame(scores, index=pd.Index(list(topics)), columns=pd.Index(list(systems)))


def choose_measure(measure: str | None, found: Sequence[str], source: str) -> str:
    """Return the measure asked for, or the only one there is."""
    options = listing(sorted(map(repr, found)))
    if measure is None:
        if len(found) == 1:
            return found[0]
        raise ScoresError(
            f"{source}: scores of {len(found)} measures: {options}.", "Choose one with measure=."
        )
    if measure not in found:
        raise ScoresError(
            f"{source}: no scores of measure {measure!r}.", f"Measures found: {options}."
        )
    return measure


def _required(table: Table, kind: str) -> int:
    column = table.column(kind)
    if column is None:
        raise ScoresError(
            f"{table.source}: no {kind} column among {listing(map(repr, table.header))}.",
            f"Name it one of: {', '.join(sorted(HEADERS[kind]))}.",
        )
    return column


def _choose_measure(table: Table, measure: str | None, taken: set[int]) -> tuple[list[int], int]:
    """Rows and score column of the measure asked for, from a measure column or by column name."""
    by_row, score = table.column("measure"), table.column("score")
    rows = list(range(len(table.rows)))
    if by_row is not None and score is not None:
        found = list(dict.fromkeys(str(cell) for cell in table.cells(by_row)))
        chosen = choose_measure(measure, found, table.source)
        return [i for i in rows if str(table.rows[i][by_row]) == chosen], score
    if score is not None and (measure is None or measure == table.header[score]):
        return rows, score
    others = [i for i in range(len(table.header)) if i not in taken and i != by_row]
    names = [str(table.header[i]) for i in others]
    if not names:
        raise ScoresError(f"{table.source}: no score column.", "Name it score or value.")
    return rows, others[names.index(choose_measure(measure, names, table.source))]


def _check_header(table: Table, labels: bool) -> None:
    names = [str(h) for h in table.header]
    # The first may be the label of a topic.
    scores = [name for name in names[int(labels) :] if name.lower() not in MISSING_CELLS]
    named = not names[0].strip() or table.column("topic") is not None
    if table.numbers is None and not named and scores and all(map(SCORE.fullmatch, scores)):
        raise ScoresError(
            f"{table.source}: the header holds scores: {listing(names, most=3)}.",
            "Put a line before it that names topic and systems (system,mean if these are means); "
            "if it is that line, call its first column topic."
            if labels
            else "Put a line before it that names the systems.",
        )
    for i, name in enumerate(names):
        if i and not name.strip():
            raise ScoresError(
                f"{table.source}: column {i + 1} has no name.", "Name every system in the header."
            )
        if name in names[:i]:
            raise ScoresError(
                f"{table.source}: column {i + 1} has the name {name!r} of column "
                f"{names.index(name) + 1}.",
                "Give every system a name of its own.",
            )


def _label_column(table: Table) -> int | None:
    """Position of the column with the topic labels, if there is one."""
    named = table.column("topic")
    if named is not None:
        return named
    first = table.cells(0)
    if not str(table.header[0]).strip():
        return 0
    text = sum(number(cell) is None for cell in first)
    # A stray word among decimals is a bad cell, not a sign of labels.
    if text > len(first) / 2 or (text and not any("." in str(cell) for cell in first)):
        return 0
    whole = _counts(first) and not _are_counts_too(table, first)
    if whole or _stands_apart(table, first):
        kind = "whole numbers" if whole else "numbers above all others"
        raise ScoresError(
            f"{table.source}: column {table.header[0]!r} holds different {kind}, "
            "either topic labels or the scores of a system.",
            "Name the column topic if these are labels, or use format='matrix' if they are scores.",
        )
    return None


def _stands_apart(table: Table, first: Sequence[Any]) -> bool:
    """Whether the first column is like labels with decimals: 301.0, or 31.1 of a conversation."""
    labels = np.array([number(cell) for cell in first], dtype=float)
    others = np.array([number(cell) for row in table.rows for cell in row[1:]], dtype=float)
    highest = np.fmax.reduce(others, initial=0.0)
    lowest = labels.min()
    return len(set(labels)) == len(labels) > 1 and bool(lowest >= 1 and lowest > highest)


def _are_counts_too(table: Table, first: Sequence[Any]) -> bool:
    """Whether other columns are like the first: different whole numbers, as large as it has."""
    others = [table.cells(i) for i in range(1, len(table.header))]
    largest = max((number(cell) or 0.0 for cells in others for cell in cells), default=0.0)
    return any(_counts(cells) for cells in others) and largest >= min(map(float, first))


def _counts(cells: Sequence[Any]) -> bool:
    texts = [str(cell) for cell in cells]
    return len(set(texts)) == len(texts) > 1 and all(text.isdigit() for text in texts)


def _label(cell: Any, table: Table, row: int, column: int) -> Hashable:
    if pd.isna(cell) or str(cell).strip() == "":
        raise ScoresError(
            f"{table.source}, {table.places[row]}: no label in column "
            f"{str(table.header[column]) or column + 1!r}.",
            "Give every row a topic and, in a long table, a system.",
        )
    label: Hashable = cell
    return label


def _refuse_repeats(table: Table, topics: dict[int, Hashable]) -> None:
    seen: dict[Hashable, int] = {}
    for row, topic in topics.items():
        if topic in seen:
            raise ScoresError(
                f"{table.source}, {table.places[row]}: topic {topic!r} was there before on "
                f"{table.places[seen[topic]]}.",
                "Give every topic one row.",
            )
        seen[topic] = row


def _numbers(table: Table, columns: Sequence[int], rows: Sequence[int]) -> Any:
    values = np.empty((len(rows), len(columns)))
    offenders = []
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            cell = table.rows[row][column]
            value = number(cell)
            if value is None:
                offenders.append(f"{table.places[row]}, column {table.header[column]!r}: {cell!r}")
            else:
                values[i, j] = value
    if offenders:
        comma = any(re.search(r"'-?\d*,\d+'$", offender) for offender in offenders)
        raise ScoresError(
            f"{table.source}: not a finite number: {listing(offenders, separator='; ')}.",
            "Write decimals with a point, not a comma." if comma else "Correct these cells.",
        )
    return values
