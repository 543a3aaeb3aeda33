"""Reports that need no compiled model: one with all parts, one of many systems."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal

import bayescorr
from bayescorr.bayes.model import ExactModel

#: Names that would be markup if they were not escaped.
NASTY = "<script>alert('x')</script>&\"|a_b*"


class Known(ExactModel):
    """Normal scores whose covariance is taken as known: it can do all that a report asks for."""

    name = "known"
    description = good_for = bad_for = "for tests"
    citation = "Nobody 1999"
    priors: ClassVar = {"prior_topics": 2.0}

    @staticmethod
    def sigma(data):
        return np.cov(data.values, rowvar=False) + 1e-6 * np.eye(data.n_systems)

    def sample(self, data, priors, draws, rng):
        n = data.n_topics
        shrink = n / (n + priors["prior_topics"])
        noise = rng.multivariate_normal(np.zeros(data.n_systems), self.sigma(data) / n, draws)
        level = data.values.mean()
        return level + shrink * (data.values.mean(axis=0) - level) + noise * np.sqrt(shrink)

    def covariance(self, draws, true_means, data, priors, rng):
        return np.broadcast_to(self.sigma(data), (len(true_means), *[data.n_systems] * 2))

    def log_likelihood(self, draws, data, priors):
        normal = multivariate_normal(data.values.mean(axis=0), self.sigma(data))
        return np.broadcast_to(normal.logpdf(data.values), (len(draws["tau"]), data.n_topics))


@pytest.fixture(scope="session")
def scores():
    """Nine systems: two identical, two with equal means, one with a name full of markup."""
    table = bayescorr.load_dataset("demo").iloc[:20, :8].copy()
    table.columns = [NASTY, *table.columns[1:]]
    table["copy"] = table.iloc[:, 3]
    table["turned"] = table.iloc[:, 5].to_numpy()[::-1]
    return table


@pytest.fixture(scope="session")
def whole(scores):
    """A report with all parts."""
    return bayescorr.make_report(
        scores, Known(), k=3, target=0.8, random_seed=1, source="x.csv", command="bayescorr report"
    )


@pytest.fixture(scope="session")
def large():
    """A report of 129 systems, from draws that did not converge; SHw has no interval."""
    rng = np.random.default_rng(1)
    level = np.sort(rng.random(129))
    values = level + 0.3 * rng.standard_normal((50, 129))
    table = pd.DataFrame(values).add_prefix("system-number-")
    table["system-number-7"] = table["system-number-6"]
    steps = rng.standard_normal((4, 300, 129))
    steps[0] += 1.5
    steps[:, :, 7] = steps[:, :, 6]
    with pytest.warns(bayescorr.ScoresWarning, match="Identical"):
        fit = bayescorr.Fit.from_draws(table.mean().to_numpy() + 0.04 * steps, table)
    return bayescorr.make_report(table, fit, methods=["ML", "SHw"], random_seed=1)
