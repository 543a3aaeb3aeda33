"""Decisions from draws of the true means, against enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayescorr import Fit, ScoresWarning
from bayescorr.claims.decisions import top_overlap
from bayescorr.claims.systems import unordered_runs
from bayescorr.errors import OptionError


def make_fit(draws, means, **options):
    """A fit with given observed means (by two topics around them) and given draws."""
    names = [f"s{i}" for i in range(len(means))]
    spread = 0.01 * np.arange(1, len(means) + 1)
    scores = pd.DataFrame([means - spread, means + spread], columns=names, index=["t1", "t2"])
    return Fit.from_draws(np.asarray(draws, float), scores, **options)


DRAWS = [[0.50, 0.40, 0.1], [0.41, 0.405, 0.1], [0.40, 0.55, 0.1], [0.52, 0.50, 0.6]]
MEANS = np.array([0.5, 0.45, 0.2])


def test_compare_systems_counts_draws():
    found = make_fit(DRAWS, MEANS).compare_systems("s0", "s1", rope=0.01)
    assert (found.p_a, found.p_equal, found.p_b) == (0.5, 0.25, 0.25)
    np.testing.assert_allclose(found.draws, [0.1, 0.005, -0.15, 0.02])
    assert found.interval(0.5) == pytest.approx(tuple(np.quantile(found.draws, [0.25, 0.75])))
    assert "P(s0 better) = 0.500" in str(found)


def test_compare_systems_agrees_with_groups():
    """A pair is ordered at 95% (one-sided) exactly if the printed 90% interval excludes 0."""
    noise = np.random.default_rng(1).standard_normal(4000)
    for shift in np.linspace(1.4, 1.9, 11):
        difference = noise + shift
        fit = make_fit(np.column_stack([difference, 0 * noise]), np.array([0.5, 0.45]))
        found = fit.compare_systems("s0", "s1", rope=0.5)
        ordered = len(fit.groups(0.95)) == 2
        assert (found.p_order >= 0.95) == ordered
        lower, upper = found.interval(0.9)
        assert (lower > 0) == ordered
        assert f"a 90% interval: {lower:.4f} to {upper:.4f}; P(order) = " in str(found)


def test_compare_systems_is_antisymmetric_and_turns_for_lower_is_better():
    fit = make_fit(DRAWS, MEANS)
    one, other = fit.compare_systems("s0", "s1"), fit.compare_systems("s1", "s0")
    assert (one.p_a, one.p_equal, one.p_b) == (other.p_b, other.p_equal, other.p_a)
    turned = make_fit(DRAWS, MEANS, higher_is_better=False).compare_systems("s0", "s1")
    assert (turned.p_a, turned.p_b) == (one.p_b, one.p_a)


def test_compare_systems_refuses_what_is_not_there():
    fit = make_fit(DRAWS, MEANS)
    with pytest.raises(OptionError, match=r"Unknown system 'bm25'. Systems: s0, s1, s2"):
        fit.compare_systems("s0", "bm25")
    with pytest.raises(OptionError, match="rope must be at least 0; got -1"):
        fit.compare_systems("s0", "s1", rope=-1)


def test_top_by_hand():
    fit = make_fit(DRAWS, MEANS)
    # True best: s0, s0, s1, s2.
    assert fit.top(1).probability == 0.5
    assert fit.top(1).overlap == 0.5
    # True top two: {s0, s1} three times, {s2, s0} once.
    assert fit.top(2).probability == 0.75
    assert fit.top(2).overlap == pytest.approx((2 + 2 + 2 + 1) / 4)
    assert fit.top(2).systems == ["s0", "s1"]
    assert fit.top(3).probability == 1
    assert fit.top(3).overlap == 3


@pytest.mark.parametrize("k", [0, 4, 1.5, True])
def test_top_refuses_impossible_k(k):
    with pytest.raises(OptionError, match=r"k must be between 1 and 3; got"):
        make_fit(DRAWS, MEANS).top(k)


def possible_tops(values, k):
    """Every set of k systems that no other system is better than."""
    return [
        set(chosen)
        for chosen in combinations(range(len(values)), k)
        if min(values[list(chosen)]) >= max(np.delete(values, list(chosen)), default=-np.inf)
    ]


def slow_top(means, observed, k):
    """Average over every top k that the observed means allow, and the best match for each."""
    allowed = possible_tops(observed, k)
    matches, overlaps = [], []
    for draw in means:
        truly = possible_tops(draw, k)
        matches.append(np.mean([chosen in truly for chosen in allowed]))
        overlaps.append(np.mean([max(len(chosen & best) for best in truly) for chosen in allowed]))
    return np.mean(matches), np.mean(overlaps)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), m=st.integers(2, 6))
def test_top_overlap_is_the_expectation_over_ties(data, m):
    vectors = st.lists(st.integers(0, 3).map(float), min_size=m, max_size=m)
    observed = -np.sort(-np.array(data.draw(vectors)))
    means = np.array(data.draw(st.lists(vectors, min_size=1, max_size=4)))
    k = data.draw(st.integers(1, m))
    assert top_overlap(means, observed, k) == pytest.approx(slow_top(means, observed, k))


def slow_runs(means, level):
    """Every run without an ordered pair that is not part of a longer one."""

    def ordered(i, j):
        return max((means[:, i] > means[:, j]).mean(), (means[:, i] < means[:, j]).mean()) >= level

    m = means.shape[1]
    runs = [
        (start, end)
        for start in range(m)
        for end in range(start + 1, m + 1)
        if not any(ordered(i, j) for i, j in combinations(range(start, end), 2))
    ]
    return [
        run for run in runs if not any(o != run and o[0] <= run[0] and run[1] <= o[1] for o in runs)
    ]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), m=st.integers(2, 8), level=st.floats(0.5, 0.99))
def test_runs_are_all_the_maximal_ones(seed, m, level):
    rng = np.random.default_rng(seed)
    means = -np.arange(m) * rng.uniform(0, 1) + rng.standard_normal((20, m))
    assert unordered_runs(means, level) == slow_runs(means, level)


def test_groups_name_systems_in_observed_order():
    fit = make_fit([[0.5, 0.6, 0.1], [0.6, 0.5, 0.1]], MEANS)
    assert fit.groups(0.9) == [["s0", "s1"], ["s2"]]
    assert fit.groups(0.5) == [["s0"], ["s1"], ["s2"]]


def test_identical_systems_are_never_told_apart():
    fit = make_fit([[0.5, 0.5, 0.1], [0.6, 0.6, 0.1]], MEANS)
    assert fit.groups(0.95) == [["s0", "s1"], ["s2"]]
    assert fit.compare_systems("s0", "s1", rope=0).p_equal == 1
    assert fit.top(1).probability == 1


def test_order_of_columns_does_not_matter_with_equal_means():
    scores = pd.DataFrame({"b": [0.1, 0.5], "a": [0.2, 0.4], "c": [0.5, 0.3]}, index=["x", "y"])
    rng = np.random.default_rng(1)
    draws = pd.DataFrame(rng.normal([0.3, 0.3, 0.4], 0.05, (200, 3)), columns=["b", "a", "c"])
    with pytest.warns(ScoresWarning):
        one = Fit.from_draws(draws, scores)
    with pytest.warns(ScoresWarning):
        other = Fit.from_draws(draws, scores[["c", "a", "b"]])
    assert one.systems == other.systems == ["c", "a", "b"]
    assert one.groups(0.8) == other.groups(0.8)
    assert one.top(2) == other.top(2)
