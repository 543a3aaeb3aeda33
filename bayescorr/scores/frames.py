"""Convert scores of any accepted type to a DataFrame, and cells to numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Hashable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd

from bayescorr.errors import ScoresError, listing

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import ArrayLike

Scores: TypeAlias = "pd.DataFrame | xr.DataArray | ArrayLike"

#: Names of columns and axes by what they hold, the most specific names first. They are compared in
#: lower case, with "_" for blanks, hyphens and points.
NAMES: dict[str, tuple[frozenset[str], ...]] = {
    kind: tuple(frozenset(names.split()) for names in by_priority)
    for kind, by_priority in {
        "topic": (
            "topic topics topic_id topicid qid q_id query_id queryid question_id questionid "
            "item_id itemid example_id instance_id task_id prompt_id sample_id narrative_id "
            "request_id problem_id",
            "query question item example instance prompt problem narrative",
            "id _id idx index",
        ),
        "system": (
            "system systems system_id system_name run run_id runid run_name run_tag runtag model "
            "model_id model_name method method_name",
            "name tag approach algorithm submission team config",
        ),
        "score": (
            "score scores value",
            "correct is_correct accuracy acc exact_match em f1 result rating points",
        ),
        "measure": ("measure metric measure_name metric_name",),
        "task": (
            "task tasks task_name taskname stratum strata",
            "benchmark benchmark_name dataset dataset_name subset subject scenario",
        ),
        "repeat": (
            "seed random_seed trial trial_id repeat repeat_id repetition replicate replication "
            "fold sample epoch attempt revision",
        ),
    }.items()
}
TOPIC_NAMES = frozenset().union(*NAMES["topic"])
SYSTEM_NAMES = frozenset().union(*NAMES["system"])
LABEL_NAMES = TOPIC_NAMES.union(SYSTEM_NAMES, *NAMES["task"], *NAMES["repeat"], *NAMES["measure"])
_UNNAMED = re.compile(r"(?i)|unnamed: \d+(_level_\d+)?|index|level_0")
#: Names that say nothing about the measure of a score column.
GENERIC_NAMES = frozenset({"score", "scores", "value", "result", "correct", "is_correct", "label"})
#: Types that Python or numpy would convert to a number, or fail at.
_NOT_NUMBERS = (bytes, complex, timedelta, np.timedelta64, np.datetime64, np.ndarray)
#: Text of missing cells, in lower case.
MISSING_CELLS = frozenset({"", "na", "n/a", "nan", "null", "none", "<na>"})


def as_frame(scores: Any) -> pd.DataFrame:
    """Convert scores of any accepted type to a DataFrame, without checking the values."""
    if isinstance(scores, pd.DataFrame):
        frame = upright(scores)
        topics = [label for label in frame.columns if is_name(label, TOPIC_NAMES)]
        if topics:
            raise ScoresError(
                f"Column {topics[0]!r} looks like topic labels, not like a system.",
                f"Use read_scores or set_index({topics[0]!r}); if it is a system, rename it.",
            )
        for label in filter(is_unnamed, frame.columns):
            if numbers_rows(frame[label].tolist()):
                raise ScoresError(
                    f"Column {label!r} numbers the rows.",
                    "Drop it, or read the file with index_col=0.",
                )
        return frame
    if type(scores).__module__.partition(".")[0] == "xarray" and hasattr(scores, "dims"):
        return _from_xarray(scores)
    if isinstance(scores, np.ma.MaskedArray):
        scores = np.ma.filled(scores.astype(object), np.nan)
    try:
        values = np.asarray(scores)
    except ValueError:
        raise ScoresError(
            "The rows of the scores differ in length.", "Give every topic a score of every system."
        ) from None
    _check_dimensions(values.ndim)
    n, m = values.shape
    return pd.DataFrame(values, index=numbered("t", n), columns=numbered("sys", m))


def _from_xarray(array: Any) -> pd.DataFrame:
    if hasattr(array, "data_vars"):
        raise ScoresError(
            "Expected an xarray DataArray; got a Dataset.",
            f"Pass one of its variables: {listing(map(repr, array.data_vars)) or 'none'}.",
        )
    _check_dimensions(array.ndim)
    names = [None if re.fullmatch(r"dim_\d+", str(dim)) else dim for dim in array.dims]
    if any(names) and not any(is_name(dim, TOPIC_NAMES | SYSTEM_NAMES) for dim in names):
        raise ScoresError(
            f"Expected the dimensions topic and system; got {listing(map(repr, array.dims))}.",
            "Rename the dimensions.",
        )
    if (is_name(names[0], SYSTEM_NAMES) and names[1] is None) or _systems_are_rows(
        names[0], names[1]
    ):
        array = array.transpose()
    labels = [
        array.coords[dim].to_index().rename(None)
        if dim in array.coords
        else numbered(prefix, array.sizes[dim])
        for dim, prefix in zip(array.dims, ("t", "sys"), strict=True)
    ]
    return pd.DataFrame(array.to_numpy(), index=labels[0], columns=labels[1])


def upright(frame: pd.DataFrame, *, ask: bool = True) -> pd.DataFrame:
    """Transpose a table whose axis names say that its rows are systems.

    Raise if the names contradict each other, unless the caller will ``ask`` by other means.
    """
    return frame.T if _systems_are_rows(frame.index.name, frame.columns.name, ask) else frame


def _systems_are_rows(rows: Hashable, columns: Hashable, ask: bool = True) -> bool:
    if is_name(columns, TOPIC_NAMES) and not is_name(rows, TOPIC_NAMES):
        return True
    if ask and (is_name(rows, SYSTEM_NAMES) or is_name(columns, TOPIC_NAMES)):
        raise ScoresError(
            f"Ambiguous axes: the rows are named {rows!r} and the columns {columns!r}.",
            "Name one axis topic and the other system.",
        )
    return False


def _check_dimensions(found: int) -> None:
    if found != 2:
        raise ScoresError(
            f"Scores must have 2 dimensions; got {found}.",
            "Pass a table with one row per topic and one column per system.",
        )


def is_name(label: object, names: Collection[str]) -> bool:
    """Return whether a column or axis has one of ``names``, which are written as in NAMES."""
    return re.sub(r"[-. ]", "_", str(label).strip().lower()) in names


def is_unnamed(label: object) -> bool:
    """Return whether a column has no name, or one that pandas gave it."""
    return _UNNAMED.fullmatch(str(label).strip()) is not None


def numbers_rows(cells: Sequence[Any], *, in_order: bool = False) -> bool:
    """Return whether cells are the numbers 0 to n - 1, or 1 to n, in any order or ``in_order``."""
    values = [number(cell) for cell in cells]
    if any(value is None or math.isnan(value) for value in values):
        return False
    ordered = values if in_order else sorted(values)  # type: ignore[type-var]
    return any(ordered == list(range(start, start + len(ordered))) for start in (0, 1))


def numbered(prefix: str, count: int) -> pd.Index[Any]:
    """Return labels for unnamed topics or systems: t1, t2, ... or sys1, sys2, ..."""
    return pd.Index([f"{prefix}{i}" for i in range(1, count + 1)])


def number(cell: Any, *, text: bool = True) -> float | None:
    """Return a cell as a number (from a string only if ``text``), NaN if missing, or else None."""
    if isinstance(cell, str):
        if not text or "_" in cell:  # Python reads 1_000 as a number
            return None
        try:
            return float(cell)
        except ValueError:
            return math.nan if cell.strip().lower() in MISSING_CELLS else None
    if cell is None or cell is pd.NA or cell is pd.NaT:
        return math.nan
    if isinstance(cell, _NOT_NUMBERS):
        return None
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        return None
