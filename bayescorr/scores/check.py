"""Check scores and convert them to a DataFrame; every function that takes scores starts here."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Hashable
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd

from bayescorr._numbers import LARGEST
from bayescorr.errors import Argument, ScoresError, ScoresWarning, choose, listing
from bayescorr.scores.ties import (
    constant_systems,
    equal_means,
    identical_systems,
    observed_means,
)

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import ArrayLike

__all__ = ["MISSING", "check_scores", "identical_systems", "observed_means", "sort_labels"]

Scores: TypeAlias = "pd.DataFrame | xr.DataArray | ArrayLike"

#: Ways to treat missing scores; see :func:`check_scores`.
MISSING = ("drop", "error", "model", "zero")

#: Names of columns and axes that hold topics or systems, in lower case.
TOPIC_NAMES = frozenset(
    {"topic", "topics", "topic_id", "topicid", "query", "qid", "query_id", "queryid", "query-id"}
)
SYSTEM_NAMES = frozenset({"system", "systems", "run", "run_id", "runid", "run_name", "name", "tag"})


def check_scores(scores: Scores, *, missing: str = "error", warn: bool = True) -> pd.DataFrame:
    """Check a table of scores and return it as a new DataFrame of floats.

    Parameters
    ----------
    scores : DataFrame, DataArray or 2-D array
        Scores of systems (columns) on topics (rows). An array gets the labels t1, t2, ... and
        sys1, sys2, ...; a table whose axes are named system and topic may have either order.
    missing : {"error", "drop", "zero", "model"}
        How to treat missing scores: raise an error, drop the topics that have any, count them as 0,
        or keep them for a model that supports them.
    warn : bool
        Give a :class:`~bayescorr.ScoresWarning` each for identical systems, constant systems and
        different systems with equal means.

    Returns
    -------
    DataFrame
        A copy in float64, with topics and systems in the given order.

    Raises
    ------
    ScoresError
        If scores are missing, not numbers or beyond 1e150 (the first ten cells are listed), labels
        are missing or duplicated, or there are fewer than 2 systems or 2 topics.

    Examples
    --------
    >>> check_scores([[0.1, 0.4], [0.3, 0.2]])
        sys1  sys2
    t1   0.1   0.4
    t2   0.3   0.2
    >>> check_scores(pd.DataFrame({"a": [0.1, None], "b": [0.3, 0.2]}, index=["q1", "q2"]))
    Traceback (most recent call last):
    ...
    bayescorr.errors.ScoresError: 1 score is missing: topic 'q2', system 'a'. Complete the scores,
    use missing="drop" to leave out these topics, or missing="zero" to count them as 0.
    """
    choose(missing, MISSING, "treatment of missing scores")
    frame = as_frame(scores)
    check_labels(frame)
    checked = as_numbers(frame)
    size = np.abs(checked.to_numpy())
    if not (size <= LARGEST).all():
        _refuse(checked, np.isinf(size), "infinite", "Scores must be finite numbers.")
        advice = "Correct these cells, or divide all scores by the same number."
        _refuse(checked, size > LARGEST, f"beyond {LARGEST:g}", advice)
        checked = treat_missing(checked, missing)
    check_shape(checked)
    if warn:
        _warn_of_ties(checked)
    return checked


def sort_labels(scores: pd.DataFrame) -> pd.DataFrame:
    """Sort topics and systems by label, so that the given order never changes a result."""
    rows, columns = (
        sorted(range(len(labels)), key=lambda i, labels=labels: label_key(labels[i]))
        for labels in (scores.index.tolist(), scores.columns.tolist())
    )
    return _table(
        scores.to_numpy()[np.ix_(rows, columns)],
        scores.index.take(rows),
        scores.columns.take(columns),
        scores,
    )


def label_key(label: Hashable) -> tuple[int, Any, str]:
    """Return a sort key: numbers first, then strings, then other labels by type and repr."""
    if isinstance(label, int | float | np.number):
        return (0, label, "")
    if isinstance(label, str):
        return (1, label, "")
    return (2, type(label).__name__, repr(label))


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
    return pd.DataFrame(
        values, index=numbered("t", values.shape[0]), columns=numbered("sys", values.shape[1])
    )


def _from_xarray(array: Any) -> pd.DataFrame:
    if hasattr(array, "data_vars"):
        raise ScoresError(
            "Expected an xarray DataArray; got a Dataset.",
            f"Pass one of its variables: {listing(map(repr, array.data_vars)) or 'it has none'}.",
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


def is_name(label: object, names: Collection[str]) -> bool:
    """Return whether a column or axis has one of ``names``."""
    return str(label).strip().lower() in names


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


def numbered(prefix: str, count: int) -> pd.Index[Any]:
    """Return labels for unnamed topics or systems: t1, t2, ... or sys1, sys2, ..."""
    return pd.Index([f"{prefix}{i}" for i in range(1, count + 1)])


def check_labels(frame: pd.DataFrame) -> None:
    """Raise if the labels of topics or systems are missing, duplicated or hierarchical."""
    for what, labels in (("Topic", frame.index), ("System", frame.columns)):
        if isinstance(labels, pd.MultiIndex):
            raise ScoresError(
                f"{what} labels must have 1 level; got {labels.nlevels}.",
                "Flatten the labels, or read a long table with read_scores.",
            )
        if labels.hasnans:
            where = listing(np.flatnonzero(labels.isna()) + 1)
            raise ScoresError(
                f"{what} label is missing at position {where}.", "Label every row and column."
            )
        if not labels.is_unique:
            twice = listing(repr(label) for label in labels[labels.duplicated()].unique())
            raise ScoresError(
                f"{what} labels must be unique; duplicated: {twice}.", "Rename the duplicates."
            )


def _table(
    values: Any, index: pd.Index[Any], columns: pd.Index[Any], like: pd.DataFrame
) -> pd.DataFrame:
    """Make a table with the attrs of another; several times faster than pandas' own indexing."""
    frame = pd.DataFrame(values, index=index, columns=columns, copy=False)
    frame.attrs = dict(like.attrs)
    return frame


def as_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Copy a table as float64; an error lists the cells that are not numbers."""
    values = frame.to_numpy()
    if values.dtype.kind not in "fiub":
        cells = [[_number(value) for value in row] for row in values]
        wrong = np.array([[cell is None for cell in row] for row in cells]).reshape(values.shape)
        advice = "Correct these cells, or convert the columns with pandas.to_numeric."
        _refuse(frame, wrong, "not numeric", advice, values)
        values = np.array(cells).reshape(values.shape)
    return _table(values.astype(np.float64), frame.index, frame.columns, frame)


def _number(value: Any) -> float | None:
    """Return a cell as a float, NaN if it is missing, or None if it is not a number."""
    if value is None or value is pd.NA or value is pd.NaT:
        return np.nan
    if isinstance(value, str | bytes | complex | timedelta | np.timedelta64 | np.datetime64):
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _refuse(frame: pd.DataFrame, where: Any, problem: str, remedy: Any, values: Any = None) -> None:
    """Raise an error that lists the cells ``where`` is True, with their values if given."""
    cells = []
    for i, j in np.argwhere(where):
        cells.append(f"topic {frame.index[i]!r}, system {frame.columns[j]!r}")
        if values is not None:
            value = values[i, j]
            cells[-1] += f": {value.item() if isinstance(value, np.generic) else value!r}"
    if cells:
        count = "1 score is" if len(cells) == 1 else f"{len(cells)} scores are"
        raise ScoresError(f"{count} {problem}: {listing(cells, separator='; ')}.", remedy)


def treat_missing(frame: pd.DataFrame, missing: str) -> pd.DataFrame:
    """Treat the NaN of a table as ``missing`` says; see :func:`check_scores`."""
    absent = np.isnan(frame.to_numpy())
    if missing == "zero":
        return frame.fillna(0.0)
    if missing == "drop":
        complete: pd.DataFrame = frame[~absent.any(axis=1)]
        if len(complete) < 2:
            worst = frame.columns[absent.sum(axis=0).argmax()]
            raise ScoresError(
                f"Only {len(complete)} of {len(frame)} topics have a score of every system; at "
                "least 2 are needed.",
                f"First drop the systems with the most missing scores, such as {worst!r}.",
            )
        return complete
    if missing == "error":
        remedy = (
            "Complete the scores, use ",
            Argument("missing", "drop"),
            " to leave out these topics, or ",
            Argument("missing", "zero"),
            " to count them as 0.",
        )
        _refuse(frame, absent, "missing", remedy)
    for what, labels, axis in (("topic", frame.index, 1), ("system", frame.columns, 0)):
        empty = absent.all(axis=axis)
        if empty.any():
            raise ScoresError(
                f"All scores are missing for {what} {listing(map(repr, labels[empty]))}.",
                f"Drop every {what} without scores.",
            )
    return frame


def check_shape(frame: pd.DataFrame, source: str = "") -> None:
    """Raise unless there are 2 topics and 2 systems; the message starts with ``source``."""
    topics, systems = frame.shape
    if topics < 2 or systems < 2:
        raise ScoresError(
            f"{source}Need at least 2 topics and 2 systems; got {topics} "
            f"topic{'s' * (topics != 1)} and {systems} system{'s' * (systems != 1)}.",
            "Provide one row per topic and one column per system.",
        )


def _warn_of_ties(frame: pd.DataFrame) -> None:
    constant = [(system,) for system in constant_systems(frame)]
    notes = (
        ("Identical systems", identical_systems(frame), "Use drop_identical to keep one of each."),
        ("Same score on all topics", constant, "Check whether the run is empty or broken."),
        ("Equal means", equal_means(frame), "Their observed order is a tie."),
    )
    for what, found, advice in notes:
        if found:
            names = listing(" = ".join(map(repr, group)) for group in found)
            warnings.warn(f"{what}: {names}. {advice}", ScoresWarning, stacklevel=3)
