"""The plug-in bandwidth against R's ks::hpi; bandwidths.csv is what bandwidths.R printed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from make_differences import TREC, cases
from numpy.polynomial.hermite_e import hermeval

from bayescorr.errors import ScoresError
from bayescorr.frequentist.bandwidth import plugin_bandwidth

FOUND_BY_R = pd.read_csv(Path(__file__).with_name("bandwidths.csv"), comment="#", index_col="case")

CASES = dict(cases())


def check(name, differences):
    n, bandwidth, binned = FOUND_BY_R.loc[name]
    assert len(differences) == n
    kept = binned == n  # rounding error made R keep the largest difference
    found = plugin_bandwidth(differences, keep_largest=kept)
    assert found == pytest.approx(bandwidth, rel=1e-8)
    if not kept:
        assert plugin_bandwidth(differences) == found


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_r(name):
    check(name, CASES[name])


@pytest.mark.parametrize(("matrix", "i", "j"), TREC)
def test_agrees_with_r_on_trec(trec, matrix, i, j):
    values = trec(matrix).to_numpy()
    check(f"{matrix}-{i}-{j}", values[:, i] - values[:, j])


def test_r_mostly_leaves_the_largest_out():
    assert (FOUND_BY_R["binned"] < FOUND_BY_R["n"]).mean() > 0.9


def exact(x):
    """The formula without binning, all observations used."""
    n = len(x)
    quartiles = np.quantile(x, [0.25, 0.75])
    scale = min((quartiles[1] - quartiles[0]) / 1.349, x.std(ddof=1))
    z = np.subtract.outer(x, x) / scale

    def psi(r, h):
        kernel = hermeval(z / h, [0] * r + [1]) * np.exp(-((z / h) ** 2) / 2)
        return kernel.mean() / (np.sqrt(2 * np.pi) * h ** (r + 1))

    # The width that is best for psi_r when psi_{r + 2} is known: (-2 K^(r)(0) / psi n)^(1/(r + 3)).
    psi8 = 105 / (32 * np.sqrt(np.pi))
    psi6 = psi(6, (30 / (np.sqrt(2 * np.pi) * psi8 * n)) ** (1 / 9))
    psi4 = psi(4, (-6 / (np.sqrt(2 * np.pi) * psi6 * n)) ** (1 / 7))
    return scale * (1 / (2 * np.sqrt(np.pi) * psi4 * n)) ** 0.2


@pytest.mark.parametrize("n", [5, 20, 100])
def test_agrees_with_the_formula(n):
    x = np.random.default_rng(n).normal(0.1, 0.3, n)
    assert plugin_bandwidth(x, keep_largest=True) == pytest.approx(exact(x), rel=2e-3)


def test_scales_and_shifts():
    x = np.random.default_rng(1).normal(size=30)
    assert plugin_bandwidth(5 * x + 2) == pytest.approx(5 * plugin_bandwidth(x), rel=1e-9)


def test_none_where_half_is_the_same():
    assert np.isnan(plugin_bandwidth([0.1, 0.2, 0.2, 0.2, 0.3]))
    assert np.isnan(plugin_bandwidth([0.3, 0.3]))
    assert plugin_bandwidth([0.0, 0.3]) > 0


def test_noise_is_no_spread():
    x = np.array([0.3, 0.1 + 0.2, 0.3, 0.1 + 0.2, 0.9])
    assert np.isnan(plugin_bandwidth(x))


@pytest.mark.parametrize("bad", [[1.0], [np.nan, 1.0, 2.0]])
def test_refuses(bad):
    with pytest.raises(ScoresError, match="at least 2 values, all of them finite"):
        plugin_bandwidth(bad)
