"""What a model expects before it sees any scores, and how much its priors matter after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescorr._random import RandomSeed, generator
from bayescorr.bayes import sampler
from bayescorr.bayes.data import ModelData
from bayescorr.bayes.fit import fit as fit_model
from bayescorr.bayes.model import Model, PyMCModel, get_model
from bayescorr.bayes.result import Fit
from bayescorr.coefficients import DEFAULT_COEFFICIENTS, correlate
from bayescorr.errors import ModelError, OptionError


def prior_predictive(
    model: str | Model | None = None,
    n_topics: int = 50,
    n_systems: int = 20,
    *,
    draws: int = 200,
    priors: Mapping[str, float] | None = None,
    location: float = 0.0,
    scale: float = 1.0,
    random_seed: RandomSeed = None,
) -> xr.Dataset:
    """Simulate collections from the prior of a model: what it takes to be plausible.

    Parameters
    ----------
    model : str or Model, optional
        The default model when left out.
    n_topics, n_systems : int
        Size of the collections.
    draws : int
        How many collections.
    priors : mapping, optional
        Numbers to use in place of the model's defaults, by name.
    location, scale : float
        Grand mean of the scores, and standard deviation of their within-topic contrasts: models
        that state their priors on a standard scale are brought to this one.
    random_seed : int or Generator, optional
        The same seed gives the same collections.

    Returns
    -------
    Dataset
        ``scores`` (sample x topic x system), ``true_means`` (sample x system), the parameters, and
        tau, tau_ap and tau_gap between the true means and those of the simulated scores (sample).

    Examples
    --------
    >>> simulated = prior_predictive(n_topics=10, n_systems=5, draws=20, random_seed=1)
    >>> dict(simulated["scores"].sizes)
    {'sample': 20, 'topic': 10, 'system': 5}
    """
    chosen = get_model(model)
    if not isinstance(chosen, PyMCModel):
        raise chosen.cannot("simulate collections: it has no prior to draw from")
    for name, size, least in (
        ("n_topics", n_topics, 2),
        ("n_systems", n_systems, 2),
        ("draws", draws, 1),
    ):
        if not isinstance(size, int | np.integer) or size < least:
            raise OptionError(f"{name} is {size!r}.", f"Give a whole number of at least {least}.")
    full_priors = chosen.full_priors(priors)
    data = ModelData(
        values=np.zeros((n_topics, n_systems)),
        topics=[f"t{i + 1}" for i in range(n_topics)],
        systems=[f"sys{i + 1}" for i in range(n_systems)],
        location=location,
        scale=scale,
    )
    rng = generator(random_seed)
    parameters = sampler.prior_draws(chosen, data, full_priors, draws, rng)
    means, scores = np.empty((draws, n_systems)), np.empty((draws, n_topics, n_systems))
    for i in range(draws):
        draw = {name: value[i] for name, value in parameters.items()}
        means[i], scores[i] = chosen.simulate(draw, data, full_priors, rng)
    values = correlate(means, scores.mean(axis=1), DEFAULT_COEFFICIENTS)
    dims: dict[str, Any] = {
        "scores": (("sample", "topic", "system"), scores),
        "true_means": (("sample", "system"), means),
        **{name: ("sample", value) for name, value in values.items()},
    }
    for name, value in parameters.items():
        inner = ["system"] if value.shape[1:] == (n_systems,) else []
        inner = inner or [f"{name}_{i}" for i in range(value.ndim - 1)]
        dims[name] = (("sample", *inner), value)
    return xr.Dataset(dims, coords={"topic": data.topics, "system": data.systems})


def prior_sensitivity(
    fit: Fit,
    scale: Sequence[float] = (0.5, 2.0),
    *,
    coefficients: Any = DEFAULT_COEFFICIENTS,
    random_seed: RandomSeed = None,
    **fit_options: Any,
) -> pd.DataFrame:
    """Fit again with each number of the priors halved and doubled, to see how estimates move.

    Parameters
    ----------
    fit : Fit
        What to start from.
    scale : sequence of float
        Factors by which each prior is multiplied, one at a time.
    coefficients : sequence of str or callable
        Which coefficients.
    random_seed : int or Generator, optional
        The seed of ``fit`` when left out, so that the same random numbers are used again and small
        changes are not drowned by Monte-Carlo error.
    **fit_options
        Passed to :func:`bayescorr.fit`; draws, tune and chains are those of ``fit`` when left out.

    Returns
    -------
    DataFrame
        Columns prior, factor, value (of the prior), coefficient, estimate and change, the
        difference from the estimate of ``fit``; in the order of the model's priors.

    Notes
    -----
    A change below twice the Monte-Carlo error, sd / sqrt(effective sample size) of ``summary()``,
    may be chance.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), "bootstrap-shrunk", random_seed=1)
    >>> table = prior_sensitivity(fit, coefficients="tau")
    >>> table[["prior", "factor", "coefficient"]]
              prior  factor coefficient
    0  prior_topics     0.5         tau
    1  prior_topics     2.0         tau
    >>> table["change"].gt(0).tolist()
    [True, False]
    """
    model, priors = fit.model, fit.priors
    if not priors:
        raise ModelError(f"The model {model.name!r} has no priors.", "Use a model with priors.")
    attributes = fit.idata.attrs
    options: dict[str, Any] = {
        **{name: int(attributes[name]) for name in ("draws", "tune", "chains")},
        "random_seed": int(attributes["random_seed"]) if random_seed is None else random_seed,
        "higher_is_better": fit.higher_is_better,
        "missing": "model" if fit.scores.isna().to_numpy().any() else "error",
        "score_sd": fit.score_sd,
        "warn": False,
        **fit_options,
    }
    before = fit.estimates(coefficients=coefficients)
    tables = []
    for name, value in priors.items():
        for factor in scale:
            changed = {**priors, name: factor * value}
            again = fit_model(fit.scores, model, priors=changed, **options)
            table = again.estimates(coefficients=coefficients)[["coefficient", "estimate"]]
            table["change"] = table["estimate"] - before["estimate"]
            tables.append(table.assign(prior=name, factor=factor, value=changed[name]))
    columns = ["prior", "factor", "value", "coefficient", "estimate", "change"]
    return pd.concat(tables, ignore_index=True)[columns]
