"""Agreement of relevance judgments: by hand, published, order, intervals, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from bayescorr import judgment_agreement
from bayescorr.errors import OptionError, RunsError, ScoresWarning

pytest.importorskip("sklearn")
pytest.importorskip("krippendorff")


@pytest.fixture
def write(tmp_path):
    """Write judgments, given as {topic: grades of documents d0, d1, ...}, and return the file."""

    def write(name, grades, reverse=False):
        lines = [
            f"{topic} 0 d{i} {grade}"
            for topic, row in grades.items()
            for i, grade in enumerate(row)
            if grade is not None
        ]
        path = tmp_path / f"{name}.qrels"
        path.write_text("\n".join(lines[::-1] if reverse else lines) + "\n")
        return path

    return write


def estimates(files, **options):
    table = judgment_agreement(files, **{"resamples": 20, "random_seed": 1} | options)
    return table.set_index("coefficient")


def test_kappa_by_hand(write):
    # 6 of 8 labels agree; chance: both relevant 1/2 * 1/2, both not 1/2 * 1/2.
    files = {
        "human": write("a", {"1": [1, 1, 0, 0], "2": [1, 1, 0, 0]}),
        "gpt": write("b", {"1": [1, 0, 0, 0], "2": [1, 1, 0, 1]}),
    }
    found = estimates(files)
    assert found.loc["kappa", "estimate"] == pytest.approx((0.75 - 0.5) / 0.5)
    assert found.loc["kappa_binary", "estimate"] == pytest.approx(0.5)
    assert (found[["documents", "topics", "by_one"]] == [8, 2, 0]).all(axis=None)
    assert (found["judge"] == "gpt").all()


def test_alpha_published(write):
    """Krippendorff, Computing Krippendorff's alpha-reliability (2011), example A: .095."""
    files = {
        "a": write("a", {"1": [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]}),
        "b": write("b", {"1": [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]}),
    }
    assert round(estimates(files).loc["alpha", "estimate"], 3) == 0.095


def test_grades_count_as_grades_and_as_relevant_or_not(write):
    files = {
        "human": write("a", {"1": [3, 2, 1, 0], "2": [3, 0, 0, -1]}),
        "gpt": write("b", {"1": [2, 1, 3, 0], "2": [1, 0, 0, -2]}),
    }
    found = estimates(files)["estimate"]
    assert found["kappa_binary"] == 1
    assert found["kappa"] < 0.5


def test_documents_of_one_judge_are_counted_and_left_out(write):
    human = write("a", {"1": [1, 0, 1, None], "2": [1, 0], "3": [1, 1]})
    gpt = write("b", {"1": [1, 0, None, 1], "2": [1, 1]})
    found = estimates({"human": human, "gpt": gpt})
    assert (found[["documents", "topics", "by_one"]] == [4, 2, 2]).all(axis=None)


def test_the_truth_may_be_any_judge_and_lines_in_any_order(write):
    rng = np.random.default_rng(3)
    grades = {name: {str(t): rng.integers(0, 3, 9) for t in range(8)} for name in "abc"}
    files = {name: write(name, rows) for name, rows in grades.items()}
    found = judgment_agreement(files, "b", resamples=30, random_seed=1)
    assert list(found["judge"].unique()) == ["a", "c"]
    turned = {name: write(name, rows, reverse=True) for name, rows in grades.items()}
    assert judgment_agreement(turned, "b", resamples=30, random_seed=1).equals(found)
    assert (found["lower"] <= found["estimate"]).all()
    assert (found["upper"] >= found["estimate"]).all()


def test_intervals_are_those_of_resampled_topics(write):
    # One topic agrees fully, nine do not at all: 0 to 9 of the ten topics of a sample agree.
    same, other = {"0": [1, 0]}, {str(t): [1, 0] for t in range(1, 10)}
    files = {
        "a": write("a", same | other),
        "b": write("b", same | {t: [0, 1] for t in other}),
    }
    found = estimates(files, resamples=400, level=0.5)
    # kappa of a sample is 2 s - 1, with s the share of topics that agree: binomial(10, 0.1) / 10.
    assert found.loc["kappa", ["estimate", "lower", "upper"]].tolist() == pytest.approx(
        [-0.8, -1.0, -0.6]
    )


def test_identical_judgments_and_one_label_only(write):
    same = {"1": [1, 0], "2": [0, 1]}
    found = estimates({"a": write("a", same), "b": write("b", same)})
    assert (found[["estimate", "lower", "upper"]] == 1).all(axis=None)
    one = {"1": [1, 1], "2": [1, 1]}
    with pytest.warns(ScoresWarning, match=r"Undefined: kappa, kappa_binary, alpha\..*one label"):
        found = estimates({"a": write("a", one), "b": write("b", one)})
    assert found["estimate"].isna().all()


def test_subtopics_are_documents_of_their_own(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    a.write_text("1 1 d 1\n1 2 d 0\n1 1 e 0\n")
    b.write_text("1 1 d 1\n1 2 d 0\n1 1 e 1\n")
    assert (estimates({"a": a, "b": b})["documents"] == 3).all()


def test_refused(write):
    a, b = write("a", {"1": [1, 0]}), write("b", {"9": [1, 0]})
    with pytest.raises(RunsError, match="No document is judged by both a and b: topics 1 and 9"):
        judgment_agreement({"a": a, "b": b})
    with pytest.raises(OptionError, match=r"Unknown judge 'c'. Choose one of: a, b"):
        judgment_agreement({"a": a, "b": b}, "c")
    with pytest.raises(RunsError, match="at least two judges; got a"):
        judgment_agreement({"a": a})
