"""The frame of the command line: help, version, errors, output for people and for programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pandas as pd
import pytest
from typer.testing import CliRunner

from bayescorr.cli import app, main
from bayescorr.cli._output import show_table

COMMAND = [sys.executable, "-c", "from bayescorr.cli import main; main()"]


def bayescorr(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=120)


def test_version():
    import bayescorr as package

    assert bayescorr("--version").stdout.strip() == f"bayescorr {package.__version__}"


def test_help_groups_commands_by_task():
    text = bayescorr("--help").stdout
    for panel in ("Scores", "Coefficients", "Estimates"):
        assert f"─ {panel} ─" in text


def test_error_is_one_line_and_a_remedy(tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_text("topic,a,b\nt1,0.1,x\nt2,0.2,0.3\n")
    done = bayescorr("estimate", str(bad))
    assert done.returncode == 2
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("Error: ")
    assert "'x'" in lines[0]
    assert "\x1b" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("position", ["before", "after"])
def test_debug_shows_the_traceback(position):
    arguments = ["scores", "no-such-file.csv"]
    arguments = ["--debug", *arguments] if position == "before" else [*arguments, "--debug"]
    done = bayescorr(*arguments)
    assert done.returncode == 1
    assert "Traceback" in done.stderr


def test_table_json_csv_and_latex_hold_the_same_numbers():
    arguments = ("estimate", "demo", "--methods", "ML", "--coefficients", "tau", "--seed", "1")

    def printed(*options: str) -> str:
        return CliRunner().invoke(app, [*arguments, *options]).stdout

    (row,) = json.loads(printed("--json"))
    estimate = f"{row['estimate']:.4f}"
    assert estimate in printed()
    assert f"& {estimate} &" in printed("--latex")
    header, values = printed("--csv").splitlines()
    assert float(dict(zip(header.split(","), values.split(","), strict=True))["estimate"]) == (
        pytest.approx(row["estimate"], rel=1e-14)
    )


def test_labels_are_no_markup(capsys):
    labels = ["run[a]", "x[/]y", ":smile:", "[red]b[/red]"]
    show_table(pd.DataFrame({"sys[x]": labels, "n": 1.0}), title="E[tau] [/]")
    printed = capsys.readouterr().out
    for text in (*labels, "sys[x]", "E[tau] [/]"):
        assert text in printed


def test_numbers_and_labels_are_never_shortened(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    label = "bayes:bootstrap-shrunk"
    frame = pd.DataFrame({f"column{i}": [0.12345] for i in range(40)}).assign(method=label)
    show_table(frame.assign(words="some words " * 20))
    printed = capsys.readouterr().out
    assert printed.count("0.1235") == 40
    assert "column39" in printed
    assert label in printed
    assert "…" not in printed


@pytest.mark.slow
def test_characters_that_the_output_lacks(tmp_path, monkeypatch):
    (tmp_path / "s.csv").write_text("topic,ä,b\n1,.1,.2\n2,.1,.3\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    done = bayescorr("scores", str(tmp_path / "s.csv"))
    assert done.returncode == 0
    assert r"\xe4" in done.stdout


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.slow
def test_output_that_cannot_be_written():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "scores", "demo"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == "Error: No space left on device."
    assert len(done.stderr.splitlines()) == 2


def test_an_end_of_file_is_no_interrupt(monkeypatch, capsys):
    def end(*arguments, **options):
        raise EOFError("Compressed file ended")

    monkeypatch.setattr("bayescorr.load_dataset", end)
    monkeypatch.setattr("sys.argv", ["bayescorr", "scores", "demo"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert "Error: Compressed file ended." in capsys.readouterr().err


def test_no_colour_when_piped():
    assert "\x1b" not in bayescorr("scores", "demo").stdout


WRONG = {
    "option": (["scores", "demo", "--nope"], "No such option: --nope", "scores --help"),
    "argument": (["infer-ap", "a.run"], "Missing argument 'QRELS'", "infer-ap --help"),
    "command": (["nosuchcommand"], "No such command 'nosuchcommand'", "bayescorr --help"),
    "seed": (["swap-experiment", "demo", "--seed", "-1"], "'--seed'", "swap-experiment --help"),
    "measure": (
        ["scores", "demo", "--measure", "P@10"],
        "has scores of AP only; got --measure P@10",
        "Omit",
    ),
    "coefficient": (["agree", "demo", "demo", "--coefficients", "x"], "Unknown coeff", "Choose"),
    "no coefficient": (
        ["correlate", "demo", "demo", "--coefficients", ""],
        "needs at least one name",
        "Example",
    ),
    "target": (
        ["topics", "demo", "--target", "2"],
        "--target must be between -1 and 1; got 2",
        "--target 0.9",
    ),
    "level": (
        ["fit", "demo", "--level", "95"],
        "--level must be between 0 and 1; got 95",
        "--level 0.95",
    ),
    "method": (["compare", "demo", "--methods", "MLE"], "Unknown method 'MLE'", "Choose"),
    "plot": (["swap-weights", "demo", "--plot", "x.foo"], "plot format 'foo'", "png"),
    "missing": (["significance", "m.csv"], "1 score is missing", "use --missing drop to leave"),
    "averages": (
        ["scores", "agg.csv"],
        "one row per system (column 'name')",
        "name that column topic",
    ),
    "no -q": (["scores", "e.eval"], "only averages over topics", "with -q"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_typed_wrong_is_said_at_once_in_one_line(case, tmp_path, monkeypatch, capsys):
    arguments, message, remedy = WRONG[case]
    (tmp_path / "m.csv").write_text("topic,a,b\n1,.1,\n2,.2,.3\n3,.1,.4\n")
    (tmp_path / "agg.csv").write_text("name,map,ndcg\na,.1,.2\nb,.2,.3\nc,.3,.1\n")
    (tmp_path / "e.eval").write_text("runid\tall\tbm\nmap\tall\t0.15\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("bayescorr.fit", None)  # nothing is sampled before the error
    monkeypatch.setattr("sys.argv", ["bayescorr", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    printed = capsys.readouterr()
    assert left.value.code == 2
    assert printed.out == ""
    first, second = printed.err.splitlines()
    assert first.startswith("Error: ")
    assert message in first
    assert remedy in second
