"""Small cases worked by hand, ties, and what follows from one draw of the truth."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from slow_estimators import ranked

import bayescorr as bc
from bayescorr.errors import ScoresWarning
from bayescorr.frequentist import ESTIMATORS, Differences
from bayescorr.frequentist.bandwidth import plugin_bandwidth
from bayescorr.frequentist.estimates import pairwise_draws
from bayescorr.frequentist.ml import unbiasing_factor
from bayescorr.frequentist.sample import make_sample
from bayescorr.frequentist.splithalf import extrapolate, subset_sizes

PAIRWISE = ("ML", "MSQD", "RES", "KD")


def two_systems(differences, base=None):
    differences = np.asarray(differences, dtype=float)
    base = np.zeros(len(differences)) if base is None else np.asarray(base)
    return pd.DataFrame({"a": base + differences, "b": base})


def swap(scores, method, **options):
    return bc.discordance(scores, method, random_seed=1, **options).to_numpy()[0, 1]


def test_ml_by_hand():
    # n = 2: mean 0.1, s = 0.2 / sqrt(2), C_2 = sqrt(pi / 2); a t with 1 degree is a Cauchy.
    t = math.sqrt(2) * 0.1 / (0.2 / math.sqrt(2) * math.sqrt(math.pi / 2))
    with pytest.warns(ScoresWarning, match="Same score"):
        found = swap(two_systems([0.0, 0.2]), "ML")
    assert found == pytest.approx(0.5 - math.atan(t) / math.pi, abs=1e-14)


def test_msqd_by_hand():
    # n = 2: the quantiles of 1/3 and 2/3 are -q and q, sigma = 0.2 q / (2 q^2).
    sigma = 0.1 / norm.ppf(2 / 3)
    t = math.sqrt(2) * 0.1 / sigma
    with pytest.warns(ScoresWarning, match="Same score"):
        found = swap(two_systems([0.0, 0.2]), "MSQD")
    assert found == pytest.approx(0.5 - math.atan(t) / math.pi, abs=1e-14)


def test_res_by_hand():
    # Two topics, differences -1 and 2: of the four resamples only (-1, -1) has a negative mean.
    scores = two_systems([-1.0, 2.0], base=[1.0, 0.0])
    size = 40_000
    found = swap(scores, "RES", draws=size)
    assert found == pytest.approx(1 / 4, abs=4 * math.sqrt(3 / 16 / size))


def test_kd_by_hand():
    # The same resamples, with means -1, 1/2 (twice) and 2, each plus N(0, h^2 / 2).
    scores = two_systems([-1.0, 2.0], base=[1.0, 0.0])
    width = plugin_bandwidth([-1.0, 2.0]) / math.sqrt(2)
    exact = (norm.cdf(1 / width) + 2 * norm.cdf(-0.5 / width) + norm.cdf(-2 / width)) / 4
    assert swap(scores, "KD", draws=40_000) == pytest.approx(exact, abs=4 * 0.45 / 200)


def test_unbiasing_factor_never_overflows():
    assert unbiasing_factor(2) == pytest.approx(math.sqrt(math.pi / 2), abs=1e-14)
    assert unbiasing_factor(10**7) == pytest.approx(1, abs=1e-6)


def test_identical_systems_never_swap():
    scores = pd.DataFrame({"a": [0.1, 0.5, 0.3, 0.9], "b": [0.2, 0.3, 0.3, 0.1]})
    scores["c"] = scores["a"]
    for method in PAIRWISE:
        with pytest.warns(ScoresWarning, match="Identical"):
            found = bc.discordance(scores, method, random_seed=1)
        assert found.loc["a", "c"] == 0
        assert 0 < found.loc["a", "b"] < 0.5
        assert found.loc["a", "b"] == found.loc["c", "b"]


def test_equal_means_of_different_systems():
    scores = pd.DataFrame({"a": [0.1, 0.2, 0.3], "b": [0.3, 0.3, 0.0], "c": [0.1, 0.0, 0.1]})
    for method in ("ML", "MSQD", "KD"):
        with pytest.warns(ScoresWarning, match="Equal means"):
            found = bc.discordance(scores, method, random_seed=1)
        assert found.loc["a", "b"] == 0.5
    # Of 27 resamples of the differences (-.2, -.1, .3), the 6 orders of all three have mean 0.
    with pytest.warns(ScoresWarning, match="Equal means"):
        found = bc.discordance(scores, "RES", draws=20_000, random_seed=1)
    assert found.loc["a", "b"] == pytest.approx(21 / 54, abs=4 * 0.5 / math.sqrt(20_000))


def test_constant_difference_never_swaps():
    scores = two_systems([0.1] * 5, base=[0.1, 0.7, 0.3, 0.2, 0.9])
    for method in PAIRWISE:
        assert swap(scores, method) == 0


def test_msqd_falls_back_on_ml_and_counts():
    x = [0.96, 0.97, 0.98, 0.99, 0.995, 1.0, 1.0, 1.0, 1.0, 1.0]  # ranks tied at the top
    with pytest.warns(ScoresWarning, match="Same score"):
        found = bc.discordance(two_systems(x), "MSQD")
    with pytest.warns(ScoresWarning, match="Same score"):
        ml = bc.discordance(two_systems(x), "ML")
    pd.testing.assert_frame_equal(found, ml)
    assert found.attrs["notes"] == [
        "MSQD uses ML for 1 of 1 pairs: their equal differences leave no positive standard "
        "deviation."
    ]


def test_kd_falls_back_on_ml_and_counts():
    scores = two_systems([0.1] * 6 + [-0.2, 0.5], base=np.linspace(0.2, 0.6, 8))
    found = bc.discordance(scores, "KD", random_seed=1)
    pd.testing.assert_frame_equal(found, bc.discordance(scores, "ML"))
    assert "KD uses ML for 1 of 1 pairs" in found.attrs["notes"][0]


@pytest.mark.parametrize("method", PAIRWISE)
def test_two_topics(method):
    scores = pd.DataFrame([[0.1, 0.3, 0.2, 0.4], [0.2, 0.2, 0.5, 0.5]], columns=list("abcd"))
    table = bc.estimate(scores, method, random_seed=1)
    assert not table.isna().any(axis=None)
    assert table["estimate"].between(-1, 1).all()


def test_resampled_means_are_free_of_noise():
    rng = np.random.default_rng(3)
    tenths = pd.DataFrame(rng.integers(0, 11, (10, 30))).add_prefix("s")
    with pytest.warns(ScoresWarning):
        exact = bc.estimate(tenths, ["RES", "SHw", "SHwo", "SH"], random_seed=1)
    with pytest.warns(ScoresWarning):
        found = bc.estimate(tenths / 10, ["RES", "SHw", "SHwo", "SH"], random_seed=1)
    pd.testing.assert_frame_equal(found, exact, rtol=1e-13)


@given(
    observed=st.lists(st.integers(0, 5), min_size=2, max_size=9),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=200, deadline=None)
def test_one_draw_of_the_truth_gives_the_coefficients(observed, seed):
    rng = np.random.default_rng(seed)
    means = np.array(observed, dtype=float)
    sample = make_sample(np.stack([means - 0.5, means + 0.5]), draws=4, random_seed=1)
    truth = rng.integers(0, 4, (4, len(means))).astype(float)
    found = pairwise_draws(sample, (Differences(truth),))
    expected = bc.correlate(truth, sample.means, ["tau", "tau_ap"])
    np.testing.assert_allclose(found["tau"], expected["tau"], atol=1e-12)
    np.testing.assert_allclose(found["tau_ap"], expected["tau_ap"], atol=1e-12)
    # The same again with the truth as noise around equal centres, spread by 1 in every pair.
    flat = np.zeros((1, len(means)))
    spread = np.ones((len(means), len(means)))
    again = pairwise_draws(sample, (Differences(flat, truth, spread),))
    np.testing.assert_array_equal(again["tau_ap"], found["tau_ap"])


def test_weights_add_up():
    rng = np.random.default_rng(5)
    values = rng.integers(0, 4, (3, 20)) / 10
    weights = make_sample(values, random_seed=1).weights
    for name in ("tau", "tau_ap"):
        assert weights[name].sum() == pytest.approx(2, abs=1e-12)  # all discordant is -1
        assert (np.triu(weights[name]) == 0).all()


def test_sample_is_in_observed_order():
    rng = np.random.default_rng(2)
    values = rng.random((5, 6))
    sample = make_sample(values, random_seed=1)
    np.testing.assert_array_equal(sample.values, ranked(values))
    assert (np.diff(sample.means) < 0).all()


def test_subset_sizes():
    assert subset_sizes(4).tolist() == [1, 2]
    assert subset_sizes(6).tolist() == [2, 3]
    assert len(subset_sizes(50)) == 20
    assert subset_sizes(50).tolist()[::19] == [2, 25]
    assert len(subset_sizes(100)) == 20
    assert subset_sizes(100)[-1] == 50


def test_extrapolation_edges():
    sizes = np.array([1, 1, 2, 2])
    assert extrapolate(sizes, np.ones(4), 4) == 1
    assert extrapolate(sizes, np.array([1, 1, 0.5, 0.5]), 4) == pytest.approx(0.5)
    assert extrapolate(sizes, np.array([0.5, 0.5, -1, -1]), 40) == -1


def test_split_half_samples():
    rng = np.random.default_rng(1)
    # Score of system s on topic t is 100^t for s = 0: its sum says which topics were taken.
    values = np.c_[100.0 ** np.arange(6), rng.random((6, 2))]
    sample = make_sample(values, draws=50, random_seed=1)
    for name in ("SHw", "SHwo", "SH"):
        splits = ESTIMATORS[name].splits(sample)
        sums = np.round(np.stack([splits.truth, splits.observed])[:, :, 0] * splits.sizes)
        taken = np.array([[[s // 100**t % 100 for t in range(6)] for s in row] for row in sums])
        assert (taken.sum(axis=2) == splits.sizes).all()
        assert (taken.sum(axis=0).max() > 1) == (name != "SHwo")
    assert (splits.sizes == 6).all()
    assert len(splits.sizes) == 50
