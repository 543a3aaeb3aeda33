"""tau_GAP, from scores or from gaps that need not be differences of scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayescorr._numbers import LARGEST, FloatArray
from bayescorr.coefficients._expected import expected
from bayescorr.coefficients._pairs import Pairs, tied_groups, tied_pairs
from bayescorr.coefficients.coefficient import Coefficient, Correlation, evaluate
from bayescorr.errors import CoefficientError


def tau_gap(
    truth: Any, observed: Any, *, strict: bool = False, higher_is_better: bool = True
) -> Correlation:
    r"""Return the gap-sensitive, head-weighted correlation: large true gaps swapped cost most.

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
    larger ones. No orders are sampled, and the order of the columns does not matter.

    Theorem 2 of Gao & Oard (equal gaps give tau_AP) cannot hold for more than two scores on a line:
    of three different scores, one gap is the sum of the two others. It holds for gaps that are not
    differences of scores: see :func:`bayescorr.coefficients.gaps.tau_gap_of_gaps`.

    Examples
    --------
    >>> import bayescorr as bc
    >>> bc.tau_gap([0.30, 0.29, 0.10], [0.2, 0.3, 0.1])  # a small gap in the wrong order
    0.0
    >>> bc.tau_gap([0.30, 0.29, 0.10], [0.3, 0.1, 0.2])  # a large gap in the wrong order
    0.05...
    """
    return evaluate(_tau_gap, truth, observed, higher_is_better, strict=strict)


def _tau_gap(pairs: Pairs, strict: bool = False) -> FloatArray:
    return expected(pairs, strict, gaps=True)[2]


TAU_GAP = Coefficient(
    "tau_gap",
    r"$\tau_{GAP}$",
    "Gap-sensitive correlation: swaps near the top and of large gaps count more.",
    "Gao & Oard 2015, eq. 3",
    tau_gap,
    of_pairs=_tau_gap,
)


def tau_gap_of_gaps(gaps: Any, observed: Any) -> float:
    r"""Return tau_GAP of a matrix of true gaps, such as effect sizes, and one observed vector.

    .. math::

        \tau_{GAP} = \frac{2}{m-1} \sum_{i=2}^{m}
            \frac{\sum_{j<i} \max(G_{ji}, 0)}{\sum_{j<i} |G_{ji}|} - 1

    with systems numbered in observed order, best first (Gao & Oard 2015, eq. 3). With
    :math:`G_{ji}` the true mean of j minus that of i it is :func:`tau_gap`. With all gaps of equal
    size it is tau_AP (their Theorem 2); no three scores on a line have such gaps.

    Parameters
    ----------
    gaps : array_like, systems x systems
        ``gaps[j, i]``: by how much j is truly better than i, negative when it is worse, so that
        ``gaps[i, j] == -gaps[j, i]``.
    observed : array_like
        Observed means without ties; higher is better.

    Returns
    -------
    float
        The coefficient, between -1 and 1.

    Examples
    --------
    >>> tau_gap_of_gaps([[0, 1, 1], [-1, 0, 1], [-1, -1, 0]], [0.2, 0.3, 0.1])
    0.0
    """
    true_gaps = np.asarray(gaps, dtype=np.float64)
    means = np.asarray(observed, dtype=np.float64)
    m = means.size
    if means.ndim != 1 or true_gaps.shape != (m, m) or m < 2:
        raise CoefficientError(
            "gaps must have shape (m, m) and observed (m,), with m at least 2; got shapes "
            f"{true_gaps.shape} and {means.shape}."
        )
    if not all((np.abs(values) <= LARGEST).all() for values in (true_gaps, means)):
        raise CoefficientError(
            f"gaps and observed must be finite and at most {LARGEST:g} in size; found missing, "
            "infinite or larger values."
        )
    if (true_gaps != -true_gaps.T).any():
        raise CoefficientError(
            "gaps must be antisymmetric.", "Pass gaps[j, i] = -gaps[i, j] for every pair."
        )
    (order,), _ = tied_groups(means[None])
    if tied_pairs(means[None])[0]:
        raise CoefficientError("observed must not have ties.", "Break them, or use tau_gap.")
    shares = np.ones(m - 1)
    for rank in range(1, m):
        above = true_gaps[order[:rank], order[rank]]
        if above.any():
            shares[rank - 1] = above.clip(min=0).sum() / np.abs(above).sum()
    return float(2 * shares.mean() - 1)
