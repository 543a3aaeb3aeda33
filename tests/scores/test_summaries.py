"""Rows and columns that summarise the others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bayescorr import ScoresError, ScoresWarning, check_scores, load_dataset, read_scores
from bayescorr.scores.summaries import decimals, summary_of

SCORES = load_dataset("demo").iloc[:, :8]
SCORES.index = pd.Index([f"q{i}" for i in range(len(SCORES))])
ROWS = {
    "Mean": SCORES.mean(),
    "AVG": SCORES.mean().round(4),
    "average": SCORES.mean().round(3),
    "overall:": SCORES.mean(),
    "ALL": SCORES.mean(),
    "Total": SCORES.sum(),
    "median": SCORES.median(),
    "std": SCORES.std(),
    "sd": SCORES.std(ddof=0).round(4),
    "min": SCORES.min(),
    "max": SCORES.max(),
    "count": SCORES.count(),
}


def with_row(label, row, scores=SCORES):
    return pd.concat([scores, row.to_frame(label).T])


def read(tmp_path, scores, **options):
    scores.to_csv(tmp_path / "s.csv", index_label="topic")
    return read_scores(tmp_path / "s.csv", **options)


@pytest.mark.parametrize("label", ROWS)
def test_rows_are_left_out_with_a_note(tmp_path, label):
    table = with_row(label, ROWS[label])
    for source in (table, None):
        with pytest.warns(ScoresWarning, match=f"Left out row {label!r}: it is the"):
            scores = read(tmp_path, table) if source is None else read_scores(source)
        pd.testing.assert_frame_equal(scores, SCORES, check_names=False)
    assert read(tmp_path, table, as_is=True).index[-1] == label


@pytest.mark.parametrize("label", ["mean", "Average", "total", "best", "oracle"])
def test_columns_are_left_out_with_a_note(tmp_path, label):
    column = {"total": SCORES.sum, "best": SCORES.max, "oracle": SCORES.max}.get(label, SCORES.mean)
    table = SCORES.assign(**{label: column(axis=1).round(5)})
    with pytest.warns(ScoresWarning, match=f"Left out column {label!r}: it is the"):
        scores = read(tmp_path, table)
    pd.testing.assert_frame_equal(scores, SCORES, check_names=False)


def test_rows_and_columns_at_once(tmp_path):
    table = SCORES.assign(mean=SCORES.mean(axis=1))
    table = pd.concat([table, table.mean().to_frame("mean").T, table.std().to_frame("std").T])
    with pytest.warns(ScoresWarning) as notes:
        scores = read(tmp_path, table)
    assert len(notes) == 3
    pd.testing.assert_frame_equal(scores, SCORES, check_names=False)


def test_the_row_all_is_never_a_topic(tmp_path):
    with pytest.warns(
        ScoresWarning, match=r"row 'all': .*\(but is not the mean of the other rows\)"
    ):
        scores = read(tmp_path, with_row("all", SCORES.mean() * 0.9))
    assert len(scores) == len(SCORES)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (with_row("mean", SCORES.mean() * 1.1), "row 'mean' has the name of a summary, but does"),
        (SCORES.assign(avg=0.5), "column 'avg' has the name of a summary, but does not"),
        (with_row("MAP", SCORES.mean().round(4)), "row 'MAP' equals the mean of the other rows"),
        (SCORES.assign(mix=SCORES.mean(axis=1)), "column 'mix' equals the mean of the other col"),
    ],
)
def test_what_may_be_a_summary_is_questioned(tmp_path, table, message):
    with pytest.raises(ScoresError, match=rf"{message}.* as_is=True if it is a (topic|system)"):
        read(tmp_path, table)
    assert read(tmp_path, table, as_is=True).shape == table.shape


def test_a_system_called_best_is_a_system(tmp_path):
    assert "best" in read(tmp_path, SCORES.assign(best=SCORES["bm25"] * 0.9))


def test_few_decimals_equal_a_mean_by_chance(tmp_path):
    """P@10 of the last topic is the mean of the others."""
    table = pd.DataFrame(
        {"a": [0.1, 0.3, 0.2], "b": [0.2, 0.4, 0.3], "c": [0.5, 0.7, 0.6], "d": [0, 0.2, 0.1]},
        index=["q1", "q2", "q3"],
    )
    assert read(tmp_path, table).shape == (3, 4)


def test_percentages_may_have_a_mean(tmp_path):
    shares = with_row("mean", SCORES.mean()).map("{:.2%}".format)
    with pytest.warns(ScoresWarning, match="Left out row 'mean'|Divided percentages"):
        assert len(read(tmp_path, shares)) == len(SCORES)


def test_tables_in_memory_keep_everything_and_warn():
    table = with_row("mean", SCORES.mean())
    with pytest.warns(ScoresWarning, match="Row 'mean' has the name of a summary; it counts as a"):
        assert len(check_scores(table)) == len(SCORES) + 1
    check_scores(read_scores(table, as_is=True))  # the question was answered


def test_missing_scores_take_no_part():
    rest = np.array([[0.1, 0.4, np.nan], [0.3, np.nan, 0.5], [0.2, 0.2, 0.7]])
    assert summary_of(np.array([0.2, 0.3, 0.6]), rest) == "mean"
    assert summary_of(np.array([0.2, np.nan, 0.6]), rest) == "mean"
    assert summary_of(np.array([0.3, 0.4, 0.7]), rest) == "maximum"
    assert summary_of(np.array([3.0, 2.0, 2.0]), rest) == "number"
    assert summary_of(np.array([0.5, 0.9, 0.6]), rest) is None


@pytest.mark.parametrize(
    ("values", "expected"),
    [([1, 2], 0), ([0.5, 0.25], 2), ([0.2916, np.nan], 4), ([1 / 3], 12), ([2e9, 0.5], 1)],
)
def test_decimals(values, expected):
    assert decimals(np.array(values)) == expected
