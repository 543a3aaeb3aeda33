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
from bayescorr.errors import OptionError, ScoresError
from bayescorr.scoredist import _kernels
from bayescorr.scoredist.families import FAMILIES, get_family
from bayescorr.scoredist.model import ScoreDistribution


def gammas(k1, k0, scale=1.0, mixing=0.05, top=30.0, scale1=None):
    return ScoreDistribution(
        get_family("gamma"), mixing, (k1, scale1 or scale), (k0, scale), 0.0, top
    )


class TestExpected:
    @settings(max_examples=30, deadline=None)
    @given(st.lists(st.floats(0.001, 1), min_size=1, max_size=10))
    def test_is_the_mean_over_all_assignments(self, probabilities):
        found = _kernels.expected_precision(np.array(probabilities))
        assert found == pytest.approx(expected_ap_by_enumeration(probabilities), rel=1e-9)

    def test_is_the_mean_over_all_assignments_of_twelve_documents(self):
        probabilities = np.random.default_rng(1).uniform(0, 1, 12)
        found = _kernels.expected_precision(probabilities)
        assert found == pytest.approx(expected_ap_by_enumeration(probabilities.tolist()), rel=1e-12)

    def test_certain_relevance_is_average_precision(self):
        assert _kernels.expected_precision(np.array([1.0, 0, 1, 0])) == (1 + 2 / 3) / 2
        assert _kernels.expected_precision(np.zeros(3)) == 0

    def test_order_of_the_scores_does_not_matter(self):
        scores = np.array([9.0, 7, 4, 3, 2, 1])
        model = fit_score_distribution(scores, np.array([1, 1, 0, 1, 0, 0], dtype=bool))
        assert expected_ap(model, scores[::-1]) == expected_ap(model, scores)

    @pytest.mark.parametrize("family", FAMILIES)
    def test_kernel_of_many_topics_agrees_with_one_by_one(self, family):
        """Twice the same model, of the scores of two topics that lie one after the other."""
        scores = np.array([9.0, 7, 4, 3, 2, 1, 1])
        if FAMILIES[family].needs != "positive scores":
            scores[-1] = 0.0
        model = fit_score_distribution(scores, np.arange(7) < 3, family, constrained=False)
        slopes, constant = model.evidence()
        found = np.empty(2)
        _kernels.expected_ap(
            0,
            2,
            np.concatenate([scores, scores[:4]]),
            np.array([0, 7, 11]),
            np.repeat(np.array(slopes, float)[:, None], 2, axis=1),
            np.repeat(constant, 2),
            found,
        )
        one_by_one = [expected_ap(model, scores), expected_ap(model, scores[:4])]
        np.testing.assert_allclose(found, one_by_one, rtol=1e-12)

    @pytest.mark.parametrize(
        ("scores", "message"),
        [
            ([5.0, np.nan], "not finite"),
            ([5.0, -3.0], "The family 'gamma' needs scores of 0 or more; found -3"),
            ([], "must be a list of numbers"),
            ([[1.0]], "must be a list of numbers"),
            (1.0, "must be a list of numbers"),
        ],
    )
    def test_scores_that_cannot_be(self, scores, message):
        with pytest.raises(ScoresError, match=message):
            expected_ap(gammas(8.0, 3.0), scores)

    def test_probability_of_relevance_of_scores_that_cannot_be(self):
        assert np.isnan(gammas(8.0, 3.0).probability_of_relevance([-1.0, np.nan])).all()
        scores = [9.0, 7, 4, 3, 2, 1]
        model = fit_score_distribution(scores, np.arange(6) < 3, "exponential-normal")
        assert model.probability_of_relevance(-1.0) == 1


class TestAlgorithm1:
    @pytest.mark.parametrize("points", [4, 64, 1024])
    @pytest.mark.parametrize(("k1", "k0"), [(8.0, 3.0), (1.0, 0.6), (2.0, 0.3), (3.0, 3.0)])
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

    @settings(max_examples=40, deadline=None)
    @given(st.floats(0.05, 0.99), st.floats(0.3, 1.4), st.floats(0.01, 0.3))
    def test_shapes_below_one_of_relevant_scores(self, k1, ratio, mixing):
        """The density is infinite at 0, so that no rectangle has its height."""
        top = special.gammainccinv(k1, 2e-2)
        model = gammas(k1, ratio * k1, 1.0, mixing, top)
        assert np.isinf(model.density(0.0, relevant=True))
        known = aupr_exact(model, 2 * top)
        assert aupr(model, 1024) == pytest.approx(known, abs=1e-5)
        assert aupr(model, 64) == pytest.approx(known, abs=2e-4)
        assert aupr(model, None) == aupr(model, 64)

    @settings(max_examples=40, deadline=None)
    @given(st.floats(1, 1e5), st.floats(0.5, 1), st.floats(0.01, 0.3))
    def test_points_left_open_suit_any_spread_of_scores(self, k1, ratio, mixing):
        """Shapes of thousands are scores that differ by little: 64 rectangles are too wide."""
        top = special.gammainccinv(k1, 1e-2)
        model = gammas(k1, ratio * k1, 1.0, mixing, top)
        assert aupr(model, None) == pytest.approx(aupr_exact(model, 2 * top), abs=0.01)

    def test_rectangles_that_are_too_wide(self):
        rng = np.random.default_rng(1)
        scores = np.concatenate([rng.normal(101, 0.5, 20), rng.normal(100, 0.5, 300)])
        model = fit_score_distribution(scores, np.arange(320) < 20)
        assert abs(aupr(model, 64) - aupr_exact(model)) > 0.1
        assert aupr(model, None) == pytest.approx(aupr_exact(model), abs=1e-3)

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
            with pytest.raises(OptionError, match="points must be a whole number, at least 2"):
                aupr(gammas(3, 2), points)

    @pytest.mark.parametrize("upper", [0, -1.0, np.nan])
    def test_highest_score(self, upper):
        for area in (aupr, aupr_exact):
            with pytest.raises(OptionError, match="upper must be a finite number above 0"):
                area(gammas(3, 2), upper=upper)

    def test_no_highest_score(self):
        assert aupr_exact(gammas(3, 2), np.inf) == aupr_exact(gammas(3, 2))
        with pytest.raises(OptionError, match="upper must be a finite number above 0"):
            aupr(gammas(3, 2), upper=np.inf)

    def test_thousands_of_models_over_recall_are_those_one_by_one(self):
        """Worked off a few at a time, by several threads."""
        k1 = np.linspace(0.3, 0.9, 2500)
        family, mixing = get_family("gamma"), np.full(2500, 0.1)
        many = ScoreDistribution(family, mixing, (k1, 1.0), (0.2, 1.0), 0.0, np.full(2500, 5.0))
        found = aupr(many)
        for i in (0, 999, 1000, 2499):
            alone = aupr(gammas(k1[i], 0.2, mixing=0.1, top=5.0))
            assert found[i] == pytest.approx(alone, rel=1e-12)


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
