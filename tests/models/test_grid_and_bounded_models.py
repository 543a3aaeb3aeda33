"""Models of bounded scores and of measures on a grid: their parts, and what they refuse."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats
from scipy.special import comb, expit

from bayescorr.bayes import _stack
from bayescorr.bayes.data import ModelData, prepare
from bayescorr.bayes.model import get_model
from bayescorr.errors import ModelError
from bayescorr.models import _cells
from bayescorr.models._beta_binomial_density import density
from bayescorr.models._quadrature import logistic_location, logistic_mean
from bayescorr.models.beta_binomial import BetaBinomial, find_grid


def log_density(counts, grid, eta, phi):
    return density(counts, np.array(float(grid)), eta, np.array(phi))


def as_data(values):
    values = np.asarray(values, float)
    n, m = values.shape
    return ModelData(values=values, topics=list(range(n)), systems=list(range(m)))


@pytest.mark.parametrize("mean", [-5.0, -1.3, 0.2, 3.0])
@pytest.mark.parametrize("sd", [0.05, 1.0, 3.0])
def test_quadrature_equals_integration(mean, sd):
    def weighted(z):
        return expit(mean + sd * z) * stats.norm.pdf(z)

    expected, _ = integrate.quad(weighted, -10, 10)
    found = logistic_mean(np.array(mean), np.array(sd))
    assert found == pytest.approx(expected, abs=2e-5)
    assert logistic_location(found, np.array(sd)) == pytest.approx(mean, abs=1e-6)


@pytest.mark.parametrize(("phi", "grid"), [(0.4, 1), (7.0, 10), (900.0, 100)])
def test_beta_binomial_density_equals_scipy(phi, grid):
    rng = np.random.default_rng(1)
    eta = rng.normal(size=(4, 3))
    counts = rng.integers(0, grid + 1, size=(4, 3)).astype(float)
    p = expit(eta)
    expected = stats.betabinom.logpmf(counts, grid, phi * p, phi * (1 - p))
    expected -= np.log(comb(grid, counts))
    assert log_density(counts, grid, eta, phi)[0] == pytest.approx(expected.sum())
    counts[1, 2] = -1
    expected[1, 2] = 0
    assert log_density(counts, grid, eta, phi)[0] == pytest.approx(expected.sum())


def test_beta_binomial_gradient_equals_finite_differences():
    rng = np.random.default_rng(2)
    eta, phi, step = rng.normal(size=(3, 3)), 6.0, 1e-6
    counts = np.array([[0.0, 3, 10], [10, 0, 5], [-1, 1, 9]])
    _, by_eta, by_phi = log_density(counts, 10, eta, phi)
    numeric = np.empty_like(eta)
    for cell in np.ndindex(eta.shape):
        move = np.zeros_like(eta)
        move[cell] = step
        high, low = (log_density(counts, 10, eta + s * move, phi)[0] for s in (1, -1))
        numeric[cell] = (high - low) / (2 * step)
    np.testing.assert_allclose(by_eta, numeric, atol=1e-6)
    high, low = (log_density(counts, 10, eta, phi + s * step)[0] for s in (1, -1))
    assert by_phi == pytest.approx((high - low) / (2 * step), abs=1e-6)


@settings(deadline=None)
@given(st.integers(1, 100), st.integers(0, 100))
def test_grid_is_found(k, seed):
    counts = np.random.default_rng(seed).integers(0, k + 1, size=30)
    found = find_grid(counts / k)
    assert found is not None
    assert found <= k
    # Whatever was found, the scores are on it.
    np.testing.assert_allclose(np.round(counts / k * found) / found, counts / k, atol=1e-4)
    assert find_grid(np.round(counts / k, 4), k) == k


@pytest.mark.parametrize("name", ["logit-normal", "beta-binomial"])
@pytest.mark.parametrize("beyond", [-0.1, 1.2])
def test_scores_outside_the_unit_interval_are_refused(name, beyond):
    data = as_data([[0.1, 0.2], [0.5, beyond]])
    with pytest.raises(ModelError, match=r"between 0 and 1; got .* default model"):
        get_model(name).check(data)


def test_scores_off_the_grid_are_refused():
    data = as_data(np.random.default_rng(0).uniform(size=(5, 4)))
    with pytest.raises(ModelError, match=r"multiples of 1/k .*logit-normal"):
        get_model("beta-binomial").check(data)
    with pytest.raises(ModelError, match=r"multiples of 1/5"):
        BetaBinomial(grid=5).check(as_data([[0.1, 0.2], [0.4, 0.6]]))


def test_censored_cells_lie_beyond_their_bounds():
    model = get_model("logit-normal")
    data = as_data([[0.0, 0.5], [1.0, 0.3], [0.2, 0.001]])
    cells = _cells.censored(model.logits(data).values, np.log(0.005 / 0.995))
    assert cells["position"].tolist() == [0, 2, 5, 6, 6, 6]
    assert cells["side"].tolist() == [-1, 1, -1, 0, 0, 0]
    beyond = np.array([[0.7, 0.2, 0.1, 9.0, 9.0, 9.0]])
    complete = model.complete_scores({"c": np.ones(1), "beyond": beyond}, data)[0]
    bound = np.log(0.995 / 0.005)
    expected = [[-bound - 0.7, 0.0], [bound + 0.2, np.log(3 / 7)], [np.log(0.25), -bound - 0.1]]
    np.testing.assert_allclose(complete, expected)


@pytest.mark.slow
def test_logit_normal_graph_equals_its_draws():
    pm = _stack.pymc()
    from pytensor.compile.mode import Mode

    model = get_model("logit-normal")
    data = as_data([[0.0, 0.5], [1.0, 0.3], [np.nan, 0.001]])
    beyond = np.array([0.7, 0.2, 0.1, 9.0, 9.0, 9.0])
    with pm.Model(coords=data.coords):
        x, _ = model.declare(data, model.full_priors(None))
        scores = model.latent_scores(x, data)
        variables = {v.name: v for v in pm.modelcontext(None).free_RVs}
    values = {variables["beyond"]: beyond, variables["missing"]: np.array([0.3])}
    draws = {"c": np.ones(1), "beyond": beyond[None], "missing": np.array([[0.3]])}
    found = scores.eval(values, mode=Mode(linker="py", optimizer=None))
    np.testing.assert_allclose(found, model.complete_scores(draws, data)[0])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["logit-normal", "beta-binomial"])
def test_simulated_scores_are_within_bounds_and_have_their_true_means(name):
    from bayescorr.bayes.sampler import prior_draws

    model = BetaBinomial(grid=10) if name == "beta-binomial" else get_model(name)
    data = as_data(np.full((4000, 3), 0.5))
    priors, rng = model.full_priors(None), np.random.default_rng(3)
    # Parameters per topic are drawn anew, so a few topics are enough here.
    drawn = prior_draws(model, as_data(np.full((2, 3), 0.5)), priors, 3, rng)
    for i in range(3):
        truth, scores = model.simulate({k: v[i] for k, v in drawn.items()}, data, priors, rng)
        assert scores.min() >= 0
        assert scores.max() <= 1
        error = scores.std(axis=0) / np.sqrt(len(scores))
        assert (np.abs(scores.mean(axis=0) - truth) < 4.5 * error + model_floor(model)).all()


def model_floor(model):
    """What recording tiny scores as zero may change."""
    return getattr(model, "floor", 0.0)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayescorr.errors.ConvergenceWarning")  # see sampled_well
def test_fits_of_bounded_scores_find_the_truth(sampled_well):
    import bayescorr

    rng = np.random.default_rng(5)
    level = -1 + np.linspace(-0.8, 0.8, 5)
    topic = rng.normal(0, 1.2, size=(60, 1))
    counts = rng.binomial(10, expit(topic + level)) / 10
    smooth = expit(topic + level + rng.normal(0, 0.5, size=(60, 5)))
    cases = {
        "beta-binomial": (counts, 1.2),
        "logit-normal": (np.where(smooth < 0.02, 0.0, smooth), np.hypot(1.2, 0.5)),
    }
    for name, (values, sd) in cases.items():
        scores = pd.DataFrame(values, columns=list("abcde"))
        truth = logistic_mean(level, np.full(5, sd))
        result = bayescorr.fit(scores, name, random_seed=1, chains=2)
        sampled_well(result.convergence)
        means = result.true_means
        low, high = means.quantile([0.0005, 0.9995], dim=("chain", "draw")).to_numpy()
        # Topics are few: the truth is within wide intervals, the order of the systems is found.
        assert ((low < truth) & (truth < high)).all(), name
        assert float(result.draws("tau").mean()) > 0.7
        new = result.posterior_predictive(200, draws=200, random_seed=2)
        assert float(new.min()) >= 0
        assert float(new.max()) <= 1
        sample = means.mean(("chain", "draw")).to_numpy()
        np.testing.assert_allclose(new.mean(("sample", "topic")).to_numpy(), sample, atol=0.03)


def test_prepare_gives_identical_systems_once():
    scores = pd.DataFrame({"a": [0.1, 0.3, 0.2], "b": [0.1, 0.3, 0.2], "c": [0.4, 0.2, 0.1]})
    data, stands_for = prepare(scores)
    assert data.systems == ["a", "c"]
    assert stands_for.tolist() == [0, 0, 1]
    get_model("beta-binomial").check(data)


def test_beta_binomial_refuses_large_tables():
    values = np.random.default_rng(1).integers(0, 2, size=(600, 25))
    with pytest.raises(ModelError, match=r"at most 10,000 scores.*got 15,000"):
        BetaBinomial().check(as_data(values))
