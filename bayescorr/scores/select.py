"""Leave systems out: copies of other systems, and the worst ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescorr.errors import OptionError, ScoresError
from bayescorr.scores.check import check_scores, label_key
from bayescorr.scores.ties import identical_systems, observed_means

if TYPE_CHECKING:
    import xarray as xr


def drop_identical(scores: pd.DataFrame | xr.DataArray | ArrayLike) -> pd.DataFrame:
    """Keep one of each set of systems that have the same score on every topic.

    The one kept has the first label in sorted order, whatever the order of the columns; the columns
    that stay keep their order.

    Parameters
    ----------
    scores : DataFrame, DataArray or 2-D array
        Scores of systems (columns) on topics (rows). Missing scores are equal to each other.

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
    scores: pd.DataFrame | xr.DataArray | ArrayLike,
    fraction: float = 0.25,
    *,
    higher_is_better: bool = True,
) -> pd.DataFrame:
    r"""Keep the systems whose mean is at least the ``fraction`` quantile of all means.

    Urbano and Marrero (2016, section 4) drop the bottom 25% of systems so. The quantile is R's
    default, type 7: with :math:`h = (m - 1) p`, it lies at the fraction :math:`h - \lfloor h
    \rfloor` between the means of rank :math:`\lfloor h \rfloor + 1` and the next one up.

    Parameters
    ----------
    scores : DataFrame, DataArray or 2-D array
        Scores of systems (columns) on topics (rows); missing scores are left out of the means.
    fraction : float
        Share of systems to drop, at least 0 and less than 1.
    higher_is_better : bool
        False for measures of which lower values are better.

    Returns
    -------
    DataFrame
        The systems kept, in the order given.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [0.1, 0.2], "b": [0.3, 0.2], "c": [0.5, 0.2], "d": [0.9, 0.9]})
    >>> list(drop_worst(scores).columns)
    ['b', 'c', 'd']
    """
    if not isinstance(fraction, int | float | np.number) or not 0 <= fraction < 1:
        raise OptionError(
            f"The fraction of systems to drop is {fraction!r}.",
            "Give a number that is at least 0 and less than 1, such as 0.25.",
        )
    checked = check_scores(scores, missing="model", warn=False)
    means = observed_means(checked, higher_is_better)
    quantile = np.quantile(means.to_numpy(), fraction, method="linear")
    # An interpolated quantile carries noise of its own: equality to it must not depend on that.
    keep = (means >= quantile) | np.isclose(means, quantile, rtol=1e-12, atol=0.0)
    kept = checked.loc[:, keep.to_numpy()]
    if kept.shape[1] < 2:
        raise ScoresError(
            f"1 of {len(means)} systems is left without the worst {float(fraction):g} of them, at "
            "least 2 are needed.",
            "Drop a smaller fraction.",
        )
    return check_scores(kept, missing="model", warn=False)
