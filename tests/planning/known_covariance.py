"""Scores and a model whose covariance is known, so that nothing has to be compiled."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bayescorr.bayes.model import ExactModel, correlated_noise

MEANS = np.array([0.30, 0.33, 0.40, 0.42, 0.50])


class KnownCovariance(ExactModel):
    """Normal scores with the sample covariance taken as known: nothing to compile."""

    name = "known"
    description = citation = good_for = bad_for = "for tests"

    @staticmethod
    def sigma(data):
        return np.cov(data.values, rowvar=False)

    def sample(self, data, priors, draws, rng):
        noise = correlated_noise(
            np.broadcast_to(self.sigma(data), (draws, *[data.n_systems] * 2)), rng
        )
        return data.values.mean(axis=0) + noise / np.sqrt(data.n_topics)

    def covariance(self, draws, true_means, data, priors, rng):
        return np.broadcast_to(self.sigma(data), (len(true_means), *[data.n_systems] * 2))


def make_scores(n=20, seed=1):
    rng = np.random.default_rng(seed)
    values = MEANS + 0.1 * rng.standard_normal((n, 1)) + 0.1 * rng.standard_normal((n, 5))
    return pd.DataFrame(values, index=[f"t{i}" for i in range(n)], columns=list("abcde"))
