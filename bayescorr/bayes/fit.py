"""Fit a model to scores: draws of the true means, and of every coefficient against the truth."""

from __future__ import annotations

import json
import warnings
from collections.abc import Hashable, Iterable, Mapping
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

import bayescorr
from bayescorr._random import RandomSeed
from bayescorr.bayes import _stack, sampler
from bayescorr.bayes.convergence import check_convergence
from bayescorr.bayes.data import Array, ModelData, prepare
from bayescorr.bayes.model import ExactModel, Model, PyMCModel, get_model
from bayescorr.bayes.result import COEFFICIENTS, Fit
from bayescorr.coefficients import correlate
from bayescorr.errors import (
    BayescorrError,
    ConvergenceError,
    ConvergenceWarning,
    ModelError,
    OptionError,
    listing,
)
from bayescorr.scores.check import check_scores, observed_means


def fit(
    scores: Any,
    model: str | Model | None = None,
    *,
    priors: Mapping[str, float] | None = None,
    random_seed: RandomSeed = None,
    draws: int = 1000,
    tune: int = 500,
    chains: int = 4,
    progressbar: bool | None = None,
    missing: str = "error",
    score_sd: Any = None,
    higher_is_better: bool = True,
    nuts_sampler: str = "nutpie",
    strict: bool = False,
    warn: bool = True,
    **sample_kwargs: Any,
) -> Fit:
    r"""Sample the posterior of the true means, and so of tau, tau_ap and tau_gap with the truth.

    Parameters
    ----------
    scores : DataFrame
        Scores, topics x systems.
    model : str or Model, optional
        Name of a model, see :func:`bayescorr.list_models`; the default model when left out.
    priors : mapping, optional
        Numbers to use in place of the model's defaults, by name.
    random_seed : int or Generator, optional
        The same seed gives the same draws, whatever the order of topics and systems.
    draws, tune, chains : int
        Draws kept and tuning steps of each chain, and how many chains.
    progressbar : bool, optional
        Shown on a terminal when left out.
    missing : {"error", "drop", "zero", "model"}
        What to do about missing scores; "model" lets a model that can do so integrate over them.
    score_sd : DataFrame, optional
        Standard deviation of the measurement error of each score, for models that take it.
    higher_is_better : bool
        False for measures where the lowest mean is the best.
    nuts_sampler : {"nutpie", "pymc", "numpyro", "blackjax"}
        Who runs NUTS.
    strict : bool
        Raise :class:`~bayescorr.ConvergenceError` where the sampler did not converge, instead of
        a :class:`~bayescorr.ConvergenceWarning`.
    warn : bool
        Name identical systems, constant systems and equal means in a warning.
    **sample_kwargs
        Passed to the sampler.

    Returns
    -------
    Fit
        The posterior and all that follows from it.

    Notes
    -----
    Given a model of the scores, every draw of the true means :math:`\mu` gives one of
    :math:`\tau(\mu, \bar x)`, where :math:`\bar x` are the observed means, and likewise of
    :math:`\tau_{AP}` and :math:`\tau_{GAP}`. Identical systems are modelled once and their draws
    copied, so that such a pair is never discordant.

    Examples
    --------
    >>> import bayescorr
    >>> result = bayescorr.fit(bayescorr.load_dataset("demo"), "flat", random_seed=1)
    >>> result.estimates().columns.tolist()
    ['method', 'coefficient', 'estimate', 'sd', 'lower', 'upper', 'level']
    """
    chosen = get_model(model)
    full_priors = chosen.full_priors(priors)
    _check_sizes(draws=draws, tune=tune, chains=chains)
    checked = check_scores(scores, missing=missing, warn=warn)
    _check_missing(chosen, checked)
    errors = None if score_sd is None else _check_score_sd(chosen, checked, score_sd)
    data, stands_for = prepare(checked, errors)
    chosen.check(data)
    seed = _as_integer(random_seed)

    stats: dict[str, xr.Dataset] = {}
    rng = np.random.default_rng([seed, 1])
    if isinstance(chosen, ExactModel):
        posterior = xr.Dataset()
        distinct = chosen.sample(data, full_priors, chains * draws, rng)
    else:
        assert isinstance(chosen, PyMCModel)
        groups = sampler.sample(
            chosen,
            data,
            full_priors,
            draws=draws,
            tune=tune,
            chains=chains,
            seed=seed,
            nuts_sampler=nuts_sampler,
            progressbar=progressbar,
            **sample_kwargs,
        )
        posterior = groups.pop("posterior")
        stats = groups
        distinct = chosen.true_means(flat_draws(posterior), data, full_priors, rng)
    means = distinct.reshape(chains, -1, data.n_systems)[:, :, stands_for.to_numpy()]
    result = _assemble(
        posterior,
        stats,
        means,
        checked,
        errors,
        {
            "model": chosen.name,
            "priors": json.dumps(full_priors),
            "random_seed": str(seed),
            "higher_is_better": int(higher_is_better),
            "draws": draws,
            "tune": tune,
            "chains": chains,
        },
    )
    if not result.convergence.passed:
        _complain(result, strict)
    return result


def fit_from_draws(draws: Any, scores: Any, *, higher_is_better: bool = True) -> Fit:
    """Build a :class:`Fit` from draws of true means sampled elsewhere; see ``Fit.from_draws``."""
    checked = check_scores(scores)
    if isinstance(draws, xr.DataArray):
        values = draws.transpose("chain", "draw", "system").sel(system=list(checked.columns))
        array = values.to_numpy()
    elif isinstance(draws, pd.DataFrame):
        if lacking := [system for system in checked.columns if system not in draws.columns]:
            raise OptionError(
                f"The draws have no column for: {listing(lacking)}.",
                "Name the columns of the draws like the systems.",
            )
        array = draws[list(checked.columns)].to_numpy(float)[None]
    else:
        array = np.asarray(draws, float)
        array = array[None] if array.ndim == 2 else array
    if array.ndim != 3 or array.shape[2] != checked.shape[1] or not np.isfinite(array).all():
        raise OptionError(
            f"The draws have shape {array.shape}, or are not all finite; (chains,) draws x "
            f"{checked.shape[1]} systems of finite numbers are needed.",
            "Give one number per draw and system, systems in the order of the scores' columns.",
        )
    return _assemble(
        xr.Dataset(),
        {},
        array,
        checked,
        None,
        {"model": "", "higher_is_better": int(higher_is_better)},
    )


def flat_draws(posterior: xr.Dataset) -> dict[str, Array]:
    """Parameters by name with chains one after the other on the first axis."""
    sizes = posterior.sizes["chain"] * posterior.sizes["draw"]
    return {
        str(name): variable.transpose("chain", "draw", ...)
        .to_numpy()
        .reshape(sizes, *variable.shape[2:])
        for name, variable in posterior.data_vars.items()
    }


def _assemble(
    posterior: xr.Dataset,
    stats: dict[str, xr.Dataset],
    means: Array,
    scores: pd.DataFrame,
    score_sd: pd.DataFrame | None,
    attributes: dict[str, Any],
) -> Fit:
    """Put hyperparameters, true means, coefficients and data into one container."""
    systems, topics = _labels(scores.columns), _labels(scores.index)
    better = bool(attributes["higher_is_better"])
    observed = observed_means(scores)
    # Parameters per system are those of the distinct systems, so their dimension is another one.
    renamed = {"system": "distinct_system"} if "system" in posterior.dims else {}
    posterior = posterior.rename(renamed)
    coords = {"chain": np.arange(means.shape[0]), "draw": np.arange(means.shape[1])}
    posterior = posterior.assign_coords(coords)
    posterior = posterior.assign_coords(system=systems)
    posterior["true_means"] = (("chain", "draw", "system"), means)
    values = correlate(means, observed.to_numpy(), COEFFICIENTS, higher_is_better=better)
    for name, value in values.items():
        posterior[name] = (("chain", "draw"), value)
    observed_data = xr.Dataset(
        {"scores": (("topic", "system"), scores.to_numpy())},
        coords={"topic": topics, "system": systems},
    )
    if score_sd is not None:
        observed_data["score_sd"] = (("topic", "system"), score_sd.to_numpy())
    versions = {name: version(name) for name in ("pymc", "arviz", "nutpie", "numpy")}
    attributes = {
        **attributes,
        "bayescorr_version": bayescorr.__version__,
        "versions": json.dumps(versions),
    }
    groups = {"posterior": posterior, **stats, "observed_data": observed_data}
    return Fit(
        _stack.container(groups, attributes),
        check_convergence(posterior, stats.get("sample_stats")),
    )


def _labels(index: pd.Index[Any]) -> np.ndarray[Any, Any]:
    """Labels as xarray and NetCDF can hold them: whole numbers, else text."""
    labels: list[Hashable] = list(index)
    if all(isinstance(label, int | np.integer) for label in labels):
        return np.array(labels, dtype=np.int64)
    return np.array([str(label) for label in labels], dtype=object)


def _check_sizes(**sizes: int) -> None:
    for name, size in sizes.items():
        least = 1 if name == "chains" else 0 if name == "tune" else 4
        if not isinstance(size, int | np.integer) or size < least:
            raise OptionError(
                f"{name} is {size!r}, a whole number of at least {least} is needed.",
                "The defaults are draws=1000, tune=500, chains=4.",
            )


def _check_missing(model: Model, scores: pd.DataFrame) -> None:
    if scores.isna().to_numpy().any() and not model.takes_missing:
        raise ModelError(
            f"The model {model.name!r} cannot take missing scores.",
            'Use the default model, or missing="drop" to leave out topics with missing scores.',
        )


def _check_score_sd(model: Model, scores: pd.DataFrame, score_sd: Any) -> pd.DataFrame:
    if not model.takes_score_sd:
        raise ModelError(
            f"The model {model.name!r} takes no measurement error (score_sd).",
            "Use the default model or an additive one.",
        )
    try:
        frame = check_scores(score_sd, warn=False).loc[scores.index, scores.columns]
    except KeyError as error:
        raise ModelError(
            f"score_sd lacks labels of the scores: {error.args[0]}.",
            "Give one standard deviation for every topic and system, with the same labels.",
        ) from None
    except BayescorrError as error:
        raise ModelError(f"score_sd cannot be used: {error.message}", error.remedy) from None
    if (frame.to_numpy() < 0).any():
        raise ModelError("score_sd has negative values.", "Standard deviations are 0 or more.")
    return frame


def _as_integer(random_seed: RandomSeed) -> int:
    """Return the integer that stands for the seed, so that it can be stored and used again."""
    if isinstance(random_seed, int | np.integer):
        return int(random_seed)
    return int(np.random.default_rng(random_seed).integers(2**63 - 1))


def _complain(result: Fit, strict: bool) -> None:
    found = result.convergence
    if strict:
        raise ConvergenceError(str(found), found.remedy)
    warnings.warn(f"{found} {found.remedy}", ConvergenceWarning, stacklevel=3)
