r"""Flat prior: the multivariate t distribution behind the paired t-test, all pairs at once.

With :math:`x_t \sim N(\mu, \Sigma)` and :math:`p(\mu, \Sigma) \propto |\Sigma|^{-(m+1)/2}` on the
span of the data, every contrast of the true means has the t distribution with n - 1 degrees of
freedom around its observed value,

.. math:: \mu = \bar x + \frac{Z' g}{\sqrt{n\,\chi^2_{n-1}}}, \qquad g \sim N(0, I_n),

where Z are the centred scores and one chi-square is shared by all systems.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from bayescorr._numbers import FloatArray
from bayescorr.bayes.data import ModelData
from bayescorr.bayes.model import ExactModel, Priors


class Flat(ExactModel):
    """Flat multivariate t."""

    name = "flat"
    description = "Multivariate t around the observed means: the Bayesian counterpart of ML"
    citation = "Box & Tiao 1973, Bayesian Inference in Statistical Analysis, chapter 8"
    good_for = "A reference without any prior; instant"
    bad_for = "Few topics: it takes observed differences at face value and is biased high"

    def sample(self, data: ModelData, priors: Priors, draws: int, rng: Generator) -> FloatArray:
        """Draw the true means."""
        n = data.n_topics
        means = data.values.mean(axis=0)
        noise = rng.standard_normal((draws, n)) @ (data.values - means)
        return means + noise / np.sqrt(n * rng.chisquare(n - 1, draws))[:, None]
