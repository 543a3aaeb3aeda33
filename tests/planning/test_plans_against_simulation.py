"""Plans for decisions against what later fits decide, where the model is true."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from known_covariance import KnownCovariance
from scipy.stats import invwishart

import bayescorr
from bayescorr.bayes.model import ExactModel
from bayescorr.planning.futures import futures_of

SCRIPT = Path(__file__).parents[2] / "scripts" / "validate_claims.py"
#: Of the prior: Sigma ~ IW(NU, PSI), mu | Sigma ~ N(LEVEL, Sigma / WORTH).
SYSTEMS, NU, WORTH, LEVEL = 7, 20, 4.0, 0.4
PSI = 0.02 * (NU - SYSTEMS - 1) * (0.5 * np.ones((SYSTEMS, SYSTEMS)) + 0.5 * np.eye(SYSTEMS))


class Conjugate(ExactModel):
    """Normal scores with a normal-inverse-Wishart prior: nothing to compile."""

    name = "conjugate"
    description = citation = good_for = bad_for = "for tests"

    def posterior(self, data):
        n, centred = data.n_topics, data.values - data.values.mean(axis=0)
        apart = data.values.mean(axis=0) - LEVEL
        centre = LEVEL + n / (n + WORTH) * apart
        scale = PSI + centred.T @ centred + n * WORTH / (n + WORTH) * np.outer(apart, apart)
        return centre, n + WORTH, scale, NU + n

    def sample(self, data, priors, draws, rng):
        centre, topics, scale, freedom = self.posterior(data)
        sigma = invwishart.rvs(freedom, scale, draws, random_state=rng)
        noise = np.linalg.cholesky(sigma) @ rng.standard_normal((draws, SYSTEMS, 1))
        return centre + noise[..., 0] / np.sqrt(topics)

    def covariance(self, draws, true_means, data, priors, rng):
        centre, topics, scale, freedom = self.posterior(data)
        apart = true_means - centre
        return np.array(
            [
                invwishart.rvs(freedom + 1, scale + topics * np.outer(d, d), random_state=rng)
                for d in apart
            ]
        )


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("validate_claims", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["validate_claims"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["validate_claims"]


@pytest.mark.slow
def test_predicted_and_actual_shares_of_decisions_agree(script):
    """Within 5 points, and twice the standard error of 120 pairs."""
    rows = []
    for seed in range(30):
        rng = np.random.default_rng([seed, 1])
        sigma = invwishart.rvs(NU, PSI, random_state=rng)
        factor = np.linalg.cholesky(sigma)
        truth = LEVEL + factor @ rng.standard_normal(SYSTEMS) / np.sqrt(WORTH)

        noise = rng.standard_normal((100, SYSTEMS)) @ factor.T
        scores = pd.DataFrame(truth + noise, columns=[f"s{i}" for i in range(SYSTEMS)])
        later = {("extended", 50): np.arange(50), ("fresh", 50): np.arange(50, 100)}
        options = {"model": Conjugate(), "inference": "nuts"}
        found = script.plans_of(scores, np.arange(25), later, seed, rng, **options)
        label = {"outcome": script.TRUTH, "source": "prior", "seed": seed}
        rows += [label | row for row in found]
    table = script.summarise_plans(pd.DataFrame(rows))
    table = table[table["predictions"] == "all"].set_index(["question", "set"])
    for kind in ("extended", "fresh"):
        pair = table.loc[("pair", kind)]
        assert pair["cases"] == 120
        assert 0.3 < pair["predicted"] < 0.8
        assert abs(pair["difference"]) < 0.05 + 2 * pair["se"]
        top = table.loc[("top 1", kind)]
        assert abs(top["difference"]) < 0.05 + 3 * top["se"]


@pytest.fixture(autouse=True)
def forget(script):
    """Tests load different scores."""
    yield
    for cached in (script.simulator, script.real_topics, script.deviations):
        cached.cache_clear()


@pytest.fixture
def small(script, monkeypatch):
    """The studies on eight systems of the embedded data, without anything to compile."""
    few = script.bc.load_dataset("demo").iloc[:, ::4]
    monkeypatch.setattr(script, "LAPLACE", {"model": "flat", "draws": 200, "warn": False})
    monkeypatch.setattr(script, "SIZES", (25, 50))
    monkeypatch.setattr(script, "load", lambda *_: few)
    return script


def test_a_study_of_sets_resumes(small, tmp_path):
    """A second run adds nothing; the table is that of one run."""
    first = small.run_sets(tmp_path, None, 1)
    text = (tmp_path / "sets.csv").read_text()
    pd.testing.assert_frame_equal(small.run_sets(tmp_path, None, 1), first)
    assert (tmp_path / "sets.csv").read_text() == text
    assert set(first["method"]) == {
        "credible", "confidence, normal", "confidence, plug-in", "confidence, topics", "predictive"
    }  # fmt: skip
    assert set(first.loc[first["method"] == "predictive", "n_topics"]) == {25}
    sizes = first.set_index(["method", "n_topics", "level"])["size_ranks"]
    assert sizes["credible", 50, 0.8] <= sizes["credible", 50, 0.95] <= 1
    # Results with another prior do not count.
    table = pd.read_csv(tmp_path / "sets.csv").assign(prior_topics=1.0)
    table.to_csv(tmp_path / "sets.csv", index=False)
    pd.testing.assert_frame_equal(small.run_sets(tmp_path, None, 1), first)
    assert len(pd.read_csv(tmp_path / "sets.csv")) == 2 * len(table)


def test_plans_resume_too(small, tmp_path, monkeypatch):
    monkeypatch.setattr(small, "LAPLACE", {"model": KnownCovariance(), "draws": 200, "warn": False})
    first = small.run_plans(tmp_path, None, 1)
    text = (tmp_path / "plans.csv").read_text()
    pd.testing.assert_frame_equal(small.run_plans(tmp_path, None, 1), first)
    assert (tmp_path / "plans.csv").read_text() == text
    every = first[first["predictions"] == "all"]
    assert set(every["set"]) == {"extended", "fresh"}
    assert set(every.loc[every["outcome"] == small.TRUTH, "planned"]) == {50, 100}
    pairs = every[(every["question"] == "pair") & (every["outcome"] == small.TRUTH)]
    assert (pairs["cases"] == small.PAIRS).all()
    # Of collections with true means from the prior.
    assert set(first["outcome"]) == {small.TRUTH, small.PRIOR, small.OTHERS}
    pairs = every[(every["question"] == "pair") & (every["outcome"] == small.PRIOR)]
    assert (pairs["cases"] == small.MORE_PAIRS).all()


def test_true_means_from_the_prior_are_spread_as_it_says(small):
    scores = small.simulator("demo", None).sample(2000, 0)
    rng = np.random.default_rng(1)
    shifts = np.array([small.shift_to_prior("demo", None, rng) for _ in range(4000)])
    means = shifts + small.simulator("demo", None).true_means.to_numpy()
    first, second = np.triu_indices(scores.shape[1], 1)
    spread = (means[:, first] - means[:, second]).std(axis=0)
    differences = scores.to_numpy()[:, first] - scores.to_numpy()[:, second]
    np.testing.assert_allclose(spread, differences.std(axis=0) / 2, rtol=0.1)


@pytest.mark.parametrize(
    ("source", "topics"), [("demo", 10), ("adhoc6_ap", 5), ("adhoc7_ap", 5), ("adhoc8_ap", 5)]
)
def test_simulators_differ_as_with_priors_of_other_strengths(
    script, trec, monkeypatch, source, topics
):
    """These are the numbers of docs/evidence/claims.md."""
    scores = bayescorr.load_dataset("demo") if source == "demo" else trec(source)
    monkeypatch.setattr(script, "load", lambda *_: scores)
    assert round(script.topics_worth(source, None)) == topics


@pytest.mark.slow
def test_the_update_of_a_plan_is_what_a_fit_of_these_topics_finds():
    """Of the default model, with hyperparameters that the later fit learns anew."""
    scores = bayescorr.load_dataset("demo").sample(frac=1, random_state=1)
    options = {"inference": "laplace", "draws": 1000, "chains": 4, "random_seed": 1, "warn": False}
    fit = bayescorr.fit(scores[:25], **options)
    later = {True: bayescorr.fit(scores, **options), False: bayescorr.fit(scores[25:], **options)}
    apart = []
    for i in range(0, len(fit.systems) - 3, 3):
        a, b = pair = fit.systems[i], fit.systems[i + 3]
        for extend, after in later.items():
            future = futures_of(
                fit, [i, i + 3], 1,
                level=0.95, rope=0.0, extend=extend, draws=500, random_seed=1,
            )  # fmt: skip
            belief, new = future.belief, scores.iloc[25:][a] - scores.iloc[25:][b]
            if not extend:
                belief = belief.without(future.n_topics, future.observed, future.scatter)
            updated = belief.updated(len(new), new.mean(), ((new - new.mean()) ** 2).sum())
            found = (after.compare_systems(*pair).draws > 0).mean()
            apart.append(float(updated.above(0)) - found)
    assert np.abs(apart).mean() < 0.015
    assert np.abs(apart).max() < 0.05


def test_standard_errors_of_means_follow_the_clusters(script):
    values = pd.Series([0.0, 0.0, 1.0, 1.0, 0.0, 1.0])
    alone = script.error_of_mean(values, np.arange(6))
    assert alone == pytest.approx(values.std() / np.sqrt(6))
    # Two copies of each of three values are three values.
    doubled = script.error_of_mean(values.repeat(2), np.arange(6).repeat(2))
    assert doubled == pytest.approx(alone)
    assert np.isnan(script.error_of_mean(values, np.zeros(6)))
