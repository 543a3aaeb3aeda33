"""Linear correlation: Pearson's of the means, Spearman's of their ranks."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayescorr._numbers import FloatArray
from bayescorr.coefficients._pairs import Pairs
from bayescorr.coefficients.coefficient import Coefficient, Correlation, evaluate


def pearson(truth: Any, observed: Any, *, higher_is_better: bool = True) -> Correlation:
    r"""Return Pearson's correlation of true and observed means.

    .. math:: \rho = \frac{E[(X - \mu_X)(Y - \mu_Y)]}{\sigma_X \sigma_Y}

    (Gao & Oard 2015, eq. 1). It is undefined, and an error, when a vector is constant.

    Parameters
    ----------
    truth, observed : array_like
        Mean scores, systems on the last axis; leading axes broadcast.
    higher_is_better : bool
        Has no effect; all coefficients take it.

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
    return evaluate(_pearson, truth, observed, higher_is_better)


def _pearson(pairs: Pairs, name: str = "pearson") -> FloatArray:
    pairs.check_not_constant(name)
    x, y = _standardised(pairs.truth), _standardised(pairs.observed)
    return pairs.shaped(np.einsum("ij,ij->i", x[pairs.truth_row], y[pairs.observed_row]))


def _standardised(values: FloatArray) -> FloatArray:
    # Divided by the largest deviation first, so that the squares of tiny ones do not underflow.
    deviations = values - values.mean(axis=1, keepdims=True)
    deviations /= np.abs(deviations).max(axis=1, keepdims=True)
    return np.asarray(deviations / np.linalg.norm(deviations, axis=1, keepdims=True))


PEARSON = Coefficient(
    "pearson",
    r"$\rho$",
    "Pearson's correlation of the mean scores.",
    "Pearson 1895",
    pearson,
    of_pairs=_pearson,
)


def spearman(truth: Any, observed: Any, *, higher_is_better: bool = True) -> Correlation:
    r"""Return Spearman's correlation: Pearson's of the ranks, tied systems at their average rank.

    .. math:: \rho_S = \frac{\sum_i (r_i - \bar r)(q_i - \bar r)}
        {\sqrt{\sum_i (r_i - \bar r)^2 \sum_i (q_i - \bar r)^2}}, \qquad \bar r = (m + 1) / 2

    with :math:`r_i` the rank of system i in the truth and :math:`q_i` in the observed means
    (Spearman 1904; Gao & Oard 2015, section 2). It is undefined, and an error, when a vector is
    constant.

    Parameters
    ----------
    truth, observed : array_like
        Mean scores, systems on the last axis; leading axes broadcast.
    higher_is_better : bool
        Has no effect; all coefficients take it.

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
    return evaluate(_spearman, truth, observed, higher_is_better)


def _spearman(pairs: Pairs) -> FloatArray:
    from scipy.stats import rankdata

    x, y = rankdata(pairs.truth, axis=1), rankdata(pairs.observed, axis=1)
    return _pearson(Pairs(x, y, pairs.truth_row, pairs.observed_row, pairs.shape), "spearman")


SPEARMAN = Coefficient(
    "spearman",
    r"$\rho_s$",
    "Spearman's correlation: Pearson's of the ranks.",
    "Spearman 1904",
    spearman,
    of_pairs=_spearman,
)
