r"""Variance of tau and tau_ap from the dependence between pairs of pairs of systems.

.. math:: Var(\tau) = \sum_{ij} \sum_{kl} w_{ij} w_{kl} \left( E[D_{ij} D_{kl}] - p_{ij} p_{kl}
    \right)

with the weights of equations 3 and 4 (Bavdaz 2018, sections 4.2.2-4.2.4). Joint draws of all
differences give every pair of pairs at once and are the default. The thesis takes a sample of the
pairs of pairs and, for ML and MSQD, a bivariate t for each. Its section 4.2.4 is misprinted: with N
pairs of systems and k sampled pairs of different ones, the sum is X2 + X3 N (N - 1) / k - X1, where
X1 is the sum of all p_ij p_kl and X2 that of E[D_ij^2].
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from scipy.special import stdtr

from bayescorr._numbers import FloatArray
from bayescorr._random import RandomSeed
from bayescorr.errors import OptionError
from bayescorr.frequentist import ml, msqd
from bayescorr.frequentist.api import prepare
from bayescorr.frequentist.estimates import joint_differences, pair_discordance, pairwise_draws
from bayescorr.frequentist.estimator import Estimator, Integers, Sample
from bayescorr.frequentist.registry import find_estimator

# The estimators whose differences are jointly t, and the sigma of each pair.
_STUDENT = {
    "ML": lambda sample: sample.sd * ml.unbiasing_factor(sample.topics),
    "MSQD": lambda sample: sample.once(msqd.quantile_sd)[0],
}

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
    """Variance of tau and tau_ap between the observed and the true ranking.

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
        How many joint draws, or resamples of the topics.
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
    found = sample_variance(sample, estimator, pairs)
    return pd.Series(found, name=estimator.name)


def sample_variance(
    sample: Sample, method: Estimator, pairs: int | str | None = None
) -> dict[str, float]:
    """Variance of tau and tau_ap; see :func:`variance`."""
    if pairs is None:
        parts = joint_differences(method, sample)
        if parts is None:
            raise OptionError(
                f"{method.name} has no joint draws, so no variance.", "Use ML, MSQD, RES or KD."
            )
        return {k: float(v.var(ddof=1)) for k, v in pairwise_draws(sample, parts).items()}
    student = method.name in _STUDENT
    resampled = method.true_means is not None and method.discordance is None
    if not (student or (resampled and pairs != "exact")):
        raise OptionError(
            f"pairs={pairs!r} is not to be had for {method.name}.",
            "Use ML or MSQD, or pairs=None for all pairs of the joint draws.",
        )
    number = int(sample.pairs)
    if pairs == "exact":
        a, b = (index.astype(np.int64) for index in np.triu_indices(number, 1))
    elif isinstance(pairs, (int, np.integer)) and not isinstance(pairs, bool) and pairs > 0:
        stream = sample.stream("pairs")
        a, b = stream.integers(number, size=pairs), stream.integers(max(number - 1, 1), size=pairs)
        b = b + (b >= a)
    else:
        raise OptionError(
            f"pairs={pairs!r} found.", 'Give None, the number of pairs to sample, or "exact".'
        )
    return _from_pairs(sample, method, a, b)


def _from_pairs(sample: Sample, method: Estimator, a: Integers, b: Integers) -> dict[str, float]:
    """Add up the covariances of pairs a and b of systems, scaled to all pairs of them."""
    low, high = np.tril_indices(sample.systems, -1)
    number = len(low)
    found = pair_discordance(method, sample)
    p = np.zeros(number) if found is None else found[low, high]
    tied = sample.tied[low, high]
    if number == 1:
        a = b = np.empty(0, np.int64)
    products = (
        _student_products(sample, method, p, a, b)
        if method.name in _STUDENT
        else _drawn_products(sample, method, a, b)
    )
    result = {}
    for name, weights in sample.weights.items():
        w = weights[low, high]
        one = float(w @ p) ** 2
        two = float((w**2 * np.where(tied, p / 2, p)).sum())  # a tied pair counts 0 or 1/2
        three = float((w[a] * w[b]) @ products) * number * (number - 1) / max(len(a), 1)
        result[name] = max(two + three - one, 0.0)
    return result


def _student_products(
    sample: Sample, method: Estimator, p: FloatArray, a: Integers, b: Integers
) -> FloatArray:
    """E[D_a D_b] by the bivariate t; a pair that is tied or constant is independent of others."""
    low, high = np.tril_indices(sample.systems, -1)
    n = sample.topics
    sigma, sd = _STUDENT[method.name](sample)[low, high], sample.sd[low, high]
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
    """E[D_a D_b] as the share of draws that swap both; a tied pair counts half, either way."""
    low, high = np.tril_indices(sample.systems, -1)
    (part,) = joint_differences(method, sample) or ()
    draws = np.ascontiguousarray(part.centre.T)
    used, where = np.unique(np.concatenate([a, b]), return_inverse=True)
    # Halves as whole numbers: small integers are multiplied many times faster than floats.
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
    r"""P(T1 < h, T2 < k) for a bivariate t with correlation rho and one shared chi-square.

    From the derivative with respect to the correlation (Plackett 1954, for the normal), with
    :math:`\rho = \cos\phi` and :math:`T(h, k; 1) = T(\min(h, k))`:

    .. math:: T(h, k; \rho) = T(\min(h, k)) - \frac{1}{2\pi} \int_0^{\arccos\rho} \left( 1 +
        \frac{h^2 + k^2 - 2 h k \cos\phi}{\nu \sin^2\phi} \right)^{-\nu/2} d\phi

    Examples
    --------
    >>> one = np.ones(1)
    >>> bivariate_t(0 * one, 0 * one, 0.5 * one, 9).round(6)
    array([0.333333])
    """
    # Negative correlations by symmetry, so that the integral stays clear of its end at pi.
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
    clipped: FloatArray = np.clip(result, 0.0, 1.0)
    return clipped
