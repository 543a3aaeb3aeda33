"""Which columns and rows of a table are labels, and what is ambiguous."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bayescorr import ScoresError, read_scores


def write(path, text):
    path.write_text(text)
    return path


def test_text_labels_under_any_name(tmp_path):
    path = write(tmp_path / "s.csv", "id,a,b\nq1,0.5,0.25\nq2,0.125,1\n")
    assert list(read_scores(path).index) == ["q1", "q2"]


def test_whole_numbers_under_another_name_are_ambiguous(tmp_path):
    path = write(tmp_path / "s.csv", "x,a,b\n401,0.5,0.25\n402,0.125,1\n")
    with pytest.raises(ScoresError, match=r"column 'x' contains .* format=\"matrix\""):
        read_scores(path)
    scores = read_scores(path, format="matrix", as_is=True)
    assert list(scores.columns) == ["x", "a", "b"]


def test_wide_or_long_is_ambiguous_when_systems_are_numbers(tmp_path):
    path = write(tmp_path / "s.csv", "topic,run,score\n1,1,0.5\n1,2,0.25\n2,1,0.5\n2,2,0.75\n")
    with pytest.raises(ScoresError, match='format="long" or format="wide"'):
        read_scores(path)
    assert list(read_scores(path, format="long").columns) == ["1", "2"]


def test_what_parquet_is_said_to_be(tmp_path):
    frame = pd.DataFrame({"topic": [1, 1, 2, 2], "run": [1, 2] * 2, "score": [0.5, 0.25, 0.5, 1]})
    path = tmp_path / "s.parquet"
    frame.to_parquet(path)
    for format in ("auto", "parquet"):
        with pytest.raises(ScoresError, match='format="long" or format="wide"'):
            read_scores(path, format=format)
    assert read_scores(path, format="long").loc["2"].tolist() == [0.5, 1]
    with pytest.raises(ScoresError, match="not UTF-8 text"):
        read_scores(path, format="trec_eval")
    with pytest.raises(ScoresError, match="A DataFrame cannot be read as 'parquet'"):
        read_scores(frame, format="parquet")


def test_counts_are_scores_when_every_column_has_them(tmp_path):
    path = write(tmp_path / "s.csv", "a,b\n1,4\n2,5\n3,6\n")
    assert list(read_scores(path).columns) == ["a", "b"]


def test_three_columns_without_a_sign_are_ambiguous(tmp_path):
    path = write(tmp_path / "s.txt", "x y 0.5\nx z 0.25\n")
    with pytest.raises(ScoresError, match=r"ambiguous.*format: trec_eval .*ir_measures"):
        read_scores(path)
    assert read_scores(path, format="trec_eval").index.tolist() == ["y", "z"]


def test_labels_of_a_frame_in_memory_are_kept():
    frame = pd.DataFrame({1: [0.5, 0.25], 2: [0.125, 1]}, index=[401, 402])
    pd.testing.assert_frame_equal(read_scores(frame), frame)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(np.eye(3)[:, :2]),
        pd.DataFrame({"a": [0.5, 0.25], "b": [0.125, 1]}),
        pd.DataFrame({"a": [0.5, 0.25], "b": [0.125, 1]}, index=pd.RangeIndex(401, 403)),
        pd.DataFrame({"a": [1.0, 2, 3], "b": [4.0, 5, 6]}),
    ],
)
def test_numbered_rows_are_topics(frame):
    pd.testing.assert_frame_equal(read_scores(frame), frame.set_axis(list(frame.index)))


def test_a_frame_without_labels_is_read_as_its_text(tmp_path):
    frame = pd.DataFrame({"x": [401, 402], "a": [0.5, 1], "b": [1, 0.25]})
    assert read_scores(frame.astype({"x": str}).assign(x=["q1", "q2"])).index[0] == "q1"
    assert read_scores(frame, format="matrix", as_is=True).shape == (2, 3)
    for name in ("topic", "id"):
        assert list(read_scores(frame.rename(columns={"x": name})).index) == [401, 402]
    with pytest.raises(ScoresError, match="DataFrame: no systems"):
        read_scores(pd.DataFrame(index=range(2)))


def test_a_long_table_may_begin_with_the_run_ids(tmp_path):
    path = write(tmp_path / "s.tsv", "runid\ttopic\tscore\na\t1\t0.5\na\t2\t1\n")
    assert read_scores(path)["a"].tolist() == [0.5, 1]
