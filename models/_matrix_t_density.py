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
import zlib
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytensor.tensor as pt
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op
from pytensor.link.numba.dispatch.basic import register_funcify_default_op_cache_key

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


class MatrixTDensity(Op):
    """Log density of the scores; the further outputs are its derivatives."""

    __props__ = ()

    def make_node(self, *inputs: Any) -> Apply:
        """Declare the types of inputs and outputs."""
        given = [pt.as_tensor(value, dtype="float64") for value in inputs]
        factor, means, _, c, delta, loadings, mu0, _ = given
        by = [factor, means, c, delta, loadings, mu0]
        return Apply(self, given, [pt.dscalar(), *(variable.type() for variable in by)])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Compute the outputs."""
        values = density(*(_plain(np.asarray(value, float)) for value in inputs))
        for storage, value in zip(output_storage, values, strict=True):
            storage[0] = np.asarray(value)

    def L_op(self, inputs: Any, outputs: Any, output_grads: Any) -> list[Any]:
        """Chain rule; there is no derivative by n and kappa, which are data."""
        g = output_grads[0]
        factor, means, c, delta, loadings, mu0 = (g * output for output in outputs[1:])
        none = [pt.zeros(()), pt.zeros(())]
        return [factor, means, none[0], c, delta, loadings, mu0, none[1]]

    #: What newer versions of PyTensor call it.
    pullback = L_op


def _plain(value: np.ndarray[Any, Any]) -> Any:
    return np.ascontiguousarray(value) if value.ndim else float(value)


@register_funcify_default_op_cache_key(MatrixTDensity)
def _numba(op: MatrixTDensity, node: Apply, **options: Any) -> Any:
    @numba.njit(fastmath=False)
    def compiled(factor, means, n, c, delta, loadings, mu0, kappa):
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

    # Compiled models are kept on disk: the number tells those of another version of this file.
    return compiled, zlib.crc32(Path(__file__).read_bytes())
