"""The true top k: Kendall's tau among its systems, and its overlap with the observed top k."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayescorr._numbers import FloatArray, check_count
from bayescorr.coefficients._expected import expected
from bayescorr.coefficients._pairs import Pairs, tied_groups
from bayescorr.coefficients.coefficient import Coefficient, Correlation, evaluate
from bayescorr.errors import CoefficientError


def tau_at_k(
    truth: Any, observed: Any, k: int = 10, *, higher_is_better: bool = True
) -> Correlation:
    r"""Return Kendall's tau among the systems in the true top k, wherever they are observed.

    .. math:: \tau@k = 1 - \frac{4}{s(s-1)} \sum_{i<j \in S} D_{ij}

    with S the s systems whose true mean is at least the k-th highest, and :math:`D_{ij}` as in
    :func:`bayescorr.tau`. Without ties in the truth, s is k. Systems that truly tie with the k-th
    belong to the top, so the order of systems never matters.

    Parameters
    ----------
    truth, observed : array_like
        Mean scores, systems on the last axis; leading axes broadcast.
    k : int
        Number of systems in the top, at least 2. The name ``tau@10`` means k = 10.
    higher_is_better : bool
        False for measures where the lowest mean is the best.

    Returns
    -------
    float or numpy.ndarray
        A float for two vectors, else an array shaped like the broadcast leading axes.

    References
    ----------
    M. G. Kendall. A new measure of rank correlation. Biometrika 30, 1938.

    Examples
    --------
    >>> import bayescorr as bc
    >>> round(bc.tau_at_k([0.4, 0.3, 0.2, 0.1], [0.4, 0.2, 0.3, 0.5], k=3), 3)
    0.333
    >>> bc.correlate([0.4, 0.3, 0.2, 0.1], [0.4, 0.2, 0.3, 0.5], "tau@2")
    {'tau@2': array(1.)}
    """
    check_count(k, "k", 2)
    return evaluate(_tau_at_k, truth, observed, higher_is_better, k=k)


def _tau_at_k(pairs: Pairs, k: int) -> FloatArray:
    _check_systems(pairs, "tau", k)
    order, sizes = _top(pairs.truth, k)
    values = np.empty(len(pairs.truth_row))
    # Tops have k systems unless the k-th ties, so there are few sizes.
    for size in np.unique(sizes):
        chosen = np.flatnonzero(sizes[pairs.truth_row] == size)
        systems = order[pairs.truth_row[chosen], :size]
        x = np.take_along_axis(pairs.truth[pairs.truth_row[chosen]], systems, axis=1)
        y = np.take_along_axis(pairs.observed[pairs.observed_row[chosen]], systems, axis=1)
        each = np.arange(len(chosen))
        values[chosen] = expected(Pairs(x, y, each, each, each.shape))[0]
    return pairs.shaped(values)


TAU_AT_K = Coefficient(
    "tau@k",
    r"$\tau@k$",
    "Kendall's tau among the systems in the true top k.",
    "Kendall 1938, on the true top k",
    tau_at_k,
    of_top=_tau_at_k,
    least_k=2,
)


def overlap_at_k(
    truth: Any, observed: Any, k: int = 10, *, higher_is_better: bool = True
) -> Correlation:
    r"""Return the share of the observed top k that is truly in the top k.

    .. math:: O@k = \frac{1}{k} \sum_i P(i \in \text{observed top } k)\, [x_i \ge x_{(k)}]

    with :math:`x_{(k)}` the k-th highest true mean. The probability is 1 or 0, except for systems
    that tie at the border of the observed top k: it is then the share of the orders of the tied
    systems that put i inside. Systems that truly tie with the k-th belong to the true top.

    Parameters
    ----------
    truth, observed : array_like
        Mean scores, systems on the last axis; leading axes broadcast.
    k : int
        Number of systems in the top. The name ``overlap@10`` means k = 10.
    higher_is_better : bool
        False for measures where the lowest mean is the best.

    Returns
    -------
    float or numpy.ndarray
        A float for two vectors, else an array shaped like the broadcast leading axes.

    Examples
    --------
    >>> import bayescorr as bc
    >>> bc.overlap_at_k([0.4, 0.3, 0.2, 0.1], [0.4, 0.2, 0.3, 0.1], k=2)
    0.5
    >>> bc.overlap_at_k([0.4, 0.3, 0.2, 0.1], [0.4, 0.3, 0.3, 0.1], k=2)
    0.75
    """
    check_count(k, "k", 1)
    return evaluate(_overlap_at_k, truth, observed, higher_is_better, k=k)


def _overlap_at_k(pairs: Pairs, k: int) -> FloatArray:
    _check_systems(pairs, "overlap", k)
    in_truth = (pairs.truth >= _kth(pairs.truth, k))[pairs.truth_row]
    border = _kth(pairs.observed, k)
    inside, tied = pairs.observed > border, pairs.observed == border
    share = (k - inside.sum(axis=1)) / tied.sum(axis=1)
    sure = (in_truth & inside[pairs.observed_row]).sum(axis=1)
    maybe = (in_truth & tied[pairs.observed_row]).sum(axis=1)
    return pairs.shaped((sure + maybe * share[pairs.observed_row]) / k)


OVERLAP_AT_K = Coefficient(
    "overlap@k",
    r"$O@k$",
    "Share of the observed top k that is truly in it.",
    "Webber, Moffat & Zobel 2010, section 4.1",
    overlap_at_k,
    of_top=_overlap_at_k,
)


def _kth(values: FloatArray, k: int) -> FloatArray:
    """Return the k-th highest value of each row, as a column."""
    return np.asarray(-np.partition(-values, k - 1, axis=1)[:, k - 1 : k])


def _top(values: FloatArray, k: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the order of each row, best first, and how many reach its k-th highest value."""
    order, _ = tied_groups(values)
    return order, (values >= _kth(values, k)).sum(axis=1)


def _check_systems(pairs: Pairs, name: str, k: int) -> None:
    if k > pairs.systems:
        raise CoefficientError(
            f"{name}@{k} needs at least {k} systems; got {pairs.systems}.", "Use a smaller k."
        )
