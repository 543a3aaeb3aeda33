"""What goes into a coefficient: labels aligned, values checked, leading axes broadcast."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayescorr._numbers import LARGEST, FloatArray
from bayescorr._threads import fill
from bayescorr.errors import CoefficientError, listing

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Pairs:
    """Truths and observed vectors, and which is to be compared with which.

    Rows are distinct vectors; pair k compares ``truth[truth_row[k]]`` with
    ``observed[observed_row[k]]``, and results take ``shape``.
    """

    truth: FloatArray
    observed: FloatArray
    truth_row: Integers
    observed_row: Integers
    shape: tuple[int, ...]

    @property
    def systems(self) -> int:
        """How many systems the vectors rank."""
        return int(self.truth.shape[1])

    @cached_property
    def observed_groups(self) -> tuple[Integers, Integers]:
        """Order of each observed vector, best first, and where the tied group of a place begins."""
        return tied_groups(self.observed)

    def run(self, kernel: Callable[..., None], *arguments: Any, columns: int) -> FloatArray:
        """Fill a (pairs x columns) array with ``kernel``, by several threads when it is large."""
        out = np.empty((len(self.truth_row), columns))
        rows = (self.truth_row, self.observed_row)
        return fill(kernel, *arguments, *rows, out=out, work=len(out) * self.systems**2 / 2)

    def shaped(self, values: FloatArray) -> FloatArray:
        """Give ``values``, one per pair, the shape of the leading axes."""
        return values.reshape(self.shape)


def pair_up(truth: Any, observed: Any, higher_is_better: bool = True) -> Pairs:
    """Check and align two sets of mean scores; the last axis of each is systems."""
    x, x_labels = _values(truth, "truth")
    y, y_labels = _values(observed, "observed means")
    if x_labels is not None and y_labels is not None:
        if not (x_labels.equals(y_labels) and x_labels.is_unique):
            x = x[..., _same_systems(x_labels, y_labels)]
        x_labels = y_labels
    if x.shape[-1] != y.shape[-1]:
        raise CoefficientError(
            f"The truth has {x.shape[-1]} systems and the observed means have {y.shape[-1]}.",
            "Give both for the same systems, along the last axis.",
        )
    m = x.shape[-1]
    if m < 2:
        raise CoefficientError(
            f"{m} system was given: a ranking needs at least 2.", "Add systems, on the last axis."
        )
    for values, labels, what in ((x, x_labels, "true"), (y, y_labels, "observed")):
        usable = np.abs(values) <= LARGEST
        if not usable.all():
            bad = np.flatnonzero(~usable.reshape(-1, m).all(axis=0))
            where = f"places {listing(bad)}" if labels is None else listing(map(repr, labels[bad]))
            raise CoefficientError(
                f"Missing, infinite or huge values (beyond {LARGEST:g}) among the {what} means, in "
                f"{where}.",
                "Drop these systems from both, or correct their means.",
            )
    if not higher_is_better:
        x, y = -x, -y
    try:
        shape = np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
    except ValueError:
        raise CoefficientError(
            f"The leading axes {x.shape[:-1]} and {y.shape[:-1]} do not match.",
            "Give one vector against many, or as many truths as observed vectors.",
        ) from None
    return Pairs(
        np.require(x.reshape(-1, m), requirements=["C", "W"]),
        np.require(y.reshape(-1, m), requirements=["C", "W"]),
        _rows(x.shape[:-1], shape),
        _rows(y.shape[:-1], shape),
        shape,
    )


def tied_groups(values: FloatArray) -> tuple[Integers, Integers]:
    """Order of each row, best first, and the place where the tied group of each place begins."""
    order = np.argsort(-values, axis=1, kind="stable")
    ranked = np.take_along_axis(values, order, axis=1)
    first = np.tile(np.arange(values.shape[1]), (len(values), 1))
    first[:, 1:][ranked[:, 1:] == ranked[:, :-1]] = 0
    return order, np.maximum.accumulate(first, axis=1)


def _values(given: Any, what: str) -> tuple[FloatArray, pd.Index[Any] | None]:
    """Return the array and, when it carries them, the labels of its last axis."""
    labels: pd.Index[Any] | None = None
    if isinstance(given, pd.Series):
        labels = given.index
    elif isinstance(given, pd.DataFrame):
        labels = given.columns
    elif (dims := getattr(given, "dims", ())) and dims[-1] in given.coords:
        labels = pd.Index(given.coords[dims[-1]].values)
    if isinstance(given, np.ma.MaskedArray):
        given = np.where(np.ma.getmaskarray(given), np.nan, given.data)
    try:
        values = np.asarray(given)
        if values.dtype.kind in "cmM":  # NumPy would make numbers of times and complex ones
            raise TypeError
        values = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise CoefficientError(
            f"The {what} cannot be read as numbers (found {type(given).__name__}).",
            "Give mean scores as an array, a Series or a DataFrame of numbers.",
        ) from None
    if values.ndim == 0:
        raise CoefficientError(
            f"The {what}: a single number was given.", "Give one mean per system, on the last axis."
        )
    return values, labels


def _same_systems(truth: pd.Index[Any], observed: pd.Index[Any]) -> Integers:
    """Where each observed system stands in the truth."""
    for labels, what in ((truth, "truth"), (observed, "observed means")):
        if not labels.is_unique:
            twice = labels[labels.duplicated()].unique()
            raise CoefficientError(
                f"Labels occur twice in the {what}: {listing(twice)}.",
                "Give every system its own label.",
            )
    alone = truth.symmetric_difference(observed, sort=False)
    if len(alone):
        raise CoefficientError(
            f"Truth and observed means are not of the same systems: {listing(alone)} in one only.",
            "Give both the same labels, or plain arrays to align them by position.",
        )
    return truth.get_indexer(observed).astype(np.int64)


def _rows(lead: tuple[int, ...], shape: tuple[int, ...]) -> Integers:
    """Which distinct vector each pair takes, given its own leading axes and those of the result."""
    rows = np.arange(math.prod(lead))
    if lead == shape:
        return rows
    if len(rows) == 1:
        return np.zeros(math.prod(shape), dtype=np.int64)
    rows = rows.reshape(lead)
    return np.broadcast_to(rows, shape).flatten()
