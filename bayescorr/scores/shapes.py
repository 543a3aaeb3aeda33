"""Shapes of tables: wide (one column per system) and long (one row per score)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from bayescorr.errors import Argument, ScoresError
from bayescorr.scores.cells import clean
from bayescorr.scores.found import Found
from bayescorr.scores.inspect_logs import from_samples
from bayescorr.scores.long import long_scores
from bayescorr.scores.measures import is_measure
from bayescorr.scores.tables import Table
from bayescorr.scores.wide import wide_scores


class Shape(NamedTuple):
    """A shape of tables: its description, and the function that reads it."""

    description: str
    read: Callable[[Table, str | None, bool, str], Found]


SHAPES = {
    "wide": Shape(
        "One column per system, one row per topic, and a column task if there are tasks. The topic "
        "labels are in the column named topic, qid, query_id, question_id, item or the like, or "
        "else in the first column if it has no name or contains text. An error is raised if the "
        "first column could be either labels or scores.",
        wide_scores,
    ),
    "matrix": Shape(
        "One column per system and no topic labels; topics are named t1, t2, ...",
        partial(wide_scores, labels=False),
    ),
    "long": Shape(
        "One row per score: a system column (system, run, model, method ...), a topic column "
        "(topic, qid, question_id, item ...), a score column (score, value, correct, accuracy ...) "
        "and, if there are several, a column of measures, of tasks and of repeats (seed, epoch "
        "...); or one column per measure.",
        long_scores,
    ),
}


def table_scores(
    table: Table,
    shape: str,
    measure: str | None,
    *,
    transpose: bool = False,
    as_is: bool = False,
    repeats: str = "error",
) -> Found:
    """Read a table of the given shape, or find the shape by the column names ("auto").

    With ``transpose``, the rows of a wide table are systems. With ``as_is``, nothing is left out.
    """
    table = clean(from_samples(table))
    if shape == "auto":
        shape = "long" if is_long(table) else "wide"
    if transpose and shape == "long":
        raise ScoresError(
            f"{table.source}: a long table names its systems and topics; it cannot be transposed.",
            ("Omit ", Argument("transpose"), "."),
        )
    found = SHAPES[shape].read(table, measure, as_is, repeats)
    return found.transposed() if transpose else found


def is_long(table: Table) -> bool:
    """Return whether a table is long by its column names; raise if it could also be wide."""
    system, topic = table.column("system"), table.column("topic")
    if topic is None and system is not None:
        topic = table.task()
    scores = table.columns("score")
    by_name = [i for i in scores if not is_measure(table.header[i])]
    kind = "" if system is None else _names(table, system)
    if kind == "fractions":  # scores of a system that is called "model" or "run"
        system = None
    if system is not None and (topic is not None or by_name):
        if kind == "whole":
            raise ScoresError(
                f"{table.source}: column {table.header[system]!r} contains numbers, which could be "
                "system names in a long table or scores in a wide table.",
                ("Use ", Argument("format", "long"), " or ", Argument("format", "wide"), "."),
            )
        return True
    if topic is not None and scores and table.column("measure") is not None:
        return True
    others = [h for i, h in enumerate(table.header) if i != system]
    if kind == "text" and (len(others) == 1 or all(map(is_measure, others))):
        raise ScoresError(
            f"{table.source}: one row per system (column {table.header[system or 0]!r}) and no "
            "topics.",
            "Provide the scores of each topic (perquery=True in PyTerrier). If the rows are "
            "topics, name that column topic.",
        )
    return False


def _names(table: Table, column: int) -> str:
    """Return what a system column holds: "text" if any cell is, or else the kind of numbers."""
    return "text" if table.has_text(column) else table.kind(column)
