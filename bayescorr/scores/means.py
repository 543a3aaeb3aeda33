"""Read mean scores from a file: one system and its mean on each line."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from bayescorr.errors import CoefficientError, listing
from bayescorr.scores.check import SYSTEM_NAMES, TOPIC_NAMES, is_name
from bayescorr.scores.evaluations import IR_MEASURES_MEASURE
from bayescorr.scores.files import File, repeated
from bayescorr.scores.tables import number


def read_means(path: str | Path) -> pd.Series[float] | None:
    """Read a file with two columns, system and mean; return None if it is something else.

    Columns are separated by commas, tabs, semicolons or blanks; a header is optional; the text may
    be gzipped. A file whose first column contains numbers, or is named as topics are, holds scores
    rather than means, unless the column is named as systems are.

    Raises
    ------
    CoefficientError
        If a mean is not a number, a system occurs twice, or the means are those of several measures
        of one run.
    """
    file = File(Path(path), CoefficientError)
    try:
        lines = file.lines()
    except CoefficientError:  # read_scores reports what is wrong with it
        return None
    first = next(iter(lines.values()))
    separator = next((mark for mark in ",\t;" if mark in first.strip()), None)
    rows = {i: [x.strip() for x in line.strip().split(separator)] for i, line in lines.items()}
    if any(len(row) != 2 for row in rows.values()):
        return None
    values = {i: number(mean) for i, (_, mean) in rows.items()}
    wrong = [i for i, value in values.items() if value is None or value != value]
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
            f"{name}: expected a mean on line {listing(wrong)}; got "
            f"{listing(repr(rows[i][1]) for i in wrong)}.",
            f"{remedy}.",
        )
    if header is None and all(map(IR_MEASURES_MEASURE.fullmatch, systems)):
        raise CoefficientError(
            f"{name}: means of several measures of one run ({listing(systems)}).",
            f"{remedy}. If these are systems, add the header system,mean.",
        )
    if again := repeated(systems):
        line, before = (list(rows)[i] for i in again)
        raise CoefficientError(
            f"{name}, line {line}: duplicate system {systems[again[0]]!r}; first on line {before}.",
            "Keep one line per system.",
        )
    return pd.Series([values[i] for i in rows], index=pd.Index(systems), dtype=float)
