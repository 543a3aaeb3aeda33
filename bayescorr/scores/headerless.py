"""Four columns without a header: run, topic, measure and value, in any order.

The order is found by what the columns hold: names of measures, numbers, and topics that end in a
number or include the average ``all``. If columns cannot be told apart, an error shows them.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import permutations

from bayescorr.errors import ScoresError, listing
from bayescorr.scores.files import File
from bayescorr.scores.frames import number
from bayescorr.scores.measures import is_measure
from bayescorr.scores.questions import TOPIC_LIKE
from bayescorr.scores.summaries import summarises_topics
from bayescorr.scores.tables import Cells, Format, Places, Table, distinct

HEADER = ("system", "topic", "measure", "score")
_REMEDY = "Add a header line such as: run topic measure value."


def read_headerless(file: File) -> Table:
    """Read four columns that are separated by tabs, commas or blanks."""
    separator = _separator(file.first[1])
    rows: list[list[str]] = []
    lines: list[int] = []
    known: dict[str, str] = {}
    for i, line in enumerate(io.StringIO(file.text), start=1):
        if not line.strip():
            continue
        cells = [known.setdefault(x, x) for x in map(str.strip, line.strip().split(separator))]
        if len(cells) != len(HEADER):
            raise ScoresError(
                f"{file.path}, line {i}: expected 4 columns (run, topic, measure, value in any "
                f"order); got {len(cells)}.",
                "Correct this line.",
            )
        rows.append(cells)
        lines.append(i)
    data = list(map(list, zip(*rows, strict=True)))
    order = _order(str(file.path), data)
    columns = [data[order.index(name)] for name in HEADER]
    return Table(str(file.path), list(HEADER), columns, Places.of("line", lines), shape="long")


def _separator(line: str) -> str | None:
    return next((mark for mark in "\t," if line.count(mark) == len(HEADER) - 1), None)


def _order(source: str, data: Sequence[Cells]) -> tuple[str, ...]:
    """Return what each column holds; raise an error that shows the columns if it is unclear."""
    fits = [_fits(cells) for cells in data]
    orders = [
        order
        for order in permutations(HEADER)
        if all(name in fit for name, fit in zip(order, fits, strict=True))
    ]
    # A column with topics for sure is not that of the runs.
    sure = [i for i, cells in enumerate(data) if _are_topics(cells)]
    likely = [order for order in orders if order.index("topic") in sure]
    if len(likely) == 1 or len(orders) == 1:
        return (likely or orders)[0]
    columns = "; ".join(
        f"column {i} has {len(values)} value{'s' * (len(values) != 1)} ({listing(values, most=2)})"
        for i, values in enumerate((list(distinct(cells)) for cells in data), start=1)
    )
    what = "could be read in several ways" if orders else "are not run, topic, measure and value"
    raise ScoresError(f"{source}: four columns without a header {what}: {columns}.", _REMEDY)


def _fits(cells: Cells) -> set[str]:
    """Return what a column may hold."""
    values = list(distinct(cells))
    if all(map(is_measure, values)):
        return {"measure"}
    words = sum(number(x) is None for x in values)
    if words and any(map(summarises_topics, values)):
        return {"topic"}
    if words:
        # A stray word among numbers is a bad score, not a label.
        return {"score"} if words < 0.5 * len(values) else {"system", "topic"}
    return {"system", "topic", "score"} if all(map(str.isdigit, values)) else {"score"}


def _are_topics(cells: Cells) -> bool:
    """Return whether a column has topics: the average over them, or names such as q12 or 401."""
    values = list(distinct(cells))
    return any(map(summarises_topics, values)) or all(map(TOPIC_LIKE.fullmatch, values))


def _recognises(file: File) -> bool:
    """Return whether the first line has four cells with a measure, and would make no header."""
    line = file.first[1].strip()
    cells = [cell.strip() for cell in line.split(_separator(line))]
    if len(cells) != len(HEADER) or line.startswith(("#", "{", "[")):
        return False
    if "" in cells:  # the name of an index column, in a header of four columns
        return False
    numbers = sum(number(cell) is not None for cell in cells)
    return numbers in (1, 2) and any(map(is_measure, cells))


HEADERLESS = Format(
    "headerless",
    "Four columns without a header: run, topic, measure and value, in any order that can be told "
    "apart.",
    _recognises,
    read_headerless,
    shaped=True,
)
