from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import bayescorr
from bayescorr.errors import ModelError, OptionError
from bayescorr.report.notes import notes_of_data
from bayescorr.report.page import page
from bayescorr.report.predictive import difference_sds, predict, sds_band


def test_numbers_are_those_of_the_library(whole, scores):
    fit = whole.fit
    pd.testing.assert_frame_equal(
        whole.headline.reset_index(drop=True), fit.estimates(), check_exact=True
    )
    assert whole.sentence == fit.in_words()
    with pytest.warns(bayescorr.ScoresWarning):
        frequentist = bayescorr.estimate(
            fit.scores, coefficients=["tau", "tau_ap", "tau_gap"], random_seed=1
        )
    rest = whole.estimates[whole.estimates["method"] != "known"].reset_index(drop=True)
    pd.testing.assert_frame_equal(rest, frequentist)
    assert whole.groups == fit.groups(0.95)
    assert whole.top == fit.top(3)
    assert str(whole.needed) == str(bayescorr.topics_needed(fit, target=0.8, random_seed=1))
    assert whole.loo.elpd == bayescorr.loo(fit).elpd
    assert not whole.absent
    assert len(whole.ranking) == scores.shape[1]


def test_decisions_are_the_winner_and_the_first_undecided_neighbours(whole):
    winner, neighbours = whole.decisions
    options = {"extend": True, "random_seed": 1}
    assert str(winner) == str(bayescorr.topics_to_decide(whole.fit, **options))
    # The verdict and the section on decisions say the same.
    assert whole.fit.best().iloc[0] >= 0.95 or winner.answer in whole.outlook
    a, b = neighbours.question.pair
    assert str(neighbours) == str(bayescorr.topics_to_decide(whole.fit, pair=(a, b), **options))
    place = whole.fit.systems.index(a)
    assert whole.fit.systems[place + 1] == b
    assert whole.unordered.loc[a, b]
    for i in range(place):
        x, y = whole.fit.systems[i : i + 2]
        between = whole.fit.compare_systems(x, y)
        assert between.p_order >= 0.95 or not between.draws.any()


def test_top_and_ranks_agree(whole):
    ranks = whole.rank_probabilities
    np.testing.assert_allclose(whole.ranking["p_top"], ranks[[1, 2, 3]].sum(axis=1))
    np.testing.assert_allclose(whole.ranking["p_best"], ranks[1])
    assert whole.ranking["rank"].tolist() == list(range(1, 11))


def test_pairs_are_those_ordered_neither_way(whole):
    fit, expected = whole.fit, {}
    for a, b in combinations(fit.systems, 2):
        both = fit.compare_systems(a, b, rope=0)
        if max(both.p_a, both.p_b) < 0.95:
            expected[a, b] = fit.discordance().loc[a, b]
    found = {(row.a, row.b): row.p_swap for row in whole.pairs.itertuples()}
    assert found == pytest.approx(expected)
    assert whole.pairs["p_swap"].is_monotonic_decreasing
    # Identical systems are never swapped, and never told apart.
    twins = next(pair for pair in found if "copy" in pair and found[pair] == 0)
    assert len(set(twins)) == 2


def test_groups_hold_pairs_that_are_not_told_apart(whole):
    for group in whole.groups:
        for a, b in combinations(group, 2):
            assert whole.unordered.loc[a, b]


def test_notes_name_what_is_odd_in_the_data(whole):
    text = " ".join(whole.notes)
    assert "Identical systems: " in text
    assert "Equal means: " in text
    assert "MSQD" in text


def test_notes_name_coarse_scores_only():
    demo = bayescorr.load_dataset("demo")

    def text(scores):
        return " ".join(notes_of_data(scores, bayescorr.describe_scores(scores), "error"))

    assert "take only 11 values" in text((10 * demo).round() / 10)
    assert "take only 2 values" in text((demo > 0.2).astype(float))
    assert "values" not in text(demo)


def test_notes_name_every_system_however_many():
    scores = bayescorr.load_dataset("demo")
    copies = scores.add_suffix("-copy").iloc[:, :14]
    description = bayescorr.describe_scores(pd.concat([scores, copies], axis=1))
    text = " ".join(notes_of_data(scores, description, "error"))
    assert " more" not in text
    for name in copies.columns:
        assert f" = {name}" in text


def test_sensitivity_moves_with_the_prior(whole):
    table = whole.sensitivity
    assert table["prior"].unique().tolist() == ["prior_topics"]
    assert table["factor"].unique().tolist() == [0.5, 2.0]
    assert table["change"].abs().max() < 0.1


@pytest.mark.slow
def test_same_seed_same_report(scores, whole):
    shuffled = scores.iloc[::-1, ::-1]
    again = bayescorr.make_report(shuffled, type(whole.fit.model)(), k=3, target=0.8, random_seed=1)
    pd.testing.assert_frame_equal(again.estimates, whole.estimates)
    assert again.needed == whole.needed
    assert list(map(str, again.decisions)) == list(map(str, whole.decisions))
    pd.testing.assert_frame_equal(again.predicted.means, whole.predicted.means)


def test_what_a_fit_cannot_say_has_a_reason(large):
    assert set(large.absent) == {"predicted", "loo", "plan", "agreement", "sensitivity"}
    assert "made from draws" in large.absent["plan"]
    assert large.plan is None
    assert large.needed is None
    assert large.decisions == []
    assert not large.convergence.passed
    assert large.sentence == ""
    with pytest.raises(bayescorr.ConvergenceError, match="Sample longer"):
        large.fit.in_words()


def test_missing_scores_are_counted_and_said(scores):
    table = scores.drop(columns=["copy", "turned"])
    table.iloc[0, 0] = np.nan
    dropped = bayescorr.make_report(table, "flat", missing="drop", random_seed=1)
    note = "Missing scores: 1, on 1 topic; their topics are left out."
    assert note in dropped.notes
    assert len(dropped.fit.scores) == 19
    assert dropped.estimates["estimate"].notna().sum() > 10
    # A fit tells how the missing scores were treated.
    assert note in bayescorr.make_report(table, dropped.fit).notes
    zero = bayescorr.fit(table, "flat", missing="zero", random_seed=1, warn=False)
    assert (
        "Missing scores: 1, on 1 topic; counted as 0." in bayescorr.make_report(table, zero).notes
    )


def test_topics_that_all_lack_a_score_leave_the_posterior(scores, whole):
    class AroundMeans(type(whole.fit.model)):
        takes_missing = True

        def covariance(self, *given):
            raise self.cannot("draw the covariance of the scores")

        def log_likelihood(self, *given):
            raise self.cannot("give the density of a topic's scores")

        def sample(self, data, priors, draws, rng):
            return np.nanmean(data.values, axis=0) + rng.normal(0, 0.1, (draws, data.n_systems))

    table = scores.iloc[:, :3].copy()
    for i in range(len(table)):
        table.iloc[i, i % 3] = np.nan
    report = bayescorr.make_report(
        table, AroundMeans(), missing="model", sensitivity=False, random_seed=1
    )
    assert report.estimates["method"].unique().tolist() == ["known"]
    assert any(note.startswith("No frequentist estimates: ") for note in report.notes)
    assert report.absent["sensitivity"] == "Not requested."
    short = bayescorr.make_report(
        table, report.fit, sensitivity=False, loo=False, plan=False, random_seed=1
    )
    for name in ("sensitivity", "loo", "plan", "agreement"):
        assert short.absent[name] == "Not requested."


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k must be between 1 and 10; got 0"),
        ({"k": 99}, "k must be between 1 and 10; got 99"),
        ({"target": 1.0}, "target must be between -1 and 1; got 1"),
        ({"level": 1.5}, "level must be between 0 and 1; got 1.5"),
    ],
)
def test_mistakes_are_explained_before_fitting(scores, options, message):
    with pytest.raises(OptionError, match=message):
        bayescorr.make_report(scores, "no such model", **options)


def test_whole_numbers_may_be_labels():
    pytest.importorskip("jinja2")
    table = bayescorr.load_dataset("demo").iloc[:, :4]
    table.columns = [10, 9, 8, 7]
    report = bayescorr.make_report(table, "flat", methods=["ML"], random_seed=1)
    assert set(report.pairs["a"]) <= {7, 8, 9, 10}
    assert page(report).count('class="system"') >= 4


def test_higher_is_better_turns_the_report(scores):
    report = bayescorr.make_report(
        1 - scores, "flat", higher_is_better=False, methods=["ML"], random_seed=1
    )
    straight = bayescorr.make_report(scores, "flat", methods=["ML"], random_seed=1)
    assert report.ranking["system"].tolist() == straight.ranking["system"].tolist()
    np.testing.assert_allclose(report.ranking["p_best"], straight.ranking["p_best"])
    assert report.unordered.equals(straight.unordered)


def test_predictions_cover_the_data_they_come_from(whole, large):
    predicted = whole.predicted
    assert predicted.inside("means") == 1
    assert 0.5 < predicted.inside("difference_sds") <= 1
    assert "100% of the mean scores" in str(predicted)
    table = predicted.difference_sds
    np.testing.assert_allclose(
        table["observed"], difference_sds(whole.fit.scores[whole.fit.systems].to_numpy())
    )
    assert len(sds_band(table)) == 40
    assert sds_band(table)["observed"].is_monotonic_increasing
    with pytest.raises(ModelError, match="made from draws"):
        predict(large.fit)


def test_a_fit_of_other_scores_is_refused(scores):
    fit = bayescorr.fit(scores, "flat", random_seed=1, warn=False)
    for other, what in (
        (scores.iloc[:, 1:], "systems"),
        (scores.iloc[1:], "topics"),
        (scores / 2, "values"),
    ):
        with pytest.raises(OptionError, match=f"The fit and the scores have different {what}"):
            bayescorr.make_report(other, fit)
