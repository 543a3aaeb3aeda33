"""tau_GAP of gaps that need not be differences of scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayescorr._numbers import LARGEST
from bayescorr.coefficients._pairs import tied_groups
from bayescorr.errors import CoefficientError

__all__ = ["tau_gap_of_gaps"]


def tau_gap_of_gaps(gaps: Any, observed: Any) -> float:
    r"""Compute tau_GAP from a matrix of true gaps, say effect sizes, and one observed vector.

    .. math::

        \tau_{GAP} = \frac{2}{m-1} \sum_{i=2}^{m}
            \frac{\sum_{j<i} \max(G_{ji}, 0)}{\sum_{j<i} |G_{ji}|} - 1

    with systems numbered in observed order, best first (Gao & Oard 2015, eq. 3). With
    :math:`G_{ji}` the true mean of j minus that of i it is
    :func:`~bayescorr.coefficients.api.tau_gap`. With all gaps equal in size it is tau_AP (their
    Theorem 2), which no more than two scores on a line can be.

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
            f"Gaps of shape {true_gaps.shape} were given with means of shape {means.shape}.",
            "Give m x m gaps and m means, of at least 2 systems.",
        )
    if not all((np.abs(values) <= LARGEST).all() for values in (true_gaps, means)):
        raise CoefficientError(
            f"Gaps or means are missing, infinite or beyond {LARGEST:g}.", "Correct them."
        )
    if (true_gaps != -true_gaps.T).any():
        raise CoefficientError(
            "The gaps are not antisymmetric: j over i must be minus i over j.",
            "Give gaps[j, i] = -gaps[i, j].",
        )
    orders, first = tied_groups(means[None])
    if (first[0] != np.arange(m)).any():
        raise CoefficientError("The observed means have ties.", "Break them, or use tau_gap.")
    shares = np.ones(m - 1)
    for rank in range(1, m):
        above = true_gaps[orders[0, :rank], orders[0, rank]]
        if above.any():
            shares[rank - 1] = above.clip(min=0).sum() / np.abs(above).sum()
    return float(2 * shares.mean() - 1)
