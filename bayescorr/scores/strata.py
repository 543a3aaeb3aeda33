r"""Tasks of a benchmark: strata of items, and the weight of each in the score of a system.

The tasks are stored with the scores, as ``bayescorr.scores.groups`` says, and their weights in
``scores.attrs["weights"]``. Readers of files with tasks store them, too. Observed means are
computed in one place (``bayescorr.scores.ties.observed_means``), which finds them there.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayescorr.errors import Argument, ScoresError, listing
from bayescorr.scores.groups import SEEDS, STRATA

#: Where a table keeps the weights of its tasks.
WEIGHTS = "weights"

#: Fewest items of a task: the covariance of its scores is learned from them alone.
LEAST_ITEMS = 5

Weights = Mapping[str, float] | str | None


class Task(NamedTuple):
    """One task in a table: the positions of its items, and its weight; weights sum to 1."""

    name: str
    rows: NDArray[np.intp]
    weight: float


@dataclass(frozen=True, eq=False)
class Strata:
    """Which task each item belongs to, and how tasks are weighted.

    Attributes
    ----------
    task_of : dict
        Task by item, both as text.
    weights : None, "size" or dict
        None weights all tasks equally (macro average), "size" by their numbers of items (micro
        average), a dict by its numbers.
    """

    task_of: dict[str, str]
    weights: Weights = None

    @cached_property
    def names(self) -> list[str]:
        """The tasks, sorted."""
        return sorted(set(self.task_of.values()))

    def tasks(self, items: pd.Index[Any]) -> tuple[Task, ...]:
        """Return the tasks of a table with these items, sorted by name."""
        labels = [self.task_of.get(str(item)) for item in items]
        if lacking := [
            repr(item) for item, label in zip(items, labels, strict=True) if label is None
        ]:
            raise ScoresError(
                f"No task for {len(lacking)} of {len(labels)} items: {listing(lacking)}.",
                "Give every item of the scores a task.",
            )
        names, codes = np.unique(np.array(labels, dtype=object).astype(str), return_inverse=True)
        rows = [np.flatnonzero(codes == k) for k in range(len(names))]
        weights = self._weights([str(name) for name in names], [len(one) for one in rows])
        return tuple(Task(*one) for one in zip(map(str, names), rows, weights, strict=True))

    def _weights(self, names: list[str], sizes: list[int]) -> list[float]:
        if isinstance(self.weights, Mapping):
            if empty := [name for name in self.weights if name not in names]:
                raise ScoresError(
                    f"No items of task {listing(map(repr, empty))}, which has a weight.",
                    ("Correct the names, or leave these tasks out of ", Argument("weights"), "."),
                )
            if lacking := [name for name in names if name not in self.weights]:
                raise ScoresError(
                    f"No weight for task {listing(map(repr, lacking))}.",
                    ("Give every task a number in ", Argument("weights"), "."),
                )
            given = np.array([self.weights[name] for name in names])
        else:
            given = np.array(sizes if self.weights == "size" else np.ones(len(names)), float)
        return [float(weight) for weight in given / given.sum()]

    @property
    def in_words(self) -> str:
        """How many tasks there are and how they are weighted."""
        words = "equal weights" if self.weights is None else "weights by size"
        words = "given weights" if isinstance(self.weights, Mapping) else words
        return f"{len(self.names)} task{'s' * (len(self.names) != 1)} with {words}"


def strata_of(scores: Any) -> Strata | None:
    """Return the strata that are stored with scores, if any."""
    attrs = getattr(scores, "attrs", {})
    if (found := attrs.get(STRATA)) is None:
        return None
    return Strata({str(item): str(task) for item, task in found.items()}, attrs.get(WEIGHTS))


def keep_strata(scores: pd.DataFrame, strata: Strata) -> None:
    """Store strata with scores, for the items of these scores."""
    scores.attrs[STRATA] = {item: strata.task_of[str(item)] for item in scores.index}
    scores.attrs[WEIGHTS] = strata.weights


def tasks_of(scores: pd.DataFrame) -> tuple[Task, ...]:
    """Return the tasks of a table; without strata, one task with all rows."""
    strata = strata_of(scores)
    if strata is None:
        return (Task("", np.arange(len(scores)), 1.0),)
    return strata.tasks(scores.index)


def tasks_to_fit(scores: pd.DataFrame) -> tuple[Task, ...]:
    """Return the same; raise if a task has too few items to learn from."""
    tasks = tasks_of(scores)
    few = [task for task in tasks if len(task.rows) < LEAST_ITEMS]
    if few and len(tasks) > 1:
        sizes = listing(f"{task.name!r} ({len(task.rows)})" for task in few)
        raise ScoresError(
            f"Tasks need at least {LEAST_ITEMS} items; fewer in {sizes}.",
            ("Leave these tasks out, or merge small tasks with ", Argument("pool", 10), "."),
        )
    return tasks


def task_table(scores: pd.DataFrame, task: Task) -> pd.DataFrame:
    """Return the rows of one task as scores without strata."""
    table = scores.iloc[task.rows]
    table.attrs = {
        name: value for name, value in scores.attrs.items() if name not in (STRATA, WEIGHTS)
    }
    return table


def with_strata(
    scores: pd.DataFrame, strata: Any = None, weights: Any = None, *, pool: int | None = None
) -> pd.DataFrame:
    r"""Divide the items of a benchmark into tasks, so that scores are means over tasks.

    The score of a system is the weighted mean over tasks k of its mean over the :math:`n_k` items
    of a task,

    .. math:: \bar x = \sum_k w_k \bar x_k, \qquad \sum_k w_k = 1.

    Tasks are fixed, and items are sampled within tasks. Functions that take the result use these
    means: :func:`bayescorr.fit`, :func:`bayescorr.estimate`, :func:`bayescorr.compare`,
    :func:`bayescorr.make_report` and all others with observed means.

    Parameters
    ----------
    scores : DataFrame
        Scores, items (topics) x systems.
    strata : Series or mapping, optional
        Task of each item, aligned by label; by default those that the scores have already, if any.
    weights : None, "size" or mapping
        None weights all tasks equally (macro average); "size" weights them by their numbers of
        items, so that all items count the same; a mapping has a positive number for every task.
    pool : int, optional
        Merge the tasks with fewer items than this into one, whose weight is the sum of theirs and
        whose items count the same.

    Returns
    -------
    DataFrame
        A copy of the scores, with the task of each item in ``attrs["strata"]``.

    Raises
    ------
    ScoresError
        If an item has no task, a task has fewer than 5 items or no weight.

    Examples
    --------
    >>> import bayescorr
    >>> scores = bayescorr.load_dataset("demo").iloc[:15, :3]
    >>> tasks = {topic: "short" if i < 5 else "long" for i, topic in enumerate(scores.index)}
    >>> strata_of(with_strata(scores, tasks)).in_words
    '2 tasks with equal weights'
    """
    if strata is None:
        if weights is None and pool is None:
            return scores
        if (strata := strata_of(scores)) is None:
            name = "weights" if weights is not None else "pool"
            raise ScoresError(
                (Argument(name), " needs the task of each item."),
                ("Give ", Argument("strata"), ", or omit ", Argument(name), "."),
            )
    if isinstance(strata, Strata):
        found = strata if weights is None else Strata(strata.task_of, _checked_weights(weights))
    else:
        found = Strata(_task_of(strata), _checked_weights(weights))
    labelled = scores.copy() if isinstance(scores, pd.DataFrame) else pd.DataFrame(scores)
    present = found.tasks(labelled.index)
    if pool is not None and (small := [task for task in present if len(task.rows) < pool]):
        found, present = _pooled(found, labelled.index, present, small)
    keep_strata(labelled, found)
    tasks_to_fit(labelled)
    return labelled


def refuse_strata(scores: Any, what: str, remedy: str) -> None:
    """Raise an error for something that is not defined for means over tasks."""
    if strata_of(scores) is not None:
        raise ScoresError(f"{what} does not support tasks (strata).", remedy)


def refuse_seeds(scores: Any) -> None:
    """Raise an error for scores of which several columns are seeds of one system.

    A seed shifts all scores of its run together, so that averages over seeds vary more than their
    items tell, and two or three seeds per system say little about by how much.
    """
    seeds = getattr(scores, "attrs", {}).get(SEEDS, {})
    systems = [str(seeds[column]) for column in scores.columns if column in seeds] if seeds else []
    if len(set(systems)) < len(systems):
        number = len(set(systems))
        raise ScoresError(
            f"The {len(systems)} columns are seeds of {number} system{'s' * (number != 1)}, and no "
            "model has a seed effect: items alone do not say how much a new seed would change a "
            "system.",
            (
                "Rank the systems as run, averaged over their seeds, with ",
                Argument("repeats", "mean"),
                ", or take one seed of each.",
            ),
        )


def _task_of(strata: Any) -> dict[str, str]:
    """Return the task of each item as text; raise if an item has none, or several."""
    if not isinstance(strata, pd.Series | Mapping):
        raise ScoresError(
            (Argument("strata"), f" must be a Series or mapping; got {type(strata).__name__}."),
            "Give the task of each item, by the labels of the scores.",
        )
    pairs: list[tuple[Hashable, Any]] = list(strata.items())
    empty = [repr(item) for item, task in pairs if pd.isna(task) or not str(task).strip()]
    if empty:
        raise ScoresError(
            f"No task for {len(empty)} items: {listing(empty)}.",
            "Give every item of the scores a task.",
        )
    found: dict[str, str] = {}
    for item, task in pairs:
        if found.setdefault(str(item), str(task)) != str(task):
            raise ScoresError(
                f"Item {str(item)!r} is in the tasks {found[str(item)]!r} and {str(task)!r}.",
                "Give every item one task, and items of different tasks different labels.",
            )
    return found


def _checked_weights(weights: Any) -> Weights:
    if weights is None or (isinstance(weights, str) and weights == "size"):
        return weights
    given = dict(weights) if isinstance(weights, Mapping | pd.Series) else {}
    try:
        found = {str(name): float(value) for name, value in given.items()}
    except (TypeError, ValueError):
        found = {}
    if not found:
        raise ScoresError(
            (Argument("weights"), f' must be None, "size" or numbers by task; got {weights!r}.'),
            "Example: weights={'maths': 2, 'law': 1}.",
        )
    if wrong := [f"{name!r} ({x:g})" for name, x in found.items() if not 0 < x < np.inf]:
        raise ScoresError(
            f"Weights of tasks must be positive numbers; got {listing(wrong)}.",
            "Leave out the items of tasks that do not count.",
        )
    return found


def _pooled(
    found: Strata, items: pd.Index[Any], present: tuple[Task, ...], small: list[Task]
) -> tuple[Strata, tuple[Task, ...]]:
    """Merge small tasks into one."""
    merged = f"pooled ({', '.join(task.name for task in small)})"
    names = {task.name: merged for task in small}
    weights: dict[str, float] = {}
    for task in present:
        name = names.get(task.name, task.name)
        weights[name] = weights.get(name, 0.0) + task.weight
    task_of = {item: names.get(task, task) for item, task in found.task_of.items()}
    pooled = Strata(task_of, "size" if found.weights == "size" else weights)
    return pooled, pooled.tasks(items)
