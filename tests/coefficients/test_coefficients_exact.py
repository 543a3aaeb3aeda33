"""Small cases worked by hand, values published by others, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayescorr as bc
from bayescorr.coefficients.gaps import tau_gap_of_gaps
from bayescorr.errors import CoefficientError

ALL = ("tau", "tau_ap", "tau_gap", "tau_a", "tau_b", "tau_ap_a", "tau_ap_b", "pearson", "spearman")

# Data and expected values of the tests of the R package ircor 1.0, by J. Urbano (test_tau.R,
# test_tauAP.R, helper_data.R), given there to four decimals.
IRCOR = {
    1: (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        [0.9, 0.4, 0.9, 0.9, 0.7, 0.1, 0.2, 0.4, 0.5, 1],
        [0.8, 0.4, 0.8, 1, 0.7, 0.1, 0.4, 0.5, 0.6, 1],
    ),
    2: (
        [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
        [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
        [0.3, 0.6, 0.2, 0.9, 0.6, 0.2, 0.7, 0.8, 0.7, 0.4],
        [0.3, 0.8, 0.7, 0.9, 0.1, 0.1, 0.5, 0.6, 1, 0.6],
    ),
    3: (
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
        [0.2, 0.6, 0.9, 0.1, 0.5, 0.6, 0.8, 0.4, 1, 0.4],
        [0.8, 0.3, 0.3, 0.9, 0.6, 0.3, 0.2, 0.9, 0, 0.2],
    ),
}
IRCOR_UNTIED = {
    "tau": (0.9111, 0.2889, -0.6889),
    "tau_a": (0.9111, 0.2889, -0.6889),
    "tau_b": (0.9111, 0.2889, -0.6889),
    "tau_ap": (0.8519, 0.2504, -0.6971),
    "tau_ap_a": (0.8519, 0.2504, -0.6971),
    "tau_ap_b": (0.8333, 0.2880, -0.668),
}
IRCOR_OBSERVED_TIES = {
    "tau_a": (0.8889, 0.3333, -0.6222),
    "tau": (0.8889, 0.3333, -0.6222),
    "tau_ap_a": (0.7454, 0.2692, -0.5558),
    "tau_ap": (0.7454, 0.2692, -0.5558),
}
IRCOR_BOTH_TIES = {
    "tau_b": (0.9398, 0.3765, -0.6510),
    "tau_ap_b": (0.7321, 0.297, -0.7047),
}


@pytest.mark.parametrize(
    ("published", "x", "y"),
    [(IRCOR_UNTIED, 0, 1), (IRCOR_OBSERVED_TIES, 0, 3), (IRCOR_BOTH_TIES, 2, 3)],
    ids=["untied", "observed ties", "both ties"],
)
def test_values_published_with_ircor(published, x, y):
    for name, values in published.items():
        found = [getattr(bc, name)(sets[x], sets[y]) for sets in IRCOR.values()]
        np.testing.assert_allclose(found, values, rtol=5e-5, atol=5e-5, err_msg=name)


def test_values_in_the_readme_of_ircor():
    x = np.array([0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94])
    y = np.array([0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94])
    assert bc.tau(x, y) == pytest.approx(0.7777778, abs=5e-8)
    assert bc.tau_ap(x, y) == pytest.approx(0.7491182, abs=5e-8)
    y5, x5 = np.round(y * 5) / 5, np.round(x * 5) / 5
    assert bc.tau_a(x, y5) == pytest.approx(0.7111111, abs=5e-8)
    assert bc.tau_ap_a(x, y5) == pytest.approx(0.6074515, abs=5e-8)
    assert bc.tau_b(x5, y5) == pytest.approx(0.75, abs=5e-8)
    assert bc.tau_ap_b(x5, y5) == pytest.approx(0.6269841, abs=5e-8)


def test_untied_by_hand():
    truth, observed = [0.5, 0.4, 0.2, 0.1], [0.4, 0.5, 0.1, 0.2]
    # Observed order: 2, 1, 4, 3. Swapped pairs: (2, 1) and (4, 3).
    assert bc.tau(truth, observed) == pytest.approx(1 - 2 * 2 / 6, abs=1e-15)
    assert bc.tau_ap(truth, observed) == pytest.approx(1 - 2 / 3 * (1 + 0 + 1 / 3), abs=1e-15)
    # Last rank: gaps .2 and .3 in order, .1 (to the true fourth) not.
    assert bc.tau_gap(truth, observed) == pytest.approx(1 - 2 / 3 * (1 + 0 + 0.1 / 0.6), abs=1e-15)


def test_observed_tie_by_hand():
    # The first two tie: one order has no swap, the other one swap at rank 2.
    truth, observed = [0.5, 0.4, 0.1], [0.3, 0.3, 0.2]
    assert bc.tau(truth, observed) == pytest.approx(1 - 2 * 0.5 / 3, abs=1e-15)
    assert bc.tau_ap(truth, observed) == pytest.approx(0.5, abs=1e-15)
    assert bc.tau_gap(truth, observed) == pytest.approx(0.5, abs=1e-15)
    for coefficient in (bc.tau, bc.tau_ap, bc.tau_gap):
        assert coefficient(truth, observed, strict=True) == 1


def test_a_tie_in_the_truth_is_never_discordant():
    truth = [0.4, 0.4, 0.4, 0.1]
    for observed in ([4, 3, 2, 1], [2, 3, 4, 1], [2, 2, 2, 1], [3, 2, 3, 1]):
        for coefficient in (bc.tau, bc.tau_ap, bc.tau_gap):
            assert coefficient(truth, observed) == 1


def test_a_rank_without_gaps_counts_as_in_order():
    assert bc.tau_gap([0.3, 0.3], [0.1, 0.2]) == 1
    # Observed order 1, 2, 3: no gap at rank 2, both gaps wrong at rank 3.
    assert bc.tau_gap([0.3, 0.3, 0.5], [3, 2, 1]) == 0


def test_nearly_equal_means_are_no_tie():
    assert bc.tau([0.2, 0.1], [0.3, np.nextafter(0.3, 1)]) == -1
    assert bc.tau([0.2, np.nextafter(0.2, 1)], [0.3, 0.1]) == -1
    assert bc.tau_gap([0.0, 5e-324], [0.3, 0.1]) == -1


@pytest.mark.parametrize("name", ALL)
def test_ends_of_the_scale(name):
    coefficient = getattr(bc, name)
    truth = [0.9, 0.7, 0.5, 0.3]
    assert coefficient(truth, truth) == pytest.approx(1, abs=1e-15)
    assert coefficient(truth, truth[::-1]) == pytest.approx(-1, abs=1e-15)


@pytest.mark.parametrize("name", ALL)
def test_lower_is_better(name):
    coefficient = getattr(bc, name)
    rng = np.random.default_rng(3)
    x, y = rng.permutation(8), rng.permutation(8)
    assert coefficient(x, y, higher_is_better=False) == coefficient(-x, -y)


def test_labels_align_and_arrays_do_not():
    truth = pd.Series({"a": 0.3, "b": 0.2, "c": 0.1})
    observed = pd.Series({"c": 0.2, "a": 0.6, "b": 0.4})
    draws = pd.DataFrame([[0.1, 0.3, 0.2], [0.3, 0.1, 0.2]], columns=["c", "a", "b"])
    array = xr.DataArray([0.3, 0.2, 0.1], dims="system", coords={"system": ["a", "b", "c"]})
    assert bc.tau(truth, observed) == 1
    assert bc.tau(array, observed) == 1
    assert bc.tau(truth.to_numpy(), observed) == pytest.approx(-1 / 3)
    np.testing.assert_allclose(bc.tau(draws, observed), [1, -1])
    np.testing.assert_allclose(bc.tau(truth, draws), [1, -1])


@pytest.mark.parametrize("name", ALL)
def test_leading_axes_broadcast(name):
    coefficient = getattr(bc, name)
    rng = np.random.default_rng(5)
    truth, observed = rng.random((3, 4, 6)), rng.random((4, 6))
    found = coefficient(truth, observed)
    assert found.shape == (3, 4)
    crossed = coefficient(truth[:, :, None], observed)
    assert crossed.shape == (3, 4, 4)
    for a in range(3):
        for b in range(4):
            alone = coefficient(truth[a, b], observed[b])
            assert isinstance(alone, float)
            assert found[a, b] == crossed[a, b, b] == alone
    assert coefficient(truth[:0], observed).shape == (0, 4)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("truth", "observed", "message"),
    [
        ([0.1], [0.2], "at least 2 systems; got 1"),
        ([0.1, 0.2], [0.1, 0.2, 0.3], "2 systems and 3"),
        ([0.1, np.nan, 0.2], [0.1, 0.2, 0.3], "true means: positions 1"),
        ([0.1, 0.2, 0.3], [0.1, 0.2, np.inf], "observed means: positions 2"),
        (pd.Series({"a": 1, "b": np.nan}), pd.Series({"b": 1, "a": 2}), "true means: 'b'"),
        ([0.1, 0.2, 0.3], np.ma.array([1, 2, 3], mask=[0, 0, 1]), "observed means: positions 2"),
        ([1e308, -1e308, 0], [1, 2, 3], r"above 1e\+150\) true means: positions 0, 1"),
        (["a", "b"], [0.1, 0.2], "numbers"),
        (np.array([1 + 2j, 2]), [0.1, 0.2], "numbers"),
        (np.array([1, 2], dtype="timedelta64[s]"), [0.1, 0.2], "numbers"),
        (0.1, [0.1, 0.2], "single number"),
        (np.ones((2, 3)), np.ones((4, 3)), r"\(2,\) and \(4,\)"),
        (pd.Series({"a": 1, "b": 2}), pd.Series({"a": 1, "c": 2}), "in one only: b, c"),
        (
            pd.Series([1, 2], ["a", "a"]),
            pd.Series([1, 2], ["a", "b"]),
            "Duplicate labels in the truth: a",
        ),
        (pd.Series([1, 2, 3], list("aab")), pd.Series([3, 2, 1], list("aab")), "truth: a"),
    ],
)
def test_refused_by_all(name, truth, observed, message):
    with pytest.raises(CoefficientError, match=message):
        getattr(bc, name)(truth, observed)


@pytest.mark.parametrize("name", ["tau_a", "tau_ap_a"])
def test_true_ties_are_refused_as_ircor_does(name):
    with pytest.raises(CoefficientError, match="without ties; 1 of 1 have ties"):
        getattr(bc, name)([1, 1, 2], [1, 2, 3])
    with pytest.raises(CoefficientError, match="without ties; 1 of 2 have ties"):
        getattr(bc, name)([[1, 1, 2], [1, 2, 3]], [1, 2, 3])


@pytest.mark.parametrize("name", ["tau_b", "tau_ap_b", "pearson", "spearman"])
def test_constant_means_are_refused_where_undefined(name):
    with pytest.raises(CoefficientError, match="truth are all equal"):
        getattr(bc, name)([2, 2, 2], [1, 2, 3])
    with pytest.raises(CoefficientError, match="observed means are all equal in 1 of 2 vectors"):
        getattr(bc, name)([1, 2, 3], [[1, 2, 3], [4, 4, 4]])


def test_all_tied_is_defined_by_expectation():
    assert bc.tau([3, 2, 1], [1, 1, 1]) == pytest.approx(0, abs=1e-15)
    assert bc.tau_ap([3, 2, 1], [1, 1, 1]) == pytest.approx(0, abs=1e-15)


def test_pearson_of_tiny_differences():
    assert bc.pearson([1e-200, 2e-200, 3e-200], [1, 2, 3]) == pytest.approx(1)


@pytest.mark.parametrize("systems", [3, 12])
@pytest.mark.parametrize("scale", [1e-308, 1e-150, 1e150])
def test_gaps_of_any_size(systems, scale):
    truth = np.random.default_rng(3).random(systems)
    for observed in (np.ones(systems), np.arange(systems), np.r_[np.ones(systems - 1), 0]):
        expected = bc.tau_gap(truth, observed)
        assert bc.tau_gap(truth * scale, observed) == pytest.approx(expected, abs=1e-9)
    # Only the tied systems are close to each other.
    truth = np.r_[truth * scale, 1]
    observed = np.r_[np.ones(systems), 0]
    assert -1 <= bc.tau_gap(truth, observed) <= 1


def test_gap_matrix_of_differences_is_tau_gap():
    rng = np.random.default_rng(2)
    truth, observed = rng.random(7), rng.random(7)
    found = tau_gap_of_gaps(np.subtract.outer(truth, truth), observed)
    assert math.isclose(found, bc.tau_gap(truth, observed), abs_tol=1e-14)


@pytest.mark.parametrize(
    ("gaps", "observed", "message"),
    [
        ([[0, 1], [-1, 0]], [1, 2, 3], "shape"),
        ([[0, 1], [1, 0]], [1, 2], "antisymmetric"),
        ([[0, 1], [-1, 0]], [1, 1], "ties"),
        ([[0, np.nan], [-1, 0]], [1, 2], "missing"),
        ([[0, 1e308], [-1e308, 0]], [1, 2], "at most 1e"),
    ],
)
def test_gap_matrices_refused(gaps, observed, message):
    with pytest.raises(CoefficientError, match=message):
        tau_gap_of_gaps(gaps, observed)
