"""The default model sampled: seeds, order, copies, files, and what needs the model."""

from __future__ import annotations

import os
import subprocess
import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import bayescorr
from bayescorr.bayes import _stack, sampler
from bayescorr.bayes.data import prepare
from bayescorr.bayes.model import get_model
from bayescorr.errors import ModelError, OptionError, ScoresError, ScoresWarning


def assert_same_table(found, expected):
    """Equal values and labels; labels may be held by another type of string."""
    assert list(found.index) == list(expected.index)
    assert list(found.columns) == list(expected.columns)
    np.testing.assert_array_equal(found, expected)


def test_same_seed_same_draws_whatever_the_order(fit_default, small, default):
    shuffled = small.sample(frac=1, random_state=5).sample(frac=1, axis=1, random_state=6)
    assert list(shuffled.columns) != list(small.columns)
    again = fit_default(shuffled, random_seed=1)
    for name in ("tau", "tau_ap", "tau_gap"):
        np.testing.assert_array_equal(again.draws(name), default.draws(name))
    xr_means = again.true_means.sel(system=list(small.columns))
    np.testing.assert_array_equal(xr_means, default.true_means)
    other = fit_default(small, random_seed=2)
    assert (other.draws("tau") != default.draws("tau")).any()


def test_everything_has_dims_and_attributes(default, small):
    posterior = default.posterior
    assert posterior["true_means"].dims == ("chain", "draw", "system")
    assert posterior["e"].dims == ("chain", "draw", "distinct_system")
    assert list(posterior["distinct_system"].to_numpy()) == sorted(small.columns)
    for name in ("tau", "tau_ap", "tau_gap", "c", "rho"):
        assert posterior[name].dims == ("chain", "draw")
    attributes = default.idata.attrs
    assert attributes["model"] == "matrix-t"
    assert attributes["random_seed"] == "1"
    assert default.priors == default.model.priors
    assert_same_table(default.scores, small)


def test_identical_systems_are_copied_and_never_discordant(fit_default, small):
    scores = small.iloc[:, :7].assign(copy=small.iloc[:, 2], twin=small.iloc[:, 5])
    scores = scores.assign(last=small.iloc[:, 7])
    with pytest.warns(ScoresWarning, match="Identical systems"):
        result = fit_default(scores, random_seed=1)
    means = result.true_means
    np.testing.assert_array_equal(means.sel(system="copy"), means.sel(system=small.columns[2]))
    assert result.discordance().loc["copy", small.columns[2]] == 0
    assert result.discordance().loc["twin", small.columns[5]] == 0
    assert result.log_likelihood(10).shape == (10, 20)
    predicted = result.posterior_predictive(3, draws=5, random_seed=1)
    assert dict(predicted.sizes) == {"sample": 5, "topic": 3, "system": 10}
    np.testing.assert_array_equal(
        predicted.sel(system="copy"), predicted.sel(system=small.columns[2])
    )


@pytest.mark.slow
def test_predictions_are_kept_on_request(default, tmp_path):
    fit = bayescorr.load_fit(default.to_netcdf(tmp_path / "fit.nc"))
    assert "posterior_predictive" not in _stack.groups(fit.idata)
    drawn = fit.posterior_predictive(3, draws=5, random_seed=1, keep=True)
    again = bayescorr.load_fit(fit.to_netcdf(tmp_path / "again.nc"))
    kept = _stack.groups(again.idata)["posterior_predictive"]["scores"]
    assert kept.dims == ("chain", "draw", "topic", "system")
    np.testing.assert_array_equal(kept[0], drawn)
    assert repr(again) == repr(default)


def test_lower_is_better_mirrors_the_draws(fit_default, small):
    up = fit_default(small, "flat", random_seed=1)
    down = fit_default(-small, "flat", random_seed=1, higher_is_better=False)
    # Flat draws are symmetric, so only their distribution mirrors.
    assert down.systems == up.systems
    for name in ("tau", "tau_ap"):
        gap = down.draws(name).mean() - up.draws(name).mean()
        assert abs(gap) < 5 * up.draws(name).std() / np.sqrt(len(up.draws(name)) / 2)


def test_file_and_back(default, tmp_path):
    again = bayescorr.load_fit(default.to_netcdf(tmp_path / "fit.nc"))
    assert repr(again) == repr(default)
    pd.testing.assert_frame_equal(again.estimates(), default.estimates())
    assert_same_table(again.scores, default.scores)
    assert_same_table(again.discordance(), default.discordance())
    assert again.priors == default.priors
    assert again.convergence == default.convergence
    np.testing.assert_array_equal(again.log_likelihood(), default.log_likelihood())
    covariances = [fit.covariance(draws=5, random_seed=1) for fit in (again, default)]
    np.testing.assert_array_equal(*covariances)


@pytest.mark.skipif(
    "BAYESCORR_OTHER_PYTHON" not in os.environ,
    reason="BAYESCORR_OTHER_PYTHON, a Python of the other library stack, is not set",
)
def test_the_other_stack_reads_and_writes_the_same(default, tmp_path):
    ours, theirs = default.to_netcdf(tmp_path / "ours.nc"), tmp_path / "theirs.nc"
    code = (
        "import sys, bayescorr; fit = bayescorr.load_fit(sys.argv[1]);"
        "print(repr(fit.estimates().to_json(double_precision=15)));"
        "fit.to_netcdf(sys.argv[2])"
    )
    command = [os.environ["BAYESCORR_OTHER_PYTHON"], "-W", "ignore", "-c", code, ours, theirs]
    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert shown.strip() == repr(default.estimates().to_json(double_precision=15))
    back = bayescorr.load_fit(theirs)
    pd.testing.assert_frame_equal(back.estimates(), default.estimates())
    np.testing.assert_array_equal(back.true_means, default.true_means)


def test_files_that_are_no_fits_are_refused(tmp_path):
    with pytest.raises(ScoresError, match="does not exist"):
        bayescorr.load_fit(tmp_path / "none.nc")
    text = tmp_path / "text.nc"
    text.write_text("not a fit")
    with pytest.raises(ScoresError, match=r"Cannot read .* as NetCDF"):
        bayescorr.load_fit(text)
    import xarray as xr

    other = tmp_path / "other.nc"
    xr.Dataset({"x": 1}).to_netcdf(other, engine="h5netcdf")
    with pytest.raises(ScoresError, match="is not a bayescorr fit"):
        bayescorr.load_fit(other)


@pytest.mark.slow
def test_labels_of_several_types_keep_their_parameters(fit_default, small, tmp_path):
    # Sorted as numbers 9 comes before 10, sorted as text after it.
    numbers = small.set_axis([9, 10, 11, 100, 2, 1, 30, 5], axis=1)
    mixed = numbers.rename(columns={5: "x"})
    for scores in (numbers, mixed):
        result = fit_default(scores, random_seed=1)
        again = bayescorr.load_fit(result.to_netcdf(tmp_path / "fit.nc"))
        np.testing.assert_array_equal(result.log_likelihood(), again.log_likelihood())
        # The density under the right parameters is better than under shuffled ones.
        right = result.log_likelihood().mean()
        result.posterior["e"][:] = result.posterior["e"].to_numpy()[..., ::-1]
        assert result.log_likelihood().mean() < right


def test_predictions_look_like_the_scores(default, small):
    predicted = default.posterior_predictive(50, draws=200, random_seed=1)
    means = predicted.mean(("sample", "topic")).sel(system=list(small.columns)).to_numpy()
    expected = default.true_means.mean(("chain", "draw")).to_numpy()
    np.testing.assert_allclose(means, expected, atol=0.02)
    covariance = default.covariance(draws=100, random_seed=1)
    spread = np.sqrt(np.diagonal(covariance.mean("sample").to_numpy()))
    observed = small[list(covariance["system"].to_numpy())].std().to_numpy()
    np.testing.assert_allclose(spread, observed, rtol=0.35)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "matrix"}, "Unknown model 'matrix'"),
        ({"priors": {"kappa": 1}}, "has no prior 'kappa'"),
        ({"priors": {"rho_a": -1}}, "must be positive"),
        ({"draws": 2}, r"draws must be .* got 2"),
        ({"chains": 0}, r"chains must be .* got 0"),
        ({"tune": 1.5}, r"tune must be .* got 1.5"),
        ({"tune": 0}, r"tune must be .* at least 1; got 0"),
        ({"nuts_sampler": "stan"}, "Choose one of: blackjax, numpyro, nutpie, pymc"),
        ({"missing": "ignore"}, "treatment of missing scores"),
    ],
)
def test_bad_options_name_the_good_ones(small, options, message):
    with pytest.raises(OptionError, match=message):
        bayescorr.fit(small, **options)


def test_models_refuse_what_they_cannot_take(small):
    holes = small.copy()
    holes.iloc[0, 0] = np.nan
    with pytest.raises(ModelError, match="'flat' does not support missing scores"):
        bayescorr.fit(holes, "flat", missing="model")
    with pytest.raises(ModelError, match="does not support measurement error"):
        bayescorr.fit(small, "flat", score_sd=small * 0)
    with pytest.raises(ModelError, match="score_sd has no value for"):
        bayescorr.fit(small, score_sd=small.iloc[:, 1:] * 0)
    with pytest.raises(ModelError, match="negative"):
        bayescorr.fit(small, score_sd=small - 2)


def test_one_topic_is_refused(small):
    with pytest.raises(ScoresError, match="got 1 topic and 8 systems"):
        bayescorr.fit(small.iloc[:1])


def test_scores_without_variation_are_refused(small):
    flat = pd.DataFrame({"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.4]})
    with pytest.raises(ModelError, match="no variation to model"):
        bayescorr.fit(flat)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ScoresWarning)
        with pytest.raises(ModelError, match="no variation to model"):
            bayescorr.fit(flat.assign(b=flat["a"]))


@pytest.mark.slow
@pytest.mark.parametrize(("systems", "topics"), [(2, 20), (500, 20), (5, 2000)])
def test_extreme_shapes_sample(fit_default, systems, topics):
    rng = np.random.default_rng(7)
    topic, system = rng.normal(0, 0.15, (topics, 1)), rng.normal(0, 0.1, systems)
    scores = pd.DataFrame(0.4 + topic + system + rng.normal(0, 0.1, (topics, systems)))
    # With few systems it takes as long as it is by default; 500 take their time.
    size = {"draws": 100, "tune": 300} if systems > 100 else {"draws": 1000, "tune": 500}
    result = fit_default(scores, random_seed=1, chains=2 if systems > 100 else 4, **size)
    assert result.convergence.divergences == 0
    tau = result.estimates(coefficients="tau").iloc[0]
    truth = bayescorr.tau(system, scores.mean().to_numpy())
    assert tau["lower"] - 0.05 <= truth <= tau["upper"] + 0.05


@pytest.mark.slow
def test_constant_systems_and_thirty_equal_means_sample(fit_default, small, trec):
    scores = small.iloc[:, :7].assign(always=0.25)
    with pytest.warns(ScoresWarning, match="Same score on all topics"):
        result = fit_default(scores, random_seed=1)
    assert result.convergence.divergences == 0
    assert result.true_means.sel(system="always").std() < 0.1
    few = trec("adhoc6_ap").iloc[::5].assign(never=0.0)
    with pytest.warns(ScoresWarning, match="Same score on all topics"):
        result = fit_default(few, random_seed=1, draws=300, tune=300)
    assert result.convergence.divergences == 0
    assert result.convergence.rhat < 1.1
    web = trec("web2010_p10")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ScoresWarning)
        result = fit_default(web, random_seed=1, draws=500, tune=500)
    assert result.convergence.divergences == 0
    means = result.observed_means
    assert means.duplicated().sum() > 0
    table = result.discordance()
    tied = [(a, b) for a, b in pairwise(means.index) if means[a] == means[b]]
    assert len(tied) >= 5
    for a, b in tied:
        same = (web[a] == web[b]).all()
        assert table.loc[a, b] == (0 if same else 0.5)


def test_tables_of_all_sizes_share_a_compilation(fit_default, small, default, monkeypatch):
    """Another size needs no compilation, and its density is that of PyMC's own functions."""
    monkeypatch.setattr(_stack, "compile_model", lambda *_, **__: pytest.fail("compiled again"))
    scores = small.iloc[:7, :5]
    assert (
        fit_default(scores, random_seed=1, draws=50, tune=50, warn=False).draws("tau").size == 100
    )

    model, (data, _) = default.model, prepare(scores)
    values = model.data_values(data, default.priors)
    compiled = sampler.compile_once(
        lambda: pytest.fail("built again"), values, (type(model), *values), data.coords, True
    )
    x = compiled.initial(3)
    assert len(x) == 4 + 5
    built = model.build(data, default.priors)
    parts = np.split(x, np.cumsum([part.size for part in compiled.start(**compiled.data)])[:-1])
    point = {
        variable.name: part if variable.ndim else part[0]
        for variable, part in zip(built.value_vars, parts, strict=True)
    }
    expected = built.compile_logp(mode="FAST_COMPILE")(point)
    assert compiled.at(x)[0] == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["matrix-t", "matrix-t-factor"])
def test_density_and_gradient_share_their_linear_algebra(name, small, monkeypatch):
    pm, compiled = _stack.pymc(), []
    compile_pymc = pm.compile
    monkeypatch.setattr(
        pm, "compile", lambda *a, **k: compiled.append(compile_pymc(*a, **k)) or compiled[-1]
    )
    model, (data, _) = get_model(name), prepare(small)
    built = model.build(data, model.full_priors(None))
    _stack.compile_model(built, any_size=model.any_size)
    nodes = [str(node.op) for node in compiled[0].maker.fgraph.toposort()]
    assert sum("DensityOp" in node for node in nodes) == 1, nodes
