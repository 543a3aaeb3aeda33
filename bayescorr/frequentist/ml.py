r"""ML: differences are normal, their standard deviation is the unbiased one.

.. math:: p = T_{n-1}\left( -\sqrt n \, \hat\mu / \hat\sigma \right), \quad
    \hat\sigma = s \, C_n, \quad
    C_n = \sqrt{\frac{n - 1}{2}} \, \frac{\Gamma((n - 1) / 2)}{\Gamma(n / 2)}

(Urbano & Marrero 2016, eq. 5-7). The same statement about all systems at once: the true means are
the observed ones plus a multivariate t with the covariance of the scores, so that coefficients
other than tau and tau_ap can be had too.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import stdtr

from bayescorr._numbers import FloatArray
from bayescorr.frequentist.estimator import URBANO_MARRERO, Estimator
from bayescorr.frequentist.sample import Sample, t_noise


def unbiasing_factor(n: int) -> float:
    """C_n, by which a standard deviation of n values is too small on average (Holtzman 1950).

    Examples
    --------
    >>> round(unbiasing_factor(2), 4), round(unbiasing_factor(10_000), 6)
    (1.2533, 1.000025)
    """
    return math.sqrt((n - 1) / 2) * math.exp(math.lgamma((n - 1) / 2) - math.lgamma(n / 2))


def t_discordance(sample: Sample, sigma: FloatArray) -> FloatArray:
    """P(truth swaps each pair) by equation 5; 0 where ``sigma`` is 0, so for identical systems."""
    apart = sigma > 0
    ratio = np.divide(sample.differences, sigma, out=np.zeros_like(sigma), where=apart)
    discordance: FloatArray = np.where(
        apart, stdtr(sample.topics - 1, -math.sqrt(sample.topics) * ratio), 0.0
    )
    return discordance


def discordance(sample: Sample) -> FloatArray:
    """P(truth swaps each pair)."""
    return t_discordance(sample, sample.sd * unbiasing_factor(sample.topics))


def true_means(sample: Sample) -> FloatArray:
    """Draws of the true means: T_ij < -sqrt(n) mean_ij / sigma_ij for all pairs at once."""
    n = sample.topics
    return sample.means + sample.once(t_noise) * (unbiasing_factor(n) / math.sqrt(n))


ML = Estimator(
    name="ML",
    description="Maximum likelihood: normal differences with the unbiased standard deviation.",
    citation=f"{URBANO_MARRERO}, eq. 5-7",
    discordance=discordance,
    true_means=true_means,
)
