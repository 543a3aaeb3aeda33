"""Folders of evaluation logs: every reader returns the table that the logs were written from."""

from __future__ import annotations

import warnings

import evaluation_logs as logs
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from bayescorr import ScoresError, ScoresWarning, read_scores
from bayescorr.cli import app
from bayescorr.scores.groups import task_labels

SCORES = logs.table()
#: Every task with at least five items, as fits need them.
MORE = pd.concat([SCORES, SCORES.iloc[[-1]].set_axis(["mmlu_law/4"])])


@pytest.fixture(autouse=True)
def _notes():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ScoresWarning)
        yield


def assert_same(found, scores=SCORES, tasks=True):
    expected = scores.loc[found.index, found.columns]
    assert found.shape == scores.shape
    pd.testing.assert_frame_equal(found, expected, check_names=False)
    if tasks:
        assert task_labels(found).tolist() == [label.partition("/")[0] for label in found.index]
    else:
        assert task_labels(found) is None


def test_lm_eval(tmp_path):
    folder = logs.write_lm_eval(SCORES, tmp_path / "out")
    found = read_scores(folder, measure="acc")
    assert_same(found)
    assert found.attrs["measure"] == "acc"
    assert_same(read_scores(sorted(folder.iterdir()), measure="acc"))
    assert_same(read_scores(f"{folder}/*/samples_*.jsonl", measure="acc"))
    assert_same(1 - read_scores(folder, measure="acc_norm", format="lm_eval"))


def test_lm_eval_without_results_is_named_after_the_folders(tmp_path):
    folder = logs.write_lm_eval(SCORES, tmp_path)
    for results in folder.rglob("results_*"):
        results.unlink()
    found = read_scores(folder, measure="acc")
    assert_same(found, SCORES.rename(columns=lambda name: name.replace("/", "__")))


def test_lm_eval_with_several_filters(tmp_path):
    filters = ("strict-match", "flexible-extract")
    folder = logs.write_lm_eval(SCORES, tmp_path, "exact_match", filters)
    assert_same(read_scores(folder, measure="exact_match,strict-match"))
    assert (
        (read_scores(folder, measure="exact_match,flexible-extract", as_is=True) == 0)
        .to_numpy()
        .all()
    )


def test_lm_eval_with_another_measure_in_each_task(tmp_path):
    tasks = SCORES.index.str.partition("/").get_level_values(0)
    logs.write_lm_eval(SCORES[tasks == "gsm8k"], tmp_path, "exact_match")
    logs.write_lm_eval(SCORES[tasks != "gsm8k"], tmp_path, "acc")
    with pytest.raises(ScoresError, match="task 'gsm8k' has no scores of 'acc', but of"):
        read_scores(tmp_path, measure="acc")
    found = read_scores(tmp_path, measure="acc, exact_match")
    assert_same(found)
    assert found.attrs["measure"] == "acc, exact_match"
    with pytest.warns(ScoresWarning, match="several measures: .*exact_match of gsm8k"):
        read_scores(tmp_path, measure="acc,exact_match")


def test_items_that_a_model_has_no_score_of_are_missing(tmp_path):
    scores = SCORES.copy()
    scores.iloc[1, 0] = np.nan
    assert_same(read_scores(logs.write_lm_eval(scores, tmp_path), measure="acc"), scores)


def test_inspect(tmp_path):
    scores = logs.table(2, (0.0, 0.5, 1.0))
    assert_same(read_scores(logs.write_inspect(scores, tmp_path / "logs")), scores)
    assert_same(read_scores(f"{tmp_path}/logs/*.json"), scores)


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl", "frame"])
def test_samples_exported_by_inspect(tmp_path, ending):
    scores = logs.table(2, (0.0, 0.5, 1.0))
    source = frame = logs.samples_frame(scores)
    if ending != "frame":
        source = tmp_path / f"samples.{ending}"
        write = {"csv": frame.to_csv, "parquet": frame.to_parquet}.get(ending)
        if write is None:
            frame.to_json(source, orient="records", lines=True)
        else:
            write(source, index=False)
    found = read_scores(source)
    assert_same(found, scores)
    assert found.attrs["measure"] == "match"


def test_samples_with_a_scorer_per_task():
    frame = logs.samples_frame(SCORES)
    other = frame["task_name"] == "gsm8k"
    frame["score_includes"] = frame["score_match"].where(other)
    frame["score_match"] = frame["score_match"].mask(other)
    assert_same(read_scores(frame))
    with pytest.raises(ScoresError, match=r"samples without a column model.* samples_df"):
        read_scores(frame.drop(columns="model"))


def test_epochs_are_repeats(tmp_path):
    folder = logs.write_inspect(SCORES, tmp_path, epochs=3)
    with pytest.raises(ScoresError, match=r"3 scores of system .* column 'epoch' tells them apart"):
        read_scores(folder)
    found = read_scores(folder, repeats="mean")
    assert_same(found)
    assert found.attrs["repeats"] == "mean of 3 repeats"
    assert_same(read_scores(logs.samples_frame(SCORES, epochs=3), repeats="mean"))


def test_helm(tmp_path):
    folder = logs.write_helm(SCORES, tmp_path)
    expected = SCORES.rename(
        index=lambda label: "mmlu:subject={0},method=multiple_choice/id{2}".format(
            *label.partition("/")
        )
    )
    with pytest.warns(ScoresWarning) as notes:
        found = read_scores(folder, measure="exact_match")
    assert_same(found, expected)
    texts = " ".join(str(note.message) for note in notes)
    assert "Left out perturbed instances" in texts
    assert "other splits than test" in texts
    for spec in folder.rglob("run_spec.json"):
        spec.unlink()
    named = expected.rename(columns=lambda name: name.replace("/", "_"))
    assert_same(read_scores(folder / "runs", measure="exact_match"), named)


@pytest.mark.parametrize("older", [False, True])
def test_mteb(tmp_path, older):
    folder = logs.write_mteb(SCORES, tmp_path, older)
    expected = SCORES.rename(index=lambda label: label.replace("/", "-"))
    found = read_scores(folder, as_is=True)
    assert_same(found, expected, tasks=False)
    assert found.attrs["measure"] == "main_score"
    if not older:
        halved = read_scores(folder, measure="ndcg_at_10", as_is=True)
        assert_same(2 * halved, expected, tasks=False)


def test_two_kinds_of_logs_are_an_error(tmp_path):
    logs.write_helm(SCORES, tmp_path)
    logs.write_lm_eval(SCORES, tmp_path)
    with pytest.raises(ScoresError, match=r"logs in several formats: lm_eval \(9 files\), helm"):
        read_scores(tmp_path)
    assert_same(read_scores(tmp_path, format="lm_eval", measure="acc"))


WRITERS = {
    "lm_eval": (logs.write_lm_eval, ["--measure", "acc"]),
    "inspect": (logs.write_inspect, []),
    "helm": (logs.write_helm, ["--measure", "exact_match"]),
    "mteb": (logs.write_mteb, ["--as-is"]),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_one_command_makes_a_report_of_a_folder(tmp_path, kind):
    write, options = WRITERS[kind]
    folder = write(MORE, tmp_path / "logs")
    arguments = [str(folder), *options, "--model", "flat", "--seed", "1", "--no-figures"]
    result = CliRunner().invoke(app, ["report", *arguments, "--out", str(tmp_path / "report")])
    assert result.exit_code == 0, result.output
    page = (tmp_path / "report" / "report.html").read_text("utf-8")
    assert all(system in page for system in SCORES.columns)
    if kind != "mteb":
        assert "of 3 tasks with equal weights" in result.output
        assert "Topics by task: " in page
