"""Read the tasks of items from a file of their own, or from a column of the scores' file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from bayescorr.errors import Argument, OptionError, ScoresError, listing
from bayescorr.scores.files import MAX_SIZE, File
from bayescorr.scores.long import within_tasks
from bayescorr.scores.read import FORMATS
from bayescorr.scores.tables import Table


def read_strata(
    strata: str, sources: Sequence[str] = (), max_size: float = MAX_SIZE
) -> dict[str, str]:
    """Return the task of each item, as text.

    Parameters
    ----------
    strata : str
        A file with two columns, items and their tasks, under a line of names; or the name of a
        column of the file of scores.
    sources : sequence of str
        The file of scores.
    max_size : float
        Size of the largest file to read, in MB, unpacked.
    """
    if os.path.exists(strata):
        table = _table(strata, max_size)
        if len(table.header) != 2:
            raise ScoresError(
                f"{strata}: a file of tasks has two columns, item and task; got "
                f"{len(table.header)}: {listing(map(repr, table.header))}.",
                "Keep these two columns.",
            )
        return _task_of(table, 0, 1, of_scores=False)
    if len(sources) != 1 or not os.path.isfile(sources[0]):
        raise OptionError(
            f"There is no file {strata!r}, and no single file of scores with such a column.",
            ("Check the path in ", Argument("strata"), "."),
        )
    table = _table(sources[0], max_size)
    names = [str(name) for name in table.header]
    if strata not in names:
        raise OptionError(
            f"{strata!r} is neither a file nor a column of {sources[0]}.",
            f"Its columns are: {listing(map(repr, names))}.",
        )
    task = names.index(strata)
    item = table.column("topic")
    item = 0 if item is None else item
    if item == task:
        raise OptionError(
            f"Column {strata!r} of {sources[0]} holds the items.",
            "Name the column that holds their tasks.",
        )
    return _task_of(table, item, task, of_scores=True)


def parse_weights(text: str | None) -> dict[str, float] | str | None:
    """Read weights of tasks: equal, size, or numbers by task.

    Examples
    --------
    >>> parse_weights("maths=2, law=1"), parse_weights("size"), parse_weights("equal")
    ({'maths': 2.0, 'law': 1.0}, 'size', None)
    """
    if text is None or text == "equal":
        return None
    if text == "size":
        return text
    found = {}
    for part in text.split(","):
        name, _, value = part.rpartition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            name = ""
        if not name.strip():
            raise OptionError(
                (Argument("weights"), f" must be equal, size or NAME=NUMBER,...; got {text!r}."),
                "Example: maths=2,law=1",
            )
    return found


def _table(path: str, max_size: float) -> Table:
    file = File(Path(path), max_size=max_size)
    return next(f for f in FORMATS.values() if f.recognises(file)).read(file)


def _task_of(table: Table, item: int, task: int, of_scores: bool) -> dict[str, str]:
    """Return the task of each item, labelled as in a table ``of_scores``; each has only one."""
    found: dict[str, str] = {}
    items, tasks = table.labels(item), table.labels(task)
    if of_scores and table.task(item) == task:
        items = within_tasks(tasks, items)
    pairs = zip(items, tasks, table.places, strict=True)
    for label, name, place in pairs:
        if found.setdefault(str(label), str(name)) != str(name):
            raise ScoresError(
                f"{table.source}, {place}: item {str(label)!r} is in the tasks "
                f"{found[str(label)]!r} and {str(name)!r}.",
                "Give every item one task, and items of different tasks different labels.",
            )
    return found
