"""Systems that scores cannot tell apart: identical, constant, or equal on average.

Whether two means are equal is decided here and nowhere else. The sums 0.1 + 0.2 and 0.3 are equal
as scores and differ as floating-point numbers; left alone, that noise would decide a tie.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

#: Two means closer than this, relative to the largest score, differ by floating-point noise alone.
NOISE = 1e-12

Groups = list[tuple[Hashable, ...]]


def level_ties(means: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Make means exactly equal where they are equal up to floating-point noise.

    Sorted along the last axis, a mean within ``1e-12 * scale`` of the one before takes its value.
    Unlike rounding, this has no boundary on which noise could still decide.

    Parameters
    ----------
    means : ndarray
        Means of systems along the last axis; leading axes are independent of each other.
    scale : float
        Size of the scores that were averaged, such as the largest absolute one.

    Returns
    -------
    ndarray
        The levelled means, in the order given.

    Examples
    --------
    >>> level_ties(np.array([0.1 + 0.2, 0.5, 0.3]), scale=1.0)
    array([0.3, 0.5, 0.3])
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
    r"""Mean score of each system over the topics of a checked table.

    :math:`\bar{x}_j = \frac{1}{n} \sum_i x_{ij}`, summed without rounding error and with
    :func:`level_ties` applied, so that neither the order of the topics nor floating-point noise
    ever decides a tie or an order. Missing scores are left out.

    Parameters
    ----------
    scores : DataFrame
        Topics by systems, as :func:`check_scores` returns them.
    higher_is_better : bool
        False turns the sign of the means, so that in the result higher is always better.

    Returns
    -------
    Series
        One mean per system, in the order of the columns.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [0.1, 0.2, 0.3], "b": [0.3, 0.3, 0.0]})
    >>> means = observed_means(scores)
    >>> means["a"] == means["b"]
    np.True_
    """
    values = scores.to_numpy(dtype=np.float64)
    present = ~np.isnan(values)
    counts = present.sum(axis=0)
    filled = np.where(present, values, 0.0)
    sums = np.array([math.fsum(column) for column in filled.T.tolist()])
    with np.errstate(invalid="ignore"):
        means = level_ties(sums / counts, scale=float(np.abs(filled).max(initial=0.0)))
    if not higher_is_better:
        means = 0.0 - means
    return pd.Series(means, index=scores.columns, name="mean")


def identical_systems(scores: pd.DataFrame) -> Groups:
    """Find groups of systems with the same score on every topic, in the order of the columns.

    Examples
    --------
    >>> identical_systems(pd.DataFrame({"a": [0.1, 0.2], "b": [0.3, 0.2], "c": [0.1, 0.2]}))
    [('a', 'c')]
    """
    columns = np.ascontiguousarray(scores.to_numpy(dtype=np.float64).T) + 0.0  # -0.0 becomes 0.0
    columns[np.isnan(columns)] = np.nan
    groups: defaultdict[bytes, list[Hashable]] = defaultdict(list)
    for label, column in zip(scores.columns, columns, strict=True):
        groups[column.tobytes()].append(label)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def constant_systems(scores: pd.DataFrame) -> tuple[Hashable, ...]:
    """Systems with one and the same score on all topics.

    Examples
    --------
    >>> constant_systems(pd.DataFrame({"a": [0.1, 0.2], "b": [0.3, 0.3]}))
    ('b',)
    """
    values = scores.to_numpy(dtype=np.float64)
    constant = np.fmax.reduce(values, axis=0) == np.fmin.reduce(values, axis=0)
    return tuple(scores.columns[constant])


def equal_means(scores: pd.DataFrame) -> Groups:
    """Find groups of different systems with equal means; identical systems count as one.

    Examples
    --------
    >>> equal_means(pd.DataFrame({"a": [0.1, 0.2], "b": [0.3, 0.0], "c": [0.9, 0.9]}))
    [('a', 'b')]
    """
    repeated = {label for group in identical_systems(scores) for label in group[1:]}
    groups: defaultdict[float, list[Hashable]] = defaultdict(list)
    for label, mean in observed_means(scores).items():
        if label not in repeated:
            groups[mean].append(label)
    return [tuple(group) for group in groups.values() if len(group) > 1]
