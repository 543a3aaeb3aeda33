from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import bayescorr
from bayescorr.bayes import _stack, sampler
from bayescorr.bayes.alternatives import LOO, leave_out
from bayescorr.bayes.data import ModelData, prepare
from bayescorr.errors import ModelError, OptionError


@pytest.fixture(scope="module")
def normal_mean():
    """Draws of a normal mean with flat prior, and the exact leave-one-out densities."""
    rng = np.random.default_rng(4)
    x = rng.standard_normal(30)
    draws = rng.normal(x.mean(), 1 / np.sqrt(len(x)), 20000)
    density = norm.logpdf(x, draws[:, None], 1)
    n = len(x)
    others = (x.sum() - x) / (n - 1)
    return density, norm.logpdf(x, others, np.sqrt(1 + 1 / (n - 1)))


def test_smoothed_weights_give_the_exact_densities(normal_mean):
    density, exact = normal_mean
    found, k, error = leave_out(density)
    np.testing.assert_allclose(found, exact, atol=0.02)
    assert (k < 0.7).all()
    # The error is of the size of what happens.
    assert 0.3 < np.sqrt(np.mean(((found - exact) / error) ** 2)) < 3


def test_weights_sum_to_one_and_favour_draws_that_predict_badly(normal_mean):
    density, _ = normal_mean
    weights, k = _stack.psis(density)
    assert weights.shape == density.shape
    assert k.shape == (density.shape[1],)
    np.testing.assert_allclose(np.exp(weights).sum(axis=0), 1)
    for t in range(3):
        assert weights[density[:, t].argmin(), t] > weights[density[:, t].argmax(), t]


def test_a_topic_out_of_all_proportion_is_noticed(normal_mean):
    density = normal_mean[0].copy()
    density[:, 3] *= 60
    _, k, _ = leave_out(density)
    assert k[3] > 0.7


def test_density_without_parameters_is_exact():
    density = np.tile([-1.0, -2.0, -4.0], (50, 1))
    found, k, error = leave_out(density)
    np.testing.assert_array_equal(found, [-1, -2, -4])
    assert not error.any()
    topics = pd.Index(["a", "b", "c"])
    result = LOO(-7.0, 1.0, 0.0, 0.0, pd.Series(found, topics), pd.Series(k, topics))
    assert result.exact
    assert result.unreliable == []


def test_sums_and_errors(default, small):
    found = bayescorr.loo(default)
    assert sorted(found.pointwise.index) == sorted(small.index)
    assert found.elpd == pytest.approx(found.pointwise.sum())
    assert found.se == pytest.approx(np.sqrt(20) * found.pointwise.std())
    assert found.p_loo > 0
    assert not found.exact
    assert f"elpd {found.elpd:.1f}" in str(found)
    draws = default.log_likelihood()
    overall = np.log(np.exp(draws - 50).mean(axis=0)) + 50
    assert found.p_loo == pytest.approx(overall.sum() - found.elpd)


@pytest.mark.slow
def test_better_model_first_with_differences_by_topic(default, fit_default, small):
    # The same compiled model with priors that are far off.
    worse = fit_default(small, random_seed=1, priors={"scale": 30.0, "scale_sd": 0.01})
    table = bayescorr.compare_models({"off": worse, "default": default})
    assert table["model"].tolist() == ["default", "off"]
    assert table.loc[0, ["diff", "diff_se"]].tolist() == [0, 0]
    a, b = bayescorr.loo(default), bayescorr.loo(worse)
    assert table.loc[1, "diff"] == pytest.approx(b.elpd - a.elpd)
    assert table.loc[1, "diff"] < 0
    gaps = (b.pointwise - a.pointwise).to_numpy()
    assert table.loc[1, "diff_se"] == pytest.approx(np.sqrt(20 * np.var(gaps, ddof=1)))
    words = table.attrs["words"]
    assert words.startswith("default predicts unseen topics best; its lead over off is ")
    beyond = -table.loc[1, "diff"] > 2 * table.loc[1, "diff_se"]
    assert ("not more than" in words) == (not beyond)


def test_what_cannot_be_compared_is_refused(default, fit_default, small):
    with pytest.raises(OptionError, match="at least 2 models"):
        bayescorr.compare_models({"a": default})
    with pytest.raises(OptionError, match="Cannot fit the models without scores"):
        bayescorr.compare_models(["matrix-t", "matrix-t-flat"])
    with pytest.raises(ModelError, match="'flat' cannot compute the density"):
        bayescorr.compare_models(["flat", "bootstrap"], small, random_seed=1)
    other = fit_default(small + 0.01, random_seed=1)
    with pytest.raises(OptionError, match="different scores"):
        bayescorr.compare_models({"a": default, "b": other})


def test_densities_of_different_things_are_refused(default, monkeypatch):
    class Counts(type(default.model)):
        density_of = "counts"

    counts = bayescorr.Fit(default.idata, default.convergence, Counts())
    with pytest.raises(ModelError, match=r"a \(scores\), b \(counts\)"):
        bayescorr.compare_models({"a": default, "b": counts})


@pytest.mark.slow
def test_against_fits_without_the_topic(small, fit_default):
    """Exact refits on the same scale: the posterior without a topic predicts that topic."""
    fit = fit_default(small, random_seed=1, draws=1500, tune=500, chains=4)
    found = bayescorr.loo(fit)
    data, _ = prepare(fit.scores)
    model, priors = fit.model, fit.priors
    for t in (0, 7, 13):
        kept = np.arange(data.n_topics) != t
        less = ModelData(
            values=data.values[kept],
            topics=[data.topics[i] for i in np.flatnonzero(kept)],
            systems=data.systems,
            location=data.location,
            scale=data.scale,
        )
        sampling = sampler.Sampling(1500, 500, 4, 2, progressbar=False)
        groups = sampler.sample_parameters(model, less, priors, sampling)
        density = model.log_likelihood(sampler.flat_draws(groups["posterior"]), data, priors)[:, t]
        exact = np.logaddexp.reduce(density) - np.log(len(density))
        topic = data.topics[t]
        # Two Monte-Carlo errors, larger where the topic matters more.
        allowed = 0.1 if found.pareto_k[topic] < 0.5 else 0.3
        assert found.pointwise[topic] == pytest.approx(exact, abs=allowed)


def test_what_cannot_be_compared_is_noticed_before_sampling(small, monkeypatch):
    monkeypatch.setattr("bayescorr.bayes.alternatives.fit_model", None)
    with pytest.raises(ModelError, match="'flat' cannot compute the density"):
        bayescorr.compare_models(["matrix-t", "flat"], small)
