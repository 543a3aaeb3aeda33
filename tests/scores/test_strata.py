"""Tasks of a benchmark: weights, weighted means, merged tasks, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescorr
from bayescorr import ScoresError
from bayescorr.bayes.data import with_plain_labels
from bayescorr.scores.check import check_scores, observed_means, sort_labels
from bayescorr.scores.groups import with_seeds
from bayescorr.scores.strata import strata_of, task_table, tasks_of
from bayescorr.scores.taskfiles import parse_weights, read_strata
from bayescorr.simulation.real_topics import RealTopics


@pytest.fixture
def scores():
    """Twenty items of two systems: 5 of task b (all 1 for s1), 15 of task a."""
    values = np.zeros((20, 2))
    values[:5, 0] = 1
    values[5:, 1] = np.arange(15) % 2
    return pd.DataFrame(values, index=range(100, 120), columns=["s1", "s2"])


@pytest.fixture
def tasks(scores):
    """The task of each item."""
    return pd.Series(["b"] * 5 + ["a"] * 15, index=scores.index)


def test_macro_average_by_hand(scores, tasks):
    means = observed_means(bayescorr.with_strata(scores, tasks))
    assert means.to_dict() == {"s1": 0.5, "s2": pytest.approx(7 / 15 / 2)}


def test_weights_by_hand(scores, tasks):
    means = observed_means(bayescorr.with_strata(scores, tasks, {"a": 1, "b": 3}))
    assert means.to_dict() == {"s1": 0.75, "s2": pytest.approx(7 / 15 / 4)}


def test_weights_by_size_are_the_plain_mean(scores, tasks):
    means = observed_means(bayescorr.with_strata(scores, tasks, "size"))
    assert np.allclose(means, observed_means(scores), rtol=1e-14)


def test_one_task_is_the_plain_mean_exactly(scores, tasks):
    one = bayescorr.with_strata(scores, tasks.map(lambda task: "x"))
    pd.testing.assert_series_equal(observed_means(one), observed_means(scores), check_exact=True)


def test_alignment_is_by_label_and_survives_checks(scores, tasks):
    shuffled = bayescorr.with_strata(scores, tasks.sample(frac=1, random_state=1))
    again = sort_labels(with_plain_labels(check_scores(shuffled, warn=False).iloc[::-1]))
    assert [task.name for task in tasks_of(again)] == ["a", "b"]
    assert list(again.index[tasks_of(again)[1].rows]) == [100, 101, 102, 103, 104]
    assert observed_means(again).equals(observed_means(shuffled))


def test_small_tasks_are_merged_on_request(scores, tasks):
    tasks.loc[105:107] = "c"
    with pytest.raises(ScoresError, match=r"at least 5 items; fewer in 'c' \(3\)"):
        bayescorr.with_strata(scores, tasks)
    pooled = bayescorr.with_strata(scores, tasks, pool=6)
    found = {task.name: (len(task.rows), task.weight) for task in tasks_of(pooled)}
    assert found == {"a": (12, pytest.approx(1 / 3)), "pooled (b, c)": (8, pytest.approx(2 / 3))}


def test_a_task_alone_has_no_strata(scores, tasks):
    divided = bayescorr.with_strata(scores, tasks)
    table = task_table(divided, tasks_of(divided)[1])
    assert strata_of(table) is None
    assert table.shape == (5, 2)


@pytest.mark.parametrize(
    ("change", "weights", "message"),
    [
        (lambda tasks: tasks[:-1], None, "No task for 1 of 20 items: 119"),
        (lambda tasks: tasks.where(tasks.index != 100), None, "No task for 1 items: 100"),
        (lambda tasks: tasks, {"a": 1}, "No weight for task 'b'"),
        (lambda tasks: tasks, {"a": 1, "b": 1, "x": 1}, "No items of task 'x'"),
        (lambda tasks: tasks, {"a": 1, "b": -1}, r"must be positive numbers; got 'b' \(-1\)"),
        (lambda tasks: tasks, "items", 'must be None, "size" or numbers by task'),
        (lambda tasks: list(tasks), None, "must be a Series or mapping; got list"),
        (lambda tasks: None, "size", "weights needs the task of each item"),
        (
            lambda tasks: pd.concat([tasks, pd.Series(["z"], index=[100])]),
            None,
            "Item '100' is in the tasks 'b' and 'z'",
        ),
    ],
)
def test_what_is_refused(scores, tasks, change, weights, message):
    with pytest.raises(ScoresError, match=message):
        bayescorr.with_strata(scores, change(tasks), weights)


def test_files_and_columns(tmp_path):
    (tmp_path / "tasks.csv").write_text("item,task\n1,x\n2,y\n")
    (tmp_path / "long.csv").write_text("model,area,item,score\nA,x,1,0\nB,x,1,1\nA,y,2,0\nB,y,2,1")
    assert read_strata(str(tmp_path / "tasks.csv")) == {"1": "x", "2": "y"}
    source = str(tmp_path / "long.csv")
    assert read_strata("area", [source]) == {"1": "x", "2": "y"}
    with pytest.raises(bayescorr.BayescorrError, match="neither a file nor a column"):
        read_strata("aera", [source])
    with pytest.raises(bayescorr.BayescorrError, match="holds the items"):
        read_strata("item", [source])
    with pytest.raises(ScoresError, match="two columns, item and task; got 4"):
        read_strata(source)
    (tmp_path / "twice.csv").write_text("item,task\n1,x\n1,y\n")
    with pytest.raises(ScoresError, match="line 3: item '1' is in the tasks 'x' and 'y'"):
        read_strata(str(tmp_path / "twice.csv"))


@pytest.mark.parametrize("text", ["maths", "maths=", "=2", "maths=two", "a=1,,b=2"])
def test_weights_that_cannot_be_read(text):
    with pytest.raises(bayescorr.BayescorrError, match="equal, size or NAME=NUMBER"):
        parse_weights(text)


@pytest.mark.parametrize("ask", [bayescorr.fit, bayescorr.estimate, bayescorr.discordance])
def test_seeds_are_not_taken_for_systems(scores, ask):
    """Columns that are seeds of systems; unequal numbers of seeds, and a system with one."""
    seeds = with_seeds(scores.assign(s3=0.5), {"s1": "a", "s2": "a", "s3": "b"})
    with pytest.raises(ScoresError, match="3 columns are seeds of 2 systems"):
        ask(seeds)


def test_generalizability_theory_is_refused(scores, tasks):
    with pytest.raises(ScoresError, match="does not support tasks"):
        bayescorr.generalizability(bayescorr.with_strata(scores, tasks))


def test_one_seed_of_each_system_is_a_table_of_systems(scores):
    seeds = {"s1": "a", "s2": "a", "s3": "b"}
    one = with_seeds(scores.assign(s3=np.arange(20) % 3 / 2), seeds)[["s2", "s3"]]
    assert bayescorr.fit(one, "flat", random_seed=1, warn=False).systems == ["s3", "s2"]


@pytest.mark.parametrize(
    "ask",
    [
        bayescorr.generalizability,
        bayescorr.EffectsSimulator,
        bayescorr.ResampleSimulator,
        RealTopics,
        bayescorr.drop_worst,
        lambda table: bayescorr.fit_conditions({"x": table, "y": table}),
        lambda table: bayescorr.Fit.from_draws(np.ones((10, 3)), table),
        lambda table: bayescorr.swap_weights(table, "tau"),
    ],
)
def test_seeds_are_refused_wherever_columns_are_systems(scores, ask):
    seeds = with_seeds(scores.assign(s3=0.5), {"s1": "a", "s2": "a", "s3": "b"})
    with pytest.raises(ScoresError, match="3 columns are seeds of 2 systems"):
        ask(seeds)


@pytest.mark.parametrize("simulator", [bayescorr.EffectsSimulator, bayescorr.ResampleSimulator])
def test_simulators_of_tasks_are_refused(scores, tasks, simulator):
    with pytest.raises(ScoresError, match="A simulator does not support tasks"):
        simulator(bayescorr.with_strata(scores, tasks))


def test_no_task_is_lost_with_its_missing_scores(scores, tasks):
    divided = bayescorr.with_strata(scores, tasks)
    divided.loc[100:104, "s2"] = np.nan
    with pytest.raises(ScoresError, match=r"No topic of task 'b' has .* 's2' lacks .* \(5 of 5\)"):
        bayescorr.fit(divided, "flat", missing="drop")
    divided.loc[100, "s2"] = 0.5
    assert len(check_scores(divided, missing="drop", warn=False)) == 16
