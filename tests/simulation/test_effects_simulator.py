from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special, stats

import bayescorr
from bayescorr import EffectsSimulator
from bayescorr.errors import OptionError, ScoresError
from bayescorr.simulation.effects import biased_choice, inverse_logit, kernel_margin, logit
from bayescorr.simulation.margins_kernel import kernel_bandwidth

N = 20_000


def slow_sample(scores: pd.DataFrame, n_topics: int, seed: int) -> np.ndarray:
    """Sample by the 2016 algorithm: nearest positive definite, Cholesky, root-finding."""
    y = logit(scores.to_numpy())
    mean, topics, systems = y.mean(), y.mean(axis=1), y.mean(axis=0)
    effects = np.column_stack([y - topics[:, None] - systems + mean, topics - mean])
    covariance = np.cov(effects.T)
    values, vectors = np.linalg.eigh(covariance)
    repaired = (vectors * np.maximum(values, 1e-8 * values.max())) @ vectors.T
    normal = np.random.default_rng(seed).standard_normal((n_topics, len(repaired)))
    u = special.ndtr(normal @ np.linalg.cholesky(repaired).T / np.sqrt(np.diag(repaired)))
    limit = 2 * logit(np.array(1.0))
    drawn = np.empty_like(u)
    for j, column in enumerate(effects.T):
        h = kernel_bandwidth(column, "cdf")
        ends = special.ndtr((np.array([[-limit], [limit]]) - column) / h).mean(axis=1)

        def excess(x, p, column=column, h=h, ends=ends):
            raw = special.ndtr((x - column) / h).mean()
            return (raw - ends[0]) / (ends[1] - ends[0]) - p

        drawn[:, j] = [optimize.brentq(excess, -limit, limit, args=(p,)) for p in u[:, j]]
    return inverse_logit(systems + drawn[:, -1:] + drawn[:, :-1])


def standard_errors(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.sqrt(x.var(axis=0) / len(x) + y.var(axis=0) / len(y))


@given(st.floats(0, 1))
def test_logit_and_back(p):
    assert inverse_logit(logit(np.array(p))) == pytest.approx(p, abs=1e-12)


def test_logit_is_clipped_on_the_way_back():
    assert inverse_logit(np.array([-9.0, 9.0])).tolist() == [0, 1]


@pytest.mark.slow
def test_same_distribution_as_the_algorithm_step_by_step(continuous):
    slow = slow_sample(continuous, 600, seed=1)
    fast = EffectsSimulator(continuous).sample(N, random_seed=2).to_numpy()
    z = (slow.mean(axis=0) - fast.mean(axis=0)) / standard_errors(slow, fast)
    assert np.abs(z).max() < 4
    for j in range(slow.shape[1]):
        assert stats.ks_2samp(slow[:, j], fast[:, j]).pvalue > 1e-4
    assert np.abs(np.corrcoef(slow.T) - np.corrcoef(fast.T)).max() < 4 / np.sqrt(600)
    differences = [x[:, :1] - x[:, 1:] for x in (slow, fast)]
    ratio = differences[0].var(axis=0) / differences[1].var(axis=0)
    # Variance of a log variance: 2 / n for normal differences, more for theirs.
    assert np.abs(np.log(ratio)).max() < 6 * np.sqrt(2 / 600)


def test_tabulated_quantiles_against_the_exact_cdf(continuous):
    simulator = EffectsSimulator(continuous)
    z = np.random.default_rng(1).standard_normal((40, 7))
    drawn = simulator._transform(z)
    for j, column in enumerate(simulator._effects.T):
        margin = kernel_margin(column)
        error = margin.cdf(drawn[:, j]) - special.ndtr(z[:, j])
        # To first order the error of a quantile is that of its probability over the density.
        assert np.abs(error / margin.density(drawn[:, j])).max() < 3e-5


def test_moments_are_near_those_of_the_original(continuous):
    simulator = EffectsSimulator(continuous)
    table = simulator.diagnostics(N, random_seed=1)
    gap = (table["original"] - table["simulated"]).abs().groupby(table["statistic"]).max()
    # Kernels widen the distributions a little: close, but not equal.
    assert gap["mean"] < 0.02
    assert gap["correlation"] < 0.1
    variances = table[table["statistic"] == "variance"]
    assert (variances["simulated"] / variances["original"]).between(0.9, 1.4).all()


@pytest.mark.parametrize(
    "options",
    [{}, {"normal": True}, {"homoscedastic": True}, {"uncorrelated": True}],
    ids=["default", "normal", "homoscedastic", "uncorrelated"],
)
def test_true_means_are_those_of_simulated_scores(continuous, options):
    simulator = EffectsSimulator(continuous, **options)
    sample = simulator.sample(4 * N, random_seed=3)
    z = (sample.mean() - simulator.true_means) / (sample.std() / np.sqrt(4 * N))
    assert z.abs().max() < 4


def test_normal_margins_have_the_original_moments(continuous):
    simulator = EffectsSimulator(continuous, normal=True)
    np.testing.assert_allclose(simulator.true_means, continuous.mean())
    sample = simulator.sample(N, random_seed=4)
    assert (sample.cov() - continuous.cov()).abs().to_numpy().max() < 0.003
    assert sample.to_numpy().min() < 0
    assert stats.kurtosis(sample["a"]) == pytest.approx(0, abs=5 * np.sqrt(24 / N))


def test_homoscedastic_residuals_have_one_variance(continuous):
    sample = EffectsSimulator(continuous, normal=True, homoscedastic=True)._draw_effects(
        N, np.random.default_rng(5)
    )
    residuals = continuous.sub(continuous.mean(axis=1), axis=0)
    pooled = residuals.var().mean()
    np.testing.assert_allclose(sample[:, :-1].var(axis=0), pooled, rtol=0.05)


def test_uncorrelated_effects_are_independent(continuous):
    effects = EffectsSimulator(continuous, uncorrelated=True)._draw_effects(
        N, np.random.default_rng(6)
    )
    off = np.corrcoef(effects.T)[np.triu_indices(effects.shape[1], 1)]
    assert np.abs(off).max() < 4.5 / np.sqrt(N)


def test_topics_that_are_not_random_are_harder_or_easier(continuous):
    means = {
        random_topics: EffectsSimulator(continuous, random_topics=random_topics)
        .sample_means(20, 200, random_seed=7)
        .mean(axis=1)
        for random_topics in (True, False)
    }
    assert means[False].std() > 2 * means[True].std()


def testbiased_choice_is_without_replacement_and_swaps_its_side():
    chosen = [biased_choice(200, 50, np.random.default_rng(seed)) for seed in range(200)]
    assert all(len(set(rows)) == 50 for rows in chosen)
    centres = np.array([rows.mean() for rows in chosen])
    assert 0.35 < (centres < 100).mean() < 0.65
    assert np.abs(centres - 100).mean() > 20


@pytest.mark.parametrize("options", [{}, {"random_topics": False}, {"uncorrelated": True}])
def test_a_seed_draws_the_same_whatever_the_order(continuous, options):
    shuffled = continuous.sample(frac=1, random_state=1).sample(frac=1, axis=1, random_state=2)
    a = EffectsSimulator(continuous, **options)
    b = EffectsSimulator(shuffled, **options)
    sample = b.sample(12, random_seed=8)
    assert sample.columns.tolist() == shuffled.columns.tolist()
    pd.testing.assert_frame_equal(sample[continuous.columns], a.sample(12, random_seed=8))
    pd.testing.assert_series_equal(b.true_means[continuous.columns], a.true_means)
    assert not a.sample(12, random_seed=9).equals(a.sample(12, random_seed=8))


def test_a_generator_goes_on(continuous):
    simulator = EffectsSimulator(continuous)
    rng = np.random.default_rng(1)
    first, second = simulator.sample(5, rng), simulator.sample(5, rng)
    pd.testing.assert_frame_equal(first, simulator.sample(5, 1))
    assert not first.equals(second)


def test_sample_means_are_means_of_samples(continuous):
    simulator = EffectsSimulator(continuous)
    means = simulator.sample_means(7, 3, random_seed=1)
    assert means.shape == (3, 6)
    rng = np.random.default_rng(1)
    for _, row in means.iterrows():
        np.testing.assert_allclose(row, simulator.sample(7, rng).mean())


def test_samples_are_labelled(continuous):
    sample = EffectsSimulator(continuous).sample(12, 1)
    assert sample.index[[0, 11]].tolist() == ["t01", "t12"]
    assert sample.columns.tolist() == continuous.columns.tolist()


def test_identical_systems_stay_identical(continuous):
    scores = continuous.assign(z=continuous["b"], y=continuous["b"])
    sample = EffectsSimulator(scores).sample(50, 1)
    assert (sample["b"] == sample["z"]).all()
    assert (sample["b"] == sample["y"]).all()
    means = EffectsSimulator(scores).true_means
    assert means["b"] == means["z"]


def test_nearly_identical_systems_stay_so(continuous):
    twin = (continuous["b"] + np.linspace(-1e-6, 1e-6, 30)).clip(0, 1)
    sample = EffectsSimulator(continuous.assign(z=twin)).sample(500, 1)
    assert (sample["b"] - sample["z"]).abs().max() < 1e-4


@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
def test_constant_systems_stay_constant(continuous, value):
    sample = EffectsSimulator(continuous.assign(z=value)).sample(500, 1)
    np.testing.assert_allclose(sample["z"], value, atol=1e-4)


def test_scores_that_never_vary():
    simulator = EffectsSimulator(np.full((5, 3), 0.2))
    np.testing.assert_allclose(simulator.sample(4, 1), 0.2)
    np.testing.assert_allclose(simulator.true_means, 0.2)


@settings(max_examples=15, deadline=None)
@given(st.integers(2, 6), st.integers(2, 5), st.integers(0, 1000))
def test_few_topics_work(topics, systems, seed):
    scores = np.random.default_rng(seed).random((topics, systems)).round(1)
    simulator = EffectsSimulator(scores)
    sample = simulator.sample(50, 1).to_numpy()
    assert ((sample >= 0) & (sample <= 1)).all()
    assert simulator.true_means.between(0, 1).all()


def test_what_cannot_be_used_is_refused(continuous):
    with pytest.raises(ScoresError, match=r"must be between 0 and 1; got .*normal=True"):
        EffectsSimulator(continuous * 3)
    assert EffectsSimulator(continuous * 3, normal=True).sample(3, 1).shape == (3, 6)
    with pytest.raises(ScoresError, match="Need at least 2 topics and 2 systems"):
        EffectsSimulator(continuous.iloc[:1])
    with pytest.raises(OptionError, match="Choose one of: original, shrunk, simulator"):
        EffectsSimulator(continuous, truth="real")
    with pytest.raises(OptionError, match="n_topics must be a whole number, at least 1; got 0"):
        EffectsSimulator(continuous).sample(0)


def test_truth_can_be_the_original_means(continuous):
    original = EffectsSimulator(continuous, truth="original")
    np.testing.assert_allclose(original.true_means, continuous.mean())
    assert (EffectsSimulator(continuous).true_means - continuous.mean()).abs().max() > 1e-3
    pd.testing.assert_frame_equal(original.sample(4, 1), EffectsSimulator(continuous).sample(4, 1))


def test_diagnostics_are_drawn(continuous):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    figure = EffectsSimulator(continuous).plot_diagnostics(200)
    assert [ax.get_title() for ax in figure.axes] == ["means", "variances", "correlations"]
    matplotlib.pyplot.close(figure)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["adhoc6_ap", "adhoc7_ap", "adhoc8_ap"])
def test_truths_of_trec_collections(top, name):
    scores = top(name)
    simulator = EffectsSimulator(scores)
    tau = bayescorr.tau(simulator.true_means, scores.mean())
    assert tau == pytest.approx(0.972, abs=0.01)


@pytest.mark.slow
def test_true_means_of_adhoc6_by_a_million_topics(top):
    simulator = EffectsSimulator(top("adhoc6_ap"))
    rng = np.random.default_rng(1)
    sums, squares, size = 0.0, 0.0, 0
    for _ in range(20):
        x = simulator.sample(50_000, rng).to_numpy()
        sums, squares, size = sums + x.sum(axis=0), squares + (x**2).sum(axis=0), size + len(x)
    means = sums / size
    error = np.sqrt((squares / size - means**2) / size)
    z = (means - simulator.true_means.to_numpy()) / error
    assert np.abs(z).max() < 4


@pytest.mark.slow
@pytest.mark.parametrize("name", ["adhoc6", "adhoc7", "adhoc8"])
def test_actual_tau_of_the_published_study(top, name):
    # Mean tau between original and observed means of 1,000 simulated collections per size.
    published = {
        "adhoc6": {10: 0.576572, 50: 0.785902, 100: 0.845740},
        "adhoc7": {10: 0.635881, 50: 0.827871, 100: 0.872612},
        "adhoc8": {10: 0.597095, 50: 0.802291, 100: 0.854907},
    }
    simulator = EffectsSimulator(top(f"{name}_ap"), truth="original")
    truth = simulator.true_means.to_numpy()
    for n_topics, mean in published[name].items():
        observed = simulator.sample_means(n_topics, 1000, random_seed=n_topics).to_numpy()
        taus = bayescorr.tau(truth, observed)
        # The published mean has the same standard error as ours.
        error = np.sqrt(2 / 1000) * taus.std(ddof=1)
        assert abs(taus.mean() - mean) < 4 * error
