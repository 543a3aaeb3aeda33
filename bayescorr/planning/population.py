"""Draws of a population of topics, and the means over topic sets of any size from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from threadpoolctl import threadpool_limits

from bayescorr._numbers import FloatArray, check_count
from bayescorr._random import RandomSeed, generator
from bayescorr.bayes.model import correlated_noise
from bayescorr.bayes.predictive import for_model
from bayescorr.scores.check import observed_means
from bayescorr.scores.strata import tasks_of

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
    spread : float
        Variance on one topic of the difference of two systems, on average over draws and pairs of
        distinct systems.
    variance : array, T
        Draws of this variance for the chosen pair of systems; empty if none was chosen.
    uniform : array, T
        Uniform random numbers: quantiles of the scatter of each set around its means.
    """

    true_means: FloatArray
    noise: FloatArray
    observed: FloatArray
    counts: FloatArray
    spread: float
    variance: FloatArray
    uniform: FloatArray

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


# The population of a fit that was drawn last: two questions about one fit share it.
_last: WeakKeyDictionary[Fit, tuple[object, Population]] = WeakKeyDictionary()


def draw_population(
    fit: Fit, draws: int | None, random_seed: RandomSeed, pair: tuple[int, int] | None = None
) -> Population:
    """Draw populations from a fit of a model with a covariance; systems as in the scores.

    ``pair`` has the positions of two systems whose ``variance`` is wanted too.
    """
    if draws is not None:
        check_count(draws, "draws")
    if not isinstance(random_seed, int | np.integer):
        return _draw(fit, draws, random_seed, pair)
    key = draws, int(random_seed), pair
    if fit not in _last or _last[fit][0] != key:
        _last[fit] = key, _draw(fit, draws, random_seed, pair)
    return _last[fit][1]


def _draw(
    fit: Fit, draws: int | None, random_seed: RandomSeed, pair: tuple[int, int] | None
) -> Population:
    r"""Draw populations; with tasks, sets of topics have as many of each task as were observed.

    The means over such a set of n' topics are :math:`\sum_k w_k (\mu_k + \epsilon_k / \sqrt{n'
    n_k / n})`.
    """
    rng = generator(random_seed)
    scores = fit.scores
    means, noise, spreads, variance = (np.zeros(()) for _ in range(4))
    for task, part in zip(tasks_of(scores), fit.parts, strict=True):
        drawn = draw_noise(part, draws, rng, pair)
        scale = task.weight * np.sqrt(len(scores) / len(task.rows))
        means = means + task.weight * drawn.true_means
        noise = noise + scale * drawn.noise
        spreads = spreads + scale**2 * drawn.spread
        variance = variance + scale**2 * drawn.variance
    return Population(
        true_means=means,
        noise=noise,
        observed=np.asarray(observed_means(scores), np.float64),
        counts=scores.notna().sum().to_numpy(float),
        spread=float(spreads.mean()),
        variance=variance,
        uniform=rng.random(len(means)),
    )


class Drawn(NamedTuple):
    """True means and noise of one topic, T x m each, systems as in the scores; its variance.

    The variances are of differences, T each: on average over pairs, and of the chosen pair.
    """

    true_means: FloatArray
    noise: FloatArray
    spread: FloatArray
    variance: FloatArray


def draw_noise(
    fit: Fit,
    draws: int | None,
    rng: np.random.Generator,
    pair: tuple[int, int] | None = None,
) -> Drawn:
    """Draw true means and the noise of one topic."""
    parameters, means, data, stands_for = for_model(fit, draws)
    columns = stands_for.to_numpy()
    chosen_pair = columns[list(pair or ())]
    noise, spreads, variances = np.empty_like(means), [], [np.empty(0)]
    # Threads slow down linear algebra on many small matrices.
    with threadpool_limits(1):
        for start in range(0, len(means), _BLOCK):
            block = slice(start, start + _BLOCK)
            chosen = {name: values[block] for name, values in parameters.items()}
            covariance = fit.model.covariance(chosen, means[block], data, fit.priors, rng)
            noise[block] = correlated_noise(covariance, rng)
            spreads.append(spread(covariance[:, columns[:, None], columns]))
            if pair is not None:
                variances.append(spread(covariance[:, chosen_pair[:, None], chosen_pair]))
    found = np.concatenate(spreads), np.concatenate(variances)
    return Drawn(means[:, columns], noise[:, columns], *found)


def spread(covariance: FloatArray) -> FloatArray:
    """Return the variance of the difference of two systems, on average over pairs; (T x) m x m in.

    Examples
    --------
    >>> float(spread(np.array([[1.0, 0.5], [0.5, 4.0]])))
    4.0
    """
    m = covariance.shape[-1]
    own = np.trace(covariance, axis1=-2, axis2=-1)
    return np.asarray((m * own - covariance.sum(axis=(-2, -1))) * 2 / (m * (m - 1)))
