"""A numerical test of the hypotheses in Table 1 of Cummins 2012."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescorr._numbers import FloatArray
from bayescorr.errors import OptionError
from bayescorr.scoredist.families import FAMILIES
from bayescorr.scoredist.model import ScoreDistribution, fit_score_distribution

# The grid reaches far, because the ratio of two densities may turn far out in the tails.
_POINTS = 4001
_FAR = 1e6


def is_convex(model: ScoreDistribution) -> bool:
    """Test on a fine grid whether the probability of relevance never falls as the score rises."""
    odds = model.log_odds(_grid(model))
    # Rounding errors of the large numbers at the ends of the grid do not count as a fall.
    slack = 1e-12 * np.maximum(np.abs(odds[1:]), np.abs(odds[:-1]))
    return bool((np.diff(odds) >= -slack).all())


def table_of_hypotheses(
    scores: ArrayLike | None = None, relevant: ArrayLike | None = None
) -> pd.DataFrame:
    """Fit every family with and without constraint and test the hypotheses of Table 1.

    Parameters
    ----------
    scores, relevant : array, optional
        Scores of one topic's documents, and whether each is relevant. The default is an artificial
        topic with whole scores. Families that do not support all scores are left out.

    Returns
    -------
    DataFrame
        One row per family and constraint: family, shared (the parameter that the two distributions
        share, if any), rfch (whether the fitted model satisfies the recall-fallout convexity
        hypothesis), and relevant and nonrelevant (the range of scores that each supports).

    Notes
    -----
    Table 1 of the paper swaps the ranges of the exponential-normal model. Here, as in section 2.3
    of the paper, relevant scores are normal and non-relevant scores exponential.

    References
    ----------
    S. Robertson. On score distributions and relevance. ECIR 2007.

    Examples
    --------
    >>> table = table_of_hypotheses()
    >>> table[table["family"] == "gamma"]
      family shared   rfch  relevant nonrelevant
    0  gamma  scale   True  [0, inf)    [0, inf)
    1  gamma  shape   True  [0, inf)    [0, inf)
    2  gamma         False  [0, inf)    [0, inf)
    """
    if (scores is None) != (relevant is None):
        raise OptionError("scores and relevant must be given together.", "Pass both or neither.")
    if scores is None or relevant is None:
        scores, relevant = _example()
    values = np.asarray(scores, float)
    rows = []
    for name, family in FAMILIES.items():
        if family.unsupported(values).any():
            continue
        for shared in (*family.constraints, ""):
            model = fit_score_distribution(scores, relevant, name, constrained=shared or False)
            lowest = family.relevant.lower, family.nonrelevant.lower
            ranges = ["(-inf, inf)" if lower == -np.inf else "[0, inf)" for lower in lowest]
            rows.append([name, shared, is_convex(model), *ranges])
    return pd.DataFrame(rows, columns=["family", "shared", "rfch", "relevant", "nonrelevant"])


def _grid(model: ScoreDistribution) -> FloatArray:
    """Return scores that both distributions support, dense near the data and far into the tails."""
    scale = max(abs(float(model.top)), abs(float(model.bottom)), 1e-300)
    outwards = scale * np.geomspace(1 / _FAR, _FAR, _POINTS)
    near = np.linspace(model.bottom, model.top, _POINTS)
    grid = np.concatenate([near, outwards])
    if max(model.family.relevant.lower, model.family.nonrelevant.lower) == -np.inf:
        grid = np.concatenate([grid, -outwards])
    if model.family.relevant.discrete:
        grid = np.round(grid)
    return np.unique(grid)


def _example() -> tuple[FloatArray, np.ndarray]:
    """Return coordination levels of 60 relevant and 300 non-relevant documents."""
    rng = np.random.default_rng(2012)
    nonrelevant, relevant = rng.poisson(4.0, 300), 6 + rng.poisson(3.0, 60)
    scores = np.concatenate([relevant, nonrelevant + 1]).astype(float)
    return scores, np.arange(360) < 60
