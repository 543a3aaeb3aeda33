r"""MSQD: the differences are normal, with the standard deviation that fits their quantiles best.

.. math:: p = T_{n-1}\left( -\sqrt n \, \hat\mu / \hat\sigma \right), \quad
    \hat\sigma = \frac{\sqrt 2 \sum X_i e_i}{2 \sum e_i^2}, \quad
    e_i = \operatorname{erf}^{-1}\left( \frac{2 R_i}{n + 1} - 1 \right)

where :math:`R_i` is the rank of :math:`X_i`, the average rank for equal differences (Urbano &
Marrero 2016, eq. 8-9). With many equal differences the estimate can be zero or negative; MSQD then
uses ML's standard deviation.

Differences are equal when their floating-point numbers are, as in the code of the paper: 0.3 - 0.2
and 0.2 - 0.1 are not. Ranking them as equal would change E[tau] by 2e-6 on four-decimal AP scores
and by 2e-3 on P@10.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from bayescorr._numbers import FloatArray
from bayescorr.frequentist.estimator import URBANO_MARRERO, Differences, Estimator
from bayescorr.frequentist.ml import unbiased_sd
from bayescorr.frequentist.sample import Sample, t_noise


def quantile_sd(sample: Sample) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return sigma of each pair, 0 for constant differences, and which pairs fall back on ML."""
    from bayescorr.frequentist import _kernels

    if sample.tasks:
        return _over_tasks(sample)
    n = sample.topics
    # sqrt(2) e_i is the normal quantile of R_i / (n + 1); average ranks are multiples of 1/2.
    table = np.r_[0.0, ndtri(np.arange(1, 2 * n + 1) / (2 * n + 2))]
    sigma = sample.over_pairs(_kernels.pair_quantile_sd, sample.by_system, table, steps=20 * n)
    constant = sample.sd == 0
    fallback = np.tril(sigma <= sample.noise, -1) & ~constant
    return np.where(constant, 0.0, np.where(fallback, unbiased_sd(sample), sigma)), fallback


def _over_tasks(sample: Sample) -> tuple[FloatArray, NDArray[np.bool_]]:
    r"""Combine tasks: :math:`\sigma^2 / n = \sum_k w_k^2 \sigma_k^2 / n_k`."""
    variance, fallback = (
        np.zeros((sample.systems,) * 2),
        np.zeros((sample.systems,) * 2, dtype=bool),
    )
    for task in sample.tasks:
        sigma, fell = quantile_sd(sample.of_task(task))
        variance += task.weight**2 * sigma**2 / len(task.rows)
        fallback |= fell
    return np.sqrt(sample.topics * variance), fallback


def sigma(sample: Sample) -> FloatArray:
    """Return sigma of each pair."""
    return sample.once(quantile_sd)[0]


def differences(sample: Sample) -> tuple[Differences, ...]:
    """Scale ML's noise by sigma_ij / s_ij: T_ij < -sqrt(n) mean_ij / sigma_ij in every pair."""
    spread = np.divide(
        sigma(sample), sample.sd, out=np.zeros_like(sample.sd), where=sample.sd > 0
    ) / math.sqrt(sample.effective_topics)
    return (Differences(sample.means[None], sample.once(t_noise), spread),)


def notes(sample: Sample) -> tuple[str, ...]:
    """Say how often MSQD falls back on ML."""
    count = int(sample.once(quantile_sd)[1].sum())
    where = f"{count} of {sample.pairs:.0f} pairs"
    reason = "their equal differences leave no positive standard deviation"
    return (f"MSQD uses ML for {where}: {reason}.",) if count else ()


MSQD = Estimator(
    name="MSQD",
    description="Minimum squared quantile deviation: normal differences, sd fitted to quantiles.",
    citation=f"{URBANO_MARRERO}, eq. 8-9",
    sigma=sigma,
    strata=True,
    differences=differences,
    notes=notes,
)
