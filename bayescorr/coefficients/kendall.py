"""Kendall's tau: expected over ties in the observed means, tau_a and tau_b."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayescorr._numbers import FloatArray
from bayescorr.coefficients._expected import expected
from bayescorr.coefficients._pairs import Pairs, tied_pairs
from bayescorr.coefficients.coefficient import Coefficient, Correlation, evaluate


def tau(
    truth: Any, observed: Any, *, strict: bool = False, higher_is_better: bool = True
) -> Correlation:
    r"""Return Kendall's tau between true and observed means, expected over observed ties.

    .. math:: \tau = 1 - \frac{4}{m(m-1)} \sum_{i<j} D_{ij}

    where :math:`D_{ij}` is 1 when systems i and j are discordant (Urbano & Marrero 2016, eq. 3). A
    pair tied in the observed means counts as half discordant, its average over both orders. A pair
    tied in the truth is never discordant.

    Parameters
    ----------
    truth, observed : array_like
        Mean scores, systems on the last axis; leading axes broadcast.
    strict : bool
        Count strictly swapped pairs only, as the code of the 2016 paper does: a pair tied in the
        observed means is not discordant.
    higher_is_better : bool
        False for measures where the lowest mean is the best.

    Returns
    -------
    float or numpy.ndarray
        A float for two vectors, else an array shaped like the broadcast leading axes.

    Examples
    --------
    >>> import bayescorr as bc
    >>> bc.tau([0.4, 0.3, 0.2, 0.1], [0.4, 0.2, 0.3, 0.1])
    0.6666666666666667
    >>> bc.tau([[0.4, 0.3, 0.2], [0.2, 0.3, 0.4]], [0.9, 0.8, 0.7])
    array([ 1., -1.])
    """
    return evaluate(_tau, truth, observed, higher_is_better, strict=strict)


def _tau(pairs: Pairs, strict: bool = False) -> FloatArray:
    return expected(pairs, strict)[0]


TAU = Coefficient(
    "tau",
    r"$\tau$",
    "Kendall's tau: every swapped pair counts equally.",
    "Kendall 1938; Urbano & Marrero 2016, eq. 1",
    tau,
    of_pairs=_tau,
)


def tau_a(truth: Any, observed: Any, *, higher_is_better: bool = True) -> Correlation:
    r"""Return Kendall's tau_a: the accuracy of observed means with ties, for a truth without.

    .. math:: \tau_a = \frac{C - D}{m(m-1)/2}

    with C concordant and D discordant pairs (R package ircor, ``tau_a``).

    Parameters
    ----------
    truth, observed : array_like
        Mean scores, systems on the last axis; leading axes broadcast. No ties in the truth.
    higher_is_better : bool
        False for measures where the lowest mean is the best.

    Returns
    -------
    float or numpy.ndarray
        A float for two vectors, else an array shaped like the broadcast leading axes.

    Examples
    --------
    >>> import bayescorr as bc
    >>> bc.tau_a([4, 3, 2, 1], [3, 3, 2, 1])
    0.8333333333333334
    """
    return evaluate(_tau_a, truth, observed, higher_is_better)


def _tau_a(pairs: Pairs) -> FloatArray:
    pairs.check_true_ties("tau_a", "tau or tau_b")
    return _tau(pairs)


TAU_A = Coefficient(
    "tau_a",
    r"$\tau_a$",
    "Kendall's tau_a: accuracy of a ranking with ties for a truth without.",
    "Kendall 1948; R package ircor",
    tau_a,
    of_pairs=_tau_a,
)


def tau_b(truth: Any, observed: Any, *, higher_is_better: bool = True) -> Correlation:
    r"""Return Kendall's tau_b: the agreement of two sets of means, both of which may have ties.

    .. math:: \tau_b = \frac{C - D}{\sqrt{(n_0 - n_x)(n_0 - n_y)}}, \quad n_0 = m(m-1)/2

    with C concordant and D discordant pairs, n_x pairs tied in the truth and n_y in the observed
    means (R package ircor, ``tau_b``). It is undefined, and an error, when all systems tie.

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

    Examples
    --------
    >>> import bayescorr as bc
    >>> bc.tau_b([4, 3, 2, 1], [3, 3, 2, 1])
    0.9128709291752769
    """
    return evaluate(_tau_b, truth, observed, higher_is_better)


def _tau_b(pairs: Pairs) -> FloatArray:
    pairs.check_not_constant("tau_b")
    total = pairs.systems * (pairs.systems - 1) / 2
    n_x = tied_pairs(pairs.truth)[pairs.truth_row]
    n_y = tied_pairs(pairs.observed)[pairs.observed_row]
    # tau counts true ties as concordant and other observed ties as half: n_0 tau = C - D + n_x.
    difference = np.rint(total * _tau(pairs).ravel()) - n_x
    return pairs.shaped(difference / (np.sqrt(total - n_x) * np.sqrt(total - n_y)))


TAU_B = Coefficient(
    "tau_b",
    r"$\tau_b$",
    "Kendall's tau_b: agreement of two rankings that may both have ties.",
    "Kendall 1948; R package ircor",
    tau_b,
    of_pairs=_tau_b,
)
