from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize
from slow_score_distributions import SCIPY, gamma_fit

from bayescorr import fit_score_distribution, table_of_hypotheses
from bayescorr.errors import OptionError, ScoresError
from bayescorr.scoredist.distributions import EXPONENTIAL, GAMMA, LOGNORMAL, NORMAL, POISSON
from bayescorr.scoredist.families import FAMILIES, moments
from bayescorr.scoredist.hypotheses import is_convex

PARAMETERS = {
    GAMMA: (0.4, 2.0),
    LOGNORMAL: (0.3, 0.8),
    NORMAL: (-1.0, 2.5),
    EXPONENTIAL: (1.7,),
    POISSON: (3.2,),
}


@pytest.fixture(scope="module")
def topic():
    rng = np.random.default_rng(3)
    scores = np.concatenate([rng.gamma(7, 1.1, 40), rng.gamma(3, 1.1, 300)])
    return scores, np.arange(340) < 40


@pytest.mark.parametrize("part", PARAMETERS, ids=lambda part: part.name)
class TestDistributions:
    def test_density_and_survival_are_scipys(self, part):
        values = PARAMETERS[part]
        peer = SCIPY[part.name](*values)
        s = np.arange(-3.0, 15.0) if part.discrete else np.linspace(-3, 15, 37)
        log_density = peer.logpmf(s) if part.discrete else peer.logpdf(s)
        np.testing.assert_allclose(part.log_density(s, *values), log_density, atol=1e-12)
        survival = peer.sf(s - 1) if part.discrete else peer.sf(s)
        np.testing.assert_allclose(part.survival(s, *values), survival, atol=1e-13)

    def test_upper_quantile_inverts_survival(self, part):
        values = PARAMETERS[part]
        p = np.array([0.01, 0.3, 0.9])
        s = part.upper_quantile(p, *values)
        if part.discrete:
            assert (part.survival(s + 1, *values) <= p).all()
            assert (part.survival(s, *values) >= p).all()
        else:
            np.testing.assert_allclose(part.survival(s, *values), p, rtol=1e-10)


def test_moments_by_topic():
    scores = np.array([4.0, 2.0, 1.0, 5.0, 5.0, 0.0])
    relevant = np.array([True, True, False, False, True, False])
    first, second = moments(scores, relevant, np.array([0, 3]))
    assert first.n.tolist() == [2, 1]
    assert second.n.tolist() == [1, 2]
    assert first.mean.tolist() == [3, 5]
    assert second.variance.tolist() == [0, 6.25]
    np.testing.assert_allclose(first.mean_log, [1.5 * np.log(2), np.log(5)])
    np.testing.assert_allclose(first.variance_log[0], (0.5 * np.log(2)) ** 2)
    assert np.isnan(second.mean_log[1])
    assert np.isnan(moments(scores, relevant, np.array([0, 3]), logs=False)[0].mean_log).all()


@pytest.mark.parametrize("shared", ["scale", "shape", False])
def test_gamma_moments_worked_by_hand(topic, shared):
    model = fit_score_distribution(*topic, "gamma", constrained=shared)
    relevant, nonrelevant = gamma_fit(*(x.tolist() for x in topic), shared)
    np.testing.assert_allclose(model.relevant, relevant)
    np.testing.assert_allclose(model.nonrelevant, nonrelevant)
    assert model.mixing == 40 / 340


@pytest.mark.parametrize("family", [f for f in FAMILIES if f != "poisson"])
@pytest.mark.parametrize("constrained", [True, False])
def test_moments_are_matched(topic, family, constrained):
    scores, relevant = topic
    model = fit_score_distribution(scores, relevant, family, constrained=constrained)
    parts = FAMILIES[family]
    for kind, part, values in (
        (True, parts.relevant, model.relevant),
        (False, parts.nonrelevant, model.nonrelevant),
    ):
        peer, own = SCIPY[part.name](*values), scores[relevant == kind]
        assert peer.mean() == pytest.approx(own.mean())
        if len(values) == 2 and not (kind and constrained and parts.constraints):
            assert peer.var() == pytest.approx(own.var())


def _likelihood(family, scores, relevant, first, second):
    parts = FAMILIES[family]
    return (
        parts.relevant.log_density(scores[relevant], *first).sum()
        + parts.nonrelevant.log_density(scores[~relevant], *second).sum()
    )


@pytest.mark.parametrize(
    ("family", "shared"),
    [
        ("gamma", "scale"),
        ("gamma", "shape"),
        ("gamma", False),
        ("lognormal", "sigma"),
        ("lognormal", False),
        ("normal", "sigma"),
    ],
)
def test_likelihood_cannot_be_improved(topic, family, shared):
    scores, relevant = topic
    model = fit_score_distribution(
        scores, relevant, family, constrained=shared, estimator="likelihood"
    )
    names = FAMILIES[family].relevant.parameters
    free = [(kind, name) for kind in (1, 0) for name in names]
    if shared:
        free.remove((0, shared))

    def negative(values):
        given_ = dict(zip(free, values, strict=True))
        both = {k: [given_.get((k, n), given_.get((1, n))) for n in names] for k in (1, 0)}
        return -_likelihood(family, scores, relevant, both[1], both[0])

    own = dict(zip([(1, n) for n in names], model.relevant, strict=True))
    own |= dict(zip([(0, n) for n in names], model.nonrelevant, strict=True))
    start = np.array([own[key] for key in free])
    slope = optimize.approx_fprime(start, negative, 1e-6)
    assert np.abs(slope).max() < 0.02
    best = optimize.minimize(negative, start * 1.1, method="Nelder-Mead", options={"maxiter": 800})
    assert negative(start) <= best.fun + 1e-6


def test_poisson_takes_whole_scores_only():
    model = fit_score_distribution([5, 4, 2, 1, 0], [True, True, False, False, False], "poisson")
    assert (model.relevant, model.nonrelevant) == ((4.5,), (1.0,))
    with pytest.raises(ScoresError, match=r"needs whole scores .*; found 1\.5"):
        fit_score_distribution([5, 4, 1.5, 1], [True, True, False, False], "poisson")


@pytest.mark.parametrize(
    ("scores", "relevant", "family", "message"),
    [
        (
            [3, 2, 1],
            [True, True, False],
            "gamma",
            "at least 2 relevant and 2 non-relevant scores; found 2 and 1",
        ),
        ([3, 2, -1, 1], [True, True, False, False], "gamma", "scores of 0 or more; found -1"),
        ([3, 2, 0, 1], [True, True, False, False], "lognormal", "positive scores; found 0"),
        ([3, 2, 1, 1], [True, True, False, False], "gamma", "scores are equal"),
        ([3, 2, np.nan, 1], [True, True, False, False], "gamma", "not finite"),
        ([3, 2, 1], [1, 1, 0], "gamma", "lists of the same length, of numbers and bools"),
        ([3, 2, 1], [True, True], "gamma", "lists of the same length, of numbers and bools"),
        ([0, 0, 0, 0], [True, True, False, False], "exponential", "do not determine"),
    ],
)
def test_refused(scores, relevant, family, message):
    with pytest.raises(ScoresError, match=message):
        fit_score_distribution(scores, relevant, family)


def test_unknown_options(topic):
    with pytest.raises(OptionError, match=r"family .*Choose one of: exponential, .*poisson"):
        fit_score_distribution(*topic, "weibull")
    with pytest.raises(OptionError, match="estimator"):
        fit_score_distribution(*topic, estimator="mle")
    with pytest.raises(OptionError, match="constraint of the family 'gamma'"):
        fit_score_distribution(*topic, constrained="sigma")
    with pytest.raises(OptionError, match="no parameter to share"):
        fit_score_distribution(*topic, "exponential", constrained="scale")


class TestProbabilityOfRelevance:
    def test_bayes_rule(self, topic):
        model = fit_score_distribution(*topic)
        s = np.array([0.5, 3.0, 9.0])
        good = model.mixing * model.density(s, relevant=True)
        bad = (1 - model.mixing) * model.density(s, relevant=False)
        np.testing.assert_allclose(model.probability_of_relevance(s), good / (good + bad))

    def test_limit_at_zero_where_both_densities_are_infinite(self):
        model = fit_score_distribution(
            [5.0, 0.1, 0.1, 4.0, 0.1, 0.1, 0.1, 0.0], [True, True, True] + 5 * [False], "gamma"
        )
        assert model.relevant[0] < 1
        assert np.isinf(model.density(0.0, relevant=True))
        tiny = float(model.probability_of_relevance(1e-300))
        assert model.probability_of_relevance(0.0) == pytest.approx(
            0.0 if model.relevant[0] > model.nonrelevant[0] else 1.0
        )
        assert tiny == pytest.approx(float(model.probability_of_relevance(0.0)), abs=0.01)

    @settings(max_examples=60, deadline=None)
    @given(st.integers(0, 10**6), st.sampled_from(["gamma", "lognormal", "normal", "exponential"]))
    def test_constrained_models_are_convex_when_relevant_scores_are_higher(self, seed, family):
        rng = np.random.default_rng(seed)
        low = rng.gamma(rng.uniform(0.5, 5), rng.uniform(0.1, 10), 30) + 1e-9
        high = low.mean() * (1 + rng.gamma(2, 0.5, 5))
        scores, relevant = np.concatenate([high, low]), np.arange(35) < 5
        for estimator in ("moments", "likelihood"):
            model = fit_score_distribution(scores, relevant, family, estimator=estimator)
            if model.log_odds(scores.max()) > model.log_odds(scores.min()):
                assert is_convex(model)


def test_table_1():
    table = table_of_hypotheses().set_index(["family", "shared"])
    holds = table["rfch"].to_dict()
    assert holds == {
        ("gamma", "scale"): True,
        ("gamma", "shape"): True,
        ("gamma", ""): False,
        ("lognormal", "sigma"): True,
        ("lognormal", ""): False,
        ("normal", "sigma"): True,
        ("normal", ""): False,
        ("exponential", ""): True,
        ("poisson", ""): True,
        ("exponential-normal", ""): False,
    }
    whole = table.index[(table["relevant"] == "(-inf, inf)")].get_level_values(0)
    assert set(whole) == {"normal", "exponential-normal"}
    assert table.loc[("exponential-normal", ""), "nonrelevant"] == "[0, inf)"


def test_table_tests_the_model_it_is_given():
    """With equal spreads even the unconstrained normal model is convex."""
    scores = np.array([5.0, 7, 1, 3])
    table = table_of_hypotheses(scores, np.array([True, True, False, False]))
    row = table[(table["family"] == "normal") & (table["shared"] == "")]
    assert row["rfch"].item()
