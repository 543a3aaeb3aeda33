"""Fit a model to scores: draws of the true means, and of every coefficient against the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescorr._memory import check_memory
from bayescorr._numbers import FloatArray
from bayescorr._random import RandomSeed
from bayescorr.bayes import _stack
from bayescorr.bayes.data import measure_of, prepare, with_plain_labels
from bayescorr.bayes.model import Model, Priors, get_model
from bayescorr.bayes.posterior import assemble_correlation
from bayescorr.bayes.result import Fit
from bayescorr.bayes.sampler import Sampling, sample
from bayescorr.bayes.tasks import join_approximations, join_groups
from bayescorr.coefficients import correlate
from bayescorr.errors import Argument, BayescorrError, Function, ModelError, ScoresError
from bayescorr.scores.aggregates import (
    SUMMARY,
    apply_summary,
    weights_function,
    with_summary,
)
from bayescorr.scores.check import check_scores, observed_means, treat_missing
from bayescorr.scores.strata import (
    Task,
    refuse_seeds,
    task_table,
    tasks_of,
    tasks_to_fit,
    with_strata,
)


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
    if function := scores.attrs.get(SUMMARY, {}).get("function"):
        result.scores.attrs[SUMMARY]["function"] = function
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
        raise ModelError(
            f"{name} is for several conditions.",
            ("Use ", Function("fit_conditions", "agree"), ", or another model."),
        )
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
            "score_sd is for means only, not for other summaries.",
            ("Omit ", Argument("score_sd"), " or ", Argument("summary"), "."),
        )


def sample_scores(
    model: Model,
    scores: pd.DataFrame,
    errors: pd.DataFrame | None,
    priors: Priors,
    sampling: Sampling,
    attributes: Mapping[str, Any],
) -> tuple[dict[str, xr.Dataset], FloatArray]:
    """Sample a model of checked scores: groups, and true means as chains x draws x systems.

    With several tasks, the true means are the weighted sums of those of the tasks, and the groups
    are those of every task. One task gives what the scores without tasks give.
    """
    tasks = tasks_to_fit(scores)
    if len(tasks) == 1:
        return _sample_table(model, scores, errors, priors, sampling)
    better = bool(attributes["higher_is_better"])
    total, raw, stored = np.zeros(()), [], []
    for k, task in enumerate(tasks):
        table = task_table(scores, task)
        error = None if errors is None else errors.iloc[task.rows]
        try:
            table = treat_missing(table, "model")
            own = _sampling_of(sampling, k, task)
            groups, means = _sample_table(model, table, error, priors, own)
        except (ModelError, ScoresError) as problem:
            message = f"Task {task.name!r}: {problem.message}"
            raise type(problem)(message, problem.remedy) from None
        total = total + task.weight * means
        # As of a fit of the task alone, so that it can be judged and answer like one.
        alone, _ = assemble_correlation(
            {**groups, "posterior": own_dimension(groups["posterior"])},
            {"true_means": means},
            correlate(means, observed_means(table).to_numpy(), higher_is_better=better),
            {"scores": table},
            attributes,
        )
        raw.append(groups)
        stored.append(_stack.groups(alone))
    joined = {**join_groups(stored), **join_approximations(raw)}
    return {"posterior": xr.Dataset(), **joined}, total


def own_dimension(posterior: xr.Dataset) -> xr.Dataset:
    """Rename the dimension of parameters per system: they are those of the distinct systems."""
    renamed = {"system": "distinct_system"} if "system" in posterior.dims else {}
    return posterior.rename(renamed)


def _sample_table(
    model: Model,
    scores: pd.DataFrame,
    errors: pd.DataFrame | None,
    priors: Priors,
    sampling: Sampling,
) -> tuple[dict[str, xr.Dataset], FloatArray]:
    data, stands_for = prepare(scores, errors)
    model.check(data)
    groups, distinct = sample(model, data, priors, sampling)
    return groups, distinct[:, :, stands_for.to_numpy()]


def _sampling_of(sampling: Sampling, k: int, task: Task) -> Sampling:
    """Return the sampling of the k-th task, with random numbers and a start of its own."""
    options = dict(sampling.options)
    if isinstance(start := options.pop("start", None), Mapping) and task.name in start:
        options["start"] = start[task.name]
    seed = sampling.seed
    if k:
        seed = int(np.random.default_rng([seed, 2, k]).integers(2**63 - 1))
    return replace(sampling, random_seed=seed, options=options)
