"""Simulation-based calibration: a fitted model must recover what its own prior generates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from bayescorr._numbers import FloatArray
from bayescorr._random import RandomSeed, generator
from bayescorr.bayes.data import ModelData
from bayescorr.bayes.model import Priors, PyMCModel, get_model
from bayescorr.bayes.sampler import Sampling, flat_draws, prior_draws, sample_parameters
from bayescorr.coefficients import tau
from bayescorr.conditions.columns import ConditionsData, PartialData, columns_data

#: Number of posterior draws among which a true value is ranked; 99 draws give 100 ranks.
DRAWS = 99


def calibrate(
    model: PyMCModel,
    *,
    systems: int = 6,
    topics: int = 8,
    replications: int = 100,
    inference: str = "nuts",
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
    inference : {"nuts", "laplace"}
        As in :func:`bayescorr.fit`.
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
        thinned = _posterior(model, data, priors, inference, rng, sample_kwargs)
        observed = scores.mean(axis=0)
        pairs = {"tau": (tau(truth, observed), tau(thinned, observed))}
        pairs |= {f"true_mean_{s + 1}": (truth[s], thinned[:, s]) for s in range(3)}
        rows.append({name: rank(*pair, rng) for name, pair in pairs.items()})
    return pd.DataFrame(rows)


def calibrate_conditions(
    conditions: int = 2,
    *,
    judged: int | None = None,
    systems: int = 4,
    topics: int = 8,
    replications: int = 100,
    inference: str = "nuts",
    random_seed: RandomSeed = None,
    **sample_kwargs: Any,
) -> pd.DataFrame:
    """Do the same for the model of several conditions on the same topics and systems.

    Parameters
    ----------
    conditions : int
        Their number; the first is the truth.
    judged : int, optional
        The number of topics that the truth has; by default all.
    systems, topics, replications, inference, **sample_kwargs
        As in :func:`calibrate`.

    Returns
    -------
    DataFrame
        Ranks, one row per collection; columns tau, between the true rankings of the truth and the
        last condition, and the true means of three systems under the truth.
    """
    rng = generator(random_seed)
    model = get_model("matrix-t-conditions")
    assert isinstance(model, PyMCModel)
    priors = model.full_priors(None)
    blank, means_of = _columns(rng.random((conditions, topics, systems)), topics)
    drawn = prior_draws(model, blank, priors, replications, rng)
    rows = []
    for i in range(replications):
        draw = {name: values[i] for name, values in drawn.items()}
        means, values = model.simulate(draw, blank, priors, rng)
        truth = means_of(means[None])[0]
        scores = np.moveaxis(means_of(values), 1, 0)
        data, found_of = _columns(scores, judged or topics)
        fitted = get_model("matrix-t-partial") if isinstance(data, PartialData) else model
        assert isinstance(fitted, PyMCModel)
        found = found_of(_posterior(fitted, data, priors, inference, rng, sample_kwargs))
        pairs = {"tau": (tau(truth[0], truth[-1]), tau(found[:, 0], found[:, -1]))}
        pairs |= {f"true_mean_{s + 1}": (truth[0, s], found[:, 0, s]) for s in range(3)}
        rows.append({name: rank(*pair, rng) for name, pair in pairs.items()})
    return pd.DataFrame(rows)


def _columns(
    scores: FloatArray, judged: int
) -> tuple[ConditionsData, Callable[[FloatArray], FloatArray]]:
    """Return the data of conditions x topics x systems, ``judged`` topics of the first one."""
    _, topics, systems = scores.shape
    stands_for = pd.Series(range(systems))
    sizes = [judged, *[topics] * (len(scores) - 1)]
    return columns_data(
        [
            (ModelData(values[:n], list(range(n)), list(range(systems))), stands_for)
            for n, values in zip(sizes, scores, strict=True)
        ]
    )


def _posterior(
    model: PyMCModel,
    data: ModelData,
    priors: Priors,
    inference: str,
    rng: np.random.Generator,
    options: Mapping[str, Any],
) -> FloatArray:
    """Draw true means from the posterior, nearly independent."""
    seed = int(rng.integers(2**31))
    sampling = Sampling(
        DRAWS if inference == "laplace" else 5 * DRAWS, 400, 1, seed, progressbar=False,
        inference=inference, options=options,
    )  # fmt: skip
    groups = sample_parameters(model, data, priors, sampling)
    means = model.true_means(flat_draws(groups["posterior"]), data, priors, rng)
    kept = np.linspace(0, len(means) - 1, DRAWS).round().astype(int)
    return np.asarray(means[kept])


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
