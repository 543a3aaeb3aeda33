"""Summaries of item scores other than the mean."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bayescorr import load_dataset
from bayescorr.errors import OptionError, ScoresError
from bayescorr.scores.aggregates import (
    SUMMARIES,
    apply_summary,
    borda_points,
    find_summary,
    trimmed_mean,
    weighted_median,
    weights_function,
    win_shares,
    with_summary,
)
from bayescorr.scores.check import observed_means

SCORES = load_dataset("demo").iloc[:, :5]
VECTORS = arrays(float, st.integers(1, 12), elements=st.integers(-3, 3).map(float))


def slow_win_rate(scores):
    """Compare every pair on every item."""
    values = scores.to_numpy()
    n, m = values.shape
    wins = np.zeros(m)
    for row in values:
        for i in range(m):
            for j in range(m):
                if i != j:
                    wins[i] += (row[i] > row[j]) + (row[i] == row[j]) / 2
    return wins / n / (m - 1)


def test_win_rates_and_borda_counts_of_all_pairs():
    rates = slow_win_rate(SCORES)
    for name, factor in (("win-rate", 1), ("borda", 4)):
        tagged = with_summary(SCORES, name)
        np.testing.assert_allclose(observed_means(tagged), factor * rates)
        np.testing.assert_allclose(apply_summary(tagged).mean(), factor * rates)
    assert rates.mean() == pytest.approx(0.5)


def test_win_shares_of_ties_and_of_missing_scores():
    values = np.array([[1.0, 1.0, 1.0], [3.0, np.nan, 1.0], [np.nan, np.nan, 2.0]])
    expected = [[0.5, 0.5, 0.5], [1.0, np.nan, 0.0], [np.nan, np.nan, 0.0]]
    np.testing.assert_array_equal(win_shares(values), expected)
    np.testing.assert_array_equal(borda_points(values)[0], [1, 1, 1])


@given(VECTORS)
def test_equal_weights_give_the_median_of_the_scores(values):
    equal = np.full((2, len(values)), 1 / len(values))
    np.testing.assert_allclose(weighted_median(values, equal), np.median(values))


@given(VECTORS, st.data())
def test_whole_weights_give_the_median_of_repeated_scores(values, data):
    counts = data.draw(arrays(int, len(values), elements=st.integers(0, 3)))
    counts[0] += 1
    expected = np.median(np.repeat(values, counts))
    weights = counts[None] / counts.sum()
    np.testing.assert_allclose(weighted_median(values, weights), expected)


@pytest.mark.parametrize("summary", [weighted_median, trimmed_mean])
def test_all_weight_on_one_item_gives_its_score(summary):
    values = np.random.default_rng(1).random(7)
    np.testing.assert_allclose(summary(values, np.eye(7)), values)


def test_equal_weights_give_the_trimmed_mean():
    from scipy.stats import trim_mean

    values = np.random.default_rng(2).random(50)
    equal = np.full((1, 50), 1 / 50)
    np.testing.assert_allclose(trimmed_mean(values, equal), trim_mean(values, 0.1))


@pytest.mark.parametrize("name", ["median", "trimmed-mean", np.median, np.ptp])
def test_observed_summary_is_that_of_the_scores(name):
    found = observed_means(with_summary(SCORES, name))
    own = {"median": np.median, "trimmed-mean": lambda x: np.sort(x)[5:-5].mean()}
    expected = [own.get(name, name)(SCORES[system].to_numpy()) for system in SCORES]
    np.testing.assert_allclose(found, expected)
    lower = observed_means(with_summary(SCORES, name), higher_is_better=False)
    np.testing.assert_allclose(lower, -np.array(expected))


def test_functions_with_and_without_weights():
    weights = np.random.default_rng(3).dirichlet(np.ones(50), 20)
    with_weights = weights_function(with_summary(SCORES, lambda x, w: float(x @ w)))
    np.testing.assert_allclose(with_weights(SCORES.to_numpy(), weights), weights @ SCORES)
    repeated = weights_function(with_summary(SCORES, np.mean))
    # Items as often as they weigh, rounded to one of 400.
    error = repeated(SCORES.to_numpy(), weights) - weights @ SCORES.to_numpy()
    assert np.abs(error).max() < 50 / 400
    assert np.abs(error).mean() < 0.01


def test_a_function_with_the_name_of_a_summary_is_its_own():
    def mean(scores):
        return float(scores.max())

    found = observed_means(with_summary(SCORES, mean))
    np.testing.assert_allclose(found, SCORES.max())
    assert find_summary(mean).name == "mean (own function)"


def test_the_measure_names_the_summary():
    scores = SCORES.copy()
    scores.attrs["measure"] = "AP"
    for name, words in (("win-rate", "win rate of AP"), ("median", "median of AP")):
        done = apply_summary(with_summary(scores, name))
        assert done.attrs["measure"] == words
        pd.testing.assert_frame_equal(apply_summary(done), done)
        assert apply_summary(with_summary(done, name)).attrs["measure"] == words


def test_the_mean_is_no_other_summary():
    assert with_summary(SCORES, "mean").attrs == SCORES.attrs
    assert weights_function(SCORES) is None
    tagged = with_summary(SCORES, "median")
    assert "summary" not in with_summary(tagged, "mean").attrs


@pytest.mark.parametrize(
    ("summary", "message"),
    [
        ("medain", r"Unknown summary 'medain'.*median"),
        (5, "summary must be a name or a function; got 5"),
        (lambda x: "a", "must|failed"),
        (lambda x: np.nan, "returned nan.*finite"),
        (lambda x: x, "failed"),
    ],
)
def test_bad_summaries(summary, message):
    with pytest.raises(OptionError, match=message):
        observed_means(with_summary(SCORES, summary))


def test_win_rates_have_no_other_summary():
    done = apply_summary(with_summary(SCORES, "win-rate"))
    with pytest.raises(ScoresError, match="summarised by 'win-rate' already"):
        with_summary(done, "median")


def test_every_summary_has_a_description():
    assert all(one.description.endswith(".") for one in SUMMARIES.values())
