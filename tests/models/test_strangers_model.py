"""A stranger's PyMC model: ordinary priors, its own pm.Data, and a rule for the true means."""

import numpy as np
import pytest
import xarray as xr

import bayescorr
from bayescorr.bayes import _stack
from bayescorr.bayes.model import PyMCModel
from bayescorr.bayes.posterior import assemble
from bayescorr.errors import ModelError
from bayescorr.report.write import write_report

DRAWS = {"draws": 1000, "tune": 500, "chains": 2, "random_seed": 1, "warn": False}


class TwoWay(PyMCModel):
    """A system effect, a topic effect and independent noise."""

    name = "two-way"

    def build(self, data, priors):
        pm = _stack.pymc()
        with pm.Model(coords=data.coords) as model:
            x = pm.Data("x", data.values, dims=("topic", "system"))
            level = pm.Normal("level", 0.5, 1)
            spread = pm.HalfNormal("spread", 0.3, shape=2)
            mu = pm.Normal("mu", level, spread[0], dims="system")
            topic = pm.ZeroSumNormal("topic_effect", spread[1], dims="topic")
            noise = pm.HalfNormal("noise", 0.3)
            pm.Normal("scores", mu + topic[:, None], noise, observed=x, dims=("topic", "system"))
        return model

    def true_means(self, draws, data, priors, rng):
        return draws["mu"]


@pytest.fixture(scope="module")
def scores():
    return bayescorr.load_dataset("demo").iloc[:, :8]


@pytest.fixture(scope="module")
def stranger(scores):
    return bayescorr.fit(scores, TwoWay(), **DRAWS)


@pytest.mark.slow
class TestStranger:
    def test_it_fits_like_our_own_model_of_the_same_kind(self, stranger, scores):
        ours = bayescorr.fit(scores, "additive", **DRAWS)
        for name in ("tau", "tau_ap"):
            sd = ours.draws(name).std()
            assert abs(stranger.draws(name).mean() - ours.draws(name).mean()) < 0.2 * sd
        assert "topic_effect" in stranger.posterior

    @pytest.mark.filterwarnings("ignore::bayescorr.ConvergenceWarning")
    def test_other_data_of_the_same_shape_are_not_mixed_up(self, stranger, scores):
        higher = bayescorr.fit(scores + 1, TwoWay(), **DRAWS)
        assert float(higher.true_means.mean()) == pytest.approx(
            float(stranger.true_means.mean()) + 1, abs=0.05
        )

    def test_it_compares_by_loo(self, stranger, scores):
        density = stranger.log_likelihood(draws=3)
        draw = {name: x[0] for name, x in _thin(stranger).items()}
        centre = draw["mu"] + draw["topic_effect"][:, None]
        values = stranger.model_data[0].values
        slow = -0.5 * ((values - centre) / draw["noise"]) ** 2
        slow -= np.log(draw["noise"]) + 0.5 * np.log(2 * np.pi)
        np.testing.assert_allclose(density[0], slow.sum(axis=1))
        ours = bayescorr.fit(scores, "matrix-t", **DRAWS)
        table = bayescorr.compare_models({"two-way": stranger, "matrix-t": ours})
        assert table["model"].tolist() == ["matrix-t", "two-way"]

    def test_it_shows_in_the_report(self, stranger, tmp_path):
        report = bayescorr.make_report(stranger.scores, stranger, random_seed=1, sensitivity=False)
        write_report(report, tmp_path)
        assert "two-way" in (tmp_path / "report.html").read_text()


class WithIndices(PyMCModel):
    """Whole numbers as data, named like anything; a deterministic variable that is no float."""

    name = "with-indices"

    def build(self, data, priors):
        pm = _stack.pymc()
        _, system = np.indices(data.values.shape)
        with pm.Model() as model:
            index = pm.Data("data", system.ravel())
            mu = pm.Normal("mu", 0, 1, shape=data.n_systems)
            pm.Deterministic("first_leads", mu[0] > mu[1])
            pm.Normal("scores", mu[index], 0.2, observed=data.values.ravel())
        return model

    def true_means(self, draws, data, priors, rng):
        return draws["mu"]


@pytest.mark.slow
def test_data_of_any_name_and_type_are_left_alone(scores):
    fit = bayescorr.fit(scores, WithIndices(), **DRAWS)
    means = fit.true_means.mean(("chain", "draw"))
    expected = scores[sorted(scores.columns)].mean()
    np.testing.assert_allclose(means.sel(system=list(expected.index)), expected, atol=0.02)
    leads = fit.posterior["mu"][..., 0] > fit.posterior["mu"][..., 1]
    np.testing.assert_array_equal(fit.posterior["first_leads"], leads)


def test_names_that_bayescorr_computes_are_refused():
    draws = xr.Dataset({"tau": (("chain", "draw"), np.ones((2, 4)))})
    derived = {"tau": (("chain", "draw"), np.zeros((2, 4)))}
    with pytest.raises(ModelError, match=r"names of variables that bayescorr computes: tau"):
        assemble({"posterior": draws}, derived, None, {}, {})


def _thin(fit):
    from bayescorr.bayes.predictive import for_model

    return for_model(fit, 3).parameters
