"""Several outputs of trec_eval in one file."""

from __future__ import annotations

import pytest

from bayescorr import ScoresError, read_scores

SCORES = {"bm25": {"1": 0.5, "2": 0.25}, "lm": {"1": 0.125, "2": 1.0}}


def output(run, named=True):
    """Print scores as ``trec_eval -q`` does: topics first, then averages after the name."""
    lines = [
        f"{measure}\t{topic}\t{value}"
        for topic, score in SCORES[run].items()
        for measure, value in (("num_ret", 1000), ("map", score), ("P_10", 0.5))
    ]
    lines += [f"runid\tall\t{run}"] * named + ["num_q\tall\t2", "map\tall\t0.9"]
    return "\n".join(lines) + "\n"


def write(folder, text):
    (folder / "all.eval").write_text(text)
    return folder / "all.eval"


def test_outputs_in_one_file(tmp_path):
    scores = read_scores(write(tmp_path, output("bm25") + output("lm")), measure="AP")
    assert scores.to_dict() == SCORES
    assert scores.attrs["measure"] == "AP"


def test_names_before_the_scores(tmp_path):
    """As in files that were put together by hand."""
    blocks = [f"runid all {run}\n" + output(run, named=False).replace("\t", " ") for run in SCORES]
    assert read_scores(write(tmp_path, "".join(blocks)), measure="map").to_dict() == SCORES


def test_counts_are_no_measures_unless_asked_for(tmp_path):
    path = write(tmp_path, output("bm25") + output("lm"))
    with pytest.raises(ScoresError, match=r"scores of 2 measures: 'P_10', 'map'\."):
        read_scores(path)
    assert read_scores(path, measure="num_ret", as_is=True).to_numpy().max() == 1000


def test_several_files_one_of_which_has_several_runs(tmp_path):
    (tmp_path / "a.eval").write_text(output("bm25") + output("lm"))
    (tmp_path / "b.eval").write_text("map\t1\t0.75\nmap\t2\t0.5\nmap\tall\t0.9\n")
    scores = read_scores(tmp_path, measure="map")
    assert list(scores.columns) == ["bm25", "lm", "b"]
    assert scores["b"].tolist() == [0.75, 0.5]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            output("bm25", named=False) + output("lm", named=False),
            r"line 9: second score of num_ret on topic '1'; first on line 1\. If .* runid lines",
        ),
        (
            output("bm25") + output("bm25"),
            r"line 16: run 'bm25' occurs again; first on line 7\. Give every run a name",
        ),
        (
            output("bm25") + output("lm") + "map\t1\t0.5\n",
            r"line 19: no runid line follows this score",
        ),
    ],
)
def test_runs_that_cannot_be_told_apart(tmp_path, text, message):
    with pytest.raises(ScoresError, match=message):
        read_scores(write(tmp_path, text), measure="map")
