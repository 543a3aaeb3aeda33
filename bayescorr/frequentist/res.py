r"""RES: topics resampled with replacement.

.. math:: p \approx \frac 1 T \sum_t I[\bar X^*_t < 0]

(Urbano & Marrero 2016, eq. 10). Topics are resampled for all systems together; each pair then has
the distribution that the paper gives it, and the pairs have the dependence that intervals need
(Bavdaz 2018, section 4.3.3). Means that are equal up to floating-point noise count as equal.
"""

from __future__ import annotations

from bayescorr._numbers import FloatArray
from bayescorr.frequentist.estimator import URBANO_MARRERO, Estimator
from bayescorr.frequentist.sample import Sample, bootstrap_means


def true_means(sample: Sample) -> FloatArray:
    """Draws of the true means: those of the resampled topics."""
    return sample.once(bootstrap_means)


RES = Estimator(
    name="RES",
    description="Resampling: the share of resampled topic sets that swap a pair.",
    citation=f"{URBANO_MARRERO}, eq. 10",
    true_means=true_means,
)
