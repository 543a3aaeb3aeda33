from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import special

from bayescorr import (
    aupr,
    fit,
    infer_ap,
    infer_scores,
    posterior_scores,
    sample_ap,
    score_runs,
    tau,
)
from bayescorr.errors import OptionError, RunsError
from bayescorr.models import score_distribution as mixture
from bayescorr.scoredist.families import FAMILIES, get_family
from bayescorr.scoredist.model import ScoreDistribution

SETTINGS = {"draws": 1000, "tune": 1000, "chains": 4, "random_seed": 1, "warn": False}


def simulate(seed, topics=12, documents=200):
    """A run and qrels drawn from the model, and the true area of each topic."""
    rng = np.random.default_rng(seed)
    run, qrels, truth = [], [], {}
    for t in range(topics):
        mixing = special.expit(rng.normal(-2.2, 0.4))
        shape, scale = np.exp(rng.normal(1.0, 0.3)), np.exp(rng.normal(0.7, 0.2))
        k1 = shape * np.exp(rng.normal(0.8, 0.2))
        relevant = rng.random(documents) < mixing
        relevant[:2], relevant[2:4] = True, False
        scores = np.where(
            relevant, rng.gamma(k1, scale, documents), rng.gamma(shape, scale, documents)
        )
        order = np.argsort(-scores)
        names = [f"d{i}" for i in range(documents)]
        run.append(pd.DataFrame({"topic": f"t{t}", "doc": names, "score": scores[order]}))
        qrels.append(
            pd.DataFrame({"topic": f"t{t}", "doc": names, "relevance": relevant[order] * 1})
        )
        truth[f"t{t}"] = aupr(
            ScoreDistribution(
                get_family("gamma"), mixing, (k1, scale), (shape, scale), 0.0, scores.max()
            )
        )
    return pd.concat(run, ignore_index=True), pd.concat(qrels, ignore_index=True), truth


class TestModel:
    @pytest.mark.parametrize("family", FAMILIES)
    def test_likelihood_is_that_of_the_documents(self, family):
        """Sums over documents stand for the documents: the log density differs by a constant."""
        pytest.importorskip("pymc")
        from bayescorr.scoredist.families import moments

        rng = np.random.default_rng(2)
        scores = rng.integers(1, 9, 20).astype(float)
        relevant = np.arange(20) < 6
        found = dict(zip("10", moments(scores, relevant, np.array([0])), strict=True))
        known = {f"{n}{k}": getattr(m, n) for k, m in found.items() for n in m._fields}
        known |= mixture.PRIORS
        values = {name: known[name] for name in mixture.inputs(family, hierarchical=False)}
        model = mixture.build(family, values, {"topic": ["t"]}, hierarchical=False)
        (potential,) = model.replace_rvs_by_values(model.potentials)
        density = model.compile_fn(potential, inputs=model.value_vars, mode="FAST_COMPILE")
        gaps = []
        for location, spread, separation, odds in rng.normal(0.5, 0.3, (4, 4)):
            point = {"location": location, "separation": separation, "log_odds": odds}
            if family in mixture.WITH_SPREAD:
                point["spread"] = spread
            first, second = mixture.parameters(family, location, spread, separation, np.exp)
            parts = FAMILIES[family]
            slow = (
                parts.relevant.log_density(scores[relevant], *first).sum()
                + parts.nonrelevant.log_density(scores[~relevant], *second).sum()
                + 6 * special.log_expit(odds)
                + 14 * special.log_expit(-odds)
            )
            gaps.append(float(density({k: np.array([v]) for k, v in point.items()})) - slow)
        np.testing.assert_allclose(gaps, gaps[0], atol=1e-9)

    def test_separation_moves_the_mean_of_relevant_scores(self):
        relevant, nonrelevant = mixture.parameters("gamma", 0.3, 1.1, 0.7, np.exp)
        assert nonrelevant[0] * nonrelevant[1] == pytest.approx(np.exp(0.3))
        assert relevant[0] * relevant[1] == pytest.approx(np.exp(1.0))
        assert relevant[1] == nonrelevant[1]


@pytest.mark.slow
def test_moments_are_the_same_compiled_now_and_read_from_the_cache(tmp_path):
    """Otherwise the first run on a machine draws other average precisions than the next."""
    code = (
        "import numpy as np; from bayescorr.scoredist.families import moments; "
        "rng = np.random.default_rng(1); scores = rng.gamma(2.0, 1.0, 3000); "
        "found = moments(scores, rng.random(3000) < 0.1, np.arange(0, 3000, 60)); "
        "print([np.asarray(one).tobytes().hex() for kind in found for one in kind])"
    )
    command, where = [sys.executable, "-c", code], {"NUMBA_CACHE_DIR": str(tmp_path)}
    first, second = (
        subprocess.run(
            command, env={**os.environ, **where}, check=True, capture_output=True, text=True
        ).stdout
        for _ in range(2)
    )
    assert list(tmp_path.rglob("*.nbi"))
    assert first == second


def test_a_score_of_zero_has_no_place_under_a_gamma():
    run, qrels, _ = simulate(1, topics=2, documents=20)
    run.loc[run.index[run["topic"] == "t1"][-1], "score"] = 0.0
    with pytest.raises(
        RunsError, match=r"density of 'gamma' is 0 or infinite at a score of 0, .* topics t1 "
    ):
        sample_ap(run, qrels, warn=False)


def test_options():
    run, qrels, _ = simulate(1, topics=2, documents=20)
    with pytest.raises(OptionError, match="has no prior 'location_mean'"):
        sample_ap(run, qrels, priors={"location_mean": 1.0})
    with pytest.raises(OptionError, match="'location_sd' must be positive; got -1"):
        sample_ap(run, qrels, priors={"location_sd": -1.0})
    with pytest.raises(OptionError, match="no topic 'z'"):
        sample_ap(run, qrels, topics=["z"])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayescorr.errors.ConvergenceWarning")  # see sampled_well
class TestPosterior:
    def test_covers_the_known_areas(self, sampled_well):
        """90% intervals over 5 simulated runs of 12 topics: about 54 of the 60 are covered."""
        inside, errors = 0, []
        for seed in range(5):
            run, qrels, truth = simulate(seed)
            posterior = sample_ap(run, qrels, **SETTINGS)
            sampled_well(posterior.convergence)
            table = posterior.summary(0.9)
            known = pd.Series(truth)[table.index]
            inside += ((table["lower"] <= known) & (known <= table["upper"])).sum()
            errors.append(((table["inferred"] - known) / table["sd"]).to_numpy())
        assert 46 <= inside <= 60
        assert abs(np.concatenate(errors).mean()) < 0.4
        assert 0.7 < np.concatenate(errors).std() < 1.35

    def test_summary_and_order_of_topics(self, sampled_well):
        run, qrels, _ = simulate(3)
        first = sample_ap(run, qrels, **SETTINGS)
        order = np.argsort(-run["topic"].str[1:].astype(int).to_numpy(), kind="stable")
        second = sample_ap(run.iloc[order].reset_index(drop=True), qrels, **SETTINGS)
        table, other = first.summary(), second.summary()
        assert list(table.index) == list(run["topic"].unique())
        pd.testing.assert_frame_equal(other.loc[table.index], table)
        sampled_well(first.convergence)
        assert first.ap.dims == ("chain", "draw", "topic")
        assert first.ap.shape == (4, 1000, 12)
        point = infer_ap(run, qrels, estimator="likelihood", warn=False)
        assert np.corrcoef(point["inferred"], table["inferred"])[0, 1] > 0.9
        assert "APPosterior of 12 topics" in repr(first)

    def test_topics_that_are_alike(self, sampled_well):
        """All from one distribution, and few documents: nothing tells the topics apart."""
        rng = np.random.default_rng(1)
        names = [f"d{i}" for i in range(40)]
        scores = -np.sort(-rng.gamma(3.0, 2.0, (4, 40)))
        run = pd.DataFrame({"topic": np.repeat(list("abcd"), 40), "doc": names * 4})
        qrels = pd.DataFrame(
            {"topic": np.repeat(list("abcd"), 3), "doc": ["d0", "d3", "d9"] * 4, "relevance": 1}
        )
        seeds = ({**SETTINGS, "random_seed": seed} for seed in (1, 2, 3))
        found = [sample_ap(run.assign(score=scores.ravel()), qrels, **one) for one in seeds]
        # One fit may have a few divergences, depending on how a processor rounds.
        average = np.mean([one.convergence.divergences for one in found])
        for one in found:
            sampled_well(replace(one.convergence, divergences=average))

    def test_strict_refuses_topics_before_it_samples(self):
        run, qrels, _ = simulate(4, topics=2)
        run = run[(run["topic"] != "t1") | (run["doc"] == "d0")]
        with pytest.raises(RunsError, match="topic 't1' cannot be used"):
            sample_ap(run, qrels, strict=True)

    def test_one_topic(self):
        run, qrels, truth = simulate(4)
        found = sample_ap(run, qrels, topics=["t5"], **SETTINGS).summary(0.99)
        assert list(found.index) == ["t5"]
        assert found.loc["t5", "lower"] < truth["t5"] < found.loc["t5", "upper"]

    @pytest.mark.parametrize("family", ["poisson", "exponential-normal"])
    def test_other_families_sample(self, family, sampled_well):
        run, qrels, _ = simulate(5)
        run["score"] = run["score"].round()
        found = sample_ap(run, qrels, family, **SETTINGS)
        point = infer_ap(run, qrels, family, warn=False)
        sampled_well(found.convergence)
        assert np.corrcoef(point["inferred"], found.summary()["inferred"])[0, 1] > 0.8


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayescorr.errors.ConvergenceWarning")  # see sampled_well
class TestEndToEnd:
    """Runs and judgments to the posterior of tau, inferred and actual AP side by side."""

    def test_27_runs_give_both_posteriors(self, cranfield):
        pytest.importorskip("ir_measures")
        runs, qrels = cranfield / "runs", cranfield / "qrels.txt"
        inferred = infer_scores(runs, qrels, denominator="judged", warn=False)
        actual = score_runs(runs, qrels, "AP").loc[inferred.index]
        assert inferred.shape[1] == actual.shape[1] == 27
        assert tau(actual.mean(), inferred.mean()) > 0.8
        for scores in (inferred, actual):
            row = fit(scores, "flat", random_seed=1, warn=False).estimates().iloc[0]
            assert 0.7 < row["lower"] < row["estimate"] < row["upper"] < 1

    def test_standard_deviations_serve_as_measurement_error(
        self, cranfield, sampled_well, tmp_path
    ):
        from bayescorr.scores.files import File

        # A few topics: every topic of every run has parameters, first its own, then its true score.
        names = ("bm25-k1.2-b0.75-stem", "tfidf-cos", "coord")
        for path in (cranfield / "qrels.txt", *(cranfield / "runs" / f"{n}.run.gz" for n in names)):
            lines = File(path, RunsError).text.splitlines(keepends=True)
            few = [line for line in lines if int(line.split(maxsplit=1)[0]) <= 20]
            (tmp_path / path.name.removesuffix(".gz")).write_text("".join(few))
        scores, sd = posterior_scores(
            [tmp_path / f"{name}.run" for name in names],
            tmp_path / "qrels.txt",
            draws=500,
            tune=500,
            chains=2,
            random_seed=1,
            warn=False,
        )
        assert scores.shape == sd.shape == (len(scores), 3)
        assert (sd.to_numpy() > 0).all()
        pd.testing.assert_index_equal(scores.index, sd.index)
        some = fit(scores, score_sd=sd, random_seed=1, draws=1000, chains=2, warn=False)
        sampled_well(some.convergence)
        without = fit(scores, random_seed=1, draws=500, chains=2, warn=False)
        spread = [float(r.true_means.std(("chain", "draw")).mean()) for r in (some, without)]
        assert 0.5 < spread[0] / spread[1] < 2
