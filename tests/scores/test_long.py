"""Long tables under the names that people give their columns."""

from __future__ import annotations

import pandas as pd
import pytest

from bayescorr import ScoresError, read_scores

SCORES = pd.DataFrame(
    {"bm25": [0.5, 0.25, 0.75], "lm": [0.125, 1.0, 0.5]}, index=["401", "402", "403"]
)
LONG = (
    SCORES.rename_axis("topic").reset_index().melt("topic", var_name="system", value_name="score")
)


def read(tmp_path, frame, **options):
    frame.to_csv(tmp_path / "s.csv", index=False)
    return read_scores(tmp_path / "s.csv", **options)


def named(system, topic, score, **more):
    return LONG.set_axis([topic, system, score], axis=1).assign(**more)


@pytest.mark.parametrize(
    ("names", "measure"),
    [
        (("model", "question_id", "correct"), None),
        (("method", "item", "score"), None),
        (("run_id", "query", "ndcg_cut_10"), "nDCG@10"),
        (("Model Name", "Example-ID", "is_correct"), None),
        (("model", "id", "accuracy"), "accuracy"),
        (("runid", "query", "map"), "AP"),
        (("team", "prompt", "my_own_score"), "my_own_score"),
        (("algorithm", "instance", "value"), None),
    ],
)
def test_names_of_columns(tmp_path, names, measure):
    for given in (named(*names), named(*names)[list(names)]):
        scores = read(tmp_path, given)
        pd.testing.assert_frame_equal(scores, SCORES, check_names=False)
        assert scores.attrs.get("measure") == measure
        pd.testing.assert_frame_equal(read_scores(given), SCORES, check_names=False)


@pytest.mark.parametrize(
    "more",
    [
        {"category": ["x", "y", "z"] * 2},
        {"query": "what is it"},
        {"name": "the same"},
        {"year": 2010},
        {"seed": 1},
        {"Unnamed: 0": range(6)},
    ],
)
def test_other_columns_do_not_matter_beside_a_score_column(tmp_path, more):
    pd.testing.assert_frame_equal(
        read(tmp_path, named("model", "qid", "score", **more)), SCORES, check_names=False
    )


def test_numeric_columns_are_measures_to_choose_from(tmp_path):
    table = named("model", "qid", "quality", length=[10, 20, 30] * 2, language="en")
    with pytest.raises(ScoresError, match="scores of 2 measures: 'length', 'quality'"):
        read(tmp_path, table)
    pd.testing.assert_frame_equal(
        read(tmp_path, table, measure="quality"), SCORES, check_names=False
    )
    both = named("model", "qid", "accuracy", f1=0.5)
    with pytest.raises(ScoresError, match="scores of 2 measures: 'accuracy', 'f1'"):
        read(tmp_path, both)
    assert read(tmp_path, both, measure="f1").attrs["measure"] == "f1"


def test_measures_in_rows_in_any_spelling(tmp_path):
    table = pd.concat([LONG.assign(metric="map"), LONG.assign(metric="P_10", score=0.5)])
    scores = read(tmp_path, table, measure="AP")
    pd.testing.assert_frame_equal(scores, SCORES, check_names=False)
    assert scores.attrs["measure"] == "AP"


def test_the_topic_all_is_left_out_with_a_note(tmp_path):
    means = LONG.groupby("system", as_index=False)["score"].mean().assign(topic="all")
    with pytest.warns(UserWarning, match="Left out row 'all': it is the mean of the other rows"):
        scores = read(tmp_path, pd.concat([LONG, means]))
    pd.testing.assert_frame_equal(scores, SCORES, check_names=False)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            pd.concat([named("model", "qid", "accuracy", seed=i) for i in (1, 2)]),
            r"2 scores of system 'bm25' on topic '401'; column 'seed' tells them apart\. Use rep",
        ),
        (
            named("annotator", "doc", "label").iloc[:, [1, 0, 2]],
            r"line 3: duplicate topic 'bm25'; .* If this is a long table, name its columns",
        ),
        (named("model", "what", "score"), "no topic column among .* Name this column topic"),
        (named("model", "qid", "text").assign(text="good"), "no score column among .* score"),
        (
            named("model", "qid", "score").replace({"bm25": 1, "lm": 2}),
            r'column .model. contains numbers, .* format="long" or format="wide"',
        ),
        (
            named("model", "qid", "score").assign(topic=1),
            "more than one topic column: 'qid' and 'topic'",
        ),
    ],
)
def test_what_is_missing_or_ambiguous(tmp_path, table, message):
    with pytest.raises(ScoresError, match=message):
        read(tmp_path, table)


def test_a_long_table_is_not_transposed(tmp_path):
    with pytest.raises(ScoresError, match=r"cannot be transposed\. Omit transpose"):
        read(tmp_path, LONG, transpose=True)
