from __future__ import annotations

import json
import re

import pandas as pd
import pytest
from typer.testing import CliRunner

from bayescorr import load_dataset, read_scores
from bayescorr.cli import app, main
from bayescorr.errors import BayescorrError, OptionError


@pytest.fixture
def run():
    """Run the command; errors come out as they are raised, before main() prints them."""

    def invoke(*arguments):
        result = CliRunner().invoke(app, [str(a) for a in arguments])
        if result.exception is not None:
            raise result.exception
        return result

    return invoke


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("topic,a,b,c,d\n1,0.5,0.5,0.25,0.9\n2,0.1,0.1,0.35,0.8\n3,0,0,0,0.1\n")
    return path


def test_scores_describes(run, table):
    output = run("scores", table).stdout
    assert "Scores of 4 systems on 3 topics" in output
    assert "Identical systems: a = b" in output
    assert "Equal means: a = c" in output


def test_scores_json(run, table):
    described = json.loads(run("scores", table, "--json").stdout)
    assert described["systems"] == 4
    assert described["identical"] == [["a", "b"]]
    assert described["zeros"] == pytest.approx(0.25)


def test_json_has_null_for_what_missing_scores_leave_undefined(run, tmp_path):
    path = tmp_path / "holes.csv"
    path.write_text("topic,a,b\n1,0.5,\n2,0.25,0.75\n")
    described = json.loads(run("scores", path, "--json").stdout, parse_constant=pytest.fail)
    assert described["missing"] == 1
    assert described["topic_variance"] is None


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "tsv", "tsv.gz", "parquet"])
def test_scores_converts(run, table, tmp_path, ending):
    out = tmp_path / f"out.{ending}"
    run("scores", table, "--out", out)
    pd.testing.assert_frame_equal(read_scores(out), read_scores(table), check_names=False)


def test_scores_leaves_systems_out(run, table, tmp_path):
    out = tmp_path / "out.csv"
    run("scores", table, "--drop-identical", "--drop-worst", "0.5", "--out", out)
    assert list(read_scores(out).columns) == ["a", "c", "d"]


def test_scores_of_one_measure(run, tmp_path):
    path = tmp_path / "long.csv"
    rows = [f"{s},{t},{m},0.{t}" for s in "ab" for t in (1, 2) for m in ("AP", "RR")]
    path.write_text("\n".join(["run,qid,measure,value", *rows]))
    with pytest.raises(BayescorrError, match="'AP', 'RR'"):
        run("scores", path)
    assert "2 systems on 2 topics" in run("scores", path, "--measure", "RR").stdout


UNDERSTOOD = (
    "30 systems on 50 topics (401 to 450), AP: best rerank-large 0.416, middle ql-rm1 0.286, worst "
    "bool-and 0.067."
)


def test_what_was_understood_is_the_first_line(run):
    result = run("scores", "demo")
    assert result.stdout.splitlines()[0] == f"Scores of {UNDERSTOOD}"
    assert result.stderr == ""


@pytest.mark.parametrize(
    "arguments",
    [("scores", "demo", "--json"), ("significance", "demo", "--json"), ("swap-weights", "demo")],
)
def test_every_command_says_what_was_understood(run, arguments):
    result = run(*arguments)
    assert result.stderr.splitlines()[0] == f"Read {UNDERSTOOD}"
    assert UNDERSTOOD not in result.stdout.splitlines()[0]


def test_what_was_understood_with_two_sources_and_a_direction(run, table):
    lines = run("correlate", table, table, "--lower-is-better").stderr.splitlines()
    systems = "best a 0.200, middle b 0.200, worst d 0.600."
    assert lines == [f"Read 4 systems on 3 topics (1 to 3), lowest is best: {systems}"] * 2


@pytest.fixture
def sideways(tmp_path):
    """Write a table whose rows are systems."""
    path = tmp_path / "sideways.csv"
    path.write_text("model,q1,q2,q3,q4\na,1,0,1,1\nb,0,0,1,0\n")
    return path


def test_a_question_names_the_options(sideways, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["bayescorr", "scores", str(sideways)])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    message, remedy = printed.err.splitlines()
    assert "4 systems on 2 topics, but the rows ('a', 'b') are labelled as systems" in message
    assert remedy == "Use --transpose if the rows are systems, or --as-is if they are topics."


@pytest.mark.parametrize(
    ("option", "size"),
    [("--transpose", "2 systems on 4 topics (q1 to q4)"), ("--as-is", "4 systems on 2 topics")],
)
def test_questions_are_answered_by_options(run, sideways, option, size):
    assert f"Scores of {size}" in run("scores", sideways, option).stdout


def test_what_is_left_out_is_a_note(run, table, tmp_path):
    rows = table.read_text() + "Mean,0.2,0.2,0.2,0.6\n"
    (tmp_path / "m.csv").write_text(rows)
    result = run("scores", tmp_path / "m.csv")
    assert "Note: Left out row 'Mean': it is the mean of the other rows." in result.stderr
    assert "4 systems on 3 topics" in result.stdout
    assert "4 systems on 4 topics" in run("scores", tmp_path / "m.csv", "--as-is").stdout


def test_several_paths(run, tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.eval").write_text(f"map\tq1\t0.{ord(name)}\nmap\tq2\t0.5\n")
    paths = sorted(tmp_path.glob("*.eval"))
    assert "2 systems on 2 topics (q1 to q2), AP" in run("scores", *paths).stdout
    (tmp_path / "t.csv").write_text("topic,a,b\n1,0,1\n2,1,1\n")
    with pytest.raises(BayescorrError, match="Several files must hold one run each"):
        run("scores", *paths, tmp_path / "t.csv")


def test_runs_that_the_shell_has_expanded(run, monkeypatch):
    def score_runs(runs, *more, **options):
        raise OptionError(f"runs: {runs}")

    monkeypatch.setattr("bayescorr.score_runs", score_runs)
    for given in (("--runs", "a", "b"), ("--runs", "a", "--runs", "b"), ("--runs=a", "b")):
        with pytest.raises(OptionError, match=r"runs: \['a', 'b'\]"):
            run("report", *given, "--qrels", "q")


def test_the_largest_size(run, table):
    with pytest.raises(BayescorrError, match=r"more than 1e-05 MB"):
        run("scores", table, "--max-size", "0.00001")


def test_scores_of_a_data_set(run):
    assert "30 systems on 50 topics" in run("scores", "demo").stdout


def test_a_name_that_is_nothing(run):
    with pytest.raises(OptionError, match="neither a file nor a data set"):
        run("scores", "demoo")


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("out.xlsx", r"End it with one of: \.csv"),
        ("none/out.csv", "cannot be written: the folder .* does not exist"),
        ("folder.csv", "cannot be written: it is a folder"),
    ],
)
def test_what_cannot_be_written_is_said_before_anything_is_printed(table, tmp_path, out, message):
    (tmp_path / "folder.csv").mkdir()
    result = CliRunner().invoke(app, ["scores", str(table), "--out", str(tmp_path / out)])
    assert isinstance(result.exception, BayescorrError)
    assert re.search(message, str(result.exception))
    assert result.stdout == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("simulate", "nothing", "--topics", 5),
        ("score-runs", "nothing", "--qrels", "nothing"),
        ("datasets", "get", "nothing"),
    ],
)
def test_where_to_write_is_looked_at_first(run, tmp_path, arguments):
    with pytest.raises(OptionError, match=r"End it with one of: \.csv"):
        run(*arguments, "--out", tmp_path / "out.xlsx")


def test_whose_a_public_data_set_is(run, tmp_path, monkeypatch):
    monkeypatch.setenv("BAYESCORR_DATA", str(tmp_path))
    (tmp_path / "web2010_ap.csv").write_text("a,b,c\n0.5,0.25,0.6\n0.125,0,0.3\n")
    shown = run("scores", "web2010_ap", "--drop-worst", "0.1").stderr
    assert "Licence: CC BY-SA 4.0" in shown
    assert "SIGIR 2018" in shown
    assert "Note: " in shown
    assert "not the published file" in shown


class TestScoreRuns:
    @pytest.fixture
    def folder(self, tmp_path):
        pytest.importorskip("ir_measures")
        (tmp_path / "qrels").write_text("1 0 d1 1\n2 0 d1 1\n")
        (tmp_path / "a.run").write_text("1 Q0 d1 1 2 x\n2 Q0 d1 1 2 x\n9 Q0 d1 1 2 x\n")
        (tmp_path / "b.run").write_text("1 Q0 d2 1 2 x\n1 Q0 d1 2 1 x\n")
        return tmp_path

    def test_prints_csv_and_what_is_missing(self, run, folder):
        result = run("score-runs", folder / "a.run", folder / "b.run", "--qrels", folder / "qrels")
        assert result.stdout.splitlines() == ["topic,a,b", "1,1.0,0.5", "2,1.0,0.0"]
        assert "Scores without results in the runs: 1; counted as 0." in result.stderr
        assert "Topics of the runs without judgments: 1; ignored." in result.stderr

    def test_says_what_was_understood(self, run, folder):
        shown = run("score-runs", folder / "a.run", folder / "b.run", "--qrels", folder / "qrels")
        assert "Read 2 systems on 2 topics (1 to 2), AP: best a 1.000, worst b" in shown.stderr

    @pytest.mark.parametrize("measure", ["p@1", "P_1"])
    def test_measures_in_any_spelling(self, run, folder, measure):
        shown = run(
            "score-runs", folder / "a.run", "--qrels", folder / "qrels", "--measure", measure
        )
        assert "P@1, all scores 0 or 1: best a 1.000" in shown.stderr

    def test_a_misspelt_measure(self, run, folder):
        given = ("score-runs", folder / "a.run", "--qrels", folder / "qrels")
        with pytest.raises(
            OptionError, match=r"Unknown measure 'ndgc@10'\. Did you mean nDCG@10\?"
        ):
            run(*given, "--measure", "ndgc@10")

    def test_writes_a_file(self, run, folder):
        out = folder / "scores.parquet"
        options = ("--qrels", folder / "qrels", "--measure", "P@1", "--out", out)
        assert "2 systems on 2 topics" in run("score-runs", folder / "*.run", *options).stdout
        assert read_scores(out)["b"].tolist() == [0, 0]

    @pytest.mark.parametrize("more", [(), ("--out", "scores.csv")])
    def test_json_is_the_table(self, run, folder, monkeypatch, more):
        monkeypatch.chdir(folder)
        options = ("--qrels", "qrels", "--json", *more)
        assert json.loads(run("score-runs", "*.run", *options).stdout) == [
            {"topic": "1", "a": 1.0, "b": 0.5},
            {"topic": "2", "a": 1.0, "b": 0.0},
        ]
        assert [row["a"] for row in json.loads(run("score-runs", "a.run", *options).stdout)] == [
            1
        ] * 2

    def test_an_undefined_measure_is_not_a_lack_of_results(self, run, folder):
        (folder / "b.run").write_text("1 Q0 d2 1 2 x\n2 Q0 d1 1 2 x\n2 Q0 d2 2 1 x\n")
        options = ("--qrels", folder / "qrels", "--measure", "Accuracy")
        result = run("score-runs", folder / "b.run", *options)
        assert "Accuracy is undefined for 1 scores of topics with results; they count as 0." in (
            result.stderr
        )
        assert "without results" not in result.stderr


class TestDatasets:
    def test_list(self, run):
        output = run("datasets").stdout
        assert "demo" in output
        assert "web2011_p10" in output

    def test_json_has_licence_and_citation(self, run):
        listed = json.loads(run("datasets", "--json").stdout)
        assert listed[1]["licence"].startswith("CC BY-SA")
        assert "SIGIR" in listed[1]["citation"]

    def test_get_prints_csv_and_the_licence(self, run):
        result = run("datasets", "get", "demo")
        assert result.stdout.startswith("topic,bm25,")
        assert "Licence: MIT" in result.stderr

    def test_get_prints_json(self, run, tmp_path):
        out = tmp_path / "demo.csv"
        records = json.loads(run("datasets", "get", "demo", "--json", "--out", out).stdout)
        frame = pd.DataFrame(records).set_index("topic")
        pd.testing.assert_frame_equal(frame, load_dataset("demo"), check_names=False)
        assert out.exists()

    def test_get_writes_a_file(self, run, tmp_path):
        run("datasets", "get", "demo", "--out", tmp_path / "demo.tsv.gz")
        pd.testing.assert_frame_equal(read_scores(tmp_path / "demo.tsv.gz"), load_dataset("demo"))
