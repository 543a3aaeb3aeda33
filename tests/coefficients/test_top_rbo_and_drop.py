"""tau@k, overlap@k, RBO and max drop: by hand, published, against references, invariances."""

from __future__ import annotations

import numpy as np
import pytest
import slow_references as slow
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

import bayescorr as bc
from bayescorr.errors import CoefficientError, OptionError

NAMES = ("tau@2", "tau@3", "overlap@1", "overlap@3", "rbo", "max_drop")


def means(m, levels=3):
    """Mean scores on a coarse grid, so that ties are common."""
    return st.lists(st.integers(0, levels).map(lambda k: k / 8), min_size=m, max_size=m)


def two_means(smallest=3, largest=6, levels=3):
    return st.integers(smallest, largest).flatmap(
        lambda m: st.tuples(means(m, levels), means(m, levels))
    )


def test_tau_at_k_by_hand():
    truth, observed = [0.9, 0.8, 0.7, 0.2], [0.5, 0.6, 0.1, 0.9]
    # Among the true top 3, only the first two are swapped; the fourth does not count.
    assert bc.tau_at_k(truth, observed, 3) == pytest.approx(1 - 2 / 3)
    assert bc.tau_at_k(truth, observed, 2) == -1
    assert bc.tau_at_k(truth, observed, 4) == bc.tau(truth, observed)
    # The second and the third truly tie, so the top 2 has three systems; one pair is swapped.
    assert bc.tau_at_k([0.9, 0.8, 0.8, 0.2], [0.5, 0.6, 0.1, 0.9], 2) == pytest.approx(1 - 2 / 3)


def test_overlap_by_hand():
    truth, observed = [0.9, 0.8, 0.7, 0.2], [0.5, 0.6, 0.1, 0.9]
    assert [bc.overlap_at_k(truth, observed, k) for k in (1, 2, 4)] == [0, 0.5, 1]
    # Three systems tie for the second place, two of which are in the true top 2.
    assert bc.overlap_at_k([4, 3, 2, 1], [1, 1, 1, 2], 2) == pytest.approx(2 / 3 / 2)
    # Two systems truly tie for the second place: either may be observed there.
    assert bc.overlap_at_k([4, 3, 3, 1], [4, 2, 3, 1], 2) == 1


def test_max_drop_by_hand():
    assert bc.max_drop([4, 3, 2, 1], [4, 3, 2, 1]) == 0
    assert bc.max_drop([4, 3, 2, 1], [1, 2, 3, 4]) == 3
    # The second falls by two ranks, the fourth rises by two.
    assert bc.max_drop([4, 3, 2, 1], [4, 1, 2, 3]) == 2
    assert bc.max_drop([4, 3, 2, 1], [4, 1, 2, 3], higher_is_better=False) == 2
    # A true tie has the last of its ranks, an observed one the mean.
    assert bc.max_drop([3, 3, 1], [2, 3, 1]) == 0
    assert bc.max_drop([3, 2, 1], [2, 2, 1]) == 0.5


def test_rbo_by_hand_and_published():
    # Overlaps 0, 1/2, 2/3, 1, 1. The README of the Scala package rankmeasures prints 0.828.
    truth, observed = [5, 4, 3, 2, 1], [2, 5, 4, 3, 1]
    exact = 0.9**5 + 0.1 * (0.9 / 2 + 0.9**2 * 2 / 3 + 0.9**3 + 0.9**4)
    assert bc.rbo(truth, observed) == pytest.approx(exact, abs=1e-15)
    assert round(exact, 3) == 0.828
    assert bc.rbo([2, 1], [1, 2], p=0.5) == pytest.approx(0.25 + 0.25)
    # With all observed means equal, the expected overlap at depth d is d / m.
    flat = 0.9**3 + 0.1 * (1 / 3 + 0.9 * 2 / 3 + 0.81)
    assert bc.rbo([3, 2, 1], [1, 1, 1]) == pytest.approx(flat)


@given(pair=two_means(), k=st.integers(1, 3))
@settings(deadline=None, max_examples=80)
def test_against_slow_references(pair, k):
    found = bc.overlap_at_k(*pair, k)
    assert found == pytest.approx(slow.overlap_at_k(*pair, k), abs=1e-12)
    found = bc.tau_at_k(*pair, k + 1) if k + 1 <= len(pair[0]) else None
    if found is not None:
        assert found == pytest.approx(slow.tau_at_k(*pair, k + 1), abs=1e-12)
    assert bc.rbo(*pair) == pytest.approx(slow.rbo(*pair), abs=1e-12)
    assert bc.rbo(*pair, p=0.4) == pytest.approx(slow.rbo(*pair, p=0.4), abs=1e-12)
    assert bc.max_drop(*pair) == pytest.approx(slow.max_drop(*pair), abs=1e-12)


@given(pair=two_means(3, 9, levels=9), data=st.data())
@settings(deadline=None)
def test_column_order_changes_nothing_at_all(pair, data):
    order = data.draw(st.permutations(range(len(pair[0]))))
    truth, observed = map(np.array, pair)
    for name, value in bc.correlate(truth, observed, NAMES).items():
        assert bc.correlate(truth[order], observed[order], name)[name] == value, name


@given(pair=two_means(3, 9, levels=9))
@settings(deadline=None)
def test_bounds_and_monotone_transforms(pair):
    truth, observed = map(np.array, pair)
    found = bc.correlate(truth, observed, NAMES)
    for name, value in found.items():
        low, high = {"t": (-1, 1), "m": (0, len(truth) - 1)}.get(name[0], (0, 1))
        assert low - 1e-12 <= value <= high + 1e-12, name
    assert bc.correlate(np.exp(truth), observed**3, NAMES) == found


@given(truth=means(8, levels=20))
@settings(deadline=None)
def test_a_ranking_agrees_with_itself(truth):
    m = len(truth)
    unique = np.argsort(np.argsort(truth, kind="stable"))
    found = bc.correlate(unique, unique, NAMES)
    assert found.pop("max_drop") == 0
    for name, value in found.items():
        assert value == pytest.approx(1), name
    assert bc.overlap_at_k(truth, truth[::-1], m) == 1
    assert bc.max_drop(unique, -unique) == m - 1


def test_many_vectors_with_tops_of_several_sizes():
    rng = np.random.default_rng(3)
    truth, observed = rng.integers(0, 5, (40, 9)), rng.random((40, 9))
    found = bc.correlate(truth, observed, NAMES)
    for name in NAMES:
        alone = [bc.correlate(x, y, name)[name] for x, y in zip(truth, observed, strict=True)]
        np.testing.assert_array_equal(found[name], alone)
    untied = rng.random(97), rng.random(97)
    inside = np.argsort(-untied[0])[:30]
    expected = kendalltau(untied[0][inside], untied[1][inside]).statistic
    assert bc.tau_at_k(*untied, 30) == pytest.approx(expected)


def test_refused():
    with pytest.raises(CoefficientError, match=r"overlap@4 needs at least 4 systems; got 3"):
        bc.overlap_at_k([3, 2, 1], [3, 2, 1], 4)
    with pytest.raises(OptionError, match="k must be a whole number, at least 2; got 1"):
        bc.tau_at_k([3, 2, 1], [3, 2, 1], 1)
    for p in (0, 1, 2.5):
        with pytest.raises(CoefficientError, match="p must be above 0 and below 1"):
            bc.rbo([3, 2, 1], [3, 2, 1], p=p)
