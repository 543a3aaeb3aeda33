"""Mean scores in a file: one system and its mean on each line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pandas as pd

from bayescorr.errors import CoefficientError, listing
from bayescorr.scores.check import TOPIC_NAMES

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
        Means by system; None for a file that has other than two columns, or
        whose first one is named as topics are: scores, not means.

    Raises
    ------
    CoefficientError
        Naming the lines whose mean is not a number.
    """
    path = Path(path)
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8-sig") as file:
            lines = [line.strip() for line in file if line.strip()]
    except (UnicodeDecodeError, OSError):
        return None
    separator = next((mark for mark in ",\t;" if lines and mark in lines[0]), None)
    rows = [[cell.strip() for cell in line.split(separator)] for line in lines]
    if not rows or any(len(row) != 2 for row in rows):
        return None
    values = pd.to_numeric(pd.Series([mean for _, mean in rows]), errors="coerce")
    header = bool(values.isna().iloc[0])
    if values.isna().all() or (header and rows[0][0].lower() in TOPIC_NAMES):
        return None
    wrong = values.index[values.isna()][header:]
    if len(wrong):
        raise CoefficientError(
            f"{path.name}: {listing(repr(rows[i][1]) for i in wrong)} found where a mean belongs, "
            f"in line {listing(i + 1 for i in wrong)} of those with text.",
            "Give one system and its mean on each line.",
        )
    labels = pd.Index([system for system, _ in rows[header:]])
    return pd.Series(values.to_numpy(dtype=float)[header:], index=labels)
