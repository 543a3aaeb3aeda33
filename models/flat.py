r"""Flat prior: the multivariate t distribution behind the paired t-test, all pairs at once.

With :math:`x_t \sim N(\mu, \Sigma)` and :math:`p(\mu, \Sigma) \propto |\Sigma|^{-(m+1)/2}` on the
span of the data, every contrast of the true means has the t distribution with n - 1 degrees of
freedom around its observed value,

.. math:: \mu = \bar x + \frac{Z' g}{\sqrt{n\,\chi^2_{n-1}}}, \qquad g \sim N(0, I_n),

where Z are the centred scores and one chi-square is shared by all systems. Means over n' new topics
have 1/n + 1/n' in place of 1/n.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from bayescorr._numbers import FloatArray, row_factor
from bayescorr.bayes.data import ModelData
from bayescorr.bayes.model import Draws, ExactModel, Priors


class Flat(ExactModel):
    """Flat multivariate t."""

    name = "flat"
    description = "Multivariate t around the observed means: the Bayesian counterpart of ML"
    citation = "Box & Tiao 1973, Bayesian Inference in Statistical Analysis, chapter 8"
    good_for = "A reference without any prior; instant"
    bad_for = "Few topics: it takes observed differences at face value and is biased high"

    def sample(self, data: ModelData, priors: Priors, draws: int, rng: Generator) -> FloatArray:
        """Draw the true means."""
        return _draw(data, draws, 1 / data.n_topics, rng)

    def new_means(
        self,
        draws: Draws,
        true_means: FloatArray,
        data: ModelData,
        priors: Priors,
        n_topics: int,
        rng: Generator,
    ) -> FloatArray:
        """Draw means over new topics, in closed form."""
        return _draw(data, len(true_means), 1 / data.n_topics + 1 / n_topics, rng)


def _draw(data: ModelData, draws: int, share: float, rng: Generator) -> FloatArray:
    """Draw from the multivariate t around the observed means with this share of Sigma."""
    n, means = data.n_topics, data.values.mean(axis=0)
    factor = row_factor(data.values - means)
    noise = rng.standard_normal((draws, len(factor))) @ factor
    return means + noise * np.sqrt(share / rng.chisquare(n - 1, draws))[:, None]
