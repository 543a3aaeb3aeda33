"""Which score models keep to the hypotheses of Table 1 of Cummins 2012, found out numerically."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescorr._numbers import FloatArray
from bayescorr.errors import OptionError
from bayescorr.scoredist.distributions import Distribution
from bayescorr.scoredist.families import FAMILIES
from bayescorr.scoredist.model import ScoreDistribution, fit_score_distribution, unsupported

# Numbers of grid points, and how far they reach: where a ratio of densities turns depends on the
# parameters, and may be far out in the tails.
_POINTS = 4001
_FAR = 1e6


def is_convex(model: ScoreDistribution) -> bool:
    """Whether the probability of relevance never falls as the score rises.

    That is the recall-fallout convexity hypothesis (Robertson 2007). It is tested on a fine grid
    over the scores that both distributions support, far into the tails.

    Parameters
    ----------
    model : ScoreDistribution
        The model of one topic.

    Examples
    --------
    >>> scores, relevant = [6.0, 5.0, 3.0, 2.0, 1.0], [True, True, False, False, False]
    >>> is_convex(fit_score_distribution(scores, relevant, "gamma"))
    True
    >>> is_convex(fit_score_distribution(scores, relevant, "gamma", constrained=False))
    False
    """
    odds = model.log_odds(_grid(model))
    # Rounding of the large numbers at the ends of the grid is not a fall.
    slack = 1e-12 * np.maximum(np.abs(odds[1:]), np.abs(odds[:-1]))
    return bool((np.diff(odds) >= -slack).all())


def table_of_hypotheses(
    scores: ArrayLike | None = None, relevant: ArrayLike | None = None
) -> pd.DataFrame:
    """Fit every family, with and without constraint, and test what Table 1 of the paper says.

    Parameters
    ----------
    scores, relevant : array, optional
        Scores of one topic's documents and which are relevant; an artificial topic with whole
        scores, whose relevant scores are higher and vary less in proportion, by default. Families
        that do not support all of the scores are left out.

    Returns
    -------
    DataFrame
        One row per family and constraint: family, shared (the parameter that the two
        distributions share, if any), rfch (whether the fitted model obeys the recall-fallout
        convexity hypothesis, see :func:`is_convex`), and relevant and nonrelevant (the range of
        scores that either distribution supports).

    Notes
    -----
    The ranges of the exponential-normal model are printed the other way round in the paper's
    Table 1; here, as in its section 2.3, relevant scores are normal and non-relevant exponential.

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
        raise OptionError(
            "Scores and relevance go together.", "Give both, or neither for the artificial topic."
        )
    if scores is None or relevant is None:
        scores, relevant = _example()
    values = np.asarray(scores, float)
    rows = []
    for name, family in FAMILIES.items():
        if unsupported(family, values).any():
            continue
        for shared in (*family.constraints, ""):
            model = fit_score_distribution(scores, relevant, name, constrained=shared or False)
            rows.append(
                {
                    "family": name,
                    "shared": shared,
                    "rfch": is_convex(model),
                    "relevant": _support(family.relevant, model.relevant),
                    "nonrelevant": _support(family.nonrelevant, model.nonrelevant),
                }
            )
    return pd.DataFrame(rows)


def _grid(model: ScoreDistribution) -> FloatArray:
    """Scores that both distributions support, in steps as fine as the distance from the data."""
    scale = max(abs(float(model.top)), abs(float(model.bottom)), 1e-300)
    outwards = scale * np.geomspace(1 / _FAR, _FAR, _POINTS)
    near = np.linspace(model.bottom, model.top, _POINTS)
    grid = np.concatenate([near, outwards])
    if max(model.family.relevant.lower, model.family.nonrelevant.lower) == -np.inf:
        grid = np.concatenate([grid, -outwards])
    if model.family.relevant.discrete:
        grid = np.round(grid)
    return np.unique(grid)


def _support(part: Distribution, parameters: tuple[float, ...]) -> str:
    """Range of the scores with a density above 0, by trying scores of either sign."""
    tries = np.array([-1.0, 0.0, 1.0])
    found = np.isfinite(part.log_density(tries, *parameters)) | (tries == 0)
    return "(-inf, inf)" if found[0] else "[0, inf)"


def _example() -> tuple[FloatArray, np.ndarray]:
    """Scores of 300 non-relevant and 60 relevant documents: coordination levels."""
    rng = np.random.default_rng(2012)
    nonrelevant, relevant = rng.poisson(4.0, 300), 6 + rng.poisson(3.0, 60)
    scores = np.concatenate([relevant, nonrelevant + 1]).astype(float)
    return scores, np.arange(360) < 60
