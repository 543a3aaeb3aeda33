"""The metrics of a study: one number per collection and method, averaged over collections.

To add one, write a function and add a line to ``METRICS`` (for estimates) or ``INTERVAL_METRICS``
(for intervals). Summaries, paired comparisons and plots read these tuples.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import pandas as pd

Values: TypeAlias = "pd.Series[Any]"

# An interval that ends at the actual coefficient covers it, up to rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Metric:
    """A metric, NaN where undefined.

    Attributes
    ----------
    name : str
        Column of the summary; its standard error is in ``name_se``.
    values : callable
        Function of the results, and of the level for intervals, that returns one value per row.
    root : bool
        Whether to report the square root of the mean.
    summary : bool
        Whether summaries include it.
    paired : str
        Name in paired comparisons; empty to omit it there.
    """

    name: str
    values: Callable[..., Values]
    root: bool = False
    summary: bool = True
    paired: str = ""


def has_failed(results: pd.DataFrame) -> Values:
    """Return whether the method raised an error, by row."""
    return results.get("diagnostics", pd.Series("", results.index)).str.contains('"error"')


def pit(results: pd.DataFrame) -> Values:
    """Return the share of a method's draws below the actual coefficient."""
    return results.get("pit", pd.Series(float("nan"), results.index))


def bias(results: pd.DataFrame) -> Values:
    """Return estimate - actual."""
    return results["estimate"] - results["actual"]


def coverage(results: pd.DataFrame, level: float) -> Values:
    """Return 1 where the interval covers the actual coefficient, else 0."""
    covered = _missed_by(results, level) <= ROUNDING
    return covered.astype(float).where(width(results, level).notna())


def width(results: pd.DataFrame, level: float) -> Values:
    """Return upper - lower."""
    found = results[f"upper_{level:g}"] - results[f"lower_{level:g}"]
    return found.where(results["actual"].notna())


def interval_score(results: pd.DataFrame, level: float) -> Values:
    """Return the interval score (Winkler 1972; Gneiting & Raftery 2007, eq. 43)."""
    return width(results, level) + 2 / (1 - level) * _missed_by(results, level)


def _missed_by(results: pd.DataFrame, level: float) -> Values:
    """Return the distance of the actual coefficient from the interval; 0 inside."""
    lower, upper, actual = (results[c] for c in (f"lower_{level:g}", f"upper_{level:g}", "actual"))
    return (lower - actual).clip(lower=0) + (actual - upper).clip(lower=0)


METRICS = (
    Metric("error", lambda results: bias(results).abs(), paired="error"),
    Metric("bias", bias),
    Metric("rmse", lambda results: bias(results) ** 2, root=True, paired="squared_error"),
    Metric("estimate", lambda results: results["estimate"], summary=False, paired="estimate"),
    Metric("pit", pit),
    Metric("variance", lambda results: results["sd"] ** 2),
)

INTERVAL_METRICS = (
    Metric("coverage", coverage),
    Metric("width", width),
    Metric("score", interval_score, paired="score"),
)
