"""The input of a coefficient: labels aligned, values checked, leading axes broadcast."""

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
    """Distinct truths and observed vectors, and which to compare with which.

    Pair k compares ``truth[truth_row[k]]`` with ``observed[observed_row[k]]``; results take
    ``shape``.
    """

    truth: FloatArray
    observed: FloatArray
    truth_row: Integers
    observed_row: Integers
    shape: tuple[int, ...]

    @property
    def systems(self) -> int:
        """Number of systems."""
        return int(self.truth.shape[1])

    @cached_property
    def observed_groups(self) -> tuple[Integers, Integers]:
        """Order of each observed vector, best first, and the first position of each tied group."""
        return tied_groups(self.observed)

    def run(self, kernel: Callable[..., None], *arguments: Any, columns: int) -> FloatArray:
        """Fill a (pairs x columns) array with ``kernel``, in several threads when it is large."""
        out = np.empty((len(self.truth_row), columns))
        rows = (self.truth_row, self.observed_row)
        return fill(kernel, *arguments, *rows, out=out, work=len(out) * self.systems**2 / 2)

    def shaped(self, values: FloatArray) -> FloatArray:
        """Give ``values``, one per pair, the shape of the leading axes."""
        return values.reshape(self.shape)

    def check_not_constant(self, name: str) -> None:
        """Raise an error if all systems tie in a truth or an observed vector."""
        for values, what in ((self.truth, "truth"), (self.observed, "observed means")):
            constant = int((values == values[:, :1]).all(axis=1).sum())
            if constant:
                raise CoefficientError(
                    f"{name} is undefined when all systems tie: the {what} are all equal"
                    + (f" in {constant} of {len(values)} vectors." if len(values) > 1 else "."),
                    "Use tau, tau_ap or tau_gap, which allow any ties, or drop these vectors.",
                )

    def check_true_ties(self, name: str, instead: str) -> None:
        """Raise an error if a truth has ties."""
        tied = int(tied_pairs(self.truth).astype(bool).sum())
        if tied:
            raise CoefficientError(
                f"{name} requires a truth without ties; {tied} of {len(self.truth)} have ties.",
                f"Use {instead}, which allow ties in the truth.",
            )


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
            "The truth and the observed means must have the same systems on the last axis; got "
            f"{x.shape[-1]} systems and {y.shape[-1]}."
        )
    m = x.shape[-1]
    if m < 2:
        raise CoefficientError(f"A ranking needs at least 2 systems; got {m} on the last axis.")
    for values, labels, what in ((x, x_labels, "true"), (y, y_labels, "observed")):
        usable = np.abs(values) <= LARGEST
        if not usable.all():
            bad = np.flatnonzero(~usable.reshape(-1, m).all(axis=0))
            where = (
                f"positions {listing(bad)}" if labels is None else listing(map(repr, labels[bad]))
            )
            raise CoefficientError(
                f"Missing, infinite or too large (above {LARGEST:g}) {what} means: {where}.",
                "Drop these systems from both arguments, or correct their means.",
            )
    if not higher_is_better:
        x, y = -x, -y
    try:
        shape = np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
    except ValueError:
        raise CoefficientError(
            f"The leading axes {x.shape[:-1]} and {y.shape[:-1]} do not broadcast.",
            "Pass one vector against many, or as many truths as observed vectors.",
        ) from None
    return Pairs(
        np.require(x.reshape(-1, m), requirements=["C", "W"]),
        np.require(y.reshape(-1, m), requirements=["C", "W"]),
        _rows(x.shape[:-1], shape),
        _rows(y.shape[:-1], shape),
        shape,
    )


def tied_groups(values: FloatArray) -> tuple[Integers, Integers]:
    """Return the order of each row, best first, and the first position of each tied group."""
    order = np.argsort(-values, axis=1, kind="stable")
    return order, _group_starts(np.take_along_axis(values, order, axis=1))


def tied_pairs(values: FloatArray) -> FloatArray:
    """Return the number of tied pairs in each row."""
    places = np.arange(values.shape[1]) - _group_starts(np.sort(values, axis=1))
    return np.asarray(places.sum(axis=1), dtype=np.float64)


def _group_starts(ranked: FloatArray) -> Integers:
    """Return the first position of each cell's tied group; rows are sorted."""
    first = np.tile(np.arange(ranked.shape[1]), (len(ranked), 1))
    first[:, 1:][ranked[:, 1:] == ranked[:, :-1]] = 0
    return np.maximum.accumulate(first, axis=1)


def _values(given: Any, what: str) -> tuple[FloatArray, pd.Index[Any] | None]:
    """Return the array and the labels of its last axis, if it has any."""
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
        if values.dtype.kind in "cmM":  # NumPy would convert times and complex numbers
            raise TypeError
        values = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise CoefficientError(
            f"The {what} must be numbers; got {type(given).__name__}.",
            "Pass mean scores as an array, a Series or a DataFrame of numbers.",
        ) from None
    if values.ndim == 0:
        raise CoefficientError(
            f"The {what} must have one mean per system on the last axis; got a single number."
        )
    return values, labels


def _same_systems(truth: pd.Index[Any], observed: pd.Index[Any]) -> Integers:
    """Return the position of each observed system in the truth."""
    for labels, what in ((truth, "truth"), (observed, "observed means")):
        if not labels.is_unique:
            repeated = labels[labels.duplicated()].unique()
            raise CoefficientError(
                f"Duplicate labels in the {what}: {listing(repeated)}.",
                "Give every system a unique label.",
            )
    alone = truth.symmetric_difference(observed, sort=False)
    if len(alone):
        raise CoefficientError(
            f"Truth and observed means have different systems; in one only: {listing(alone)}.",
            "Use the same labels in both, or pass arrays to align them by position.",
        )
    return truth.get_indexer(observed).astype(np.int64)


def _rows(lead: tuple[int, ...], shape: tuple[int, ...]) -> Integers:
    """Return the row of each pair, given the leading axes of the argument and of the result."""
    return np.broadcast_to(np.arange(math.prod(lead)).reshape(lead), shape).flatten()
