from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bayescorr import CopulaSimulator, load_simulator
from bayescorr.errors import MissingDependencyError, OptionError, ScoresError
from bayescorr.simulation import BetaMargin, PointMargin
from bayescorr.simulation._normal import pseudo_observations

N = 20_000
FAMILIES = [
    {"family": "gaussian"},
    {"family": "gaussian", "truncation": 2},
    {"family": "vine"},
]


def test_pseudo_observations_break_ties_at_random():
    x = np.array([[0.2, 0.0], [0.2, 0.0], [0.1, 0.0], [0.2, 0.0]])
    drawn = np.array([pseudo_observations(x, seed) for seed in range(300)])
    np.testing.assert_allclose(np.sort(drawn, axis=1)[0, :, 0], [0.2, 0.4, 0.6, 0.8])
    assert (drawn[:, 2, 0] == 0.2).all()
    np.testing.assert_allclose(drawn[:, [0, 1, 3], 0].mean(axis=0), 0.6, atol=0.05)
    np.testing.assert_allclose(drawn[:, :, 1].mean(axis=0), 0.5, atol=0.06)
    assert abs(np.corrcoef(drawn[:, 0, 0], drawn[:, 0, 1])[0, 1]) < 0.2


@pytest.mark.parametrize("options", FAMILIES, ids=str)
@pytest.mark.parametrize("kind", ["continuous", "discrete"])
def test_samples_follow_their_margins(request, kind, options):
    if options != FAMILIES[0]:
        pytest.importorskip("pyvinecopulib")
    scores = request.getfixturevalue(kind)
    support = None if kind == "continuous" else "p10"
    simulator = CopulaSimulator(scores, support=support, **options)
    sample = simulator.sample(N, random_seed=1)
    z = (sample.mean() - simulator.true_means) / (sample.std() / np.sqrt(N))
    assert z.abs().max() < 4
    for system, margin in simulator.margins.items():
        assert sample[system].var() == pytest.approx(margin.variance, rel=0.06)
        if kind == "continuous":
            assert stats.kstest(sample[system], margin.cdf).pvalue > 1e-4
        else:
            counts = [(sample[system] == point).mean() for point in margin.support]
            np.testing.assert_allclose(counts, margin.probabilities, atol=0.02)
            assert sample[system].isin(simulator.support).all()


@pytest.mark.parametrize("options", FAMILIES, ids=str)
def test_samples_have_the_rank_correlations_of_the_scores(continuous, options):
    if options != FAMILIES[0]:
        pytest.importorskip("pyvinecopulib")
    simulator = CopulaSimulator(continuous, **options)
    sample = simulator.sample(N, random_seed=2)
    gap = (sample.corr("spearman") - continuous.corr("spearman")).abs().to_numpy()
    assert gap.max() < 0.15


def test_gaussian_copula_has_the_correlations_of_the_normal_scores(continuous):
    sample = CopulaSimulator(continuous).sample(N, random_seed=3)
    expected = np.corrcoef(stats.norm.ppf(continuous.rank() / 31).T)
    found = np.corrcoef(stats.norm.ppf(sample.rank() / (N + 1)).T)
    assert np.abs(found - expected).max() < 4.5 / np.sqrt(N)


@pytest.mark.parametrize("options", FAMILIES, ids=str)
def test_a_seed_draws_the_same_whatever_the_order(discrete, options):
    if options != FAMILIES[0]:
        pytest.importorskip("pyvinecopulib")
    shuffled = discrete.sample(frac=1, random_state=1).sample(frac=1, axis=1, random_state=2)
    a = CopulaSimulator(discrete, support="p10", **options)
    b = CopulaSimulator(shuffled, support="p10", **options)
    sample = b.sample(12, random_seed=8)
    assert sample.columns.tolist() == shuffled.columns.tolist()
    pd.testing.assert_frame_equal(sample[discrete.columns], a.sample(12, random_seed=8))
    pd.testing.assert_series_equal(b.true_means[discrete.columns], a.true_means)
    assert list(b.margins) == shuffled.columns.tolist()


def test_means_can_be_prescribed(continuous, discrete):
    for scores, support in ((continuous, None), (discrete, "p10")):
        simulator = CopulaSimulator(scores, support=support)
        original = simulator.with_means()
        np.testing.assert_allclose(original.true_means, scores.mean(), atol=1e-9)
        equal = simulator.with_means(np.full(6, 0.3))
        np.testing.assert_allclose(equal.true_means, 0.3, atol=1e-9)
        assert equal.sample(N, 1).mean().to_numpy() == pytest.approx(0.3, abs=0.01)
        one = simulator.with_means({"a": 0.25})
        assert one.true_means["a"] == pytest.approx(0.25)
        others = scores.columns.drop("a")
        pd.testing.assert_series_equal(one.true_means[others], simulator.true_means[others])
        # The simulator itself is left as it was.
        assert simulator.true_means["a"] != one.true_means["a"]
        series = pd.Series([0.2, 0.4], index=["c", "b"])
        assert simulator.with_means(series).true_means[["b", "c"]].round(6).tolist() == [0.4, 0.2]


def test_changed_margins_are_the_truth(continuous):
    original = CopulaSimulator(continuous, truth="original")
    np.testing.assert_allclose(original.true_means, continuous.mean())
    for changed in (
        original.with_means(np.full(6, 0.3)),
        original.with_margin("e", BetaMargin(20.0, 1.0)),
    ):
        expected = [margin.mean for margin in changed.margins.values()]
        np.testing.assert_allclose(changed.true_means, expected)
    assert original.truth == "original"


def test_correlations_of_the_copula_can_be_looked_at(continuous, tmp_path):
    shuffled = continuous[continuous.columns[::-1]].assign(again=continuous["b"])
    simulator = CopulaSimulator(shuffled)
    expected = np.corrcoef(stats.norm.ppf(shuffled.rank() / 31).T)
    found = simulator.correlations
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert found.index.tolist() == found.columns.tolist() == shuffled.columns.tolist()
    assert found.loc["b", "again"] == 1
    simulator.save(tmp_path / "simulator.json")
    pd.testing.assert_frame_equal(load_simulator(tmp_path / "simulator.json").correlations, found)
    pytest.importorskip("matplotlib")
    ax = simulator.plot_correlations()
    np.testing.assert_allclose(ax.images[0].get_array(), expected, atol=1e-12)


def test_a_vine_has_no_matrix_of_correlations(continuous):
    pytest.importorskip("pyvinecopulib")
    simulator = CopulaSimulator(continuous, truncation=1)
    assert simulator.correlations is None
    with pytest.raises(OptionError, match=r"A vine has no correlation matrix.*Inspect \.vine"):
        simulator.plot_correlations()


def test_margins_can_be_replaced(continuous):
    simulator = CopulaSimulator(continuous)
    before = simulator.sample(20, 1)
    changed = simulator.with_margin("e", BetaMargin(20.0, 1.0))
    assert changed.true_means["e"] == pytest.approx(20 / 21)
    after = changed.sample(20, 1)
    assert (after["e"] > before["e"]).all()
    pd.testing.assert_frame_equal(after.drop(columns="e"), before.drop(columns="e"))
    pd.testing.assert_frame_equal(simulator.sample(20, 1), before)


def test_margins_are_chosen_as_asked(continuous, discrete):
    one = CopulaSimulator(continuous, margins=["beta-kernel"])
    assert {margin.name for margin in one.margins.values()} == {"beta-kernel"}
    one = CopulaSimulator(discrete, support="p10", margins=["discrete-kernel"], criterion="bic")
    assert {margin.name for margin in one.margins.values()} == {"discrete-kernel"}


def test_identical_systems_stay_identical(discrete):
    scores = discrete.assign(z=discrete["b"])
    simulator = CopulaSimulator(scores, support="p10")
    sample = simulator.sample(100, 1)
    assert (sample["b"] == sample["z"]).all()
    apart = simulator.with_margin("z", PointMargin(0.5)).sample(100, 1)
    assert (apart["z"] == 0.5).all()
    pd.testing.assert_series_equal(apart["b"], sample["b"])


@pytest.mark.parametrize("options", FAMILIES, ids=str)
def test_degenerate_scores_work(options):
    if options != FAMILIES[0]:
        pytest.importorskip("pyvinecopulib")
    rng = np.random.default_rng(1)
    n = 5 if options == FAMILIES[0] else 10
    x = rng.random(n)
    scores = np.column_stack([x, x**2, np.zeros(n), np.ones(n), rng.random(n)])
    simulator = CopulaSimulator(scores, **options)
    sample = simulator.sample(200, 1)
    assert (sample["sys3"] == 0).all()
    assert (sample["sys4"] == 1).all()
    assert sample.notna().all().all()
    # The same ranks: as good as one variable.
    assert sample["sys1"].corr(sample["sys2"], method="spearman") > 0.99


def test_any_grid_of_scores_is_a_support():
    grades = np.array([0.0, 1.0, 3.0, 7.0])
    scores = np.random.default_rng(1).choice(grades, size=(20, 3))
    sample = CopulaSimulator(scores, support=grades).sample(50, 1)
    assert np.isin(sample, grades).all()


def test_what_cannot_be_used_is_refused(continuous, discrete):
    with pytest.raises(ScoresError, match=r"must be between 0 and 1; got .*set support"):
        CopulaSimulator(continuous * 3)
    with pytest.raises(ScoresError, match="not in the support"):
        CopulaSimulator(continuous, support="p10")
    with pytest.raises(OptionError, match="Choose one of: gaussian, vine"):
        CopulaSimulator(continuous, family="student")
    with pytest.raises(OptionError, match="truncation must be a whole number, at least 1; got 0"):
        CopulaSimulator(continuous, truncation=0)
    with pytest.raises(OptionError, match="Unknown family of margins 'beta'"):
        CopulaSimulator(discrete, support="p10", margins=["beta"])
    with pytest.raises(OptionError, match="Unknown criterion"):
        CopulaSimulator(continuous, criterion="dic")
    with pytest.raises(ScoresError, match="A vine needs at least 10 topics; found 9"):
        CopulaSimulator(continuous.iloc[:9], truncation=1)
    simulator = CopulaSimulator(continuous)
    with pytest.raises(OptionError, match="Unknown system 'bm25'"):
        simulator.with_margin("bm25", BetaMargin(1.0, 1.0))
    with pytest.raises(OptionError, match="margin must be a Margin; got float"):
        simulator.with_margin("a", 0.3)
    with pytest.raises(ScoresError, match=r"each of 6 systems; got shape \(2,\)"):
        simulator.with_means([0.1, 0.2])


def test_a_missing_library_is_named(continuous, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyvinecopulib", None)
    CopulaSimulator(continuous)
    with pytest.raises(MissingDependencyError, match=r"bayescorr\[copula\]"):
        CopulaSimulator(continuous, family="vine")


def test_truth_can_be_the_original_means(discrete):
    simulator = CopulaSimulator(discrete, support="p10", truth="original")
    np.testing.assert_allclose(simulator.true_means, discrete.mean())


@pytest.mark.slow
def test_moments_of_a_trec_collection(trec):
    scores = trec("web2010_p10")
    simulator = CopulaSimulator(scores, support="p10")
    table = simulator.diagnostics(N)
    gap = (table["original"] - table["simulated"]).abs().groupby(table["statistic"]).max()
    assert gap["mean"] < 0.05
    assert gap["variance"] < 0.03
    correlations = table[table["statistic"] == "correlation"]
    assert correlations["original"].corr(correlations["simulated"]) > 0.8
