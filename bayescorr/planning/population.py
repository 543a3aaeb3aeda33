"""Draws of a population of topics, and the observed means of topic sets of any size from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from bayescorr._numbers import FloatArray
from bayescorr._random import RandomSeed, generator
from bayescorr.bayes.predictive import for_model
from bayescorr.scores.check import observed_means

if TYPE_CHECKING:
    from bayescorr.bayes.result import Fit

# Covariances are m x m per draw: so many are held in memory at a time.
_BLOCK = 50


@dataclass(frozen=True, eq=False)
class Population:
    r"""T posterior draws of a population of topics, with one topic set of any size from each.

    Given a draw of the true means :math:`\mu` and the covariance :math:`\Sigma`, the means over n'
    new topics are :math:`N(\mu, \Sigma / n')`. The same :math:`\epsilon \sim N(0, \Sigma)` serves
    all sizes, so that a larger set differs from a smaller one by its size alone: tau then never
    falls as n' grows, draw by draw.

    Attributes
    ----------
    true_means, noise : array, T x m
        Draws of :math:`\mu` and of :math:`\epsilon`.
    observed, counts : array, m
        Observed means, and the number of topics behind each.
    """

    true_means: FloatArray
    noise: FloatArray
    observed: FloatArray
    counts: FloatArray

    def new(self, n_topics: int) -> FloatArray:
        r"""Means over n' new topics, :math:`\mu + \epsilon / \sqrt{n'}`, T x m."""
        return np.asarray(self.true_means + self.noise / np.sqrt(n_topics))

    def extended(self, added: int) -> FloatArray:
        r"""Means over the topics at hand and k more, T x m.

        .. math:: (n \bar x + k \mu + \sqrt k \epsilon) / (n + k)
        """
        if added == 0:
            # Not computed, so that ties in the observed means stay exact.
            return np.broadcast_to(self.observed, self.true_means.shape)
        total = self.counts * self.observed + added * self.true_means + np.sqrt(added) * self.noise
        return np.asarray(total / (self.counts + added))


def draw_population(fit: Fit, draws: int | None, random_seed: RandomSeed) -> Population:
    """Draw populations from a fit whose model knows the covariance; systems as in the scores."""
    rng = generator(random_seed)
    parameters, means, data, stands_for = for_model(fit, draws)
    noise = np.empty_like(means)
    # Threads only get in each other's way on many small matrices.
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
    """One draw of N(0, Sigma) for each covariance matrix.

    Examples
    --------
    >>> noise = correlated_noise(np.array([[[4.0, 4.0], [4.0, 4.0]]]), np.random.default_rng(1))
    >>> bool(np.isclose(noise[0, 0], noise[0, 1]))
    True
    """
    normal = rng.standard_normal(covariance.shape[:2])
    try:
        factor = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        # Singular, or so nearly that rounding makes it so.
        values, vectors = np.linalg.eigh(covariance)
        factor = vectors * np.sqrt(np.maximum(values, 0))[:, None, :]
    return np.asarray(np.einsum("dij,dj->di", factor, normal))
