"""Summary rows and columns: means, sums, standard deviations ... of the other lines.

A line is a row or a column. Values are lines x cells, so that columns are judged on the transpose.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Hashable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from bayescorr._numbers import FloatArray
from bayescorr.scores.found import Question

#: Labels of summaries, in lower case.
NAMES = frozenset(
    {
        "mean",
        "avg",
        "average",
        "overall",
        "all",
        "amean",
        "macro",
        "micro",
        "total",
        "sum",
        "median",
        "std",
        "sd",
        "stdev",
        "stddev",
        "min",
        "max",
        "count",
        "macro avg",
        "macro average",
        "macro-average",
        "macro_avg",
        "grand mean",
        "grand total",
    }
)
#: Labels that evaluation tools give to the average over topics, in lower case.
AVERAGES = frozenset({"all", "amean"})
#: Labels of columns that a reader may take for systems, unless their scores are extremes.
EXTREMES = frozenset({"best", "worst", "oracle"})

Statistic = Callable[[FloatArray], FloatArray]
STATISTICS: dict[str, Statistic] = {
    "mean": lambda rest: np.nanmean(rest, axis=0),
    "sum": lambda rest: np.nansum(rest, axis=0),
    "median": lambda rest: np.nanmedian(rest, axis=0),
    "standard deviation": lambda rest: np.nanstd(rest, axis=0, ddof=1),
    "standard deviation (of n)": lambda rest: np.nanstd(rest, axis=0),
    "minimum": lambda rest: np.nanmin(rest, axis=0),
    "maximum": lambda rest: np.nanmax(rest, axis=0),
    "number": lambda rest: (~np.isnan(rest)).sum(axis=0).astype(float),
}
#: Most decimals that are looked at; the rest is noise.
_MOST_DECIMALS = 12


class Judged(NamedTuple):
    """Lines to leave out, by position; a note on each; and questions about others."""

    left_out: list[int]
    notes: list[str]
    questions: list[Question]


def summarises_topics(label: Hashable) -> bool:
    """Return whether evaluation tools give this label to the average over topics."""
    return str(label).strip().casefold() in AVERAGES


def is_summary_name(label: Hashable) -> bool:
    """Return whether a label is a name for a summary."""
    return str(label).strip().casefold().rstrip(":.") in NAMES


def judge_lines(
    values: FloatArray, labels: Sequence[Hashable], what: str, other: Sequence[bool]
) -> Judged:
    """Judge which lines are summaries of the others; ``what`` is "row" or "column".

    ``other`` marks the cells of each line that belong to summaries of the other kind, such as the
    cells of a column that are in a summary row. They take no part.
    """
    judged = Judged([], [], [])
    named = [i for i, label in enumerate(labels) if is_summary_name(label)]
    if what == "column":
        named += [i for i, label in enumerate(labels) if str(label).casefold() in EXTREMES]
    cells = values[:, ~np.asarray(other, dtype=bool)]
    rest = np.delete(cells, named, axis=0)
    kind = {"row": "topic", "column": "system"}[what]
    for i in named:
        statistic = summary_of(cells[i], rest)
        always = summarises_topics(labels[i]) and what == "row"
        extreme = str(labels[i]).casefold() in EXTREMES
        if statistic and (not extreme or statistic in ("minimum", "maximum")):
            judged.left_out.append(i)
            note = f"it is the {statistic} of the other {what}s."
            judged.notes.append(f"Left out {what} {labels[i]!r}: {note}")
        elif always:
            judged.left_out.append(i)
            note = "it summarises the topics (but is not the mean of the other rows)."
            judged.notes.append(f"Left out row {labels[i]!r}: {note}")
        elif not extreme:
            judged.questions.append(
                Question(
                    f"{what.capitalize()} {labels[i]!r} has the name of a summary, but does not "
                    f"summarise the other {what}s.",
                    kind=kind,
                )
            )
    for i in sorted({0, len(labels) - 1} - set(named)):
        if statistic := _hidden_summary(cells[i], np.delete(cells, [*named, i], axis=0)):
            judged.questions.append(
                Question(
                    f"{what.capitalize()} {labels[i]!r} equals the {statistic} of the other "
                    f"{what}s.",
                    kind=kind,
                )
            )
    return judged


def named_summaries(frame: pd.DataFrame) -> list[str]:
    """Return sentences that name rows and columns with the name of a summary."""
    axes = (("row", "topic", frame.index), ("column", "system", frame.columns))
    return [
        f"{what.capitalize()} {label!r} has the name of a summary; it counts as a {kind}."
        for what, kind, labels in axes
        for label in labels
        if is_summary_name(label)
    ]


def _hidden_summary(line: FloatArray, rest: FloatArray) -> str | None:
    """Return the statistic that a line of any name is, if it cannot be one by chance.

    Scores with few decimals, such as P@10, equal the mean of a few others by chance.
    """
    present = line[~np.isnan(line)]
    if len(present) < 4 or np.ptp(present) == 0 or decimals(present) < 3:
        return None
    return summary_of(line, rest, ("mean", "sum"))


def summary_of(
    line: FloatArray, rest: FloatArray, statistics: Collection[str] = tuple(STATISTICS)
) -> str | None:
    """Return the statistic of ``rest`` (lines x cells) that a line equals best, up to rounding.

    With :math:`d` decimals in the line and :math:`e` in the rest, cells are equal if they differ by
    at most :math:`0.51 (10^{-d} + 10^{-e})`. Missing cells take no part.
    """
    present = ~np.isnan(line)
    if len(rest) < 2 or present.sum() < 2:
        return None
    e = decimals(rest)
    of_line, of_rest = 0.51 * 10.0 ** -decimals(line[present]), 0.51 * 10.0**-e
    noise = 1e-12 * max(float(np.abs(line[present]).max()), 1.0)
    found: dict[str, float] = {}
    for name in statistics:
        # Roundings add up in a sum, unless the scores have so few decimals that they are exact.
        factor = 2 * np.sqrt(len(rest)) if name == "sum" and e >= 3 else 1.0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of cells that are missing in all
            error = float(np.abs(STATISTICS[name](rest)[present] - line[present]).max())
        if error <= of_line + factor * of_rest + noise:
            found[name] = round(error, 9)
    return min(found, key=found.__getitem__, default=None)


def decimals(values: FloatArray) -> int:
    """Return the largest number of decimals among values, at most 12."""
    present = values[~np.isnan(values)]
    noise = 1e-12 * np.maximum(1.0, np.abs(present))
    for count in range(_MOST_DECIMALS):
        if np.all(np.abs(np.round(present, count) - present) <= noise):
            return count
    return _MOST_DECIMALS
