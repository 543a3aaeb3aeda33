"""Several scores of one system on one item: an error, their mean, or one column per seed."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayescorr._numbers import FloatArray
from bayescorr.errors import Argument, ScoresError, listing
from bayescorr.scores.groups import with_seeds
from bayescorr.scores.tables import Cells, Table

#: What to do with repeats, with its description.
REPEATS = {
    "error": "several scores of a system on an item are an error",
    "mean": "average them",
    "seeds": "one column per seed of a system, named system/seed",
}
_REMEDY = (
    "Use ",
    Argument("repeats", "mean"),
    " to average them, or ",
    Argument("repeats", "seeds"),
    " to keep the seeds apart.",
)


def pivot(
    table: Table, values: FloatArray, items: Cells, systems: Cells, repeats: str
) -> tuple[pd.DataFrame, str]:
    """Return a table of items by systems, and a note on what was averaged.

    Items and systems are in order of appearance. ``attrs["repeats"]`` says how many scores a cell
    is the mean of.
    """
    columns = table.columns("repeat")
    of_column: dict[Hashable, Hashable] = {}
    if repeats == "seeds":
        seeds = _seeds(table, columns)
        pairs = dict.fromkeys(zip(systems, seeds, strict=True))
        names = {pair: f"{pair[0]}/{pair[1]}" for pair in pairs}
        of_column = {name: system for (system, _), name in names.items()}
        systems = [names[pair] for pair in zip(systems, seeds, strict=True)]
    (rows, topics), (places, runs) = (_factorized(labels) for labels in (items, systems))
    cells = rows * len(runs) + places
    size = len(topics) * len(runs)
    numbers = np.bincount(cells, minlength=size)
    note = ""
    if numbers.max() > 1:
        if columns:
            _refuse_same_repeat(table, cells, items, systems, columns)
        if repeats != "mean":
            _refuse(table, cells, items, systems, columns)
        present = ~np.isnan(values)
        # In order of the values, so that the order of the rows does not change a sum.
        order = np.lexsort((values, cells))
        order = order[present[order]]
        sums = np.bincount(cells[order], weights=values[order], minlength=size)
        counts = np.bincount(cells[order], minlength=size)
        with np.errstate(invalid="ignore"):
            scores = sums / counts
        once = numbers == 1  # as it is, without rounding
        scores[cells[once[cells]]] = values[once[cells]]
        note = _note(counts.reshape(-1, len(runs)), int((~present).sum()))
    else:
        scores = np.full(size, np.nan)
        scores[cells] = values
    frame = pd.DataFrame(
        scores.reshape(-1, len(runs)), index=pd.Index(topics), columns=pd.Index(runs)
    )
    if note:
        low, high = counts[counts > 0].min(), counts.max()
        frame.attrs["repeats"] = f"mean of {low if low == high else f'{low} to {high}'} repeats"
    return (with_seeds(frame, of_column) if of_column else frame), note


def _factorized(labels: Cells) -> tuple[NDArray[np.int64], list[Any]]:
    codes, found = pd.factorize(pd.Series(labels, dtype=object))
    return codes.astype(np.int64), found.tolist()


def _seeds(table: Table, columns: Sequence[int]) -> Cells:
    """Return the seed of every row."""
    if len(columns) != 1:
        names = listing(repr(table.header[i]) for i in columns) if columns else "none"
        raise ScoresError(
            f"{table.source}: expected one column that tells seeds apart; got {names}.",
            ("Name it seed, or use ", Argument("repeats", "mean"), "."),
        )
    return table.labels(columns[0])


def _note(counts: NDArray[np.int64], missing: int) -> str:
    """Say which systems have repeats, and how many."""
    several = (counts > 1).any(axis=0)
    of = counts[:, several]
    low, high = int(of[of > 0].min()), int(of.max())
    systems = "all" if several.all() else f"{several.sum()} of {counts.shape[1]}"
    number = f"{low}" if low == high else f"{low} to {high}"
    note = f"Averaged the repeats of {systems} systems: {number} scores of a system on an item"
    return f"{note}; {missing} missing ones left out." if missing else f"{note}."


def _refuse(
    table: Table,
    cells: NDArray[np.int64],
    items: Cells,
    systems: Cells,
    columns: Sequence[int],
) -> None:
    """Raise since a system has two scores on a topic; a column such as ``seed`` may say why."""
    first, second = _twice(cells)
    what = f"system {systems[second]!r} on topic {items[second]!r}"
    if columns:
        raise ScoresError(
            f"{table.source}: {int((cells == cells[second]).sum())} scores of {what}; column "
            f"{table.header[columns[0]]!r} tells them apart.",
            _REMEDY,
        )
    raise ScoresError(
        f"{table.source}, {table.places[second]}: duplicate score of {what}; first on "
        f"{table.places[first]}.",
        ("Keep one of the two, or use ", Argument("repeats", "mean"), " to average repeats."),
    )


def _refuse_same_repeat(
    table: Table,
    cells: NDArray[np.int64],
    items: Cells,
    systems: Cells,
    columns: Sequence[int],
) -> None:
    """Raise if a system has two scores on a topic in the same repeat."""
    for column in columns:
        codes, found = _factorized(table.cells(column))
        cells = cells * (len(found) + 1) + codes + 1
    if len(np.unique(cells)) == len(cells):
        return
    first, second = _twice(cells)
    repeat = " and ".join(f"{table.header[i]} {table.cells(i)[second]!r}" for i in columns)
    raise ScoresError(
        f"{table.source}, {table.places[second]}: duplicate score of system {systems[second]!r} on "
        f"topic {items[second]!r} with {repeat}; first on {table.places[first]}.",
        "Keep one of the two.",
    )


def _twice(cells: NDArray[np.int64]) -> tuple[int, int]:
    """Return the positions of the first number that occurs again: its first and its second."""
    _, first, codes = np.unique(cells, return_index=True, return_inverse=True)
    second = int(np.flatnonzero(first[codes] != np.arange(len(cells)))[0])
    return int(first[codes[second]]), second
