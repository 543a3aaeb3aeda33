"""Slow references, invariances and the theorems of Gao & Oard, on generated means."""

from __future__ import annotations

import numpy as np
import pytest
import slow_references as slow
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, pearsonr, spearmanr

import bayescorr as bc
from bayescorr.coefficients import _kernels
from bayescorr.coefficients._expected import expected
from bayescorr.coefficients._pairs import pair_up
from bayescorr.coefficients.gaps import tau_gap_of_gaps

EXPECTED = ("tau", "tau_ap", "tau_gap")


def means(m, levels):
    """Mean scores on a coarse grid, so that ties are common."""
    return st.lists(st.integers(0, levels).map(lambda k: k / 8), min_size=m, max_size=m)


def two_means(smallest=2, largest=6, levels=3):
    return st.integers(smallest, largest).flatmap(
        lambda m: st.tuples(means(m, levels), means(m, levels))
    )


def rankings(smallest=2, largest=12):
    """A truth without ties and an observed order of the same systems."""
    return st.integers(smallest, largest).flatmap(
        lambda m: st.tuples(
            st.lists(st.integers(-1000, 1000), min_size=m, max_size=m, unique=True),
            st.permutations(range(m)),
        )
    )


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("name", EXPECTED)
@given(pair=two_means())
@settings(deadline=None, max_examples=60)
def test_ties_against_all_orders(name, strict, pair):
    found = getattr(bc, name)(*pair, strict=strict)
    assert found == pytest.approx(getattr(slow, name)(*pair, strict=strict), abs=1e-12)


@given(pair=two_means(3, 9, levels=9))
@settings(deadline=None)
def test_the_ircor_coefficients_against_references(pair):
    truth, observed = pair
    if len(set(truth)) > 1 and len(set(observed)) > 1:
        assert bc.tau_b(*pair) == pytest.approx(kendalltau(*pair).statistic, abs=1e-12)
        assert bc.tau_ap_b(*pair) == pytest.approx(slow.tau_ap_b(*pair), abs=1e-12)
        assert bc.tau_ap_b(*pair) == pytest.approx(bc.tau_ap_b(observed, truth), abs=1e-15)
        assert bc.pearson(*pair) == pytest.approx(pearsonr(*pair).statistic, abs=1e-12)
        assert bc.spearman(*pair) == pytest.approx(spearmanr(*pair).statistic, abs=1e-12)


@given(pair=rankings(2, 6), levels=st.integers(1, 6))
@settings(deadline=None)
def test_a_variants_are_the_mean_over_orders(pair, levels):
    truth, observed = pair[0], [i // levels for i in pair[1]]
    assert bc.tau_a(truth, observed) == pytest.approx(slow.tau(truth, observed), abs=1e-12)
    assert bc.tau_ap_a(truth, observed) == pytest.approx(slow.tau_ap(truth, observed), abs=1e-12)


def test_untied_tau_against_scipy():
    rng = np.random.default_rng(7)
    truth, observed = rng.random((50, 97)), rng.random(97)
    expected = [kendalltau(row, observed).statistic for row in truth]
    np.testing.assert_allclose(bc.tau(truth, observed), expected, atol=1e-12)


@given(pair=two_means(2, 9, levels=5), data=st.data())
@settings(deadline=None)
def test_column_order_changes_nothing_at_all(pair, data):
    order = data.draw(st.permutations(range(len(pair[0]))))
    truth, observed = map(np.array, pair)
    for name, value in bc.correlate(truth, observed).items():
        moved = bc.correlate(truth[order], observed[order])[name]
        assert moved == value, name


@given(pair=two_means(2, 9, levels=9))
@settings(deadline=None)
def test_bounds(pair):
    """Theorem 1 of Gao & Oard, and the same for the others, whatever the ties."""
    for name, value in bc.correlate(*pair).items():
        assert -1 - 1e-12 <= value <= 1 + 1e-12, name


@given(pair=two_means(2, 9, levels=9))
@settings(deadline=None)
def test_invariant_to_transforms(pair):
    truth, observed = map(np.array, pair)
    for name in ("tau", "tau_ap"):
        coefficient = getattr(bc, name)
        assert coefficient(np.exp(truth), observed**3) == coefficient(truth, observed)
    # Powers of two, so that no rounding makes or breaks a tie.
    assert bc.tau_gap(4 * truth + 2, np.exp(observed)) == pytest.approx(
        bc.tau_gap(truth, observed), abs=1e-12
    )


@given(pair=rankings())
@settings(deadline=None)
def test_equal_gaps_give_tau_ap(pair):
    """Theorem 2, for gaps that no scores on a line can have once there are three systems."""
    truth, observed = map(np.array, pair)
    signs = np.sign(np.subtract.outer(truth, truth))
    assert tau_gap_of_gaps(0.3 * signs, observed) == pytest.approx(
        bc.tau_ap(truth, observed), abs=1e-12
    )


@given(pair=rankings(3, 8), factor=st.floats(1.1, 10), data=st.data())
@settings(deadline=None)
def test_larger_error_gaps_lower_tau_gap(pair, factor, data):
    """Theorem 3: with concordant gaps as they are, widening discordant ones lowers tau_gap.

    The proof takes the concordant gaps as fixed, so the theorem is about gaps, not about scores on
    a line. A rank where every pair is discordant keeps its share of zero, hence "not higher"; it is
    strictly lower when the widened pair shares its rank with a concordant one.
    """
    truth, observed = map(np.array, pair)
    gaps = np.subtract.outer(truth, truth).astype(float)
    order = np.argsort(-observed)
    swapped = [(j, i) for p, i in enumerate(order) for j in order[:p] if truth[j] < truth[i]]
    if swapped:
        j, i = data.draw(st.sampled_from(swapped))
        wider = gaps.copy()
        wider[j, i] *= factor
        wider[i, j] *= factor
        small, large = tau_gap_of_gaps(gaps, observed), tau_gap_of_gaps(wider, observed)
        above = order[: list(order).index(i)]
        if (truth[above] > truth[i]).any():
            assert large < small
        else:
            assert large == small


@given(pair=rankings(3, 12))
@settings(deadline=None)
def test_small_error_gaps_put_tau_gap_above_tau_ap(pair):
    """Theorem 4, where its condition holds at every rank.

    That is, where the mean gap of the swapped pairs is below (above) that of the pairs in order.
    """
    truth, observed = map(np.array, pair)
    order = np.argsort(-observed)
    smaller = larger = True
    for p in range(1, len(order)):
        gaps = truth[order[:p]] - truth[order[p]]
        right, wrong = gaps[gaps > 0], -gaps[gaps < 0]
        if len(right) and len(wrong):
            smaller &= wrong.mean() <= right.mean()
            larger &= wrong.mean() >= right.mean()
    if smaller:
        assert bc.tau_gap(truth, observed) >= bc.tau_ap(truth, observed) - 1e-12
    if larger:
        assert bc.tau_gap(truth, observed) <= bc.tau_ap(truth, observed) + 1e-12


@given(
    swap=st.integers(0, 8),
    gap=st.floats(0.001, 0.5),
    m=st.just(10),
)
@settings(deadline=None)
def test_one_narrow_swap_costs_tau_gap_less_than_tau_ap(swap, gap, m):
    """Theorem 4 where its condition is known to hold: neighbours closer than all others swap."""
    truth = np.arange(m, 0, -1.0)
    truth[: swap + 1] += gap - 1
    observed = np.arange(m, 0, -1)
    observed[[swap, swap + 1]] = observed[[swap + 1, swap]]
    if swap == 0:
        assert bc.tau_gap(truth, observed) == pytest.approx(bc.tau_ap(truth, observed), abs=1e-12)
    else:
        assert bc.tau_gap(truth, observed) > bc.tau_ap(truth, observed)


@pytest.mark.parametrize("above", [0, 3])
@pytest.mark.parametrize("group", [11, 13])
def test_large_tied_groups_equal_the_enumeration(group, above):
    """The integral against every subset, gaps over eight orders of magnitude included."""
    rng = np.random.default_rng(group)
    truth = rng.random((3, above + group + 2))
    truth[1] *= 10.0 ** rng.uniform(-8, 0, truth.shape[1])
    truth[2] = truth[2].round(1)
    observed = np.r_[np.arange(9, 9 - above, -1), np.full(group, 5), [2, 1]]
    integrated = bc.tau_gap(truth, observed)
    shares = []
    for x in truth:
        total = 0.0
        tied = x[above : above + group]
        for i, mine in enumerate(tied):
            up, other = mine - x[:above], mine - np.delete(tied, i)
            total += _kernels._share_enumerated(
                up.clip(min=0).sum(), np.abs(up).sum(), other.clip(min=0), np.abs(other)
            )
        for p in (*range(1, above), above + group, above + group + 1):
            gaps = x[p] - x[:p]
            total += gaps.clip(min=0).sum() / np.abs(gaps).sum()
        shares.append(total)
    enumerated = 1 - 2 * np.array(shares) / (truth.shape[1] - 1)
    np.testing.assert_allclose(integrated, enumerated, atol=1e-12)


def test_very_large_tied_group_against_random_orders():
    rng = np.random.default_rng(11)
    truth = rng.random(80)
    orders = rng.permuted(np.tile(np.arange(80), (20_000, 1)), axis=1)
    sampled = bc.tau_gap(truth, orders)
    error = sampled.std() / np.sqrt(len(sampled))
    assert abs(bc.tau_gap(truth, np.zeros(80)) - sampled.mean()) < 5 * error


def test_threads_change_nothing(monkeypatch):
    import numba

    rng = np.random.default_rng(13)
    truth, observed = rng.random((3000, 60)), rng.integers(0, 20, 60)
    results = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(numba.config, "NUMBA_NUM_THREADS", threads)
        results.append(bc.correlate(truth, observed))
    for name in EXPECTED:
        assert (results[0][name] == results[1][name]).all()
        assert (results[0][name] == results[2][name]).all()
    one = [bc.tau_gap(row, observed) for row in truth[:20]]
    assert (results[0]["tau_gap"][:20] == one).all()


def test_many_observed_and_paired_agree_with_one_by_one():
    rng = np.random.default_rng(17)
    truth, observed = rng.random((400, 90)), rng.integers(0, 60, (400, 90))
    for x, y in ((truth[0], observed), (truth, observed[0]), (truth, observed)):
        found = bc.correlate(x, y)
        for k in (0, 57, 399):
            alone = bc.correlate(x if x.ndim == 1 else x[k], y if y.ndim == 1 else y[k])
            for name in EXPECTED:
                assert found[name][k] == alone[name]


def test_gaps_are_not_computed_when_not_asked_for():
    pairs = pair_up(np.arange(30), np.zeros(30))
    tau, tau_ap, _ = expected(pairs, gaps=False)
    assert (tau, tau_ap) == expected(pairs, gaps=True)[:2]
