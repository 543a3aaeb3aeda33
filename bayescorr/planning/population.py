"""Draws of a population of topics, and the means over topic sets of any size from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from bayescorr._numbers import FloatArray, check_count
from bayescorr._random import RandomSeed, generator
from bayescorr.bayes.predictive import for_model
from bayescorr.scores.check import observed_means

if TYPE_CHECKING:
    from bayescorr.bayes.result import Fit

# Number of covariance matrices, m x m each, in memory at a time.
_BLOCK = 50


@dataclass(frozen=True, eq=False)
class Population:
    r"""T posterior draws of a population of topics, with one topic set of any size from each.

    Given a draw of the true means :math:`\mu` and the covariance :math:`\Sigma`, the means over n'
    new topics are :math:`N(\mu, \Sigma / n')`. All sizes share the same :math:`\epsilon \sim
    N(0, \Sigma)`, so tau never decreases as n' grows, draw by draw.

    Attributes
    ----------
    true_means, noise : array, T x m
        Draws of :math:`\mu` and of :math:`\epsilon`.
    observed, counts : array, m
        Observed means, and the number of scores in each.
    """

    true_means: FloatArray
    noise: FloatArray
    observed: FloatArray
    counts: FloatArray

    def new(self, n_topics: int) -> FloatArray:
        r"""Return means over n' new topics, :math:`\mu + \epsilon / \sqrt{n'}`, T x m."""
        return np.asarray(self.true_means + self.noise / np.sqrt(n_topics))

    def extended(self, added: int) -> FloatArray:
        r"""Return means over the n observed topics and k new ones, T x m.

        .. math:: (n \bar x + k \mu + \sqrt k \epsilon) / (n + k)
        """
        if added == 0:
            # Rounding must not break ties in the observed means.
            return np.broadcast_to(self.observed, self.true_means.shape)
        total = self.counts * self.observed + added * self.true_means + np.sqrt(added) * self.noise
        return np.asarray(total / (self.counts + added))


def draw_population(fit: Fit, draws: int | None, random_seed: RandomSeed) -> Population:
    """Draw populations from a fit of a model with a covariance; systems as in the scores."""
    if draws is not None:
        check_count(draws, "draws")
    rng = generator(random_seed)
    parameters, means, data, stands_for = for_model(fit, draws)
    noise = np.empty_like(means)
    # Threads slow down linear algebra on many small matrices.
    with threadpool_limits(1):
        for start in range(0, len(means), _BLOCK):
            block = slice(start, start + _BLOCK)
            chosen = {name: values[block] for name, values in parameters.items()}
            covariance = fit.model.covariance(chosen, means[block], data, fit.priors, rng)
            noise[block] = correlated_noise(covariance, rng)
    columns = stands_for.to_numpy()
    scores = fit.scores
    return Population(
        true_means=means[:, columns],
        noise=noise[:, columns],
        observed=np.asarray(observed_means(scores), np.float64),
        counts=scores.notna().sum().to_numpy(float),
    )


def correlated_noise(covariance: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return one draw of N(0, Sigma) for each covariance matrix, T x m x m."""
    normal = rng.standard_normal(covariance.shape[:2])
    try:
        factor = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        # Singular up to rounding.
        values, vectors = np.linalg.eigh(covariance)
        factor = vectors * np.sqrt(np.maximum(values, 0))[:, None, :]
    return np.asarray(np.einsum("dij,dj->di", factor, normal))
