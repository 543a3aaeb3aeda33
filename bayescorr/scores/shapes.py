"""Shapes of tables: wide (one column per system) and long (one row per score)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from bayescorr._numbers import FloatArray
from bayescorr.errors import Argument, ScoresError, listing
from bayescorr.scores.files import refuse_repeats, repeated
from bayescorr.scores.frames import MISSING_CELLS, number, numbered
from bayescorr.scores.tables import HEADERS, SUMMARY, Table

SCORE = re.compile(r"-?((\d*\.\d+|\d+\.)([eE][-+]?\d+)?|\d+[eE][-+]?\d+|0|1)")


def table_scores(table: Table, shape: str, measure: str | None = None) -> pd.DataFrame:
    """Read a table of the given shape, or find the shape by the column names ("auto")."""
    if shape == "auto":
        shape = "long" if is_long(table) else "wide"
    return SHAPES[shape].read(table, measure)


def wide_scores(table: Table, measure: str | None = None, *, labels: bool = True) -> pd.DataFrame:
    """Read a table with one column per system; without ``labels`` every column is a system."""
    refuse_measure(measure, f"{table.source}: a wide table")
    _check_header(table, labels)
    label = _label_column(table) if labels else None
    systems = [i for i in range(len(table.header)) if i != label]
    if not systems:
        raise ScoresError(f"{table.source}: no systems.", "Provide one column per system.")
    if label is None:
        topics = table.numbers or numbered("t", len(table.rows)).tolist()
    else:
        table = table.where(label, _is_topic)
        topics = table.labels(label)
        refuse_repeats(table.source, table.places, [(x,) for x in topics], "topic {!r}")
    names = [table.header[i] for i in systems]
    return pd.DataFrame(_numbers(table, systems), index=pd.Index(topics), columns=pd.Index(names))


def long_scores(table: Table, measure: str | None = None) -> pd.DataFrame:
    """Read a table with one row per system and topic (and measure), in order of appearance."""
    system, topic = _required(table, "system"), _required(table, "topic")
    table, score = _of_measure(table, measure, {system, topic})
    table = table.where(topic, _is_topic)
    values = _numbers(table, [score])[:, 0]
    pairs = list(zip(table.labels(topic), table.labels(system), strict=True))
    refuse_repeats(table.source, table.places, pairs, "score of system {1!r} on topic {0!r}")
    (rows, topics), (columns, systems) = (
        pd.factorize(pd.Series(labels, dtype=object)) for labels in zip(*pairs, strict=True)
    )
    scores = np.full((len(topics), len(systems)), np.nan)
    scores[rows, columns] = values
    return pd.DataFrame(scores, index=pd.Index(topics.tolist()), columns=pd.Index(systems.tolist()))


class Shape(NamedTuple):
    """A shape of tables: its description, and the function that reads it."""

    description: str
    read: Callable[[Table, str | None], pd.DataFrame]


SHAPES = {
    "wide": Shape(
        "One column per system, one row per topic. The topic labels are in the column named topic, "
        "qid, query_id or query, or else in the first column if it has no name or contains text. "
        "An error is raised if the first column could be either labels or scores.",
        wide_scores,
    ),
    "matrix": Shape(
        "One column per system and no topic labels; topics are named t1, t2, ...",
        partial(wide_scores, labels=False),
    ),
    "long": Shape(
        "One row per score: a system column (system, run, name), a topic column (topic, qid, "
        "query_id), a score column (score, value) and, with several measures, a measure column; or "
        "one column per measure.",
        long_scores,
    ),
}


def is_long(table: Table) -> bool:
    """Return whether a table is long by its column names; raise if it could also be wide."""
    found = {kind for kind in HEADERS if table.column(kind) is not None}
    system = table.column("system")
    numeric = [] if system is None else [number(x) is not None for x in table.cells(system)]
    by_system = system is not None and bool(found & {"topic", "score"})
    if not by_system and not found >= {"topic", "score", "measure"}:
        if system is not None and not any(numeric):
            raise ScoresError(
                f"{table.source}: one row per system (column {table.header[system]!r}) and no "
                "topics.",
                "Provide the scores of each topic (perquery=True in PyTerrier). If the rows are "
                "topics, name that column topic.",
            )
        return False
    if system is not None and all(numeric):
        raise ScoresError(
            f"{table.source}: column {table.header[system]!r} contains numbers, which could be "
            "system names in a long table or scores in a wide table.",
            ("Use ", Argument("format", "long"), " or ", Argument("format", "wide"), "."),
        )
    return True


def refuse_measure(measure: str | None, what: str) -> None:
    """Raise if a measure is given for scores that do not name theirs."""
    if measure is not None:
        raise ScoresError(
            f"{what} does not name its measure; {measure!r} was requested.",
            ("Omit ", Argument("measure"), "."),
        )


def choose_measure(measure: str | None, found: Sequence[str], source: str) -> str:
    """Return the requested measure, or the only one."""
    options = listing(sorted(map(repr, found)))
    if measure is None and len(found) == 1:
        return found[0]
    if measure is None:
        raise ScoresError(
            f"{source}: scores of {len(found)} measures: {options}.",
            ("Choose one with ", Argument("measure"), "."),
        )
    if measure not in found:
        raise ScoresError(
            f"{source}: no scores of measure {measure!r}.", f"Available measures: {options}."
        )
    return measure


def _required(table: Table, kind: str) -> int:
    column = table.column(kind)
    if column is None:
        raise ScoresError(
            f"{table.source}: no {kind} column among {listing(map(repr, table.header))}.",
            f"Use one of these names: {', '.join(sorted(HEADERS[kind]))}.",
        )
    return column


def _of_measure(table: Table, measure: str | None, taken: set[int]) -> tuple[Table, int]:
    """Return the rows and the column of a measure, found by a measure column or column names."""
    by_row, score = table.column("measure"), table.column("score")
    if by_row is not None and score is not None:
        found = list(dict.fromkeys(map(str, table.cells(by_row))))
        chosen = choose_measure(measure, found, table.source)
        return table.where(by_row, lambda cell: str(cell) == chosen), score
    if score is not None and (measure is None or measure == table.header[score]):
        return table, score
    others = [i for i in range(len(table.header)) if i not in taken and i != by_row]
    names = [str(table.header[i]) for i in others]
    if not names:
        raise ScoresError(f"{table.source}: no score column.", "Name it score or value.")
    return table, others[names.index(choose_measure(measure, names, table.source))]


def _check_header(table: Table, labels: bool) -> None:
    names = [str(h) for h in table.header]
    # The first may be the label of a topic.
    scores = [name for name in names[int(labels) :] if name.lower() not in MISSING_CELLS]
    named = not names[0].strip() or table.column("topic") is not None
    if table.numbers is None and not named and scores and all(map(SCORE.fullmatch, scores)):
        raise ScoresError(
            f"{table.source}: the header contains scores: {listing(names, most=3)}.",
            "Add a header line that names the systems."
            if not labels
            else "Add a header line such as topic,system1,system2 (or system,mean for means). If "
            "this is the header, name its first column topic.",
        )
    unnamed = next((i for i, name in enumerate(names) if i and not name.strip()), None)
    if unnamed is not None:
        raise ScoresError(
            f"{table.source}: column {unnamed + 1} has no name.", "Name every system in the header."
        )
    if again := repeated(names):
        raise ScoresError(
            f"{table.source}: columns {again[0] + 1} and {again[1] + 1} have the same name, "
            f"{names[again[0]]!r}.",
            "Give every system a unique name.",
        )


def _label_column(table: Table) -> int | None:
    """Return the position of the column with the topic labels, if there is one."""
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
    if kind := _like_labels(table):
        raise ScoresError(
            f"{table.source}: column {table.header[0]!r} contains {kind}, which could be topic "
            "labels or the scores of a system.",
            (
                "Name the column topic if these are labels, or use ",
                Argument("format", "matrix"),
                " if they are scores.",
            ),
        )
    return None


def _like_labels(table: Table) -> str:
    """Describe the numbers in the first column if they look like labels: 401, 301.0, turn 31.1."""
    first, *others = (table.cells(i) for i in range(len(table.header)))
    labels, scores = (
        np.array([number(cell) for cell in cells], dtype=float)
        for cells in (first, [cell for row in table.rows for cell in row[1:]])
    )
    lowest, highest = labels.min(), np.fmax.reduce(scores, initial=0.0)
    if _counts(first) and (highest < lowest or not any(map(_counts, others))):
        return "distinct whole numbers"
    if len(set(labels)) == len(labels) > 1 and lowest >= 1 and lowest > highest:
        return "distinct numbers larger than all others"
    return ""


def _counts(cells: Sequence[Any]) -> bool:
    texts = [str(cell) for cell in cells]
    return len(set(texts)) == len(texts) > 1 and all(text.isdigit() for text in texts)


def _is_topic(label: object) -> bool:
    return str(label) != SUMMARY


def _numbers(table: Table, columns: Sequence[int]) -> FloatArray:
    """Return the cells of columns as numbers; an error lists the cells that are not finite."""
    values = [[number(row[column]) for column in columns] for row in table.rows]
    bad = [
        (place, table.header[column], row[column])
        for place, row, numbers in zip(table.places, table.rows, values, strict=True)
        for column, value in zip(columns, numbers, strict=True)
        if value is None or math.isinf(value)
    ]
    if bad:
        cells = (f"{place}, column {name!r}: {cell!r}" for place, name, cell in bad)
        comma = any(re.fullmatch(r"-?\d*,\d+", str(cell)) for _, _, cell in bad)
        raise ScoresError(
            f"{table.source}: not a finite number: {listing(cells, separator='; ')}.",
            "Write decimals with a point, not a comma." if comma else "Correct these cells.",
        )
    return np.array(values, dtype=float).reshape(len(table.rows), len(columns))
