"""Systems that scores cannot separate: identical, constant, or equal on average.

Equality of means is decided here and nowhere else. The sums 0.1 + 0.2 and 0.3 are equal as scores
but differ as floating-point numbers; without this module, that noise would break ties.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from bayescorr._numbers import FloatArray
from bayescorr.errors import listing
from bayescorr.scores.aggregates import SUMMARIES, SUMMARY, observed_summary, summary_label
from bayescorr.scores.strata import tasks_of

#: Means closer than this, relative to the largest score, differ by floating-point noise alone.
NOISE = 1e-12

Groups = list[tuple[Hashable, ...]]


def level_ties(means: FloatArray, scale: float) -> FloatArray:
    """Make means exactly equal where they are equal up to floating-point noise.

    Sorted along the last axis (systems; leading axes are independent), a mean within ``1e-12 *
    scale`` of the previous one takes its value. Unlike rounding, this has no boundary at which
    noise could still matter. ``scale`` is the largest absolute score that was averaged.
    """
    order = np.argsort(means, axis=-1)
    ascending = np.take_along_axis(means, order, axis=-1)
    starts = np.zeros(ascending.shape, dtype=np.intp)
    apart = np.diff(ascending, axis=-1) > NOISE * scale
    starts[..., 1:] = np.where(apart, np.arange(1, ascending.shape[-1]), 0)
    first = np.maximum.accumulate(starts, axis=-1)
    levelled = np.empty_like(means)
    np.put_along_axis(levelled, order, np.take_along_axis(ascending, first, axis=-1), axis=-1)
    return levelled


def observed_means(scores: pd.DataFrame, higher_is_better: bool = True) -> pd.Series[float]:
    """Return the mean score of each system over the topics of a checked table.

    Sums are exact and :func:`level_ties` is applied, so that neither the order of the topics nor
    floating-point noise decides a tie or an order. Missing scores are left out. Unless
    ``higher_is_better``, the means change sign, so that higher is always better in the result. If
    the topics are divided into tasks (:func:`bayescorr.with_strata`), these are weighted means over
    tasks. Scores with another summary than the mean (``bayescorr.scores.aggregates``) have that
    instead.
    """
    values = scores.to_numpy(dtype=np.float64)
    present = ~np.isnan(values)
    filled = np.where(present, values, 0.0)
    parts = [] if (summary := observed_summary(scores)) is None else [summary]
    for task in [] if parts else tasks_of(scores):
        sums = np.array([math.fsum(column) for column in filled[task.rows].T.tolist()])
        with np.errstate(invalid="ignore"):
            parts.append(task.weight * (sums / present[task.rows].sum(axis=0)))
    total = parts[0] if len(parts) == 1 else np.array([math.fsum(x) for x in np.transpose(parts)])
    means = level_ties(total, scale=float(np.abs(filled).max(initial=0.0)))
    if not higher_is_better:
        means = 0.0 - means
    return pd.Series(means, index=scores.columns, name="mean")


def identical_systems(scores: pd.DataFrame) -> Groups:
    """Return groups of systems with the same score on every topic, in column order."""
    columns = np.ascontiguousarray(scores.to_numpy(dtype=np.float64).T) + 0.0  # -0.0 becomes 0.0
    columns[np.isnan(columns)] = np.nan
    keys = (column.tobytes() for column in columns)
    return _groups(zip(keys, scores.columns, strict=True))


def constant_systems(scores: pd.DataFrame) -> tuple[Hashable, ...]:
    """Return the systems with the same score on all topics."""
    values = scores.to_numpy(dtype=np.float64)
    constant = np.fmax.reduce(values, axis=0) == np.fmin.reduce(values, axis=0)
    return tuple(scores.columns[constant])


def equal_means(scores: pd.DataFrame) -> Groups:
    """Return groups of different systems with equal means; identical systems count as one."""
    repeated = {label for group in identical_systems(scores) for label in group[1:]}
    means = observed_means(scores).items()
    return _groups((mean, label) for label, mean in means if label not in repeated)


class Ties(NamedTuple):
    """Systems that scores cannot separate, by kind."""

    identical: Groups
    constant: tuple[Hashable, ...]
    equal_means: Groups
    #: What is equal: means, or another summary of the scores of a system.
    kind: str = "means"

    def notes(self, label: Callable[[Hashable], str] = str, most: int = 10) -> dict[str, str]:
        """Name at most ``most`` systems or groups of each kind."""
        found: dict[str, Groups] = {
            "Identical systems": self.identical,
            "Same score on all topics": [(system,) for system in self.constant],
            f"Equal {self.kind}": self.equal_means,
        }
        return {
            kind: listing((" = ".join(map(label, group)) for group in groups), most)
            for kind, groups in found.items()
            if groups
        }


def find_ties(scores: pd.DataFrame) -> Ties:
    """Find identical systems, constant systems and systems with equal means or other summaries."""
    name = scores.attrs.get(SUMMARY, {}).get("name", "mean")
    kind = f"{summary_label(name)}s" if name in SUMMARIES else f"values of {name}"
    return Ties(identical_systems(scores), constant_systems(scores), equal_means(scores), kind)


def _groups(keyed: Iterable[tuple[Hashable, Hashable]]) -> Groups:
    """Group labels by key; return the groups of at least two."""
    groups: defaultdict[Hashable, list[Hashable]] = defaultdict(list)
    for key, label in keyed:
        groups[key].append(label)
    return [tuple(group) for group in groups.values() if len(group) > 1]
