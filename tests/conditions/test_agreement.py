"""Answers about several conditions: by hand from given draws, and from fitted ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from judged import from_draws, make_scores, noisy

import bayescorr
from bayescorr.bayes import _stack
from bayescorr.errors import ConvergenceError, OptionError, ScoresError
from bayescorr.models._niw import Posterior
from bayescorr.models.matrix_t_conditions import MatrixTConditions

# Chains of 400 draws: what is tested does not depend on their convergence.
pytestmark = pytest.mark.filterwarnings("ignore::bayescorr.ConvergenceWarning")

OPTIONS = {"draws": 400, "tune": 400, "chains": 2, "random_seed": 1, "warn": False}


@pytest.fixture
def three():
    """A truth, a judge who agrees always and one who swaps a and b, and c and d half the time."""
    tables = {"human": make_scores(), "gpt": make_scores(2), "llama": make_scores(3)}
    means = np.tile([0.1, 0.2, 0.4, 0.5], (1, 2000, 3, 1))
    means[0, :, 2, :2] = [0.2, 0.1]
    rng = np.random.default_rng(1)
    means[0, rng.permutation(2000)[:1000], 2, 2:] = [0.5, 0.4]
    return from_draws(means + rng.normal(0, 0.1, (1, 2000, 1, 1)), tables)


def test_estimates_have_one_row_per_judge_and_coefficient(three):
    table = three.estimates(0.9, coefficients=["tau", "spearman"])
    assert list(table["judge"]) == ["gpt", "gpt", "llama", "llama"]
    taus = table[table["coefficient"] == "tau"].set_index("judge")
    assert taus.loc["gpt", ["estimate", "lower", "upper"]].tolist() == [1, 1, 1]
    # One pair of six is discordant, two in half of the draws.
    assert taus.loc["llama", "estimate"] == pytest.approx(0.5)
    assert taus.loc["llama", ["lower", "upper"]].tolist() == pytest.approx([1 / 3, 2 / 3])
    human, llama = (three.scores[name].mean() for name in ("human", "llama"))
    assert taus.loc["llama", "observed"] == bayescorr.tau(human, llama)
    with pytest.raises(OptionError, match="must name one of 2 judges"):
        three.draws("tau")
    with pytest.raises(OptionError, match="Unknown judge 'human'"):
        three.draws("tau", "human")


def test_which_judge_agrees_more(three):
    row = three.compare_judges().iloc[0]
    assert (row["judge"], row["other"], row["p_more"], row["p_equal"]) == ("gpt", "llama", 1, 0)
    assert row["difference"] == pytest.approx(0.5)
    observed = three.observed("tau", "gpt") - three.observed("tau", "llama")
    assert row["observed"] == pytest.approx(observed)
    # Which system wins says nothing in half of the draws.
    winner = three.compare_judges(lambda truth, judge: float(truth.argmax() == judge.argmax()))
    assert winner.loc[0, ["p_more", "p_equal"]].tolist() == [0.5, 0.5]
    pair = from_draws(three.true_means.to_numpy()[:, :, :2], dict(list(three.scores.items())[:2]))
    with pytest.raises(OptionError, match="only one judge, 'gpt'"):
        pair.compare_judges()


def test_shifts_by_hand(three):
    table = three.shifts(0.9)
    gpt = table[table["judge"] == "gpt"]
    assert (gpt[["shift", "rank_shift"]] == 0).all(axis=None)
    # It neither favours nor disfavours a system, also where rounding says so.
    assert (gpt["p_favoured"] == 0.5).all()
    llama = table[table["judge"] == "llama"].set_index("system")
    sd = np.std([0.1, 0.2, 0.4, 0.5])
    assert llama.loc["a", "shift"] == pytest.approx(0.1 / sd)
    assert llama.loc["c", "shift"] == pytest.approx(0.05 / sd)
    # No shift counts as half.
    assert llama["p_favoured"].to_dict() == {"a": 1.0, "c": 0.75, "d": 0.25, "b": 0.0}
    assert llama.loc["c", ["rank_shift", "rank_lower", "rank_upper"]].tolist() == [0.5, 0, 1]
    assert llama.loc["b", "rank_shift"] == -1
    ranks = three.scores["human"].mean().rank() - three.scores["llama"].mean().rank()
    assert llama.loc["a", "rank_observed"] == -ranks["a"]


def test_decided_and_inverted_pairs_by_hand(three):
    decided = three.inversions(0.9).set_index("judge")
    assert decided["pairs"].tolist() == [6, 6]
    assert decided["decided_truth"].tolist() == [1, 1]
    assert decided.loc["llama", "decided_both"] == pytest.approx(5 / 6)
    assert decided["inverted"].tolist() == pytest.approx([0, 1 / 6])
    assert decided["discordant"].tolist() == pytest.approx([0, 0.25])
    inverted = three.inverted_pairs(0.9)
    assert inverted.iloc[:, :-1].to_numpy().tolist() == [["llama", "b", "a", 1.0, 1.0, 1.0]]
    assert len(three.inverted_pairs(0.5)) == 2
    assert three.inverted_pairs(0.5)["p_both"].tolist() == [1.0, 0.5]


def test_lower_is_better_under_the_judge():
    tables = {"A": make_scores(), "B": -make_scores()}
    means = np.tile([0.1, 0.2, 0.4, 0.5], (1, 50, 2, 1)) * np.array([1, -1])[:, None]
    found = from_draws(means, tables, [True, False])
    assert (found.draws("tau") == 1).all()
    assert found.observed() == 1
    assert (found.shifts()["shift"] == 0).all()
    assert found.of("B").higher_is_better is False


def test_words_are_about_the_true_rankings(three):
    words = three.in_words(0.9, "llama")
    observed = three.observed("tau", "llama")
    assert words == (
        "Over 12 topics, the rankings of 4 systems by llama and by human have an observed "
        f"Kendall's tau of {observed:.2f}; between their true rankings, over all such topics, tau "
        "is 0.50 (90% credible interval of the true tau 0.33 to 0.67)."
    )
    assert three.in_words().count("\n") == 1
    object.__setattr__(three.convergence, "problems", ("R-hat.",))
    with pytest.raises(ConvergenceError):
        three.in_words()


def test_one_condition_is_a_fit(three):
    fit = three.of("llama")
    np.testing.assert_array_equal(fit.true_means, three.true_means.sel(condition="llama"))
    pd.testing.assert_frame_equal(fit.scores, three.scores["llama"], check_names=False)
    assert fit.ranking()["system"].tolist() == fit.systems
    with pytest.raises(OptionError, match="Unknown condition 'bard'"):
        three.of("bard")


def test_words_and_observed_values_with_fewer_topics_of_the_truth():
    tables = {"human": make_scores().iloc[[2, 0, 5]], "gpt": make_scores(2)}
    rng = np.random.default_rng(1)
    found = from_draws(rng.normal(size=(1, 2000, 2, 4)), tables)
    assert "Over 12 topics by gpt, 3 of them also by human, the rankings" in found.in_words()
    means = [table.loc[["t00", "t02", "t05"]].mean() for table in tables.values()]
    assert found.observed() == bayescorr.tau(*means)
    assert found.scores["human"].shape == (3, 4)


def test_how_much_narrower_the_judges_make_the_truth():
    rng = np.random.default_rng(1)
    tables = {"human": make_scores(), "gpt": make_scores(2)}
    centre = tables["human"].mean().to_numpy()
    noise = rng.normal(0, 0.1, (1, 2000, 2, 4))
    wide = bayescorr.Fit.from_draws(centre + 2 * noise[0, :, 0], tables["human"])
    table = from_draws(centre + noise, tables).narrowing(0.8, without=wide).set_index("quantity")
    assert list(table.index) == ["tau", "tau_ap", "tau_gap", "true means", "ranks"]
    assert table.loc["true means", "narrower"] == pytest.approx(0.5)
    assert table.loc["tau", "estimate"] > table.loc["tau", "estimate_alone"]
    assert table.loc["tau", "width"] == table.loc["tau", "upper"] - table.loc["tau", "lower"]


def test_files(three, tmp_path):
    again = bayescorr.load_conditions(three.to_netcdf(tmp_path / "a.nc"))
    np.testing.assert_array_equal(again.draws("rbo", "llama"), three.draws("rbo", "llama"))
    for name, table in three.scores.items():
        np.testing.assert_array_equal(again.scores[name], table)
        assert list(again.scores[name].columns) == list(table.columns)
    assert again.in_words() == three.in_words()
    with pytest.raises(ScoresError, match=r"several conditions; bayescorr\.load_conditions"):
        bayescorr.load_fit(tmp_path / "a.nc")
    three.of("gpt").to_netcdf(tmp_path / "fit.nc")
    with pytest.raises(ScoresError, match=r"a single condition; bayescorr\.load_fit"):
        bayescorr.load_conditions(tmp_path / "fit.nc")


@pytest.mark.parametrize(
    ("group", "change", "message"),
    [
        ("posterior", lambda x: {"tau": -x["tau"]}, "do not match the true means"),
        ("posterior", lambda x: {"tau": x["tau"].isel(judge=0)}, "has the dimensions chain, draw"),
        ("observed_data", lambda x: {"scores": x["scores"] * np.nan}, "its scores are invalid"),
        ("observed_data", lambda x: {"higher_is_better": 2 * x["higher_is_better"]}, "0 and 1"),
    ],
)
def test_damaged_contents(three, tmp_path, group, change, message):
    groups = dict(_stack.groups(three.idata))
    groups[group] = groups[group].assign(change(groups[group]))
    _stack.write_netcdf(_stack.container(groups, three.idata.attrs), tmp_path / "x.nc")
    with pytest.raises(ScoresError, match="not a bayescorr posterior of several cond") as caught:
        bayescorr.load_conditions(tmp_path / "x.nc")
    assert message in str(caught.value)


def test_a_level_per_system_is_a_shift_of_the_scores():
    rng = np.random.default_rng(1)
    scores, level = rng.normal(size=(6, 3)), np.array([[1.0, 2.0, -1.0]])
    common = {
        "c": np.array([5.0]),
        "delta": np.ones((1, 3)),
        "loadings": np.ones((1, 3, 1)),
        "kappa": 0.2,
    }
    one = Posterior(scores=scores, mu0=level, **common)
    other = Posterior(scores=scores - level, mu0=np.zeros(1), **common)
    shifted = [p.draw_means(np.random.default_rng(2)) for p in (one, other)]
    np.testing.assert_allclose(shifted[0], shifted[1] + level)
    covariances = [
        p.draw_covariance(means, np.random.default_rng(3))
        for p, means in zip((one, other), shifted, strict=True)
    ]
    np.testing.assert_allclose(*covariances)


@pytest.fixture(scope="module")
def pair():
    a = make_scores()
    return bayescorr.fit_pair(a, noisy(a, 0.1), **OPTIONS)


@pytest.mark.slow
class TestFitted:
    """What needs the model compiled: once for all of these."""

    def test_draws_are_those_of_the_true_means(self, pair):
        a, b = np.moveaxis(pair.true_means.to_numpy().reshape(-1, 2, 4), 1, 0)
        for name in ("tau", "tau_ap", "tau_gap"):
            expected = bayescorr.correlate(a, b, name)[name]
            np.testing.assert_allclose(pair.draws(name), expected)
        np.testing.assert_allclose(pair.draws("pearson"), bayescorr.pearson(a, b))

    def test_estimates_stand_beside_the_observed_coefficient(self, pair):
        table = pair.estimates(0.8).set_index("coefficient")
        means = [scores.mean() for scores in pair.scores.values()]
        assert table.loc["tau", "observed"] == bayescorr.tau(*means)
        assert table.loc["tau", "estimate"] == pytest.approx(pair.draws("tau").mean())
        assert table.loc["tau_gap", "estimate"] == pytest.approx(pair.draws("tau_gap").mean())
        assert table.loc["tau", "lower"] == pytest.approx(np.quantile(pair.draws("tau"), 0.1))
        assert "between the observed means" in repr(pair)

    def test_order_does_not_matter(self, pair):
        a, b = pair.scores.values()
        again = bayescorr.fit_pair(a.iloc[::-1, ::-1], b.iloc[:, [2, 0, 3, 1]], **OPTIONS)
        np.testing.assert_allclose(again.draws("tau"), pair.draws("tau"))

    def test_lower_is_better_on_one_side_turns_tau(self, pair):
        a, b = pair.scores.values()
        turned = bayescorr.fit_pair(a, b, higher_is_better=(True, False), **OPTIONS)
        np.testing.assert_allclose(turned.draws("tau"), -pair.draws("tau"), atol=1e-12)
        assert turned.observed() == -pair.observed()

    def test_truth_may_be_any_condition(self, pair):
        a, b = pair.scores.values()
        found = bayescorr.fit_conditions({"b": b, "a": a}, truth="a", **OPTIONS)
        assert (found.truth, found.judges) == ("a", ["b"])
        np.testing.assert_array_equal(found.draws("tau"), pair.draws("tau"))

    def test_near_duplicates_agree_nearly(self, pair):
        a = pair.scores["A"]
        near = bayescorr.fit_pair(a, noisy(a, 0.002), **OPTIONS)
        assert near.draws("pearson").mean() > 0.99
        assert near.posterior["phi"].mean() > 0.8
        assert near.draws("pearson").mean() > pair.draws("pearson").mean()

    def test_intervals_cover_when_the_model_is_true(self):
        model, rng, covered = MatrixTConditions(), np.random.default_rng(1), []
        sigma = 0.01 * (0.5 * np.eye(8) + 0.3 + 0.2 * np.kron(np.ones((2, 2)), np.eye(4)))
        factor = np.linalg.cholesky(sigma)
        kappa = 1 / model.priors["prior_topics"]
        for seed in range(40):
            truth = 0.4 + np.sqrt(kappa) * factor @ rng.standard_normal(8)
            x = truth + rng.standard_normal((12, 8)) @ factor.T
            a, b = (pd.DataFrame(part, columns=list("abcd")) for part in (x[:, :4], x[:, 4:]))
            found = bayescorr.fit_pair(a, b, inference="laplace", random_seed=seed, warn=False)
            means = found.true_means.sel(condition="B").to_numpy().reshape(-1, 4)
            for contrast in ([1, -1, 0, 0], [0, 0, 1, -1]):
                low, high = np.quantile(means @ contrast, [0.1, 0.9])
                covered.append(low <= truth[4:] @ contrast <= high)
        # 0.8 within four standard errors.
        assert np.mean(covered) == pytest.approx(0.8, abs=0.18)


@pytest.mark.slow
def test_judged_on_some_topics_only():
    judge = make_scores(n=30)
    options = {**OPTIONS, "inference": "laplace"}
    human = noisy(judge, 0.02).iloc[:8]
    found = bayescorr.fit_conditions({"human": human, "gpt": judge}, unshared="model", **options)
    table = found.narrowing().set_index("quantity")
    assert table.loc["true means", "narrower"] > 0.1
    assert found.alone().scores.shape == (8, 4)
    again = bayescorr.fit_conditions(
        {"gpt": judge.iloc[::-1], "human": human.iloc[:, ::-1]}, truth="human", unshared="model",
        **options,
    )  # fmt: skip
    np.testing.assert_allclose(again.draws("tau"), found.draws("tau"))


@pytest.mark.slow
def test_the_same_scores_agree_fully():
    a = make_scores()
    found = bayescorr.fit_conditions({"a": a, "b": a, "c": 3 * a + 1}, **OPTIONS)
    for name in ("tau", "tau_ap", "tau_gap"):
        np.testing.assert_allclose(found.draws(name, "b"), 1)
        np.testing.assert_allclose(found.draws(name, "c"), 1)
