"""The coefficients, as functions of (truth, observed): truth first, systems on the last axis.

Leading axes broadcast, so that 4,000 draws of the true means against one observed vector are one
call. Two labelled arguments are aligned by label, anything else by position. Ties are exact
equality: remove rounding noise from the means first.
"""

from __future__ import annotations

from typing import Any

from bayescorr._numbers import FloatArray
from bayescorr.coefficients import _compute
from bayescorr.coefficients._pairs import pair_up

__all__ = [
    "pearson",
    "spearman",
    "tau",
    "tau_a",
    "tau_ap",
    "tau_ap_a",
    "tau_ap_b",
    "tau_b",
    "tau_gap",
]

# A float for two vectors, else an array shaped like the leading axes.
Correlation = Any


def tau(
    truth: Any, observed: Any, *, strict: bool = False, higher_is_better: bool = True
) -> Correlation:
    r"""Kendall's tau between true and observed means, expected over ties in the observed ones.

    .. math:: \tau = 1 - \frac{4}{m(m-1)} \sum_{i<j} D_{ij}

    where :math:`D_{ij}` is 1 when systems i and j are discordant (Urbano & Marrero 2016, eq. 3). A
    pair tied in the observed means is half discordant, as it would be on average over both orders;
    a pair tied in the truth never is.

    Parameters
    ----------
    truth, observed : array_like
        Mean scores, systems on the last axis; leading axes broadcast.
    strict : bool
        Count only strictly swapped pairs: one tied in the observed means is not discordant, as in
        the code of the 2016 paper.
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
    return _plain(_compute.tau(pair_up(truth, observed, higher_is_better), strict))


def tau_ap(
    truth: Any, observed: Any, *, strict: bool = False, higher_is_better: bool = True
) -> Correlation:
    r"""AP correlation: discordant pairs weigh more the nearer they are to the observed top.

    .. math:: \tau_{AP} = 1 - \frac{2}{m-1} \sum_{i=2}^{m} \sum_{j<i} \frac{D_{ij}}{i-1}

    with systems numbered in observed order (Yilmaz et al. 2008; Urbano & Marrero 2016, eq. 2). Ties
    in the observed means are resolved by the expectation over the orders of the tied systems
    (Urbano & Marrero 2017, tau_AP,a); a pair tied in the truth is never discordant.

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
    >>> bc.tau_ap([4, 3, 2, 1], [4, 3, 1, 2])  # the two worst are
    0.7777777777777778
    """
    return _plain(_compute.tau_ap(pair_up(truth, observed, higher_is_better), strict))


def tau_gap(
    truth: Any, observed: Any, *, strict: bool = False, higher_is_better: bool = True
) -> Correlation:
    r"""Gap-sensitive, head-weighted correlation: large true gaps in the wrong order cost most.

    .. math::

        \tau_{GAP} = \frac{2}{m-1} \sum_{i=2}^{m}
            \frac{\sum_{j<i} |CG_{ji}|}{\sum_{j<i} |G_{ji}|} - 1

    with systems numbered in observed order, :math:`G_{ji}` the difference of the true means of j
    and i, and :math:`CG_{ji} = G_{ji}` when the pair is in the same order in both, else 0 (Gao &
    Oard 2015, eq. 3). A rank whose gaps are all zero counts as in order.

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

    Notes
    -----
    Ties in the observed means are resolved by the expectation over the orders of the tied systems:
    by enumeration in groups of up to ten, by numerical integration, to about twelve digits, in
    larger ones. No random orders are drawn and the order of the columns does not matter.

    Theorem 2 of Gao & Oard (equal gaps give tau_AP) cannot hold for more than two scores on a line:
    of three different scores, one gap is the sum of the two others. It is true of gaps that are not
    differences of scores: see :func:`bayescorr.coefficients.gaps.tau_gap_of_gaps`.

    Examples
    --------
    >>> import bayescorr as bc
    >>> bc.tau_gap([0.30, 0.29, 0.10], [0.2, 0.3, 0.1])  # a small gap in the wrong order
    0.0
    >>> bc.tau_gap([0.30, 0.29, 0.10], [0.3, 0.1, 0.2])  # a large one
    0.05...
    """
    return _plain(_compute.tau_gap(pair_up(truth, observed, higher_is_better), strict))


def tau_a(truth: Any, observed: Any, *, higher_is_better: bool = True) -> Correlation:
    r"""Kendall's tau_a: accuracy of observed means, which may tie, for a truth that does not.

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
    return _plain(_compute.tau_a(pair_up(truth, observed, higher_is_better)))


def tau_b(truth: Any, observed: Any, *, higher_is_better: bool = True) -> Correlation:
    r"""Kendall's tau_b: agreement of two sets of means, both of which may tie.

    .. math:: \tau_b = \frac{C - D}{\sqrt{(n_0 - n_x)(n_0 - n_y)}}, \quad n_0 = m(m-1)/2

    with C concordant and D discordant pairs, n_x pairs tied in the truth and n_y in the observed
    means (R package ircor, ``tau_b``). Undefined, hence refused, when all systems tie.

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
    return _plain(_compute.tau_b(pair_up(truth, observed, higher_is_better)))


def tau_ap_a(truth: Any, observed: Any, *, higher_is_better: bool = True) -> Correlation:
    r"""AP correlation tau_AP,a: accuracy of observed means that may tie, for a truth without ties.

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
    return _plain(_compute.tau_ap_a(pair_up(truth, observed, higher_is_better)))


def tau_ap_b(truth: Any, observed: Any, *, higher_is_better: bool = True) -> Correlation:
    r"""AP correlation tau_AP,b: symmetric agreement of two sets of means, both of which may tie.

    The mean of both directions of

    .. math:: \frac{2}{m - t_1} \sum_{i : p_i > 1} \frac{C_i}{p_i - 1} - 1

    where :math:`p_i` is the best rank of the tied group of i in one ranking, :math:`C_i` the number
    of systems above that group that are strictly above i in the other ranking too, and :math:`t_1`
    the size of the top group (Urbano & Marrero 2017; R package ircor, ``tauAP_b``). Undefined,
    hence refused, when all systems tie.

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
    return _plain(_compute.tau_ap_b(pair_up(truth, observed, higher_is_better)))


def pearson(truth: Any, observed: Any, *, higher_is_better: bool = True) -> Correlation:
    r"""Pearson's correlation of true and observed means.

    .. math:: \rho = \frac{E[(X - \mu_X)(Y - \mu_Y)]}{\sigma_X \sigma_Y}

    (Gao & Oard 2015, eq. 1). Undefined, hence refused, when a vector is constant.

    Parameters
    ----------
    truth, observed : array_like
        Mean scores, systems on the last axis; leading axes broadcast.
    higher_is_better : bool
        Changes nothing here; accepted so that all coefficients are called alike.

    Returns
    -------
    float or numpy.ndarray
        A float for two vectors, else an array shaped like the broadcast leading axes.

    Examples
    --------
    >>> import bayescorr as bc
    >>> round(bc.pearson([4, 3, 2, 1], [4, 2, 3, 1]), 12)
    0.8
    """
    return _plain(_compute.pearson(pair_up(truth, observed, higher_is_better)))


def spearman(truth: Any, observed: Any, *, higher_is_better: bool = True) -> Correlation:
    r"""Spearman's correlation: Pearson's between ranks, tied systems at their average rank.

    .. math:: \rho_S = \frac{\sum_i (r_i - \bar r)(q_i - \bar r)}
        {\sqrt{\sum_i (r_i - \bar r)^2 \sum_i (q_i - \bar r)^2}}, \qquad \bar r = (m + 1) / 2

    with :math:`r_i` the rank of system i in the truth and :math:`q_i` in the observed means
    (Spearman 1904; Gao & Oard 2015, section 2). Undefined, hence refused, when a vector is
    constant.

    Parameters
    ----------
    truth, observed : array_like
        Mean scores, systems on the last axis; leading axes broadcast.
    higher_is_better : bool
        Changes nothing here; accepted so that all coefficients are called alike.

    Returns
    -------
    float or numpy.ndarray
        A float for two vectors, else an array shaped like the broadcast leading axes.

    References
    ----------
    C. Spearman. The proof and measurement of association between two things. American Journal of
    Psychology 15(1), 1904.

    Examples
    --------
    >>> import bayescorr as bc
    >>> round(bc.spearman([40, 3, 2, 1], [4, 2, 3, 1]), 12)
    0.8
    """
    return _plain(_compute.spearman(pair_up(truth, observed, higher_is_better)))


def _plain(values: FloatArray) -> Correlation:
    return float(values) if values.ndim == 0 else values
