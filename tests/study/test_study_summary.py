from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bayescorr.errors import OptionError, StudyError
from bayescorr.study import (
    compare_published,
    metrics,
    paired_differences,
    plots,
    summarise,
    summarise_intervals,
    summary,
)
from bayescorr.study.plots import (
    plot_against_topics,
    plot_calibration,
    plot_coverage,
    plot_settling,
    plot_variance,
    save_figures,
    settling,
)


def test_summary_agrees_with_plain_arithmetic(results):
    table = summarise(results).set_index(["source", "n_topics", "method"])
    for (source, n, method), part in results.groupby(["source", "n_topics", "method"]):
        x = (part["estimate"] - part["actual"]).to_numpy()
        row = table.loc[source, n, method]
        assert row["collections"] == 40
        assert row["failed"] == 0
        assert row["mean_actual"] == pytest.approx(part["actual"].mean())
        assert row["error"] == pytest.approx(np.abs(x).mean())
        assert row["error_se"] == pytest.approx(np.abs(x).std(ddof=1) / np.sqrt(40))
        assert row["bias"] == pytest.approx(x.mean())
        assert row["bias_se"] == pytest.approx(x.std(ddof=1) / np.sqrt(40))
        assert row["rmse"] == pytest.approx(np.sqrt((x**2).mean()))
        assert row["rmse_se"] == pytest.approx(
            (x**2).std(ddof=1) / np.sqrt(40) / 2 / np.sqrt((x**2).mean())
        )
        assert row["variance"] == pytest.approx((part["sd"] ** 2).mean())
        assert row["actual_variance"] == pytest.approx(part["actual"].var(ddof=1))


def test_standard_errors_of_variance_and_rmse_match_repeated_draws():
    rng = np.random.default_rng(5)
    cells = pd.DataFrame(
        {
            "source": np.repeat([f"s{k}" for k in range(400)], 50),
            "simulator": "effects",
            "n_topics": 10,
            "trial": np.tile(np.arange(50), 400),
            "method": "ML",
            "coefficient": "tau",
            "actual": rng.gamma(4.0, 0.1, 20_000),
            "estimate": rng.normal(0.4, 0.1, 20_000),
            "sd": 0.1,
            "seconds": 0.0,
        }
    )
    table = summarise(cells)
    for name in ("error", "bias", "rmse", "actual_variance"):
        assert table[f"{name}_se"].mean() == pytest.approx(table[name].std(), rel=0.15)


def test_pooled_cells_have_equal_weight_and_errors_within_cells(results):
    one = summarise(results)
    pooled = summarise(results, by=["n_topics"]).set_index(["n_topics", "method"])
    part = one[(one["n_topics"] == 10) & (one["method"] == "ML")]
    row = pooled.loc[10, "ML"]
    assert row["collections"] == 80
    assert row["error"] == pytest.approx(part["error"].mean())
    assert row["error_se"] == pytest.approx(np.sqrt((part["error_se"] ** 2).sum()) / 2)
    assert row["rmse"] == pytest.approx(np.sqrt((part["rmse"] ** 2).mean()))
    assert "source" not in pooled.reset_index()
    with pytest.raises(OptionError, match="Unknown column to group by 'topic'"):
        summarise(results, by=["topic"])


def test_failures_are_counted_and_what_is_not_offered_is_left_out(results):
    results.loc[0, ["estimate", "diagnostics"]] = np.nan, '{"error": "x"}'
    gap = results.assign(coefficient="tau_gap")
    gap.loc[gap["method"] == "MSQD", "estimate"] = np.nan
    table = summarise(pd.concat([results, gap], ignore_index=True))
    counted = table.set_index(["source", "n_topics", "method", "coefficient"])["failed"]
    assert counted["a", 10, "ML", "tau"] == 1
    assert counted.sum() == 2
    assert ("a", 10, "MSQD", "tau_gap") not in counted.index


def test_intervals_by_hand():
    frame = pd.DataFrame(
        {
            "source": "a",
            "simulator": "effects",
            "n_topics": 10,
            "trial": [0, 1, 2, 3],
            "method": ["ML"] * 3 + ["SHw"],
            "coefficient": "tau",
            "actual": [0.5, 0.5, 0.5, 0.5],
            "lower_0.8": [0.4, 0.6, 0.1, np.nan],
            "upper_0.8": [0.5 - 1e-15, 0.8, 0.2, np.nan],
        }
    )
    row = summarise_intervals(frame).iloc[0]
    assert len(summarise_intervals(frame)) == 1
    assert row["collections"] == 3
    assert row["coverage"] == pytest.approx(1 / 3)
    assert row["width"] == pytest.approx((0.1 + 0.2 + 0.1) / 3)
    assert row["score"] == pytest.approx((0.1 + (0.2 + 10 * 0.1) + (0.1 + 10 * 0.3)) / 3)
    with pytest.raises(OptionError, match="no intervals"):
        summarise_intervals(frame.drop(columns=["lower_0.8", "upper_0.8"]))


def test_true_intervals_cover_as_often_as_they_say(results):
    table = summarise_intervals(results, by=[])
    for row in table.itertuples():
        assert abs(row.coverage - row.level) < 4 * row.coverage_se


def test_paired_differences_agree_with_plain_arithmetic(results):
    table = paired_differences(results, "ML").set_index(["source", "n_topics", "measure"])
    part = results[(results["source"] == "b") & (results["n_topics"] == 20)]
    ml, msqd = (part[part["method"] == m].reset_index() for m in ("ML", "MSQD"))
    wins = (msqd["estimate"] - msqd["actual"]).abs() - (ml["estimate"] - ml["actual"]).abs()
    row = table.loc["b", 20, "error"]
    assert row["difference"] == pytest.approx(wins.mean())
    assert row["difference_se"] == pytest.approx(wins.std() / np.sqrt(40))
    assert row["z"] == pytest.approx(row["difference"] / row["difference_se"])
    assert row["relative"] == pytest.approx(
        wins.mean() / (ml["estimate"] - ml["actual"]).abs().mean()
    )
    shift = table.loc["b", 20, "estimate"]["difference"]
    assert shift == pytest.approx((msqd["estimate"] - ml["estimate"]).mean())
    assert set(table.index.get_level_values("measure")) == {
        "error", "squared_error", "estimate", "score_0.5", "score_0.9",
    }  # fmt: skip
    with pytest.raises(OptionError, match="Choose one of: ML, MSQD"):
        paired_differences(results, "KD")


def test_comparison_with_a_published_table(results, tmp_path):
    ours = summarise(results)
    published = ours.rename(columns={"source": "collection", "method": "estimator"})
    path = tmp_path / "published.csv"
    published.to_csv(path, index=False)
    assert compare_published(results, path)["agrees"].all()
    published.loc[0, "error"] += 6 * published.loc[0, "error_se"]
    published.loc[1, "bias"] -= 5 * published.loc[1, "bias_se"]
    table = compare_published(results, published)
    assert table["agrees"].tolist() == [False] + [True] * 7
    assert table.loc[0, "error_z"] == pytest.approx(-6 / np.sqrt(2))
    assert table.loc[1, "bias_z"] == pytest.approx(5 / np.sqrt(2))
    with pytest.raises(StudyError, match="lacks the columns error_se"):
        compare_published(results, published.drop(columns="error_se"))
    with pytest.raises(StudyError, match="no cell in common"):
        compare_published(results, published.assign(collection="x"))
    with pytest.raises(StudyError, match="Cannot read"):
        compare_published(results, tmp_path / "none.csv")


def test_a_new_metric_needs_one_line(results, monkeypatch):
    def relative(results):
        return results["estimate"] / results["actual"]

    added = metrics.Metric("relative_estimate", relative, paired="relative_estimate")
    for module in (summary, plots):
        monkeypatch.setattr(module, "METRICS", (*metrics.METRICS, added))
    table = summarise(results, by=[]).set_index("method")
    expected = relative(results).groupby(results["method"]).mean()
    np.testing.assert_allclose(table["relative_estimate"], expected)
    assert (table["relative_estimate_se"] > 0).all()
    assert "relative_estimate" in set(paired_differences(results, "ML")["measure"])
    figure = plot_against_topics(results, "relative_estimate")
    assert figure.axes[0].get_ylabel().startswith("relative_estimate of")


@pytest.mark.slow
def test_figures_that_the_results_allow_are_drawn(results, tmp_path):
    paths = save_figures(results[results["source"] == "a"], tmp_path / "figures")
    names = {path.stem for path in paths}
    assert names == {"error-tau", "bias-tau", "coverage-tau", "calibration-tau", "variance"}
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in paths)
    bare = results.drop(columns=[c for c in results if c.startswith(("lower", "upper"))])
    without = save_figures(bare.assign(sd=np.nan), tmp_path / "bare", "svg")
    assert {path.name for path in without} == {"error-tau.svg", "bias-tau.svg"}


@pytest.fixture(autouse=True)
def _close():
    yield
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.close("all")


def looks(figure):
    """Colour and marker by method, of each panel."""

    def look(handle):
        line = getattr(handle, "lines", [handle])[0]
        return line.get_color(), line.get_marker()

    return [
        {label: look(handle) for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
        for ax in figure.axes
    ]


@pytest.mark.slow
@pytest.mark.parametrize("draw", [plot_variance, plot_against_topics, plot_calibration])
def test_a_method_looks_the_same_in_every_panel_and_figure(results, draw):
    third = results[results["method"] == "ML"].assign(method="RES")
    third["estimate"] += 0.01
    results = pd.concat([results, third], ignore_index=True)
    # The first method does not offer tau_gap, nor is there anything of it on source b.
    gap = results.assign(coefficient="tau_gap")
    gap.loc[gap["method"] == "ML", ["estimate", "sd", "lower_0.5", "lower_0.9"]] = np.nan
    results = pd.concat([results, gap], ignore_index=True)
    lacking = (results["method"] == "ML") & (results["source"] == "b")
    results = results[~lacking]
    figures = [draw(results)]
    if draw is not plot_variance:
        figures.append(draw(results, coefficient="tau_gap"))
    seen = {}
    for panel in (panel for figure in figures for panel in looks(figure)):
        for method, look in panel.items():
            assert seen.setdefault(method, look) == look
    assert len(set(seen.values())) == len(seen) == 3


@pytest.mark.slow
def test_figures_can_be_drawn_from_summaries(results):
    for draw, summarised in (
        (plot_against_topics, summarise),
        (plot_variance, summarise),
        (plot_coverage, summarise_intervals),
        (plot_calibration, summarise_intervals),
    ):
        one, other = draw(results), draw(summarised(results))
        for ax, same in zip(one.axes, other.axes, strict=True):
            for line, again in zip(ax.get_lines(), same.get_lines(), strict=True):
                np.testing.assert_allclose(
                    line.get_xydata().astype(float), again.get_xydata().astype(float)
                )
    table = summarise_intervals(results, by=["source"])
    drawn = plot_calibration(results).axes[0].containers[0].lines[0].get_ydata().astype(float)
    of_first = table[(table["source"] == "a") & (table["method"] == "ML")]
    np.testing.assert_allclose(drawn, of_first["coverage"])


def test_methods_with_the_same_estimates_are_drawn_once(results):
    copy = results[results["method"] == "ML"].assign(method="ML-thesis", sd=0.3)
    both = pd.concat([copy, results], ignore_index=True)
    for measure in ("error", "bias"):
        panels = looks(plot_against_topics(both, measure))
        assert [set(panel) for panel in panels] == [{"ML", "MSQD"}] * 2
    # Their intervals differ.
    assert "ML-thesis" in looks(plot_variance(both))[0]


def test_settling_compares_sampled_with_all_pairs(results):
    sampled = results[results["method"] == "ML"].assign(method="ML-500", sd=0.11)
    table = settling(pd.concat([results, sampled], ignore_index=True))
    assert table["method"].unique().tolist() == ["ML"]
    assert table["pairs"].unique().tolist() == [500]
    np.testing.assert_allclose(table["deviation"], 0.1)
    with pytest.raises(StudyError, match="sampled pairs"):
        plot_settling(results)
