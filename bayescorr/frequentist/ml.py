r"""ML: the differences are normal, with the unbiased estimate of their standard deviation.

.. math:: p = T_{n-1}\left( -\sqrt n \, \hat\mu / \hat\sigma \right), \quad
    \hat\sigma = s \, C_n, \quad
    C_n = \sqrt{\frac{n - 1}{2}} \, \frac{\Gamma((n - 1) / 2)}{\Gamma(n / 2)}

(Urbano & Marrero 2016, eq. 5-7). Jointly for all systems, the true means are the observed ones plus
a multivariate t with the covariance of the scores, so that ML supports any coefficient.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import stdtr

from bayescorr._numbers import FloatArray
from bayescorr.frequentist.estimator import URBANO_MARRERO, Estimator
from bayescorr.frequentist.sample import Sample, t_noise


def unbiasing_factor(n: float) -> float:
    """Return C_n, by which a standard deviation of n values is too small (Holtzman 1950)."""
    return math.sqrt((n - 1) / 2) * math.exp(math.lgamma((n - 1) / 2) - math.lgamma(n / 2))


def unbiased_sd(sample: Sample) -> FloatArray:
    """Return the unbiased standard deviation of each pair's differences."""
    return sample.sd * unbiasing_factor(sample.degrees + 1)


def t_discordance(sample: Sample, sigma: FloatArray, n_topics: int | None = None) -> FloatArray:
    """Return P(truth swaps each pair) by equation 5; 0 where ``sigma`` is 0.

    ``n_topics`` is the number of topics of the ranking, by default that of the sample.
    """
    apart = sigma > 0
    ratio = np.divide(sample.differences, sigma, out=np.zeros_like(sigma), where=apart)
    t = -math.sqrt(n_topics or sample.effective_topics) * ratio
    return np.asarray(np.where(apart, stdtr(sample.degrees, t), 0.0))


def true_means(sample: Sample) -> FloatArray:
    """Draw true means: T_ij < -sqrt(n) mean_ij / sigma_ij holds for all pairs at once."""
    size = unbiasing_factor(sample.degrees + 1) / math.sqrt(sample.effective_topics)
    return sample.means + sample.once(t_noise) * size


ML = Estimator(
    name="ML",
    description="Maximum likelihood: normal differences with the unbiased standard deviation.",
    citation=f"{URBANO_MARRERO}, eq. 5-7",
    sigma=unbiased_sd,
    true_means=true_means,
    strata=True,
)
