from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special
from slow_score_distributions import (
    SCIPY,
    algorithm_1,
    expected_ap_by_enumeration,
    gamma_density,
)

from bayescorr import aupr, aupr_exact, expected_ap, fit_score_distribution
from bayescorr.errors import OptionError
from bayescorr.scoredist import _kernels
from bayescorr.scoredist.average_precision import expected_ap_of
from bayescorr.scoredist.families import FAMILIES, get_family
from bayescorr.scoredist.model import ScoreDistribution
from bayescorr.scoredist.statistics import logarithms


def gammas(k1, k0, scale=1.0, mixing=0.05, top=30.0, scale1=None):
    return ScoreDistribution(
        get_family("gamma"), mixing, (k1, scale1 or scale), (k0, scale), 0.0, top
    )


class TestExpected:
    @settings(max_examples=30, deadline=None)
    @given(st.lists(st.floats(0.001, 1), min_size=1, max_size=10))
    def test_is_the_mean_over_all_assignments(self, probabilities):
        found = expected_ap_of(np.array(probabilities), np.array([0]))[0]
        assert found == pytest.approx(expected_ap_by_enumeration(probabilities), rel=1e-9)

    def test_is_the_mean_over_all_assignments_of_twelve_documents(self):
        probabilities = np.random.default_rng(1).uniform(0, 1, 12)
        found = expected_ap_of(probabilities, np.array([0]))[0]
        assert found == pytest.approx(expected_ap_by_enumeration(probabilities.tolist()), rel=1e-12)

    def test_topics_do_not_touch(self):
        first, second = np.array([0.9, 0.2, 0.1]), np.array([0.5, 0.4])
        both = expected_ap_of(np.concatenate([first, second]), np.array([0, 3]))
        alone = [expected_ap_of(one, np.array([0]))[0] for one in (first, second)]
        assert both.tolist() == alone

    def test_certain_relevance_is_average_precision(self):
        assert expected_ap_of(np.array([1.0, 0, 1, 0]), np.array([0]))[0] == (1 + 2 / 3) / 2
        assert expected_ap_of(np.zeros(3), np.array([0]))[0] == 0

    def test_order_of_the_scores_does_not_matter(self):
        scores = np.array([9.0, 7, 4, 3, 2, 1])
        model = fit_score_distribution(scores, np.array([1, 1, 0, 1, 0, 0], dtype=bool))
        assert expected_ap(model, scores[::-1]) == expected_ap(model, scores)

    @pytest.mark.parametrize("family", FAMILIES)
    def test_kernel_agrees_with_bayes_rule(self, family):
        scores = np.array([9.0, 7, 4, 3, 2, 1, 1])
        if FAMILIES[family].least != "positive":
            scores[-1] = 0.0
        model = fit_score_distribution(scores, np.arange(7) < 3, family, constrained=False)
        slopes, constant = model.evidence()
        found = _kernels.log_odds(
            scores,
            logarithms(scores),
            np.array([0]),
            np.array(slopes)[:, None],
            np.array([constant]),
        )
        np.testing.assert_allclose(found, model.log_odds(scores), rtol=1e-12, atol=1e-12)


class TestAlgorithm1:
    @pytest.mark.parametrize("points", [4, 64, 1024])
    @pytest.mark.parametrize(("k1", "k0"), [(8.0, 3.0), (1.0, 0.6), (0.7, 0.3), (3.0, 3.0)])
    def test_line_by_line(self, points, k1, k0):
        slow = algorithm_1(12.0, points, 0.1, gamma_density(k1, 1.3), gamma_density(k0, 1.3))
        model = gammas(k1, k0, 1.3, mixing=0.1, top=12.0)
        assert aupr(model, points) == pytest.approx(slow, rel=1e-10)

    @settings(max_examples=40, deadline=None)
    @given(st.floats(2, 15), st.floats(0.2, 1), st.floats(0.2, 5), st.floats(0.002, 0.2))
    def test_is_near_the_integral_at_1024_points(self, k1, ratio, scale, mixing):
        """For relevant scores whose density is 0 at 0, and non-relevant ones with any density."""
        top = scale * special.gammainccinv(k1, 1e-2)
        model = gammas(k1, ratio * k1, scale, mixing, top)
        assert aupr(model, 1024) == pytest.approx(aupr_exact(model, 2 * top), abs=1e-3)

    @pytest.mark.parametrize("k1", [0.8, 0.9])
    def test_shapes_below_one_of_relevant_scores(self, k1):
        """The density is infinite at 0 for both kinds of documents."""
        model = gammas(k1, 0.5, top=20.0)
        assert np.isinf(model.density(0.0, relevant=True))
        assert aupr(model, 1024) == pytest.approx(aupr_exact(model), abs=2e-3)
        assert np.isfinite(aupr(model, 4))

    def test_without_separation_it_is_the_share_of_relevant_documents(self):
        model = gammas(3.0, 3.0, mixing=0.2)
        assert aupr_exact(model) == pytest.approx(0.2, abs=1e-9)
        assert aupr(model, 1024) == pytest.approx(0.2, abs=1e-3)

    def test_perfect_separation(self):
        assert aupr_exact(gammas(400.0, 1.0)) == pytest.approx(1, abs=1e-6)

    def test_unit_of_the_scores_does_not_matter(self):
        one, other = gammas(5, 2, 1.0, top=15.0), gammas(5, 2, 100.0, top=1500.0)
        assert aupr(one) == pytest.approx(aupr(other), rel=1e-12)

    def test_many_models_at_once(self):
        k1 = np.array([[3.0, 4.0, 5.0], [6.0, 7.0, 8.0]])
        family, mixing = get_family("gamma"), np.full((2, 3), 0.1)
        many = ScoreDistribution(family, mixing, (k1, 1.0), (2.0, 1.0), 0.0, np.full(3, 20.0))
        found = aupr(many)
        assert found.shape == (2, 3)
        assert found[1, 2] == pytest.approx(aupr(gammas(8.0, 2.0, mixing=0.1, top=20.0)))

    def test_points(self):
        for points in (1, 2.5, "64"):
            with pytest.raises(OptionError, match="whole number of at least 2"):
                aupr(gammas(3, 2), points)


@pytest.mark.parametrize("family", ["gamma", "lognormal", "normal", "exponential"])
@pytest.mark.parametrize("constrained", [True, False])
def test_integral_over_scores_is_that_over_recall(family, constrained):
    """The definition (equation 2) with scipy's densities, against the oracle's new variable."""
    rng = np.random.default_rng(5)
    scores = np.concatenate([rng.gamma(9, 1, 30), rng.gamma(4, 1, 200)])
    model = fit_score_distribution(scores, np.arange(230) < 30, family, constrained=constrained)
    relevant, nonrelevant = (SCIPY[family](*p) for p in (model.relevant, model.nonrelevant))

    def integrand(s):
        hits = model.mixing * relevant.sf(s)
        returned = hits + (1 - model.mixing) * nonrelevant.sf(s)
        return hits / returned * relevant.pdf(s) if returned > 0 else 0.0

    low, high = relevant.ppf(1e-12), relevant.isf(1e-12)
    middle = np.linspace(low, high, 40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", integrate.IntegrationWarning)
        area = sum(integrate.quad(integrand, a, b)[0] for a, b in pairwise(middle))
    assert aupr_exact(model) == pytest.approx(area, abs=1e-6)
    # Twice the top score leaves out some of the longest tails.
    upper = 2 * model.top - (model.bottom if family == "normal" else 0)
    assert aupr(model, 1024) == pytest.approx(aupr_exact(model, upper), abs=1e-3)
    assert aupr(model, 1024) == pytest.approx(area, abs=0.03)


def test_normal_scores_may_be_negative():
    rng = np.random.default_rng(6)
    scores = np.concatenate([rng.normal(-80, 2, 30), rng.normal(-84, 2, 200)])
    relevant = np.arange(230) < 30
    model = fit_score_distribution(scores, relevant, "normal")
    shifted = fit_score_distribution(scores + 1000, relevant, "normal")
    assert aupr(model, 1024) == pytest.approx(aupr_exact(model), abs=1e-3)
    assert aupr(model) == pytest.approx(aupr(shifted), abs=1e-9)


def test_poisson_sums_over_whole_scores():
    scores = [5, 4, 2, 1, 0, 3]
    model = fit_score_distribution(scores, [True, True, False, False, False, False], "poisson")
    relevant, nonrelevant = SCIPY["poisson"](4.5), SCIPY["poisson"](1.5)
    levels = np.arange(60, -1, -1)
    recall, fallout = relevant.sf(levels - 1), nonrelevant.sf(levels - 1)
    precision = recall / (recall + 2 * fallout)
    area = (np.diff(recall) * (precision[1:] + precision[:-1]) / 2).sum()
    assert aupr_exact(model) == pytest.approx(area, abs=1e-9)
    assert aupr(model, 4) == aupr(model, 64)


def test_simulated_scores_recover_average_precision():
    """From known gammas: the model's area, the fitted area and the actual AP of large samples."""
    rng = np.random.default_rng(7)
    truth = gammas(8.0, 3.0, mixing=0.04)
    known = aupr_exact(truth)
    fitted, actual, expected = [], [], []
    for _ in range(40):
        relevant = rng.random(5000) < 0.04
        scores = np.where(relevant, rng.gamma(8.0, 1.0, 5000), rng.gamma(3.0, 1.0, 5000))
        model = fit_score_distribution(scores, relevant)
        fitted.append(aupr(model))
        expected.append(expected_ap(model, scores))
        ranked = relevant[np.argsort(-scores)]
        actual.append((np.cumsum(ranked) / np.arange(1, 5001))[ranked].mean())
    assert np.mean(fitted) == pytest.approx(known, abs=0.005)
    assert np.mean(actual) == pytest.approx(known, abs=0.012)
    assert np.mean(expected) == pytest.approx(known, abs=0.012)
    assert np.corrcoef(fitted, actual)[0, 1] > 0.5
