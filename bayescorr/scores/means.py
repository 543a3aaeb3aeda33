"""Read mean scores from a file: one system and its mean on each line."""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd

from bayescorr.errors import CoefficientError, listing
from bayescorr.scores.files import File, refuse_repeats
from bayescorr.scores.frames import SYSTEM_NAMES, TOPIC_NAMES, is_name, number
from bayescorr.scores.measures import is_measure


def read_means(path: str | Path) -> pd.Series[float] | None:
    """Read a file with two columns, system and mean; return None if it is something else.

    Columns are separated by commas, tabs, semicolons or blanks; a header is optional. A first
    column of numbers, or with the name of a topic column, means scores instead, unless it has the
    name of a system column.
    """
    file = File(Path(path), CoefficientError)
    try:
        lines = file.lines
    except CoefficientError:  # read_scores reports what is wrong with it
        return None
    first = next(iter(lines.values()))
    separator = next((mark for mark in ",\t;" if mark in first.strip()), None)
    rows = {i: [x.strip() for x in line.strip().split(separator)] for i, line in lines.items()}
    if any(len(row) != 2 for row in rows.values()):
        return None
    values = {i: number(mean) for i, (_, mean) in rows.items()}
    wrong = [i for i, value in values.items() if value is None or not math.isfinite(value)]
    # A header has text where a mean belongs; a missing mean is not a header.
    header = rows.pop(wrong.pop(0)) if values[next(iter(rows))] is None else None
    systems = [system for system, _ in rows.values()]
    if len(wrong) == len(rows) or (header and is_name(header[0], TOPIC_NAMES)):
        return None
    named = header is not None and is_name(header[0], SYSTEM_NAMES)
    if not named and all(number(system) is not None for system in systems):
        return None
    name, remedy = file.path.name, "Write one system and its mean on each line"
    if wrong:
        raise CoefficientError(
            f"{name}: expected a mean on {listing(wrong)}; got "
            f"{listing(repr(rows[i][1]) for i in wrong)}.",
            f"{remedy}.",
        )
    if header is None and all(map(is_measure, systems)):
        raise CoefficientError(
            f"{name}: means of several measures of one run ({listing(systems)}).",
            f"{remedy}. If these are systems, add the header system,mean.",
        )
    refuse_repeats(name, list(rows), [(x,) for x in systems], "system {!r}", CoefficientError)
    file.warn()
    return pd.Series([values[i] for i in rows], index=pd.Index(systems), dtype=float)
