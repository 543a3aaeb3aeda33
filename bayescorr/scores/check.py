"""The one place where scores are checked: everything that takes scores starts here."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Hashable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescorr._numbers import LARGEST
from bayescorr.errors import ScoresError, ScoresWarning, choose, listing
from bayescorr.scores.ties import (
    constant_systems,
    equal_means,
    identical_systems,
    observed_means,
)

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["MISSING", "check_scores", "identical_systems", "observed_means", "sort_labels"]

#: What can be done about missing scores; see :func:`check_scores`.
MISSING = ("drop", "error", "model", "zero")

#: What columns and axes with topics or systems are called, in lower case.
TOPIC_NAMES = frozenset(
    {"topic", "topics", "topic_id", "topicid", "query", "qid", "query_id", "queryid", "query-id"}
)
SYSTEM_NAMES = frozenset({"system", "systems", "run", "run_id", "runid", "run_name", "name", "tag"})


def check_scores(
    scores: pd.DataFrame | xr.DataArray | ArrayLike, *, missing: str = "error", warn: bool = True
) -> pd.DataFrame:
    """Check a table of scores and return it as a new DataFrame of floats.

    Parameters
    ----------
    scores : DataFrame, DataArray or 2-D array
        Scores of systems (columns) on topics (rows). An array gets the labels t1, t2, ... and
        sys1, sys2, ...; a table whose axes are named system and topic may have either order.
    missing : {"error", "drop", "zero", "model"}
        What to do about missing scores: refuse them, drop the topics that have any, count them
        as 0, or leave them in place for a model that can take them.
    warn : bool
        Name identical systems, constant systems and different systems with equal means in one
        :class:`~bayescorr.ScoresWarning` each.

    Returns
    -------
    DataFrame
        A copy in float64, topics and systems in the order given.

    Raises
    ------
    ScoresError
        For scores that are not numbers, beyond 1e150 or missing (at most ten cells are listed),
        labels that are missing or used twice, fewer than 2 systems or 2 topics.

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
    or use missing="drop" to leave out those topics or missing="zero" to count them as 0.
    """
    choose(missing, MISSING, "way to treat missing scores")
    frame = as_frame(scores)
    check_labels(frame)
    checked = as_numbers(frame)
    if not (np.abs(checked.to_numpy()) <= LARGEST).all():
        _refuse_huge(checked)
        checked = treat_missing(checked, missing)
    check_shape(checked)
    if warn:
        _warn_of_ties(checked)
    return checked


def sort_labels(scores: pd.DataFrame) -> pd.DataFrame:
    """Sort topics and systems by label, so that the order given never changes a result.

    Labels may be of several types: numbers come first, then strings, then anything else by type.

    Examples
    --------
    >>> sort_labels(pd.DataFrame({"b": [1, 2], 7: [3, 4]}, index=["t2", "t1"]))
        7  b
    t1  4  2
    t2  3  1
    """
    rows, columns = _order(scores.index), _order(scores.columns)
    return _table(
        scores.to_numpy()[np.ix_(rows, columns)],
        scores.index.take(rows),
        scores.columns.take(columns),
        scores,
    )


def label_key(label: Hashable) -> tuple[int, Any, str]:
    """Sort key of a label: numbers, then strings, then the rest by type and representation."""
    if isinstance(label, (int, float, np.number)):
        return (0, label, "")
    if isinstance(label, str):
        return (1, label, "")
    return (2, type(label).__name__, repr(label))


def _order(labels: pd.Index[Any]) -> list[int]:
    names = labels.tolist()
    return sorted(range(len(names)), key=lambda i: label_key(names[i]))


def as_frame(scores: Any) -> pd.DataFrame:
    """Turn any accepted kind of scores into a DataFrame, without checking the scores."""
    if isinstance(scores, pd.DataFrame):
        frame = upright(scores)
        _refuse_topic_columns(frame)
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
            "An xarray Dataset found, a DataArray is expected.",
            f"Give one of its variables: {listing(map(repr, array.data_vars)) or 'it has none'}.",
        )
    _check_dimensions(array.ndim)
    names = [None if re.fullmatch(r"dim_\d+", str(dim)) else dim for dim in array.dims]
    if any(names) and not any(is_name(dim, TOPIC_NAMES | SYSTEM_NAMES) for dim in names):
        raise ScoresError(
            f"Dimensions {listing(map(repr, array.dims))} found, topic and system are expected.",
            "Rename them, so that it is clear which is which.",
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
    """Whether a column or an axis is called one of ``names``."""
    return str(label).strip().lower() in names


def upright(frame: pd.DataFrame) -> pd.DataFrame:
    """Turn a table whose axes say that its rows are systems, so that they are topics."""
    return frame.T if _systems_are_rows(frame.index.name, frame.columns.name) else frame


def _systems_are_rows(rows: Hashable, columns: Hashable) -> bool:
    if is_name(columns, TOPIC_NAMES) and not is_name(rows, TOPIC_NAMES):
        return True
    if is_name(rows, SYSTEM_NAMES) or is_name(columns, TOPIC_NAMES):
        raise ScoresError(
            f"The rows are named {rows!r} and the columns {columns!r}.",
            "Name one axis topic and the other system.",
        )
    return False


def _refuse_topic_columns(frame: pd.DataFrame) -> None:
    topics = [label for label in frame.columns if is_name(label, TOPIC_NAMES)]
    if topics:
        raise ScoresError(
            f"Column {topics[0]!r} found among the systems: its name is one of topics.",
            f"Use read_scores or set_index({topics[0]!r}), or rename it where it is a system.",
        )


def _check_dimensions(found: int) -> None:
    if found != 2:
        raise ScoresError(
            f"Scores with {found} dimensions found, 2 are expected.",
            "Give a table with one row per topic and one column per system.",
        )


def numbered(prefix: str, count: int) -> pd.Index[Any]:
    """Labels for topics or systems that have none: t1, t2, ... or sys1, sys2, ..."""
    return pd.Index([f"{prefix}{i}" for i in range(1, count + 1)])


def check_labels(frame: pd.DataFrame) -> None:
    """Refuse topics or systems without a label of their own."""
    for what, labels in (("Topic", frame.index), ("System", frame.columns)):
        if isinstance(labels, pd.MultiIndex):
            raise ScoresError(
                f"{what} labels have {labels.nlevels} levels, 1 is expected.",
                "Flatten the labels, or read a long table with read_scores.",
            )
        if labels.hasnans:
            where = listing(np.flatnonzero(labels.isna()) + 1)
            raise ScoresError(
                f"{what} label is missing at position {where}.", "Give every row and column a name."
            )
        if not labels.is_unique:
            twice = listing(repr(label) for label in labels[labels.duplicated()].unique())
            raise ScoresError(
                f"{what} label used more than once: {twice}.",
                "Give every topic and every system a name of its own.",
            )


def _table(
    values: Any, index: pd.Index[Any], columns: pd.Index[Any], like: pd.DataFrame
) -> pd.DataFrame:
    """Make a table with the attrs of another; several times quicker than pandas' own indexing."""
    frame = pd.DataFrame(values, index=index, columns=columns, copy=False)
    frame.attrs = dict(like.attrs)
    return frame


def as_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Copy a table as float64, or name the cells that are not numbers."""
    values = frame.to_numpy()
    if values.dtype.kind in "fiub":
        return _table(values.astype(np.float64), frame.index, frame.columns, frame)
    offenders: list[str] = []
    numbers = np.empty(frame.shape)
    for i, topic in enumerate(frame.index):
        for j, system in enumerate(frame.columns):
            numbers[i, j] = _number(values[i, j], topic, system, offenders)
    if offenders:
        count = "1 score is" if len(offenders) == 1 else f"{len(offenders)} scores are"
        raise ScoresError(
            f"{count} not a number: {listing(offenders, separator='; ')}.",
            "Correct the cells, or read them as numbers (see pandas.to_numeric).",
        )
    return _table(numbers, frame.index, frame.columns, frame)


def _number(value: Any, topic: Hashable, system: Hashable, offenders: list[str]) -> float:
    if value is None or value is pd.NA or value is pd.NaT:
        return np.nan
    if not isinstance(value, (str, bytes, complex, timedelta, np.timedelta64, np.datetime64)):
        try:
            return float(value)
        except (TypeError, ValueError):
            pass
    shown = value.item() if isinstance(value, np.generic) else value
    offenders.append(f"{cell(topic, system)}: {shown!r}")
    return np.nan


def cell(topic: Hashable, system: Hashable) -> str:
    """Name a cell of a table of scores in a message."""
    return f"topic {topic!r}, system {system!r}"


def _cells(frame: pd.DataFrame, where: Any) -> str:
    cells = [cell(frame.index[i], frame.columns[j]) for i, j in np.argwhere(where)]
    return listing(cells, separator="; ")


def _refuse_huge(frame: pd.DataFrame) -> None:
    infinite = np.isinf(frame.to_numpy())
    if infinite.any():
        raise ScoresError(
            f"Infinite score: {_cells(frame, infinite)}.", "Scores must be finite numbers."
        )
    large = np.abs(frame.to_numpy()) > LARGEST
    if large.any():
        raise ScoresError(
            f"Score beyond {LARGEST:g}: {_cells(frame, large)}.",
            "Correct the cells, or divide all scores by one number.",
        )


def treat_missing(frame: pd.DataFrame, missing: str) -> pd.DataFrame:
    """Do what ``missing`` says about the NaN of a table; see :func:`check_scores`."""
    absent = np.isnan(frame.to_numpy())
    if missing == "error":
        found = int(absent.sum())
        count = "1 score is" if found == 1 else f"{found} scores are"
        raise ScoresError(
            f"{count} missing: {_cells(frame, absent)}.",
            'Complete the scores, or use missing="drop" to leave out those topics or '
            'missing="zero" to count them as 0.',
        )
    if missing == "zero":
        return frame.fillna(0.0)
    if missing == "drop":
        complete: pd.DataFrame = frame[~absent.any(axis=1)]
        if len(complete) < 2:
            worst = frame.columns[absent.sum(axis=0).argmax()]
            raise ScoresError(
                f"{len(complete)} of {len(frame)} topics have a score of every system, "
                "at least 2 are needed.",
                f"Drop the systems with most missing scores first, such as {worst!r}.",
            )
        return complete
    _refuse_empty(frame, absent)
    return frame


def _refuse_empty(frame: pd.DataFrame, absent: Any) -> None:
    for what, labels, axis in (("topic", frame.index, 1), ("system", frame.columns, 0)):
        empty = absent.all(axis=axis)
        if empty.any():
            raise ScoresError(
                f"No score at all: {what} {listing(repr(x) for x in labels[empty])}.",
                f"Drop every {what} without scores.",
            )


def check_shape(frame: pd.DataFrame, source: str = "") -> None:
    """Refuse a table without 2 topics and 2 systems; ``source`` is put before the message."""
    topics, systems = frame.shape
    if topics < 2 or systems < 2:
        raise ScoresError(
            f"{source}{topics} topic{'s' * (topics != 1)} and "
            f"{systems} system{'s' * (systems != 1)} found, at least 2 of each are needed.",
            "Give a table with one row per topic and one column per system.",
        )


def _warn_of_ties(frame: pd.DataFrame) -> None:
    notes = (
        ("Identical systems", identical_systems(frame), "drop_identical keeps one of each set."),
        ("The same score on all topics", constant_systems(frame), "Is the run empty or broken?"),
        ("Equal means", equal_means(frame), "Their observed order is a tie."),
    )
    for what, found, advice in notes:
        if found:
            names = listing(
                " = ".join(map(repr, item)) if isinstance(item, tuple) else repr(item)
                for item in found
            )
            warnings.warn(f"{what}: {names}. {advice}", ScoresWarning, stacklevel=3)
