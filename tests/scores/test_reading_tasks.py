"""Tables with tasks, in every shape."""

from __future__ import annotations

import warnings

import evaluation_logs as logs
import pandas as pd
import pytest

from bayescorr import ScoresError, ScoresWarning, describe_scores, drop_worst, read_scores
from bayescorr.cli._input import write_scores
from bayescorr.scores.describe import understood
from bayescorr.scores.groups import seeds_of, task_labels
from bayescorr.scores.load import load_scores

SCORES = logs.table()
LONG = pd.concat(
    [
        pd.DataFrame({"model": s, "task": t, "item": c.index, "score": c.to_numpy()})
        for s, t, c in logs.by_task(SCORES)
    ]
)


@pytest.fixture(autouse=True)
def _notes():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ScoresWarning)
        yield


def assert_same(found, scores=SCORES):
    pd.testing.assert_frame_equal(found.loc[scores.index, scores.columns], scores)
    assert found.shape == scores.shape
    assert task_labels(found).tolist() == [label.partition("/")[0] for label in found.index]


@pytest.mark.parametrize("name", ["task", "Task Name", "benchmark", "dataset", "subject"])
@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "json", "parquet"])
def test_long_tables(tmp_path, name, ending):
    table = LONG.rename(columns={"task": name})
    path = tmp_path / f"scores.{ending}"
    if ending == "parquet":
        table.to_parquet(path)
    elif "json" in ending:
        table.to_json(path, orient="records", lines=ending == "jsonl")
    else:
        table.to_csv(path, index=False, sep="," if ending == "csv" else "\t")
    assert_same(read_scores(path))
    assert_same(read_scores(table))


@pytest.mark.parametrize("ending", ["csv", "tsv.gz", "parquet"])
def test_written_tables_keep_their_tasks(tmp_path, ending):
    path = tmp_path / f"wide.{ending}"
    write_scores(read_scores(LONG), path)
    assert_same(read_scores(path))
    assert_same(load_scores(str(path)))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("tasks", [True, False])
def test_written_tables_keep_seeds_apart_from_systems(tmp_path, ending, tasks):
    path = tmp_path / f"seeds.{ending}"
    some = LONG if tasks else LONG[LONG["task"] == "gsm8k"]
    seeds = read_scores(pd.concat([some.assign(seed=1), some.assign(seed=2)]), repeats="seeds")
    write_scores(seeds, path)
    with pytest.raises(ScoresError, match="column 'seed' tells them apart"):
        read_scores(path)
    again = read_scores(path, repeats="seeds")
    pd.testing.assert_frame_equal(again.loc[seeds.index, seeds.columns], seeds)
    assert again.attrs == seeds.attrs
    assert seeds_of(again).to_dict() == seeds_of(seeds).to_dict()


def test_a_folder_of_long_tables(tmp_path):
    for task, part in LONG.groupby("task"):
        part.to_csv(tmp_path / f"{task}.csv", index=False)
    assert_same(read_scores(tmp_path))
    LONG.assign(more=1).to_csv(tmp_path / "zzz.csv", index=False)
    with pytest.raises(ScoresError, match=r"one run each, .* or parts of a long table"):
        read_scores(tmp_path)


def test_tasks_survive_the_selection_of_systems():
    scores = read_scores(LONG)
    assert task_labels(drop_worst(scores, 0.4)).nunique() == 3


def test_one_task_makes_no_strata():
    found = read_scores(LONG[LONG["task"] == "gsm8k"])
    assert task_labels(found) is None
    assert list(found.index) == [str(i) for i in range(6)]


def test_a_constant_column_is_no_task():
    assert_same(read_scores(LONG.rename(columns={"task": "subject"}).assign(task="mmlu")))


def test_tasks_are_the_items_of_a_table_without_items():
    table = LONG[LONG["item"] == "0"].drop(columns="item")
    found = read_scores(table)
    assert list(found.index) == list(logs.TASKS)
    assert task_labels(found) is None


def test_averages_of_tasks_are_left_out():
    mean = LONG.groupby(["model", "task"], as_index=False)["score"].mean().assign(item="all")
    with pytest.warns(ScoresWarning, match="Left out 9 averages over topics"):
        assert_same(read_scores(pd.concat([LONG, mean])))


def test_what_was_understood():
    scores = read_scores(LONG)
    assert "3 systems on 15 topics (gsm8k/0 to mmlu_law/3), 3 tasks with equal" in understood(
        scores
    )
    description = describe_scores(scores)
    assert description.tasks == logs.TASKS
    assert "Topics by task: arc_challenge 5, gsm8k 6, mmlu_law 4" in repr(description)
    assert dict(description.to_frame()[["quantity", "value"]].to_numpy())["tasks"] == 3
    repeated = pd.concat([LONG.assign(seed=1), LONG.assign(seed=2)])
    assert "mean of 2 repeats" in understood(read_scores(repeated, repeats="mean"))
    assert "6 seeds of 3 systems on" in understood(read_scores(repeated, repeats="seeds"))


def test_measures_by_task():
    more = LONG.assign(measure=LONG["task"].map({"gsm8k": "exact_match"}).fillna("acc"))
    assert_same(read_scores(more))
    both = pd.concat([more, LONG[LONG["task"] == "gsm8k"].assign(measure="f1", score=0.5)])
    with pytest.raises(ScoresError, match="task 'gsm8k' has scores of 2 measures"):
        read_scores(both)
    assert_same(read_scores(both, measure="acc,exact_match"))
    with pytest.raises(ScoresError, match="no scores of measure 'bleu'"):
        read_scores(both, measure="acc,bleu")
