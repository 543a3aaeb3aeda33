"""Thousands of items: a factor takes the place of the scores, and gives the same distribution."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescorr
from bayescorr import _numbers
from bayescorr.frequentist.api import prepare
from bayescorr.frequentist.sample import bootstrap_means, normal_noise
from bayescorr.models import _niw, bootstrap


@pytest.fixture(scope="module")
def items():
    """0/1 scores of six systems on 3,000 items."""
    rng = np.random.default_rng(1)
    right = rng.random((3000, 6)) < np.linspace(0.3, 0.7, 6) * rng.random((3000, 1)) ** 0.5
    return pd.DataFrame(right.astype(float), columns=list("abcdef"))


def test_a_factor_has_the_same_products(items):
    centred = items.to_numpy() - items.to_numpy().mean(axis=0)
    factor = _numbers.row_factor(centred)
    assert factor.shape == (6, 6)
    assert np.allclose(factor.T @ factor, centred.T @ centred)


def test_short_tables_are_unchanged(items):
    short = items.to_numpy()[:1000]
    assert _numbers.row_factor(short) is short


@pytest.mark.parametrize("most", [2, 10**9])
def test_means_and_covariances_given_the_hyperparameters(items, most, monkeypatch):
    """Closed-form moments hold with the factor and without it."""
    monkeypatch.setattr(_numbers, "MOST_ROWS", most)
    size, m, n = 4000, 6, 300
    posterior = _niw.Posterior(
        scores=items.to_numpy()[:n],
        c=np.full(size, 9.0),
        delta=np.full((size, m), 0.1),
        loadings=np.full((size, m, 1), 0.2),
        mu0=np.full(size, 0.4),
        kappa=0.25,
    )
    centred, apart = posterior.centred, posterior.means - 0.4
    scale = np.diag(posterior.diagonal[0]) + 9 * np.full((m, m), 0.04) + centred.T @ centred
    scale += posterior.prior_weight * np.outer(apart, apart)
    # A multivariate t with nu = c + n + 2 degrees of freedom.
    expected = posterior.shrinkage / n * scale / (9 + n + 2 - 2)
    drawn = posterior.draw_means(np.random.default_rng(2))
    sd = np.sqrt(np.diag(expected))
    assert np.abs((drawn.mean(axis=0) - posterior.centre[0]) / sd).max() < 4.5 / np.sqrt(size)
    assert np.abs(np.cov(drawn.T) / np.outer(sd, sd) - expected / np.outer(sd, sd)).max() < 0.12
    few = _niw.Posterior(
        posterior.scores, *(x[:200] for x in (posterior.c, posterior.delta, posterior.loadings)),
        posterior.mu0[:200], 0.25,
    )  # fmt: skip
    sigma = few.draw_covariance(drawn[:200], np.random.default_rng(3)).mean(axis=0)
    total = scale + (n + 4) * np.cov(drawn.T)
    assert np.allclose(sigma, total / (9 + n + 1), rtol=0.25, atol=0.02)


@pytest.mark.parametrize("model", ["flat", "bootstrap-shrunk"])
def test_exact_models_have_the_standard_errors_of_the_means(items, model):
    fit = bayescorr.fit(items, model, random_seed=1)
    drawn = fit.true_means.to_numpy().reshape(-1, 6)
    error = items.std() / np.sqrt(len(items))
    assert np.allclose(drawn.std(axis=0) / error, 1, atol=0.06)
    assert np.abs((drawn.mean(axis=0) - items.mean()) / error).max() < 0.2


def test_blocks_of_the_bootstrap_change_nothing(items, monkeypatch):
    table = items.iloc[:40]
    whole = bayescorr.fit(table, "bootstrap", random_seed=1, warn=False)
    monkeypatch.setattr(bootstrap, "MOST_WEIGHTS", 100)
    blocks = bayescorr.fit(table, "bootstrap", random_seed=1, warn=False)
    assert np.allclose(whole.true_means, blocks.true_means, rtol=1e-12)


def test_estimators_have_the_standard_errors_of_the_means(items):
    _, sample = prepare(items, 3000, True, "error", 1)
    error = (items.std() / np.sqrt(len(items))).to_numpy()[sample.order]
    assert np.allclose(normal_noise(sample).std(axis=0) / np.sqrt(3000) / error, 1, atol=0.06)
    assert np.allclose(bootstrap_means(sample).std(axis=0) / error, 1, atol=0.06)
