"""Ranks and sets that hold together, against enumeration of all intervals and all sets."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayescorr.coefficients.rank_sets import (
    could_be_top,
    draws_needed,
    joint_rank_intervals,
    rank_intervals,
    top_set,
)
from bayescorr.coefficients.ranks import true_ranks
from bayescorr.errors import OptionError


@st.composite
def drawn_ranks(draw, most_systems=6):
    """Ranks of up to 40 draws of a few systems whose means often tie."""
    m = draw(st.integers(2, most_systems))
    size = draw(st.integers(1, 40))
    seed = draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    spread = draw(st.sampled_from([0.5, 2.0, 6.0]))
    means = np.rint(spread * rng.standard_normal(m) + rng.standard_normal((size, m)))
    return true_ranks(means)


levels = st.sampled_from([0.3, 0.5, 0.8, 0.9, 0.95])


@pytest.mark.parametrize(("level", "draws"), [(0.95, 4000), (0.9, 10), (0.7, 10), (0.35, 20)])
def test_draws_needed_is_not_moved_by_rounding(level, draws):
    found = draws_needed(level, draws)
    assert found / draws >= level - 1e-12
    assert (found - 1) / draws < level - 1e-12


@settings(max_examples=60, deadline=None)
@given(ranks=drawn_ranks(), level=levels)
def test_marginal_intervals_have_less_than_a_tail_outside(ranks, level):
    tail = (1 - level) / 2
    for j, (low, high) in enumerate(zip(*rank_intervals(ranks, level), strict=True)):
        inside = [
            r
            for r in range(1, ranks.shape[1] + 1)
            if (ranks[:, j] <= r).mean() >= tail - 1e-12
            and (ranks[:, j] >= r).mean() >= tail - 1e-12
        ]
        # A rank between two that occur may be inside although it never occurs.
        assert (low, high) == (min(inside), max(inside))


def share_inside(ranks, low, high):
    return float(((ranks >= low) & (ranks <= high)).all(axis=1).mean())


@settings(max_examples=60, deadline=None)
@given(ranks=drawn_ranks(), level=levels)
def test_joint_intervals_are_the_narrowest_of_their_kind(ranks, level):
    """Compare with every marginal level at which an interval of these draws can change."""
    found = joint_rank_intervals(ranks, level)
    assert found.probability == share_inside(ranks, found.lower, found.upper)
    assert found.probability >= level - 1e-12
    size = len(ranks)
    allowed = [1 - 2 * c / size for c in range(1, size // 2 + 1) if 1 - 2 * c / size > level]
    enough = [
        q for q in [level, *sorted(allowed)]
        if share_inside(ranks, *rank_intervals(ranks, q)) >= level - 1e-12
    ]  # fmt: skip
    low, high = rank_intervals(ranks, enough[0]) if enough else (ranks.min(0), ranks.max(0))
    np.testing.assert_array_equal(found.lower, low)
    np.testing.assert_array_equal(found.upper, high)
    assert found.marginal_level >= level
    if enough:
        assert found.marginal_level == pytest.approx(enough[0])


@settings(max_examples=40, deadline=None)
@given(ranks=drawn_ranks(), level=levels)
def test_a_draw_of_a_sample_is_judged_by_the_others(ranks, level):
    """The probability is that of leave-one-out, with the tails that are used."""
    found, size = joint_rank_intervals(ranks, level, sampled=True), len(ranks)
    exact = joint_rank_intervals(ranks, level)
    assert (found.lower <= exact.lower).all()
    assert (found.upper >= exact.upper).all()
    # Number of draws in a tail that still belongs to the interval.
    tail = max(1, np.ceil((1 - found.marginal_level) / 2 * size - 1e-9))
    inside = []
    for d in range(size):
        others = np.delete(ranks, d, axis=0)
        below, above = ((others <= ranks[d]).sum(axis=0), (others >= ranks[d]).sum(axis=0))
        inside.append(min(below.min(), above.min()) >= tail)
    assert found.probability == np.mean(inside)


@settings(max_examples=60, deadline=None)
@given(ranks=drawn_ranks(), level=levels, sampled=st.booleans(), data=st.data())
def test_joint_intervals_nest_and_follow_the_systems(ranks, level, sampled, data):
    found = joint_rank_intervals(ranks, level, sampled=sampled)
    low, high = rank_intervals(ranks, level)
    assert (found.lower <= low).all()
    assert (found.upper >= high).all()
    wider = joint_rank_intervals(ranks, (1 + level) / 2, sampled=sampled)
    assert (wider.lower <= found.lower).all()
    assert (wider.upper >= found.upper).all()
    order = data.draw(st.permutations(range(ranks.shape[1])))
    turned = joint_rank_intervals(ranks[::-1][:, order], level, sampled=sampled)
    np.testing.assert_array_equal(turned.lower, found.lower[order])
    np.testing.assert_array_equal(turned.upper, found.upper[order])
    assert turned[2:] == found[2:]


def share_of_tops(ranks, k, members):
    """Share of draws whose whole top k is in the set."""
    outside = [j for j in range(ranks.shape[1]) if j not in members]
    return float((ranks[:, outside] > k).all(axis=1).mean())


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(ranks=drawn_ranks(), level=levels, k=st.integers(1, 3))
def test_top_sets_are_the_smallest_and_then_the_most_probable(ranks, level, k):
    found = top_set(ranks, k, level)
    members = set(np.flatnonzero(found.members))
    assert found.smallest
    assert found.probability == pytest.approx(share_of_tops(ranks, k, members))
    assert found.probability >= level - 1e-12
    m = ranks.shape[1]
    for size in range(len(members) + 1):
        shares = [share_of_tops(ranks, k, set(chosen)) for chosen in combinations(range(m), size)]
        if size < len(members):
            assert max(shares) < level - 1e-12
        else:
            assert max(shares) == pytest.approx(found.probability)


@settings(max_examples=40, deadline=None)
@given(ranks=drawn_ranks(), level=levels, k=st.integers(1, 3), data=st.data())
def test_top_sets_do_not_depend_on_the_order_of_draws_and_systems(ranks, level, k, data):
    order = data.draw(st.permutations(range(ranks.shape[1])))
    turned = top_set(ranks[::-1][:, order], k, level)
    found = top_set(ranks, k, level)
    assert turned.members.sum() == found.members.sum()
    assert turned.probability == pytest.approx(found.probability)


@settings(max_examples=60, deadline=None)
@given(ranks=drawn_ranks(), level=levels, k=st.integers(1, 3))
def test_sets_of_systems_grow_with_the_level_and_contain_the_marginal_ones(ranks, level, k):
    found, higher = top_set(ranks, k, level), top_set(ranks, k, (1 + level) / 2)
    assert found.members.sum() <= higher.members.sum()
    alone, more = could_be_top(ranks, k, level), could_be_top(ranks, k, (1 + level) / 2)
    assert not (alone & ~more).any()
    # What is excluded together is excluded one by one.
    assert not (alone & ~found.members).any()


def test_a_search_that_is_stopped_says_so(monkeypatch):
    from bayescorr.coefficients import rank_sets

    rng = np.random.default_rng(3)
    ranks = rng.standard_normal((500, 40)).argsort(axis=1) + 1
    whole = top_set(ranks, 10, 0.3)
    monkeypatch.setattr(rank_sets, "MOST_SETS", 50)
    stopped = top_set(ranks, 10, 0.3)
    assert not stopped.smallest
    assert stopped.probability == share_of_tops(ranks, 10, set(np.flatnonzero(stopped.members)))
    assert stopped.probability >= 0.3
    assert stopped.members.sum() >= whole.members.sum()


@settings(max_examples=40, deadline=None)
@given(ranks=drawn_ranks(), level=levels, k=st.integers(1, 3))
def test_systems_are_excluded_one_by_one(ranks, level, k):
    found = could_be_top(ranks, k, level)
    for j, possible in enumerate(found):
        assert possible == ((ranks[:, j] > k).mean() < level - 1e-12)


def test_identical_best_systems_are_both_in_the_set():
    ranks = true_ranks(np.array([[0.5, 0.5, 0.1]] * 10))
    np.testing.assert_array_equal(top_set(ranks, 1, 0.9).members, [True, True, False])


@pytest.mark.parametrize("k", [0, 1.5])
def test_k_must_be_a_whole_number(k):
    with pytest.raises(OptionError, match="k must be a whole number"):
        top_set(np.array([[1, 2]]), k, 0.9)


def test_intervals_of_a_sample_keep_their_level_on_other_draws():
    rng = np.random.default_rng(6)
    means = np.linspace(0, 4, 40)
    ranks = true_ranks(means + rng.standard_normal((2000, 40)))
    others = true_ranks(means + rng.standard_normal((20_000, 40)))
    kept = {}
    for sampled in (False, True):
        found = joint_rank_intervals(ranks, 0.9, sampled=sampled)
        kept[sampled] = share_inside(others, found.lower, found.upper), found.probability
    assert kept[False][0] < kept[False][1] - 0.004
    assert kept[True][0] == pytest.approx(kept[True][1], abs=0.015)
    assert kept[True][0] >= 0.895
