from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import integrate, optimize

from bayescorr import CopulaSimulator
from bayescorr.errors import OptionError, ScoresError
from bayescorr.simulation import (
    BetaBinomialMargin,
    BetaKernelMargin,
    BetaMargin,
    DiscreteKernelMargin,
    NormalKernelMargin,
    NormalMargin,
    PointMargin,
    fit_margins,
    fitting,
    score_support,
    select_margin,
)
from bayescorr.simulation.fitting import margin_from_dict
from bayescorr.simulation.margins_kernel import kernel_bandwidth

# Values marked R were computed with R 4.2 (ks 1.14, optim, integrate) from this sample.
SAMPLE = np.array([0.05, 0.11, 0.12, 0.2, 0.26, 0.31, 0.33, 0.42, 0.47, 0.6, 0.71, 0.9])
PRECISIONS = np.array([0, 0, 1, 1, 1, 2, 3, 3, 5, 8, 10, 0]) / 10

scores = arrays(
    np.float64, st.integers(5, 40), elements=st.floats(0, 1, allow_subnormal=False)
).map(lambda x: np.round(x, 4))
scores_that_vary = scores.filter(lambda x: np.ptp(x) > 0)
precisions = arrays(np.int64, st.integers(5, 40), elements=st.integers(0, 10)).map(lambda k: k / 10)


def all_margins(x, support=None):
    return fit_margins(x, support)


def test_bandwidth_for_a_cdf_is_that_of_r():
    assert kernel_bandwidth(SAMPLE, "cdf") == pytest.approx(0.1890247601, rel=1e-9)


@pytest.mark.parametrize("target", ["cdf", "density"])
def test_bandwidth_scales_with_the_sample(target):
    h = kernel_bandwidth(SAMPLE, target)
    assert kernel_bandwidth(7 * SAMPLE - 3, target) == pytest.approx(7 * h)


def test_bandwidth_shrinks_at_the_rate_of_its_target():
    x = np.random.default_rng(1).standard_normal(1000)
    few, many = x[:100], x
    for target, rate in (("cdf", 1 / 3), ("density", 1 / 5)):
        ratio = kernel_bandwidth(few, target) / kernel_bandwidth(many, target)
        assert ratio == pytest.approx(10**rate, rel=0.25)


def test_density_bandwidth_of_half_equal_scores_is_finite():
    assert kernel_bandwidth(np.array([0, 0, 0, 0, 0, 0.3, 0.4]), "density") > 0


def test_truncated_normal_is_fitted_by_maximum_likelihood():
    margin = NormalMargin.fit(SAMPLE)
    assert (margin.mu, margin.sigma) == pytest.approx((0.1406847867, 0.4356828922), rel=1e-3)
    assert margin.log_likelihood(SAMPLE) == pytest.approx(1.3648966, abs=1e-6)


def test_beta_is_fitted_by_maximum_likelihood():
    margin = BetaMargin.fit(SAMPLE)
    assert (margin.a, margin.b) == pytest.approx((1.182526708, 1.888157797), rel=1e-3)
    assert margin.log_likelihood(SAMPLE) == pytest.approx(1.408571697, abs=1e-6)


def test_beta_binomial_is_fitted_by_maximum_likelihood():
    margin = BetaBinomialMargin.fit(PRECISIONS, score_support("p10"))
    assert (margin.a, margin.b) == pytest.approx((0.46193418, 1.039659995), rel=1e-3)
    assert margin.log_likelihood(PRECISIONS) == pytest.approx(-25.80845954, abs=1e-6)


def test_beta_kernel_is_chens():
    margin = BetaKernelMargin.fit(SAMPLE)
    assert margin.density(0.3) == pytest.approx(1.222263009, rel=1e-6)
    assert margin.cdf(0.3) == pytest.approx(0.3989523288, rel=1e-6)
    assert margin.mean == pytest.approx(0.4209305273, rel=1e-6)
    assert margin.df == pytest.approx(1.783896314, rel=1e-6)


def test_discrete_kernel_against_the_sum_of_kernels():
    support, b = score_support("p10"), 0.3
    index = np.round(PRECISIONS * 10).astype(int)
    margin = DiscreteKernelMargin(support, np.bincount(index, minlength=11), b)
    expected = np.zeros(11)
    for i in index:
        for j in range(11):
            expected[j] += 1 - b if i == j else (1 - b) / 2 * b ** abs(i - j)
    np.testing.assert_allclose(margin.probabilities, expected / expected.sum(), rtol=1e-12)


def test_discrete_kernel_bandwidth_minimises_cross_validation():
    support = score_support("p10")
    index = np.round(PRECISIONS * 10).astype(int)

    def kernel(i, j, b):
        return np.where(i == j, 1 - b, (1 - b) / 2 * b ** np.abs(i - j))

    def loss(b):
        table = kernel(np.arange(11)[:, None], index, b).mean(axis=1)
        left_out = [kernel(np.delete(index, i), k, b).mean() for i, k in enumerate(index)]
        return (table**2).sum() - 2 * np.mean(left_out)

    found = DiscreteKernelMargin.fit(PRECISIONS, support).bandwidth
    grid = np.linspace(0, 0.999, 401)
    assert loss(found) <= min(loss(b) for b in grid) + 1e-7


def test_kernel_quantiles_against_root_finding():
    margin = NormalKernelMargin.fit(SAMPLE)
    for p in (1e-4, 0.01, 0.3, 0.5, 0.77, 0.99, 1 - 1e-4):
        exact = optimize.brentq(lambda x, p=p: margin.cdf(x) - p, 0, 1, xtol=1e-12)
        assert margin.quantile(p) == pytest.approx(exact, abs=1e-5)


@settings(max_examples=15, deadline=None)
@example(np.array([1, 1, 1, 0.5703, 1] + [0.5625] * 12))  # a bandwidth far below the width
@given(scores_that_vary)
def test_continuous_margins_are_distributions(x):
    p = np.linspace(0.001, 0.999, 37)
    for margin in all_margins(x):
        q = margin.quantile(p)
        assert (np.diff(q) >= 0).all()
        assert ((q >= 0) & (q <= 1)).all()
        # Where a beta distribution piles up at 0 or 1, neighbouring floats are far apart in p.
        away = (q > 1e-6) & (q < 1 - 1e-6)
        np.testing.assert_allclose(margin.cdf(q)[away], p[away], atol=2e-4)
        assert margin.cdf(0.0) == pytest.approx(0, abs=1e-12)
        assert margin.cdf(1.0) == pytest.approx(1, abs=1e-12)
        assert 0 <= margin.mean <= 1
        assert -1e-9 <= margin.variance <= 0.25
        assert margin.df > 0
        assert np.isfinite(margin.aic(x))


@settings(max_examples=30, deadline=None)
@given(precisions.filter(lambda x: np.ptp(x) > 0))
def test_discrete_margins_are_distributions(x):
    support = score_support("p10")
    for margin in all_margins(x, "p10"):
        assert margin.probabilities.sum() == pytest.approx(1)
        assert (margin.probabilities >= 0).all()
        likely = margin.probabilities > 1e-9
        middle = margin.steps - margin.probabilities / 2
        np.testing.assert_array_equal(margin.quantile(middle)[likely], support[likely])
        np.testing.assert_allclose(margin.cdf(support), margin.steps)
        assert margin.log_likelihood(x) <= 1e-9


@pytest.mark.parametrize("family", ["normal", "beta", "normal-kernel", "beta-kernel"])
def test_moments_against_integrals_of_the_density(family):
    (margin,) = fit_margins(SAMPLE, families=[family])
    total, mean, square = (
        integrate.quad(lambda x, k=k: x**k * float(margin.density(x)), 1e-9, 1 - 1e-9, limit=400)[0]
        for k in range(3)
    )
    assert total == pytest.approx(1, abs=1e-4)
    assert margin.mean == pytest.approx(mean, abs=1e-4)
    assert margin.variance == pytest.approx(square - mean**2, abs=1e-4)


@settings(max_examples=20, deadline=None)
@given(scores_that_vary.filter(lambda x: np.ptp(x) > 0.1), st.floats(0.2, 0.8))
def test_continuous_margins_take_a_mean(x, share):
    mean = x.min() + share * np.ptp(x)
    for margin in all_margins(x):
        moved = margin.with_mean(mean)
        assert moved.mean == pytest.approx(mean, abs=1e-6)
        by_quantiles = moved.quantile((np.arange(1000) + 0.5) / 1000).mean()
        assert by_quantiles == pytest.approx(mean, abs=2e-3)


@settings(max_examples=20, deadline=None)
@given(precisions.filter(lambda x: np.ptp(x) > 0.3), st.floats(0.35, 0.65))
def test_discrete_margins_take_a_mean(x, share):
    mean = x.min() + share * np.ptp(x)
    for margin in all_margins(x, "p10"):
        assert margin.with_mean(mean).mean == pytest.approx(mean, abs=1e-9)


def test_taking_a_mean_twice_is_taking_it_once():
    margin = BetaMargin(2.0, 5.0)
    once, twice = margin.with_mean(0.4), margin.with_mean(0.8).with_mean(0.4)
    np.testing.assert_allclose(once.quantile([0.1, 0.5]), twice.quantile([0.1, 0.5]))


def test_transformed_density_is_the_slope_of_the_cdf():
    for mean in (0.2, 0.5):
        margin = BetaMargin(2.0, 5.0).with_mean(mean)
        slope = (margin.cdf(0.3 + 1e-6) - margin.cdf(0.3 - 1e-6)) / 2e-6
        assert margin.density(0.3) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("mean", [-0.1, 0.0, 1.0, 2.0])
def test_impossible_means_are_refused(mean):
    with pytest.raises(OptionError, match=r"mean must be between 0\.0 and 1\.0; got"):
        BetaMargin(2.0, 5.0).with_mean(mean)


def test_a_mean_beyond_the_scores_seen_is_refused_without_smoothing():
    margin = DiscreteKernelMargin(score_support("p2"), np.array([1, 1, 0]), bandwidth=0.0)
    with pytest.raises(OptionError, match="no probability"):
        margin.with_mean(0.9)


@pytest.mark.parametrize(
    ("draw", "family"),
    [
        (lambda rng: rng.beta(2, 5, 300), "beta"),
        (lambda rng: NormalMargin(0.7, 0.25).quantile(rng.random(300)), "normal"),
        (
            lambda rng: np.clip(rng.choice([0.2, 0.8], 300) + rng.normal(0, 0.03, 300), 0, 1),
            "normal-kernel",
        ),
    ],
)
def test_aic_picks_the_family_that_made_the_scores(draw, family):
    picked = []
    for seed in range(8):
        x = draw(np.random.default_rng(seed))
        picked.append(select_margin(fit_margins(x), x, "aic").name)
    assert picked.count(family) >= 6


def test_aic_picks_the_discrete_family_that_made_the_scores():
    support = score_support("p10")
    for seed in range(5):
        rng = np.random.default_rng(seed)
        smooth = BetaBinomialMargin(support, 2.0, 4.0).quantile(rng.random(300))
        rough = rng.choice([0.0, 0.5, 1.0], size=300)
        assert select_margin(fit_margins(smooth, "p10"), smooth).name == "beta-binomial"
        assert select_margin(fit_margins(rough, "p10"), rough).name == "discrete-kernel"


def test_criteria_differ_by_their_penalty():
    margin = BetaMargin.fit(SAMPLE)
    fit = margin.log_likelihood(SAMPLE)
    assert margin.aic(SAMPLE) == pytest.approx(4 - 2 * fit)
    assert margin.bic(SAMPLE) == pytest.approx(2 * np.log(12) - 2 * fit)
    best = select_margin(fit_margins(SAMPLE), SAMPLE, "loglik")
    assert best.log_likelihood(SAMPLE) == max(
        margin.log_likelihood(SAMPLE) for margin in fit_margins(SAMPLE)
    )


def test_constant_scores_are_a_point():
    for support in (None, "p10"):
        (margin,) = fit_margins(np.full(5, 0.3), support)
        assert isinstance(margin, PointMargin)
        assert (margin.mean, margin.variance) == pytest.approx((0.3, 0))
        assert margin.with_mean(0.5).mean == 0.5
        assert margin.cdf([0.2, 0.3]).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("name", "length"), [("p10", 11), ("P@5", 6), ("p20", 21), ("rr", 1001), ("rr@10", 11)]
)
def test_supports_by_name(name, length):
    support = score_support(name)
    assert len(support) == length
    assert support[0] == 0
    assert support[-1] == 1
    assert (np.diff(support) > 0).all()


@pytest.mark.parametrize("support", ["ap", "p", "p0", "rr@0", [0.5], [0, np.nan]])
def test_unknown_supports_are_refused(support):
    with pytest.raises(OptionError, match="support"):
        score_support(support)


def test_scores_off_the_support_are_refused():
    with pytest.raises(ScoresError, match=r"not in the support: 0\.15, 0\.33"):
        fit_margins([0.1, 0.15, 0.33], "p10")
    assert fit_margins([0.3333, 0.6667, 1], "p3")[0].support[1] == pytest.approx(1 / 3)


def test_scores_outside_0_to_1_are_refused():
    with pytest.raises(ScoresError, match=r"must be between 0 and 1; got -0\.1, 1\.5"):
        fit_margins([0.1, 1.5, -0.1])


class Uniform(BetaMargin):
    name = "uniform"

    @classmethod
    def fit(cls, x):
        return cls(1.0, 1.0, df=0.0)


def test_a_new_family_needs_one_line(monkeypatch):
    monkeypatch.setattr(fitting, "MARGINS", (*fitting.MARGINS, Uniform))
    x = np.linspace(0.01, 0.99, 30)
    assert fit_margins(x)[-1].name == "uniform"
    assert select_margin(fit_margins(x), x).name == "uniform"
    assert "uniform" not in {margin.name for margin in fit_margins(PRECISIONS, "p10")}
    simulator = CopulaSimulator(np.column_stack([x, x[::-1] ** 2]), margins=["uniform"])
    assert {margin.name for margin in simulator.margins.values()} == {"uniform"}


def test_unknown_families_and_criteria_are_refused():
    with pytest.raises(OptionError, match="Choose one of: beta, beta-kernel"):
        fit_margins(SAMPLE, families=["gamma"])
    with pytest.raises(OptionError, match="Choose one of: aic, bic, loglik"):
        select_margin(fit_margins(SAMPLE), SAMPLE, "waic")
    with pytest.raises(OptionError, match="density 0 under all margins: point"):
        select_margin([PointMargin(0.5)], SAMPLE)


@pytest.mark.parametrize("support", [None, "p10"])
def test_margins_survive_a_dict(support):
    x = SAMPLE if support is None else PRECISIONS
    margins = fit_margins(x, support)
    margins += [margin.with_mean(0.4) for margin in margins] + [PointMargin(0.2)]
    p = np.linspace(0.01, 0.99, 11)
    for margin in margins:
        again = margin_from_dict(margin.to_dict())
        assert type(again) is type(margin)
        np.testing.assert_array_equal(again.quantile(p), margin.quantile(p))
        assert (again.mean, again.df) == (margin.mean, margin.df)


def test_margins_can_be_drawn():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    ax = BetaMargin.fit(SAMPLE).plot(data=SAMPLE)
    assert {text.get_text() for text in ax.get_legend().get_texts()} == {"observed", "beta"}
    matplotlib.pyplot.close(ax.figure)
