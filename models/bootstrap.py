r"""The Bayesian bootstrap: the population of topics is the observed topics, with random weights.

.. math:: \mu = \sum_t w_t x_t, \qquad w \sim \mathrm{Dirichlet}(1, \ldots, 1)

The shrunk version has a prior on the means like that of the default model, worth ``prior_topics``
topics on which all systems tie, without a distribution for the scores: with
B = n / (n + prior_topics),

.. math:: \mu = \bar{\bar x} + B (\bar x - \bar{\bar x})
          + \sqrt{B} \left(\sum_t w_t x_t - \bar x\right),

the mean and the variance that the normal-inverse-Wishart posterior has.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from bayescorr._numbers import FloatArray
from bayescorr.bayes.data import ModelData
from bayescorr.bayes.model import ExactModel, Priors


class Bootstrap(ExactModel):
    """Bayesian bootstrap over topics."""

    name = "bootstrap"
    description = "Bayesian bootstrap over topics: the counterpart of RES"
    citation = "Rubin 1981, The Bayesian Bootstrap, Annals of Statistics 9(1)"
    good_for = "Any measure, no distribution assumed; instant"
    bad_for = "Few topics: biased high like RES, intervals too narrow; no predictions of new topics"

    def sample(self, data: ModelData, priors: Priors, draws: int, rng: Generator) -> FloatArray:
        """Draw the true means."""
        # Normalised exponentials are uniform on the simplex.
        weights = rng.standard_exponential((draws, data.n_topics))
        return (weights @ data.values) / weights.sum(axis=1, keepdims=True)


class ShrunkBootstrap(Bootstrap):
    """Bayesian bootstrap, shrunk as by a prior worth some topics on which all systems tie."""

    name = "bootstrap-shrunk"
    description = "Bayesian bootstrap, shrunk by a prior worth some topics: any measure"
    good_for = "Any measure, no distribution assumed; less biased than RES; instant"
    bad_for = "10 topics or fewer: still biased high; no predictions of new topics"
    priors = {"prior_topics": 20 / 3}

    def sample(self, data: ModelData, priors: Priors, draws: int, rng: Generator) -> FloatArray:
        """Draw the true means: centre shrunk by B = n / (n + prior_topics), noise by its root."""
        kept = data.n_topics / (data.n_topics + priors["prior_topics"])
        observed = data.values.mean(axis=0)
        noise = super().sample(data, priors, draws, rng) - observed
        return observed.mean() + kept * (observed - observed.mean()) + np.sqrt(kept) * noise
