"""Shares of draws by rank and by order, against loops over draws and pairs."""

from __future__ import annotations

import numpy as np
import pytest

from bayescorr.coefficients.ranks import order_shares, rank_shares, swap_shares, true_ranks

# Multiples of 1/8, so that true means tie often and differences are exact.
DRAWS = np.random.default_rng(5).integers(0, 6, (40, 7)) / 8
OBSERVED = np.array([0.9, 0.7, 0.7, 0.7, 0.4, 0.2, 0.2])


@pytest.mark.parametrize("threshold", [0.0, 0.2])
def test_order_shares_against_a_loop(threshold):
    found = order_shares(DRAWS, threshold=threshold)
    for i in range(7):
        for j in range(7):
            assert found[i, j] == np.mean(DRAWS[:, i] - DRAWS[:, j] > threshold)


@pytest.mark.parametrize("threshold", [0.0, 0.2])
def test_swap_shares_against_a_loop(threshold):
    found = swap_shares(DRAWS, OBSERVED, threshold=threshold)
    for i in range(7):
        for j in range(i + 1, 7):
            difference = DRAWS[:, i] - DRAWS[:, j]
            swapped = np.mean(difference < -threshold)
            if OBSERVED[i] == OBSERVED[j]:
                swapped = np.mean(abs(difference) > threshold) / 2
            assert found[i, j] == found[j, i] == pytest.approx(swapped, abs=1e-15)
    assert (np.diag(found) == 0).all()


def test_identical_systems_are_never_swapped():
    draws = DRAWS.copy()
    draws[:, 2] = draws[:, 1]
    assert swap_shares(draws, OBSERVED)[1, 2] == 0


def test_ranks_count_better_systems():
    ranks = true_ranks(DRAWS)
    better = (DRAWS[:, None, :] > DRAWS[:, :, None]).sum(axis=2)
    np.testing.assert_array_equal(ranks, better + 1)
    np.testing.assert_array_equal(true_ranks(-DRAWS, higher_is_better=False), ranks)
    shares = rank_shares(ranks)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert shares[3, 0] == np.mean(ranks[:, 3] == 1)


def test_threads_change_nothing(monkeypatch):
    import numba

    draws = np.random.default_rng(1).random((4000, 60))
    found = []
    for threads in (1, 3):
        monkeypatch.setattr(numba.config, "NUMBA_NUM_THREADS", threads)
        found.append(order_shares(draws))
    np.testing.assert_array_equal(*found)
