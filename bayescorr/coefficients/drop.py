"""The largest fall of any system from its true rank to its observed rank."""

from __future__ import annotations

from typing import Any

from bayescorr._numbers import FloatArray
from bayescorr.coefficients._pairs import Pairs
from bayescorr.coefficients.coefficient import Coefficient, Correlation, evaluate


def max_drop(truth: Any, observed: Any, *, higher_is_better: bool = True) -> Correlation:
    r"""Return how many ranks the most underrated system falls from the truth to the observation.

    .. math:: \max_i \max(0,\; q_i - r_i)

    with :math:`r_i` the rank of system i in the truth and :math:`q_i` in the observed means. It is
    a number of ranks, from 0 (no system falls) to m - 1 (the true best is observed last).

    Parameters
    ----------
    truth, observed : array_like
        Mean scores, systems on the last axis; leading axes broadcast.
    higher_is_better : bool
        False for measures where the lowest mean is the best.

    Returns
    -------
    float or numpy.ndarray
        A float for two vectors, else an array shaped like the broadcast leading axes.

    Notes
    -----
    Systems with equal observed means have the mean of their ranks, which is its expectation over
    their orders. Systems that truly tie all have the last of their ranks, so that no order of them
    is a fall.

    Examples
    --------
    >>> import bayescorr as bc
    >>> bc.max_drop([0.4, 0.3, 0.2, 0.1], [0.1, 0.4, 0.3, 0.2])  # the best becomes the last
    3.0
    >>> bc.max_drop([0.4, 0.3, 0.2], [0.4, 0.3, 0.3])
    0.5
    """
    return evaluate(_max_drop, truth, observed, higher_is_better)


def _max_drop(pairs: Pairs) -> FloatArray:
    from scipy.stats import rankdata

    true_ranks = rankdata(-pairs.truth, method="max", axis=1)
    ranks = rankdata(-pairs.observed, axis=1)
    falls = ranks[pairs.observed_row] - true_ranks[pairs.truth_row]
    return pairs.shaped(falls.max(axis=1, initial=0.0))


MAX_DROP = Coefficient(
    "max_drop",
    "max drop",
    "Ranks that the most underrated system falls: 0 is best, more is worse.",
    "the largest drop of TREC's meta-evaluations",
    max_drop,
    of_pairs=_max_drop,
)
