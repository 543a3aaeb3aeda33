"""Scores of several conditions: aligned by label, whatever is not shared said in one line."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from judged import make_scores

import bayescorr
from bayescorr.conditions.alignment import align
from bayescorr.errors import ModelError, OptionError, ScoresError


def pair(a, b):
    return {"A": a, "B": b}


def test_align_by_label():
    a = make_scores()
    b = align(pair(a, a.iloc[::-1, ::-1]))["B"]
    pd.testing.assert_frame_equal(a, b, check_index_type=False, check_column_type=False)


def test_what_is_not_shared_is_listed_or_left_out():
    a = make_scores()
    with pytest.raises(ScoresError, match=r'Only A has the systems: d\. .*unshared="drop"'):
        align(pair(a, a.drop(columns="d")))
    with pytest.raises(ScoresError, match="Only B has the topics: t00, t01"):
        align(pair(a.iloc[2:], a))
    three = {"A": a, "B": a.iloc[1:, :3], "C": a.iloc[:5]}
    with pytest.raises(ScoresError, match="Only A and C have the topics: t00; only A and B have"):
        align(three)
    found = align(three, unshared="drop")
    assert {table.shape for table in found.values()} == {(4, 3)}
    with pytest.raises(OptionError, match="treatment of unshared topics and systems 'keep'"):
        align(three, unshared="keep")


def test_fewer_topics_under_some_conditions():
    a = make_scores()
    found = align({"human": a.iloc[:4], "gpt": a, "llama": a}, unshared="model")
    assert [len(table) for table in found.values()] == [4, 12, 12]
    with pytest.raises(ScoresError, match="'gpt' has 8 topics: neither all 12 nor just the 4"):
        align({"human": a.iloc[:4], "gpt": a.iloc[:8], "llama": a}, unshared="model")
    with pytest.raises(ScoresError, match="'human' has 6 topics: neither all 10 nor just the 2"):
        align({"human": a.iloc[:6], "gpt": a.iloc[4:10]}, unshared="model")
    with pytest.raises(ScoresError, match="Only human has the systems: d"):
        align({"human": a.iloc[:4], "gpt": a.iloc[:, :3]}, unshared="model")
    b = a.copy()
    b.iloc[[1, 8], 0] = np.nan
    found = align({"human": a.iloc[:4], "gpt": b}, unshared="model", missing="drop")
    assert [len(table) for table in found.values()] == [3, 10]


def test_too_little_in_common():
    a = make_scores()
    with pytest.raises(ScoresError, match="share 1 topic and 4 systems"):
        align(pair(a.iloc[:3], a.iloc[2:]), unshared="drop")
    with pytest.raises(ScoresError, match="share 12 topics and 0 systems"):
        align(pair(a, a.add_prefix("x")), unshared="drop")


def test_missing_scores_under_any_condition():
    a, b = make_scores(), make_scores(2)
    b.iloc[3, 1] = np.nan
    with pytest.raises(ScoresError, match="1 score is missing"):
        align(pair(a, b))
    for found in align(pair(a, b), missing="drop").values():
        assert list(found.index) == [t for t in a.index if t != "t03"]
    assert align(pair(a, b), missing="zero")["B"].iloc[3, 1] == 0
    with pytest.raises(OptionError, match="treatment of missing scores 'model'"):
        align(pair(a, b), missing="model")


def test_a_topic_without_any_score_is_not_judged():
    a, b = make_scores(), make_scores(2)
    b.iloc[3] = np.nan
    with pytest.raises(ScoresError, match="Only A has the topics: t03"):
        align(pair(a, b))
    assert (align(pair(a, b), missing="zero")["B"].iloc[3] == 0).all()


def test_numbers_and_text_are_the_same_labels():
    a = make_scores().set_axis(range(301, 313))
    b = a.set_axis(map(str, a.index))
    assert list(align(pair(a, b))["A"].index) == list(b.index)
    assert list(align(pair(a, a))["A"].index) == list(a.index)


def test_warnings_name_the_condition():
    a = make_scores()
    with pytest.warns(
        bayescorr.ScoresWarning, match=r"Condition 'B': Identical systems: 'a' = 'b'"
    ):
        align(pair(a, a.assign(b=a["a"])), warn=True)


@pytest.mark.parametrize(
    ("conditions", "options", "message"),
    [
        ([make_scores()], {}, "conditions must map names to scores"),
        ({"human": make_scores()}, {}, "Need at least 2 conditions; got 1"),
        ({1: make_scores(), "b": make_scores()}, {}, "names of conditions must be text; got 1"),
        (pair(make_scores(), make_scores()), {"truth": "C"}, "Unknown condition 'C'"),
        (pair(make_scores(), make_scores()), {"higher_is_better": {"A": True}}, "lacks .* 'B'"),
        (pair(make_scores(), make_scores()), {"higher_is_better": {"X": True}}, "condition 'X'"),
        (pair(make_scores(), make_scores()), {"priors": {"kappa": 1}}, "has no prior 'kappa'"),
        (pair(make_scores(), make_scores()), {"inference": "magic"}, "Unknown inference 'magic'"),
    ],
)
def test_wrong_arguments(conditions, options, message):
    with pytest.raises(OptionError, match=message):
        bayescorr.fit_conditions(conditions, **options)


def test_tasks_are_refused():
    a = make_scores()
    tasks = bayescorr.with_strata(a, {topic: str(i % 2) for i, topic in enumerate(a.index)})
    with pytest.raises(ScoresError, match="Condition 'gpt': A model of several conditions does"):
        align({"human": a, "gpt": tasks})


def test_bad_scores_name_the_condition():
    a = make_scores()
    with pytest.raises(ScoresError, match="Condition 'gpt': 1 score is not numeric"):
        align({"human": a, "gpt": a.astype(object).replace({a.iloc[0, 0]: "x"})})
    with pytest.raises(ModelError, match="Condition 'gpt': The differences between systems"):
        bayescorr.fit_conditions({"human": a, "gpt": 0 * a}, warn=False)
