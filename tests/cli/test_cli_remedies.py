"""Errors on the command line advise options and commands that exist, before anything is sampled."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import bayescorr
from bayescorr.cli import app
from bayescorr.errors import Argument, Function, render

PACKAGE = Path(bayescorr.__file__).parent
#: Arguments of functions that no command calls with what the user typed.
PYTHON_ONLY = {"conditions", "higher_is_better", "judge", "score_sd", "study"}


def commands(group, path=()):
    for name, command in getattr(group, "commands", {}).items():
        yield " ".join([*path, name]), command
        yield from commands(command, (*path, name))


COMMANDS = dict(commands(typer.main.get_command(app)))


def named(kind: str) -> set[tuple[str, ...]]:
    """Return the texts in all calls of ``Argument`` or ``Function`` in the source."""
    return {
        tuple(text.value for text in call.args if isinstance(text, ast.Constant))
        for path in PACKAGE.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == kind
    }


def test_every_argument_in_a_message_is_an_option():
    options = {name for command in COMMANDS.values() for p in command.params for name in p.opts}
    arguments = {texts[0] for texts in named("Argument") if texts}
    assert len(arguments) > 30
    unknown = {name for name in arguments if Argument(name).in_shell() not in options}
    assert unknown == PYTHON_ONLY


def test_every_function_in_a_message_has_a_command():
    functions = named("Function")
    assert functions
    for name, command in functions:
        assert callable(getattr(bayescorr, name))
        assert command in COMMANDS


@pytest.fixture
def no_fit(monkeypatch):
    def fail(*_, **__):
        raise AssertionError("sampled before the check")

    for name in ("fit", "fit_conditions"):
        monkeypatch.setattr(bayescorr, name, fail)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("report demo --top 99", "--top must be between 1 and 30; got 99."),
        ("report demo --target 2", "--target must be between -1 and 1; got 2.0."),
        ("agree a=demo b=demo --top 99", "--top must be between 2 and 30; got 99."),
        ("rank-sets demo --top 99", "--top must be between 1 and 30; got 99."),
        ("topics demo --top 30", "--top must be between 1 and 29; got 30."),
        ("topics demo --pair bm25 nobody", "Unknown system 'nobody'."),
        ("topics demo --pair bm25 bm25", "--pair must be two different systems"),
        ("topics demo --coefficient tau@99", "tau@99 needs at least 99 systems; got 30."),
        ("agree a=demo b=demo --coefficients tau,tau@99", "tau@99 needs at least 99 systems"),
        ("allocate demo", "There are no tasks to divide new items among."),
    ],
)
def test_what_cannot_work_is_said_before_sampling(line, message, no_fit, tmp_path):
    words = [*line.split(), *(["--out", str(tmp_path)] if line.startswith("report") else [])]
    result = CliRunner().invoke(app, words)
    assert isinstance(result.exception, bayescorr.BayescorrError), result.exception
    assert render(result.exception.texts[0], shell=True).startswith(message)


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("fit demo --model matrix-t-conditions", "Use 'bayescorr agree', or another model."),
        ("scores {run}", "Score runs against qrels with 'bayescorr score-runs'."),
        ("simulate {large} --topics 9 --out {out}", "Rescale the scores, or use --normal."),
        ("rank-sets {fit} --level 0.9999", "Use --resamples 10000 or more."),
    ],
)
def test_remedies_are_in_the_words_of_the_shell(line, remedy, tmp_path):
    run, large, fit = (tmp_path / name for name in ("a.run", "large.csv", "fit.nc"))
    run.write_text("q1 Q0 d1 1 2.5 a\nq1 Q0 d2 2 1.5 a\n")
    scores = bayescorr.load_dataset("demo").iloc[:, :3]
    (scores * 10).to_csv(large)
    bayescorr.fit(scores, "flat", random_seed=1).to_netcdf(fit)
    words = line.format(run=run, large=large, fit=fit, out=tmp_path / "out.csv").split()
    result = CliRunner().invoke(app, words)
    assert isinstance(result.exception, bayescorr.BayescorrError), result.exception
    assert render(result.exception.texts[1], shell=True) == remedy


def test_scores_of_any_scale_are_simulated_as_normal(tmp_path):
    large, out = tmp_path / "large.csv", tmp_path / "out.csv"
    (bayescorr.load_dataset("demo").iloc[:, :3] * 10).to_csv(large)
    words = ["simulate", str(large), "--topics", "20", "--normal", "--seed", "1", "--out", str(out)]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert bayescorr.read_scores(out).to_numpy().max() > 1
    result = CliRunner().invoke(app, [*words, "--simulator", "copula"])
    assert "does not use --normal" in str(result.exception)


def test_messages_name_functions_and_commands():
    text = ("Use ", Function("score_runs", "score-runs"), " with ", Argument("k", 3), ".")
    assert render(text) == "Use bayescorr.score_runs with k=3."
    assert render(text, shell=True) == "Use 'bayescorr score-runs' with --top 3."
