"""Pairs that are decided together, against loops over draws and pairs."""

from __future__ import annotations

from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayescorr.coefficients.decided import decided_one_by_one, decided_together, direct, tiers


@st.composite
def drawn_means(draw):
    """Up to 40 draws of a few true means; whole numbers, so that they often tie."""
    m, size = draw(st.integers(2, 6)), draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    spread = draw(st.sampled_from([0.0, 1.0, 3.0]))
    return np.rint(spread * rng.standard_normal(m) + 2 * rng.standard_normal((size, m)))


levels = st.sampled_from([0.3, 0.5, 0.8, 0.9, 0.95])


def pairs_of(better):
    return {(int(i), int(j)) for i, j in zip(*np.nonzero(better), strict=True)}


def share(means, pairs):
    """Share of draws in which all pairs are in order."""
    return np.mean([all(draw[i] > draw[j] for i, j in pairs) for draw in means])


def slow_greedy(means, level):
    """Add the pair that leaves the most draws, while enough are left: by sets of draws."""
    size, m = means.shape
    holds = {
        (i, j): set(np.flatnonzero(means[:, i] > means[:, j])) for i, j in permutations(range(m), 2)
    }
    centre = means.mean(axis=0)
    order = sorted(holds, key=lambda p: (-len(holds[p]), centre[p[1]] - centre[p[0]], p))
    kept, found = set(range(size)), set()
    while True:
        open_pairs = [pair for pair in order if pair not in found]
        if not open_pairs:
            return found
        best = max(open_pairs, key=lambda pair: len(kept & holds[pair]))
        if len(kept & holds[best]) < max(level * size - 1e-9, 1):
            return found
        found.add(best)
        kept &= holds[best]


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(means=drawn_means(), level=levels)
def test_decided_pairs_against_a_slow_greedy_choice(means, level):
    found = decided_together(means, level)
    pairs = pairs_of(found.better)
    assert pairs == slow_greedy(means, level)
    assert found.probability == share(means, pairs)
    assert found.probability >= level - 1e-12


@settings(max_examples=80, deadline=None)
@given(means=drawn_means(), level=levels)
def test_decided_pairs_are_a_partial_order_to_which_none_can_be_added(means, level):
    pairs = pairs_of(decided_together(means, level).better)
    m = means.shape[1]
    for i, j in pairs:
        assert (j, i) not in pairs
        assert all((i, k) in pairs for k in range(m) if (j, k) in pairs)
    for pair in set(permutations(range(m), 2)) - pairs:
        assert share(means, {*pairs, pair}) < max(level - 1e-12, 1e-12)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), level=levels, sampled=st.booleans())
def test_decided_pairs_follow_the_systems_and_shrink_with_the_level(seed, level, sampled):
    rng = np.random.default_rng(seed)
    means = rng.standard_normal(5) + rng.standard_normal((40, 5))
    order = rng.permutation(5)
    found = decided_together(means, level, sampled=sampled).better
    # The parts of a sample are in the order of its draws.
    turned = decided_together(means[::-1][:, order], level, sampled=sampled).better
    np.testing.assert_array_equal(turned, found[np.ix_(order, order)])
    fewer = decided_together(means, (1 + level) / 2, sampled=sampled).better
    assert not (fewer & ~found).any()
    assert not (found & ~decided_one_by_one(means, level).better).any()


def test_all_decided_pairs_are_decided_one_by_one():
    rng = np.random.default_rng(1)
    means = np.linspace(3, 0, 12) + rng.standard_normal((400, 12))
    together, alone = decided_together(means, 0.9), decided_one_by_one(means, 0.9)
    assert not (together.better & ~alone.better).any()
    for i, j in combinations(range(12), 2):
        assert alone.better[i, j] == (np.mean(means[:, i] > means[:, j]) >= 0.9)
    assert alone.probability == share(means, pairs_of(alone.better)) < 0.9


def test_identical_systems_are_never_decided():
    rng = np.random.default_rng(2)
    means = np.repeat(rng.standard_normal((50, 1)), 3, axis=1)
    assert not decided_together(means, 0.5).better.any()
    assert decided_together(means, 0.5).probability == 1


@settings(max_examples=60, deadline=None)
@given(means=drawn_means(), level=levels)
def test_direct_pairs_and_tiers_by_definition(means, level):
    better = decided_together(means, level).better
    m = len(better)
    pairs, few = pairs_of(better), pairs_of(direct(better))
    assert few == {
        (i, j) for i, j in pairs if not any((i, k) in pairs and (k, j) in pairs for k in range(m))
    }
    # Every pair follows from the direct ones.
    reach = set(few)
    for _ in range(m):
        reach |= {(i, k) for i, j in reach for h, k in few if h == j}
    assert reach == pairs
    longest = max(
        len(chain)
        for size in range(1, m + 1)
        for chain in permutations(range(m), size)
        if all(pair in pairs for pair in pairwise(chain))
    )
    assert tiers(better).max() == longest
    assert all(tiers(better)[i] < tiers(better)[j] for i, j in pairs)


def test_pairs_of_a_sample_keep_their_level_on_other_draws():
    rng = np.random.default_rng(7)
    means = np.linspace(0, 9, 40)[::-1]
    draws = means + rng.standard_normal((1500, 40))
    others = means + rng.standard_normal((20_000, 40))
    kept = {}
    for sampled in (False, True):
        found = decided_together(draws, 0.8, sampled=sampled)
        held = np.ones(len(others), dtype=bool)
        for i, j in pairs_of(direct(found.better)):
            held &= others[:, i] > others[:, j]
        kept[sampled] = held.mean(), found.probability
    assert kept[False][0] < kept[False][1] - 0.02
    assert kept[True][0] >= kept[True][1] - 0.01 >= 0.79


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), level=levels)
def test_the_probability_of_a_sample_is_cross_validated(seed, level):
    """With the share to drop that is used, each part judges what the others decide."""
    rng = np.random.default_rng(seed)
    draws = np.linspace(0, 3, 5) + rng.standard_normal((40, 5))
    found = decided_together(draws, level, sampled=True)
    assert not (found.better & ~decided_together(draws, level).better).any()
    # Every number of draws to drop that gives these pairs.
    same = [
        dropped
        for dropped in range(41 - int(np.ceil(40 * level - 1e-9)))
        if pairs_of(decided_together(draws, 1 - (dropped + 1e-6) / 40).better)
        == pairs_of(found.better)
    ]
    shares = []
    for dropped in same:
        held = []
        for part in np.array_split(np.arange(40), 4):
            rest = np.delete(draws, part, axis=0)
            pairs = slow_greedy(rest, max(level, 1 - (dropped + 1e-6) / 40))
            held += [share(draws[[d]], pairs) for d in part]
        shares.append(np.mean(held))
    assert found.probability in [pytest.approx(one) for one in shares]
    assert found.probability >= level - 1e-12 or 0 in same
