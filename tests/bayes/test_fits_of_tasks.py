"""Posteriors of weighted means over tasks: exact cases, storage, and what each task answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescorr
from bayescorr.bayes.convergence import Convergence, join_verdicts
from bayescorr.bayes.model import ExactModel
from bayescorr.errors import BayescorrError

LAPLACE = {"random_seed": 1, "inference": "laplace", "draws": 500, "chains": 2}


class KnownCovariance(ExactModel):
    """Normal means with known covariance of the scores."""

    name = "known"
    covariance_of_scores = np.array([[1.0, 0.3, 0.0], [0.3, 2.0, 0.5], [0.0, 0.5, 0.5]])

    def sample(self, data, priors, draws, rng):
        """Draw the true means."""
        factor = np.linalg.cholesky(self.covariance_of_scores / data.n_topics)
        return data.values.mean(axis=0) + rng.standard_normal((draws, 3)) @ factor.T


@pytest.fixture(scope="module")
def scores():
    """Six systems on 50 topics."""
    return bayescorr.load_dataset("demo").iloc[:, :6]


@pytest.fixture(scope="module")
def strata(scores):
    """Three tasks of 14, 16 and 20 topics."""
    return pd.Series(np.repeat(["y", "x", "z"], [14, 16, 20]), index=scores.index)


@pytest.fixture(
    scope="module", params=["bootstrap-shrunk", pytest.param("matrix-t", marks=pytest.mark.slow)]
)
def fit(scores, strata, request):
    """A fit of the tasks with given weights."""
    weights = {"x": 1, "y": 2, "z": 3}
    return bayescorr.fit(scores, request.param, strata=strata, weights=weights, **LAPLACE)


@pytest.mark.parametrize(
    "model", ["flat", "bootstrap-shrunk", pytest.param("matrix-t", marks=pytest.mark.slow)]
)
def test_one_task_gives_the_plain_fit_bit_by_bit(scores, model):
    plain = bayescorr.fit(scores, model, **LAPLACE)
    strata = pd.Series("all", index=scores.index)
    one = bayescorr.fit(scores, model, strata=strata, **LAPLACE)
    assert one.posterior.equals(plain.posterior)
    pd.testing.assert_frame_equal(one.estimates(), plain.estimates(), check_exact=True)
    pd.testing.assert_frame_equal(one.ranking(), plain.ranking(), check_exact=True)
    assert str(one.convergence) == str(plain.convergence)


def test_known_covariances_give_the_closed_form():
    sizes, weights = np.array([10, 40, 90]), np.array([0.5, 0.3, 0.2])
    rng = np.random.default_rng(1)
    labels = np.repeat(["a", "b", "c"], sizes)
    table = pd.DataFrame(rng.standard_normal((140, 3)), columns=list("uvw"))
    strata = pd.Series(labels, index=table.index)
    given = dict(zip("abc", weights, strict=True))
    fit = bayescorr.fit(
        table, KnownCovariance(), strata=strata, weights=given, random_seed=1, draws=5_000
    )
    drawn = fit.true_means.to_numpy().reshape(-1, 3)
    observed = table.groupby(labels).mean().T.to_numpy() @ weights
    covariance = KnownCovariance.covariance_of_scores * (weights**2 / sizes).sum()
    sd = np.sqrt(np.diag(covariance))
    assert np.abs((drawn.mean(axis=0) - observed) / sd).max() < 4 / np.sqrt(len(drawn))
    # The standard error of an empirical covariance is at most sqrt(2 / N) of the variances.
    error = np.abs(np.cov(drawn.T) - covariance) / np.outer(sd, sd)
    assert error.max() < 4 * np.sqrt(2 / len(drawn))


def test_the_posterior_is_the_weighted_sum_of_independent_tasks(fit):
    total = sum(
        weight / 6 * fit.tasks[name].true_means.to_numpy()
        for name, weight in {"x": 1, "y": 2, "z": 3}.items()
    )
    assert np.allclose(fit.true_means, total, rtol=1e-12)
    x, z = (fit.tasks[name].true_means.to_numpy().reshape(-1, 6) for name in "xz")
    correlation = np.corrcoef(x.T, z.T)[:6, 6:]
    assert np.abs(correlation).max() < 4.5 / np.sqrt(len(x))


def test_files_keep_everything(fit, tmp_path):
    loaded = bayescorr.load_fit(fit.to_netcdf(tmp_path / "fit.nc"))
    assert loaded.posterior.equals(fit.posterior)
    assert loaded.inference == fit.inference
    assert str(loaded.convergence) == str(fit.convergence)
    assert loaded.observed_means.equals(fit.observed_means)
    assert list(loaded.tasks) == ["x", "y", "z"]
    for name, part in fit.tasks.items():
        assert loaded.tasks[name].true_means.equals(part.true_means)
        assert loaded.tasks[name].scores.equals(part.scores)
    assert loaded.in_words() == fit.in_words()


def test_changed_files_are_refused(fit, tmp_path):
    fit.to_netcdf(tmp_path / "fit.nc")
    import h5py

    with h5py.File(tmp_path / "fit.nc", "a") as file:
        del file["task2_posterior"]
    with pytest.raises(bayescorr.ScoresError, match="not a bayescorr fit"):
        bayescorr.load_fit(tmp_path / "fit.nc")


def test_order_of_rows_and_columns_does_not_matter(fit, scores, strata):
    shuffled = scores.sample(frac=1, random_state=2).sample(frac=1, axis=1, random_state=3)
    weights = {"z": 3, "y": 2, "x": 1}
    again = bayescorr.fit(shuffled, fit.model, strata=strata[::-1], weights=weights, **LAPLACE)
    assert np.allclose(again.ordered_means, fit.ordered_means, rtol=1e-10)
    assert again.systems == fit.systems


def test_everything_uses_weighted_means(fit, scores, strata):
    by_task = scores.groupby(strata.to_numpy()).mean()
    expected = by_task.T @ (np.array([1, 2, 3]) / 6)
    assert np.allclose(fit.observed_means, expected[fit.systems])
    truth = fit.true_means.to_numpy().reshape(-1, 6)
    tau = bayescorr.tau(truth, expected[fit.posterior["system"].to_numpy()].to_numpy())
    assert np.allclose(fit.draws("tau"), tau)
    assert "50 topics of 3 tasks with given weights" in fit.in_words()


@pytest.mark.slow
def test_one_matrix_for_all_tasks_is_refused(scores, strata):
    fit = bayescorr.fit(scores, strata=strata, **LAPLACE)
    with pytest.raises(bayescorr.BayescorrError, match="Each task has its own model"):
        fit.covariance()
    assert fit.tasks["x"].covariance(draws=2).shape == (2, 6, 6)
    assert fit.posterior_predictive(draws=3).shape == (3, 50, 6)
    loo = bayescorr.loo(fit)
    alone = [bayescorr.loo(part).elpd for part in fit.tasks.values()]
    assert loo.elpd == pytest.approx(sum(alone))
    assert sorted(loo.pointwise.index) == sorted(fit.scores.index)


def test_errors_name_the_task(scores, strata):
    constant = scores.copy()
    constant.loc[strata == "x"] = 0.5
    with pytest.raises(BayescorrError, match=r"^Task 'x': The differences between systems"):
        bayescorr.fit(constant, "flat", strata=strata, warn=False)


def test_the_gate_judges_all_tasks():
    good = Convergence(1.0, 4000, 3000, 0, np.nan)
    bad = Convergence(1.05, 90, 80, 2, 0.2, ("2 divergent transitions.",))
    found = join_verdicts(good, {"x": good, "y": bad})
    assert not found.passed
    assert found.problems == ("Task 'y': 2 divergent transitions.",)
    assert (found.rhat, found.ess_bulk, found.divergences, found.bfmi) == (1.05, 90, 2, 0.2)


@pytest.mark.slow
def test_nuts_of_tasks(scores, strata):
    fit = bayescorr.fit(scores, strata=strata, random_seed=1, progressbar=False)
    approximate = bayescorr.fit(scores, strata=strata, inference="laplace", random_seed=1)
    assert fit.inference == "nuts"
    apart = fit.true_means.mean(("chain", "draw")) - approximate.true_means.mean(("chain", "draw"))
    sd = approximate.true_means.std(("chain", "draw"))
    assert float(np.abs(apart / sd).max()) < 0.4
