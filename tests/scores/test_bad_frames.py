"""Bad scores in memory: a line that names the cell, row or column, and one with the remedy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from bad_cases import assert_named

from bayescorr import check_scores, read_scores


def frame(*columns, index=None, reader=check_scores, **options):
    """Give check_scores a DataFrame of systems a, b, c ..."""
    names = list("abcdef"[: len(columns)])

    def act(folder: Path):
        table = pd.DataFrame(dict(zip(names, columns, strict=True)), index=index)
        return reader(table, **options)

    return act


def renamed(labels, axis):
    def act(folder: Path):
        table = pd.DataFrame([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]])
        return check_scores(table.set_axis(labels, axis=axis))

    return act


CASES = {
    "text in a frame": (frame([0.1, "x"], [1, 2]), r"topic 1, system 'a': 'x'"),
    "date in a frame": (
        frame(pd.to_datetime(["2020-01-01", "2020-01-02"]), [1, 2]),
        r"topic 0, system 'a': Timestamp",
    ),
    "time in a frame": (
        frame(*np.array([[1, 2], [1, 3]], dtype="timedelta64[ns]")),
        r"4 scores are not numeric: topic 0, system 'a': ",
    ),
    "date in an array": (
        lambda d: check_scores(np.array([["2020", "2021"]] * 2, dtype="datetime64[ns]")),
        r"4 scores are not numeric: topic 't1', system 'sys1': ",
    ),
    "masked in an array": (
        lambda d: check_scores(np.ma.array([[0.1, 0.2], [0.3, 0.5]], mask=[[0, 1], [0, 0]])),
        r"1 score is missing: topic 't1', system 'sys2'",
    ),
    "column of topics": (
        lambda d: check_scores(pd.DataFrame({"Topic": [1, 2], "a": [0.1, 0.2], "b": [1, 0]})),
        r"Column 'Topic' looks like topic labels.*read_scores or set_index\('Topic'\)",
    ),
    "rows of systems": (
        frame([0.1, 0.2], [1, 0], index=pd.Index(["x", "y"], name="system")),
        "rows are named 'system' and the columns None",
    ),
    "rows of systems, read_scores": (
        frame([0.1, 0.2], [1, 0], index=pd.Index(["x", "y"], name="method"), reader=read_scores),
        r"but the rows \('x', 'y'\) are labelled as systems\. Use transpose=True",
    ),
    "row numbers as a system": (
        lambda d: check_scores(pd.DataFrame({"Unnamed: 0": [0, 1], "a": [0.5, 1], "b": [1, 0]})),
        r"Column 'Unnamed: 0' numbers the rows\. .*index_col=0",
    ),
    "dimensions of any name": (
        lambda d: check_scores(xr.DataArray(np.eye(3), dims=("row", "col"))),
        "Expected the dimensions topic and system; got 'row', 'col'",
    ),
    "a whole number too large for a float": (
        frame(np.array([0.1, 10**400], dtype=object), [1, 2]),
        r"system 'a': 1000",
    ),
    "complex number": (frame([0.1, 1j], [1, 2]), r"topic 1, system 'a': 1j"),
    "infinite in a frame": (frame([0.1, np.inf], [1, 2]), r"topic 1, system 'a'"),
    "huge in a frame": (
        frame([0.1, 1e308], [1, 1e308]),
        r"beyond 1e\+150: topic 1, system 'a'; topic 1, system 'b'",
    ),
    "huge and missing in a frame": (frame([None, -1e200], [1, 2]), r"topic 1, system 'a'"),
    "missing in a frame": (frame([0.1, None], [1, 2]), r"topic 1, system 'a'"),
    "one topic": (frame([0.1], [0.2]), r"1 topic and 2 systems"),
    "one system": (frame([0.1, 0.2]), r"2 topics and 1 system\."),
    "nothing": (lambda d: check_scores(pd.DataFrame()), r"0 topics and 0 systems"),
    "one dimension": (lambda d: check_scores([0.1, 0.2]), "2 dimensions; got 1"),
    "three dimensions": (lambda d: check_scores(np.zeros((2, 2, 2))), "2 dimensions; got 3"),
    "rows of several lengths": (lambda d: check_scores([[1, 2], [3]]), r"rows .* differ in length"),
    "topic label twice": (
        renamed(["q", "q", "r"], 0),
        r"Topic labels must be unique; duplicated: 'q'",
    ),
    "system label twice": (
        renamed(["q", "r", "q"], 1),
        r"System labels must be unique; duplicated: 'q'",
    ),
    "label missing": (renamed(["q", None, "r"], 1), r"System label is missing at position 2"),
    "labels of several levels": (
        renamed(pd.MultiIndex.from_product([["x"], list("abc")]), 0),
        "Topic labels must have 1 level; got 2",
    ),
    "text in an array": (
        lambda d: read_scores([["x", 1], [2, 3]]),
        r"topic 't1', system 'sys1': 'x'",
    ),
    "xarray Dataset": (
        lambda d: read_scores(xr.Dataset({"ap": (("topic", "system"), np.eye(2)), "n": 2})),
        r"Expected an xarray DataArray; got a Dataset.*: 'ap', 'n'",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_named_in_one_line(name, tmp_path):
    assert_named(*CASES[name], tmp_path)
