from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from bayescorr import drop_identical
from bayescorr.scores.ties import (
    constant_systems,
    equal_means,
    identical_systems,
    level_ties,
    observed_means,
)


@given(st.data(), st.integers(2, 60), st.integers(2, 8), st.sampled_from([10, 20, 10_000]))
def test_means_tie_exactly_when_the_exact_sums_tie(data, topics, systems, grid):
    """P@10, P@20 and AP with four decimals: means tie if and only if the whole-number sums do."""
    cells = st.lists(st.integers(0, grid), min_size=topics, max_size=topics)
    counts = [data.draw(cells)]
    for _ in range(systems - 1):  # shuffled copies force ties that plain sums would miss
        counts.append(data.draw(st.one_of(cells, st.permutations(counts[0]))))
    scores = pd.DataFrame(np.array(counts).T / grid)
    means = observed_means(scores)
    exact = [Fraction(sum(column), grid * topics) for column in counts]
    for i in range(systems):
        for j in range(systems):
            assert (means[i] < means[j]) == (exact[i] < exact[j])
        assert abs(means[i] - float(exact[i])) < 1e-12


@given(st.data(), st.lists(st.floats(-1, 1), min_size=8, max_size=8))
def test_means_do_not_depend_on_order(data, values):
    scores = pd.DataFrame(np.reshape(values, (4, 2)), columns=["a", "b"])
    rows = data.draw(st.permutations(range(4)))
    shuffled = scores.iloc[rows, [1, 0]]
    pd.testing.assert_series_equal(
        observed_means(scores), observed_means(shuffled)[["a", "b"]], check_exact=True
    )


def test_noise_that_plain_means_would_leave():
    scores = pd.DataFrame({"a": [0.1, 0.2, 0.3], "b": [0.3, 0.3, 0.0]})
    assert scores["a"].mean() != scores["b"].mean()
    means = observed_means(scores)
    assert means["a"] == means["b"]


def test_means_near_zero_are_levelled_on_the_scale_of_the_scores():
    scores = pd.DataFrame({"a": [0.1, 0.2, -0.3], "b": [0.0, 0.0, 0.0]})
    assert observed_means(scores).nunique() == 1


def test_lower_is_better_turns_the_sign():
    means = observed_means(pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, 0.0]}), higher_is_better=False)
    assert means.to_dict() == {"a": -1.5, "b": 0.0}
    assert not np.signbit(means["b"])


def test_missing_scores_are_left_out_of_means():
    assert observed_means(pd.DataFrame({"a": [0.2, np.nan], "b": [0.1, 0.3]}))["a"] == 0.2


def test_leading_axes_are_levelled_on_their_own():
    levelled = level_ties(np.array([[0.3, 0.1 + 0.2], [0.3, 0.4]]), scale=1.0)
    np.testing.assert_array_equal(levelled, [[0.3, 0.3], [0.3, 0.4]])


def test_a_chain_of_noise_is_one_tie():
    steps = 1 + np.arange(5) * 4e-13
    assert len(set(level_ties(steps, scale=1.0))) == 1


def test_identical_systems_take_missing_and_signed_zero_as_equal():
    scores = pd.DataFrame({"a": [0.0, np.nan], "b": [-0.0, np.nan], "c": [0.0, 1.0]})
    assert identical_systems(scores) == [("a", "b")]


def test_constant_systems():
    assert constant_systems(pd.DataFrame({"a": [0.2, 0.2], "b": [0.1, 0.2]})) == ("a",)


def test_equal_means_count_identical_systems_once():
    scores = pd.DataFrame({"a": [0.1, 0.3], "b": [0.1, 0.3], "c": [0.3, 0.1], "d": [0.9, 0.1]})
    assert equal_means(scores) == [("a", "c")]


def test_published_number_of_distinct_systems(trec):
    """Bavdaz 2018 had 76 and 58 systems, distinct by P@10."""
    assert drop_identical(trec("web2010_p10")).shape[1] == 76
    assert drop_identical(trec("web2011_p10")).shape[1] == 58
