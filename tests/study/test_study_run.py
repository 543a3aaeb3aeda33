from __future__ import annotations

import errno
import json
import multiprocessing
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import bayescorr
from bayescorr.errors import OptionError, StudyError
from bayescorr.study import Study, read_results, run_study, study_status
from bayescorr.study import store as store_module
from bayescorr.study.work import Unit, collection_seeds, missing_units


def test_seeds_are_the_same_on_every_machine_and_differ_between_collections():
    unit = Unit("demo", "effects", 50, 0, 10)
    assert collection_seeds(1, unit, 0) == (4000938941091554409, 7558518024759806657)
    others = {
        collection_seeds(seed, replace(unit, **change), trial)
        for seed in (1, 2)
        for change in ({}, {"source": "x"}, {"simulator": "x"}, {"n_topics": 5})
        for trial in (0, 1)
    }
    assert len(others) == 16


def test_units_cover_what_is_missing_once():
    rng = np.random.default_rng(1)
    cell = ("demo", "effects", 50)
    for _ in range(50):
        trials, batch = rng.integers(1, 30), rng.integers(1, 8)
        there = missing_units([cell], rng.integers(1, 30), rng.integers(1, 8), [])
        done = [unit for unit in there if rng.random() < 0.5]
        units = missing_units([cell], trials, batch, done)
        covered = [t for unit in units for t in range(unit.start, unit.stop)]
        before = {t for unit in done for t in range(unit.start, unit.stop)}
        assert covered == sorted(set(range(trials)) - before)
        assert all(unit.stop - unit.start <= batch for unit in units)
        assert all(Unit.from_key(unit.key) == unit for unit in units)


def test_rows_agree_with_the_public_functions(small, tmp_path):
    results = run_study(small, tmp_path / "out", workers=1)
    assert len(results) == 2 * 5 * 2 * 2
    scores = bayescorr.drop_worst(bayescorr.load_dataset("demo"), 0.75)
    simulator = bayescorr.ResampleSimulator(scores)
    simulated, seed = collection_seeds(7, Unit("demo", "resample", 8, 0, 1), 3)
    drawn = simulator.sample(8, simulated)
    rows = results.query("n_topics == 8 and trial == 3")
    for level in (0.5, 0.9):
        table = bayescorr.estimate(drawn, ["ML", "RES"], level=level, random_seed=seed)
        np.testing.assert_array_equal(rows["estimate"], table["estimate"])
        np.testing.assert_array_equal(rows["sd"], table["sd"])
        np.testing.assert_array_equal(rows[f"lower_{level}"], table["lower"])
        np.testing.assert_array_equal(rows[f"upper_{level}"], table["upper"])
    actual = bayescorr.tau(simulator.true_means, drawn.mean())
    assert rows["actual"].iloc[0] == pytest.approx(float(actual), abs=1e-12)


def test_exact_bayesian_models_and_thesis_intervals_are_methods(tmp_path):
    pairs = {"name": "ML-200", "estimator": "ML", "pairs": 200}
    study = Study(
        "b", [{"name": "demo", "drop_worst": 0.75}], ["resample"], [6], 2,
        ["ML", pairs, "bayes:flat", {"model": "flat", "name": "hdi", "interval": "highest-density",
                                     "point": "median"}],
        coefficients=["tau", "tau_gap"], levels=[0.9],
    )  # fmt: skip
    results = run_study(study, tmp_path / "out", workers=1).query("trial == 0")
    ml, sampled, flat, hdi = (results[results["method"] == m.name] for m in study.methods)
    assert sampled["estimate"].iloc[0] == ml["estimate"].iloc[0]
    centre = (sampled["lower_0.9"] + sampled["upper_0.9"]).iloc[0] / 2
    assert centre == pytest.approx(ml["estimate"].iloc[0])
    width = (sampled["upper_0.9"] - sampled["lower_0.9"]).iloc[0]
    assert width == pytest.approx(2 * 1.6448536 * sampled["sd"].iloc[0])
    assert np.isnan(sampled["sd"].iloc[1])
    assert json.loads(flat["diagnostics"].iloc[0])["divergences"] == 0
    shorter = (hdi["upper_0.9"] - hdi["lower_0.9"]) <= (
        flat["upper_0.9"].to_numpy() - flat["lower_0.9"].to_numpy()
    )
    assert shorter.all()


@pytest.mark.slow
def test_workers_do_not_change_results(small, tmp_path, without_seconds):
    alone = run_study(small, tmp_path / "one", workers=1)
    without_seconds(run_study(small, tmp_path / "two", workers=2), alone)


def test_neither_other_methods_nor_batches_change_results(small, tmp_path, without_seconds):
    alone = run_study(small, tmp_path / "one", workers=1)
    without_seconds(run_study(replace(small, batch=1), tmp_path / "two", workers=1), alone)
    more = run_study(
        replace(small, methods=("MSQD", *small.methods), topics=(8,)), tmp_path / "more", workers=1
    )
    kept = more[more["method"] != "MSQD"].reset_index(drop=True)
    expected = alone[alone["n_topics"] == 8].reset_index(drop=True)
    kept["method"] = kept["method"].cat.remove_unused_categories()
    without_seconds(kept, expected)


def test_a_stopped_run_goes_on_where_it_was(small, tmp_path, without_seconds):
    expected = run_study(small, tmp_path / "whole", workers=1)
    out = tmp_path / "stopped"
    seen = []

    def stop_after_two(done, total):
        seen.append(done)
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_study(small, out, workers=1, progress=stop_after_two)
    files = {path.name: path.stat().st_mtime_ns for path in (out / "results").iterdir()}
    assert len(files) == 2
    assert study_status(out)["done"].tolist() == [4, 0]
    (out / "results" / "demo--resample--n8--0-2.parquet.partial").write_bytes(b"half")
    resumed: list[tuple[int, int]] = []
    without_seconds(
        run_study(small, out, workers=1, progress=lambda *x: resumed.append(x)), expected
    )
    assert resumed == [(4, 10), (5, 10), (7, 10), (9, 10), (10, 10)]
    for name, time in files.items():
        assert (out / "results" / name).stat().st_mtime_ns == time
    assert not list(out.rglob("*.partial"))
    assert study_status(out)["done"].tolist() == [5, 5]


def test_a_full_disk_loses_nothing(small, tmp_path, monkeypatch, without_seconds):
    expected = run_study(small, tmp_path / "whole", workers=1)
    write = store_module.pa.parquet.write_table
    written = []

    def fill_up(table, path):
        written.append(path)
        write(table, path)
        if len(written) > 3:
            path.write_bytes(path.read_bytes()[:100])
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(store_module.pa.parquet, "write_table", fill_up)
    out = tmp_path / "full"
    with pytest.raises(StudyError, match=r"No space left on device.*run the same command again"):
        run_study(small, out, workers=1)
    monkeypatch.undo()
    assert len(list((out / "results").iterdir())) == 3
    without_seconds(run_study(small, out, workers=1), expected)


def test_more_trials_keep_those_that_are_there(small, tmp_path, without_seconds):
    expected = run_study(small.with_trials(8), tmp_path / "whole", workers=1)
    out = tmp_path / "grown"
    run_study(small.with_trials(3), out, workers=1)
    without_seconds(run_study(small.with_trials(8), out, workers=1), expected)
    assert Study.from_toml(out / "study.toml").trials == 8
    without_seconds(run_study(small.with_trials(2), out, workers=1), expected)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"seed": 8}, "seed"),
        ({"methods": ("ML",)}, "methods"),
        ({"levels": (0.5,)}, "levels"),
        ({"topics": (5, 9)}, "topics"),
        ({"sources": ("demo",)}, "sources, scores of demo"),
    ],
)
def test_another_study_in_the_same_folder_is_refused(small, tmp_path, change, named):
    run_study(small.with_trials(1), tmp_path / "out", workers=1)
    with pytest.raises(StudyError, match=f"another study; changed: {named}.*new folder"):
        run_study(replace(small, **change), tmp_path / "out", workers=1)


def test_changed_scores_are_refused_but_may_move(tmp_path):
    scores = bayescorr.load_dataset("demo").iloc[:, :4].rename_axis("topic")
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        scores.to_csv(tmp_path / folder / "mine.csv")

    def study(folder):
        source = {"name": "mine", "scores": str(tmp_path / folder / "mine.csv")}
        return Study("s", [source], ["resample"], [5], 1, ["ML"])

    run_study(study("here"), tmp_path / "out", workers=1)
    run_study(study("there"), tmp_path / "out", workers=1)
    (scores + 0.01).to_csv(tmp_path / "there" / "mine.csv")
    with pytest.raises(StudyError, match="changed: scores of mine"):
        run_study(study("there"), tmp_path / "out", workers=1)


def test_folders_with_other_things_are_refused(small, tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(StudyError, match="is not empty and does not contain a study"):
        run_study(small, tmp_path, workers=1)
    with pytest.raises(StudyError, match="is a file"):
        run_study(small, tmp_path / "thesis.tex", workers=1)
    with pytest.raises(StudyError, match="does not contain a study"):
        read_results(tmp_path)


@pytest.mark.parametrize("place", ["movie.partial", "deep/movie.partial", "results/movie.partial"])
def test_partial_files_of_others_are_kept(small, tmp_path, place):
    film = tmp_path / "out" / place
    film.parent.mkdir(parents=True)
    film.write_text("x")
    with pytest.raises(StudyError, match="is not empty and does not contain a study"):
        run_study(small, tmp_path / "out", workers=1)
    # They are kept beside a study, too; only the incomplete files of a run are deleted.
    for name in ("study.toml.partial", "scores.json.partial"):
        (tmp_path / "out" / name).write_text("half")
    with store_module.Store(tmp_path / "out").locked():
        pass
    assert list((tmp_path / "out").rglob("*.partial")) == [film]


def test_a_run_killed_before_it_began_goes_on(small, tmp_path):
    (tmp_path / "results").mkdir()
    for name in (".lock", "scores.json", "study.toml.partial"):
        (tmp_path / name).write_text("")
    store_module.Store(tmp_path).check_free()


def _hold(folder, ready, done):
    with store_module.Store(folder).locked():
        ready.set()
        done.wait(30)


@pytest.mark.slow
def test_two_runs_cannot_share_a_folder(small, tmp_path):
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(tmp_path / "out", ready, done))
    other.start()
    assert ready.wait(60)
    with pytest.raises(StudyError, match="Another run is using"):
        run_study(small, tmp_path / "out", workers=1)
    other.kill()
    other.join()
    assert len(run_study(small.with_trials(1), tmp_path / "out", workers=1)) == 8


def test_a_method_that_fails_is_recorded_and_the_rest_goes_on(tmp_path):
    study = Study("f", ["demo"], ["resample"], [3], 2, ["SHw", "ML"], ["tau"])
    results = run_study(study, tmp_path / "out", workers=1)
    failed = results[results["method"] == "SHw"]
    assert failed["estimate"].isna().all()
    assert "needs at least 4 topics" in json.loads(failed["diagnostics"].iloc[0])["error"]
    assert results.loc[results["method"] == "ML", "estimate"].notna().all()
    assert study_status(tmp_path / "out")["failed"].tolist() == [2]


def test_lower_is_better_mirrors_the_scores(tmp_path):
    scores = bayescorr.load_dataset("demo").iloc[:, :8].rename_axis("topic")
    outcomes = []
    for name, values, higher in (("up", scores, True), ("down", -scores, False)):
        values.to_csv(tmp_path / f"{name}.csv")
        source = {"name": "s", "scores": str(tmp_path / f"{name}.csv"), "higher_is_better": higher}
        methods = ["ML", "RES", "bayes:bootstrap"]
        study = Study("m", [source], ["resample"], [6], 3, methods)
        outcomes.append(run_study(study, tmp_path / name, workers=1))
    for column in ("actual", "estimate", "sd", "lower_0.95", "upper_0.95"):
        np.testing.assert_allclose(outcomes[0][column], outcomes[1][column], rtol=1e-12)


def test_workers_and_scheduler_exclude_each_other(small, tmp_path):
    with pytest.raises(OptionError, match="workers and scheduler exclude each other"):
        run_study(small, tmp_path, workers=2, scheduler="tcp://127.0.0.1:1")
    with pytest.raises(OptionError, match="workers must be a whole number, at least 1; got 0"):
        run_study(small, tmp_path, workers=0)


def test_results_can_be_read_as_a_parquet_dataset(small, tmp_path):
    results = run_study(small.with_trials(2), tmp_path / "out", workers=1)
    table = pd.read_parquet(tmp_path / "out" / "results")
    assert len(table) == len(results)
    assert {*table.columns, "split"} == set(results.columns)
