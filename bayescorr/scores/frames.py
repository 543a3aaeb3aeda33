"""Convert scores of any accepted type to a DataFrame, and cells to numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Hashable
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd

from bayescorr.errors import ScoresError, listing

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import ArrayLike

Scores: TypeAlias = "pd.DataFrame | xr.DataArray | ArrayLike"

#: Names of columns and axes that hold topics or systems, in lower case.
TOPIC_NAMES = frozenset(
    {"topic", "topics", "topic_id", "topicid", "query", "qid", "query_id", "queryid", "query-id"}
)
SYSTEM_NAMES = frozenset({"system", "systems", "run", "run_id", "runid", "run_name", "name", "tag"})
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
    if (is_name(names[0], SYSTEM_NAMES) and names[1] is None) or _systems_are_rows(*names):
        array = array.transpose()
    labels = [
        array.coords[dim].to_index().rename(None)
        if dim in array.coords
        else numbered(prefix, array.sizes[dim])
        for dim, prefix in zip(array.dims, ("t", "sys"), strict=True)
    ]
    return pd.DataFrame(array.to_numpy(), index=labels[0], columns=labels[1])


def upright(frame: pd.DataFrame) -> pd.DataFrame:
    """Transpose a table whose axis names say that its rows are systems."""
    return frame.T if _systems_are_rows(frame.index.name, frame.columns.name) else frame


def _systems_are_rows(rows: Hashable, columns: Hashable) -> bool:
    if is_name(columns, TOPIC_NAMES) and not is_name(rows, TOPIC_NAMES):
        return True
    if is_name(rows, SYSTEM_NAMES) or is_name(columns, TOPIC_NAMES):
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
    """Return whether a column or axis has one of ``names``."""
    return str(label).strip().lower() in names


def numbered(prefix: str, count: int) -> pd.Index[Any]:
    """Return labels for unnamed topics or systems: t1, t2, ... or sys1, sys2, ..."""
    return pd.Index([f"{prefix}{i}" for i in range(1, count + 1)])


def number(cell: Any, *, text: bool = True) -> float | None:
    """Return a cell as a number (from a string only if ``text``), NaN if missing, or else None."""
    if cell is None or cell is pd.NA or cell is pd.NaT:
        return math.nan
    if isinstance(cell, str):
        if text and cell.strip().lower() in MISSING_CELLS:
            return math.nan
        if not text or "_" in cell:  # Python reads 1_000 as a number
            return None
    elif isinstance(cell, bytes | complex | timedelta | np.timedelta64 | np.datetime64):
        return None
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        return None
