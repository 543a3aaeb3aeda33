"""Confidence sets for ranks: by hand, against slow loops over hypotheses, and their properties."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

import bayescorr
from bayescorr.errors import OptionError
from bayescorr.frequentist.api import prepare
from bayescorr.frequentist.rank_sets import rank_confidence_sets, step_down


def make_scores(n=20, m=6, seed=1, spread=0.1):
    rng = np.random.default_rng(seed)
    values = spread * np.arange(m) + 0.15 * rng.standard_normal((n, m))
    return pd.DataFrame(values, [f"t{i:02}" for i in range(n)], [f"s{i}" for i in range(m)])


def by_hand():
    """Three systems: the first step rejects one hypothesis at 0.8, the second another one."""
    statistics = np.array([[0, 2.5, 9.0], [-2.5, 0, 2.8], [-9.0, -2.8, 0]])
    # Columns: pairs (0, 1), (0, 2), (1, 2). With 4 resamples, 0.8 means the largest.
    resampled = np.array([[1.0, 3.0, 0.0], [-2.0, 1, 0.5], [0.5, -1.0, 2.6], [0, 0, -1.5]])
    return statistics, resampled.astype(np.float32)


def test_steps_by_hand():
    # First: the largest of |t*| is 3.0 -> only 9.0 is rejected. Then the largest without the 3.0
    # of (0, 2) is 2.6, so 2.8 is rejected too. Then 2.0, by the reverse of (0, 1): so is 2.5.
    better = step_down(*by_hand(), 0.8)
    assert better.tolist() == [[False, True, True], [False, False, True], [False, False, False]]


def test_a_reverse_hypothesis_stays():
    statistics, resampled = by_hand()
    # Now the reverse of (0, 1) has the largest statistic of all, in every step.
    resampled[1, 0] = -5
    better = step_down(statistics, resampled, 0.8)
    assert better.tolist() == [[False, False, True], [False] * 3, [False] * 3]


def slowly(statistics, resampled, level):
    """Follow the definition, hypothesis by hypothesis."""
    m = len(statistics)
    pairs = list(zip(*np.triu_indices(m, 1), strict=True))
    of = {}
    for column, (i, j) in enumerate(pairs):
        of[i, j] = resampled[:, column].tolist()
        of[j, i] = (-resampled[:, column]).tolist()
    left = set(of)
    while True:
        largest = sorted(max(of[pair][b] for pair in left) for b in range(len(resampled)))
        critical = largest[math.ceil(round(level * (len(resampled) + 1), 9)) - 1]
        rejected = {pair for pair in left if statistics[pair] > critical}
        left -= rejected
        if not rejected:
            better = np.ones((m, m), bool)
            for pair in [*left, *((i, i) for i in range(m))]:
                better[pair] = False
            return better


@given(st.integers(2, 6), st.sampled_from([0.5, 0.8, 0.9]), st.integers(0, 10_000))
def test_against_slow_loops_over_hypotheses(m, level, seed):
    rng = np.random.default_rng(seed)
    means = np.sort(rng.normal(0, 3, m))[::-1]
    statistics = means[:, None] - means
    first, second = np.triu_indices(m, 1)
    noise = rng.standard_t(5, (40, m))
    resampled = (noise[:, first] - noise[:, second]).astype(np.float32)
    found = step_down(statistics, resampled, level)
    np.testing.assert_array_equal(found, slowly(statistics, resampled, level))


@pytest.mark.parametrize("bootstrap", ["normal", "topics", "plug-in"])
def test_statistics_against_loops(bootstrap):
    scores = make_scores(8, 4)
    found = rank_confidence_sets(scores, bootstrap=bootstrap, resamples=5, random_seed=3)
    sample = prepare(scores, 5, True, "error", 3)[1]
    x, n = sample.values, 8
    rng = sample.stream("ranks")
    for resample in found.resampled:
        if bootstrap == "topics":
            drawn = (x - x.mean(axis=0))[rng.integers(n, size=n)]
        elif bootstrap == "normal":
            drawn = rng.standard_normal((n, n)) @ (x - x.mean(axis=0)) / math.sqrt(n - 1)
        else:
            drawn = rng.standard_normal(n) @ (x - x.mean(axis=0)) / math.sqrt(n - 1)
        for column, (i, j) in enumerate(zip(*np.triu_indices(4, 1), strict=True)):
            if bootstrap == "plug-in":
                expected = (drawn[i] - drawn[j]) / np.std(x[:, i] - x[:, j], ddof=1)
            else:
                difference = drawn[:, i] - drawn[:, j]
                expected = difference.mean() / (difference.std(ddof=1) / math.sqrt(n))
            assert resample[column] == pytest.approx(expected, rel=1e-4)
    for i in range(4):
        for j in range(4):
            d = x[:, i] - x[:, j]
            expected = d.mean() / (d.std(ddof=1) / math.sqrt(n)) if i != j else 0
            assert found.statistics[i, j] == pytest.approx(expected)


def test_two_systems_are_a_paired_t_test():
    scores = make_scores(6, 2)
    found = rank_confidence_sets(scores, resamples=20_000, random_seed=1)
    # P(|t| <= the quantile) is 0.9 within 4 standard errors of the simulated share.
    share = (np.abs(found.resampled) <= student.ppf(0.95, 5)).mean()
    assert share == pytest.approx(0.9, abs=4 * math.sqrt(0.09 / 20_000))


def test_sets_follow_from_the_rejected_hypotheses():
    found = rank_confidence_sets(make_scores(), random_seed=1)
    better, table = found.better(0.9), found.table(0.9)
    for row in table.itertuples():
        assert row.rank_lower == 1 + sum(better[row.system])
        assert row.rank_upper == 6 - sum(better.loc[row.system])
    assert found.top(2, 0.9) == [s for s in found.systems if sum(better[s]) < 2]
    assert found.best(0.9) == found.top(1, 0.9)
    assert 1 < (table["rank_upper"] - table["rank_lower"] + 1).mean() < 6


def test_sets_are_nested_in_the_level():
    found = rank_confidence_sets(make_scores(), random_seed=1)
    wide, narrow = found.table(0.99), found.table(0.6)
    assert (wide["rank_lower"] <= narrow["rank_lower"]).all()
    assert (wide["rank_upper"] >= narrow["rank_upper"]).all()
    assert set(found.best(0.6)) <= set(found.best(0.99))


def test_order_of_rows_and_columns_does_not_matter():
    scores = make_scores()
    shuffled = scores.iloc[::-1, [3, 0, 5, 1, 4, 2]]
    first, second = (rank_confidence_sets(s, random_seed=1).table() for s in (scores, shuffled))
    pd.testing.assert_frame_equal(first, second)


def test_lower_is_better():
    scores = make_scores()
    up = rank_confidence_sets(scores, random_seed=1).table()
    down = rank_confidence_sets(-scores, higher_is_better=False, random_seed=1).table()
    pd.testing.assert_frame_equal(up, down.assign(observed_mean=-down["observed_mean"]))


@pytest.mark.filterwarnings("ignore::bayescorr.ScoresWarning")
def test_identical_systems_are_never_told_apart():
    scores = make_scores()
    scores["twin"] = scores["s5"]
    found = rank_confidence_sets(scores, random_seed=1)
    table = found.table().set_index("system")
    assert table.loc["twin"].tolist() == table.loc["s5"].tolist()
    assert not found.better().loc["twin", "s5"]
    assert {"twin", "s5"} <= set(found.best())


@pytest.mark.filterwarnings("ignore::bayescorr.ScoresWarning")
def test_a_constant_difference_is_certain():
    scores = make_scores(m=3)
    scores["above"] = scores["s2"] + 0.25
    better = rank_confidence_sets(scores, random_seed=1).better(0.99)
    assert better.loc["above", "s2"]
    assert not better.loc["s2", "above"]


def test_resampled_topics_without_any_difference_reject_nothing():
    # The two systems differ on one topic: most resamples of topics lack it.
    scores = pd.DataFrame({"a": [0.5, 0.2, 0.3, 0.6], "b": [0.5, 0.2, 0.3, 0.5]})
    found = rank_confidence_sets(scores, bootstrap="topics", random_seed=1)
    assert np.isinf(found.resampled).any()
    assert found.best() == ["a", "b"]


def test_errors_say_what_to_do():
    with pytest.raises(OptionError, match="Choose one of: normal, plug-in, topics"):
        rank_confidence_sets(make_scores(), bootstrap="wild")
    found = rank_confidence_sets(make_scores(), resamples=100, random_seed=1)
    with pytest.raises(OptionError, match="k must be between 1 and 6; got 7"):
        found.top(7)
    with pytest.raises(OptionError, match="100 resamples are too few for the level"):
        found.best(0.999)


def test_printed_sets_are_labelled_as_frequentist():
    assert repr(rank_confidence_sets(make_scores(), random_seed=1)).startswith("Frequentist 95%")


@pytest.mark.slow
def test_all_ranks_are_covered_together():
    # Normal scores: 0.9 within 4 standard errors from below; step-down sets may cover more.
    rng, covered = np.random.default_rng(1), []
    truth = np.array([0.0, 0.0, 0.5, 0.6, 1.0])
    names = list("abcde")
    lowest = pd.Series([1 + (truth > x).sum() for x in truth], names)
    highest = pd.Series([(truth >= x).sum() for x in truth], names)
    for seed in range(300):
        x = truth + rng.standard_normal((10, 1)) + rng.standard_normal((10, 5))
        scores = pd.DataFrame(x, columns=names)
        found = rank_confidence_sets(scores, resamples=400, random_seed=seed)
        table = found.table(0.9).set_index("system").loc[names]
        inside = (table["rank_lower"] <= lowest) & (highest <= table["rank_upper"])
        covered.append(inside.all())
    assert np.mean(covered) > 0.9 - 4 * math.sqrt(0.09 / 300)


def test_public_name():
    assert bayescorr.rank_confidence_sets is rank_confidence_sets
