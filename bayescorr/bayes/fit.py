"""Fit a model to scores: draws of the true means, and of every coefficient against the truth."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import xarray as xr

from bayescorr._memory import check_memory
from bayescorr._numbers import FloatArray
from bayescorr._random import RandomSeed
from bayescorr.bayes.by_task import own_dimension, sample_scores
from bayescorr.bayes.data import measure_of, with_plain_labels
from bayescorr.bayes.model import Model, PyMCModel, get_model
from bayescorr.bayes.posterior import assemble_correlation
from bayescorr.bayes.result import Fit
from bayescorr.bayes.sampler import Sampling
from bayescorr.coefficients import DEFAULT_COEFFICIENTS, correlate
from bayescorr.errors import Argument, BayescorrError, ConvergenceWarning, ModelError
from bayescorr.scores.aggregates import (
    SUMMARY,
    apply_summary,
    weights_function,
    with_summary,
)
from bayescorr.scores.check import check_scores, observed_means
from bayescorr.scores.strata import refuse_seeds, tasks_of, with_strata


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
    strata: Any = None,
    weights: Any = None,
    summary: Any = None,
    inference: str = "nuts",
    nuts_sampler: str = "nutpie",
    strict: bool = False,
    warn: bool = True,
    **sample_kwargs: Any,
) -> Fit:
    r"""Sample the posterior of the true means, and so of tau, tau_ap and tau_gap with the truth.

    Parameters
    ----------
    scores : DataFrame
        Scores, topics x systems. ``scores.attrs["measure"]``, if set, names the measure in
        sentences, captions and axes.
    model : str or Model, optional
        Name of a model from :func:`bayescorr.list_models`. By default the default model.
    priors : mapping, optional
        Numbers that replace the model's defaults, by name.
    random_seed : int or Generator, optional
        The same seed gives the same draws, regardless of the order of topics and systems.
    draws, tune, chains : int
        Draws and tuning steps per chain, and the number of chains.
    progressbar : bool, optional
        By default, shown on a terminal only.
    missing : {"error", "drop", "zero", "model"}
        How to treat missing scores. "model" integrates over them, if the model supports it.
    score_sd : DataFrame, optional
        Standard deviation of the measurement error of each score, if the model supports it.
    higher_is_better : bool
        False if the lowest mean is the best.
    strata : Series or mapping, optional
        Task of each topic (item), by label. Scores of systems are then weighted means over tasks,
        and so are true means: tasks are fixed, items are sampled within tasks. The posterior is
        that of independent tasks, each with a covariance of its own. See
        :func:`bayescorr.with_strata`.
    weights : None, "size" or mapping
        Weights of the tasks: equal, by their numbers of items, or the given numbers.
    summary : str or callable, optional
        How the scores of a system are summarised, by default by their mean: "win-rate" or "borda"
        over items, with every model; or "median", "trimmed-mean" or a function of a system's scores
        (and of weights, if it takes two arguments), with the models bootstrap and bootstrap-shrunk.
        "True means" are then true summaries.
    inference : {"nuts", "laplace"}
        NUTS samples the posterior; "laplace" draws from a normal approximation of it, in a second
        or two. Models with exact draws need neither.
    nuts_sampler : {"nutpie", "pymc", "numpyro", "blackjax"}
        The implementation of NUTS.
    strict : bool
        Raise :class:`~bayescorr.ConvergenceError` if the sampler does not converge or the
        approximation is poor, instead of warning with :class:`~bayescorr.ConvergenceWarning`.
    warn : bool
        Warn about identical systems, constant systems and equal means.
    **sample_kwargs
        Further options of the sampler, such as ``target_accept``.

    Returns
    -------
    Fit
        The posterior and everything that follows from it.

    Notes
    -----
    Given a model of the scores, every draw of the true means :math:`\mu` gives a draw of
    :math:`\tau(\mu, \bar x)`, where :math:`\bar x` are the observed means, and likewise of
    :math:`\tau_{AP}` and :math:`\tau_{GAP}`. Identical systems are modelled once and share their
    draws, so such a pair is never discordant.

    The default model assumes that the scores of topic t are :math:`x_t \sim N(\mu, \Sigma)`, with
    an inverse Wishart prior on :math:`\Sigma` and :math:`\mu \mid \Sigma \sim N(\mu_0 1, \kappa
    \Sigma)`. :func:`bayescorr.list_models` cites the source of each model.

    References
    ----------
    J. Urbano, M. Marrero. Toward estimating the rank correlation between the test collection
    results and the true system performance. SIGIR 2016.
    A. Gelman et al. Bayesian Data Analysis, 3rd edition, section 3.6. CRC Press, 2013.

    Examples
    --------
    >>> import bayescorr
    >>> result = bayescorr.fit(bayescorr.load_dataset("demo"), "flat", random_seed=1)
    >>> result.estimates().columns.tolist()
    ['method', 'coefficient', 'estimate', 'sd', 'lower', 'upper', 'level']
    """
    scores = with_summary(scores, summary)
    chosen = get_model(model)
    full_priors = chosen.full_priors(priors)
    sampling = Sampling(
        draws, tune, chains, random_seed, nuts_sampler, progressbar, inference, sample_kwargs
    )
    scores = with_strata(scores, strata, weights)
    refuse_seeds(scores)
    checked = with_plain_labels(check_scores(scores, missing=missing, warn=warn))
    errors = _check_supported(chosen, checked, score_sd)
    _check_summary(chosen, checked, score_sd)
    scores = checked = apply_summary(checked)
    size = 32.0 * sampling.draws * sampling.chains * checked.shape[1] * len(tasks_of(checked))
    what = (f"{sampling.draws:,} ", Argument("draws"), f" of {checked.shape[1]} systems")
    check_memory(size, what, ("Use ", Argument("draws", 1000), "."))
    attributes = {
        "model": chosen.name,
        "higher_is_better": int(higher_is_better),
        "measure": measure_of(scores),
        "summary": scores.attrs.get(SUMMARY, {}).get("name", "mean"),
        **sampling.record(full_priors),
    }
    groups, means = sample_scores(chosen, checked, errors, full_priors, sampling, attributes)
    result = fit_of(groups, means, checked, errors, attributes, chosen)
    result.check(strict, checked)
    return result


def fit_of(
    groups: Mapping[str, xr.Dataset],
    means: FloatArray,
    scores: pd.DataFrame,
    score_sd: pd.DataFrame | None,
    attributes: Mapping[str, Any],
    model: Model | None = None,
) -> Fit:
    """Make a fit of draws of the true means, chains x draws x systems."""
    better = bool(attributes["higher_is_better"])
    values = correlate(means, observed_means(scores).to_numpy(), higher_is_better=better)
    idata, convergence = assemble_correlation(
        {**groups, "posterior": own_dimension(groups["posterior"])},
        {"true_means": means},
        values,
        {"scores": scores} if score_sd is None else {"scores": scores, "score_sd": score_sd},
        attributes,
    )
    return Fit(idata, convergence, model)


def _check_supported(model: Model, scores: pd.DataFrame, score_sd: Any) -> pd.DataFrame | None:
    """Check that the model supports these scores; return ``score_sd`` with the scores' labels."""
    name = f"The model {model.name!r}"
    if not model.of_one_table:
        raise ModelError(f"{name} is for several conditions.", "Use bayescorr.fit_conditions.")
    if scores.isna().to_numpy().any() and not model.takes_missing:
        remedy = ("Use the default model, or ", Argument("missing", "drop"), ".")
        raise ModelError(f"{name} does not support missing scores.", remedy)
    if score_sd is None:
        return None
    if not model.takes_score_sd:
        message = f"{name} does not support measurement error (score_sd)."
        raise ModelError(message, "Use the default model or an additive one.")
    try:
        frame = with_plain_labels(check_scores(score_sd, warn=False))
        frame = frame.loc[scores.index, scores.columns]
    except KeyError as error:
        raise ModelError(
            f"score_sd has no value for some topics or systems: {error.args[0]}.",
            "Give one standard deviation for every topic and system, with the same labels.",
        ) from None
    except BayescorrError as error:
        raise ModelError(f"score_sd is invalid: {error.message}", error.remedy) from None
    if (frame.to_numpy() < 0).any():
        raise ModelError("score_sd has negative values.", "Standard deviations are at least 0.")
    return frame


def _check_summary(model: Model, scores: pd.DataFrame, score_sd: Any) -> None:
    """Raise if the model does not support the summary of these scores."""
    if weights_function(scores) is not None:
        what = scores.attrs[SUMMARY]["name"]
        if not model.takes_summaries:
            raise ModelError(
                f"The model {model.name!r} is for means; it has no distribution of the summary "
                f"{what!r}.",
                ("Use the model bootstrap-shrunk, or ", Argument("summary", "win-rate"), "."),
            )
        if len(tasks_of(scores)) > 1:
            raise ModelError(
                f"The summary {what!r} is of all items; it has no weights of tasks.",
                ("Use ", Argument("summary", "win-rate"), ", or the scores of one task."),
            )
    if score_sd is not None and scores.attrs.get(SUMMARY):
        raise ModelError(
            "score_sd is the error of scores; another summary than the mean has none.",
            ("Omit ", Argument("score_sd"), " or ", Argument("summary"), "."),
        )


def prior_sensitivity(
    fit: Fit,
    scale: Sequence[float] = (0.5, 2.0),
    *,
    coefficients: Any = DEFAULT_COEFFICIENTS,
    inference: str = "laplace",
    random_seed: RandomSeed = None,
    **fit_options: Any,
) -> pd.DataFrame:
    """Fit again with each number of the priors halved and doubled, to see how estimates change.

    Parameters
    ----------
    fit : Fit
        The fit to start from.
    scale : sequence of float
        Factors by which each prior is multiplied, one at a time.
    coefficients : sequence of str or callable
        Names of coefficients, or functions f(truth, observed).
    inference : {"laplace", "nuts"}
        How to fit again. Laplace approximations are compared with that of the original priors and
        start from it. If that one is poor, NUTS samples instead.
    random_seed : int or Generator, optional
        By default the seed of ``fit``, so that Monte-Carlo error does not hide small changes.
    **fit_options
        Passed to :func:`bayescorr.fit`. By default draws, tune and chains are those of ``fit``.

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
    >>> table = bayescorr.prior_sensitivity(fit, coefficients="tau")
    >>> table.set_index(["prior", "factor"])["change"].gt(0).to_dict()
    {('prior_topics', 0.5): True, ('prior_topics', 2.0): False}
    """
    model, priors = fit.model, fit.priors
    if not priors:
        raise ModelError(f"The model {model.name!r} has no priors.", "Use a model with priors.")
    stored = {name: int(fit.idata.attrs[name]) for name in ("draws", "tune", "chains")}
    options: dict[str, Any] = {
        **stored,
        "random_seed": int(fit.idata.attrs["random_seed"]) if random_seed is None else random_seed,
        "higher_is_better": fit.higher_is_better,
        "missing": "model" if fit.scores.isna().to_numpy().any() else "error",
        "score_sd": fit.score_sd,
        "warn": False,
        "inference": inference,
        **fit_options,
    }

    def estimates(changed: Mapping[str, float]) -> pd.DataFrame:
        again = fit_again(fit.scores, model, priors=changed, **options)
        return again.estimates(coefficients=coefficients)[["coefficient", "estimate"]]

    reference = before = fit.estimates(coefficients=coefficients)["estimate"]
    if inference == "laplace" and isinstance(model, PyMCModel):
        base = fit if fit.inference == "laplace" else _approximation(fit, options)
        if base is None:
            options["inference"] = "nuts"
        else:
            options["start"] = base.normal
            reference = estimates(priors)["estimate"]
    tables = []
    for name, value in priors.items():
        for factor in scale:
            changed = {**priors, name: factor * value}
            table = estimates(changed)
            table["change"] = table["estimate"] - reference
            table["estimate"] = before + table["change"]
            tables.append(table.assign(prior=name, factor=factor, value=changed[name]))
    columns = ["prior", "factor", "value", "coefficient", "estimate", "change"]
    return pd.concat(tables, ignore_index=True)[columns]


def _approximation(fit: Fit, options: Mapping[str, Any]) -> Fit | None:
    """Return the Laplace approximation of a fit; None if it is poor."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            found = fit_again(fit.scores, fit.model, priors=fit.priors, **options)
        except ModelError:
            return None
    return found if found.convergence.passed else None


#: The function ``fit`` where an argument has its name.
fit_again = fit
