"""Studies without a truth: predict the ranking by other topics of a real collection."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow.parquet
import pytest
from scipy import stats

import bayescorr
from bayescorr.errors import OptionError, ScoresError
from bayescorr.simulation import RealTopics
from bayescorr.study import Study, load_study, read_results, run_study, summarise
from bayescorr.study.plots import plot_pit, plot_predictions, save_figures
from bayescorr.study.summary import paired_differences, summarise_intervals, summarise_pit
from bayescorr.study.work import Unit, collection_seeds, share_below

SIMULATORS = [
    {"name": "all", "kind": "real-topics"},
    {"name": "best", "kind": "real-topics", "drop_worst": 0.5},
]


@pytest.fixture
def study():
    methods = ["bayes:flat", "bayes:bootstrap-shrunk", "ML", "MSQD", "RES", "KD"]
    return Study("r", ["demo"], SIMULATORS, [10], 3, methods, levels=[0.9], batch=2)


def test_rows_agree_with_a_split_by_hand(study, tmp_path):
    results = run_study(study, tmp_path / "out", workers=1)
    assert results["split"].all()
    assert not results["diagnostics"].str.contains("error").any()
    simulated, seed = collection_seeds(0, Unit("demo", "best", 10, 0, 1), 2)
    splits = RealTopics(bayescorr.load_dataset("demo"), drop_worst=0.5)
    case = splits.case(10, simulated)
    rows = results.query("simulator == 'best' and trial == 2")
    tau = float(bayescorr.tau(case.means, case.scores.mean()))
    np.testing.assert_allclose(rows.query("coefficient == 'tau'")["actual"], tau)
    fit = bayescorr.fit(case.scores, "flat", chains=2, draws=500, random_seed=seed)
    flat = rows[rows["method"] == "bayes:flat"].set_index("coefficient")
    # Less than with the true ranking, since the other topics have noise of their own.
    assert flat.loc["tau", "estimate"] < fit.draws("tau").mean() - 0.02
    ml = rows[rows["method"] == "ML"].set_index("coefficient")
    assert flat.loc["tau", "estimate"] == pytest.approx(ml.loc["tau", "estimate"], abs=0.03)
    assert results["pit"].between(0, 1).all()


@pytest.mark.slow
def test_resuming_and_workers_do_not_change_results(study, tmp_path, without_seconds):
    whole = run_study(study, tmp_path / "whole", workers=1)
    run_study(study.with_trials(1), tmp_path / "parts", workers=1)
    without_seconds(run_study(study, tmp_path / "parts", workers=1), whole)


def test_pit_is_uniform_if_the_actual_value_is_one_more_draw():
    rng = np.random.default_rng(5)
    # Few different values, so that most actual values tie with draws.
    draws = rng.integers(6, size=(4000, 20)) / 5
    found = [share_below(x[1:], x[0], seed) for seed, x in enumerate(draws)]
    assert stats.kstest(found, "uniform").pvalue > 1e-3
    assert np.isnan(share_below(None, 0.5, 1))
    assert np.isnan(share_below(draws[0], np.nan, 1))


@pytest.mark.slow
def test_pit_histogram(study, tmp_path):
    results = run_study(study, tmp_path / "out", workers=1)
    table = summarise_pit(results, ["simulator"], bins=4)
    for _, part in table.groupby(["simulator", "method", "coefficient"]):
        assert part["share"].sum() == pytest.approx(1)
        np.testing.assert_allclose(part["upper"], [0.25, 0.5, 0.75, 1])
    part = results.query("simulator == 'best' and method == 'ML' and coefficient == 'tau'")
    row = table.query("simulator == 'best' and method == 'ML' and coefficient == 'tau'").iloc[0]
    assert row["share"] == pytest.approx((part["pit"] < 0.25).mean())
    assert summarise(results)["pit"].notna().all()
    assert len(plot_pit(results).axes) == 2 * 6
    with pytest.raises(OptionError, match="no PIT"):
        summarise_pit(results.drop(columns="pit"))


def test_standard_errors_are_between_sources():
    rng = np.random.default_rng(1)
    bias = np.repeat([0.1, -0.1, 0.05, 0.3], 10)
    results = pd.DataFrame(
        {
            "source": np.repeat(list("abcd"), 10),
            "simulator": "all",
            "n_topics": np.tile([10, 25], 20),
            "trial": np.tile(np.arange(5).repeat(2), 4),
            "method": "ML",
            "coefficient": "tau",
            "actual": 0.5,
            "estimate": 0.5 + bias + rng.normal(0, 1e-3, 40),
            "sd": 0.1,
            "lower_0.9": 0.3,
            "upper_0.9": 0.6,
            "seconds": 0.1,
            "split": True,
        }
    )
    expected = np.std([0.1, -0.1, 0.05, 0.3], ddof=1) / 2
    assert summarise(results, ["n_topics"])["bias_se"].to_numpy() == pytest.approx(
        expected, rel=0.02
    )
    assert summarise(results, [])["bias_se"].iloc[0] == pytest.approx(expected, rel=0.02)
    # Of one source, only the choice of the splits is uncertain; simulated sets are independent.
    assert (summarise(results)["bias_se"] < 1e-3).all()
    assert summarise(results.assign(split=False), [])["bias_se"].iloc[0] < 1e-3
    assert summarise_intervals(results, [])["coverage_se"].iloc[0] == 0
    other = results.assign(method="RES", estimate=0.5)
    paired = paired_differences(pd.concat([results, other]), "RES", [])
    paired = paired.set_index("measure").loc["estimate"]
    assert paired["difference_se"] == pytest.approx(expected, rel=0.02)


def test_selection_by_all_topics_and_methods_without_predictions_are_refused():
    source = {"name": "demo", "drop_worst": 0.25}
    pairs = {"name": "ML-50", "estimator": "ML", "pairs": 50}
    with pytest.raises(OptionError, match="2 mistakes") as caught:
        Study("x", [source], [SIMULATORS[0]], [10], 1, ["ML", "SH", pairs])
    assert "drops systems by all its topics" in str(caught.value)
    assert "these methods predict nothing: SH, ML-50" in str(caught.value)


def test_too_few_topics_are_an_error_before_the_study_begins(study, tmp_path):
    table = {**study.to_table(), "topics": [10, 50]}
    with pytest.raises(ScoresError, match="leaves 0 of 50"):
        run_study(Study.from_table(table), tmp_path / "out", workers=1)


def test_results_of_earlier_versions_have_no_pit(study, tmp_path):
    run_study(study, tmp_path / "out", workers=1)
    for path in (tmp_path / "out" / "results").glob("*.parquet"):
        table = pyarrow.parquet.ParquetFile(path).read().drop_columns("pit")
        # The rows of the first releases have no digest.
        pyarrow.parquet.write_table(table.replace_schema_metadata(None), path)
    assert read_results(tmp_path / "out")["pit"].isna().all()


def test_ready_made_study():
    study = load_study("real-topics")
    assert len(study.sources) == 13
    assert study.levels == (0.8, 0.9, 0.95)
    assert {name for _, name, _ in study.cells} == {"all", "best-75"}


@pytest.mark.slow
def test_predictions_are_drawn_for_every_simulator(study, tmp_path):
    results = run_study(study, tmp_path / "out", workers=1)
    figure = plot_predictions(results, "ML")
    assert [ax.get_title() for ax in figure.axes] == ["all, 10 topics", "best, 10 topics"]
    part = results.query("simulator == 'best' and method == 'ML' and coefficient == 'tau'")
    points = figure.axes[1].get_lines()[1]
    np.testing.assert_array_equal(points.get_xdata(), part["estimate"])
    np.testing.assert_array_equal(points.get_ydata(), part["actual"])
    names = [path.name for path in save_figures(results, tmp_path / "figures")]
    expected = [f"{kind}-{c}.png" for c in ("tau", "tau_ap") for kind in ("predictions", "pit")]
    assert names == expected
