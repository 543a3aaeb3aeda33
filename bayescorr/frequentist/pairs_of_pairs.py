r"""Variance of tau and tau_ap from the dependence between pairs of pairs of systems.

.. math:: Var(\tau) = \sum_{ij} \sum_{kl} w_{ij} w_{kl} \left( E[D_{ij} D_{kl}] - p_{ij} p_{kl}
    \right)

with the weights of equations 3 and 4 (Bavdaz 2018, sections 4.2.2-4.2.4). Joint draws of all
differences, the default, cover every pair of pairs. The thesis samples pairs of pairs and, for ML
and MSQD, uses a bivariate t for each. Its section 4.2.4 has a misprint: with N pairs of systems and
k sampled pairs of different ones, the sum is X2 + X3 N (N - 1) / k - X1, where X1 is the sum of all
p_ij p_kl and X2 that of E[D_ij^2].
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from scipy.special import stdtr

from bayescorr._numbers import FloatArray
from bayescorr._random import RandomSeed
from bayescorr.errors import Argument, OptionError
from bayescorr.frequentist.api import prepare
from bayescorr.frequentist.estimates import joint_differences, pair_discordance, pairwise_draws
from bayescorr.frequentist.estimator import Estimator
from bayescorr.frequentist.registry import find_estimator
from bayescorr.frequentist.sample import Integers, Sample

_AT_ONCE = 5_000


def variance(
    scores: pd.DataFrame,
    method: str | Estimator = "MSQD",
    *,
    pairs: int | str | None = None,
    draws: int = 1000,
    higher_is_better: bool = True,
    missing: str = "error",
    random_seed: RandomSeed = None,
) -> pd.Series[float]:
    """Return the variance of tau and tau_ap between the observed and the true ranking.

    Parameters
    ----------
    scores : DataFrame
        Topics by systems.
    method : str or Estimator
        ML, MSQD, RES or KD.
    pairs : None, int or "exact"
        None: joint draws of all pairs. A number: that many sampled pairs of pairs, as in the thesis
        (ML, MSQD, RES). "exact": all pairs of pairs, m^4/4 of them (ML, MSQD).
    draws : int
        Number of joint draws or resamples of the topics.
    higher_is_better, missing, random_seed
        As in :func:`bayescorr.estimate`.

    Returns
    -------
    Series
        The variances, by name of coefficient.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [0.5, 0.4, 0.6], "b": [0.4, 0.5, 0.3], "c": [0.1, 0.3, 0.2]})
    >>> variance(scores, "ML", pairs="exact").round(4)
    tau       0.1673
    tau_ap    0.2563
    Name: ML, dtype: float64
    """
    estimator = find_estimator(method)
    _, sample = prepare(scores, draws, higher_is_better, missing, random_seed)
    return pd.Series(sample_variance(sample, estimator, pairs), name=estimator.name)


def sample_variance(
    sample: Sample, method: Estimator, pairs: int | str | None = None
) -> dict[str, float]:
    """Return the variance of tau and tau_ap; see :func:`variance`."""
    if pairs is None:
        parts = joint_differences(method, sample)
        if parts is None:
            raise OptionError(
                f"{method.name} does not support a variance: it has no joint draws.",
                "Use ML, MSQD, RES or KD.",
            )
        return {k: float(v.var(ddof=1)) for k, v in pairwise_draws(sample, parts).items()}
    exact = isinstance(pairs, str) and pairs == "exact"
    if not exact and (isinstance(pairs, bool | str) or pairs != int(pairs) or pairs < 1):
        raise OptionError(
            (Argument("pairs"), f' must be None, "exact" or a positive number; got {pairs!r}.')
        )
    resampled = method.true_means is not None and method.discordance is None
    if not (method.sigma or (resampled and not exact)):
        raise OptionError(
            (f"{method.name} does not support ", Argument("pairs", pairs), "."),
            ("Use ML or MSQD, or leave out ", Argument("pairs"), " to use joint draws."),
        )
    number = int(sample.pairs)
    if exact:
        a, b = (index.astype(np.int64) for index in np.triu_indices(number, 1))
    else:
        stream, size = sample.stream("pairs"), int(pairs)
        a, b = stream.integers(number, size=size), stream.integers(max(number - 1, 1), size=size)
        b = b + (b >= a)
    return _from_pairs(sample, method, a, b)


def _from_pairs(sample: Sample, method: Estimator, a: Integers, b: Integers) -> dict[str, float]:
    """Sum the covariances of pairs a and b of systems, scaled to all pairs of pairs."""
    low, high = np.tril_indices(sample.systems, -1)
    number = len(low)
    found = pair_discordance(method, sample)
    p = np.zeros(number) if found is None else found[low, high]
    tied = sample.tied[low, high]
    if number == 1:
        a = b = np.empty(0, np.int64)
    if method.sigma:
        products = _student_products(sample, method.sigma(sample), p, a, b)
    else:
        products = _drawn_products(sample, method, a, b)
    result = {}
    for name, weights in sample.weights.items():
        w = weights[low, high]
        one = float(w @ p) ** 2
        two = float((w**2 * np.where(tied, p / 2, p)).sum())  # a tied pair counts 0 or 1/2
        three = float((w[a] * w[b]) @ products) * number * (number - 1) / max(len(a), 1)
        result[name] = max(two + three - one, 0.0)
    return result


def _student_products(
    sample: Sample, sigmas: FloatArray, p: FloatArray, a: Integers, b: Integers
) -> FloatArray:
    """Return E[D_a D_b] by the bivariate t; tied or constant pairs are independent of others."""
    low, high = np.tril_indices(sample.systems, -1)
    n = sample.topics
    sigma, sd = sigmas[low, high], sample.sd[low, high]
    centred = sample.by_system - sample.by_system.mean(axis=1, keepdims=True)
    moving = (sd > 0) & ~sample.tied[low, high]
    with np.errstate(divide="ignore", invalid="ignore"):
        threshold = -math.sqrt(n) * sample.differences[low, high] / sigma
        shape = (centred[high] - centred[low]) / (sd * math.sqrt(n - 1))[:, None]
    products = p[a] * p[b]
    for begin in range(0, len(a), _AT_ONCE):
        here = np.arange(begin, min(begin + _AT_ONCE, len(a)))
        here = here[moving[a[here]] & moving[b[here]]]
        i, j = a[here], b[here]
        correlation = np.einsum("kt,kt->k", shape[i], shape[j]).clip(-1, 1)
        products[here] = bivariate_t(threshold[i], threshold[j], correlation, n - 1)
    return products


def _drawn_products(sample: Sample, method: Estimator, a: Integers, b: Integers) -> FloatArray:
    """Return E[D_a D_b] as the share of draws that swap both; a tied pair counts half."""
    low, high = np.tril_indices(sample.systems, -1)
    (part,) = joint_differences(method, sample) or ()
    draws = np.ascontiguousarray(part.centre.T)
    used, where = np.unique(np.concatenate([a, b]), return_inverse=True)
    # Halves as integers: small integers multiply many times faster than floats.
    halves = np.empty((len(used), draws.shape[1]), np.uint8)
    for begin in range(0, len(used), 1_000):
        rows = slice(begin, begin + 1_000)
        i, j = low[used[rows]], high[used[rows]]
        difference = draws[j] - draws[i]
        swapped = 2 * (difference < -sample.noise)
        halves[rows] = np.where(sample.tied[i, j][:, None], abs(difference) > sample.noise, swapped)
    first, second = where[: len(a)], where[len(a) :]
    products = np.empty(len(a))
    for begin in range(0, len(a), 1_000):
        rows = slice(begin, begin + 1_000)
        both = halves[first[rows]] * halves[second[rows]]
        products[rows] = both.sum(axis=1, dtype=np.uint32) / (4 * draws.shape[1])
    return products


def bivariate_t(h: FloatArray, k: FloatArray, rho: FloatArray, degrees: int) -> FloatArray:
    r"""Return P(T1 < h, T2 < k) for a bivariate t with correlation rho and one chi-square.

    From the derivative with respect to the correlation (Plackett 1954, for the normal), with
    :math:`\rho = \cos\phi` and :math:`T(h, k; 1) = T(\min(h, k))`:

    .. math:: T(h, k; \rho) = T(\min(h, k)) - \frac{1}{2\pi} \int_0^{\arccos\rho} \left( 1 +
        \frac{h^2 + k^2 - 2 h k \cos\phi}{\nu \sin^2\phi} \right)^{-\nu/2} d\phi
    """
    # Negative correlations by symmetry, so that the integral avoids the singularity at pi.
    flip = rho < 0
    k, rho = np.where(flip, -k, k), abs(rho)
    # Panels shrink towards 0, where the integrand rises steeply when h and k are close.
    nodes, weights = np.polynomial.legendre.leggauss(8)
    edges = np.r_[0.0, 4.0 ** np.arange(-10, 1)]
    left, width = edges[:-1, None], np.diff(edges)[:, None]
    u = (left + width * (nodes + 1) / 2).ravel()
    weight = (width * weights / 2).ravel()
    angle = np.arccos(rho)[:, None]
    phi = np.maximum(angle * u, 1e-150)
    half = np.sin(phi / 2) ** 2
    distance = (h - k)[:, None] ** 2 + 4 * (h * k)[:, None] * half
    with np.errstate(over="ignore"):
        ratio = np.maximum(distance, 0.0) / (4 * degrees * half * (1 - half))
    integral = np.exp(-degrees / 2 * np.log1p(ratio)) @ weight * angle[:, 0] / (2 * math.pi)
    result = stdtr(degrees, np.minimum(h, k)) - integral
    result = np.where(flip, stdtr(degrees, h) - result, result)
    return np.asarray(np.clip(result, 0.0, 1.0))
