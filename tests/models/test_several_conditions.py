"""The models of several conditions against Gibbs sampling and NUTS without closed forms."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import multigammaln

from bayescorr.bayes import _stack
from bayescorr.bayes.data import ModelData
from bayescorr.bayes.sampler import Sampling, flat_draws, sample_parameters
from bayescorr.conditions.columns import ConditionsData, PartialData, columns_data
from bayescorr.models import _niw
from bayescorr.models._matrix_t_density import density
from bayescorr.models.matrix_t_conditions import MatrixTConditions
from bayescorr.models.matrix_t_partial import MatrixTPartial

MODEL = MatrixTPartial()
PRIORS = MODEL.full_priors({"prior_topics": 3.0})
KAPPA = 1 / 3


def problem(judged=4, topics=9, systems=2, seed=1):
    """Two conditions, the first judged on some topics: data, function of the true means, scores."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(topics, systems)) + rng.normal(size=(topics, 1))
    noise = rng.normal(size=(2, topics, systems))
    scores = [common + 0.7 * noise[0] + np.arange(systems), common + 0.5 * noise[1]]
    stands_for = pd.Series(range(systems))
    prepared = [
        (ModelData(values[:n], list(range(n)), list(range(systems))), stands_for)
        for values, n in zip(scores, (judged, topics), strict=True)
    ]
    return *columns_data(prepared), scores


def parameters(size):
    """One value of every parameter of the problem, repeated."""
    values = {"c": 4.0, "rho": 0.3, "phi": 0.6, "s": 0.9, "w": 0.3}
    found = {name: np.full(size, value) for name, value in values.items()}
    return {**found, "e": np.tile([0.4, -0.4], (size, 1)), "mu0": np.tile([0.5, 0.1], (size, 1))}


def psi_and_level(data):
    """Psi of the four columns, the judge's two first, and their prior means: dense and plain."""
    p = {name: x[0] for name, x in parameters(1).items()}
    sd = np.tile(p["s"] * np.exp(np.sqrt(p["w"]) * p["e"]), 2)
    joined = np.tile(np.eye(2), (2, 2))
    inner = p["phi"] * joined + (1 - p["phi"]) * np.eye(4)
    target = np.outer(sd, sd) * (p["rho"] + (1 - p["rho"]) * inner)
    levels = np.array([[1, 1], [1, -1]]) / np.sqrt(2) @ p["mu0"]
    return p["c"] * target + _niw.FLOOR * np.eye(4), np.repeat(levels, 2)


def test_partial_data_are_those_of_the_shared_topics():
    data, means_of, scores = problem()
    assert isinstance(data, PartialData)
    assert (data.n_topics, data.whole.n_topics, data.part.n_topics) == (4, 9, 4)
    # The columns of the whole condition come first; draws are of the columns themselves.
    columns = np.hstack([scores[1], scores[0]])
    np.testing.assert_allclose(data.values @ data.turn, columns[:4])
    np.testing.assert_allclose(data.whole.values @ data.whole_turn, scores[1])
    np.testing.assert_allclose(means_of(columns), np.stack(scores, axis=1))
    _, level = psi_and_level(data)
    draws = parameters(1)
    np.testing.assert_allclose((MODEL.level(draws, data) @ data.turn)[0], level)
    np.testing.assert_allclose((MODEL.level(draws, data.whole) @ data.whole_turn)[0], level[:2])


def test_given_the_judge_the_rest_follows_the_dense_formula():
    """Centre and covariance of the conditional t, without low ranks, sums and contrasts."""
    data, _, scores = problem()
    psi, level = psi_and_level(data)
    y = np.hstack([scores[1], scores[0]])[:4]
    centre = (4 * y.mean(axis=0) + 3 * level) / 7
    g = psi + 4 * np.cov(y.T, bias=True)
    g += 4 * 3 / 7 * np.outer(y.mean(axis=0) - level, y.mean(axis=0) - level)
    judge = np.array([0.7, -0.2])
    off, size = judge - centre[:2], 40_000
    slope = np.linalg.solve(g[:2, :2], g[:2, 2:]).T
    whole = np.tile(data.whole_turn @ judge, (size, 1))
    rng = np.random.default_rng(1)
    found, noise = MODEL.given_whole(parameters(size), whole, data, PRIORS, rng)
    np.testing.assert_allclose(found[0], centre[2:] + slope @ off)
    spread = 1 / 7 + off @ np.linalg.solve(g[:2, :2], off)
    expected = spread * (g[2:, 2:] - slope @ g[:2, 2:])
    np.testing.assert_allclose(np.cov(noise.T), expected, atol=0.03 * expected.max())


def test_density_of_the_partial_condition_is_that_of_a_regression():
    """Joint density over that of the judge: a conjugate multivariate regression, written out."""
    data, _, scores = problem()
    psi, level = psi_and_level(data)
    psi -= _niw.FLOOR * np.eye(4)
    p = parameters(1)
    values = {name: x[0] for name, x in p.items()}

    def log_density(one):
        delta, loadings = MODEL.target(values, np, one)
        means = one.means - one.level @ values["mu0"]
        numbers = (np.array(float(x)) for x in (one.n_topics, values["c"]))
        rest = (np.array(0.0), np.array(KAPPA), np.array(0.0))
        return float(density(one.scatter_factor, means, *numbers, delta, loadings, *rest)[0])

    y = np.hstack([scores[1], scores[0]])[:4] - level
    z = np.hstack([np.ones((4, 1)), y[:, :2]])
    precision = np.zeros((3, 3))
    precision[0, 0], precision[1:, 1:] = 1 / KAPPA, psi[:2, :2]
    slope = np.hstack([np.zeros((2, 1)), psi[2:, :2] @ np.linalg.inv(psi[:2, :2])])
    later = precision + z.T @ z
    found = (slope @ precision + y[:, 2:].T @ z) @ np.linalg.inv(later)
    prior = psi[2:, 2:] - psi[2:, :2] @ np.linalg.solve(psi[:2, :2], psi[:2, 2:])
    total = prior + y[:, 2:].T @ y[:, 2:] + slope @ precision @ slope.T - found @ later @ found.T
    nu, n, h = 5 + values["c"], 4, 2
    log_det = {name: np.linalg.slogdet(x)[1] for name, x in (("0", precision), ("n", later))}
    expected = (
        -n * h / 2 * np.log(np.pi)
        + h / 2 * (log_det["0"] - log_det["n"])
        + nu / 2 * np.linalg.slogdet(prior)[1]
        - (nu + n) / 2 * np.linalg.slogdet(total)[1]
        + multigammaln((nu + n) / 2, h)
        - multigammaln(nu / 2, h)
    )
    assert log_density(data) - log_density(data.part) == pytest.approx(expected)


def test_a_judge_with_the_same_scores_passes_its_means_on():
    _, _, scores = problem()
    stands_for = pd.Series(range(2))
    values = scores[0]
    prepared = [
        (ModelData(values[:n], list(range(n)), [0, 1]), stands_for) for n in (4, len(values))
    ]
    data, means_of = columns_data(prepared)
    assert type(data) is ConditionsData
    assert data.n_topics == 9
    found = means_of(np.random.default_rng(1).normal(size=(5, 2)))
    np.testing.assert_array_equal(found[:, 0], found[:, 1])


@pytest.mark.slow
def test_true_means_equal_a_long_gibbs_run():
    """Sigma and mu of all columns are drawn in turn, with the missing scores."""
    data, _, scores = problem()
    psi, level = psi_and_level(data)
    values = np.hstack([scores[1], scores[0]])
    n, size = len(values), 12_000
    rng = np.random.default_rng(5)
    mu, gibbs = values.mean(axis=0), np.empty((size, 4))
    complete = values.copy()
    sigma = psi / 4
    for i in range(size):
        slope = np.linalg.solve(sigma[:2, :2], sigma[:2, 2:]).T
        rest = sigma[2:, 2:] - slope @ sigma[:2, 2:]
        noise = rng.standard_normal((5, 2)) @ np.linalg.cholesky(rest).T
        complete[4:, 2:] = mu[2:] + (values[4:, :2] - mu[:2]) @ slope.T + noise
        error, away = complete - mu, mu - level
        scale = psi + error.T @ error + np.outer(away, away) / KAPPA
        sigma = stats.invwishart.rvs(4 + 1 + 4.0 + n + 1, scale, random_state=rng)
        weight = n + 1 / KAPPA
        centre = (complete.sum(axis=0) + level / KAPPA) / weight
        mu = centre + np.linalg.cholesky(sigma / weight) @ rng.standard_normal(4)
        gibbs[i] = mu
    draws = MODEL.true_means(parameters(40_000), data, PRIORS, rng)
    kept = gibbs[500::5]
    error = draws.std(axis=0) * np.sqrt(2 / len(kept))
    assert (np.abs(gibbs[500:].mean(axis=0) - draws.mean(axis=0)) < 4.5 * error).all()
    np.testing.assert_allclose(gibbs[500:].std(axis=0), draws.std(axis=0), rtol=0.06)
    np.testing.assert_allclose(np.corrcoef(gibbs[500:].T), np.corrcoef(draws.T), atol=0.06)


def unmarginalised(data, scores):
    """The same model with Sigma, mu and a normal likelihood, without any closed form."""
    import pymc as pm
    import pytensor.tensor as pt

    common = MatrixTConditions()
    with pm.Model(coords=data.coords) as model:
        _, p = MODEL.declare(data, PRIORS)
        c, found, mu0 = common.declare_parameters(p)
        sd = found["s"] * pt.exp(pt.sqrt(found["w"]) * found["e"])
        sd = pt.concatenate([sd, sd])
        inner = found["phi"] * np.tile(np.eye(2), (2, 2)) + (1 - found["phi"]) * np.eye(4)
        target = pt.outer(sd, sd) * (found["rho"] + (1 - found["rho"]) * inner)
        psi = c * target + _niw.FLOOR * np.eye(4)
        nu = 5 + c
        # Bartlett: Sigma = L A'^-1 A^-1 L' with L L' = Psi.
        chi = pm.ChiSquared("chi", nu - np.arange(4), shape=4)
        below = pm.Normal("below", shape=6)
        bartlett = pt.set_subtensor(pt.diag(pt.sqrt(chi))[np.tril_indices(4, -1)], below)
        root = pt.linalg.solve_triangular(bartlett, pt.linalg.cholesky(psi).T, lower=True)
        sigma = pm.Deterministic("sigma", root.T @ root)
        factor = pt.linalg.cholesky(sigma)
        level = pt.repeat(np.array([[1, 1], [1, -1]]) / np.sqrt(2) @ mu0, 2)
        mu = pm.Deterministic("mu", level + np.sqrt(KAPPA) * factor @ pm.Normal("z", shape=4))
        # The prior of the hyperparameters that epsilon stands for.
        ratio = pt.linalg.slogdet(c * target)[1] - pt.linalg.slogdet(psi)[1]
        pm.Potential("floor", nu / 2 * ratio)
        both = np.hstack([scores[1], scores[0]])[:4]
        pm.MvNormal("both", mu, chol=factor, observed=both)
        pm.MvNormal("judge", mu[:2], cov=sigma[:2, :2], observed=scores[1][4:])
    return model


# PyTensor's loops of tiny matrices are not contiguous: Numba says so while it compiles.
@pytest.mark.filterwarnings("ignore::numba.core.errors.NumbaPerformanceWarning")
@pytest.mark.slow
def test_laplace_and_nuts_equal_nuts_without_closed_forms():
    data, _, scores = problem()
    pm = _stack.pymc()
    with unmarginalised(data, scores):
        trace = pm.sample(
            1500, tune=1000, chains=2, cores=2, random_seed=1, progressbar=False,
            nuts_sampler="nutpie", target_accept=0.95, compute_convergence_checks=False,
        )  # fmt: skip
    expected = flat_draws(_stack.groups(trace)["posterior"][["mu"]])["mu"]
    rng = np.random.default_rng(2)
    for inference, tolerance in (("nuts", 0.12), ("laplace", 0.2)):
        sampling = Sampling(1500, 700, 2, 1, progressbar=False, inference=inference)
        groups = sample_parameters(MODEL, data, PRIORS, sampling)
        draws = MODEL.true_means(flat_draws(groups["posterior"]), data, PRIORS, rng)
        sd = expected.std(axis=0)
        # Standard errors are about 0.03 sd; both are compared in units of the sd.
        assert (np.abs(draws.mean(axis=0) - expected.mean(axis=0)) < tolerance * sd).all()
        np.testing.assert_allclose(draws.std(axis=0), sd, rtol=1.25 * tolerance)
