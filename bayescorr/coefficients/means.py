"""Mean scores in a file: one system and its mean on each line."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from bayescorr.errors import CoefficientError, listing
from bayescorr.scores.check import SYSTEM_NAMES, TOPIC_NAMES, is_name
from bayescorr.scores.evaluations import IR_MEASURES_MEASURE
from bayescorr.scores.files import read_text
from bayescorr.scores.tables import number

__all__ = ["read_means"]


def read_means(path: str | Path) -> pd.Series[float] | None:
    """Read a file of two columns, system and mean, or return None when it is not one.

    Columns are separated by a comma, a tab, a semicolon or blanks; a first line that names them may
    be there; text may be gzipped.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    Series or None
        Means by system; None for a file that cannot be read as text, has other than two columns,
        or whose first one has numbers or the name of topics: scores, not means. Systems may have
        numbers for names where their column is named system.

    Raises
    ------
    CoefficientError
        Naming the lines whose mean is not a number, or whose system was there before; and for the
        means of several measures of one run.
    """
    path = Path(path)
    try:
        text = read_text(path, CoefficientError)
    except CoefficientError:  # read_scores will say what is wrong with it
        return None
    lines = {i: line.strip() for i, line in enumerate(text.splitlines(), 1) if line.strip()}
    first = next(iter(lines.values()))
    separator = next((mark for mark in ",\t;" if mark in first), None)
    rows = {i: [cell.strip() for cell in line.split(separator)] for i, line in lines.items()}
    if any(len(row) != 2 for row in rows.values()):
        return None
    values = {i: number(mean) for i, (_, mean) in rows.items()}
    wrong = [i for i, value in values.items() if value is None or value != value]
    # Text, as against a mean that is missing.
    header = rows.pop(wrong.pop(0)) if values[next(iter(rows))] is None else None
    systems = [system for system, _ in rows.values()]
    if len(wrong) == len(rows) or (header and is_name(header[0], TOPIC_NAMES)):
        return None
    if all(number(system) is not None for system in systems) and not (
        header and is_name(header[0], SYSTEM_NAMES)
    ):
        return None
    if wrong:
        raise CoefficientError(
            f"{path.name}: {listing(repr(rows[i][1]) for i in wrong)} found where a mean belongs, "
            f"in line {listing(wrong)}.",
            "Give one system and its mean on each line.",
        )
    if header is None and all(map(IR_MEASURES_MEASURE.fullmatch, systems)):
        raise CoefficientError(
            f"{path.name}: means of the measures {listing(systems)} of one run.",
            "Give one system and its mean on each line, after a line system,mean if these are "
            "systems.",
        )
    seen: dict[str, int] = {}
    for i, (system, _) in rows.items():
        if system in seen:
            raise CoefficientError(
                f"{path.name}, line {i}: system {system!r} was there before on line "
                f"{seen[system]}.",
                "Give every system one line.",
            )
        seen[system] = i
    return pd.Series([values[i] for i in rows], index=pd.Index(systems), dtype=float)
