"""tau, tau_AP and tau_GAP in one pass, expected over the orders of systems with equal means."""

from __future__ import annotations

import math

import numpy as np

from bayescorr._numbers import FloatArray
from bayescorr.coefficients._pairs import Pairs


def expected(
    pairs: Pairs,
    strict: bool = False,
    gaps: bool = False,
    *,
    threshold: float = 0.0,
    noise: FloatArray | None = None,
    spread: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return tau, tau_AP and (if ``gaps``) tau_GAP of every pair of vectors.

    True means that differ by at most ``threshold`` tie. ``noise`` (pairs x systems) and ``spread``
    (systems x systems) perturb each true difference, as in
    :class:`bayescorr.frequentist.Differences`. Neither applies to tau_GAP.
    """
    from bayescorr.coefficients import _kernels

    order, first = pairs.observed_groups
    nodes = weights = np.empty(0)
    if gaps:
        largest = int((np.arange(pairs.systems) - first).max()) + 1
        if largest > _kernels.LARGEST_ENUMERATED:
            # Half the size of the group is exact; this many give 14 digits (checked up to 400).
            count = min((largest + 1) // 2, math.ceil(3.2 * math.sqrt(largest)))
            nodes, weights = np.polynomial.legendre.leggauss(count)
            nodes, weights = (nodes + 1) / 2, weights / 2
    out = pairs.run(
        _kernels.expected,
        *(pairs.truth, order, first, threshold, strict, gaps, nodes, weights),
        *(np.empty((0, 0)) if values is None else values for values in (noise, spread)),
        columns=3,
    )
    return pairs.shaped(out[:, 0]), pairs.shaped(out[:, 1]), pairs.shaped(out[:, 2])
