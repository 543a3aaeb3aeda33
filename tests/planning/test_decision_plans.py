"""Plans for decisions: exact cases, slow simulation, limits, and what they say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_covariance import KnownCovariance, make_scores
from scipy.stats import norm

import bayescorr
from bayescorr.errors import ModelError, OptionError, render
from bayescorr.planning._kernels import top_shares
from bayescorr.planning.futures import futures_of, gap

# Short chains of independent draws: what is tested does not depend on their convergence.
pytestmark = pytest.mark.filterwarnings("ignore::bayescorr.ConvergenceWarning")


def fit_of(scores, **options):
    return bayescorr.fit(scores, KnownCovariance(), chains=2, draws=2000, random_seed=1, **options)


@pytest.fixture(scope="module")
def fit():
    return fit_of(make_scores())


def future(fit, systems, k=1, level=0.95, rope=0.0, extend=True):
    return futures_of(
        fit, systems, k, level=level, rope=rope, extend=extend, draws=None, random_seed=1
    )


@pytest.mark.parametrize("extend", [True, False])
@pytest.mark.parametrize("size", [30, 200])
def test_pair_with_known_variance_against_the_formula(fit, extend, size):
    """With known variance and a flat prior, the future centre is normal."""
    a, b = fit.systems[1:3]
    difference = fit.scores[a] - fit.scores[b]
    centre, variance, n = difference.mean(), difference.var(), 20
    if extend:
        bound = norm.ppf(0.95) * np.sqrt(variance / size)
        sd = np.sqrt(variance / n - variance / size)
    else:
        # Without the observed topics, nothing but the new mean counts.
        bound = norm.ppf(0.95) * np.sqrt(variance / size)
        sd = np.sqrt(variance / n + variance / size)
    expected = norm.sf(bound, centre, sd) + norm.cdf(-bound, centre, sd)
    plan = bayescorr.expected_decision(
        fit, size, pair=(b, a), extend=extend, draws=None, random_seed=1
    )
    row = plan.table().iloc[0]
    assert 0.05 < expected < 0.95
    # 4 standard errors of 4,000 draws; their moments, which replace the exact ones, add as much.
    assert row["p_decided"] == pytest.approx(expected, abs=0.045)
    assert row["lower"] < row["p_decided"] < row["upper"]
    as_observed = norm.sf(bound, centre, sd)
    assert row["p_as_observed"] == pytest.approx(as_observed, abs=0.045)


def test_the_top_of_two_is_the_pair(fit):
    """The simulated top of two systems agrees with the closed form of the pair."""
    pair = future(fit, [1, 2])
    shares = pair._shares(pair.centre[None], np.array([1 / np.sqrt(pair.topics_worth)]))
    assert float(shares[0]) == pytest.approx(pair.approximate_probability, abs=0.015)
    assert pair.approximate_probability == pytest.approx(pair.posterior_probability, abs=0.02)


@pytest.mark.parametrize("k", [1, 3])
def test_top_against_analyses_one_by_one(k):
    """Draw scores, update the normal posterior with known covariance, and count its draws."""
    fit, n, size = fit_of(make_scores(7)), 7, 16
    sigma = np.cov(fit.scores[fit.systems], rowvar=False)
    means, new = fit.ordered_means, size - n
    rng = np.random.default_rng(5)
    factor, centre = np.linalg.cholesky(sigma), fit.scores[fit.systems].mean().to_numpy()
    decided = []
    for truth in means[::10]:
        scores = truth + rng.standard_normal((new, 5)) @ factor.T
        after = (n * centre + new * scores.mean(axis=0)) / size
        draws = after + rng.standard_normal((1000, 5)) @ factor.T / np.sqrt(size)
        ranked = np.sort(np.argsort(-draws, axis=1)[:, :k], axis=1)
        decided.append(np.unique(ranked, axis=0, return_counts=True)[1].max() / 1000 >= 0.8)
    found = future(fit, list(range(5)), k, level=0.8).outcome(size)
    error = np.sqrt(0.25 / len(decided))
    assert found.decided.mean() == pytest.approx(np.mean(decided), abs=4 * error)
    assert 0.1 < np.mean(decided) < 0.9


@given(st.integers(2, 6), st.data())
def test_kernel_against_slow_loops(m, data):
    k = data.draw(st.integers(1, m - 1))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    centres = rng.normal(0, 1, (7, m))
    noise, scale = rng.normal(0, 0.5, (30, m)), rng.uniform(0.1, 2, 7)
    rope = data.draw(st.sampled_from([0.0, 0.3]))
    out, stopped = np.empty(7), np.empty(7)
    top_shares(0, 7, centres, noise, scale, k, rope, np.nan, out)
    level = data.draw(st.sampled_from([0.0, 0.5, 0.8, 1.0]))
    top_shares(0, 7, centres, noise, scale, k, rope, level, stopped)
    np.testing.assert_array_equal(stopped >= level, out >= level)
    for t in range(7):
        order = np.argsort(-centres[t])
        shifted = centres[t] + scale[t] * noise
        low, high = shifted[:, order[:k]].min(axis=1), shifted[:, order[k:]].max(axis=1)
        assert out[t] == pytest.approx(np.mean(high + rope <= low))


def test_gap_by_hand():
    means = np.array([[3.0, 1.0, 2.5], [1.0, 3.0, 2.0]])
    assert gap(means, np.array([0])).tolist() == [0.5, -2.0]
    assert gap(means, np.array([[0, 2], [1, 2]])).tolist() == [1.5, 1.0]


def test_the_limit_is_what_the_truth_allows(fit):
    a, b = fit.systems[1:3]
    plan = bayescorr.expected_decision(
        fit, 3_000_000, pair=(a, b), rope=0.02, draws=None, random_seed=1
    )
    row, apart = plan.table().iloc[0], plan.question.p_apart
    assert 0.2 < apart < 0.9
    assert row["p_decided"] == pytest.approx(apart, abs=0.01)
    assert row["p_equal"] == pytest.approx(1 - apart, abs=0.01)
    everything = bayescorr.expected_decision(fit, 10**9, top=3, random_seed=1).table().iloc[0]
    assert everything["p_decided"] > 0.99


def test_the_observed_topics_decide_what_the_posterior_says(fit):
    for a, b in zip(fit.systems, fit.systems[1:], strict=False):
        plan = bayescorr.expected_decision(fit, 20, pair=(a, b), extend=True, random_seed=1)
        row = plan.table().iloc[0]
        assert row["p_decided"] == float(fit.compare_systems(a, b).p_order >= 0.95)
        assert row["lower"] == row["upper"] == row["p_decided"]


def test_topics_needed_reach_the_probability_and_fewer_do_not(fit):
    for question in ({"pair": tuple(fit.systems[1:3])}, {}, {"top": 2}):
        for extend in (True, False):
            options = {**question, "extend": extend, "random_seed": 1}
            found = bayescorr.topics_to_decide(fit, probability=0.6, **options)
            sizes = [max(found.topics - 1, 20 * extend), found.topics]
            fewer, enough = bayescorr.expected_decision(fit, sizes, **options).table()["p_decided"]
            assert enough >= 0.6
            assert fewer < 0.6 or found.topics == 20
            assert found.lower <= found.topics <= found.upper
            assert not found.never


def test_order_and_sign_do_not_matter(fit):
    shuffled = fit_of(make_scores().iloc[::-1, [3, 0, 4, 1, 2]])
    lower = fit_of(-make_scores(), higher_is_better=False)
    for question in ({"pair": ("b", "d")}, {"top": 2}):
        tables = [
            bayescorr.expected_decision(f, [30, 90], **question, random_seed=1).table()
            for f in (fit, shuffled, lower)
        ]
        pd.testing.assert_frame_equal(tables[0], tables[1])
        # The draws of the mirrored fit differ.
        error = 4 * np.sqrt(2 * 0.25 / 1000)
        np.testing.assert_allclose(tables[0]["p_decided"], tables[2]["p_decided"], atol=error)


@pytest.mark.filterwarnings("ignore::bayescorr.ScoresWarning")
def test_identical_systems():
    scores = make_scores()
    scores["twin"] = scores["e"]
    fit = fit_of(scores)
    with pytest.raises(OptionError, match="e and twin have the same scores on all topics"):
        bayescorr.topics_to_decide(fit, pair=("twin", "e"))
    # Twins share the first rank, so either may be the winner.
    twins = bayescorr.expected_decision(fit, 400, random_seed=1).table()["p_decided"]
    alone = bayescorr.expected_decision(fit_of(make_scores()), 400, random_seed=1).table()
    assert twins[0] == pytest.approx(alone["p_decided"][0], abs=0.08)


def test_sentences(fit):
    a, b = fit.systems[1:3]
    found = bayescorr.topics_to_decide(fit, pair=(b, a), probability=0.6, random_seed=1)
    words = f"would decide whether {a} or {b} is better with probability 0.6; you have 20."
    assert words in str(found)
    assert str(found).startswith("A fresh set of about ")
    assert "95% Monte Carlo interval" in str(found)
    assert "--extend" in render(found.text, shell=True)
    found = bayescorr.topics_to_decide(fit, top=2, extend=True, probability=0.6, random_seed=1)
    assert "topics in total" in str(found)
    assert "decide which 2 systems are the best" in str(found)
    best, worst = fit.systems[0], fit.systems[-1]
    found = bayescorr.topics_to_decide(fit, pair=(best, worst), extend=True, random_seed=1)
    start = f"The 20 topics that you have decide whether {best} or {worst} is better: {best} is "
    assert str(found).startswith(start)


def test_never_when_practically_equal(fit):
    a, b = fit.systems[1:3]
    found = bayescorr.topics_to_decide(fit, pair=(a, b), rope=0.05, random_seed=1)
    assert found.never
    assert found.topics is None
    p = fit.compare_systems(a, b, rope=0.05).p_equal
    start = f"No number of topics would decide whether {a} or {b} is better with probability 0.8: "
    assert str(found).startswith(f"{start}with probability {p:.2f} they are practically equal")
    assert "or that they are practically equal." in str(found)
    assert found.table()["topics"].isna().tolist() == [True, False]
    winner = bayescorr.topics_to_decide(fit, rope=0.5, random_seed=1)
    assert "the best system is ahead of the others by at most 0.5" in str(winner)


def test_too_few_topics_hint_at_the_rope(fit):
    a, b = fit.systems[1:3]
    found = bayescorr.topics_to_decide(fit, pair=(a, b), max_topics=30, random_seed=1)
    assert str(found).startswith("Even 30 topics in a fresh set would not decide")
    assert render(found.text, shell=True).endswith("as with --rope 0.01.")


def test_plot_shows_curve_band_and_goal(fit):
    plan = bayescorr.expected_decision(fit, pair=("b", "d"), rope=0.01, random_seed=1)
    ax = plan.plot(probability=0.8)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels[:3] == ["95% Monte Carlo band", "decided", "decided as observed now"]
    assert labels[3:] == ["found equal within 0.01", "observed topics: 20", "wanted: 0.8"]
    assert ax.get_xlabel() == "number of new topics"
    assert "approximation that the plan uses" in repr(plan)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pair": ("a", "nonesuch")}, r"Unknown system 'nonesuch'. Systems: e, "),
        ({"pair": ("a", "a")}, "two different systems"),
        ({"pair": ("a", "b"), "top": 2}, "Cannot decide pair and top at once"),
        ({"top": 5}, "top must be between 1 and 4; got 5"),
        ({"top": 0}, "top must be between 1 and 4; got 0"),
        ({"level": 0.5}, "level must be above 0.5"),
        ({"rope": -1}, "rope must be at least 0"),
        ({"probability": 80}, r"probability must be between 0 and 1; got 80. For 80%, use"),
    ],
)
def test_errors(fit, options, message):
    with pytest.raises(OptionError, match=message):
        bayescorr.topics_to_decide(fit, **options)


def test_models_without_a_covariance_cannot():
    flat = bayescorr.fit(make_scores(), "flat", draws=50, random_seed=1)
    with pytest.raises(ModelError, match="cannot draw the covariance"):
        bayescorr.topics_to_decide(flat)
