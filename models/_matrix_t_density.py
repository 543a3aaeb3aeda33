r"""The matrix-t log density of ``_niw`` and its gradient as one PyTensor operation.

Written as one operation because the graph of a Cholesky factor and its derivative takes half a
minute to compile for every shape of data; this one is compiled once and kept on disk by numba. The
test suite checks the density against scipy's and the gradient against finite differences.

With :math:`W = [\sqrt c\,\Lambda,\, F,\, \sqrt{n/(n\kappa+1)}\,d]` and :math:`a = c\,\delta`, the
determinants are :math:`|\mathrm{diag}(a) + W W'| = \prod a \cdot |K|`, :math:`K = I + W'
\mathrm{diag}(a)^{-1} W`, and the derivatives of log|K| are :math:`2\,\mathrm{diag}(a)^{-1} W
K^{-1}` by W and minus the diagonal of :math:`\mathrm{diag}(a)^{-1} W K^{-1} W'
\mathrm{diag}(a)^{-1}` by a.
"""
# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call, misc"

from __future__ import annotations

import math

import numba
import numpy as np

# Entries of I + W' diag(a)^-1 W above which fewer than three digits of its I are left.
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
    """log|I + W' diag(a)^-1 W| and its derivatives by W and by a; NaN where rounding rules it.

    Far out, where some a is next to nothing, I is lost in the digits of a double, the determinant
    comes out much too small and the density much too large: a sampler that gets there stays.
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
def density(factor, means, n, c, delta, loadings, mu0, kappa):
    """Log density and its derivatives by factor, means, c, delta, loadings and mu0.

    ``kappa`` infinite is a flat prior on the means.
    """
    m, k = loadings.shape
    rank = factor.shape[1]
    flat = math.isinf(kappa)
    topics = n - 1.0 if flat else n
    weight = 0.0 if flat else math.sqrt(n / (n * kappa + 1.0))
    root_c, nu = math.sqrt(c), m + 1.0 + c
    wide = np.empty((m, k + rank + 1))
    wide[:, :k] = root_c * loadings
    wide[:, k : k + rank] = factor
    wide[:, k + rank] = weight * (means - mu0)

    prior, prior_loadings, prior_delta = _log_det(loadings, delta)
    posterior, by_wide, by_diagonal = _log_det(wide, c * delta)
    power = (nu + topics) / 2.0
    gammas, digammas = 0.0, 0.0
    for j in range(m):
        gammas += math.lgamma((nu + topics - j) / 2.0) - math.lgamma((nu - j) / 2.0)
        digammas += 0.5 * (_digamma((nu + topics - j) / 2.0) - _digamma((nu - j) / 2.0))
    value = (
        gammas
        - topics * m / 2.0 * math.log(math.pi)
        - m / 2.0 * (math.log(n) if flat else math.log1p(n * kappa))
        - topics / 2.0 * (m * math.log(c) + np.log(delta).sum())
        + nu / 2.0 * prior
        - power * posterior
    )
    by_c = (
        digammas
        - topics * m / (2.0 * c)
        + (prior - posterior) / 2.0
        - power * ((by_diagonal * delta).sum() + (by_wide[:, :k] * loadings).sum() / (2 * root_c))
    )
    by_means = -power * weight * by_wide[:, k + rank]
    return (
        np.full((), value),
        -power * by_wide[:, k : k + rank],
        by_means,
        np.full((), by_c),
        -topics / 2.0 / delta + nu / 2.0 * prior_delta - power * c * by_diagonal,
        nu / 2.0 * prior_loadings - power * root_c * by_wide[:, :k],
        np.full((), -by_means.sum()),
    )


@numba.njit(cache=True, fastmath=False)
def kernel(factor, means, n, c, delta, loadings, mu0, kappa):
    """Call ``density`` with arrays of any layout, numbers as arrays without dimensions."""
    return density(
        np.ascontiguousarray(factor),
        np.ascontiguousarray(means),
        n.item(),
        c.item(),
        np.ascontiguousarray(delta),
        np.ascontiguousarray(loadings),
        mu0.item(),
        kappa.item(),
    )
