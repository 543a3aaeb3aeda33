"""Simulation-based calibration: a fitted model must recover what its own prior generates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from bayescorr._numbers import FloatArray
from bayescorr._random import RandomSeed, generator
from bayescorr.bayes.data import ModelData
from bayescorr.bayes.model import PyMCModel
from bayescorr.bayes.sampler import Sampling, flat_draws, prior_draws, sample_parameters
from bayescorr.coefficients import tau

#: Number of posterior draws among which a true value is ranked; 99 draws give 100 ranks.
DRAWS = 99


def calibrate(
    model: PyMCModel,
    *,
    systems: int = 6,
    topics: int = 8,
    replications: int = 100,
    random_seed: RandomSeed = None,
    **sample_kwargs: Any,
) -> pd.DataFrame:
    """Rank true values among posterior draws, over collections simulated from the prior.

    If model, sampler and closed forms are correct, every rank is uniform on 0, ..., 99 (Talts et
    al. 2018, Validating Bayesian Inference Algorithms with Simulation-Based Calibration).

    Parameters
    ----------
    model : PyMCModel
        A model with a proper prior and a method ``simulate``.
    systems, topics, replications : int
        Size and number of the collections.
    **sample_kwargs
        Passed to the sampler.

    Returns
    -------
    DataFrame
        Ranks, one row per collection; columns tau and the true means of three systems.
    """
    rng = generator(random_seed)
    priors = model.full_priors(None)
    values = np.full((topics, systems), 0.5)
    blank = ModelData(values=values, topics=list(range(topics)), systems=list(range(systems)))
    drawn = prior_draws(model, blank, priors, replications, rng)
    rows = []
    for i in range(replications):
        draw = {name: values[i] for name, values in drawn.items()}
        truth, scores = model.simulate(draw, blank, priors, rng)
        data = replace(blank, values=scores)
        seed = int(rng.integers(2**31))
        sampling = Sampling(5 * DRAWS, 400, 1, seed, progressbar=False, options=sample_kwargs)
        groups = sample_parameters(model, data, priors, sampling)
        means = model.true_means(flat_draws(groups["posterior"]), data, priors, rng)
        thinned = means[np.linspace(0, len(means) - 1, DRAWS).round().astype(int)]
        observed = scores.mean(axis=0)
        pairs = {"tau": (tau(truth, observed), tau(thinned, observed))}
        pairs |= {f"true_mean_{s + 1}": (truth[s], thinned[:, s]) for s in range(3)}
        rows.append({name: rank(*pair, rng) for name, pair in pairs.items()})
    return pd.DataFrame(rows)


def rank(truth: Any, draws: FloatArray, rng: np.random.Generator) -> int:
    """Return the rank of the true value among the draws, with ties in random order."""
    below, equal = int((draws < truth).sum()), int((draws == truth).sum())
    return below + int(rng.integers(equal + 1))


def uniformity(ranks: pd.DataFrame, bins: int = 10) -> pd.DataFrame:
    """Test the ranks for uniformity: counts in bins, chi_square and p_value by quantity."""
    rows = []
    for name in ranks:
        counts, _ = np.histogram(ranks[name], bins=bins, range=(0, DRAWS + 1))
        test = stats.chisquare(counts)
        cells = {f"bin_{i + 1}": count for i, count in enumerate(counts)}
        rows.append({"quantity": name, **cells, "chi_square": test[0], "p_value": test[1]})
    return pd.DataFrame(rows)
