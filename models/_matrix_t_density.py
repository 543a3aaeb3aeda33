r"""The matrix-t log density of ``_niw`` and its gradient as one PyTensor operation.

Measured for 55 systems x 50 topics on one core: density and gradient take 0.13 ms, against 0.93 ms
for the same density as a PyTensor expression with Cholesky factors. A process that finds compiled
functions on disk is ready after 6 s of CPU time, against 57 s; without them, after 92 s, against
136 s. PyTensor's gamma functions instead of the digamma here take 0.15 ms and, from disk, 19 s.

With :math:`W = [\sqrt c\,\Lambda,\, F,\, \sqrt{n/(n\kappa+1)}\,d]`, :math:`a = c\,\delta` and
:math:`K = I + W' \mathrm{diag}(a)^{-1} W`, the derivatives of log|K| are
:math:`2\,\mathrm{diag}(a)^{-1} W K^{-1}` by W and minus the diagonal of
:math:`\mathrm{diag}(a)^{-1} W K^{-1} W' \mathrm{diag}(a)^{-1}` by a.
"""
# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call, misc"

from __future__ import annotations

import math

import numba
import numpy as np

# Entries of I + W' diag(a)^-1 W above which rounding leaves fewer than three digits of I.
_LARGEST = 1e13


@numba.njit(cache=True, fastmath=False)
def _digamma(x):
    """Compute the derivative of lgamma: recurrence up to 10, then the asymptotic series."""
    result = 0.0
    while x < 10.0:
        result -= 1.0 / x
        x += 1.0
    y = 1.0 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y / 132))))
    return result + math.log(x) - 0.5 / x - series


@numba.njit(cache=True, fastmath=False)
def _log_det(wide, diagonal):
    """Compute log|I + W' diag(a)^-1 W| and its derivatives by W and a; NaN if a is too small.

    Far out, where some a is tiny, rounding loses I: the determinant would be much too small, the
    density much too large, and a sampler would stay there.
    """
    roots = np.sqrt(diagonal).reshape(-1, 1)
    scaled = wide / roots
    inner = np.dot(scaled.T, scaled)
    for i in range(inner.shape[0]):
        inner[i, i] += 1.0
    if not np.diag(inner).max() < _LARGEST:
        return np.nan, np.full_like(wide, np.nan), np.full_like(diagonal, np.nan)
    log_det = 2 * np.log(np.diag(np.linalg.cholesky(inner))).sum()
    solved = np.dot(scaled, np.linalg.inv(inner))
    return log_det, 2 * solved / roots, -(scaled * solved).sum(axis=1) / diagonal


@numba.njit(cache=True, fastmath=False)
def density(factor, means, topics, strength, delta, loadings, level, prior_variance, floor):
    """Compute log density and derivatives by factor, means, c, delta, loadings and mu0.

    Numbers (n, c, mu0, kappa, epsilon squared) are arrays without dimensions. ``kappa`` infinite is
    a flat prior.
    """
    n, c, mu0, kappa = topics.item(), strength.item(), level.item(), prior_variance.item()
    m, k = loadings.shape
    rank = factor.shape[1]
    flat = math.isinf(kappa)
    rows = n - 1.0 if flat else n
    weight = 0.0 if flat else math.sqrt(n / (n * kappa + 1.0))
    root_c, nu = math.sqrt(c), m + 1.0 + c
    wide = np.empty((m, k + rank + 1))
    wide[:, :k] = root_c * loadings
    wide[:, k : k + rank] = factor
    wide[:, k + rank] = weight * (means - mu0)

    prior, prior_loadings, prior_delta = _log_det(loadings, delta)
    prior += m * math.log(c) + np.log(delta).sum()
    prior_delta += 1.0 / delta
    base = c * delta + floor.item()
    posterior, by_wide, by_diagonal = _log_det(wide, base)
    posterior += np.log(base).sum()
    by_diagonal += 1.0 / base
    power = (nu + rows) / 2.0
    gammas, digammas = 0.0, 0.0
    for j in range(m):
        gammas += math.lgamma((nu + rows - j) / 2.0) - math.lgamma((nu - j) / 2.0)
        digammas += 0.5 * (_digamma((nu + rows - j) / 2.0) - _digamma((nu - j) / 2.0))
    value = (
        gammas
        - rows * m / 2.0 * math.log(math.pi)
        - m / 2.0 * (math.log(n) if flat else math.log1p(n * kappa))
        + nu / 2.0 * prior
        - power * posterior
    )
    by_c = (
        digammas
        + nu * m / (2.0 * c)
        + (prior - posterior) / 2.0
        - power * ((by_diagonal * delta).sum() + (by_wide[:, :k] * loadings).sum() / (2 * root_c))
    )
    by_means = -power * weight * by_wide[:, k + rank]
    return (
        np.full((), value),
        -power * by_wide[:, k : k + rank],
        by_means,
        np.full((), by_c),
        nu / 2.0 * prior_delta - power * c * by_diagonal,
        nu / 2.0 * prior_loadings - power * root_c * by_wide[:, :k],
        np.full((), -by_means.sum()),
    )
