"""Wide tables: one column per system, one row per topic."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from bayescorr.errors import Argument, ScoresError, Text, listing
from bayescorr.scores.cells import numbers
from bayescorr.scores.files import refuse_repeats, repeated
from bayescorr.scores.found import Found, Question
from bayescorr.scores.frames import (
    MISSING_CELLS,
    TOPIC_NAMES,
    is_name,
    is_unnamed,
    number,
    numbered,
    numbers_rows,
)
from bayescorr.scores.groups import label_tasks
from bayescorr.scores.long import within_tasks
from bayescorr.scores.repeats import pivot
from bayescorr.scores.summaries import summary_of
from bayescorr.scores.tables import Table, is_blank

SCORE = re.compile(
    r"-?((\d*[.,]\d+|\d+\.)([eE][-+]?\d+)?( ?%)?|\d+[eE][-+]?\d+|\d+ ?%|0|1)|true|false", re.I
)


def wide_scores(
    table: Table,
    measure: str | None = None,
    as_is: bool = False,
    repeats: str = "error",
    *,
    labels: bool = True,
) -> Found:
    """Read a table with one column per system; without ``labels`` every column is a system.

    A column named task holds the tasks of the topics if it is text; with ``repeats``, one named
    seed or the like tells the rows of a topic apart.
    """
    refuse_measure(measure, f"{table.source}: a wide table")
    _check_header(table, labels)
    label, kind = _label_column(table) if labels else (None, "numbers")
    task = None if label is None else table.task(label)
    task = None if task is None or not table.has_text(task) else task
    again = [] if repeats == "error" or label is None else table.columns("repeat")
    systems, notes, questions = _systems(table, label, as_is, {task, *again})
    if not systems:
        raise ScoresError(f"{table.source}: no systems.", "Provide one column per system.")
    topics: Sequence[Hashable]
    if label is None:
        topics = table.numbers or numbered("t", len(table)).tolist()
    else:
        if not as_is:
            table, more = _without_summary(table, label, systems)
            notes += more
        topics = table.labels(label)
        if task is not None:
            topics = within_tasks(table.labels(task), topics)
        if repeats == "error":
            _refuse_repeats(table, topics)
    values, names = numbers(table, systems), [table.header[i] for i in systems]
    if label is None or repeats == "error":
        frame = pd.DataFrame(values, index=pd.Index(topics), columns=pd.Index(names))
    else:
        long = table.take([i for i in range(len(table)) for _ in names])
        items = [topic for topic in topics for _ in names]
        frame, note = pivot(long, values.ravel(), items, names * len(topics), repeats)
        notes += [note] if note else []
    if task is not None:
        frame = label_tasks(frame, dict(zip(topics, map(str, table.labels(task)), strict=True)))
    return Found(table.source, frame, kind, None, (*table.notes, *notes), tuple(questions))


def refuse_measure(measure: str | None, what: str) -> None:
    """Raise if a measure is given for scores that do not name theirs."""
    if measure is not None:
        raise ScoresError(
            f"{what} does not name its measure; {measure!r} was requested.",
            ("Omit ", Argument("measure"), "."),
        )


def _check_header(table: Table, labels: bool) -> None:
    names = [str(h) for h in table.header]
    # The first may be the label of a topic.
    scores = [name for name in names[int(labels) :] if name.lower() not in MISSING_CELLS]
    named = not names[0].strip() or bool(table.columns("topic"))
    if table.numbers is None and not named and scores and all(map(SCORE.fullmatch, scores)):
        raise ScoresError(
            f"{table.source}: the header contains scores: {listing(names, most=3)}.",
            "Add a header line that names the systems."
            if not labels
            else "Add a header line such as topic,system1,system2 (or system,mean for means). If "
            "this is the header, name its first column topic.",
        )
    given = [i for i, name in enumerate(names) if name.strip()]
    if again := repeated([names[i] for i in given]):
        first, second = (given[i] for i in again)
        raise ScoresError(
            f"{table.source}: columns {first + 1} and {second + 1} have the same name, "
            f"{names[first]!r}.",
            "Give every system a unique name.",
        )


def _label_column(table: Table) -> tuple[int | None, str]:
    """Return the position of the column with the topic labels, and where the labels come from.

    See :class:`~bayescorr.scores.found.Found` for the second value.
    """
    named, system = table.column("topic"), table.column("system")
    unnamed = is_unnamed(table.header[0])
    if named is not None and not (unnamed and named == 0 and str(table.header[0]).strip()):
        return named, "named"
    counts = unnamed and numbers_rows(table.cells(0))
    first = 1 if counts and len(table.header) > 1 else 0  # beside row numbers, labels come second
    if system == first and table.has_text(first):
        return first, "systems"
    if first and table.kind(first) == "text":
        return first, "labels"
    if first and is_name(table.header[first], TOPIC_NAMES) and _counts(table.cells(first)):
        return first, "named"  # the index of a data frame, written as a column named index
    if unnamed:
        return 0, "numbers" if counts else "unnamed"
    cells = table.cells(0)
    text = sum(number(cell) is None for cell in cells)
    # A stray word among decimals is a bad cell, not a sign of labels.
    if text > len(cells) / 2 or (text and not any("." in str(cell) for cell in cells)):
        return 0, "labels"
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
    return None, "numbers"


def _like_labels(table: Table) -> str:
    """Describe the numbers in the first column if they look like labels: 401, 301.0, turn 31.1."""
    first, *others = (table.cells(i) for i in range(len(table.header)))
    labels, scores = (
        np.array([number(cell) for cell in cells], dtype=float)
        for cells in (first, [cell for column in table.data[1:] for cell in column])
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


def _systems(
    table: Table, label: int | None, as_is: bool, others: Collection[int | None]
) -> tuple[list[int], list[Text], list[Question]]:
    """Return the columns of the systems, with notes on columns left out and questions.

    Row numbers and ``others`` are left out, as are other labels of the topics, such as the text of
    the queries.
    """
    systems: list[int] = []
    notes: list[Text] = []
    questions: list[Question] = []
    for i, header in enumerate(table.header):
        nameless = not str(header).strip()
        if i == label or i in others:
            continue
        optional = label is not None and is_unnamed(header) and not as_is
        if optional and numbers_rows(table.cells(i), in_order=len(table) < 3):
            name = f"{i + 1} (no name)" if nameless else repr(header)
            notes.append(f"Left out column {name}: it numbers the rows.")
            continue
        if nameless:
            raise ScoresError(
                f"{table.source}: column {i + 1} has no name.", "Name every system in the header."
            )
        if label is not None and is_name(header, TOPIC_NAMES):
            if table.kind(i) == "text":
                continue
            questions.append(
                Question(
                    f"Column {header!r} has a name for topic labels, as column "
                    f"{table.header[label]!r} does.",
                    kind="system",
                )
            )
        systems.append(i)
    return systems, notes, questions


def _without_summary(table: Table, label: int, systems: Sequence[int]) -> tuple[Table, list[Text]]:
    """Leave out the first or last row if it has no label and is the mean or sum of the others."""
    blank = [i for i, cell in enumerate(table.cells(label)) if is_blank(cell)]
    last = len(table) - 1
    if len(blank) != 1 or blank[0] not in (0, last):
        return table, []
    values = numbers(table, systems)
    what = summary_of(values[blank[0]], np.delete(values, blank[0], 0), ("mean", "sum"))
    if not what:
        return table, []
    which = "last" if blank[0] == last else "first"
    note = f"Left out the {which} row (no label): it is the {what} of the other rows."
    return table.where(label, lambda cell: not is_blank(cell)), [note]


def _refuse_repeats(table: Table, topics: Sequence[Hashable]) -> None:
    """Raise if a topic occurs twice; if most do, the table may be a long one."""
    if len(topics) >= 4 and len(set(topics)) <= len(topics) / 2:
        first, second = repeated(topics) or (0, 0)
        raise ScoresError(
            f"{table.source}, {table.places[second]}: duplicate topic {topics[second]!r}; first on "
            f"{table.places[first]}.",
            "If this is a long table, name its columns system, topic and score.",
        )
    refuse_repeats(table.source, table.places, [(x,) for x in topics], "topic {!r}")
