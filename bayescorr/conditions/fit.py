"""Fit several conditions on the same topics and systems: their true means, jointly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescorr._memory import check_memory
from bayescorr._numbers import FloatArray
from bayescorr._random import RandomSeed
from bayescorr.bayes.data import measure_of
from bayescorr.bayes.model import get_model
from bayescorr.bayes.posterior import assemble
from bayescorr.bayes.sampler import Sampling, sample
from bayescorr.coefficients import DEFAULT_COEFFICIENTS, correlate
from bayescorr.conditions.agreement import Agreement
from bayescorr.conditions.alignment import align, check_names
from bayescorr.conditions.columns import PartialData, conditions_data
from bayescorr.errors import Argument, OptionError, choose

#: The models of conditions with the same topics, and of conditions some of which have fewer.
MODEL, PARTIAL = "matrix-t-conditions", "matrix-t-partial"


def fit_conditions(
    conditions: Mapping[str, Any],
    *,
    truth: str | None = None,
    unshared: str = "error",
    priors: Mapping[str, float] | None = None,
    random_seed: RandomSeed = None,
    draws: int = 1000,
    tune: int = 500,
    chains: int = 4,
    progressbar: bool | None = None,
    missing: str = "error",
    higher_is_better: bool | Mapping[str, bool] = True,
    inference: str = "nuts",
    nuts_sampler: str = "nutpie",
    strict: bool = False,
    warn: bool = True,
    **sample_kwargs: Any,
) -> Agreement:
    r"""Sample the posterior of the true means of the same systems under several conditions.

    A condition is a set of judgments, a measure or a pool depth. One of them plays the truth, such
    as human judgments; the others are called judges. The noise of each condition lowers the
    correlation of the observed means; the noise they share, since the topics are the same, raises
    it. This function models all conditions jointly, :math:`(x^1_t, \ldots, x^K_t) \sim N((\mu_1,
    \ldots, \mu_K), \Sigma)`. Every draw of the true means gives a draw of :math:`\tau(\mu_1,
    \mu_k)`, the correlation of the true rankings.

    Parameters
    ----------
    conditions : mapping of str to DataFrame
        Scores by the name of the condition, topics x systems, aligned by label.
        ``scores.attrs["measure"]``, if set and the same for all, names the measure in sentences.
    truth : str, optional
        The condition that plays the truth. By default the first.
    unshared : {"error", "drop", "model"}
        How to treat topics and systems that only some conditions have: "drop" leaves them out.
        "model" uses topics that only some conditions have, as where people judge 15 of 50 topics
        and a language model judges all. A condition must have all topics or just those that all
        conditions have.
    priors : mapping, optional
        Numbers that replace the defaults of the default model. ``phi_a`` and ``phi_b`` are the
        parameters of the Beta prior on how strongly a system's scores are correlated between
        conditions.
    random_seed, draws, tune, chains, progressbar, inference, nuts_sampler, strict, warn
        As in :func:`bayescorr.fit`.
    missing : {"error", "drop", "zero"}
        How to treat missing scores. "drop" removes topics with a missing score under any condition.
        A condition does not have a topic on which all of its scores are missing, unless "zero".
    higher_is_better : bool or mapping of str to bool
        For all conditions, or by name.
    **sample_kwargs
        Passed to the sampler.

    Returns
    -------
    Agreement
        The answers, each from the draws and beside the observed value:

        ``estimates(level, coefficients=...)``
            Per judge one row for every coefficient between the true rankings, with an interval.
        ``in_words(level)``
            One sentence per judge, to quote.
        ``compare_judges(coefficient)``
            P(one judge agrees more with the truth than another).
        ``shifts(level)``
            Per judge and system the shift of its standardised mean and rank, and P(favoured).
        ``inversions(level)``, ``inverted_pairs(level)``
            Shares of pairs that are decided under both conditions and inverted, and their list.
        ``of(condition)``
            The :class:`bayescorr.Fit` of one condition, with ``ranking()`` and the like.
        ``draws(coefficient, judge)``, ``observed(coefficient, judge)``
            Draws of any coefficient or function, and its value between the observed means.
        ``alone()``, ``narrowing(level)``
            The fit of the truth without the judges, and how much narrower their scores make its
            intervals: of use where the truth has fewer topics.
        ``to_netcdf(path)``
            A file, which :func:`bayescorr.load_conditions` reads.

    References
    ----------
    A. Gelman et al. Bayesian Data Analysis, 3rd edition, section 3.6. CRC Press, 2013.

    Examples
    --------
    >>> import bayescorr
    >>> ap = bayescorr.load_dataset("demo")
    >>> judged = {"human": ap, "coarse": ap.round(1), "noisy": ap + 0.1 * ap.rank() / 50}
    >>> found = bayescorr.fit_conditions(judged, inference="laplace")  # doctest: +SKIP
    >>> found.estimates(), print(found.in_words())  # doctest: +SKIP
    """
    named = check_names(conditions, truth)
    model = get_model(MODEL)
    full_priors = model.full_priors(priors)
    sampling = Sampling(
        draws, tune, chains, random_seed, nuts_sampler, progressbar, inference, sample_kwargs
    )
    better = _better(higher_is_better, named)
    tables = align(named, unshared=unshared, missing=missing, warn=warn)
    data, means_of = conditions_data(tables)
    if isinstance(data, PartialData):
        model = get_model(PARTIAL)
    systems = next(iter(tables.values())).shape[1]
    size = 32.0 * sampling.draws * sampling.chains * systems * len(tables)
    what = (f"{sampling.draws:,} ", Argument("draws"), f" of {len(tables)} x {systems} true means")
    check_memory(size, what, ("Use ", Argument("draws", 1000), "."))
    groups, columns = sample(model, data, full_priors, sampling)
    attributes = {
        "model": model.name,
        "measure": _common_measure(named),
        **sampling.record(full_priors),
    }
    result = agreement_of(groups, means_of(columns), tables, better, attributes)
    result.check(strict, pd.concat(tables, axis=1))
    return result


def fit_pair(
    scores_a: Any,
    scores_b: Any,
    *,
    higher_is_better: bool | tuple[bool, bool] = True,
    **options: Any,
) -> Agreement:
    """Fit two conditions: the short form of :func:`bayescorr.fit_conditions`.

    Parameters
    ----------
    scores_a, scores_b : DataFrame
        Scores of the same systems on the same topics, aligned by label. The conditions are named A
        and B; A plays the truth for coefficients that are not symmetric.
    higher_is_better : bool or pair of bool
        For both conditions, or for A and B.
    **options
        As in :func:`bayescorr.fit_conditions`.

    Returns
    -------
    Agreement
        As :func:`bayescorr.fit_conditions` returns.

    Examples
    --------
    >>> import bayescorr
    >>> ap = bayescorr.load_dataset("demo")
    >>> bayescorr.fit_pair(ap, ap.round(1), random_seed=1).estimates()  # doctest: +SKIP
    """
    pair = {"A": scores_a, "B": scores_b}
    both = higher_is_better if isinstance(higher_is_better, tuple) else (higher_is_better,) * 2
    return fit_conditions(pair, higher_is_better=dict(zip(pair, both, strict=True)), **options)


def agreement_of(
    groups: Mapping[str, xr.Dataset],
    means: FloatArray,
    tables: Mapping[str, pd.DataFrame],
    higher_is_better: Sequence[bool],
    attributes: Mapping[str, Any],
) -> Agreement:
    """Make the result of draws of the true means, chains x draws x conditions x systems."""
    names, table = list(tables), next(iter(tables.values()))
    topics = max((one.index for one in tables.values()), key=len).tolist()
    signed = means * np.where(higher_is_better, 1.0, -1.0)[:, None]
    by_judge = correlate(signed[..., :1, :], signed[..., 1:, :], DEFAULT_COEFFICIENTS)
    derived: dict[str, tuple[Sequence[str], FloatArray]] = {
        "true_means": (("chain", "draw", "condition", "system"), means)
    }
    derived |= {name: (("chain", "draw", "judge"), x) for name, x in by_judge.items()}
    coords: dict[str, Any] = {
        "condition": np.array(names, dtype=object),
        "judge": np.array(names[1:], dtype=object),
        "system": table.columns.to_numpy(),
    }
    scores = np.stack([one.reindex(topics).to_numpy() for one in tables.values()])
    observed = xr.Dataset(
        {
            "scores": (("condition", "topic", "system"), scores),
            "higher_is_better": (("condition",), np.array(higher_is_better, dtype=np.int64)),
        },
        {
            "condition": coords["condition"],
            "topic": pd.Index(topics).to_numpy(),
            "system": coords["system"],
        },
    )
    return Agreement(*assemble(groups, derived, observed, coords, attributes))


def _better(higher_is_better: bool | Mapping[str, bool], names: Mapping[str, Any]) -> list[bool]:
    """Return whether higher is better, for every condition."""
    if not isinstance(higher_is_better, Mapping):
        return [bool(higher_is_better)] * len(names)
    for name in higher_is_better:
        choose(name, names, "condition")
    if lacking := [name for name in names if name not in higher_is_better]:
        message = (Argument("higher_is_better"), f" lacks the condition {lacking[0]!r}.")
        raise OptionError(message, "Give True or False for every condition.")
    return [bool(higher_is_better[name]) for name in names]


def _common_measure(conditions: Mapping[str, Any]) -> str:
    """Return the measure that the scores of all conditions are of; empty if they differ."""
    measures = {measure_of(scores) for scores in conditions.values()}
    return measures.pop() if len(measures) == 1 else ""
