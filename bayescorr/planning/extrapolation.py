"""Frequentist extrapolation: ML and MSQD for another number of topics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pandas as pd

from bayescorr.errors import choose
from bayescorr.frequentist.api import prepare
from bayescorr.frequentist.estimates import PAIRWISE
from bayescorr.frequentist.ml import t_discordance
from bayescorr.frequentist.registry import ESTIMATORS, find_estimators
from bayescorr.frequentist.sample import Sample
from bayescorr.planning.search import check_sizes, smallest

if TYPE_CHECKING:
    from bayescorr.bayes.result import Fit

#: The estimators whose discordance depends on the number of topics by a formula.
METHODS = ("ML", "MSQD")


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

    This is the estimator of Urbano & Marrero (2016, eq. 3-9) with n' topics in place of n. It takes
    the observed differences to be the true ones, and gives a point estimate without an interval.

    Parameters
    ----------
    scores : DataFrame
        Topics by systems.
    n_topics : int or sequence of int
        Sizes n' of the new set.
    coefficient : {"tau", "tau_ap"}
        The coefficient.
    methods : sequence of {"ML", "MSQD"}
        How the standard deviation of a difference is estimated.
    higher_is_better : bool
        False for measures where the lowest mean is the best.
    missing : {"error", "drop", "zero"}
        How to treat missing scores.

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
    choose(coefficient, PAIRWISE, "coefficient to extrapolate")
    sizes = check_sizes(n_topics)
    names = [estimator.name for estimator in find_estimators(methods)]
    _, sample = prepare(scores, 2, higher_is_better, missing, 0)
    return table(sample, sizes, coefficient, names)


def table(
    sample: Sample | None, sizes: Iterable[int], coefficient: str, methods: Iterable[str] = METHODS
) -> pd.DataFrame:
    """Tabulate the expected coefficient by method and size; empty without a sample."""
    rows = [
        (method, coefficient, size, expected(sample, method, coefficient, size))
        for method in methods
        for size in sizes
        if sample is not None
    ]
    return pd.DataFrame(rows, columns=["method", "coefficient", "n_topics", "estimate"])


def needed(
    sample: Sample | None, coefficient: str, target: float, most: int
) -> dict[str, int | None]:
    """Find the smallest size that reaches a target by each method; empty without a sample."""

    def find(sample: Sample, method: str) -> int | None:
        return smallest(lambda n: expected(sample, method, coefficient, n) >= target, 1, most)

    return {} if sample is None else {method: find(sample, method) for method in METHODS}


def expected(sample: Sample, method: str, coefficient: str, n_topics: int) -> float:
    """Return the expected coefficient of a new set of ``n_topics`` topics."""
    estimator = ESTIMATORS[choose(method, METHODS, "method to extrapolate with")]
    assert estimator.sigma is not None
    swapped = t_discordance(sample, estimator.sigma(sample), n_topics)
    return float(1 - (sample.weights[coefficient] * swapped).sum())


def sample_of(fit: Fit, coefficient: str) -> Sample | None:
    """Return the scores of a fit as a sample; None if they cannot be extrapolated."""
    if coefficient not in PAIRWISE or fit.scores.isna().to_numpy().any():
        return None
    return prepare(fit.scores, 2, fit.higher_is_better, "error", 0, warn=False)[1]
