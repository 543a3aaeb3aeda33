"""Four columns without a header, and the names that LLM-judge tools give to columns."""

from __future__ import annotations

import itertools
import json
import warnings

import pandas as pd
import pytest

from bayescorr import ScoresError, ScoresWarning, read_scores

SCORES = pd.DataFrame(
    {"bm25-base": [0.5, 0.25, 0.125, 0.75], "dense": [0.875, 0.5, 0.25, 0.0]},
    index=["401", "402", "403", "404"],
)
ROWS = [
    [run, topic, "nDCG@10", str(SCORES.loc[topic, run])] for run in SCORES for topic in SCORES.index
]


def write(tmp_path, rows, separator=" "):
    path = tmp_path / "scores.txt"
    path.write_text("".join(separator.join(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
@pytest.mark.parametrize("separator", [" ", "\t", ","])
def test_any_order(tmp_path, order, separator):
    path = write(tmp_path, [[row[i] for i in order] for row in ROWS], separator)
    found = read_scores(path)
    pd.testing.assert_frame_equal(found, SCORES)
    assert found.attrs["measure"] == "nDCG@10"


@pytest.mark.parametrize("average", ["all", "ALL", "amean"])
def test_averages_are_left_out(tmp_path, average):
    rows = ROWS + [[run, average, "nDCG@10", str(SCORES[run].mean())] for run in SCORES]
    with pytest.warns(ScoresWarning, match=f"Left out row '{average}'"):
        found = read_scores(write(tmp_path, rows))
    pd.testing.assert_frame_equal(found, SCORES)


def test_the_average_tells_topics_from_runs(tmp_path):
    topics = {"401": "cars", "402": "dogs", "403": "tea", "404": "wine"}
    rows = [[run, topics[topic], *rest] for run, topic, *rest in ROWS]
    with pytest.raises(ScoresError, match=r"several ways: column 1 has 2 values \(bm25-base, den"):
        read_scores(write(tmp_path, rows))
    rows += [[run, "all", "nDCG@10", str(SCORES[run].mean())] for run in SCORES]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ScoresWarning)
        found = read_scores(write(tmp_path, rows))
    pd.testing.assert_frame_equal(found, SCORES.rename(index=topics))


def test_several_measures(tmp_path):
    rows = ROWS + [[run, topic, "AP", "0.5"] for run, topic, *_ in ROWS]
    with pytest.raises(ScoresError, match=r"2 measures: 'AP', 'nDCG@10'"):
        read_scores(write(tmp_path, rows))
    found = read_scores(write(tmp_path, rows), measure="ndcg_cut_10")
    pd.testing.assert_frame_equal(found, SCORES)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([*ROWS, ["dense", "405", "0.5"]], r"line 9: expected 4 columns .* got 3"),
        ([*ROWS[:-1], [*ROWS[-1][:3], "high"]], "not a finite number: line 8.*'high'"),
        ([*ROWS, ROWS[3]], "line 9: duplicate score of system 'bm25-base' on topic '404'"),
        ([["a", "1", "AP", "0.5"], ["b", "2", "my_own", "1"]], "are not run, topic, measure and"),
        ([["a", "b", "AP", "0.5"], ["c", "d", "AP", "1"]], "could be read in several ways"),
    ],
)
def test_malformed(tmp_path, rows, message):
    with pytest.raises(ScoresError, match=message):
        read_scores(write(tmp_path, rows))


@pytest.mark.parametrize("topic", ["topic", "query_id", "narrative_id", "request_id", "qid"])
@pytest.mark.parametrize("run", ["run", "run_id", "runid", "system", "model"])
def test_json_lines(tmp_path, run, topic):
    path = tmp_path / "scores.jsonl"
    names = (run, topic, "measure", "value")
    lines = [
        json.dumps(dict(zip(names, [*row[:3], float(row[3])], strict=True))) + "\n" for row in ROWS
    ]
    path.write_text("".join(lines))
    pd.testing.assert_frame_equal(read_scores(path), SCORES)


def test_a_header_with_a_saved_index_is_a_header(tmp_path):
    path = tmp_path / "long.csv"
    rows = "".join(f"{i},q{i % 2},s{i // 2},0.{i}\n" for i in range(4))
    path.write_text(f",topic,model,ndcg_cut_10\n{rows}")
    found = read_scores(path)
    assert found.loc["q1", "s1"] == 0.3
    assert found.shape == (2, 2)
