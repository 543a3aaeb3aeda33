"""Means over new topics, in closed form, against drawing Sigma, weights and topics."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bayescorr.bayes.data import prepare
from bayescorr.bayes.model import get_model
from bayescorr.models import _niw

SIZE, NEW = 8_000, 4


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(7)
    scores = rng.normal(size=(6, 5)) + rng.normal(size=(6, 1)) + np.linspace(0, 1.2, 5)
    return prepare(pd.DataFrame(scores))[0]


def new_means(name, data, n_topics, draws=SIZE, **priors):
    model = get_model(name)
    rng = np.random.default_rng(1)
    blank = np.zeros((draws, data.n_systems))
    return model.new_means({}, blank, data, model.full_priors(priors), n_topics, rng)


@pytest.mark.slow
@pytest.mark.parametrize("kappa", [0.25, None])
def test_integrating_sigma_out_equals_drawing_it(kappa):
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(7, 4)) + 0.5 * np.arange(4)
    posterior = _niw.Posterior(
        scores=scores,
        c=np.full(SIZE, 3.7),
        delta=np.tile(rng.uniform(0.5, 2, size=4), (SIZE, 1)),
        loadings=np.tile(rng.normal(size=(4, 1)), (SIZE, 1, 1)),
        mu0=np.full(SIZE, 0.4),
        kappa=kappa,
    )
    fast = posterior.draw_means(rng, NEW)
    means = posterior.draw_means(rng)
    factor = np.linalg.cholesky(posterior.draw_covariance(means, rng))
    slow = means + np.einsum("dij,dj->di", factor, rng.standard_normal((SIZE, 4))) / np.sqrt(NEW)
    for contrast in ([1, -1, 0, 0], [1, 1, -1, -1], [0, 0, 0, 1]):
        assert stats.ks_2samp(fast @ contrast, slow @ contrast).pvalue > 1e-3
    ends = np.abs(fast[:, 0] - fast[:, 1]), np.abs(slow[:, 0] - slow[:, 1])
    np.testing.assert_allclose(np.quantile(ends[0], 0.99), np.quantile(ends[1], 0.99), rtol=0.08)


def test_flat_pairs_have_the_noise_of_both_sets(data):
    draws, n = new_means("flat", data, NEW), data.n_topics
    for i in range(5):
        for j in range(i):
            differences = data.values[:, i] - data.values[:, j]
            sd = differences.std(ddof=1) * np.sqrt(1 / n + 1 / NEW)
            expected = stats.t.cdf(-differences.mean() / sd, n - 1)
            found = (draws[:, i] < draws[:, j]).mean()
            assert abs(found - expected) < 4.5 * np.sqrt(expected * (1 - expected) / SIZE)


@pytest.mark.parametrize(("name", "topics"), [("bootstrap", 0.0), ("bootstrap-shrunk", 3.0)])
def test_bootstrap_draws_topics_with_the_weights_of_the_population(data, name, topics):
    draws = new_means(name, data, NEW, **({"prior_topics": topics} if topics else {}))
    rng = np.random.default_rng(2)
    kept = data.n_topics / (data.n_topics + topics)
    observed = data.values.mean(axis=0)
    slow = []
    for _ in range(5000):
        weights = rng.dirichlet(np.ones(data.n_topics))
        chosen = rng.choice(data.n_topics, size=NEW, p=weights)
        truth = weights @ data.values
        mu = observed.mean() + kept * (observed - observed.mean())
        mu = mu + np.sqrt(kept) * (truth - observed)
        slow.append(mu + data.values[chosen].mean(axis=0) - truth)
    for contrast in ([1, -1, 0, 0, 0], [1, 1, 0, -1, -1], [0, 0, 0, 0, 1]):
        assert stats.ks_2samp(draws @ contrast, np.array(slow) @ contrast).pvalue > 1e-3


@pytest.mark.parametrize("name", ["flat", "bootstrap", "bootstrap-shrunk"])
def test_very_many_topics_show_the_true_means(data, name):
    model = get_model(name)
    truth = model.sample(data, model.full_priors(None), SIZE, np.random.default_rng(5))
    draws = new_means(name, data, 10**7)
    for contrast in ([1, -1, 0, 0, 0], [0, 0, 0, 0, 1]):
        assert stats.ks_2samp(draws @ contrast, truth @ contrast).pvalue > 1e-3
