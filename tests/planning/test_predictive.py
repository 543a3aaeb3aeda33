"""Predictions for other topic sets, against simulation topic by topic and exact cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_covariance import MEANS, KnownCovariance, make_scores

import bayescorr
from bayescorr.bayes.model import correlated_noise
from bayescorr.errors import ModelError, OptionError
from bayescorr.planning.extrapolation import extrapolate
from bayescorr.planning.population import draw_population
from bayescorr.planning.search import check_sizes, smallest

# Short chains of independent draws: what is tested does not depend on their convergence.
pytestmark = pytest.mark.filterwarnings("ignore::bayescorr.ConvergenceWarning")


@pytest.fixture(scope="module")
def fit():
    return bayescorr.fit(make_scores(), KnownCovariance(), chains=2, draws=2000, random_seed=1)


def test_noise_has_the_covariance_of_one_topic(fit):
    population = draw_population(fit, None, 1)
    np.testing.assert_allclose(
        np.cov(population.noise, rowvar=False), np.cov(fit.scores, rowvar=False), atol=2e-3
    )
    np.testing.assert_allclose(population.new(4) - population.true_means, population.noise / 2)


def test_singular_covariance_gives_equal_noise():
    sigma = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 4.0]])
    noise = correlated_noise(np.broadcast_to(sigma, (5000, 3, 3)), np.random.default_rng(1))
    np.testing.assert_allclose(noise[:, 0], noise[:, 1], atol=1e-7)
    np.testing.assert_allclose(noise.std(axis=0), [1, 1, 2], rtol=0.05)


@pytest.mark.parametrize("coefficient", ["tau", "tau_ap", "tau_gap"])
def test_new_sets_agree_with_simulation_topic_by_topic(fit, coefficient):
    found = bayescorr.expected_coefficient(fit, 30, coefficient, draws=None, random_seed=1)
    rng = np.random.default_rng(2)
    truths = draw_population(fit, None, 1).true_means
    factor = np.linalg.cholesky(np.cov(fit.scores, rowvar=False))
    means = np.array([(t + rng.standard_normal((30, 5)) @ factor.T).mean(axis=0) for t in truths])
    slow = bayescorr.correlate(truths, means, coefficient)[coefficient]
    error = slow.std() * np.sqrt(2 / len(slow))
    assert found.draws.mean() == pytest.approx(slow.mean(), abs=4 * error)
    assert found.draws.std() == pytest.approx(slow.std(), rel=0.1)


def test_extended_sets_agree_with_simulation_topic_by_topic(fit):
    found = bayescorr.expected_coefficient(fit, 30, extend=True, draws=None, random_seed=1)
    rng = np.random.default_rng(2)
    truths = draw_population(fit, None, 1).true_means
    factor = np.linalg.cholesky(np.cov(fit.scores, rowvar=False))
    known = fit.scores.to_numpy()
    more = [t + rng.standard_normal((10, 5)) @ factor.T for t in truths]
    means = np.array([np.vstack([known, topics]).mean(axis=0) for topics in more])
    slow = bayescorr.tau(truths, means)
    assert found.draws.mean() == pytest.approx(slow.mean(), abs=4 * slow.std() * np.sqrt(2 / 4000))


def test_extending_by_nothing_is_the_posterior(fit):
    found = bayescorr.expected_coefficient(fit, 20, extend=True, draws=None, random_seed=1)
    np.testing.assert_array_equal(found.draws[0], fit.draws("tau"))


def test_tau_never_falls_with_the_size_of_a_new_set(fit):
    found = bayescorr.expected_coefficient(fit, [2, 5, 10, 50, 500, 10**9], random_seed=1)
    assert (np.diff(found.draws, axis=0) >= 0).all()
    assert (found.draws[-1] == 1).all()


def test_table_probability_and_repr(fit):
    found = bayescorr.expected_coefficient(fit, [10, 40], random_seed=1)
    table = found.table(0.8, target=0.9)
    np.testing.assert_allclose(table["lower"], np.quantile(found.draws, 0.1, axis=1))
    np.testing.assert_allclose(table["p_target"], (found.draws >= 0.9).mean(axis=1))
    assert list(table.columns[-2:]) == ["ML", "MSQD"]
    assert "tau with the true ranking, over new topics (known)" in repr(found)
    assert "ML" not in bayescorr.expected_coefficient(fit, 40, extend=True).table()


def test_default_sizes_and_seed(fit):
    one = bayescorr.expected_coefficient(fit, random_seed=3)
    assert one.n_topics == (10, 15, 20, 30, 40, 60, 80, 120, 160)
    np.testing.assert_array_equal(
        one.draws, bayescorr.expected_coefficient(fit, random_seed=3).draws
    )
    assert bayescorr.expected_coefficient(fit, extend=True).n_topics[0] == 20


def test_order_of_topics_and_systems_does_not_matter():
    scores = make_scores()
    options = {"model": KnownCovariance(), "chains": 1, "draws": 100, "random_seed": 1}
    draws = [
        bayescorr.expected_coefficient(bayescorr.fit(s, **options), 30, random_seed=2).draws
        for s in (scores, scores.iloc[::-1, ::-1])
    ]
    np.testing.assert_allclose(*draws)


def test_identical_systems_tie_in_every_set():
    scores = make_scores().assign(twin=lambda s: s["c"])
    fit = bayescorr.fit(scores, KnownCovariance(), chains=1, draws=50, random_seed=1, warn=False)
    for means in (draw_population(fit, None, 1).new(7), draw_population(fit, None, 1).extended(7)):
        np.testing.assert_array_equal(means[:, 2], means[:, 5])
    plan = bayescorr.expected_coefficient(fit, 10**9, random_seed=1)
    # A pair tied in the truth is never discordant.
    assert (plan.draws == 1).all()


def test_lower_is_better_mirrors():
    scores = make_scores()
    options = {"model": KnownCovariance(), "chains": 1, "draws": 200, "random_seed": 1}
    up = bayescorr.fit(scores, **options)
    down = bayescorr.fit(scores, higher_is_better=False, **options)
    for coefficient, same in (("tau", True), ("tau_ap", False)):
        found = [
            bayescorr.expected_coefficient(f, 25, coefficient, random_seed=1) for f in (up, down)
        ]
        assert np.allclose(found[0].draws, found[1].draws) == same
    plans = [bayescorr.expected_coefficient(f, 25, "tau") for f in (up, down)]
    np.testing.assert_allclose(
        plans[0].extrapolation["estimate"], plans[1].extrapolation["estimate"]
    )


@pytest.mark.parametrize("extend", [False, True])
def test_topics_needed_is_the_first_size_that_is_enough(fit, extend):
    found = bayescorr.topics_needed(
        fit, target=0.8, probability=0.9, extend=extend, max_topics=400, random_seed=1
    )
    assert found.topics is not None
    sizes = range(20 if extend else 1, 400)
    plan = bayescorr.expected_coefficient(fit, sizes, extend=extend, random_seed=1)
    assert found.topics == sizes[int((plan.probability(0.8) >= 0.9).argmax())]
    assert found.topics_on_average == sizes[int((plan.draws.mean(axis=1) >= 0.8).argmax())]
    error = 1.96 * np.sqrt(0.9 * 0.1 / plan.draws.shape[1])
    for end, share in ((found.lower, 0.9 - error), (found.upper, 0.9 + error)):
        assert end == sizes[int((plan.probability(0.8) >= share).argmax())]
    assert "reach tau >= 0.8 with probability 0.9" in str(found)
    assert found.table()["topics"].iloc[0] == found.topics


def test_topics_needed_by_extrapolation(fit):
    found = bayescorr.topics_needed(fit, target=0.8, random_seed=1)
    for method in ("ML", "MSQD"):
        sizes = range(1, 300)
        values = extrapolate(fit.scores, sizes, methods=[method])["estimate"].to_numpy()
        assert found.extrapolated[method] == sizes[int((values >= 0.8).argmax())]


def test_more_topics_than_the_maximum(fit):
    found = bayescorr.topics_needed(fit, target=0.99, probability=0.99, max_topics=30)
    assert found.topics is None
    assert str(found) == (
        "Even 30 topics in a fresh set would not reach tau >= 0.99 with probability 0.99; "
        "you have 20."
    )
    assert found.table()["topics"].isna().any()


@pytest.mark.parametrize("method", ["ML", "MSQD"])
@pytest.mark.parametrize("coefficient", ["tau", "tau_ap"])
def test_extrapolation_to_the_topics_at_hand_is_the_estimate(method, coefficient):
    scores = make_scores()
    found = extrapolate(scores, len(scores), coefficient, [method])["estimate"].iloc[0]
    table = bayescorr.estimate(scores, method, coefficient, random_seed=1)
    assert found == pytest.approx(table["estimate"].iloc[0], abs=1e-12)


def test_what_cannot_be_planned(fit):
    scores = make_scores()
    with pytest.raises(ModelError, match="made from draws"):
        bayescorr.expected_coefficient(
            bayescorr.Fit.from_draws(np.tile(MEANS, (4, 1)) + np.arange(4)[:, None], scores)
        )
    with pytest.raises(OptionError, match=r"at least 20; got 10\. They include the observed"):
        bayescorr.expected_coefficient(fit, 10, extend=True)
    with pytest.raises(OptionError, match="max_topics must be a whole number, at least 20; got 5"):
        bayescorr.topics_needed(fit, extend=True, max_topics=5)
    with pytest.raises(OptionError, match="draws must be a whole number, at least 1; got 0"):
        bayescorr.expected_coefficient(fit, draws=0)
    with pytest.raises(OptionError, match="target must be between -1 and 1; got 1"):
        bayescorr.topics_needed(fit, target=1)
    with pytest.raises(OptionError, match="probability must be between 0 and 1; got 95"):
        bayescorr.topics_needed(fit, probability=95)
    with pytest.raises(OptionError, match="Unknown coefficient"):
        bayescorr.topics_needed(fit, "kendall")
    with pytest.raises(OptionError, match="coefficient to extrapolate 'tau_gap'"):
        extrapolate(scores, 10, "tau_gap")


def test_plot_has_band_curves_and_labels(fit):
    import matplotlib.pyplot as plt

    ax = bayescorr.expected_coefficient(fit, [10, 20, 40], random_seed=1).plot(0.9, target=0.8)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == [
        "90% of new sets",
        "mean (known)",
        "ML",
        "MSQD",
        "observed topics: 20",
        "target 0.8",
    ]
    assert ax.get_xlabel() == "number of topics"
    plt.close(ax.figure)


@given(threshold=st.integers(1, 500), least=st.integers(1, 60), most=st.integers(60, 400))
def test_smallest_is_the_threshold_or_none(threshold, least, most):
    found = smallest(lambda size: size >= threshold, least, most)
    assert found == (None if threshold > most else max(threshold, least))


@pytest.mark.parametrize("sizes", [0, [10, 2.5], [True], []])
def test_sizes_are_whole_positive_numbers(sizes):
    with pytest.raises(OptionError, match="must be whole numbers, at least 1; got "):
        check_sizes(sizes)
