"""Frequentist estimates of the correlation between the observed and the true ranking."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from bayescorr._random import RandomSeed
from bayescorr.errors import OptionError, choose
from bayescorr.frequentist.estimates import INTERVALS, estimates, pair_discordance
from bayescorr.frequentist.estimator import Estimator
from bayescorr.frequentist.registry import (
    DEFAULT_ESTIMATORS,
    ESTIMATORS,
    find_estimator,
    find_estimators,
)
from bayescorr.frequentist.sample import Sample, make_sample
from bayescorr.scores.check import check_scores, sort_labels

__all__ = ["discordance", "estimate", "list_estimators"]


def estimate(
    scores: pd.DataFrame,
    methods: str | Estimator | Iterable[str | Estimator] = DEFAULT_ESTIMATORS,
    coefficients: str | Callable[..., Any] | Iterable[str | Callable[..., Any]] = ("tau", "tau_ap"),
    level: float = 0.95,
    *,
    interval: str = "quantile",
    draws: int = 1000,
    higher_is_better: bool = True,
    missing: str = "error",
    random_seed: RandomSeed = None,
) -> pd.DataFrame:
    r"""Estimate how well the observed ranking of systems correlates with the true one.

    .. math:: E[\tau] = 1 - \frac{4}{m (m - 1)} \sum_{i < j} p_{ij}, \qquad
        E[\tau_{AP}] = 1 - \frac{2}{m - 1} \sum_{j = 2}^m \sum_{i < j} \frac{p_{ij}}{j - 1}

    where :math:`p_{ij}` is the probability that the truth swaps systems i and j, the i-th and j-th
    best on the topics at hand (Urbano & Marrero 2016, eq. 3-4). The methods differ in how they get
    at it; see :func:`list_estimators`. Systems with equal means count by expectation over their
    orders. Intervals take the dependence between pairs into account (Bavdaz 2018, chapter 4), by
    joint draws of all pairs.

    Parameters
    ----------
    scores : DataFrame
        Topics by systems.
    methods : str, Estimator, or several
        The default is the four estimators of the paper. SHw, SHwo and SH, the split-half baselines,
        are biased and need at least 4 topics.
    coefficients : str, callable, or several
        Names of coefficients or functions f(truth, observed). Those other than tau and tau_ap need
        joint draws of the true means, which ML and RES have.
    level : float
        Level of the intervals.
    interval : {"quantile", "normal"}
        Quantiles of the draws, which stay within the range of the coefficient (the default), or the
        estimate plus and minus normal quantiles of the standard deviation, as in the thesis.
    draws : int
        T: resamples of the topics, joint draws of the true means, pairs of samples for SH.
    higher_is_better : bool
        False for measures where the lowest mean is the best.
    missing : {"error", "drop", "zero"}
        What to do about missing scores; see :func:`check_scores`.
    random_seed : int, Generator or None
        The same seed gives the same numbers, whatever the order of topics and systems and whichever
        other methods are asked.

    Returns
    -------
    DataFrame
        Columns method, coefficient, estimate, sd, lower, upper, level. What a method does not offer
        is NaN; ``attrs["notes"]`` lists why, and how often a method had to fall back on another.

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
    from bayescorr.coefficients import resolve

    if isinstance(coefficients, str) or callable(coefficients):
        coefficients = (coefficients,)
    wanted = [resolve(coefficient) for coefficient in coefficients]
    names = [coefficient.name for coefficient in wanted]
    if not names or len(set(names)) < len(names):
        raise OptionError(
            f"Coefficients asked for: {', '.join(names) or 'none'}.", "Ask for each of them once."
        )
    if not 0 < level < 1:
        raise OptionError(f"Level {level} found.", "Give a level between 0 and 1, such as 0.95.")
    choose(interval, INTERVALS, "interval")
    estimators = find_estimators(methods)
    _, sample = prepare(scores, draws, higher_is_better, missing, random_seed)
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
        As in :func:`estimate`; draws matter to RES and KD only.

    Returns
    -------
    DataFrame
        Systems by systems in observed order, best first (equal means by label): symmetric, with a
        zero diagonal. 1/2 for different systems with equal means, 0 for identical ones.
        ``attrs["notes"]`` says how often a method had to fall back on another.

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
    frame, sample = prepare(scores, draws, higher_is_better, missing, random_seed)
    below = pair_discordance(estimator, sample)
    if below is None:
        raise OptionError(
            f"{estimator.name} says nothing about pairs of systems.", "Use ML, MSQD, RES or KD."
        )
    labels = frame.columns[sample.order]
    table = pd.DataFrame(below + below.T, index=labels, columns=labels)
    table.attrs["notes"] = list(estimator.notes(sample))
    return table


def list_estimators() -> pd.DataFrame:
    """List the estimators: what each does, what it offers, where it comes from.

    Returns
    -------
    DataFrame
        Columns name, description, coefficients, intervals and discordance (whether it offers
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
    return pd.DataFrame(
        [
            {
                "name": e.name,
                "description": e.description,
                "coefficients": e.coefficients,
                "intervals": e.intervals,
                "discordance": e.splits is None,
                "citation": e.citation,
            }
            for e in ESTIMATORS.values()
        ]
    )


def prepare(
    scores: pd.DataFrame,
    draws: int,
    higher_is_better: bool,
    missing: str,
    random_seed: RandomSeed,
) -> tuple[pd.DataFrame, Sample]:
    """Check the scores, sort them by label and make the sample that estimators work on."""
    choose(missing, ("drop", "error", "zero"), "way to treat missing scores")
    if not isinstance(draws, (int, np.integer)) or isinstance(draws, bool) or draws < 2:
        raise OptionError(f"draws={draws!r} found.", "Give a whole number of at least 2.")
    frame = sort_labels(check_scores(scores, missing=missing))
    values = frame.to_numpy()
    sample = make_sample(
        values if higher_is_better else 0.0 - values, draws=int(draws), random_seed=random_seed
    )
    return frame, sample
