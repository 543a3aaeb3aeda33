"""AP correlation: expected over ties in the observed means, tau_AP,a and tau_AP,b."""

from __future__ import annotations

from typing import Any

from bayescorr._numbers import FloatArray
from bayescorr.coefficients._expected import expected
from bayescorr.coefficients._pairs import Pairs
from bayescorr.coefficients.coefficient import Coefficient, Correlation, evaluate


def tau_ap(
    truth: Any, observed: Any, *, strict: bool = False, higher_is_better: bool = True
) -> Correlation:
    r"""Return the AP correlation: discordant pairs weigh more the nearer they are to the top.

    .. math:: \tau_{AP} = 1 - \frac{2}{m-1} \sum_{i=2}^{m} \sum_{j<i} \frac{D_{ij}}{i-1}

    with systems numbered in observed order (Yilmaz et al. 2008; Urbano & Marrero 2016, eq. 2). Ties
    in the observed means are resolved by the expectation over the orders of the tied systems
    (Urbano & Marrero 2017, tau_AP,a). A pair tied in the truth is never discordant.

    Parameters
    ----------
    truth, observed : array_like
        Mean scores, systems on the last axis; leading axes broadcast.
    strict : bool
        Pairs tied in the observed means are not discordant; positions are still expectations.
    higher_is_better : bool
        False for measures where the lowest mean is the best.

    Returns
    -------
    float or numpy.ndarray
        A float for two vectors, else an array shaped like the broadcast leading axes.

    Examples
    --------
    >>> import bayescorr as bc
    >>> bc.tau_ap([4, 3, 2, 1], [3, 4, 2, 1])  # the two best are swapped
    0.33333333333333337
    >>> bc.tau_ap([4, 3, 2, 1], [4, 3, 1, 2])  # the two worst are swapped
    0.7777777777777778
    """
    return evaluate(_tau_ap, truth, observed, higher_is_better, strict=strict)


def _tau_ap(pairs: Pairs, strict: bool = False) -> FloatArray:
    return expected(pairs, strict)[1]


TAU_AP = Coefficient(
    "tau_ap",
    r"$\tau_{AP}$",
    "AP correlation: swaps near the top count more.",
    "Yilmaz, Aslam & Robertson 2008; Urbano & Marrero 2016, eq. 2",
    tau_ap,
    of_pairs=_tau_ap,
)


def tau_ap_a(truth: Any, observed: Any, *, higher_is_better: bool = True) -> Correlation:
    r"""Return tau_AP,a: the AP accuracy of observed means with ties, for a truth without.

    The mean of tau_AP over the set O of all orders of the systems tied in the observed means,

    .. math:: \tau_{AP,a} = \frac{1}{|O|} \sum_{o \in O} \left( 1 - \frac{2}{m-1} \sum_{i=2}^{m}
        \sum_{j<i} \frac{D_{ij}}{i-1} \right)

    with systems numbered in the order o (Urbano & Marrero 2017, "The treatment of ties in AP
    correlation"; R package ircor, ``tauAP_a``).

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
    >>> bc.tau_ap_a([4, 3, 2, 1], [3, 3, 2, 1])
    0.6666666666666667
    """
    return evaluate(_tau_ap_a, truth, observed, higher_is_better)


def _tau_ap_a(pairs: Pairs) -> FloatArray:
    pairs.check_true_ties("tau_ap_a", "tau_ap or tau_ap_b")
    return _tau_ap(pairs)


TAU_AP_A = Coefficient(
    "tau_ap_a",
    r"$\tau_{AP,a}$",
    "AP correlation of a ranking with ties for a truth without.",
    "Urbano & Marrero 2017",
    tau_ap_a,
    of_pairs=_tau_ap_a,
)


def tau_ap_b(truth: Any, observed: Any, *, higher_is_better: bool = True) -> Correlation:
    r"""Return tau_AP,b: the symmetric AP agreement of two sets of means that may have ties.

    The mean of both directions of

    .. math:: \frac{2}{m - t_1} \sum_{i : p_i > 1} \frac{C_i}{p_i - 1} - 1

    where :math:`p_i` is the best rank of the tied group of i in one ranking, :math:`C_i` the number
    of systems above that group that are strictly above i in the other ranking too, and :math:`t_1`
    the size of the top group (Urbano & Marrero 2017; R package ircor, ``tauAP_b``). It is
    undefined, and an error, when all systems tie.

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
    >>> round(bc.tau_ap_b([4, 3, 2, 1], [3, 3, 2, 1]), 12)
    0.666666666667
    """
    return evaluate(_tau_ap_b, truth, observed, higher_is_better)


def _tau_ap_b(pairs: Pairs) -> FloatArray:
    from bayescorr.coefficients import _counts

    pairs.check_not_constant("tau_ap_b")
    turned = Pairs(pairs.observed, pairs.truth, pairs.observed_row, pairs.truth_row, pairs.shape)
    there, back = (
        p.run(_counts.above_groups, p.truth, *p.observed_groups, columns=1)[:, 0]
        for p in (pairs, turned)
    )
    return pairs.shaped(there + back - 1)


TAU_AP_B = Coefficient(
    "tau_ap_b",
    r"$\tau_{AP,b}$",
    "AP agreement of two rankings that may both have ties.",
    "Urbano & Marrero 2017",
    tau_ap_b,
    of_pairs=_tau_ap_b,
)
