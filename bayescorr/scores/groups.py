"""Groups within a table of scores: the tasks of its items, and the systems that its seeds are of.

A table carries its groups in ``attrs``, as plain dicts: pandas copies and compares these.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import pandas as pd

from bayescorr.errors import ScoresError, listing

if TYPE_CHECKING:
    Groups: TypeAlias = "pd.Series[Any] | Mapping[Hashable, object]"

#: Where a table keeps the task of every item, and the system of every column.
STRATA, SEEDS = "strata", "seeds"
_REMEDY = {
    STRATA: "Give every item a task, by its label in the index of the scores.",
    SEEDS: "Give every column a system, by its label.",
}


def task_labels(scores: pd.DataFrame) -> pd.Series[Any] | None:
    """Return the task of every item, in the order of the rows; None if the table has no tasks.

    Parameters
    ----------
    scores : DataFrame
        Items by systems, as :func:`~bayescorr.read_scores` returns them.

    Returns
    -------
    Series or None
        The tasks, indexed by the labels of the items.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [1.0, 0.0], "b": [0.0, 1.0]}, index=["maths/1", "law/1"])
    >>> task_labels(label_tasks(scores, {"maths/1": "maths", "law/1": "law"})).tolist()
    ['maths', 'law']
    >>> task_labels(scores) is None
    True
    """
    return _groups(STRATA, "task", "item", scores, scores.index)


def label_tasks(
    scores: pd.DataFrame, strata: pd.Series | Mapping[Hashable, object]
) -> pd.DataFrame:
    """Return the scores with the task of every item, a Series or mapping by label.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [1.0, 0.0], "b": [0.0, 1.0]}, index=["q1", "q2"])
    >>> task_labels(label_tasks(scores, {"q1": "maths", "q2": "law"})).to_dict()
    {'q1': 'maths', 'q2': 'law'}
    """
    return _with_groups(STRATA, "task", "item", scores, scores.index, strata)


def seeds_of(scores: pd.DataFrame) -> pd.Series[Any] | None:
    """Return the system of every column, if the columns are seeds of systems; otherwise None.

    Parameters
    ----------
    scores : DataFrame
        Items by seeds of systems, as ``read_scores(..., repeats="seeds")`` returns them.

    Returns
    -------
    Series or None
        The systems, indexed by the labels of the columns.

    Examples
    --------
    >>> scores = with_seeds(pd.DataFrame({"a/1": [0.1], "a/2": [0.2]}), {"a/1": "a", "a/2": "a"})
    >>> seeds_of(scores).tolist()
    ['a', 'a']
    """
    return _groups(SEEDS, "system", "column", scores, scores.columns)


def with_seeds(scores: pd.DataFrame, seeds: Groups) -> pd.DataFrame:
    """Return the scores with the system of every column, a Series or mapping by label.

    Examples
    --------
    >>> seeds_of(with_seeds(pd.DataFrame({"a/1": [0.1]}), {"a/1": "a"})).to_dict()
    {'a/1': 'a'}
    """
    return _with_groups(SEEDS, "system", "column", scores, scores.columns, seeds)


def one_row_per_score(scores: pd.DataFrame, seeds: pd.Series[Any]) -> pd.DataFrame:
    """Return a long table of the scores of seeds, which a file keeps apart from systems.

    Examples
    --------
    >>> scores = with_seeds(pd.DataFrame({"a/1": [0.1], "a/2": [0.2]}), {"a/1": "a", "a/2": "a"})
    >>> one_row_per_score(scores, seeds_of(scores)).to_numpy().tolist()
    [['0', 'a', '1', 0.1], ['0', 'a', '2', 0.2]]
    """
    tasks = task_labels(scores)
    parts = [
        pd.DataFrame(
            {
                "topic": scores.index.map(str),
                **({} if tasks is None else {"task": tasks.to_numpy()}),
                "system": str(system),
                "seed": str(column).removeprefix(f"{system}/"),
                "score": scores[column].to_numpy(),
            }
        )
        for column, system in seeds.items()
    ]
    return pd.concat(parts, ignore_index=True)


def _groups(
    name: str, group: str, member: str, scores: pd.DataFrame, labels: pd.Index[Any]
) -> pd.Series[Any] | None:
    found = scores.attrs.get(name)
    if found is None:
        return None
    if missing := [label for label in labels if label not in found]:
        members = f"{len(missing)} {member}{'s' * (len(missing) != 1)}"
        raise ScoresError(
            f"No {group} is known for {members}: {listing(map(repr, missing))}.",
            _REMEDY[name],
        )
    return pd.Series([found[label] for label in labels], index=labels, dtype=object, name=group)


def _with_groups(
    name: str,
    group: str,
    member: str,
    scores: pd.DataFrame,
    labels: pd.Index[Any],
    groups: Groups,
) -> pd.DataFrame:
    if isinstance(groups, pd.Series) and not groups.index.is_unique:
        twice = listing(map(repr, groups.index[groups.index.duplicated()].unique()))
        raise ScoresError(f"Several {group}s for one {member}: {twice}.", _REMEDY[name])
    if not isinstance(groups, pd.Series | Mapping):
        raise ScoresError(
            f"Expected the {group} of every {member} in a Series or dict; got "
            f"{type(groups).__name__}.",
            _REMEDY[name],
        )
    known = {label: value for label, value in groups.items() if not _is_missing(value)}
    found = scores.copy()
    found.attrs = {**scores.attrs, name: known}
    _groups(name, group, member, found, labels)  # raises if one is missing
    found.attrs[name] = {label: known[label] for label in labels}
    return found


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NA or value != value
