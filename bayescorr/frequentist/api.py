"""Frequentist estimates of the correlation between the observed and the true ranking."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd

from bayescorr._memory import check_memory
from bayescorr._numbers import check_count, check_level
from bayescorr._random import RandomSeed
from bayescorr.coefficients.registry import AnyCoefficient, resolve_all
from bayescorr.errors import Argument, OptionError, ScoresError, choose
from bayescorr.frequentist.estimates import INTERVALS, PAIRWISE, estimates, pair_discordance
from bayescorr.frequentist.estimator import Estimator
from bayescorr.frequentist.registry import (
    DEFAULT_ESTIMATORS,
    ESTIMATORS,
    find_estimator,
    find_estimators,
)
from bayescorr.frequentist.sample import Sample, make_sample
from bayescorr.scores.aggregates import (
    SUMMARY,
    apply_summary,
    weights_function,
    with_summary,
)
from bayescorr.scores.check import check_scores, sort_labels
from bayescorr.scores.strata import refuse_seeds, tasks_to_fit, with_strata


def estimate(
    scores: pd.DataFrame,
    methods: str | Estimator | Iterable[str | Estimator] = DEFAULT_ESTIMATORS,
    coefficients: AnyCoefficient | Iterable[AnyCoefficient] = PAIRWISE,
    level: float = 0.95,
    *,
    interval: str = "quantile",
    draws: int = 1000,
    higher_is_better: bool = True,
    missing: str = "error",
    strata: Any = None,
    weights: Any = None,
    summary: Any = None,
    random_seed: RandomSeed = None,
) -> pd.DataFrame:
    r"""Estimate how well the observed ranking of systems correlates with the true one.

    .. math:: E[\tau] = 1 - \frac{4}{m (m - 1)} \sum_{i < j} p_{ij}, \qquad
        E[\tau_{AP}] = 1 - \frac{2}{m - 1} \sum_{j = 2}^m \sum_{i < j} \frac{p_{ij}}{j - 1}

    where :math:`p_{ij}` is the probability that the truth swaps systems i and j, the i-th and j-th
    best on the observed topics (Urbano & Marrero 2016, eq. 3-4). The methods differ in how they
    estimate it; see :func:`list_estimators`. Ties in the observed means are resolved by the
    expectation over their orders. Intervals account for the dependence between pairs (Bavdaz 2018,
    chapter 4) through joint draws of all pairs.

    Parameters
    ----------
    scores : DataFrame
        Topics by systems.
    methods : str, Estimator, or several
        The default is the four estimators of the paper. The split-half baselines SHw, SHwo and SH
        are biased and need at least 4 topics.
    coefficients : str, callable, or several
        Names of coefficients or functions f(truth, observed). All methods support tau and tau_ap.
        Other coefficients need joint draws of the true means, which only ML and RES have.
    level : float
        Level of the intervals.
    interval : {"quantile", "normal"}
        Quantiles of the draws, which stay within the range of the coefficient (the default), or the
        estimate plus and minus normal quantiles times the standard deviation, as in the thesis.
    draws : int
        T: number of resamples of the topics, joint draws of the true means or, for SH, pairs of
        samples.
    higher_is_better : bool
        False for measures where the lowest mean is the best.
    missing : {"error", "drop", "zero"}
        How to treat missing scores; see :func:`check_scores`.
    strata, weights
        Task of each topic, and weights of the tasks, as in :func:`bayescorr.with_strata`. ML and
        MSQD then use the variance of weighted means, with the degrees of freedom of Welch and
        Satterthwaite; RES resamples topics within tasks. Other methods do not support tasks.
    summary : str or callable, optional
        How the scores of a system are summarised, as in :func:`fit`. Win rates and Borda counts are
        means over topics; for other summaries only RES has an answer.
    random_seed : int, Generator or None
        The same seed gives the same numbers, whatever the order of topics and systems and whichever
        other methods run.

    Returns
    -------
    DataFrame
        Columns method, coefficient, estimate, sd, lower, upper, level. Unsupported values are NaN;
        ``attrs["notes"]`` says why, and how often a method fell back on another.

    References
    ----------
    J. Urbano, M. Marrero. Toward estimating the rank correlation between the test collection
    results and the true system performance. SIGIR 2016.
    A. Bavdaz. Toward rank correlation as a measure of confidence in information retrieval
    experiment results. Master's thesis, Delft University of Technology, 2018.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [0.5, 0.4, 0.6], "b": [0.4, 0.5, 0.3], "c": [0.1, 0.3, 0.2]})
    >>> table = estimate(scores, ["ML", "MSQD"], "tau", random_seed=1)
    >>> print(table[["method", "coefficient", "estimate", "level"]].round(4))
      method coefficient  estimate  level
    0     ML         tau    0.7560   0.95
    1   MSQD         tau    0.6976   0.95
    """
    wanted = resolve_all(coefficients)
    check_level(level)
    choose(interval, INTERVALS, "interval")
    estimators = find_estimators(methods)
    scores = with_summary(with_strata(scores, strata, weights), summary)
    _, sample = prepare(scores, draws, higher_is_better, missing, random_seed, summaries=True)
    found, notes = estimates(sample, estimators, wanted)
    rows = [
        (e.method, e.coefficient, e.value, e.sd, *e.interval(level, interval), float(level))
        for e in found
    ]
    columns = ["method", "coefficient", "estimate", "sd", "lower", "upper", "level"]
    table = pd.DataFrame(rows, columns=columns)
    table.attrs["notes"] = notes
    return table


def discordance(
    scores: pd.DataFrame,
    method: str | Estimator = "MSQD",
    *,
    draws: int = 1000,
    higher_is_better: bool = True,
    missing: str = "error",
    random_seed: RandomSeed = None,
) -> pd.DataFrame:
    r"""Estimate the probability that the truth swaps each pair of systems.

    .. math:: p_{ij} = P(\mu_i - \mu_j < 0)

    for systems i and j with observed means :math:`\bar x_i > \bar x_j`. ML and MSQD take the
    differences of their scores over n topics to be normal, with estimates :math:`\hat\mu` and
    :math:`\hat\sigma`,

    .. math:: p_{ij} \approx T_{n-1}\left( -\sqrt n\, \hat\mu / \hat\sigma \right)

    with T the cdf of the t distribution (Urbano & Marrero 2016, eq. 5). For RES and KD it is the
    share of means of resampled differences that are negative (eq. 10).

    Parameters
    ----------
    scores : DataFrame
        Topics by systems.
    method : str or Estimator
        ML, MSQD, RES or KD.
    draws, higher_is_better, missing, random_seed
        As in :func:`estimate`; only RES and KD use draws.

    Returns
    -------
    DataFrame
        Systems by systems in observed order, best first (equal means by label): symmetric, with a
        zero diagonal. 1/2 for different systems with equal means, 0 for identical ones.
        ``attrs["notes"]`` says how often a method fell back on another.

    References
    ----------
    J. Urbano, M. Marrero. Toward estimating the rank correlation between the test collection
    results and the true system performance. SIGIR 2016.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [0.5, 0.4, 0.6], "b": [0.4, 0.5, 0.3], "c": [0.1, 0.3, 0.2]})
    >>> discordance(scores, "ML").round(3)
           a      b      c
    a  0.000  0.262  0.059
    b  0.262  0.000  0.046
    c  0.059  0.046  0.000
    """
    estimator = find_estimator(method)
    frame, sample = prepare(scores, draws, higher_is_better, missing, random_seed, summaries=True)
    below = pair_discordance(estimator, sample)
    if below is None:
        of_tasks = " of means over tasks" if sample.tasks else ""
        raise OptionError(
            f"{estimator.name} does not support discordance of pairs{of_tasks}.",
            f"Use ML, MSQD{' or RES' if of_tasks else ', RES or KD'}.",
        )
    labels = frame.columns[sample.order]
    table = pd.DataFrame(below + below.T, index=labels, columns=labels)
    table.attrs["notes"] = list(estimator.notes(sample))
    return table


def list_estimators() -> pd.DataFrame:
    """List the estimators: what each does, what it supports and where it is defined.

    Returns
    -------
    DataFrame
        Columns name, description, coefficients, intervals and discordance (whether it supports
        them), citation.

    Examples
    --------
    >>> list_estimators()[["name", "coefficients", "intervals", "discordance"]]
       name coefficients  intervals  discordance
    0    ML          any       True         True
    1  MSQD  tau, tau_ap       True         True
    2   RES          any       True         True
    3    KD  tau, tau_ap       True         True
    4   SHw  tau, tau_ap      False        False
    5  SHwo  tau, tau_ap      False        False
    6    SH  tau, tau_ap       True        False
    """
    rows = [
        (e.name, e.description, e.coefficients, e.intervals, e.splits is None, e.citation)
        for e in ESTIMATORS.values()
    ]
    columns = ["name", "description", "coefficients", "intervals", "discordance", "citation"]
    return pd.DataFrame(rows, columns=columns)


def prepare(
    scores: pd.DataFrame,
    draws: int,
    higher_is_better: bool,
    missing: str,
    random_seed: RandomSeed,
    *,
    warn: bool = True,
    other_topics: int | None = None,
    summaries: bool = False,
) -> tuple[pd.DataFrame, Sample]:
    """Check the scores, sort them by label and make the sample that estimators use.

    Other summaries of the scores than means are refused unless the caller supports ``summaries``.
    """
    choose(missing, ("drop", "error", "zero"), "treatment of missing scores")
    size = check_count(draws, "draws", least=2)
    refuse_seeds(scores)
    frame = sort_labels(check_scores(scores, missing=missing, warn=warn))
    what = (f"{size:,} ", Argument("draws"), f" for {frame.shape[1]} systems")
    check_memory(24.0 * size * frame.shape[1], what, ("Use ", Argument("draws", 1000), "."))
    frame = apply_summary(frame)
    summary = weights_function(frame)
    if summary is not None and not summaries:
        raise ScoresError(
            f"This analysis is of means, not of the summary {frame.attrs[SUMMARY]['name']!r}.",
            ("Use ", Argument("summary", "win-rate"), ", or fit and estimate."),
        )
    if summary is not None and len(tasks_to_fit(frame)) > 1:
        raise ScoresError(
            f"The summary {frame.attrs[SUMMARY]['name']!r} is of all items; it has no weights of "
            "tasks.",
            ("Use ", Argument("summary", "win-rate"), ", or the scores of one task."),
        )
    values = frame.to_numpy() if higher_is_better else 0.0 - frame.to_numpy()
    return frame, make_sample(
        values,
        draws=size,
        random_seed=random_seed,
        other_topics=other_topics,
        tasks=tasks_to_fit(frame),
        summary=None if summary is None else _signed(summary, higher_is_better),
    )


def _signed(summary: Callable[..., Any], higher_is_better: bool) -> Callable[..., Any]:
    """Return a summary of scores whose sign is changed if lower ones are better."""
    if higher_is_better:
        return summary
    return lambda values, weights: 0.0 - summary(0.0 - values, weights)
