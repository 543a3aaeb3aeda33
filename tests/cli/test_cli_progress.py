"""Bars on a terminal, and a note before work that takes minutes."""

from __future__ import annotations

import io
import sys

import pandas as pd
import pytest
from typer.testing import CliRunner

from bayescorr.bayes import sampler
from bayescorr.bayes.sampler import expected_seconds
from bayescorr.cli import _progress, app
from bayescorr.cli._progress import stage, stages
from bayescorr.cli._sampling import Fitting


class Terminal(io.StringIO):
    def isatty(self):
        return True


def run_stages():
    with stages() as begin:
        begin("fitting the model")
        begin("writing the report")


def terminal(monkeypatch):
    """Take a terminal for standard error; pytest replaces what a fixture would set."""
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    return sys.stderr


def test_a_terminal_shows_each_stage_with_its_time(monkeypatch):
    monkeypatch.setattr(_progress, "SHORT", 0.0)
    shown_on = terminal(monkeypatch)
    run_stages()
    shown = shown_on.getvalue()
    assert "fitting the model" in shown
    assert "writing the report" in shown
    assert "0:00:00" in shown


def test_short_stages_are_not_shown(monkeypatch):
    shown_on = terminal(monkeypatch)
    with stage("reading the scores"):
        pass
    assert "reading" not in shown_on.getvalue()


def test_a_pipe_shows_nothing(capsys):
    run_stages()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("systems", "model", "said"), [(30, None, False), (600, None, True), (600, "flat", False)]
)
def test_minutes_are_announced(capsys, systems, model, said):
    scores = pd.DataFrame(index=range(50), columns=range(systems))
    Fitting(model=model).announce(scores)
    note = capsys.readouterr().err
    assert note.startswith("Note: this will take roughly ") == said
    assert ("--inference laplace" in note) == said


def test_time_grows_with_the_work():
    base = expected_seconds(50, 30)
    assert expected_seconds(50, 97) > base
    assert expected_seconds(5000, 30) > base
    assert expected_seconds(50, 30, draws=4000) > base


def test_comparing_models_announces_the_sum_of_their_times(monkeypatch):
    monkeypatch.setattr(sampler, "expected_seconds", lambda *shape, model, **sizes: 90.0)
    # These models cannot be compared, which is noticed before they are fitted.
    words = ["compare-models", "demo", "--models", "additive", "flat"]
    result = CliRunner().invoke(app, words)
    assert "this will take roughly 3 minutes" in result.stderr
    assert "cannot compute the density" in str(result.exception)


def test_comparing_conditions_announces_their_time(monkeypatch):
    monkeypatch.setattr(sampler, "expected_seconds", lambda topics, systems, **_: topics + systems)
    words = ["agree", "a=demo", "b=demo", "--missing", "wrong"]
    result = CliRunner().invoke(app, words)
    # 50 topics, and 30 systems under each condition: less than two minutes.
    assert "Unknown treatment of missing scores" in str(result.exception)
    assert "this will take" not in result.stderr
    monkeypatch.setattr(sampler, "expected_seconds", lambda topics, systems, **_: 10 * systems)
    result = CliRunner().invoke(app, words)
    assert "this will take roughly 10 minutes" in result.stderr
