"""The frequentist extrapolation: what ML and MSQD say of another number of topics."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtr

from bayescorr._numbers import FloatArray
from bayescorr.errors import choose
from bayescorr.frequentist.api import prepare
from bayescorr.frequentist.ml import unbiasing_factor
from bayescorr.frequentist.msqd import quantile_sd
from bayescorr.frequentist.sample import Sample
from bayescorr.planning.search import check_sizes

#: The estimators that say how discordance depends on the number of topics.
METHODS = ("ML", "MSQD")
COEFFICIENTS = ("tau", "tau_ap")


def extrapolate(
    scores: Any,
    n_topics: int | Iterable[int],
    coefficient: str = "tau",
    methods: Iterable[str] = METHODS,
    *,
    higher_is_better: bool = True,
    missing: str = "error",
) -> pd.DataFrame:
    r"""Extrapolate the expected coefficient of a new set of topics from observed differences.

    .. math:: p_{ij} = T_{n-1}\left(-\sqrt{n'}\,\hat\mu_{ij} / \hat\sigma_{ij}\right), \qquad
        E[\tau] = 1 - \frac{4}{m(m-1)} \sum_{i<j} p_{ij}

    which is the estimator of Urbano & Marrero (2016, eq. 3-9) with n' topics in place of n: the
    observed differences are taken to be the true ones. It is a point, without a band.

    Parameters
    ----------
    scores : DataFrame
        Topics by systems.
    n_topics : int or sequence of int
        Sizes n' of the new set.
    coefficient : {"tau", "tau_ap"}
        Which coefficient.
    methods : sequence of {"ML", "MSQD"}
        How the standard deviation of a difference is estimated.
    higher_is_better : bool
        False for measures where the lowest mean is the best.
    missing : {"error", "drop", "zero"}
        What to do about missing scores.

    Returns
    -------
    DataFrame
        Columns method, coefficient, n_topics, estimate.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [0.5, 0.4, 0.6], "b": [0.4, 0.5, 0.3], "c": [0.1, 0.3, 0.2]})
    >>> extrapolate(scores, [3, 30], methods=["ML"]).round(4)
      method coefficient  n_topics  estimate
    0     ML         tau         3    0.7560
    1     ML         tau        30    0.9466
    """
    choose(coefficient, COEFFICIENTS, "coefficient to extrapolate")
    sizes = check_sizes(n_topics)
    _, sample = prepare(scores, 2, higher_is_better, missing, 0)
    return table(sample, sizes, coefficient, methods)


def table(
    sample: Sample | None, sizes: Iterable[int], coefficient: str, methods: Iterable[str]
) -> pd.DataFrame:
    """Tabulate the expected coefficient by method and size; empty without a sample."""
    rows = [
        (method, coefficient, size, expected(sample, method, coefficient, size))
        for method in methods
        for size in sizes
        if sample is not None
    ]
    return pd.DataFrame(rows, columns=["method", "coefficient", "n_topics", "estimate"])


def expected(sample: Sample, method: str, coefficient: str, n_topics: int) -> float:
    """Compute the expected coefficient of a new set of ``n_topics`` topics."""
    if choose(method, METHODS, "method to extrapolate with") == "ML":
        sigma = sample.sd * unbiasing_factor(sample.topics)
    else:
        sigma = sample.once(quantile_sd)[0]
    apart = sigma > 0
    ratio = np.divide(sample.differences, sigma, out=np.zeros_like(sigma), where=apart)
    swapped: FloatArray = np.where(
        apart, stdtr(sample.topics - 1, -math.sqrt(n_topics) * ratio), 0.0
    )
    return float(1 - (sample.weights[coefficient] * swapped).sum())
