"""The additive models' closed forms against dense normal distributions."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bayescorr.bayes.data import prepare
from bayescorr.bayes.model import get_model
from bayescorr.models import additive

DRAW = {
    "sigma_topic": np.array([1.3]),
    "sigma_system": np.array([0.8]),
    "sigma": np.array([0.7]),
    "w": np.array([0.4]),
    "e": np.array([[0.3, -1.0, 0.5, 1.2]]),
}


@pytest.fixture
def scores():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(5, 4)) + rng.normal(size=(5, 1)) + np.linspace(0, 1, 4)
    return pd.DataFrame(values, columns=list("abcd"))


def dense(model, data, priors):
    """Covariance of all scores, topic after topic, and of the scores with the true means."""
    n, m = data.n_topics, data.n_systems
    noise = np.broadcast_to(model.noise({k: v[0] for k, v in DRAW.items()}, np), m)
    means = DRAW["sigma_system"][0] ** 2 * np.eye(m) + priors["mu0_sd"] ** 2
    topic = np.diag(noise**2) + DRAW["sigma_topic"][0] ** 2
    return np.kron(np.ones((n, n)), means) + np.kron(np.eye(n), topic), means


@pytest.mark.parametrize("name", ["additive", "additive-hetero"])
def test_marginal_equals_dense_normal(name, scores):
    model, (data, _) = get_model(name), prepare(scores)
    priors = model.full_priors(None)
    covariance, _ = dense(model, data, priors)
    expected = stats.multivariate_normal(np.zeros(20), covariance).logpdf(data.standard.ravel())
    noise, topic, system = model._variances(DRAW, data)
    found = additive._log_marginal(
        data.scatter_factor,
        data.means,
        data.n_topics,
        noise,
        topic[:, 0],
        system[:, 0],
        priors["mu0_sd"] ** 2,
        np,
    )
    assert found == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("name", ["additive", "additive-hetero"])
def test_means_have_their_conditional_moments(name, scores):
    model, (data, _) = get_model(name), prepare(scores)
    priors = model.full_priors({"mu0_sd": 2.0})
    covariance, means = dense(model, data, priors)
    cross = np.kron(np.ones((1, data.n_topics)), means)
    expected = data.to_scores(cross @ np.linalg.solve(covariance, data.standard.ravel()))
    spread = means - cross @ np.linalg.solve(covariance, cross.T)
    many = {key: np.repeat(value, 60_000, axis=0) for key, value in DRAW.items()}
    draws = model.true_means(many, data, priors, np.random.default_rng(1))
    error = np.sqrt(np.diag(spread)) * data.scale / np.sqrt(len(draws))
    assert (np.abs(draws.mean(axis=0) - expected) < 4.5 * error).all()
    np.testing.assert_allclose(np.cov(draws.T) / data.scale**2, spread, rtol=0.05, atol=0.01)


@pytest.mark.parametrize("name", ["additive", "additive-hetero"])
def test_leaving_a_topic_out_is_a_conditional_density(name, scores):
    model, (data, _) = get_model(name), prepare(scores)
    priors = model.full_priors(None)
    covariance, _ = dense(model, data, priors)
    found = model.log_likelihood(DRAW, data, priors)[0]
    covariance = covariance * data.scale**2
    for t in range(data.n_topics):
        rest = np.delete(np.arange(20), np.arange(4 * t, 4 * t + 4))
        values = (data.values - data.location).ravel()
        joint = stats.multivariate_normal(np.zeros(20), covariance).logpdf(values)
        part = covariance[np.ix_(rest, rest)]
        other = stats.multivariate_normal(np.zeros(16), part).logpdf(values[rest])
        assert found[t] == pytest.approx(joint - other, abs=1e-8)


def test_topics_with_missing_and_noisy_cells(scores):
    model = get_model("additive-hetero")
    scores = scores.mask(np.eye(5, 4, dtype=bool))
    sd = pd.DataFrame(
        np.linspace(0, 0.5, 20).reshape(5, 4), index=scores.index, columns=scores.columns
    )
    data, _ = prepare(scores, sd)
    mu = np.array([[0.1, -0.2, 0.3, 0.0]])
    found = model.log_likelihood({**DRAW, "mu": mu}, data, model.full_priors(None))[0]
    noise = model.noise({k: v[0] for k, v in DRAW.items()}, np) ** 2
    for t in range(5):
        seen = ~data.missing[t]
        spread = np.diag(noise + (data.score_sd[t] / data.scale) ** 2) + DRAW["sigma_topic"] ** 2
        spread = spread[np.ix_(seen, seen)] * data.scale**2
        values = data.values[t, seen] - data.to_scores(mu[0])[seen]
        expected = stats.multivariate_normal(np.zeros(seen.sum()), spread).logpdf(values)
        assert found[t] == pytest.approx(expected)


def test_covariance_is_diagonal_plus_one(scores):
    model, (data, _) = get_model("additive"), prepare(scores)
    found = model.covariance(DRAW, np.zeros((1, 4)), data, model.full_priors(None), None)[0]
    np.testing.assert_allclose(found, data.scale**2 * (0.7**2 * np.eye(4) + 1.3**2))
