"""Estimates and credible intervals from draws."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescorr._numbers import FloatArray, check_level
from bayescorr.errors import choose

KINDS = ("equal-tailed", "highest-density")


def interval(draws: ArrayLike, level: float = 0.95, kind: str = "equal-tailed") -> FloatArray:
    """Credible interval of draws along the first axis.

    Parameters
    ----------
    draws : array
        Draws on the first axis.
    level : float
        Probability inside the interval.
    kind : {"equal-tailed", "highest-density"}
        Equal probability outside on either side, or the shortest interval that holds ``level`` of
        the draws.

    Returns
    -------
    array
        Lower and upper end on the first axis.

    Examples
    --------
    >>> interval(np.arange(101.0), 0.9)
    array([ 5., 95.])
    >>> interval(np.arange(10.0) ** 2, 0.5, "highest-density")
    array([ 0., 25.])
    """
    check_level(level)
    values = np.asarray(draws, float)
    if choose(kind, KINDS, "kind of interval") == "equal-tailed":
        return np.asarray(np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=0))
    ordered = np.sort(values, axis=0)
    inside = min(int(np.floor(level * len(ordered))), len(ordered) - 1)
    widths = ordered[inside:] - ordered[: len(ordered) - inside]
    start = widths.argmin(axis=0)[None]
    lower = np.take_along_axis(ordered, start, axis=0)
    upper = np.take_along_axis(ordered, start + inside, axis=0)
    return np.concatenate([lower, upper])


def estimates_of(
    draws: FloatArray,
    level: float = 0.95,
    kind: str = "equal-tailed",
    point: str = "mean",
) -> pd.DataFrame:
    """Turn draws (draws x quantities) into a table: estimate, sd, lower, upper by quantity.

    The estimate is the ``point`` "mean" or "median" of the draws.
    """
    lower, upper = interval(draws, check_level(level), kind)
    # Contiguous per quantity, so that sums are accurate and do not depend on the other quantities.
    by_quantity = np.ascontiguousarray(draws.T)
    sd = by_quantity.std(axis=1, ddof=1)
    estimate = np.median(by_quantity, axis=1) if point == "median" else by_quantity.mean(axis=1)
    return pd.DataFrame({"estimate": estimate, "sd": sd, "lower": lower, "upper": upper})
