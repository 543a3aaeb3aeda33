"""Check scores; every function that takes scores starts here."""

from __future__ import annotations

import warnings
from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from bayescorr._numbers import LARGEST
from bayescorr.errors import Argument, ScoresError, ScoresWarning, choose, listing
from bayescorr.scores.frames import Scores, as_frame, number
from bayescorr.scores.questions import doubts
from bayescorr.scores.strata import strata_of
from bayescorr.scores.ties import find_ties, identical_systems, observed_means

__all__ = ["MISSING", "check_scores", "identical_systems", "observed_means", "sort_labels"]

#: Ways to treat missing scores; see :func:`check_scores`.
MISSING = ("drop", "error", "model", "zero")

#: What to do about systems that scores cannot separate; of those with equal means, `_TIE`.
ADVICE: dict[str, tuple[str | Argument, ...]] = {
    "Identical systems": ("Use ", Argument("drop_identical"), " to keep one of each."),
    "Same score on all topics": ("Check whether the run is empty or broken.",),
}
_TIE = "Their observed order is a tie."


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
        different systems with equal means; and for rows and columns that look like summaries,
        columns of another scale than the rest, and columns that look like topics.

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
        for what, names in find_ties(checked).notes(label=repr).items():
            note = ScoresWarning((f"{what}: {names}. ", *ADVICE.get(what, (_TIE,))))
            warnings.warn(note, stacklevel=2)
        for doubt in [] if checked.attrs.get("as_is") else doubts(checked):
            warnings.warn(doubt, ScoresWarning, stacklevel=2)
    return checked


def sort_labels(scores: pd.DataFrame) -> pd.DataFrame:
    """Sort topics and systems by label, so that the given order never changes a result."""
    rows, columns = _order(scores.index), _order(scores.columns)
    values = scores.to_numpy()[np.ix_(rows, columns)]
    return _table(values, scores.index.take(rows), scores.columns.take(columns), scores)


def _order(labels: pd.Index[Any]) -> list[int]:
    keys = [label_key(label) for label in labels.tolist()]
    return sorted(range(len(keys)), key=keys.__getitem__)


def label_key(label: Hashable) -> tuple[int, Any, str]:
    """Return a sort key: numbers first, then strings, then other labels by type and repr."""
    if isinstance(label, int | float | np.number):
        return (0, label, "")
    if isinstance(label, str):
        return (1, label, "")
    return (2, type(label).__name__, repr(label))


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
            message = f"{what} label is missing at position {where}."
            raise ScoresError(message, "Label every row and column.")
        if not labels.is_unique:
            twice = listing(map(repr, labels[labels.duplicated()].unique()))
            message = f"{what} labels must be unique; duplicated: {twice}."
            raise ScoresError(message, "Rename the duplicates.")


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
        cells = [[number(value, text=False) for value in row] for row in values]
        wrong = np.array([[cell is None for cell in row] for row in cells]).reshape(values.shape)
        advice = "Correct these cells, or convert the columns with pandas.to_numeric."
        _refuse(frame, wrong, "not numeric", advice, values)
        values = np.array(cells).reshape(values.shape)
    return _table(values.astype(np.float64), frame.index, frame.columns, frame)


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
        _refuse_lost_tasks(frame, complete)
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


def _refuse_lost_tasks(frame: pd.DataFrame, complete: pd.DataFrame) -> None:
    """Raise if tasks have no complete topics: means over the other tasks are another question."""
    if (strata := strata_of(frame)) is None:
        return
    names = {task.name for task in strata.tasks(complete.index)}
    lost = [task for task in strata.tasks(frame.index) if task.name not in names]
    if lost:
        absent = frame.iloc[lost[0].rows].isna().sum()
        raise ScoresError(
            f"No topic of task {listing(repr(task.name) for task in lost)} has a score of every "
            f"system; {absent.idxmax()!r} lacks the most of {lost[0].name!r} ({absent.max()} of "
            f"{len(lost[0].rows)}).",
            "Leave out these systems or these tasks, or complete the scores.",
        )


def check_shape(frame: pd.DataFrame, source: str = "") -> None:
    """Raise if there are fewer than 2 topics or systems; the message starts with ``source``."""
    topics, systems = frame.shape
    if topics < 2 or systems < 2:
        raise ScoresError(
            f"{source}Need at least 2 topics and 2 systems; got {topics} "
            f"topic{'s' * (topics != 1)} and {systems} system{'s' * (systems != 1)}.",
            "Provide one row per topic and one column per system.",
        )
