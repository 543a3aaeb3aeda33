"""Several conditions as models see them: distinct columns, in coordinates that simplify the prior.

Every system has one column of scores per condition. Columns that are equal are modelled once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.linalg import helmert

from bayescorr._numbers import FloatArray
from bayescorr.bayes.data import ModelData, contrast_sd, prepare
from bayescorr.errors import ModelError

IntArray = NDArray[np.int64]
#: The scores of a condition, and the distinct system that stands for each of its systems.
Prepared = tuple[ModelData, pd.Series]


@dataclass(frozen=True, kw_only=True)
class ConditionsData(ModelData):
    """Sums and contrasts of every system's columns, each condition on its own standard scale."""

    #: k - 1 for the sum of the k columns of a system (over the root of k), -1 for a contrast of
    #: them, 0 for a column that is alone, since its counterparts are identical to it.
    join: FloatArray
    #: Number of the system that a column belongs to, and the labels of these systems.
    owner: FloatArray
    owners: list[Hashable]
    #: What the mean levels add to a column, columns x levels. The levels are the sum and contrasts
    #: of those of the conditions, too, which are less correlated.
    level: FloatArray

    @property
    def coords(self) -> dict[str, Any]:
        """Coordinates of the PyMC model."""
        levels = ["sum", *(f"contrast {i}" for i in range(1, self.level.shape[1]))]
        return {**super().coords, "owner": self.owners, "level": levels}


@dataclass(frozen=True, kw_only=True)
class PartialData(ConditionsData):
    """The same, where the partial conditions were judged on some of the topics only.

    The columns are those of all conditions, on the topics that all of them have. The whole
    conditions come first.
    """

    #: The columns of the whole conditions alone, on all topics and on the shared ones.
    whole: ConditionsData
    part: ConditionsData
    #: The orthogonal matrices to sums and contrasts, of all columns and of the whole conditions'.
    turn: FloatArray
    whole_turn: FloatArray
    #: What P joins: 1 for two columns of one system.
    joined: FloatArray


@dataclass(frozen=True)
class Columns:
    """The distinct columns of several conditions: numbers of what each belongs to."""

    #: The condition; the system, which is one of the first condition; and the block of columns that
    #: P joins: one per condition, of the same system.
    condition: IntArray
    owner: IntArray
    block: IntArray

    def turn(self) -> tuple[FloatArray, FloatArray]:
        """Return the orthogonal matrix to sums and contrasts of each block, and ``join``."""
        turn, join = np.eye(len(self.block)), np.zeros(len(self.block))
        for block in np.unique(self.block):
            (members,) = np.nonzero(self.block == block)
            size = len(members)
            turn[np.ix_(members, members)] = helmert(size, full=True)
            join[members] = [size - 1, *[-1] * (size - 1)]
        return turn, join

    def first(self, size: int) -> Columns:
        """Return the first columns."""
        return Columns(self.condition[:size], self.owner[:size], self.block[:size])

    def data(
        self,
        values: FloatArray,
        topics: list[Hashable],
        owners: list[Hashable],
        conditions: IntArray | None = None,
    ) -> ConditionsData:
        """Return scores (topics x columns) as models see them.

        ``conditions`` are those with a level; by default all that have columns.
        """
        turn, join = self.turn()
        known = np.unique(self.condition) if conditions is None else conditions
        level = np.asarray(self.condition[:, None] == known, float)
        return ConditionsData(
            values=values @ turn.T,
            topics=topics,
            systems=[f"column {i + 1}" for i in range(len(join))],
            join=join,
            owner=self.owner.astype(float),
            # Sum and contrasts of levels with the same normal prior have that prior, too.
            level=turn @ level @ helmert(len(known), full=True).T,
            owners=owners,
        )


def conditions_data(
    tables: Mapping[str, pd.DataFrame],
) -> tuple[ConditionsData, Callable[[FloatArray], FloatArray]]:
    """Return sums and contrasts of the distinct columns of aligned tables, and a function.

    A column that equals one of an earlier condition up to location and scale is omitted. The
    function maps draws of the columns' true means (draws x columns) to those of all systems under
    every condition, on the scales of the scores: draws x conditions x systems.
    """
    prepared = [prepare_condition(name, table) for name, table in tables.items()]
    shared = set.intersection(*(set(data.topics) for data, _ in prepared))
    return columns_data([(_on_shared(data, shared), place) for data, place in prepared])


def columns_data(
    prepared: Sequence[Prepared],
) -> tuple[ConditionsData, Callable[[FloatArray], FloatArray]]:
    """Return the same for conditions that are prepared, on the scales that they say."""
    sizes = [data.n_topics for data, _ in prepared]
    # The whole conditions first, so that a column equal to one of them has all topics.
    order = sorted(range(len(prepared)), key=lambda k: (-sizes[k], k))
    columns, values, places = distinct_columns([prepared[k] for k in order])
    first = prepared[order[0]][0]
    whole = np.asarray(~np.isnan(values).any(axis=0))
    data = columns.data(values, first.topics, first.systems)
    turn, _ = columns.turn()
    if not whole.all():
        data = _partial(columns, values, first, int(whole.sum()))
        # The model draws the true means of the columns themselves.
        turn = np.eye(len(whole))

    def means_of(draws: FloatArray) -> FloatArray:
        standard = draws @ turn
        found = {}
        for k, place in zip(order, places, strict=True):
            condition, stands_for = prepared[k]
            means = condition.to_scores(standard[..., place])
            found[k] = means[..., stands_for.to_numpy()]
        return np.stack([found[k] for k in range(len(prepared))], axis=-2)

    return data, means_of


def _partial(columns: Columns, values: FloatArray, first: ModelData, whole: int) -> PartialData:
    """Return the data of a partial pattern; the first ``whole`` columns have all topics."""
    shared = np.asarray(~np.isnan(values).any(axis=1))
    topics = [topic for topic, both in zip(first.topics, shared, strict=True) if both]
    known = np.unique(columns.condition)
    joint = columns.data(values[shared], topics, first.systems)
    cheap = columns.first(whole)
    return PartialData(
        **vars(joint),
        whole=cheap.data(values[:, :whole], first.topics, first.systems, known),
        part=cheap.data(values[shared, :whole], topics, first.systems, known),
        turn=columns.turn()[0],
        whole_turn=cheap.turn()[0],
        joined=np.asarray(columns.block[:, None] == columns.block, float),
    )


def _on_shared(data: ModelData, shared: set[Any]) -> ModelData:
    """Take location and scale from the shared topics, where equal scores must stay equal."""
    values = data.values[[topic in shared for topic in data.topics]]
    scale = contrast_sd(values)
    return replace(data, location=float(values.mean()), scale=scale) if scale > 0 else data


def prepare_condition(name: str, table: pd.DataFrame) -> Prepared:
    """Prepare the scores of one condition; an error names it."""
    try:
        return prepare(table)
    except ModelError as error:
        raise ModelError(f"Condition {name!r}: {error.message}", error.remedy) from None


def distinct_columns(
    prepared: Sequence[Prepared],
) -> tuple[Columns, FloatArray, list[IntArray]]:
    """Return the distinct columns, their values, and per condition the column of each system.

    The first condition has all topics; values are NaN where another has fewer.
    """
    first, of_first = prepared[0]
    owners = dict(zip(of_first.index, of_first, strict=True))
    row = {topic: i for i, topic in enumerate(first.topics)}
    values = list(first.standard.T)
    found = [(0, j, j) for j in range(len(values))]
    places = [np.arange(len(values))]
    for k, (data, _) in enumerate(prepared[1:], start=1):
        earlier, place, taken = np.array(values).T, [], set()
        scores = np.full((len(row), data.n_systems), np.nan)
        scores[[row[topic] for topic in data.topics]] = data.standard
        for system, column in zip(data.systems, scores.T, strict=True):
            if (equal := _equal_column(earlier, column)) is not None:
                place.append(equal)
                continue
            owner = owners[system]
            # Systems that are identical in the first condition share an owner, but not its block.
            block = len(found) if owner in taken else owner
            taken.add(owner)
            place.append(len(found))
            found.append((k, owner, block))
            values.append(column)
        places.append(np.array(place))
    condition, owner, block = np.array(found).T
    return Columns(condition, owner, block), np.array(values).T, places


def _equal_column(table: FloatArray, column: FloatArray) -> int | None:
    """Return the position of the column that equals a given one up to rounding."""
    apart = np.nanmax(np.abs(table - column[:, None]), axis=0)
    nearest = int(apart.argmin())
    return nearest if apart[nearest] < 1e-9 * max(1.0, np.nanmax(np.abs(column))) else None
