"""Bars on a terminal, and a note before work that takes minutes."""

from __future__ import annotations

import io
import sys

import pandas as pd
import pytest

from bayescorr.bayes.sampler import expected_seconds
from bayescorr.cli._progress import stages
from bayescorr.cli._sampling import Fitting


class Terminal(io.StringIO):
    def isatty(self):
        return True


def run_stages():
    with stages() as begin:
        begin("fitting the model")
        begin("writing the report")


def test_a_terminal_shows_each_stage_with_its_time(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    run_stages()
    shown = sys.stderr.getvalue()
    assert "fitting the model" in shown
    assert "writing the report" in shown
    assert "0:00:00" in shown


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
