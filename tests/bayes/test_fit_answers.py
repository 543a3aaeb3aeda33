"""Answers of a fit against the slowest way to get them from the same draws."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import bayescorr
from bayescorr import Fit
from bayescorr._draws import interval
from bayescorr.coefficients.ranks import rank_shares, swap_shares, true_ranks
from bayescorr.errors import CoefficientError, ModelError, OptionError, ScoresError


def slow_rank(draw, i, sign=1):
    return 1 + sum(sign * other > sign * draw[i] for other in draw)


def test_order_is_that_of_the_observed_means(drawn):
    scores, _, fit = drawn
    means = scores.mean()
    assert sorted(fit.systems) == sorted(scores.columns)
    assert (np.diff([means[s] for s in fit.systems]) <= 1e-12).all()


@pytest.mark.parametrize("better", [True, False])
def test_ranks_by_counting(drawn, better):
    scores, draws, _ = drawn
    fit = _from(draws, scores, better)
    flat = draws.reshape(-1, 5)
    sign = 1 if better else -1
    table = fit.rank_probabilities()
    best = fit.best()
    for i, system in enumerate(scores.columns):
        ranks = [slow_rank(draw, i, sign) for draw in flat]
        for rank in range(1, 6):
            assert table.loc[system, rank] == pytest.approx(np.mean(np.array(ranks) == rank))
        assert best[system] == pytest.approx(np.mean(np.array(ranks) == 1))
    assert best.is_monotonic_decreasing
    np.testing.assert_allclose(table.sum(axis=1), 1)


@pytest.mark.parametrize("better", [True, False])
def test_discordance_by_counting(drawn, better):
    scores, draws, _ = drawn
    fit = _from(draws, scores, better)
    flat, means = draws.reshape(-1, 5), scores.mean().round(12)
    table = fit.discordance()
    assert list(table.index) == list(table.columns) == fit.systems
    position = {system: i for i, system in enumerate(scores.columns)}
    for a, b in combinations(scores.columns, 2):
        observed = np.sign(means[a] - means[b])
        true = np.sign(flat[:, position[a]] - flat[:, position[b]])
        expected = np.mean(true * observed < 0) if observed else 0.5
        assert table.loc[a, b] == table.loc[b, a] == pytest.approx(expected)
    assert (np.diag(table) == 0).all()


def test_ranking_by_columns(drawn):
    scores, draws, fit = drawn
    table = fit.ranking(0.8).set_index("system")
    flat = pd.DataFrame(draws.reshape(-1, 5), columns=scores.columns)
    np.testing.assert_allclose(table["observed_mean"], scores.mean()[table.index])
    np.testing.assert_allclose(table["true_mean"], flat.mean()[table.index])
    np.testing.assert_allclose(table["lower"], flat.quantile(0.1)[table.index])
    np.testing.assert_allclose(table["upper"], flat.quantile(0.9)[table.index])
    ranks = flat.rank(axis=1, ascending=False, method="min")
    assert (table["rank_lower"] <= ranks.median()[table.index]).all()
    assert (table["rank_upper"] >= ranks.median()[table.index]).all()
    assert table["p_best"].sum() == pytest.approx(1)


def test_estimates_are_those_of_the_draws(drawn):
    scores, draws, fit = drawn
    observed = scores.mean().round(12).to_numpy()
    tau = bayescorr.tau(draws.reshape(-1, 5), observed)
    np.testing.assert_allclose(fit.draws("tau"), tau)
    row = fit.estimates(0.9, coefficients="tau").iloc[0]
    assert row["method"] == "draws"
    assert row["estimate"] == pytest.approx(tau.mean())
    assert row["sd"] == pytest.approx(tau.std(ddof=1))
    assert [row["lower"], row["upper"]] == pytest.approx(np.quantile(tau, [0.05, 0.95]))
    medians = fit.estimates(point="median")["estimate"]
    assert medians[0] == pytest.approx(np.median(tau))
    assert fit.summary(0.9).loc[0, "mean"] == pytest.approx(tau.mean())


def test_a_function_can_be_a_coefficient(drawn):
    scores, draws, fit = drawn

    def winner(truth, observed):
        return float(truth.argmax() == observed.argmax())

    expected = draws.reshape(-1, 5).argmax(axis=1) == scores.mean().to_numpy().argmax()
    np.testing.assert_array_equal(fit.draws(winner), expected)
    assert fit.estimates(coefficients=[winner, "spearman"])["coefficient"].tolist() == [
        "winner",
        "spearman",
    ]
    with pytest.raises(CoefficientError):
        fit.draws(lambda truth, observed: truth)


def test_lower_is_better_mirrors(drawn):
    scores, draws, fit = drawn
    mirrored = _from(-draws, -scores, better=False)
    for name in ("tau", "tau_ap", "tau_gap"):
        np.testing.assert_allclose(mirrored.draws(name), fit.draws(name), atol=1e-12)
    assert mirrored.systems == fit.systems
    pd.testing.assert_frame_equal(mirrored.discordance(), fit.discordance())
    pd.testing.assert_series_equal(mirrored.best(), fit.best())


def test_words_and_repr(drawn):
    *_, fit = drawn
    row = fit.estimates(0.8, coefficients="tau").iloc[0]
    assert fit.in_words(0.8) == (
        "Ranked by mean score on 6 topics, the 5 systems correlate with their ranking over all "
        f"such topics at Kendall's tau = {row['estimate']:.2f} (80% credible interval "
        f"{row['lower']:.2f} to {row['upper']:.2f})."
    )
    assert "Fit of 'draws' to 5 systems x 6 topics" in repr(fit)


def slow_shortest(values, level):
    """Shortest interval from one draw to another that holds at least ``level`` of the draws."""
    ordered = sorted(values)
    n = len(ordered)
    ends = [
        (ordered[j] - ordered[i], ordered[i], ordered[j])
        for i in range(n)
        for j in range(i, n)
        if j - i >= min(int(level * n), n - 1)
    ]
    return min(ends)[0]


@given(
    arrays(float, st.integers(2, 25), elements=st.floats(-1, 1).map(lambda x: round(x, 3))),
    st.sampled_from([0.5, 0.8, 0.95]),
)
def test_highest_density_interval_is_the_shortest(values, level):
    lower, upper = interval(values, level, "highest-density")
    assert upper - lower == pytest.approx(slow_shortest(values, level), abs=1e-12)
    assert np.mean((values >= lower) & (values <= upper)) >= level - 1e-12


def test_interval_of_many_columns_is_that_of_each():
    values = np.random.default_rng(1).gamma(2, size=(200, 3))
    for kind in ("equal-tailed", "highest-density"):
        together = interval(values, 0.9, kind)
        for i in range(3):
            np.testing.assert_array_equal(together[:, i], interval(values[:, i], 0.9, kind))
    # A skewed distribution has the shorter one further left.
    assert (interval(values, 0.9, "highest-density") < interval(values, 0.9)).all()


@given(arrays(float, st.tuples(st.integers(1, 6), st.integers(2, 5)), elements=st.integers(0, 3)))
def test_ranks_and_swaps_with_ties(means):
    ranks = true_ranks(means)
    slow = [[slow_rank(draw, i) for i in range(len(draw))] for draw in means]
    np.testing.assert_array_equal(ranks, slow)
    np.testing.assert_allclose(rank_shares(ranks).sum(axis=1), 1)
    observed = np.arange(means.shape[1], 0.0, -1)
    shares = swap_shares(means, observed)
    for i, j in combinations(range(means.shape[1]), 2):
        assert shares[i, j] == shares[j, i] == np.mean([draw[i] < draw[j] for draw in means])


def test_draws_of_every_kind_give_the_same_fit(drawn):
    import xarray as xr

    scores, draws, fit = drawn
    shuffled = ["s3", "s1", "s5", "s2", "s4"]
    order = [list(scores.columns).index(system) for system in shuffled]
    array = xr.DataArray(
        draws[:, :, order], dims=("chain", "draw", "system"), coords={"system": shuffled}
    )
    frame = pd.DataFrame(draws[0][:, order], columns=shuffled)
    np.testing.assert_array_equal(_from(array, scores).draws("tau"), fit.draws("tau"))
    one = _from(draws[0], scores).draws("tau")
    np.testing.assert_array_equal(_from(frame, scores).draws("tau"), one)
    turned = array.isel(chain=0, drop=True).transpose("system", "draw")
    np.testing.assert_array_equal(_from(turned, scores).draws("tau"), one)


@pytest.mark.parametrize(
    ("draws", "message"),
    [
        (np.zeros((4, 3)), "shape"),
        (np.full((4, 5), np.nan), "finite"),
        (np.zeros(5), "shape"),
        (pd.DataFrame(np.zeros((4, 2)), columns=["s1", "s2"]), "no column for: s3, s4, s5"),
    ],
)
def test_bad_draws_are_refused(drawn, draws, message):
    with pytest.raises(OptionError, match=message):
        _from(draws, drawn[0])


def test_unlabelled_data_arrays_are_refused(drawn):
    import xarray as xr

    with pytest.raises(OptionError, match="dimensions a, b"):
        _from(xr.DataArray(np.zeros((4, 5)), dims=("a", "b")), drawn[0])
    with pytest.raises(OptionError, match="no column"):
        _from(xr.DataArray(np.zeros((4, 5)), dims=("draw", "system")), drawn[0])


def test_bad_options_are_refused(drawn):
    *_, fit = drawn
    with pytest.raises(OptionError, match="Choose one of: mean, median"):
        fit.estimates(point="mode")
    with pytest.raises(OptionError, match="equal-tailed, highest-density"):
        fit.estimates(kind="hdi")
    for level in (0, 1, 95):
        with pytest.raises(OptionError, match="between 0 and 1"):
            fit.estimates(level)
    with pytest.raises(OptionError, match="Unknown coefficient 'kendall'"):
        fit.draws("kendall")
    with pytest.raises(ModelError, match="made from draws"):
        fit.posterior_predictive(5)


def test_labels_that_are_the_same_as_text_are_refused():
    scores = pd.DataFrame([[0.1, 0.2, 0.3], [0.3, 0.1, 0.2]], columns=[1, "1", "b"])
    with pytest.raises(ScoresError, match="same label as text: 1"):
        Fit.from_draws(np.zeros((4, 3)), scores)


def _from(draws, scores, better=True):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bayescorr.ScoresWarning)
        return Fit.from_draws(draws, scores, higher_is_better=better)
