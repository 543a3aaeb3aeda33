r"""The normal-inverse-Wishart family, with everything but its hyperparameters integrated out.

The scores of topic t are :math:`x_t \sim N(\mu, \Sigma)`. With
:math:`\Sigma \sim IW(\nu, \Psi)`, :math:`\nu = m + 1 + c`, :math:`\Psi = c\,T`, so that
:math:`E[\Sigma] = T`, and :math:`\mu \mid \Sigma \sim N(\mu_0 1, \kappa \Sigma)`, the n x m
matrix X of scores has a matrix-t distribution. With S the centred scatter, :math:`\bar x` the
observed means and :math:`d = \bar x - \mu_0`, its log density is

.. math:: \sum_{j=0}^{m-1} \log \frac{\Gamma((\nu+n-j)/2)}{\Gamma((\nu-j)/2)}
          - \frac{nm}{2}\log\pi - \frac{m}{2}\log(1+n\kappa) + \frac{\nu}{2}\log|\Psi|
          - \frac{\nu+n}{2}\log\left|\Psi + S + \tfrac{n}{n\kappa+1} d d'\right|.

The target is diagonal plus low rank, :math:`T = \mathrm{diag}(\delta) + \Lambda\Lambda'`, so no
m x m matrix is ever factorised: determinants come from :math:`|\mathrm{diag}(a) + WW'| =
\prod a \cdot |I + W'\mathrm{diag}(a)^{-1}W|`, whose size is the rank. A flat prior on the means
(:math:`\kappa = \infty`) drops the last term and one degree of freedom.

Epsilon squared is added to the scatter, so that no contrast of systems counts as known exactly:
:math:`S + \varepsilon^2 I` takes the place of S. This equals :math:`\Psi = c\,T + \varepsilon^2 I`
with a prior on the hyperparameters that has the factor :math:`(|c\,T| / |c\,T + \varepsilon^2
I|)^{\nu/2}`. Otherwise, if the scores of k systems span only r dimensions, the density grows
without bound as their D shrinks, whenever :math:`r\,(\nu + n) < k\,n`: constant systems, systems
that are multiples of each other, coarse scores on few topics.

References: Gelman et al., Bayesian Data Analysis, 3rd ed., section 3.6; Dawid, Biometrika 1981
(matrix-t).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import gammaln

from bayescorr._numbers import FloatArray, row_factor
from bayescorr.bayes._stack import density_op

#: Epsilon squared, on the standard scale, where the sd of within-topic contrasts is 1.
FLOOR = 0.005


def log_marginal(
    factor: Any, means: Any, n: Any, c: Any, delta: Any, loadings: Any, mu0: Any, kappa: Any
) -> Any:
    """Return the log density of the scores in PyTensor; ``kappa=None`` is a flat prior.

    ``factor`` is any F with F F' = S (systems on its rows), ``means`` the observed means.
    """
    from bayescorr.models._matrix_t_density import density

    operation = density_op(density, differentiable=(0, 1, 3, 4, 5, 6))
    variance = np.inf if kappa is None else kappa
    return operation(factor, means, n, c, delta, loadings, mu0, variance, FLOOR)


@dataclass(frozen=True)
class Posterior:
    """The conditional posterior given N draws of the hyperparameters, in closed form."""

    #: On the standard scale, n x m, or N x n x m if cells are parameters.
    scores: FloatArray
    #: N, N x m and N x m x k.
    c: FloatArray
    delta: FloatArray
    loadings: FloatArray
    #: One level for all systems, N, or one for each, N x m; not used with a flat prior.
    mu0: FloatArray
    #: None stands for a flat prior on the means.
    kappa: float | None
    #: Epsilon squared.
    floor: float = FLOOR

    @property
    def topics(self) -> int:
        """Number of topics, n."""
        return self.scores.shape[-2]

    @property
    def centred(self) -> FloatArray:
        """Scores less the observed means."""
        return self.scores - self.scores.mean(axis=-2, keepdims=True)

    @property
    def means(self) -> FloatArray:
        """Observed means, (N x) m."""
        return self.scores.mean(axis=-2)

    @property
    def shrinkage(self) -> float:
        """B = n kappa / (n kappa + 1), the share of the observed differences that is kept."""
        if self.kappa is None:
            return 1.0
        return self.topics * self.kappa / (self.topics * self.kappa + 1)

    @property
    def prior_weight(self) -> float:
        """Weight n / (n kappa + 1) of d d' in the posterior scatter."""
        return 0.0 if self.kappa is None else self.topics / (self.topics * self.kappa + 1)

    @property
    def diagonal(self) -> FloatArray:
        """Diagonal part of Psi, N x m: c delta plus epsilon squared."""
        return self.c[:, None] * self.delta + self.floor

    @property
    def level(self) -> FloatArray:
        """Prior mean of mu, N x 1 or N x m."""
        return self.mu0.reshape(len(self.mu0), -1)

    @property
    def centre(self) -> FloatArray:
        """Posterior mean of mu given the hyperparameters, N x m."""
        start = self.means if self.kappa is None else self.level
        return start + self.shrinkage * (self.means - start)

    def draw_means(self, rng: Generator, new_topics: int | None = None) -> FloatArray:
        """Draw mu: a multivariate t with c + n + 2 degrees of freedom (c + n + 1 if flat).

        Given Sigma, mu ~ N(centre, B/n Sigma), and the mean over n' ``new_topics`` is N(mu,
        Sigma / n'): it is drawn like mu, with B/n + 1/n' in place of B/n.
        """
        size, m = self.delta.shape
        loose = rng.standard_normal((size, m)) * np.sqrt(self.diagonal)
        factors = rng.standard_normal(self.loadings.shape[::2])
        shared = np.einsum("dmk,dk->dm", self.loadings, factors)
        if self.scores.ndim == 2:
            factor = row_factor(self.centred)
            scatter = rng.standard_normal((size, len(factor))) @ factor
        else:
            across = rng.standard_normal((size, self.topics))
            scatter = np.einsum("dn,dnm->dm", across, self.centred)
        towards = np.zeros((size, m))
        if self.kappa is not None:
            distance = self.means - self.level
            towards = np.sqrt(self.prior_weight) * distance * rng.standard_normal((size, 1))
        noise = loose + np.sqrt(self.c)[:, None] * shared + scatter + towards
        freedom = self.c + self.topics + (1 if self.kappa is None else 2)
        share = self.shrinkage / self.topics + (0 if new_topics is None else 1 / new_topics)
        spread = np.sqrt(share / rng.chisquare(freedom))
        return self.centre + spread[:, None] * noise

    def draw_covariance(self, means: FloatArray, rng: Generator) -> FloatArray:
        """Draw Sigma given mu and the scores: inverse Wishart, N x m x m."""
        size, m = self.delta.shape
        weight = self.topics + (0.0 if self.kappa is None else 1 / self.kappa)
        freedom = m + 1 + self.c + self.topics + (0 if self.kappa is None else 1)
        result = np.empty((size, m, m))
        centred = row_factor(self.centred) if self.scores.ndim == 2 else self.centred
        centred = np.broadcast_to(centred, (size, *centred.shape[-2:]))
        distance = np.broadcast_to(self.means, (size, m)) - self.level
        apart = means - self.centre
        for i in range(size):
            scale = np.diag(self.diagonal[i]) + self.c[i] * self.loadings[i] @ self.loadings[i].T
            scale += centred[i].T @ centred[i]
            scale += self.prior_weight * np.outer(distance[i], distance[i])
            scale += weight * np.outer(apart[i], apart[i])
            result[i] = inverse_wishart(freedom[i], scale, rng)
        return result

    def log_predictive(self) -> FloatArray:
        """Log density of each topic given all others and the hyperparameters, N x n.

        With E the scores less mu0, A = I + kappa 11' and Q = A + E Psi^-1 E', leaving topic t out
        of the matrix-t density replaces |Q| by |Q| (Q^-1)_tt, so one factorisation serves all
        topics: of M = Psi + E' A^-1 E if systems are fewer than topics, else of Q, since
        |Q| |Psi| = |A| |M| and Q^-1 = A^-1 - A^-1 E M^-1 E' A^-1. A flat prior is the limit of
        large kappa, in which all terms in kappa cancel between the two densities.
        """
        n, m = self.scores.shape[-2:]
        # Large enough for the limit, small enough for the digits of a double.
        kappa = 1e6 if self.kappa is None else self.kappa
        mu0 = self.means.mean(-1) * np.ones(len(self.c)) if self.kappa is None else self.mu0
        nu = m + 1 + self.c - (1 if self.kappa is None else 0)
        log_a, log_a_less = np.log1p(n * kappa), np.log1p((n - 1) * kappa)
        steps = np.subtract.outer(nu + n, np.arange(m)) / 2
        constant = (gammaln(steps) - gammaln(steps - 0.5)).sum(axis=1) - m / 2 * np.log(np.pi)
        constant -= m / 2 * (log_a - log_a_less)
        result = np.empty((len(self.c), n))
        scatter = self.centred.T @ self.centred if m < n else None
        for i, (diagonal, c) in enumerate(zip(self.diagonal, self.c, strict=True)):
            loadings = np.sqrt(c) * self.loadings[i]
            if scatter is None:
                log_det, left = _by_topics(self.scores - mu0[i], diagonal, loadings, kappa)
            else:
                psi = np.diag(diagonal) + loadings @ loadings.T
                log_det, left = _by_systems(self.scores, scatter, psi, mu0[i], kappa)
            # log_det is log|Psi| + log|Q| - log|A|, left the logarithm of (Q^-1)_tt.
            result[i] = (
                constant[i] - log_det / 2 + (nu[i] + n - 1) / 2 * (left + log_a - log_a_less)
            )
        return result


def _by_topics(
    error: FloatArray, diagonal: FloatArray, loadings: FloatArray, kappa: float
) -> tuple[float, FloatArray]:
    """Return log|Psi||Q|/|A| and log (Q^-1)_tt from the n x n matrix Q."""
    n = len(error)
    log_psi, inverse_times = _low_rank_solve(diagonal, loadings, error.T)
    q = np.eye(n) + kappa + error @ inverse_times
    _, log_q = np.linalg.slogdet(q)
    return log_psi + float(log_q) - np.log1p(n * kappa), np.log(np.diag(np.linalg.inv(q)))


def _by_systems(
    scores: FloatArray, scatter: FloatArray, psi: FloatArray, mu0: float, kappa: float
) -> tuple[float, FloatArray]:
    """Return the same from the m x m matrix M."""
    n = len(scores)
    distance = scores.mean(axis=0) - mu0
    weight = n / (n * kappa + 1)
    factor = np.linalg.cholesky(psi + scatter + weight * np.outer(distance, distance))
    centre = mu0 + kappa * weight * distance
    whitened = np.linalg.inv(factor) @ (scores - centre).T
    left = 1 - kappa * weight / n - np.einsum("mn,mn->n", whitened, whitened)
    return float(2 * np.log(np.diag(factor)).sum()), np.log(left)


def inverse_wishart(freedom: float, scale: FloatArray, rng: Generator) -> FloatArray:
    """Draw from the inverse Wishart distribution: L A'^-1 A^-1 L', L L' = scale, A Bartlett's."""
    m = len(scale)
    bartlett = np.tril(rng.standard_normal((m, m)), -1)
    np.fill_diagonal(bartlett, np.sqrt(rng.chisquare(freedom - np.arange(m))))
    factor = np.linalg.cholesky(scale)
    root = np.linalg.solve(bartlett, factor.T)
    return root.T @ root


def _low_rank_solve(
    diagonal: FloatArray, wide: FloatArray, right: FloatArray
) -> tuple[float, FloatArray]:
    """log|diag(a) + WW'| and (diag(a) + WW')^-1 times ``right``."""
    scaled = wide / diagonal[:, None]
    inner = np.eye(wide.shape[1]) + wide.T @ scaled
    solved = right / diagonal[:, None]
    solved -= scaled @ np.linalg.solve(inner, wide.T @ solved)
    return float(np.log(diagonal).sum() + np.linalg.slogdet(inner)[1]), solved
