"""``bayescorr estimate``, ``discordance`` and ``estimators`` print what the functions give."""

from __future__ import annotations

import io
import json
import sys

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import bayescorr as bc
from bayescorr.cli import app, main


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0
    return result


@pytest.fixture
def path(tmp_path):
    scores = pd.DataFrame(np.random.default_rng(1).random((9, 5)), columns=list("abcde"))
    scores["f"] = scores["a"]
    scores.set_axis([f"q{i}" for i in range(9)]).rename_axis("topic").to_csv(tmp_path / "s.csv")
    return tmp_path / "s.csv"


def test_the_worst_are_the_highest_where_lower_is_better(path):
    found = run("estimate", path, "--drop-worst", 0.5, "--lower-is-better", "--csv", "--seed", 1)
    kept = bc.drop_worst(bc.read_scores(path), 0.5, higher_is_better=False)
    assert set(kept) == set(bc.read_scores(path).mean().nsmallest(3).index)
    expected = bc.estimate(kept, higher_is_better=False, random_seed=1)
    table = pd.read_csv(io.StringIO(found.stdout))
    np.testing.assert_allclose(table["estimate"], expected["estimate"], atol=1e-4)


def test_estimate_json():
    given = ("--seed", 3, "--methods", "ML,KD", "--methods", "SHw", "--coefficients", "tau,tau_gap")
    found = run("estimate", "demo", "--json", "--level", 0.9, "--drop-worst", 0.25, *given)
    scores = bc.drop_worst(bc.load_dataset("demo"), 0.25)
    table = bc.estimate(scores, ["ML", "KD", "SHw"], ["tau", "tau_gap"], 0.9, random_seed=3)
    pd.testing.assert_frame_equal(pd.DataFrame(json.loads(found.stdout)), table, check_dtype=False)
    for note in table.attrs["notes"]:
        assert f"Note: {note}" in found.stderr


def test_estimate_csv_latex_and_table():
    as_csv = run("estimate", "demo", "--csv", "--seed", 1, "--interval", "normal").stdout
    table = bc.estimate(bc.load_dataset("demo"), interval="normal", random_seed=1)
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(as_csv)), table)
    as_latex = run("estimate", "demo", "--latex", "--seed", 1).stdout
    assert r"ML & tau\_ap & " in as_latex
    as_table = run("estimate", "demo", "--seed", 1).stdout
    assert "30 systems, 50 topics" in as_table
    assert "MSQD" in as_table


def test_warnings_become_notes(path):
    found = run("estimate", path, "--methods", "ML", "--json")
    assert "Note: Identical systems: 'a' = 'f'" in found.stderr
    assert json.loads(found.stdout)[0]["method"] == "ML"


def test_discordance_matrix(path, tmp_path):
    with pytest.warns(bc.ScoresWarning):
        expected = bc.discordance(bc.read_scores(path), "RES", random_seed=1)
    found = run("discordance", path, "--method", "RES", "--seed", 1, "--csv").stdout
    table = pd.read_csv(io.StringIO(found), index_col="system")
    pd.testing.assert_frame_equal(table, expected, check_names=False)
    assert "P(truth swaps two systems), RES" in run("discordance", path, "--method", "RES").stdout


def test_discordance_of_many_systems_lists_the_closest_pairs(tmp_path):
    pytest.importorskip("matplotlib").use("agg")
    picture = tmp_path / "pairs.png"
    found = run("discordance", "demo", "--plot", picture)
    assert "the pairs hardest" in found.stdout
    assert "use --csv or --json to print all pairs" in found.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_estimators():
    found = json.loads(run("estimators", "--json").stdout)
    assert [row["name"] for row in found] == list(bc.ESTIMATORS)
    assert "Split-half with replacement" in run("estimators").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("estimate", "demo", "--methods", "MLE"), "Unknown method 'MLE'"),
        (("estimate", "demo", "--level", "95"), "--level must be between 0 and 1; got 95"),
        (("estimate", "nowhere"), "neither a file nor a data set"),
        (("discordance", "demo", "--method", "SH"), "SH does not support discordance"),
        (("discordance", "demo", "--plot", "no/such/folder.png"), "cannot be written"),
        (("discordance", "demo", "--plot", "picture.xyz"), "Unknown plot format"),
    ],
)
def test_errors_are_one_line_and_exit_code_2(arguments, message, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["bayescorr", *arguments])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2
    error = [line for line in capsys.readouterr().err.splitlines() if line.startswith("Error: ")]
    assert len(error) == 1
    assert message in error[0]
