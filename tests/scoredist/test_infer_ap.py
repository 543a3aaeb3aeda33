from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest

from bayescorr import (
    aupr,
    aupr_exact,
    expected_ap,
    fit_score_distribution,
    infer_ap,
    infer_scores,
    inference_error,
    plot_inferred,
    score_runs,
)
from bayescorr.errors import OptionError, RunsError, ScoresError, ScoresWarning
from bayescorr.scores.trec import read_qrels, read_run


def lines(topic, scores, relevant, tag="x"):
    """Run and qrels lines of a topic; documents are named d1, d2, ... by rank."""
    run = [f"{topic} Q0 d{i} {i} {score} {tag}" for i, score in enumerate(scores, 1)]
    qrels = [f"{topic} 0 d{i} {int(i in relevant)}" for i in range(1, len(scores) + 1)]
    return "\n".join(run) + "\n", "\n".join(qrels) + "\n"


def without(path, topic):
    """Text of a file less the lines of a topic."""
    rows = path.read_text().splitlines(keepends=True)
    return "".join(row for row in rows if not row.startswith(f"{topic} "))


@pytest.fixture
def collection(tmp_path):
    """Three topics: one fine, one with a single relevant document, one with none returned."""
    first = lines("1", [9.0, 7.5, 6.0, 5.0, 4.5, 3.0, 2.0], {1, 2, 4})
    second = lines("2", [8.0, 7.0, 6.5, 1.0], {3})
    third = lines("3", [8.5, 6.0, 5.0, 4.0, 2.5, 1.0], {1, 3})
    (tmp_path / "x.run").write_text(first[0] + second[0] + third[0])
    (tmp_path / "qrels").write_text(first[1] + second[1] + third[1] + "3 0 d99 2\n4 0 d1 1\n")
    return tmp_path / "x.run", tmp_path / "qrels"


class TestOneRun:
    def test_every_column(self, collection):
        left_out = r"2 topics were left out: 4 \(no documents"
        not_returned = '1 of 6 relevant documents were not returned.*denominator="judged"'
        with (
            pytest.warns(ScoresWarning, match=left_out),
            pytest.warns(ScoresWarning, match=not_returned),
        ):
            table = infer_ap(*collection)
        assert list(table.index) == ["1", "3"]
        assert table["returned"].tolist() == [7, 6]
        assert table["relevant_returned"].tolist() == [3, 2]
        assert table["relevant"].tolist() == [3, 3]
        assert table["actual"].tolist() == pytest.approx([(1 + 1 + 3 / 4) / 3, (1 + 2 / 3) / 3])
        assert table["mixing"].tolist() == pytest.approx([3 / 7, 2 / 6])
        assert table.attrs["left_out"] == {
            "4": "no documents returned",
            "2": "1 relevant and 3 non-relevant documents returned; need at least 2 of each",
        }

    @pytest.mark.parametrize("method", ["aupr", "expected", "exact"])
    @pytest.mark.parametrize("family", ["gamma", "lognormal", "normal", "exponential-normal"])
    @pytest.mark.parametrize("estimator", ["moments", "likelihood"])
    def test_is_the_model_of_each_topic(self, collection, method, family, estimator):
        table = infer_ap(*collection, family, method, estimator=estimator, warn=False)
        scores = np.array([8.5, 6.0, 5.0, 4.0, 2.5, 1.0])
        relevant = np.array([True, False, True, False, False, False])
        model = fit_score_distribution(scores, relevant, family, estimator=estimator)
        alone = {
            "aupr": aupr(model),
            "expected": expected_ap(model, scores),
            "exact": aupr_exact(model),
        }
        assert table.loc["3", "inferred"] == pytest.approx(alone[method], rel=1e-9)
        for name, value in model.parameters.items():
            assert table.loc["3", name] == pytest.approx(value)

    def test_denominator(self, collection):
        returned = infer_ap(*collection, warn=False)["inferred"]
        judged = infer_ap(*collection, denominator="judged", warn=False)["inferred"]
        np.testing.assert_allclose(judged / returned, [1, 2 / 3])
        with pytest.warns(ScoresWarning, match="left out: .*2 of each\\)\\.$"):
            infer_ap(*collection, denominator="judged")

    def test_min_relevance(self, collection):
        run, qrels = collection
        text = qrels.read_text().replace("3 0 d3 1", "3 0 d3 2").replace("3 0 d1 1", "3 0 d1 2")
        qrels.write_text(text)
        table = infer_ap(run, qrels, min_relevance=2, warn=False)
        assert list(table.index) == ["3"]
        assert table["relevant"].tolist() == [3]

    def test_tables_do_as_well_as_files_in_any_order_of_topics(self, collection):
        expected = infer_ap(*collection, warn=False)
        run, qrels = read_run(collection[0]), read_qrels(collection[1])
        order = np.argsort(run["rank"].to_numpy(), kind="stable")
        mixed = infer_ap(run.iloc[order], qrels.iloc[::-1], warn=False)
        pd.testing.assert_frame_equal(mixed, expected)
        plain = pd.DataFrame(run[["topic", "doc", "score"]].to_dict("list"))
        pd.testing.assert_frame_equal(infer_ap(plain, qrels, warn=False), expected)

    def test_scores_that_are_all_equal_are_left_out(self, tmp_path):
        first = lines("1", [5.0, 4.0, 2.0, 2.0, 2.0], {1, 2})
        second = lines("2", [5.0, 4.0, 3.0, 2.0, 2.0], {1, 2})
        (tmp_path / "run").write_text(first[0] + second[0])
        (tmp_path / "qrels").write_text(first[1] + second[1])
        with pytest.warns(ScoresWarning, match="do not determine the parameters"):
            table = infer_ap(tmp_path / "run", tmp_path / "qrels")
        assert list(table.index) == ["2"]

    def test_ties_are_ranked_as_trec_eval_does(self, tmp_path):
        pytest.importorskip("ir_measures")
        rng = np.random.default_rng(4)
        texts = [[], []]
        for topic in range(30):
            scores = -np.sort(-rng.integers(0, 5, 40)).astype(float) + 1
            documents = [f"d{i}" for i in rng.permutation(40)]
            good = set(rng.choice(documents, 8, replace=False))
            for i, (document, score) in enumerate(zip(documents, scores, strict=True), 1):
                # Equal in single precision, not in double: a tie for trec_eval.
                texts[0].append(f"{topic} Q0 {document} {i} {float(score) - i * 1e-12!r} x")
            texts[1] += [f"{topic} 0 {document} {int(document in good)}" for document in documents]
        (tmp_path / "t.run").write_text("\n".join(texts[0]))
        (tmp_path / "qrels").write_text("\n".join(texts[1]))
        table = infer_ap(tmp_path / "t.run", tmp_path / "qrels", warn=False)
        peer = score_runs(tmp_path / "t.run", tmp_path / "qrels", "AP")["t"]
        np.testing.assert_allclose(table["actual"], peer.loc[table.index], atol=1e-12)

    def test_inference_error(self):
        table = pd.DataFrame({"actual": [0.1, 0.2, 0.3], "inferred": [0.1, 0.2, 0.6]})
        found = inference_error(table)
        assert found["tau"] == pytest.approx(1)
        assert found["rmse"] == pytest.approx(0.3 / np.sqrt(3))
        assert np.isnan(inference_error(table[:1])["tau"])
        with pytest.raises(OptionError, match="no topics"):
            inference_error(table[:0])

    def test_inference_error_of_equal_values(self):
        """A ranking of nothing agrees with nothing, whichever side it is on."""
        table = pd.DataFrame({"actual": [1.0, 1, 1], "inferred": [0.2, 0.9, 0.5]})
        turned = table.rename(columns={"actual": "inferred", "inferred": "actual"})
        assert np.isnan(inference_error(table)["tau"])
        assert np.isnan(inference_error(turned)["tau"])

    def test_plot(self, collection):
        matplotlib = pytest.importorskip("matplotlib")
        matplotlib.use("Agg")
        table = infer_ap(*collection, warn=False).assign(lower=0.1, upper=0.9)
        ax = plot_inferred(table, title="x")
        dots = ax.collections[1].get_offsets()
        np.testing.assert_allclose(dots, table[["actual", "inferred"]])
        matplotlib.pyplot.close(ax.figure)


class TestManyRuns:
    def test_matrix(self, collection, tmp_path):
        run, qrels = collection
        other = gzip.compress(run.read_text().replace("6.0", "6.2").encode())
        (tmp_path / "y.run.gz").write_bytes(other)
        with (
            pytest.warns(ScoresWarning, match="2 of 12 relevant documents were not returned"),
            pytest.warns(ScoresWarning, match="No score could be inferred for 2 topics: 2, 4"),
        ):
            matrix = infer_scores(str(tmp_path / "*.run*"), qrels)
        assert list(matrix.columns) == ["x", "y"]
        assert list(matrix.index) == ["1", "3"]
        expected = infer_ap(run, qrels, warn=False)["inferred"]
        assert matrix["x"].tolist() == expected.tolist()
        assert matrix["x"].tolist() != matrix["y"].tolist()

    @pytest.fixture
    def with_a_hole(self, collection, tmp_path):
        run, qrels = collection
        more = lines("5", [8.0, 6.0, 4.0, 3.0, 1.0], {1, 3})
        run.write_text(run.read_text() + more[0])
        qrels.write_text(qrels.read_text().replace("3 0 d99 2\n", "") + more[1])
        (tmp_path / "y.run").write_text(without(run, "1"))
        return [run, tmp_path / "y.run"], qrels

    def test_missing_scores(self, with_a_hole):
        with pytest.warns(ScoresWarning, match="1 score could not be inferred for 1 topic: 1"):
            assert list(infer_scores(*with_a_hole).index) == ["3", "5"]
        kept = infer_scores(*with_a_hole, missing="model", warn=False)
        assert np.isnan(kept.loc["1", "y"])
        assert kept.attrs["uninferred"] == 1
        assert infer_scores(*with_a_hole, missing="zero", warn=False).loc["1", "y"] == 0
        with pytest.raises(ScoresError, match="1 score is missing"):
            infer_scores(*with_a_hole, missing="error", warn=False)
        with pytest.raises(OptionError, match="missing"):
            infer_scores(*with_a_hole, missing="guess")


RUN, QRELS = lines("1", [5.0, 4.0, 3.0, 2.0, 1.0], {1, 3})
BAD_RUNS = {
    "five columns": ("1 Q0 d4 4 2.0 x", "1 Q0 d4 4 2.0", "line 4: expected 6 columns .* got 5"),
    "no topic": ("1 Q0 d4 4 2.0 x", "\tQ0\td4\t4\t2.0\tx", "line 4: expected 6 columns .* got 5"),
    "text score": ("4 2.0 x", "4 high x", "line 4: score must be a finite number; got 'high'"),
    "infinite score": ("1 5.0 x", "1 inf x", "line 1: score must be a finite number; got 'inf'"),
    "text rank": ("d4 4", "d4 four", "line 4: rank must be a whole number; got 'four'"),
    "duplicate": ("d4 4", "d2 4", "line 4: duplicate document 'd2' for topic '1'; first on line 2"),
    "unsorted ranks": ("d4 4", "d4 2", "line 4: rank 2 comes after rank 3 in topic '1'"),
    "unsorted scores": ("4 2.0", "4 3.5", r"line 4: score 3\.5 comes after 3 in topic '1'"),
    "negative": (
        "5 1.0",
        "5 -1.0",
        "line 5: the family 'gamma' needs scores of 0 or more; found -1",
    ),
    "blank lines count": (
        "1 Q0 d4 4 2.0 x\n1 Q0 d5 5 1.0",
        "\n\n1 Q0 d4 4 2.0 x\n1 Q0 d5 5 -1.0",
        "line 7: .* found -1",
    ),
    "empty": (RUN, "", "the file is empty"),
    "other topics": ("1 Q0", "7 Q0", "none of its 1 topics is in the qrels.*topics 7, the qrels 1"),
}
BAD_QRELS = {
    "three columns": ("1 0 d4 0", "1 0 d4", "line 4: expected 4 columns .* got 3"),
    "text relevance": (
        "1 0 d4 0",
        "1 0 d4 no",
        "line 4: relevance must be a whole number; got 'no'",
    ),
    "duplicate": (
        "1 0 d4 0",
        "1 0 d2 0",
        "line 4: duplicate document 'd2' for topic '1'; first on line 2",
    ),
    "empty": (QRELS, "\n", "the file is empty"),
    "nothing relevant": (" 1\n", " 0\n", "no topic can be used; topic '1': 0 relevant and 5"),
}


class TestMalformed:
    @pytest.mark.parametrize("case", BAD_RUNS)
    def test_runs(self, tmp_path, case):
        old, new, message = BAD_RUNS[case]
        (tmp_path / "bad.run").write_text(RUN.replace(old, new))
        (tmp_path / "qrels").write_text(QRELS)
        with pytest.raises(RunsError, match=rf"bad\.run[:,] .*{message}|bad\.run, {message}"):
            infer_ap(tmp_path / "bad.run", tmp_path / "qrels")

    @pytest.mark.parametrize("case", BAD_QRELS)
    def test_qrels(self, tmp_path, case):
        old, new, message = BAD_QRELS[case]
        (tmp_path / "x.run").write_text(RUN)
        (tmp_path / "qrels").write_text(QRELS.replace(old, new))
        with pytest.raises(RunsError, match=message) as caught:
            infer_ap(tmp_path / "x.run", tmp_path / "qrels")
        culprit = "x.run" if case == "nothing relevant" else "qrels"
        assert str(tmp_path / culprit) in str(caught.value)

    @pytest.mark.parametrize(
        ("family", "score", "needed"),
        [("lognormal", "0", "positive scores"), ("poisson", "0.5", "whole scores")],
    )
    def test_scores_that_the_family_does_not_support(self, tmp_path, family, score, needed):
        (tmp_path / "x.run").write_text(RUN.replace("5 1.0", f"5 {score}"))
        (tmp_path / "qrels").write_text(QRELS)
        with pytest.raises(RunsError, match=rf"x\.run, line 5: .*{needed}"):
            infer_ap(tmp_path / "x.run", tmp_path / "qrels", family)

    def test_negative_scores_suit_a_normal(self, tmp_path):
        (tmp_path / "x.run").write_text(RUN.replace("5 1.0", "5 -1.0"))
        (tmp_path / "qrels").write_text(QRELS)
        assert len(infer_ap(tmp_path / "x.run", tmp_path / "qrels", "normal")) == 1

    def test_topics_that_cannot_be_used_when_strict(self, collection):
        run, qrels = collection
        with pytest.raises(RunsError, match=r"qrels, line 19: topic '4' has no documents in .*x"):
            infer_ap(run, qrels, strict=True)
        qrels.write_text(qrels.read_text().replace("4 0 d1 1\n", ""))
        with pytest.raises(RunsError, match=r"x\.run, line 8: topic '2' cannot be used: 1 rel"):
            infer_ap(run, qrels, strict=True)
        qrels.write_text(without(qrels, "2"))
        with pytest.raises(RunsError, match=r"x\.run, line 8: topic '2' has no judgments"):
            infer_ap(run, qrels, strict=True)

    @pytest.mark.parametrize(
        ("run", "qrels", "message"),
        [
            ({"doc": ["a", "b", "a"]}, {}, "The run, row 2: topic '1' has document 'a' twice"),
            ({}, {"doc": ["a", "a"]}, "The qrels, row 1: topic '1' has document 'a' twice"),
            ({}, {"relevance": None}, "qrels has no column 'relevance'"),
            ({"score": [3.0, np.nan, 1.0]}, {}, r"The run, row 1: score is missing\."),
            ({"topic": ["1", None, "1"]}, {}, r"The run, row 1: topic is missing\."),
            ({"doc": ["a", "b", np.nan]}, {}, r"The run, row 2: doc is missing\."),
            ({}, {"relevance": np.nan}, r"The qrels, row 0: relevance is missing\."),
            ({"score": ["3", "x", "1"]}, {}, "The run, row 1: score 'x' is not a number"),
            ({"rank": ["one", "two", "three"]}, {}, "row 0: rank 'one' is not a number"),
            ({"rank": ["8", "9", "9"]}, {}, "row 2: rank 9 comes after rank 9"),
        ],
    )
    def test_tables(self, run, qrels, message):
        good = pd.DataFrame({"topic": "1", "doc": ["a", "b", "c"], "score": [3.0, 2.0, 1.0]})
        judged = pd.DataFrame({"topic": "1", "doc": ["a", "b"], "relevance": 1})
        without = [name for name, value in qrels.items() if value is None]
        with pytest.raises(RunsError, match=message):
            infer_ap(good.assign(**run), judged.assign(**qrels).drop(columns=without))

    @pytest.mark.parametrize("run", [None, ["x.run"], pd.DataFrame(columns=["topic", "doc"])])
    def test_what_is_no_run(self, run, collection):
        with pytest.raises(RunsError, match=r"Expected a path; got|no column 'score'"):
            infer_ap(run, collection[1])

    def test_judgments_by_subtopic(self, collection):
        """A document may be judged once for each, in files and in tables."""
        run, qrels = collection
        qrels.write_text(qrels.read_text() + "1 2 d1 1\n")
        table = infer_ap(run, qrels, warn=False)
        pd.testing.assert_frame_equal(infer_ap(run, read_qrels(qrels), warn=False), table)
        assert (
            infer_scores(run, qrels, warn=False).iloc[:, 0].tolist() == table["inferred"].tolist()
        )

    def test_no_rows(self, collection):
        with pytest.raises(RunsError, match=r"The run has no rows\."):
            infer_ap(read_run(collection[0])[:0], collection[1])

    def test_tables_that_were_read_and_then_changed(self, collection):
        """Their rows are not the lines of the file any more."""
        run, qrels = read_run(collection[0]), collection[1]
        with pytest.raises(RunsError, match="'d1' twice"):
            infer_ap(run.assign(doc="d1"), qrels)
        later = run[3:].reset_index(drop=True)
        later.loc[1, "score"] = -1.0
        with pytest.raises(RunsError, match="The run, row 2: score 3 comes after -1"):
            infer_ap(later, qrels)
        with pytest.raises(RunsError, match="The run, row 'd2': score"):
            infer_ap(run.assign(score=-run["score"]).set_index("doc", drop=False), qrels)

    def test_labels_of_tables_are_text_as_in_files(self):
        run = pd.DataFrame({"topic": 1, "doc": range(5), "score": [5.0, 4.0, 3.0, 2.0, 1.0]})
        qrels = pd.DataFrame({"topic": ["1", "1"], "doc": ["0", "2"], "relevance": ["1", "1"]})
        assert infer_ap(run, qrels)["relevant_returned"].tolist() == [2]
        floats = run.assign(topic=1.0, doc=run["doc"].astype("category"))
        assert infer_ap(floats, qrels)["relevant_returned"].tolist() == [2]
        mixed = run.assign(doc=[0, "1", 2, "3", 4], rank=["8", "9", "10", "11", "12"])
        assert infer_ap(mixed, qrels)["relevant_returned"].tolist() == [2]

    def test_options(self, collection):
        with pytest.raises(OptionError, match=r"Unknown method 'area'.*aupr, exact, expected"):
            infer_ap(*collection, method="area")
        with pytest.raises(OptionError, match="denominator"):
            infer_ap(*collection, denominator="all")
        with pytest.raises(
            OptionError, match="min_relevance must be a whole number, at least 0; got '1'"
        ):
            infer_ap(*collection, min_relevance="1")

    def test_a_score_of_zero_has_no_logarithm(self):
        scores = [4.0, 3.0, 2.0, 1.0, 0.0]
        with pytest.raises(ScoresError, match="a score is 0 and its logarithm is needed"):
            fit_score_distribution(scores, np.arange(5) < 2, "gamma", estimator="likelihood")
