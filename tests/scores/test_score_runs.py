from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest

from bayescorr import score_runs
from bayescorr.errors import MissingDependencyError, OptionError, RunsError, ScoresWarning
from bayescorr.scores.runs import EXAMPLES
from bayescorr.scores.trec import read_qrels, read_run

ir_measures = pytest.importorskip("ir_measures")

MEASURES = ("AP", "nDCG@10", "P@10")
QRELS = "1 0 d1 1\n1 0 d2 0\n2 0 d2 2\n3 0 d1 1\n"
RUN = "1 Q0 d1 1 2.5 x\n1 Q0 d2 2 1.5 x\n2 Q0 d1 1 2 x\n2 Q0 d2 2 1 x\n3 Q0 d1 1 1 x\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a.run").write_text(RUN)
    (tmp_path / "runs" / "b-0.4.txt.gz").write_bytes(gzip.compress(RUN.encode()))
    return tmp_path


def test_worked_by_hand(folder):
    scores = score_runs(folder / "runs", folder / "qrels.txt")
    expected = pd.DataFrame({"a": [1, 0.5, 1], "b-0.4": [1, 0.5, 1]}, index=["1", "2", "3"])
    pd.testing.assert_frame_equal(scores, expected)
    assert scores.attrs == {"measure": "AP", "unscored": 0, "unjudged": 0}


def test_patterns_and_lists_are_the_same(folder):
    qrels = folder / "qrels.txt"
    by_folder = score_runs(folder / "runs", qrels)
    pd.testing.assert_frame_equal(score_runs(str(folder / "runs" / "*"), qrels), by_folder)
    paths = sorted((folder / "runs").iterdir())
    pd.testing.assert_frame_equal(score_runs(paths, qrels), by_folder)
    assert list(score_runs(paths[::-1], qrels).columns) == ["b-0.4", "a"]


class TestTopicsWithoutResults:
    @pytest.fixture
    def score(self, folder):
        run = "1 Q0 d1 1 2.5 x\n2 Q0 d1 1 2 x\n99 Q0 d1 1 2 x\n"
        (folder / "runs" / "a.run").write_text(run)
        return lambda **options: score_runs(folder / "runs", folder / "qrels.txt", **options)

    def test_score_zero_and_are_counted(self, score):
        scores = score()
        assert scores["a"].tolist() == [1, 0, 0]
        assert scores.attrs["unscored"] == 1
        assert scores.attrs["unjudged"] == 1
        assert "99" not in scores.index

    def test_are_dropped(self, score):
        scores = score(missing="drop")
        assert list(scores.index) == ["1", "2"]
        assert scores.attrs["unscored"] == 1

    def test_stay_missing(self, score):
        assert np.isnan(score(missing="model").loc["3", "a"])


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "P@10", "Bpref", "NumRet", "Judged@10"])
@pytest.mark.parametrize("subtopics", ["", "2 1 d1 1\n2 2 d1 -2\n"])
def test_topics_with_grades_below_minus_one_only_have_no_relevant_documents(
    folder, measure, subtopics
):
    def scored(grade):
        judged = "1 0 d1 1\n1 0 d2 -5\n" + subtopics.replace("-2", grade) + f"2 0 d2 {grade}\n"
        (folder / "qrels.txt").write_text(judged)
        return score_runs(folder / "runs", folder / "qrels.txt", measure)

    pd.testing.assert_frame_equal(scored("-2"), scored("-1"))
    if measure not in ("NumRet", "Judged@10"):
        assert scored("-2").loc["2"].tolist() == [0, 0]


@pytest.mark.parametrize("measure", EXAMPLES.replace(" or ", ", ").split(", "))
def test_the_measures_suggested_can_be_computed(folder, measure):
    assert measure in score_runs.__doc__
    assert score_runs(folder / "runs", folder / "qrels.txt", measure).notna().all(axis=None)


def test_clashing_file_names_give_way_to_tags(folder):
    for name, tag in (("x", "first"), ("y", "second")):
        (folder / name).mkdir()
        (folder / name / "input.run").write_text(RUN.replace(" x\n", f" {tag}\n"))
    runs = [folder / "x" / "input.run", folder / "y" / "input.run", folder / "runs" / "a.run"]
    assert list(score_runs(runs, folder / "qrels.txt").columns) == ["first", "second", "a"]
    (folder / "y" / "input.run").write_text(RUN.replace(" x\n", " first\n"))
    with pytest.raises(
        RunsError, match=r"x.input\.run and .*y.input\.run have the same system name, 'first'"
    ):
        score_runs(runs, folder / "qrels.txt")


def test_the_same_file_twice(folder):
    with pytest.raises(RunsError, match="Duplicate files"):
        score_runs([folder / "runs", folder / "runs" / "a.run"], folder / "qrels.txt")


def test_measure_of_a_library_that_is_not_there(folder, monkeypatch):
    for provider in ir_measures.providers.registry.values():
        monkeypatch.setattr(provider, "_is_available", False)
    with pytest.raises(
        OptionError, match=r"cannot be computed: .*pytrec_eval.*Install one of these"
    ):
        score_runs(folder / "runs", folder / "qrels.txt", "AP")


def test_without_ir_measures(folder, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ir_measures", None)
    with pytest.raises(MissingDependencyError, match=r"bayescorr\[runs\]"):
        score_runs(folder / "runs", folder / "qrels.txt")


def test_read_run_and_qrels(folder):
    run = read_run(folder / "runs" / "a.run")
    assert list(run.columns) == ["topic", "doc", "rank", "score"]
    assert run.iloc[1].tolist() == ["1", "d2", 2, 1.5]
    assert run.attrs["tag"] == "x"
    qrels = read_qrels(folder / "qrels.txt")
    assert qrels.iloc[2].tolist() == ["2", "d2", 2, "0"]
    assert qrels["relevance"].dtype == np.int64


def test_subtopics_may_judge_a_document_twice(tmp_path):
    (tmp_path / "qrels").write_text("1 1 d1 1\n1 2 d1 0\n")
    assert read_qrels(tmp_path / "qrels")["iteration"].tolist() == ["1", "2"]


def directly(paths, qrels):
    """Score with ir_measures alone: its own readers, one run after the other."""
    measures = [ir_measures.AP, ir_measures.nDCG @ 10, ir_measures.P @ 10]
    judged = list(ir_measures.read_trec_qrels(str(qrels)))
    scores = {measure: {} for measure in MEASURES}
    for path in paths:
        run = list(ir_measures.read_trec_run(str(path)))
        name = path.name.removesuffix(".gz").removesuffix(".run")
        for metric in ir_measures.iter_calc(measures, judged, run):
            column = scores[str(metric.measure)].setdefault(name, {})
            column[metric.query_id] = metric.value
    return {measure: pd.DataFrame(columns) for measure, columns in scores.items()}


@pytest.mark.slow
def test_all_27_cranfield_runs_agree_with_ir_measures(cranfield):
    paths = sorted((cranfield / "runs").iterdir())
    qrels = cranfield / "qrels.txt"
    expected = directly(paths, qrels)
    for measure in MEASURES:
        scores = score_runs(paths, qrels, measure)
        assert scores.shape == (225, 27)
        pd.testing.assert_frame_equal(
            scores, expected[measure].loc[scores.index, scores.columns], check_exact=True
        )


class TestSeveralJudges:
    @pytest.fixture
    def judges(self, folder):
        (folder / "gpt.qrels").write_text("1 0 d1 0\n1 0 d2 1\n2 0 d2 0\n3 0 d1 1\n")
        return {"human": folder / "qrels.txt", "gpt": folder / "gpt.qrels"}

    def test_each_scores_as_alone(self, folder, judges):
        with pytest.warns(ScoresWarning, match=r"gpt judges no .* 1 of 3 topics \(2\)"):
            found = score_runs(folder / "runs", judges, "nDCG@10")
        assert list(found) == ["human", "gpt"]
        for name, path in judges.items():
            alone = score_runs(folder / "runs", path, "nDCG@10")
            pd.testing.assert_frame_equal(found[name], alone)
            assert found[name].attrs == alone.attrs

    def test_of_other_topics_are_refused_by_file(self, folder, judges):
        judges["gpt"].write_text("77 0 d1 1\n")
        with pytest.raises(RunsError, match=r"a.run: none of its 3 topics .*gpt.qrels \(77\)"):
            score_runs(folder / "runs", judges)
