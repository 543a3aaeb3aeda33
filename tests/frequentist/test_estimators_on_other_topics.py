"""Estimators that predict the ranking by other topics."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaln

import bayescorr
from bayescorr.coefficients import resolve
from bayescorr.frequentist.estimates import estimates
from bayescorr.frequentist.registry import ESTIMATORS
from bayescorr.frequentist.sample import bootstrap_means, make_sample

SCORES = bayescorr.load_dataset("demo").iloc[:12, :6].to_numpy()


def estimate_of(method, others, draws=20_000):
    sample = make_sample(SCORES, draws=draws, random_seed=1, other_topics=others)
    return estimates(sample, [ESTIMATORS[method]], [resolve("tau"), resolve("tau_ap")])[0]


def test_ml_has_the_noise_of_both_sets_in_every_pair():
    n, m, others = *SCORES.shape, 5
    swapped = 0.0
    for i in range(m):
        for j in range(i):
            d = SCORES[:, i] - SCORES[:, j]
            unbias = np.sqrt((n - 1) / 2) * np.exp(gammaln((n - 1) / 2) - gammaln(n / 2))
            sd = d.std(ddof=1) * unbias * np.sqrt(1 / n + 1 / others)
            swapped += stats.t.cdf(-abs(d.mean()) / sd, n - 1)
    tau, _ = estimate_of("ML", others)
    assert tau.value == pytest.approx(1 - 4 * swapped / (m * (m - 1)), rel=1e-9)


@pytest.mark.parametrize("method", ["ML", "MSQD", "RES", "KD"])
def test_estimate_and_draws_agree(method):
    for found in estimate_of(method, 5):
        error = found.sd / np.sqrt(len(found.draws))
        assert found.draws.mean() == pytest.approx(found.value, abs=5 * error)


@pytest.mark.parametrize("method", ["ML", "MSQD", "RES", "KD"])
def test_few_other_topics_agree_less_and_very_many_show_the_truth(method):
    few, many, truth = (estimate_of(method, others)[0] for others in (5, 10**7, None))
    assert few.value < many.value - 0.02
    assert few.sd > many.sd
    assert many.value == pytest.approx(truth.value, abs=0.01)
    assert many.interval(0.9) == pytest.approx(truth.interval(0.9), abs=0.07)


def test_resampling_takes_the_resampled_topics_as_the_population():
    sample = make_sample(SCORES, draws=20_000, random_seed=1, other_topics=5)
    rng = np.random.default_rng(2)
    slow = [
        sample.values[rng.choice(rng.integers(12, size=12), size=5)].mean(axis=0)
        for _ in range(10_000)
    ]
    for contrast in ([1, -1, 0, 0, 0, 0], [0, 0, 1, 1, -1, -1]):
        found = bootstrap_means(sample) @ contrast
        assert stats.ks_2samp(found, np.array(slow) @ contrast).pvalue > 1e-3
