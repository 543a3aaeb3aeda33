r"""The beta-binomial log density of a matrix of counts and its gradient as one PyTensor operation.

With :math:`\alpha = \varphi p`, :math:`\beta = \varphi (1 - p)`, logit p = eta, the density of a
count y of k is, up to the binomial coefficient,

.. math:: \sum_{i<y} \log(\alpha + i) + \sum_{i<k-y} \log(\beta + i) - \sum_{i<k} \log(\varphi + i),

k divisions and a few logarithms, where gamma functions and their derivatives take several times as
long.
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


@numba.njit(cache=True, fastmath=False)
def _rising(x, terms):
    """Sum of log(x + i), i < terms, and its derivative."""
    log, product, derivative = 0.0, 1.0, 0.0
    for i in range(terms):
        product *= x + i
        derivative += 1.0 / (x + i)
        # Far from overflow: a logarithm per few factors is enough.
        if product > 1e200 or product < 1e-200:
            log += math.log(product)
            product = 1.0
    return log + math.log(product), derivative


@numba.njit(cache=True, fastmath=False)
def density(counts, grid, eta, phi):
    """Compute log density and derivatives by eta and phi; a negative count is missing."""
    value, by_phi = 0.0, 0.0
    by_eta = np.zeros_like(eta)
    top = int(grid)
    log_all, by_all = _rising(phi, top)
    for t in range(eta.shape[0]):
        for s in range(eta.shape[1]):
            y = int(counts[t, s])
            if y < 0:
                continue
            # Bounded away from 0 and 1, where the density has no finite derivative.
            p = 1.0 / (1.0 + math.exp(-min(max(eta[t, s], -30.0), 30.0)))
            q = 1.0 / (1.0 + math.exp(min(max(eta[t, s], -30.0), 30.0)))
            log_y, by_alpha = _rising(phi * p, y)
            log_n, by_beta = _rising(phi * q, top - y)
            value += log_y + log_n - log_all
            by_phi += p * by_alpha + q * by_beta - by_all
            by_eta[t, s] = phi * p * q * (by_alpha - by_beta)
    return np.full((), value), by_eta, np.full((), by_phi)


class BetaBinomialDensity(Op):
    """Log density of the counts; the further outputs are its derivatives by eta and phi."""

    __props__ = ()

    def make_node(self, *inputs: Any) -> Apply:
        """Declare the types of inputs and outputs."""
        given = [pt.as_tensor(value, dtype="float64") for value in inputs]
        _, _, eta, phi = given
        return Apply(self, given, [pt.dscalar(), eta.type(), phi.type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Compute the outputs."""
        counts, grid, eta, phi = (np.asarray(value, float) for value in inputs)
        for storage, value in zip(
            output_storage, density(counts, float(grid), eta, float(phi)), strict=True
        ):
            storage[0] = np.asarray(value)

    def L_op(self, inputs: Any, outputs: Any, output_grads: Any) -> list[Any]:
        """Chain rule; there is no derivative by counts and grid, which are data."""
        _, by_eta, by_phi = outputs
        g = output_grads[0]
        return [pt.zeros_like(inputs[0]), pt.zeros(()), g * by_eta, g * by_phi]

    #: What newer versions of PyTensor call it.
    pullback = L_op


@register_funcify_default_op_cache_key(BetaBinomialDensity)
def _numba(op: BetaBinomialDensity, node: Apply, **options: Any) -> Any:
    @numba.njit(fastmath=False)
    def compiled(counts, grid, eta, phi):
        return density(counts, grid.item(), eta, phi.item())

    # Compiled models are kept on disk: the number tells those of another version of this file.
    return compiled, zlib.crc32(Path(__file__).read_bytes())
