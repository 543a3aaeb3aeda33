"""Fit a model to scores: draws of the true means, and of every coefficient against the truth."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescorr._random import RandomSeed, generator
from bayescorr.bayes import sampler
from bayescorr.bayes.assemble import assemble
from bayescorr.bayes.convergence import Convergence
from bayescorr.bayes.data import prepare, with_plain_labels
from bayescorr.bayes.model import ExactModel, Model, PyMCModel, get_model
from bayescorr.bayes.result import Fit
from bayescorr.bayes.stored import flat_draws
from bayescorr.errors import (
    BayescorrError,
    ConvergenceError,
    ConvergenceWarning,
    ModelError,
    OptionError,
    listing,
)
from bayescorr.scores.check import check_scores

#: Options of samplers that may be given with any model, such as for all models of a study.
ANY_MODEL = frozenset({"cores", "target_accept"})


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

    The default model takes the scores of topic t to be :math:`x_t \sim N(\mu, \Sigma)` with an
    inverse Wishart prior on :math:`\Sigma` and :math:`\mu \mid \Sigma \sim N(\mu_0 1, \kappa
    \Sigma)`; :func:`bayescorr.list_models` says where each of the models comes from.

    References
    ----------
    J. Urbano, M. Marrero. Toward estimating the rank correlation between the test collection
    results and the true system performance. SIGIR 2016.
    N. Gao, D. W. Oard. A head-weighted gap-sensitive correlation coefficient. SIGIR 2015.
    A. Gelman, J. B. Carlin, H. S. Stern, D. B. Dunson, A. Vehtari, D. B. Rubin. Bayesian Data
    Analysis, 3rd edition, section 3.6. CRC Press, 2013.
    A. Zellner. On assessing prior distributions and Bayesian regression analysis with g-prior
    distributions. In Bayesian Inference and Decision Techniques, 1986.

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
    checked = with_plain_labels(check_scores(scores, missing=missing, warn=warn))
    _check_missing(chosen, checked)
    errors = None if score_sd is None else _check_score_sd(chosen, checked, score_sd)
    data, stands_for = prepare(checked, errors)
    chosen.check(data)
    seed = _as_integer(random_seed)

    stats: dict[str, xr.Dataset] = {}
    rng = np.random.default_rng([seed, 1])
    if isinstance(chosen, ExactModel):
        if unknown := sorted(sample_kwargs.keys() - ANY_MODEL):
            raise OptionError(
                f"The model {chosen.name!r} is not sampled: {listing(unknown)} cannot apply.",
                "Leave these options out.",
            )
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
    result = assemble(
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
        chosen,
    )
    if not result.convergence.passed:
        _complain(result.convergence, checked, strict)
    return result


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
        frame = with_plain_labels(check_scores(score_sd, warn=False))
        frame = frame.loc[scores.index, scores.columns]
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
    drawn = generator(random_seed)
    if isinstance(random_seed, int | np.integer):
        return int(random_seed)
    return int(drawn.integers(2**63 - 1))


def _complain(found: Convergence, scores: pd.DataFrame, strict: bool) -> None:
    remedy = found.remedy
    if repeated := list(scores.index[scores.duplicated()]):
        # Topics without any difference let a covariance be singular, and densities infinite.
        remedy += (
            f" Or leave out topics that repeat the scores of another one: {listing(repeated)}."
        )
    if strict:
        raise ConvergenceError(str(found), remedy)
    warnings.warn(f"{found} {remedy}", ConvergenceWarning, stacklevel=3)
