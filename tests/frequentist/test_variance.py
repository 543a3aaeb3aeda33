"""Standard deviations and intervals: joint draws, sampled pairs of pairs, the exact sum."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_t, t

import bayescorr as bc
from bayescorr.coefficients import resolve
from bayescorr.errors import OptionError
from bayescorr.frequentist import ESTIMATORS, variance
from bayescorr.frequentist.estimates import estimates, joint_differences, pairwise_draws
from bayescorr.frequentist.pairs_of_pairs import bivariate_t, sample_variance
from bayescorr.frequentist.sample import make_sample

COEFFICIENTS = [resolve("tau"), resolve("tau_ap")]


def demo(systems, topics=50):
    return bc.load_dataset("demo").to_numpy()[:topics, :systems]


def variance_error(draws):
    """Monte-Carlo standard error of the variance of draws."""
    squares = (draws - draws.mean()) ** 2
    return squares.std() / np.sqrt(len(draws))


@pytest.mark.parametrize("degrees", [1, pytest.param(4, marks=pytest.mark.slow), 49])
@pytest.mark.parametrize("rho", [-0.999, -0.5, 0.0, 0.3, 0.95])
def test_bivariate_t_against_scipy(degrees, rho):
    h = np.array([-1.2, -0.4, -3.0, 0.0, 0.7])
    k = np.array([-0.8, -0.4, 0.5, -0.001, -2.0])
    found = bivariate_t(h, k, np.full(5, rho), degrees)
    shape = [[1, rho], [rho, 1]]
    joint = multivariate_t(shape=shape, df=degrees)
    exact = [joint.cdf([a, b], random_state=1, maxpts=50_000) for a, b in zip(h, k, strict=True)]
    np.testing.assert_allclose(found, exact, atol=1e-4)


def test_bivariate_t_at_the_ends():
    h, k = np.array([-1.0, -0.3, -0.3]), np.array([-0.5, -0.3, -0.30001])
    one = np.ones(3)
    low = t.cdf(np.minimum(h, k), 9)
    np.testing.assert_allclose(bivariate_t(h, k, one, 9), low, atol=1e-15)
    np.testing.assert_allclose(bivariate_t(h, k, 0.999999999 * one, 9), low, atol=2e-5)
    np.testing.assert_allclose(bivariate_t(h, k, -one, 9), 0, atol=1e-15)
    # Correlation 0 at the centre: the two are uncorrelated and each is below 0 half of the time.
    np.testing.assert_allclose(bivariate_t(0 * one, 0 * one, 0 * one, 3), 0.25, atol=1e-12)


@pytest.mark.parametrize("method", ["ML", "MSQD"])
@pytest.mark.parametrize("coefficient", ["tau", "tau_ap"])
def test_joint_draws_against_the_exact_sum(method, coefficient):
    sample = make_sample(demo(8), draws=40_000, random_seed=1)
    exact = sample_variance(sample, ESTIMATORS[method], "exact")[coefficient]
    draws = pairwise_draws(sample, joint_differences(ESTIMATORS[method], sample))[coefficient]
    assert draws.var() == pytest.approx(exact, abs=4 * variance_error(draws))
    found = sample_variance(sample, ESTIMATORS[method])[coefficient]
    assert found == pytest.approx(draws.var(ddof=1), rel=1e-12)


@pytest.mark.parametrize("method", ["ML", "MSQD"])
def test_the_20_best_systems_of_adhoc6(trec, method):
    scores = trec("adhoc6_ap")
    best = scores[scores.mean().sort_values(ascending=False).index[:20]]
    sample = make_sample(best.to_numpy(), draws=40_000, random_seed=1)
    exact = sample_variance(sample, ESTIMATORS[method], "exact")
    draws = pairwise_draws(sample, joint_differences(ESTIMATORS[method], sample))
    sampled = pd.DataFrame(
        [
            sample_variance(
                make_sample(best.to_numpy(), random_seed=seed), ESTIMATORS[method], 2000
            )
            for seed in range(40)
        ]
    )
    for name in ("tau", "tau_ap"):
        assert draws[name].var() == pytest.approx(exact[name], abs=4 * variance_error(draws[name]))
        error = sampled[name].std() / np.sqrt(len(sampled))
        assert sampled[name].mean() == pytest.approx(exact[name], abs=4 * error)


@pytest.mark.parametrize("method", ["MSQD", "RES"])
def test_sampled_pairs_expect_the_whole(method):
    rows = []
    for seed in range(30):
        sample = make_sample(demo(6), draws=300, random_seed=seed)
        if method == "MSQD":
            whole = sample_variance(sample, ESTIMATORS[method], "exact")
        else:
            draws = pairwise_draws(sample, joint_differences(ESTIMATORS[method], sample))
            whole = {name: values.var() for name, values in draws.items()}
        sampled = sample_variance(sample, ESTIMATORS[method], 3000)
        rows.append([sampled[name] - whole[name] for name in ("tau", "tau_ap")])
    errors = np.std(rows, axis=0, ddof=1) / np.sqrt(len(rows))
    assert (abs(np.mean(rows, axis=0)) < 4 * errors).all()
    assert (errors < 0.1 * whole["tau"]).all()


@pytest.mark.parametrize("method", ["ML", "MSQD", "KD"])
def test_draws_have_the_expectation_of_the_closed_form(method):
    sample = make_sample(demo(12, topics=15), draws=20_000, random_seed=3)
    found, _ = estimates(sample, [ESTIMATORS[method]], COEFFICIENTS)
    for e in found:
        assert e.draws.mean() == pytest.approx(e.value, abs=4 * e.sd / np.sqrt(len(e.draws)))


def test_kd_draws_where_some_pairs_have_no_kernel():
    rng = np.random.default_rng(8)
    values = rng.integers(0, 11, (12, 6)) / 10
    values[:, 1] = values[:, 0] + np.where(np.arange(12) < 2, 0.07, 0.0)  # mostly the same
    values[:, 2] = values[:, 0] - 0.01  # always worse
    values[:, 4] = values[:, 3]  # identical
    sample = make_sample(values, draws=20_000, random_seed=3)
    found, notes = estimates(sample, [ESTIMATORS["KD"]], COEFFICIENTS)
    assert "KD uses ML for 4 of 15 pairs" in notes[0]
    for e in found:
        assert e.draws.mean() == pytest.approx(e.value, abs=4 * e.sd / np.sqrt(len(e.draws)))


def test_ml_draws_of_true_means_agree_with_its_differences():
    sample = make_sample(demo(10), draws=3000, random_seed=1)
    truth = ESTIMATORS["ML"].true_means(sample)
    draws = pairwise_draws(sample, joint_differences(ESTIMATORS["ML"], sample))
    np.testing.assert_allclose(bc.tau(truth, sample.means), draws["tau"], atol=1e-12)


def test_intervals():
    scores = bc.load_dataset("demo")
    options = {"methods": ["ML", "RES"], "coefficients": "tau", "random_seed": 1}
    quantile = bc.estimate(scores, level=0.8, **options)
    normal = bc.estimate(scores, level=0.8, interval="normal", **options)
    wide = bc.estimate(scores, level=0.99, **options)
    assert (quantile["level"] == 0.8).all()
    np.testing.assert_allclose(normal["upper"] - normal["lower"], 2 * 1.2815516 * normal["sd"])
    np.testing.assert_allclose((normal["upper"] + normal["lower"]) / 2, normal["estimate"])
    assert (wide["lower"] < quantile["lower"]).all()
    assert (wide["upper"] > quantile["upper"]).all()
    assert (quantile["lower"] >= -1).all()
    assert (quantile["upper"] <= 1).all()


def test_two_systems():
    # One pair: D is a coin, tau = 1 - 2 D.
    sample = make_sample(demo(2), random_seed=1)
    p = bc.discordance(bc.load_dataset("demo").iloc[:, :2], "ML").to_numpy()[0, 1]
    for pairs in ("exact", 10):
        found = sample_variance(sample, ESTIMATORS["ML"], pairs)
        assert found == pytest.approx({"tau": 4 * p * (1 - p), "tau_ap": 4 * p * (1 - p)})


def test_tied_pairs_do_not_vary():
    scores = pd.DataFrame({"a": [0.1, 0.2, 0.3], "b": [0.3, 0.25, 0.05]})
    sample = make_sample(scores.to_numpy(), random_seed=1)
    assert sample_variance(sample, ESTIMATORS["MSQD"], "exact") == {"tau": 0.0, "tau_ap": 0.0}
    assert sample_variance(sample, ESTIMATORS["MSQD"]) == {"tau": 0.0, "tau_ap": 0.0}


def test_variance_of_labelled_scores():
    scores = bc.load_dataset("demo").iloc[:, :6]
    found = variance(scores, "RES", random_seed=1)
    table = bc.estimate(scores, "RES", random_seed=1)
    np.testing.assert_allclose(np.sqrt(found), table["sd"])
    shuffled = scores.sample(frac=1, axis=1, random_state=3)
    pd.testing.assert_series_equal(variance(shuffled, "RES", pairs=50, random_seed=1),
                                   variance(scores, "RES", pairs=50, random_seed=1))  # fmt: skip


@pytest.mark.parametrize(
    ("method", "pairs"), [("SHw", None), ("KD", 100), ("RES", "exact"), ("ML", 0), ("ML", "all")]
)
def test_unsupported_variances(method, pairs):
    with pytest.raises(OptionError):
        variance(bc.load_dataset("demo"), method, pairs=pairs)
