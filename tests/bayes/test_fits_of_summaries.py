"""Fits and estimates of win rates, medians and other summaries of item scores."""

from __future__ import annotations

import numpy as np
import pytest

import bayescorr
from bayescorr import estimate, fit, load_dataset
from bayescorr.errors import ModelError, ScoresError
from bayescorr.scores.aggregates import weighted_median, win_shares
from bayescorr.scores.groups import label_tasks

SCORES = load_dataset("demo").iloc[:, :6]


def draws(**options):
    return fit(SCORES, "bootstrap-shrunk", random_seed=1, draws=200, **options)


def test_the_mean_gives_the_same_draws_bit_by_bit():
    before = draws()
    for summary in ("mean", None):
        np.testing.assert_array_equal(draws(summary=summary).true_means, before.true_means)
    assert before.item_summary == "mean"


def test_win_rates_are_means_of_win_shares():
    shares = SCORES.copy()
    shares[:] = win_shares(SCORES.to_numpy())
    for model in ("bootstrap-shrunk", "flat"):
        one = fit(SCORES, model, random_seed=1, draws=200, summary="win-rate")
        other = fit(shares, model, random_seed=1, draws=200)
        np.testing.assert_array_equal(one.true_means, other.true_means)
    assert "Ranked by win rate of AP on 50 topics" in one.in_words()
    table = estimate(SCORES, ["ML", "MSQD"], summary="win-rate", random_seed=1)
    np.testing.assert_allclose(
        table["estimate"], estimate(shares, ["ML", "MSQD"], random_seed=1)["estimate"]
    )


def test_identical_systems_count_in_win_rates():
    scores = SCORES.assign(copy=SCORES.iloc[:, 0])
    one = fit(scores, "bootstrap", random_seed=1, draws=200, summary="win-rate", warn=False)
    expected = win_shares(scores.to_numpy()).mean(axis=0)
    np.testing.assert_allclose(one.observed_means[scores.columns], expected)


def test_shrunk_medians_follow_the_formula():
    plain = fit(SCORES, "bootstrap", random_seed=1, draws=200, summary="median")
    rng_weights = plain.true_means.to_numpy().reshape(-1, 6)
    kept = 50 / (50 + 20 / 3)
    observed = SCORES.median().to_numpy()
    expected = observed.mean() + kept * (observed - observed.mean())
    expected = expected + np.sqrt(kept) * (rng_weights - observed)
    found = draws(summary="median").true_means.to_numpy().reshape(-1, 6)
    np.testing.assert_allclose(found, expected)


def test_bootstrap_medians_are_those_of_weighted_topics():
    ordered = SCORES.sort_index(axis=0).sort_index(axis=1)
    rng = np.random.default_rng(5)
    weights = rng.dirichlet(np.ones(50), 4000)
    expected = np.column_stack([weighted_median(x, weights) for x in ordered.to_numpy().T])
    found = fit(ordered, "bootstrap", random_seed=2, summary="median").true_means
    found = found.to_numpy().reshape(-1, 6)
    error = found.mean(axis=0) - expected.mean(axis=0)
    assert np.abs(error / (expected.std(axis=0) * np.sqrt(2 / 4000))).max() < 4


@pytest.mark.parametrize("summary", ["win-rate", "median", np.ptp])
def test_files_keep_the_summary(tmp_path, summary):
    one = draws(summary=summary)
    other = bayescorr.load_fit(one.to_netcdf(tmp_path / "fit.nc"))
    assert other.item_summary == one.item_summary
    assert other.in_words() == one.in_words()
    np.testing.assert_array_equal(other.observed_means, one.observed_means)


def test_order_does_not_matter():
    other = fit(
        SCORES.iloc[::-1, ::-1], "bootstrap-shrunk", random_seed=1, draws=200, summary="median"
    )
    np.testing.assert_array_equal(other.draws("tau"), draws(summary="median").draws("tau"))


def test_lower_is_better():
    one = draws(summary="median")
    other = fit(
        -SCORES, "bootstrap-shrunk", random_seed=1, draws=200, summary="median",
        higher_is_better=False,
    )  # fmt: skip
    np.testing.assert_allclose(other.draws("tau"), one.draws("tau"))
    up = estimate(SCORES, "RES", "tau", summary="median", random_seed=1)
    down = estimate(-SCORES, "RES", "tau", summary="median", random_seed=1, higher_is_better=False)
    np.testing.assert_allclose(up["estimate"], down["estimate"])


def test_models_of_means_refuse_other_summaries():
    half = dict.fromkeys(SCORES.index[:25], "a") | dict.fromkeys(SCORES.index[25:], "b")
    tagged = SCORES.copy()
    tagged.attrs["summary"] = {"name": "median"}
    with pytest.raises(ModelError, match=r"'matrix-t' is for means.*bootstrap-shrunk"):
        fit(SCORES, summary="median")
    with pytest.raises(ModelError, match="'median' is of all items; it has no weights of tasks"):
        fit(label_tasks(SCORES, half), "bootstrap", summary="median")
    with pytest.raises(ScoresError, match="is of means, not of the summary 'median'"):
        bayescorr.rank_confidence_sets(tagged)


def test_estimators_of_means_have_no_other_summaries():
    table = estimate(SCORES, ["ML", "RES"], "tau", summary="trimmed-mean", random_seed=1)
    assert table["estimate"].isna().tolist() == [True, False]
    assert table.attrs["notes"] == ["ML is for means, not for other summaries: use RES."]
