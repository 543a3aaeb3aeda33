"""Leave out systems: copies of others, and the worst ones."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bayescorr.errors import OptionError, ScoresError
from bayescorr.scores.check import check_scores, label_key
from bayescorr.scores.frames import Scores
from bayescorr.scores.strata import refuse_seeds
from bayescorr.scores.ties import identical_systems, observed_means


def drop_identical(scores: Scores) -> pd.DataFrame:
    """Keep one of each group of systems that have the same score on every topic.

    In each group, the system whose label sorts first is kept. The order of the columns is
    unchanged.

    Parameters
    ----------
    scores : DataFrame, DataArray or 2-D array
        Scores of systems (columns) on topics (rows). Missing scores count as equal.

    Returns
    -------
    DataFrame
        The distinct systems.

    Examples
    --------
    >>> scores = pd.DataFrame({"b": [0.1, 0.2], "a": [0.1, 0.2], "c": [0.3, 0.2]})
    >>> list(drop_identical(scores).columns)
    ['a', 'c']
    """
    checked = check_scores(scores, missing="model", warn=False)
    copies = {
        label for group in identical_systems(checked) for label in sorted(group, key=label_key)[1:]
    }
    return checked.loc[:, [label not in copies for label in checked.columns]]


def drop_worst(
    scores: Scores, fraction: float = 0.25, *, higher_is_better: bool = True
) -> pd.DataFrame:
    r"""Keep the systems whose mean is at least the ``fraction`` quantile of all means.

    Urbano and Marrero (2016, section 4) drop the bottom 25% of systems in this way. The quantile is
    R's default, type 7: with :math:`h = (m - 1) p`, it lies at the fraction :math:`h - \lfloor h
    \rfloor` between the means of rank :math:`\lfloor h \rfloor + 1` and the next one up.

    Parameters
    ----------
    scores : DataFrame, DataArray or 2-D array
        Scores of systems (columns) on topics (rows); missing scores are left out of the means.
    fraction : float
        Share of systems to drop, at least 0 and less than 1.
    higher_is_better : bool
        False if lower scores are better.

    Returns
    -------
    DataFrame
        The remaining systems, in their given order.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [0.1, 0.2], "b": [0.3, 0.2], "c": [0.5, 0.2], "d": [0.9, 0.9]})
    >>> list(drop_worst(scores).columns)
    ['b', 'c', 'd']
    """
    if not isinstance(fraction, int | float | np.number) or not 0 <= fraction < 1:
        raise OptionError(
            "The fraction of systems to drop must be at least 0 and less than 1; got "
            f"{fraction!r}.",
            "Try 0.25.",
        )
    refuse_seeds(scores)
    checked = check_scores(scores, missing="model", warn=False)
    means = observed_means(checked, higher_is_better)
    quantile = np.quantile(means.to_numpy(), fraction, method="linear")
    # Interpolation adds noise, which must not decide whether a mean equals the quantile.
    keep = (means >= quantile) | np.isclose(means, quantile, rtol=1e-12, atol=0.0)
    kept = checked.loc[:, keep.to_numpy()]
    if kept.shape[1] < 2:
        raise ScoresError(
            f"Dropping the worst {float(fraction):g} of {len(means)} systems leaves 1; at least 2 "
            "are needed.",
            "Drop a smaller fraction.",
        )
    return check_scores(kept, missing="model", warn=False)
