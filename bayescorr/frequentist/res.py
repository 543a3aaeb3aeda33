r"""RES: topics resampled with replacement.

.. math:: p \approx \frac 1 T \sum_t I[\bar X^*_t < 0]

(Urbano & Marrero 2016, eq. 10). Topics are resampled for all systems together: each pair has the
distribution of the paper, and the pairs have the dependence that intervals need (Bavdaz 2018,
section 4.3.3). Means that are equal up to floating-point noise count as equal. With
tasks, topics are resampled within each task.
"""

from __future__ import annotations

from bayescorr.frequentist.estimator import URBANO_MARRERO, Estimator
from bayescorr.frequentist.sample import bootstrap_means

RES = Estimator(
    name="RES",
    description="Resampling: the share of resampled topic sets that swap a pair.",
    citation=f"{URBANO_MARRERO}, eq. 10",
    true_means=bootstrap_means,
    strata=True,
    summaries=True,
)
