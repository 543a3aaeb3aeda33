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

from bayescorr.bayes.model import ExactModel

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


@pytest.fixture
def small(script, monkeypatch):
    """The studies on eight systems of the embedded data, without anything to compile."""
    few = script.bc.load_dataset("demo").iloc[:, ::4]
    monkeypatch.setattr(script, "LAPLACE", {"model": "flat", "draws": 200, "warn": False})
    monkeypatch.setattr(script, "SIZES", (25, 50))
    monkeypatch.setattr(script, "load", lambda *_: few)
    for cached in (script.simulator, script.real_topics):
        cached.cache_clear()
    yield script
    for cached in (script.simulator, script.real_topics):
        cached.cache_clear()


def test_a_study_of_sets_resumes(small, tmp_path):
    """A second run adds nothing; the table is that of one run."""
    first = small.run_sets(tmp_path, None, 1, 1)
    text = (tmp_path / "sets.csv").read_text()
    pd.testing.assert_frame_equal(small.run_sets(tmp_path, None, 1, 1), first)
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
    pd.testing.assert_frame_equal(small.run_sets(tmp_path, None, 1, 1), first)
    assert len(pd.read_csv(tmp_path / "sets.csv")) == 2 * len(table)


def test_plans_resume_too(small, tmp_path, monkeypatch):
    monkeypatch.setattr(small, "LAPLACE", {"model": KnownCovariance(), "draws": 200, "warn": False})
    first = small.run_plans(tmp_path, None, 1, 1)
    text = (tmp_path / "plans.csv").read_text()
    pd.testing.assert_frame_equal(small.run_plans(tmp_path, None, 1, 1), first)
    assert (tmp_path / "plans.csv").read_text() == text
    every = first[first["predictions"] == "all"]
    assert set(every["set"]) == {"extended", "fresh"}
    assert set(every.loc[every["outcome"] == small.TRUTH, "planned"]) == {50, 100}
    pairs = every[(every["question"] == "pair") & (every["outcome"] == small.TRUTH)]
    assert (pairs["cases"] == small.PAIRS).all()


def test_standard_errors_of_means_follow_the_clusters(script):
    values = pd.Series([0.0, 0.0, 1.0, 1.0, 0.0, 1.0])
    alone = script.error_of_mean(values, np.arange(6))
    assert alone == pytest.approx(values.std() / np.sqrt(6))
    # Two copies of each of three values are three values.
    doubled = script.error_of_mean(values.repeat(2), np.arange(6).repeat(2))
    assert doubled == pytest.approx(alone)
    assert np.isnan(script.error_of_mean(values, np.zeros(6)))
