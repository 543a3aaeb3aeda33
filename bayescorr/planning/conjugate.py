r"""What is known of a difference of true means, and how new topics update it in closed form.

The difference of the scores of two systems on a topic is :math:`x_t \sim N(\delta, s^2)`. What is
known of it is a normal-inverse-chi-square distribution,

.. math:: \delta \mid s^2 \sim N(m_0, s^2 / N_0), \qquad s^2 \sim \nu_0 s_0^2 / \chi^2_{\nu_0},

so that :math:`\delta` has a t distribution with :math:`\nu_0` degrees of freedom. For the default
model, given its hyperparameters, this is exact. For other models it is an approximation.

Reference: Gelman et al., Bayesian Data Analysis, 3rd ed., section 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from bayescorr._numbers import FloatArray

#: Degrees of freedom of a variance that is as good as known.
_KNOWN = 1e6


@dataclass(frozen=True)
class Belief:
    """A normal-inverse-chi-square distribution of a difference, or many of them.

    Attributes
    ----------
    centre : float or array
        Expected difference, m_0.
    topics : float
        Number of topics that it is worth, N_0.
    variance : float or array
        Variance on one topic, s_0^2.
    freedom : float
        Degrees of freedom, nu_0.
    """

    centre: FloatArray | float
    topics: float
    variance: FloatArray | float
    freedom: float

    @classmethod
    def from_draws(cls, centre: float, variance: FloatArray, topics: float) -> Belief:
        """Match the mean and variance of draws of the variance on one topic.

        Examples
        --------
        >>> draws = 10 * 2.0 / np.random.default_rng(1).chisquare(10, 200_000)
        >>> found = Belief.from_draws(0.1, draws, 54)
        >>> round(found.freedom), round(float(found.variance), 1)
        (10, 2.0)
        """
        mean = float(variance.mean())
        relative = float(variance.var()) / mean**2
        freedom = min(4 + 2 / relative, _KNOWN) if relative > 0 else _KNOWN
        return cls(centre, topics, mean * (freedom - 2) / freedom, freedom)

    def without(self, n: int, mean: float, scatter: float) -> Belief:
        r"""Return what was known before n topics, with a prior that takes the systems as equal.

        This is :meth:`updated` backwards, from a centre of 0. Where nothing is left of the
        variance, because the prior was flat or draws say its weight only roughly, that of one topic
        remains.

        Parameters
        ----------
        n, mean, scatter
            As in :meth:`updated`.

        Examples
        --------
        >>> before = Belief(0.0, 2, 1.0, 4)
        >>> after = before.updated(2, np.array([0.4]), np.array([2.0]))
        >>> before = after.without(2, 0.4, 2.0)
        >>> before.topics, before.freedom, before.variance.round(3)
        (2, 4, array([1.]))
        """
        topics, freedom = max(self.topics - n, 0.0), max(self.freedom - n, 1.0)
        apart = topics * n / self.topics * mean**2
        total = np.maximum(self.freedom * self.variance - scatter - apart, self.variance)
        return Belief(0.0, topics, total / freedom, freedom)

    def updated(self, n: int, mean: FloatArray, scatter: FloatArray) -> Belief:
        r"""Return what is known after n more topics.

        .. math:: m_1 = \frac{N_0 m_0 + n \bar x}{N_0 + n}, \quad N_1 = N_0 + n, \quad
            \nu_1 = \nu_0 + n, \quad
            \nu_1 s_1^2 = \nu_0 s_0^2 + S + \frac{N_0 n}{N_0 + n} (\bar x - m_0)^2

        Parameters
        ----------
        n : int
            Number of topics.
        mean, scatter : array
            Mean of the differences on these topics, and the sum of squares around it, S.

        Examples
        --------
        >>> after = Belief(0.0, 2, 1.0, 4).updated(2, np.array([0.4]), np.array([2.0]))
        >>> after.centre, after.topics, after.freedom, after.variance.round(3)
        (array([0.2]), 4, 6, array([1.027]))
        """
        topics, freedom = self.topics + n, self.freedom + n
        apart = self.topics * n / topics * (mean - self.centre) ** 2
        centre = (self.topics * self.centre + n * mean) / topics
        variance = (self.freedom * self.variance + scatter + apart) / freedom
        return Belief(centre, topics, variance, freedom)

    def above(self, x: float) -> FloatArray:
        """Return the probability that the difference is larger than x."""
        scale = np.sqrt(np.asarray(self.variance) / self.topics)
        return np.asarray(stdtr(self.freedom, (self.centre - x) / scale))

    def bound(self, level: float) -> FloatArray:
        """Return how far below the centre the one-sided bound at the level is, for one topic."""
        return np.asarray(stdtrit(self.freedom, level) * np.sqrt(self.variance))
