"""Wide tables: which column labels the topics, and which columns are systems."""

from __future__ import annotations

import io

import pandas as pd
import pytest

from bayescorr import ScoresError, ScoresWarning, read_scores

SCORES = pd.DataFrame(
    {"bm25": [0.5, 0.25, 0.75, 0.1], "lm": [0.125, 1.0, 0.5, 0.3]},
    index=["401", "402", "403", "404"],
)
TABLE = SCORES.rename_axis("topic")


def read(tmp_path, text, **options):
    (tmp_path / "s.csv").write_text(text)
    return read_scores(tmp_path / "s.csv", **options)


def with_row_numbers():
    """Return CSV files and DataFrames with row numbers beside the labels of the topics."""
    numbered = TABLE.reset_index()
    text = numbered.to_csv()
    stored = pd.read_csv(io.StringIO(text), dtype={"topic": str})
    words = numbered.set_axis(["some words", "bm25", "lm"], axis=1)
    words["some words"] = "q" + words["some words"]
    return {
        "a nameless column": (text, r"column 1 \(no name\)"),
        "a nameless column beside a column named index": (
            SCORES.reset_index().to_csv(),
            r"column 1 \(no name\)",
        ),
        "a nameless column of shuffled rows": (
            numbered.iloc[::-1].to_csv(),
            r"column 1 \(no name\)",
        ),
        "a nameless last column": (
            numbered.assign(n=range(4)).rename(columns={"n": ""}).to_csv(index=False),
            r"column 4 \(no name\)",
        ),
        "Unnamed: 0": (stored.to_csv(index=False), "column 'Unnamed: 0'"),
        "Unnamed: 0 in a DataFrame": (stored, "column 'Unnamed: 0'"),
        "index": (numbered.reset_index().to_csv(index=False), "column 'index'"),
        "index from 1": (
            numbered.set_axis(range(1, 5)).reset_index().to_csv(index=False),
            "column 'index'",
        ),
        "labels that are text": (words.to_csv(), r"column 1 \(no name\)"),
    }


@pytest.mark.parametrize("name", with_row_numbers())
def test_row_numbers_are_left_out_with_a_note(tmp_path, name):
    source, column = with_row_numbers()[name]
    with pytest.warns(ScoresWarning, match=f"Left out {column}: it numbers the rows"):
        scores = read_scores(source) if name.endswith("Frame") else read(tmp_path, source)
    assert list(scores.columns) == ["bm25", "lm"]
    expected = SCORES.set_axis("q" + SCORES.index) if "text" in name else SCORES
    pd.testing.assert_frame_equal(scores.loc[expected.index], expected, check_names=False)


def test_row_numbers_are_labels_if_there_are_no_others(tmp_path):
    text = TABLE.reset_index(drop=True).to_csv()
    assert list(read(tmp_path, text).index) == ["0", "1", "2", "3"]
    assert list(read_scores(pd.read_csv(io.StringIO(text))).index) == [0, 1, 2, 3]


def test_a_nameless_column_of_other_numbers_is_an_error(tmp_path):
    text = SCORES.assign(n=[3, 1, 7, 9]).rename(columns={"n": ""}).to_csv(index_label="topic")
    with pytest.raises(ScoresError, match="column 4 has no name"):
        read(tmp_path, text)
    with pytest.raises(ScoresError, match="column 1 has no name"):
        read(tmp_path, TABLE.reset_index().to_csv(), as_is=True)


def test_the_text_of_the_queries_is_ignored(tmp_path):
    text = TABLE.rename_axis("qid").assign(query="some words").to_csv()
    pd.testing.assert_frame_equal(read(tmp_path, text), SCORES, check_names=False)


def test_other_numbers_under_the_name_of_topics_are_questioned(tmp_path):
    text = TABLE.assign(item=[0.5, 0.1, 0.2, 0.9]).to_csv()
    with pytest.raises(ScoresError, match="column 'item' has a name for topic labels, as column"):
        read(tmp_path, text)
    assert list(read(tmp_path, text, as_is=True).columns) == ["bm25", "lm", "item"]


@pytest.mark.parametrize("name", ["id", "question_id", "Item", "example-id", "index"])
def test_names_of_topic_columns(tmp_path, name):
    text = SCORES.to_csv(index_label=name)
    pd.testing.assert_frame_equal(read(tmp_path, text), SCORES, check_names=False)


@pytest.mark.parametrize("name", ["model", "run", "method"])
def test_a_system_may_be_called_model(tmp_path, name):
    text = TABLE.rename(columns={"lm": name}).to_csv()
    assert list(read(tmp_path, text).columns) == ["bm25", name]


@pytest.mark.parametrize("position", ["first", "last"])
def test_a_mean_without_a_label_is_left_out(tmp_path, position):
    header, *rows = TABLE.to_csv().splitlines()
    mean = "," + ",".join(map(str, SCORES.mean()))
    rows = [mean, *rows] if position == "first" else [*rows, mean]
    note = rf"Left out the {position} row \(no label\): it is the mean of the other rows"
    with pytest.warns(ScoresWarning, match=note):
        scores = read(tmp_path, "\n".join([header, *rows]))
    pd.testing.assert_frame_equal(scores, SCORES, check_names=False)
    with pytest.raises(ScoresError, match="no label in column 'topic'"):
        read(tmp_path, "\n".join([header, *rows]), as_is=True)


def test_labels_of_parquet_are_text_or_numbers(tmp_path):
    for label in ([1, 2], {"a": 1}):
        frame = pd.DataFrame({"topic": [label] * 3, "a": [0.5, 1, 0], "b": [1, 0, 0.5]})
        frame.to_parquet(tmp_path / "s.parquet")
        with pytest.raises(ScoresError, match="row 1: expected one label in column 'topic'"):
            read_scores(tmp_path / "s.parquet")
    frame = pd.DataFrame({"topic": [1, 2, 3], "a": [[0.5]] * 3, "b": [1, 0, 0.5]})
    frame.to_parquet(tmp_path / "s.parquet")
    with pytest.raises(ScoresError, match="row 1, column 'a'"):
        read_scores(tmp_path / "s.parquet")
