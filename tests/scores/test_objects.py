from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from bayescorr import ScoresError, ScoresWarning, read_scores

SCORES = pd.DataFrame(
    {"bm25": [0.5, 0.25, 0.0], "lm": [0.125, 1.0, 0.5]}, index=["401", "402", "403"]
)
NESTED = SCORES.to_dict()
LONG = (
    SCORES.rename_axis("topic").reset_index().melt("topic", var_name="system", value_name="score")
)
OTHER_NAMES = LONG.set_axis(["question_id", "model", "correct"], axis=1)
DOCUMENTS = {
    "system > topic > score": json.dumps(NESTED),
    "indented": json.dumps(NESTED, indent=2),
    "system > measure > topic, as ranx": json.dumps({s: {"map": x} for s, x in NESTED.items()}),
    "system > topic > measure": json.dumps(
        {s: {t: {"map": v} for t, v in x.items()} for s, x in NESTED.items()}
    ),
    "measure > system > topic": json.dumps({"AP": NESTED}),
    "records": LONG.to_json(orient="records"),
    "records, other names": OTHER_NAMES.to_json(orient="records"),
    "wide records": SCORES.rename_axis("topic").reset_index().to_json(orient="records"),
    "JSON Lines": LONG.to_json(orient="records", lines=True),
    "pandas split": SCORES.to_json(orient="split"),
    "pandas columns": SCORES.to_json(),
    "pandas table": LONG.to_json(orient="table", index=False),
}


def write(folder, text, name="s.json"):
    (folder / name).write_text(text)
    return folder / name


@pytest.mark.parametrize("name", DOCUMENTS)
def test_round_trip(tmp_path, name):
    scores = read_scores(write(tmp_path, DOCUMENTS[name]))
    pd.testing.assert_frame_equal(scores, SCORES, check_names=False)


def test_booleans_and_missing_scores(tmp_path):
    lines = [
        {"model": "a", "item": 1, "correct": True},
        {"model": "a", "item": 2, "correct": False},
        {"model": "b", "item": 1, "correct": None},
        {"model": "b", "item": 2, "correct": True, "comment": "late"},
    ]
    scores = read_scores(write(tmp_path, "\n".join(map(json.dumps, lines))))
    assert scores["a"].tolist() == [1, 0]
    assert scores["b"].isna().tolist() == [True, False]


def test_topics_as_outer_keys_are_questioned(tmp_path):
    path = write(tmp_path, json.dumps(SCORES.T.to_dict()))
    with pytest.raises(ScoresError, match=r"the columns \('401', '402', \.\.\.\) look like topics"):
        read_scores(path)
    pd.testing.assert_frame_equal(read_scores(path, transpose=True), SCORES)


def test_topics_as_outer_keys_beside_measures_are_read_with_a_note(tmp_path):
    document = {
        f"q{t}": {system: {"map": v, "P_10": v / 2} for system, v in scores.items()}
        for t, scores in SCORES.T.to_dict().items()
    }
    with pytest.warns(ScoresWarning, match=r"Read the keys 'q401', 'q402' and \d+ more as topics"):
        scores = read_scores(write(tmp_path, json.dumps(document)), measure="AP")
    expected = SCORES.set_axis([f"q{t}" for t in SCORES.index])
    pd.testing.assert_frame_equal(scores, expected, check_names=False)


def test_one_run_per_file_as_pytrec_eval_writes_it(tmp_path):
    for system, scores in NESTED.items():
        document = {t: {"map": v, "P_10": 0.5} for t, v in scores.items()}
        write(tmp_path, json.dumps(document), f"{system}.json")
    scores = read_scores(tmp_path, measure="AP")
    pd.testing.assert_frame_equal(scores, SCORES, check_names=False)
    assert scores.attrs["measure"] == "AP"
    with pytest.raises(ScoresError, match="2 measures: 'P_10', 'map'"):
        read_scores(tmp_path)


def test_one_run_as_ranx_writes_it(tmp_path):
    path = write(tmp_path, json.dumps({"map": NESTED["bm25"], "mrr": NESTED["lm"]}), "mine.json")
    assert read_scores(path, measure="RR")["mine"].tolist() == SCORES["lm"].tolist()


def test_dicts_in_memory_as_ranx_holds_them():
    runs = {system: {"map": x, "mrr": dict.fromkeys(x, 0.5)} for system, x in NESTED.items()}
    found = read_scores(runs, measure="AP")
    pd.testing.assert_frame_equal(found, SCORES, check_names=False)
    assert found.attrs["measure"] == "AP"
    pd.testing.assert_frame_equal(read_scores(NESTED), SCORES, check_names=False)
    assert read_scores(runs["bm25"], measure="map")["run"].tolist() == SCORES["bm25"].tolist()


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, "dict: expected system > topic > score.*got 0 levels"),
        ({"a": 0.5}, "got 1 levels"),
        ({"a": {"map": np.ones(3)}}, "a list of values at a > map, without topics"),
        ({"a": {"q1": "x", "q2": "y"}, "b": {"q1": 0, "q2": 1}}, "column 'a' holds text"),
    ],
)
def test_bad_dicts(document, message):
    with pytest.raises(ScoresError, match=message):
        read_scores(document)


def test_a_run_is_not_a_table_of_scores(tmp_path):
    run = {str(t): {f"d{t}-{k}": 1 / k for k in range(1, 6)} for t in range(401, 421)}
    with pytest.raises(ScoresError, match=r"only 5\.0% of the scores .* as if this were a run"):
        read_scores(write(tmp_path, json.dumps(run)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1', r"s\.json, line 1: malformed JSON"),
        ('[{"a": 1},\n{"a" 2}]', r"s\.json, line 2: malformed JSON"),
        ('{"system": "a"}\n{"system"\n', r"line 2: malformed JSON"),
        ('{"a": {"q1": 1, "q1": 0}}', r"malformed JSON \(key 'q1' occurs twice in one object\)"),
        ('{"a": 0.5, "b": 0.25}', r"one number for each of 2 keys: means, not scores"),
        ('{"a": [0.5, 0.25], "b": [1, 0]}', r"a list of values at a, without topics"),
        ('{"a": {"q1": 1}, "b": {"q1": {"AP": 1}}}', r"got a > q1 and b > q1 > AP"),
        ('{"a": {"b": {"c": {"d": 1}}}}', r"got 4 levels"),
        ('{"a": {"q1": {"x": 1}}}', r"cannot tell which level holds the measure: 'a' > 'q1' > 'x'"),
        ("{}", r"got 0 levels"),
        ("[]", r"an empty list"),
        ("[1, 2]", r"item 1: expected a JSON object with keys and values; got 1"),
        ('[{"system": "a", "topic": {"id": 1}}]', r"item 1: the value of 'topic' is an object"),
        ('{"columns": ["a"], "index": [1, 2], "data": [[1]]}', r"columns, index and data differ"),
        (
            '{"a": {"q1": "good", "q2": 1}, "b": {"q1": 1, "q2": 0}}',
            r"topic 'q1', column 'a': 'good'",
        ),
    ],
)
def test_bad_documents(tmp_path, text, message):
    with pytest.raises(ScoresError, match=message) as caught:
        read_scores(write(tmp_path, text))
    assert caught.value.remedy


@pytest.mark.parametrize("start", ["[", '{"a":'])
def test_deep_nesting(tmp_path, start):
    with pytest.raises(ScoresError, match="JSON nested too deeply"):
        read_scores(write(tmp_path, start * 100_000))
