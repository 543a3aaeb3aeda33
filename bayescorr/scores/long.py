"""Long tables: one row per score."""

from __future__ import annotations

from itertools import pairwise

from bayescorr.errors import ScoresError, listing
from bayescorr.scores.cells import numbers
from bayescorr.scores.found import Found
from bayescorr.scores.frames import GENERIC_NAMES, NAMES, is_name, is_unnamed
from bayescorr.scores.groups import label_tasks
from bayescorr.scores.measures import choose_by_task, choose_measure, display
from bayescorr.scores.repeats import pivot
from bayescorr.scores.summaries import summarises_topics
from bayescorr.scores.tables import Cells, Table


def long_scores(
    table: Table, measure: str | None = None, as_is: bool = False, repeats: str = "error"
) -> Found:
    """Read a table with one row per system and topic (and measure), in order of appearance.

    If there are tasks, topics are labelled task/topic; without topics, tasks are the topics.
    """
    system, topic = _required(table, "system"), table.column("topic")
    if topic is None:
        topic = table.task()
    if topic is None:
        topic = _required(table, "topic")
    task = table.task(topic)
    if task is not None and not as_is:
        table = _without_averages(table, topic)
    taken = {system, topic} if task is None else {system, topic, task}
    table, score, name = _of_measure(table, measure, taken, task)
    values = numbers(table, [score])[:, 0]
    items, systems = table.labels(topic), table.labels(system)
    tasks = None if task is None else table.labels(task)
    if tasks is not None:
        items = within_tasks(tasks, items)
    scores, note = pivot(table, values, items, systems, repeats)
    if tasks is not None:
        scores = label_tasks(scores, dict(zip(items, map(str, tasks), strict=True)))
    return Found(table.source, scores, "named", name, (*table.notes, *([note] if note else [])))


def within_tasks(tasks: Cells, topics: Cells) -> Cells:
    """Label topics task/topic, unless they are labelled so already."""
    pairs = dict.fromkeys(zip(tasks, topics, strict=True))
    if all(str(topic).startswith(f"{task}/") for task, topic in pairs):
        return list(map(str, topics))
    labels = {pair: f"{pair[0]}/{pair[1]}" for pair in pairs}
    return [labels[pair] for pair in zip(tasks, topics, strict=True)]


def _required(table: Table, kind: str) -> int:
    column = table.column(kind)
    if column is None:
        raise ScoresError(
            f"{table.source}: no {kind} column among {listing(map(repr, table.header))}.",
            f"Name this column {kind}.",
        )
    return column


def _without_averages(table: Table, topic: int) -> Table:
    """Leave out the averages over the topics of a task."""
    kept = table.where(topic, lambda cell: not summarises_topics(cell))
    if len(kept) == len(table):
        return table
    note = f"Left out {len(table) - len(kept)} averages over topics (topic 'all' or 'amean')."
    return kept.with_notes(note)


def _of_measure(
    table: Table, measure: str | None, taken: set[int], task: int | None
) -> tuple[Table, int, str | None]:
    """Return the rows, the column and the name of a measure.

    The measure is found by a measure column or by column names. Text columns are ignored.
    """
    by_row, scores = table.column("measure"), table.columns("score")
    if by_row is not None and len(scores) == 1:
        return _by_row(table, measure, by_row, scores[0], task)
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


def _by_row(
    table: Table, measure: str | None, column: int, score: int, task: int | None
) -> tuple[Table, int, str]:
    """Return the rows of a measure that a column names; each task may have another one."""
    cells = table.cells(column)
    found = list(dict.fromkeys(map(str, dict.fromkeys(cells))))
    if task is None:
        offered = table.measures if measure is None and table.measures else found
        chosen = choose_measure(measure, offered, table.source)
        return table.where(column, lambda cell: str(cell) == chosen), score, chosen
    pairs = dict.fromkeys(zip(map(str, table.cells(task)), map(str, cells), strict=True))
    of_task: dict[str, list[str]] = {}
    for name, known in pairs:
        of_task.setdefault(name, []).append(known)
    by_task = choose_by_task(measure, of_task, table.source)
    kept = table.take(
        [
            i
            for i, (name, cell) in enumerate(zip(table.cells(task), cells, strict=True))
            if by_task[str(name)] == str(cell)
        ]
    )
    if all(a == b for a, b in pairwise(by_task.values())):
        return kept, score, next(iter(by_task.values()))
    pairs_used = (f"{known} of {name}" for name, known in by_task.items())
    note = f"Read several measures: {listing(pairs_used)}."
    joined = ", ".join(dict.fromkeys(map(display, by_task.values())))
    return kept.with_notes(note), score, joined


def _may_hold_scores(table: Table, column: int, taken: set[int]) -> bool:
    header = table.header[column]
    others = NAMES["repeat"][0] | NAMES["measure"][0] | NAMES["task"][0]
    named = is_unnamed(header) or is_name(header, others)
    return column not in taken and not named and table.kind(column) != "text"
