"""The closed forms against slow and obvious references: dense matrices, integration, Gibbs."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import multigammaln

from bayescorr.bayes.data import ModelData
from bayescorr.models import _niw
from bayescorr.models._matrix_t_density import density
from bayescorr.models.matrix_t import MatrixT


def problem(n, m, k=1, seed=0):
    """Scores and hyperparameters of any size."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n, m)) + rng.normal(size=(n, 1)) + 0.5 * np.arange(m)
    hyper = {
        "c": 3.7,
        "delta": rng.uniform(0.5, 2, size=m),
        "loadings": rng.normal(size=(m, k)),
        "mu0": 0.4,
    }
    return scores, hyper


def dense_density(scores, c, delta, loadings, mu0, kappa, floor=0.0):
    """The matrix-t density with m x m and n x n determinants (kappa None: flat, by its limit)."""
    n, m = scores.shape
    psi = c * (np.diag(delta) + loadings @ loadings.T)
    nu = m + 1 + c
    means = scores.mean(axis=0)
    scatter = (scores - means).T @ (scores - means) + floor * np.eye(m)
    if kappa is None:
        rows, factor = n - 1, m / 2 * np.log(n)
    else:
        rows, factor = n, m / 2 * np.log1p(n * kappa)
        scatter = scatter + n / (n * kappa + 1) * np.outer(means - mu0, means - mu0)
    return (
        multigammaln((nu + rows) / 2, m)
        - multigammaln(nu / 2, m)
        - rows * m / 2 * np.log(np.pi)
        - factor
        + nu / 2 * np.linalg.slogdet(psi)[1]
        - (nu + rows) / 2 * np.linalg.slogdet(psi + scatter)[1]
    )


def fast_arguments(scores, c, delta, loadings, mu0, kappa, floor=0.0):
    means = scores.mean(axis=0)
    factor = np.ascontiguousarray((scores - means).T)
    n, c, mu0, kappa, floor = (
        np.array(float(x)) for x in (len(scores), c, mu0, np.inf if kappa is None else kappa, floor)
    )
    return [factor, means, n, c, delta, loadings, mu0, kappa, floor]


def posterior(scores, hyper, kappa, size, floor=0.0):
    return _niw.Posterior(
        scores=scores,
        c=np.full(size, hyper["c"]),
        delta=np.tile(hyper["delta"], (size, 1)),
        loadings=np.tile(hyper["loadings"], (size, 1, 1)),
        mu0=np.full(size, hyper["mu0"]),
        kappa=kappa,
        floor=floor,
    )


@pytest.mark.parametrize("floor", [0.0, 0.02])
@pytest.mark.parametrize("kappa", [0.15, 2.0, None])
@pytest.mark.parametrize(("n", "m", "k"), [(1, 2, 1), (4, 1, 1), (3, 6, 2), (9, 4, 3)])
def test_density_equals_dense_formula(n, m, k, kappa, floor):
    scores, hyper = problem(n, m, k)
    hyper |= {"kappa": kappa, "floor": floor}
    fast = density(*fast_arguments(scores, **hyper))[0]
    assert fast == pytest.approx(dense_density(scores, **hyper), rel=1e-12)


def test_one_system_is_a_multivariate_t():
    scores, hyper = problem(5, 1)
    kappa, nu = 0.3, 2 + hyper["c"]
    psi = hyper["c"] * (hyper["delta"][0] + (hyper["loadings"] ** 2).sum())
    expected = stats.multivariate_t(
        np.full(5, hyper["mu0"]), psi / nu * (np.eye(5) + kappa), df=nu
    ).logpdf(scores[:, 0])
    assert density(*fast_arguments(scores, **hyper, kappa=kappa))[0] == pytest.approx(expected)


@pytest.mark.parametrize("kappa", [0.3, None])
def test_one_system_by_direct_integration(kappa):
    scores, hyper = problem(3, 1)
    nu = 2 + hyper["c"]
    psi = hyper["c"] * (hyper["delta"][0] + (hyper["loadings"] ** 2).sum())

    # A fine grid over mu and the log of the variance; d variance = variance d log variance.
    mu = np.linspace(-80, 80, 4001)[:, None]
    variance = np.exp(np.linspace(-4, 8, 301))
    sd = np.sqrt(variance)
    joint = stats.invgamma.pdf(variance, nu / 2, scale=psi / 2) * variance
    for x in scores[:, 0]:
        joint = joint * stats.norm.pdf(x, mu, sd)
    if kappa is not None:
        joint = joint * stats.norm.pdf(mu, hyper["mu0"], np.sqrt(kappa) * sd)
    value = joint.sum() * 160 / 4000 * 12 / 300
    fast = density(*fast_arguments(scores, **hyper, kappa=kappa))[0]
    assert np.exp(fast) == pytest.approx(value, rel=1e-3)


def test_two_systems_by_integration_over_the_covariance():
    scores, hyper = problem(3, 2)
    kappa, size = 0.3, 40_000
    psi = hyper["c"] * (np.diag(hyper["delta"]) + hyper["loadings"] @ hyper["loadings"].T)
    sigmas = stats.invwishart(df=3 + hyper["c"], scale=psi).rvs(size, random_state=1)
    # Mu integrates out: given Sigma the scores are matrix normal with rows I + kappa 11'.
    rows = np.eye(3) + kappa
    error = scores - hyper["mu0"]
    outer = error.T @ np.linalg.solve(rows, error)
    quadratic = np.einsum("dij,ji->d", np.linalg.inv(sigmas), outer)
    log = -(
        6 * np.log(2 * np.pi)
        + 2 * np.linalg.slogdet(rows)[1]
        + 3 * np.linalg.slogdet(sigmas)[1]
        + quadratic
    )
    values = np.exp(log / 2)
    fast = np.exp(density(*fast_arguments(scores, **hyper, kappa=kappa))[0])
    assert abs(values.mean() - fast) < 4 * values.std() / np.sqrt(size)
    assert values.std() / np.sqrt(size) < 0.02 * fast


@pytest.mark.parametrize("kappa", [0.15, None])
def test_gradient_equals_finite_differences(kappa):
    scores, hyper = problem(4, 3, 2)
    arguments = fast_arguments(scores, **hyper, kappa=kappa, floor=0.3)
    gradients = dict(zip((0, 1, 3, 4, 5, 6), density(*arguments)[1:], strict=True))
    for which, gradient in gradients.items():
        start = np.asarray(arguments[which], float)
        numeric = np.empty_like(start)
        for cell in np.ndindex(start.shape):
            sides = []
            for step in (1e-6, -1e-6):
                moved = start.copy()
                moved[cell] += step
                changed = list(arguments)
                changed[which] = moved
                sides.append(density(*changed)[0])
            numeric[cell] = (sides[0] - sides[1]) / 2e-6
        np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("kappa", [0.2, None])
def test_means_equal_a_long_gibbs_run(kappa):
    scores, hyper = problem(6, 3)
    n, m = scores.shape
    size = 3000
    psi = hyper["c"] * (np.diag(hyper["delta"]) + hyper["loadings"] @ hyper["loadings"].T)
    psi += 0.5 * np.eye(m)
    rng = np.random.default_rng(5)
    mu, gibbs = scores.mean(axis=0), np.empty((size, m))
    for i in range(size):
        error, away = scores - mu, mu - hyper["mu0"]
        scale, df = psi + error.T @ error, m + 1 + hyper["c"] + n
        if kappa is not None:
            scale, df = scale + np.outer(away, away) / kappa, df + 1
        sigma = stats.invwishart.rvs(df, scale, random_state=rng)
        weight = n if kappa is None else n + 1 / kappa
        centre = scores.sum(axis=0) + (0 if kappa is None else hyper["mu0"] / kappa)
        mu = rng.multivariate_normal(centre / weight, sigma / weight)
        gibbs[i] = mu
    draws = posterior(scores, hyper, kappa, 40_000, floor=0.5).draw_means(rng)
    # The chain forgets almost at once: mu depends on the one before through Sigma only.
    error = draws.std(axis=0) * np.sqrt(1 / size + 1 / len(draws))
    assert (np.abs(gibbs.mean(axis=0) - draws.mean(axis=0)) < 4.5 * error).all()
    np.testing.assert_allclose(gibbs.std(axis=0), draws.std(axis=0), rtol=0.08)
    np.testing.assert_allclose(np.corrcoef(gibbs.T), np.corrcoef(draws.T), atol=0.08)


@pytest.mark.parametrize("kappa", [0.2, None])
def test_covariance_has_its_posterior_mean(kappa):
    scores, hyper = problem(7, 3)
    n = len(scores)
    given = posterior(scores, hyper, kappa, 4000, floor=0.5)
    rng = np.random.default_rng(2)
    draws = given.draw_covariance(given.draw_means(rng), rng)
    means = scores.mean(axis=0)
    scale = hyper["c"] * (np.diag(hyper["delta"]) + hyper["loadings"] @ hyper["loadings"].T)
    scale = scale + (scores - means).T @ (scores - means) + 0.5 * np.eye(3)
    rows = n - 1
    if kappa is not None:
        scale += n / (n * kappa + 1) * np.outer(means - hyper["mu0"], means - hyper["mu0"])
        rows = n
    expected = scale / (hyper["c"] + rows)
    error = draws.std(axis=0) / np.sqrt(len(draws))
    assert (np.abs(draws.mean(axis=0) - expected) < 4.5 * error).all()


@pytest.mark.parametrize("kappa", [0.2, None])
@pytest.mark.parametrize(("n", "m"), [(4, 3), (6, 9), (30, 5)])
def test_leaving_a_topic_out_is_a_ratio_of_densities(n, m, kappa):
    scores, hyper = problem(n, m, 2)
    found = posterior(scores, hyper, kappa, 1, floor=0.3).log_predictive()[0]
    hyper |= {"kappa": kappa, "floor": 0.3}
    everything = dense_density(scores, **hyper)
    for t in range(n):
        rest = dense_density(np.delete(scores, t, axis=0), **hyper)
        assert found[t] == pytest.approx(everything - rest, abs=1e-4 if kappa is None else 1e-9)


def test_inverse_wishart_moments():
    scale = np.array([[2.0, 0.5], [0.5, 1.0]])
    rng = np.random.default_rng(3)
    draws = np.array([_niw.inverse_wishart(9.0, scale, rng) for _ in range(4000)])
    reference = stats.invwishart(9, scale)
    error = draws.std(axis=0) / np.sqrt(len(draws))
    assert (np.abs(draws.mean(axis=0) - reference.mean()) < 4.5 * error).all()
    np.testing.assert_allclose(draws.var(axis=0), reference.var(), rtol=0.25)


def test_simulated_scores_have_the_moments_of_the_prior():
    model, rng = MatrixT(), np.random.default_rng(4)
    draw = {"c": 12.0, "rho": 0.4, "s": 1.2, "w": 0.3, "e": np.array([0.5, -0.2, -0.3]), "mu0": 0.4}
    data = ModelData(values=np.zeros((2, 3)), topics=[1, 2], systems=[1, 2, 3])
    priors = model.full_priors({"prior_topics": 2.0})
    runs = [model.simulate_normal(draw, data, priors, rng) for _ in range(4000)]
    means = np.array([run[0] for run in runs])
    covariances = np.array([run[1] for run in runs])
    scores = np.array([run[2] for run in runs])
    sd = 1.2 * np.exp(np.sqrt(0.3) * draw["e"])
    target = np.outer(sd, sd) * (0.4 + 0.6 * np.eye(3))
    np.testing.assert_allclose(covariances.mean(axis=0), target, rtol=0.1, atol=0.1)
    np.testing.assert_allclose(np.cov(means.T), 0.5 * target, rtol=0.12, atol=0.1)
    within = (scores[:, 0] - scores[:, 1]) / np.sqrt(2)
    np.testing.assert_allclose(np.cov(within.T), target, rtol=0.12, atol=0.1)
