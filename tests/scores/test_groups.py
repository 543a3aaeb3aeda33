"""Tasks of items and systems of seeds, carried by a table."""

import pandas as pd
import pytest

from bayescorr.errors import ScoresError
from bayescorr.scores.groups import label_tasks, seeds_of, task_labels, with_seeds

SCORES = pd.DataFrame({"a/1": [0.1, 0.2, 0.3], "a/2": [0.4, 0.5, 0.6]}, index=["x/1", "x/2", "y/1"])
TASKS = {"y/1": "y", "x/1": "x", "x/2": "x"}


def test_groups_follow_the_labels_and_survive_selection():
    scores = with_seeds(label_tasks(SCORES, TASKS), pd.Series("a", index=["a/2", "a/1"]))
    assert task_labels(scores).to_dict() == TASKS
    assert list(task_labels(scores.iloc[::-1])) == ["y", "x", "x"]
    assert list(task_labels(scores.loc[["x/2"], ["a/2"]]).index) == ["x/2"]
    assert list(seeds_of(scores)) == ["a", "a"]
    assert SCORES.attrs == {}


def test_a_table_without_groups_has_none():
    assert task_labels(SCORES) is None
    assert seeds_of(SCORES) is None


def test_tables_with_groups_can_be_joined_and_stored(tmp_path):
    scores = label_tasks(SCORES, TASKS)
    joined = pd.concat([scores, scores.add_suffix("b")], axis=1)
    assert task_labels(joined).to_dict() == TASKS
    scores.to_parquet(tmp_path / "s.parquet")
    assert task_labels(pd.read_parquet(tmp_path / "s.parquet")).to_dict() == TASKS


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"x/1": "x"}, "No task is known for 2 items: 'x/2', 'y/1'"),
        ({**TASKS, "x/2": float("nan")}, "No task is known for 1 item: 'x/2'"),
        (pd.Series("x", index=["x/1", "x/1", "x/2", "y/1"]), "Several tasks for one item: 'x/1'"),
        (["x", "x", "y"], "Series or dict; got list"),
    ],
)
def test_every_item_needs_one_task(groups, message):
    with pytest.raises(ScoresError, match=message):
        label_tasks(SCORES, groups)


def test_renamed_items_have_no_task():
    with pytest.raises(ScoresError, match="No task is known for 1 item: 'z'"):
        task_labels(label_tasks(SCORES, TASKS).rename(index={"y/1": "z"}))
