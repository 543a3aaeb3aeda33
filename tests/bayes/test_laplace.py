from __future__ import annotations

import numpy as np
import pytest

import bayescorr
from bayescorr.bayes import convergence, laplace
from bayescorr.errors import ConvergenceError, ConvergenceWarning, OptionError


def approximate(log_density, start, seed=1):
    evaluate = laplace.Evaluator(log_density, 1)
    return laplace.approximate(evaluate, np.asarray(start, float), np.random.default_rng(seed))


def normal(centre, factor):
    return laplace.Normal(np.asarray(centre, float), np.asarray(factor, float), 0, 0, 0)


def change(log_density, found, quantity=lambda x: x[:, 0], seed=2):
    """What the check says about a quantity of draws from a normal."""
    standard = np.random.default_rng(seed).standard_normal((4000, len(found.centre)))
    evaluate = laplace.Evaluator(log_density, 1)
    residual = laplace.residual_score(evaluate, found, standard[:256])
    return laplace.implied_change(standard, residual, quantity(found.at(standard)))


class TestSearch:
    def test_a_normal_posterior_is_found_exactly(self):
        rng = np.random.default_rng(3)
        root, centre = rng.standard_normal((6, 6)), rng.standard_normal(6)
        precision = root @ root.T + np.eye(6)

        def log_density(x):
            gradient = -precision @ (x - centre)
            return float((x - centre) @ gradient / 2), gradient

        found = approximate(log_density, np.zeros(6))
        np.testing.assert_allclose(found.centre, centre, atol=0.02)
        covariance = found.factor @ found.factor.T
        np.testing.assert_allclose(covariance, np.linalg.inv(precision), rtol=0.1, atol=0.01)
        assert max(found.shift, found.change) < laplace.SETTLED

    @pytest.mark.parametrize("shape", [5.0, 20.0])
    def test_the_logarithm_of_a_gamma_variable_has_the_closed_form(self, shape):
        # E[shape - exp(x)] = 0 and P = E[exp(x)] give variance 1 / shape and this mean.
        def log_density(x):
            return float((shape * x - np.exp(x)).sum()), shape - np.exp(x)

        # The points are nearly normal in many dimensions.
        found = approximate(log_density, np.zeros(40))
        sds = np.sqrt(np.diag(found.factor @ found.factor.T))
        assert sds.mean() == pytest.approx(shape**-0.5, rel=0.03)
        assert found.centre.mean() == pytest.approx(np.log(shape) - 1 / (2 * shape), abs=0.01)

    def test_skewed_directions_do_not_make_it_circle(self):
        # A spread and what it spreads, seen through one noisy value each.
        values = np.random.default_rng(4).standard_normal(30)

        def log_density(x):
            w, e = x[0], x[1:]
            scaled = np.square(e) * np.exp(-2 * w)
            value = -0.5 * w**2 - 30 * w - scaled.sum() / 2 - np.square(values - e).sum() / 2
            by_w = -w - 30 + scaled.sum()
            return float(value), np.r_[by_w, -e * np.exp(-2 * w) + values - e]

        found = approximate(log_density, np.r_[1.0, np.zeros(30)])
        assert max(found.shift, found.change) < laplace.SETTLED

    def test_workers_and_a_good_start_change_nothing_that_matters(self):
        def log_density(x):
            return float((5 * x - np.exp(x)).sum()), 5 - np.exp(x)

        one = approximate(log_density, np.zeros(4))
        evaluate = laplace.Evaluator(log_density, 3)
        two = laplace.approximate(evaluate, np.zeros(4), np.random.default_rng(1))
        np.testing.assert_array_equal(one.centre, two.centre)
        again = laplace.Evaluator(log_density, 1)
        near = laplace.approximate(again, one, np.random.default_rng(1))
        np.testing.assert_allclose(near.centre, one.centre, atol=0.02)
        assert near.gradients < one.gradients / 2

    def test_an_undefined_density_is_reported(self):
        found = approximate(lambda x: (np.nan, np.zeros_like(x)), np.zeros(3))
        assert found.shift == np.inf


class TestCheck:
    @staticmethod
    def standard(x):
        return float(-(x @ x) / 2), -x

    def test_says_nothing_of_the_right_normal(self):
        mean, sd = change(self.standard, normal(np.zeros(3), np.eye(3)))
        assert mean == pytest.approx(0, abs=1e-9)
        assert sd == pytest.approx(0, abs=0.01)

    def test_finds_a_centre_that_is_off(self):
        mean, _ = change(self.standard, normal([0.5, 0, 0], np.eye(3)))
        assert mean == pytest.approx(-0.5, abs=0.02)

    @pytest.mark.parametrize(("width", "expected"), [(0.8, 0.25), (1.25, -0.2)])
    def test_finds_a_spread_that_is_off(self, width, expected):
        _, sd = change(self.standard, normal(np.zeros(3), np.diag([width, 1, 1])))
        assert sd == pytest.approx(expected, abs=0.04)

    def test_a_skewed_posterior_is_far_from_normal(self):
        def log_density(x):
            return float(0.3 * x[0] - np.exp(x[0])), 0.3 - np.exp(x)

        found = approximate(log_density, [0.0])
        mean, sd = change(log_density, found)
        assert max(abs(mean), abs(sd)) > convergence.MOST_CHANGE

    def test_two_modes_are_far_from_normal(self):
        def log_density(x):
            value = np.logaddexp(-((x[0] - 3) ** 2) / 2, -((x[0] + 3) ** 2) / 2)
            return float(value), -x + 3 * np.tanh(3 * x)

        wide = normal([0.0], [[3.0]])
        standard = np.random.default_rng(5).standard_normal((256, 1))
        residual = laplace.residual_score(laplace.Evaluator(log_density, 1), wide, standard)
        assert np.sqrt(np.square(residual).mean()) > convergence.MOST_RESIDUAL


@pytest.fixture(scope="module")
def approximated(small):
    return bayescorr.fit(small, inference="laplace", random_seed=1)


class TestFit:
    def test_says_what_it_is(self, approximated, default):
        assert approximated.inference == "laplace"
        assert default.inference == "nuts"
        assert "Laplace approximation good" in repr(approximated)
        assert "; Laplace approximation)." in approximated.in_words()
        assert approximated.draws("tau").shape == (4000,)

    def test_is_stored_with_its_verdict(self, approximated, tmp_path):
        again = bayescorr.load_fit(approximated.to_netcdf(tmp_path / "fit.nc"))
        assert again.inference == "laplace"
        assert again.convergence == approximated.convergence
        np.testing.assert_array_equal(again.normal.factor, approximated.normal.factor)

    def test_same_seed_same_draws_in_any_order(self, approximated, small):
        shuffled = small.sample(frac=1, random_state=2).sample(frac=1, axis=1, random_state=3)
        again = bayescorr.fit(shuffled, inference="laplace", random_seed=1, cores=1)
        np.testing.assert_array_equal(again.draws("tau"), approximated.draws("tau"))

    @pytest.mark.parametrize(("shift", "scale"), [(0, 1e6), (0, 1e-6), (3, 1)])
    def test_location_and_scale_do_not_matter(self, approximated, small, shift, scale):
        again = bayescorr.fit(shift + scale * small, inference="laplace", random_seed=1)
        same = np.isclose(again.draws("tau"), approximated.draws("tau"))
        # Rounding may swap two true means that are nearly equal.
        assert same.mean() > 0.99

    def test_poor_approximations_send_to_nuts(self, small, monkeypatch):
        monkeypatch.setattr(convergence, "MOST_RESIDUAL", 0.0)
        with pytest.warns(ConvergenceWarning, match="far from normal"):
            poor = bayescorr.fit(small, inference="laplace", random_seed=1)
        assert 'inference="nuts"' in poor.convergence.remedy
        with pytest.raises(ConvergenceError, match="far from normal"):
            bayescorr.fit(small, inference="laplace", random_seed=1, strict=True)

    def test_exact_models_need_neither(self, small):
        assert bayescorr.fit(small, "flat", inference="laplace", random_seed=1).inference == "exact"

    def test_wrong_names_are_refused(self, small):
        with pytest.raises(OptionError, match="laplace, nuts"):
            bayescorr.fit(small, inference="mcmc")
        with pytest.raises(OptionError, match="max_treedepth"):
            bayescorr.fit(small, inference="laplace", max_treedepth=5)

    @pytest.mark.slow
    def test_sensitivity_starts_from_it(self, approximated):
        table = bayescorr.prior_sensitivity(approximated, coefficients="tau", draws=200)
        change = table.set_index(["prior", "factor"])["change"]
        assert change["prior_topics", 0.5] > 0 > change["prior_topics", 2.0]
        assert change["mu0_sd", 2.0] == pytest.approx(0, abs=0.005)


# With 10 topics the residual score is about its limit, above it for some seeds.
@pytest.mark.filterwarnings("ignore::bayescorr.ConvergenceWarning")
@pytest.mark.slow
@pytest.mark.parametrize("topics", [10, 50])
def test_agrees_with_nuts(topics):
    scores = bayescorr.load_dataset("demo").iloc[:topics]
    normal = bayescorr.fit(scores, inference="laplace", random_seed=1)
    nuts = bayescorr.fit(scores, random_seed=1)
    columns, limits = ["estimate", "lower", "upper"], [0.01, 0.03, 0.03]
    apart = (normal.estimates()[columns] - nuts.estimates()[columns]).abs()
    assert (apart <= limits).all(axis=None), apart
    if topics < 50:
        # Few topics leave the posterior of w skewed: a normal is too narrow for it.
        return
    # The parameters, too: their mean, in standard deviations, and their sd.
    for name in ("c", "rho", "w", "s"):
        one, other = normal.posterior[name], nuts.posterior[name]
        assert abs(float(one.mean() - other.mean())) < 0.2 * float(other.std())
        assert float(one.std()) == pytest.approx(float(other.std()), rel=0.2)
