"""Models that are drawn from directly: the flat multivariate t and the Bayesian bootstrap."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bayescorr.bayes.data import prepare
from bayescorr.bayes.model import get_model


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(7)
    scores = rng.normal(size=(6, 5)) + rng.normal(size=(6, 1)) + np.linspace(0, 1.2, 5)
    return prepare(pd.DataFrame(scores))[0]


def sample(name, data, draws=40_000, **priors):
    model = get_model(name)
    return model.sample(data, model.full_priors(priors), draws, np.random.default_rng(1))


def test_flat_pairs_are_paired_t_tests(data):
    draws = sample("flat", data)
    n = data.n_topics
    for i in range(5):
        for j in range(i):
            differences = data.values[:, i] - data.values[:, j]
            t = differences.mean() / (differences.std(ddof=1) / np.sqrt(n))
            expected = stats.t.cdf(-t, n - 1)
            found = (draws[:, i] < draws[:, j]).mean()
            error = np.sqrt(expected * (1 - expected) / len(draws))
            assert abs(found - expected) < 4.5 * error


def test_flat_is_one_multivariate_t(data):
    # One chi-square for all systems: the whole vector, not only its pairs, has the t distribution.
    draws = sample("flat", data)
    n, means = data.n_topics, data.values.mean(axis=0)
    covariance = np.cov(data.values.T) / n * (n - 1) / (n - 3)
    np.testing.assert_allclose(draws.mean(axis=0), means, atol=0.03)
    np.testing.assert_allclose(np.cov(draws.T), covariance, rtol=0.15, atol=0.02)
    # Its five directions are all large together: kurtosis of a shared scale, not of five.
    whitened = (draws - means) @ np.linalg.inv(np.linalg.cholesky(covariance)).T
    reference = stats.multivariate_t(np.zeros(5), np.eye(5) * (n - 3) / (n - 1), df=n - 1).rvs(
        40_000, random_state=2
    )
    radius, expected = (np.sort((x**2).sum(axis=1)) for x in (whitened, reference))
    quantiles = (np.array([0.1, 0.5, 0.9, 0.99]) * 40_000).astype(int)
    np.testing.assert_allclose(radius[quantiles], expected[quantiles], rtol=0.15)


def test_bootstrap_moments(data):
    # Dirichlet(1, ..., 1) weights: variance of a weighted mean is the scatter over n^2 (n + 1).
    draws = sample("bootstrap", data)
    n, means = data.n_topics, data.values.mean(axis=0)
    covariance = (data.values - means).T @ (data.values - means) / (n * (n + 1))
    np.testing.assert_allclose(draws.mean(axis=0), means, atol=0.02)
    np.testing.assert_allclose(np.cov(draws.T), covariance, rtol=0.05, atol=0.005)
    assert (draws <= data.values.max(axis=0)).all()
    assert (draws >= data.values.min(axis=0)).all()


def test_shrunk_bootstrap_moments(data):
    draws = sample("bootstrap-shrunk", data, prior_topics=3.0)
    n, means = data.n_topics, data.values.mean(axis=0)
    kept = n / (n + 3.0)
    covariance = kept * (data.values - means).T @ (data.values - means) / (n * (n + 1))
    expected = means.mean() + kept * (means - means.mean())
    np.testing.assert_allclose(draws.mean(axis=0), expected, atol=0.02)
    np.testing.assert_allclose(np.cov(draws.T), covariance, rtol=0.05, atol=0.005)
