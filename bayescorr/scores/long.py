"""Long tables: one row per score."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd

from bayescorr.errors import ScoresError, listing
from bayescorr.scores.cells import numbers
from bayescorr.scores.files import refuse_repeats, repeated
from bayescorr.scores.found import Found
from bayescorr.scores.frames import GENERIC_NAMES, NAMES, is_name, is_unnamed
from bayescorr.scores.measures import choose_measure
from bayescorr.scores.tables import Table


def long_scores(table: Table, measure: str | None = None, as_is: bool = False) -> Found:
    """Read a table with one row per system and topic (and measure), in order of appearance."""
    system, topic = _required(table, "system"), _required(table, "topic")
    table, score, name = _of_measure(table, measure, {system, topic})
    values = numbers(table, [score])[:, 0]
    pairs = list(zip(table.labels(topic), table.labels(system), strict=True))
    _refuse_repeats(table, pairs)
    (rows, topics), (columns, systems) = (
        pd.factorize(pd.Series(labels, dtype=object)) for labels in zip(*pairs, strict=True)
    )
    scores = np.full((len(topics), len(systems)), np.nan)
    scores[rows, columns] = values
    frame = pd.DataFrame(
        scores, index=pd.Index(topics.tolist()), columns=pd.Index(systems.tolist())
    )
    return Found(table.source, frame, "named", name, table.notes)


def _required(table: Table, kind: str) -> int:
    column = table.column(kind)
    if column is None:
        raise ScoresError(
            f"{table.source}: no {kind} column among {listing(map(repr, table.header))}.",
            f"Name this column {kind}.",
        )
    return column


def _of_measure(
    table: Table, measure: str | None, taken: set[int]
) -> tuple[Table, int, str | None]:
    """Return the rows, the column and the name of a measure.

    The measure is found by a measure column or by column names. Text columns are ignored.
    """
    by_row, scores = table.column("measure"), table.columns("score")
    if by_row is not None and len(scores) == 1:
        found = list(dict.fromkeys(map(str, table.cells(by_row))))
        offered = table.measures if measure is None and table.measures else found
        chosen = choose_measure(measure, offered, table.source)
        return table.where(by_row, lambda cell: str(cell) == chosen), scores[0], chosen
    candidates = [i for i in range(len(table.header)) if _may_hold_scores(table, i, taken)]
    if measure is None:
        candidates = scores or candidates
    elif len(scores) == 1:
        candidates = [*scores, *(i for i in candidates if i not in scores)]
    names = [str(table.header[i]) for i in candidates]
    if not names:
        raise ScoresError(
            f"{table.source}: no score column among {listing(map(repr, table.header))}.",
            "Name the column score.",
        )
    chosen = choose_measure(measure, names, table.source)
    known = None if is_name(chosen, GENERIC_NAMES) else chosen
    return table, candidates[names.index(chosen)], known


def _may_hold_scores(table: Table, column: int, taken: set[int]) -> bool:
    header = table.header[column]
    named = is_unnamed(header) or is_name(header, NAMES["repeat"][0] | NAMES["measure"][0])
    return column not in taken and not named and table.kind(column) != "text"


def _refuse_repeats(table: Table, pairs: Sequence[tuple[Hashable, Hashable]]) -> None:
    """Raise if a system has two scores on a topic; a column such as ``seed`` may say why."""
    again, column = repeated(pairs), table.columns("repeat")
    if again and column:
        topic, system = pairs[again[0]]
        count = pairs.count(pairs[again[0]])
        raise ScoresError(
            f"{table.source}: {count} scores of system {system!r} on topic {topic!r}; column "
            f"{table.header[column[0]]!r} tells them apart.",
            "Average them first, so that every system has one score on each topic.",
        )
    refuse_repeats(table.source, table.places, pairs, "score of system {1!r} on topic {0!r}")
