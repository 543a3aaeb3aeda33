"""Agreement with rankings by other topics, where Sigma is known and everything has a formula."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescorr
from bayescorr.bayes.data import prepare
from bayescorr.bayes.model import ExactModel
from bayescorr.errors import ModelError, OptionError
from bayescorr.study.work import share_below

# Short chains of independent draws: what is tested does not depend on their convergence.
pytestmark = pytest.mark.filterwarnings("ignore::bayescorr.ConvergenceWarning")

M, KAPPA = 5, 0.25
ROOT = np.tril(np.random.default_rng(0).normal(0, 0.05, (M, M))) + 0.1 * np.eye(M)
SIGMA = ROOT @ ROOT.T


class KnownSigma(ExactModel):
    """Normal scores with a known Sigma, true means with the g-prior around 0."""

    name = "known-sigma"
    description = citation = good_for = bad_for = "for tests"

    def sample(self, data, priors, draws, rng):
        n = data.n_topics
        kept = n * KAPPA / (n * KAPPA + 1)
        noise = rng.standard_normal((draws, M)) @ ROOT.T
        return kept * data.values.mean(axis=0) + np.sqrt(kept / n) * noise

    def covariance(self, draws, true_means, data, priors, rng):
        return np.broadcast_to(SIGMA, (len(true_means), M, M))


def collection(n, seed, truth=None):
    rng = np.random.default_rng(seed)
    if truth is None:
        truth = np.sqrt(KAPPA) * ROOT @ rng.standard_normal(M)
    scores = truth + rng.standard_normal((n, M)) @ ROOT.T
    return truth, pd.DataFrame(scores, columns=list("abcde"))


def fit_of(scores, draws=1000):
    return bayescorr.fit(scores, KnownSigma(), chains=2, draws=draws, random_seed=1, warn=False)


def expected_tau(scores, others):
    """E[tau] with the means of other topics: a normal probability for every pair."""
    n, means = len(scores), scores.mean().to_numpy()
    kept = n * KAPPA / (n * KAPPA + 1)
    swapped = 0.0
    for i in range(M):
        for j in range(i):
            contrast = np.eye(M)[i] - np.eye(M)[j]
            sd = np.sqrt(contrast @ SIGMA @ contrast * (kept / n + 1 / others))
            swapped += stats.norm.cdf(-abs(kept * (means[i] - means[j])) / sd)
    return 1 - 4 * swapped / (M * (M - 1))


@settings(max_examples=5, deadline=None)
@given(n=st.integers(3, 40), others=st.integers(1, 200), seed=st.integers(0, 10**6))
def test_known_covariance_gives_the_closed_form(n, others, seed):
    _, scores = collection(n, seed)
    found = fit_of(scores).predict_agreement(others, "tau", random_seed=seed)
    row = found.table().iloc[0]
    error = row["sd"] / np.sqrt(2000)
    assert row["estimate"] == pytest.approx(expected_tau(scores, others), abs=5 * error + 1e-9)


@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_very_many_topics_give_the_posterior_itself(seed):
    # Given its true means, a draw over very many topics has no noise left.
    fit = fit_of(collection(10, seed)[1])
    many = fit.predict_agreement(10**15, random_seed=seed).draws
    for name in ("tau", "tau_ap"):
        np.testing.assert_allclose(many[name][0], fit.draws(name), atol=1e-6)


def test_predictions_are_calibrated_where_the_model_is_right():
    found = []
    for seed in range(300):
        truth, scores = collection(10, seed)
        others = collection(15, 10_000 + seed, truth)[1].to_numpy().mean(axis=0)
        data, rng = prepare(scores)[0], np.random.default_rng(seed)
        means = KnownSigma().sample(data, {}, 99, rng)
        drawn = KnownSigma().new_means({}, means, data, {}, 15, rng)
        tau = bayescorr.tau(np.vstack([others, drawn]), scores.to_numpy().mean(axis=0))
        found.append(share_below(tau[1:], tau[0], seed))
    assert stats.kstest(found, "uniform").pvalue > 1e-3


def test_table_and_words():
    scores = collection(10, 1)[1]
    agreement = fit_of(scores).predict_agreement(random_seed=1)
    table = agreement.table(0.8)
    assert table["n_topics"].unique().tolist() == [5, 10, 20, 40]
    assert list(table.columns) == [
        "n_topics", "coefficient", "estimate", "sd", "lower", "upper", "level",
    ]  # fmt: skip
    tau = table[table["coefficient"] == "tau"]
    assert tau["estimate"].is_monotonic_increasing
    np.testing.assert_allclose(tau["estimate"], agreement.draws["tau"].mean(axis=1))
    gap = table.query("coefficient == 'tau_gap' and n_topics == 10").iloc[0]
    assert gap["estimate"] == pytest.approx(agreement.draws["tau_gap"][1].mean())
    row = tau[tau["n_topics"] == 10].iloc[0]
    words = agreement.in_words(0.8)
    assert "ranks the 5 systems on 10 other topics" in words
    text = f"Kendall's tau = {row['estimate']:.2f} (80% predictive interval {row['lower']:.2f} to"
    assert text in words
    assert agreement.in_words() in repr(agreement)


def test_order_seed_and_lower_is_better():
    scores = collection(10, 2)[1]
    first = fit_of(scores).predict_agreement([7], random_seed=3)
    turned = fit_of(scores.iloc[::-1, ::-1]).predict_agreement([7], random_seed=3)
    pd.testing.assert_frame_equal(first.table(), turned.table())
    fit = bayescorr.fit(
        -scores, KnownSigma(), chains=2, random_seed=1, higher_is_better=False, warn=False
    )
    lower = fit.predict_agreement([7], "tau_ap", random_seed=3).table().iloc[0]
    higher = first.table().query("coefficient == 'tau_ap'").iloc[0]
    assert lower["estimate"] == pytest.approx(higher["estimate"], abs=0.05)


def test_identical_systems_agree_for_ever():
    scores = collection(10, 4)[1]
    fit = bayescorr.fit(scores.assign(copy=scores["a"]), "flat", random_seed=1, warn=False)
    without = bayescorr.fit(scores, "flat", random_seed=1, warn=False)
    one, two = (f.predict_agreement([10], "tau", random_seed=1).table() for f in (fit, without))
    assert one["estimate"].iloc[0] == pytest.approx(two["estimate"].iloc[0], abs=0.1)


def test_errors():
    scores = collection(10, 2)[1]
    with pytest.raises(OptionError, match="n_topics"):
        fit_of(scores).predict_agreement([10, 0])
    with pytest.raises(ModelError, match="made from draws"):
        bayescorr.Fit.from_draws(np.ones((8, M)), scores).predict_agreement(10)


def test_tasks_have_topics_of_their_own():
    scores = collection(24, 5)[1]
    strata = pd.Series(["x"] * 16 + ["y"] * 8, scores.index)
    fit = bayescorr.fit(scores, "flat", strata=strata, random_seed=1, warn=False)
    found = fit.predict_agreement([24, 10**9], "tau", random_seed=1)
    few, many = found.draws["tau"].mean(axis=1)
    assert few < many - 0.01
    assert many == pytest.approx(fit.draws("tau").mean(), abs=0.02)
