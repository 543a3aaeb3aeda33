r"""The Bayesian bootstrap: the population of topics is the observed topics, with random weights.

.. math:: \mu = \sum_t w_t x_t, \qquad w \sim \mathrm{Dirichlet}(1, \ldots, 1)

The shrunk version has a prior on the means like that of the default model, worth ``prior_topics``
topics on which all systems tie, without a distribution for the scores: with
B = n / (n + prior_topics),

.. math:: \mu = \bar{\bar x} + B (\bar x - \bar{\bar x})
          + \sqrt{B} \left(\sum_t w_t x_t - \bar x\right),

the mean and the variance that the normal-inverse-Wishart posterior has.

A set of n' new topics draws them with the weights w as probabilities: with k its counts of topics,
its means are :math:`\mu + \sum_t (k_t / n' - w_t)\, x_t`.

The weights give a draw of any other summary :math:`\theta(x, w)` of a system's scores, such as
their median (Rubin 1981). It is shrunk as the mean is: with the observed summaries
:math:`\hat\theta` and their mean over systems :math:`\bar\theta`, a draw is

.. math:: \bar\theta + B (\hat\theta - \bar\theta)
          + \sqrt{B} \left(\theta(x, w) - \hat\theta\right).

For means over items, such as win rates, this is the prior above. For others, ``prior_topics`` are
topics on which all systems tie at :math:`\bar\theta`, and what they add to a summary is taken to
first order, :math:`(1 - B)(\bar\theta - \hat\theta)`. Added to the scores instead, such topics
would move the median of a system by what its scores near :math:`\bar\theta` happen to be.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from bayescorr._numbers import FloatArray
from bayescorr.bayes.data import ModelData
from bayescorr.bayes.model import Draws, ExactModel, Priors

#: Number of weights of topics to hold at a time.
MOST_WEIGHTS = 10_000_000


class Bootstrap(ExactModel):
    """Bayesian bootstrap over topics."""

    name = "bootstrap"
    description = "Bayesian bootstrap over topics: the counterpart of RES"
    citation = "Rubin 1981, The Bayesian Bootstrap, Annals of Statistics 9(1)"
    good_for = "Any measure, no distribution assumed; instant"
    bad_for = "Few topics: biased high like RES, intervals too narrow; no plans for more topics"
    takes_summaries = True

    def sample(self, data: ModelData, priors: Priors, draws: int, rng: Generator) -> FloatArray:
        """Draw the true means."""
        # In blocks, since there may be thousands of topics.
        step = max(1, MOST_WEIGHTS // data.n_topics)
        sizes = (min(step, draws - start) for start in range(0, draws, step))
        means = np.vstack([_weights(data, size, rng) @ data.values for size in sizes])
        return self.shrunk(means, data, priors)

    def new_means(
        self,
        draws: Draws,
        true_means: FloatArray,
        data: ModelData,
        priors: Priors,
        n_topics: int,
        rng: Generator,
    ) -> FloatArray:
        """Draw means over new topics, with weights of their own."""
        weights = _weights(data, len(true_means), rng)
        shares = rng.multinomial(n_topics, weights) / n_topics
        found = data.weighted(weights)
        if data.summary is None:
            noise = (shares - weights) @ data.values
        else:
            noise = data.weighted(shares) - found
        return self.shrunk(found, data, priors) + noise

    def sample_summary(
        self, data: ModelData, priors: Priors, draws: int, rng: Generator
    ) -> FloatArray:
        """Draw the true summaries, such as medians."""
        return self.shrunk(data.weighted(_weights(data, draws, rng)), data, priors)

    def shrunk(self, means: FloatArray, data: ModelData, priors: Priors) -> FloatArray:
        """Return the true means for weighted means (or other summaries) of the scores."""
        return means


class ShrunkBootstrap(Bootstrap):
    """Bayesian bootstrap, shrunk as by a prior worth some topics on which all systems tie."""

    name = "bootstrap-shrunk"
    description = "Bayesian bootstrap, shrunk by a prior worth some topics: any measure"
    good_for = "Any measure, no distribution assumed; less biased than RES; instant"
    bad_for = "10 topics or fewer: still biased high; no plans for more topics"
    priors = {"prior_topics": 20 / 3}

    def shrunk(self, means: FloatArray, data: ModelData, priors: Priors) -> FloatArray:
        """Shrink the centre by B = n / (n + prior_topics), the noise around it by its root."""
        kept = data.n_topics / (data.n_topics + priors["prior_topics"])
        observed = data.values.mean(axis=0)
        if data.summary is not None:
            observed = data.weighted(np.full((1, data.n_topics), 1 / data.n_topics))[0]
        centre = observed.mean() + kept * (observed - observed.mean())
        return centre + np.sqrt(kept) * (means - observed)


def _weights(data: ModelData, draws: int, rng: Generator) -> FloatArray:
    """Draw Dirichlet weights: normalised exponentials are uniform on the simplex."""
    weights = rng.standard_exponential((draws, data.n_topics))
    return weights / weights.sum(axis=1, keepdims=True)
