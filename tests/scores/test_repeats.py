"""Several scores of a system on a topic: unequal, missing, and of some systems only."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from bayescorr import ScoresError, ScoresWarning, fit, load_fit, make_report, read_scores
from bayescorr.scores.groups import seeds_of, task_labels


@pytest.fixture(autouse=True)
def _notes():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ScoresWarning)
        yield


def long_table(seed=1, repeats=(3, 1, 2), topics=8):
    """Return a long table with a number of seeds per system."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        [
            (f"sys{j}", f"q{i}", k, rng.integers(1, 1000) / 1024)
            for i in range(topics)
            for j, number in enumerate(repeats)
            for k in range(number)
        ],
        columns=["model", "item", "seed", "score"],
    )


def slow_mean(table):
    """Average row by row."""
    sums: dict = {}
    for row in table.itertuples():
        sums.setdefault((row.item, row.model), []).append(row.score)
    cells = {key: np.nanmean(x) if not np.isnan(x).all() else np.nan for key, x in sums.items()}
    return pd.Series(cells).unstack()


def assert_same(found, expected):
    pd.testing.assert_frame_equal(
        found.sort_index(axis=0).sort_index(axis=1), expected, check_names=False
    )


@pytest.mark.parametrize("repeats", [(2, 2, 2), (3, 1, 2), (1, 1, 5)])
def test_means_of_equal_and_unequal_repeats(tmp_path, repeats):
    table = long_table(2, repeats)
    table.to_csv(tmp_path / "s.csv", index=False)
    for source in (table, tmp_path / "s.csv", table.sample(frac=1, random_state=3)):
        found = read_scores(source, repeats="mean")
        assert_same(found, slow_mean(table))
    numbers = sorted({x for x in repeats if x > 1})
    assert found.attrs["repeats"].startswith("mean of ")
    with pytest.warns(ScoresWarning, match=f"Averaged the repeats of .* systems: {numbers[0]}"):
        read_scores(table, repeats="mean")


def test_the_order_of_rows_does_not_change_a_bit():
    table = long_table(4, (7, 7, 7))
    table["score"] = np.random.default_rng(1).random(len(table))
    found = [
        read_scores(table.sample(frac=1, random_state=i), repeats="mean")
        .sort_index(axis=0)
        .sort_index(axis=1)
        for i in range(3)
    ]
    for other in found[1:]:
        pd.testing.assert_frame_equal(found[0], other, check_exact=True)


def test_missing_repeats_are_left_out_of_the_mean():
    table = long_table(5, (3, 3))
    table.loc[[0, 4], "score"] = np.nan
    table.loc[table["item"].eq("q5") & table["model"].eq("sys1"), "score"] = np.nan
    with pytest.warns(ScoresWarning, match="all systems: 2 to 3 .*; 5 missing ones left out"):
        found = read_scores(table, repeats="mean")
    assert_same(found, slow_mean(table))
    assert np.isnan(found.loc["q5", "sys1"])


def test_repeats_of_some_systems_only():
    table = long_table(6, (1, 4, 1))
    with pytest.warns(ScoresWarning, match="repeats of 1 of 3 systems: 4 scores"):
        assert_same(read_scores(table, repeats="mean"), slow_mean(table))


def test_repeats_without_a_column_that_numbers_them():
    table = long_table(7).drop(columns="seed")
    assert_same(read_scores(table, repeats="mean"), slow_mean(table))
    with pytest.raises(ScoresError, match=r'duplicate score .* or use repeats="mean" to average'):
        read_scores(table)


def test_without_repeats_nothing_changes():
    table = long_table(8, (1, 1, 1))
    found = read_scores(table, repeats="mean")
    pd.testing.assert_frame_equal(found, read_scores(table), check_exact=True)
    assert "repeats" not in found.attrs


def test_a_repeat_that_occurs_twice_is_an_error():
    table = pd.concat([long_table(9), long_table(9).iloc[[1]]])
    for repeats in ("mean", "seeds"):
        with pytest.raises(ScoresError, match="row 49: duplicate score of system 'sys0"):
            read_scores(table, repeats=repeats)


def test_seeds_become_columns():
    table = long_table(10, (3, 1, 2))
    found = read_scores(table, repeats="seeds")
    assert seeds_of(found).to_dict() == {
        f"sys{j}/{k}": f"sys{j}" for j, number in enumerate((3, 1, 2)) for k in range(number)
    }
    by_seed = table.assign(model=table["model"] + "/" + table["seed"].astype(str))
    assert_same(found, slow_mean(by_seed))
    some = table.drop(index=table.index[table["seed"].eq(2) & table["item"].eq("q3")])
    assert np.isnan(read_scores(some, repeats="seeds").loc["q3", "sys0/2"])


def test_seeds_need_one_column():
    table = long_table(11)
    with pytest.raises(ScoresError, match="one column that tells seeds apart; got none"):
        read_scores(table.drop(columns="seed"), repeats="seeds")
    with pytest.raises(ScoresError, match="got 'seed', 'epoch'"):
        read_scores(table.assign(epoch=1), repeats="seeds")


def test_wide_tables_have_repeats_too(tmp_path):
    table = long_table(12, (2, 2, 2)).pivot_table(
        index=["item", "seed"], columns="model", values="score", sort=False
    )
    table.reset_index().to_csv(tmp_path / "s.csv", index=False)
    found = read_scores(tmp_path / "s.csv", repeats="mean")
    assert_same(found, slow_mean(long_table(12, (2, 2, 2))))
    seeds = read_scores(tmp_path / "s.csv", repeats="seeds")
    assert seeds_of(seeds).nunique() == 3
    assert seeds.shape == (8, 6)
    with pytest.raises(ScoresError, match="duplicate topic 'q0'"):
        read_scores(tmp_path / "s.csv")


def test_tasks_and_repeats_together():
    table = long_table(13)
    table = pd.concat([table.assign(task="law"), table.assign(task="maths")])
    found = read_scores(table, repeats="mean")
    assert found.shape == (16, 3)
    assert task_labels(found).value_counts().to_dict() == {"law": 8, "maths": 8}
    assert seeds_of(read_scores(table, repeats="seeds")).nunique() == 3


def test_unknown_treatment():
    with pytest.raises(ValueError, match=r"treatment of repeats 'median'.*error, mean, seeds"):
        read_scores(long_table(), repeats="median")


def test_fits_files_and_reports_say_that_scores_are_averages(tmp_path):
    scores = read_scores(long_table(14, (3, 1, 2)), repeats="mean")
    found = fit(scores, "flat", random_seed=1, warn=False)
    loaded = load_fit(found.to_netcdf(tmp_path / "fit.nc"))
    for one in (found, loaded):
        assert one.scores.attrs["repeats"] == "mean of 1 to 3 repeats"
        notes = make_report(one.scores, one, random_seed=1).notes
        assert "Scores are averages: mean of 1 to 3 repeats of a system on a topic." in notes
