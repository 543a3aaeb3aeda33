from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescorr
from bayescorr.errors import OptionError, ScoresError
from bayescorr.simulation import RealTopics


@pytest.fixture
def scores():
    return bayescorr.load_dataset("demo").iloc[:, :8]


def test_splits_are_disjoint_and_cover_all_topics(scores):
    splits = RealTopics(scores)
    seen = set()
    for seed in range(20):
        case = splits.case(10, seed)
        others = scores.drop(index=case.scores.index)
        assert case.other_topics == len(others) == 40
        pd.testing.assert_frame_equal(case.scores, scores.loc[case.scores.index, case.means.index])
        expected = others.mean()[case.means.index]
        np.testing.assert_allclose(case.means, expected, atol=1e-15)
        seen.update(case.scores.index)
    assert seen == set(scores.index)


def test_a_given_number_of_other_topics(scores):
    case = RealTopics(scores, other_topics=7).case(10, 1)
    assert case.other_topics == 7
    # Means over 7 topics with four digits are multiples of 1 / 70,000.
    np.testing.assert_allclose((case.means * 70_000).round(), case.means * 70_000, atol=1e-6)


def test_order_of_rows_and_columns_does_not_matter(scores):
    turned = scores.iloc[::-1, ::-1]
    one, two = (RealTopics(x, drop_worst=0.25).case(10, 3) for x in (scores, turned))
    pd.testing.assert_frame_equal(one.scores, two.scores[one.scores.columns])
    pd.testing.assert_series_equal(one.means, two.means[one.means.index])


def test_systems_are_selected_without_a_look_at_the_other_topics(scores):
    # Whatever happens on the other topics, the same systems are kept.
    case = RealTopics(scores, drop_worst=0.5).case(10, 3)
    assert len(case.means) == 4
    changed = scores.copy()
    others = ~changed.index.isin(case.scores.index)
    changed.loc[others] = np.random.default_rng(1).uniform(size=(40, 8))
    again = RealTopics(changed, drop_worst=0.5).case(10, 3)
    pd.testing.assert_frame_equal(again.scores, case.scores)
    assert list(again.means.index) == list(case.means.index)
    assert case.scores.mean().min() >= scores.loc[case.scores.index].mean().median()


def test_identical_on_the_first_topics_and_lower_is_better(scores):
    scores = scores.assign(copy=scores.iloc[:, 0])
    kept = RealTopics(scores, drop_identical=True).case(10, 1).scores
    assert len(kept.columns) == 8
    best = RealTopics(scores, drop_worst=0.5, higher_is_better=False).case(10, 1).scores
    first = scores.loc[best.index]
    assert first.mean()[best.columns].max() <= first.mean().median()


def test_errors(scores):
    with pytest.raises(ScoresError, match="leaves 0 of 50 for the other set; at least 1"):
        RealTopics(scores).case(50)
    with pytest.raises(ScoresError, match=r"leaves 10 of 50 .* at least 20 needed"):
        RealTopics(scores, other_topics=20).case(40)
    with pytest.raises(OptionError, match="drop_worst"):
        RealTopics(scores, drop_worst=1.0)


def test_tasks_are_split_in_proportion(scores):
    tasks = dict.fromkeys(scores.index[:20], "a") | dict.fromkeys(scores.index[20:], "b")
    divided = bayescorr.with_strata(scores, tasks)
    splits = RealTopics(divided)
    case = splits.case(25, 1)
    first = case.scores.index
    assert [sum(tasks[x] == name for x in first) for name in "ab"] == [10, 15]
    rest = scores.drop(index=first)
    of_tasks = rest.groupby([tasks[x] for x in rest.index]).mean()
    np.testing.assert_allclose(case.means, of_tasks.mean()[case.means.index], atol=1e-15)
    turned = RealTopics(divided.iloc[::-1, ::-1]).case(25, 1)
    pd.testing.assert_series_equal(turned.means[case.means.index], case.means)
    with pytest.raises(ScoresError, match="has 4 of the 20 of task 'a', and the other set 16"):
        splits.check_topics(10)
