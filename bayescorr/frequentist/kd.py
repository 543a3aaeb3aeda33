r"""KD: topics resampled from a kernel density of each pair's differences.

A mean of n draws from a Gaussian kernel density is a bootstrap mean plus N(0, h^2 / n), hence

.. math:: p \approx \frac 1 T \sum_t \Phi\left( -\sqrt n \, \bar X^*_t / h \right)

without drawing from the kernel (Urbano & Marrero 2016, section 3.1.4). The bandwidth h of a pair is
the direct plug-in of Wand & Jones. It does not exist where at least half of the differences are
equal; KD then uses ML, as in the code of the paper.

Each pair has its own kernel, so there is no joint distribution of the true means and KD supports
tau and tau_ap only. For intervals, the bootstrap means of all pairs are joint, and their kernel
noise has the correlation of the differences.
"""

from __future__ import annotations

import math

import numpy as np

from bayescorr._numbers import FloatArray
from bayescorr.frequentist.estimator import URBANO_MARRERO, Differences, Estimator
from bayescorr.frequentist.ml import t_discordance, unbiased_sd, unbiasing_factor
from bayescorr.frequentist.sample import Sample, bootstrap_means, normal_noise, t_noise


def bandwidths(sample: Sample) -> FloatArray:
    """Return the bandwidth of each pair's differences, NaN where undefined and elsewhere."""
    from bayescorr.frequentist.bandwidth import pair_bandwidths

    widths = sample.over_pairs(
        pair_bandwidths, sample.by_system, sample.noise, steps=50 * sample.topics
    )
    return np.where(np.tril(sample.sd > 0, -1), widths, np.nan)


def discordance(sample: Sample) -> FloatArray:
    """Return P(truth swaps each pair); exactly 1/2 for equal means, whichever comes first."""
    from bayescorr.frequentist import _kernels

    widths = sample.once(bandwidths)
    draws = np.ascontiguousarray(sample.once(bootstrap_means).T)
    noise = widths / math.sqrt(sample.effective_topics)
    smoothed = sample.over_pairs(_kernels.pair_smoothed, draws, noise, steps=4 * sample.draws)
    smoothed[sample.tied] = 0.5
    return np.where(np.isnan(widths), t_discordance(sample, unbiased_sd(sample)), smoothed)


def differences(sample: Sample) -> tuple[Differences, ...]:
    """Return bootstrap means plus kernel noise, and ML's draws for pairs without a kernel."""
    root = math.sqrt(sample.effective_topics)
    widths = sample.once(bandwidths)
    missing = np.isnan(widths)
    spread = np.divide(widths, sample.sd * root, out=np.full_like(widths, np.nan), where=~missing)
    kernel = Differences(sample.once(bootstrap_means), sample.once(normal_noise), spread)
    if not np.tril(missing, -1).any():
        return (kernel,)
    fallback = np.where(missing, unbiasing_factor(sample.topics) / root, np.nan)
    fallback[missing & (sample.sd == 0)] = 0.0
    return kernel, Differences(sample.means[None], sample.once(t_noise), fallback)


def notes(sample: Sample) -> tuple[str, ...]:
    """Say how often KD falls back on ML."""
    count = int(np.tril(np.isnan(sample.once(bandwidths)), -1).sum())
    where = f"{count} of {sample.pairs:.0f} pairs"
    reason = "at least half of their differences are equal, so no kernel can be fitted"
    return (f"KD uses ML for {where}: {reason}.",) if count else ()


KD = Estimator(
    name="KD",
    description="Kernel density: resampling from a smoothed distribution of the differences.",
    citation=f"{URBANO_MARRERO}, section 3.1.4",
    discordance=discordance,
    differences=differences,
    notes=notes,
)
