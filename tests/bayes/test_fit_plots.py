from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import bayescorr
from bayescorr.errors import ModelError, OptionError
from bayescorr.report.density import density
from bayescorr.report.plots import plot_coefficients
from bayescorr.report.predictive import difference_sds

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def text_overlaps(labels, figure):
    """Neighbouring labels that cover each other."""
    figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in labels if label.get_text()]
    return [a for a, b in pairwise(boxes) if a.overlaps(b)]


@pytest.fixture(scope="module")
def large():
    """A fit of 129 systems, from draws."""
    rng = np.random.default_rng(1)
    scores = pd.DataFrame(rng.random((10, 129))).add_prefix("system-number-")
    draws = scores.mean().to_numpy() + 0.1 * rng.standard_normal((4, 50, 129))
    return bayescorr.Fit.from_draws(draws, scores)


def test_labels_of_many_systems_do_not_overlap(large):
    # Those of heat maps have their own test.
    ax = large.plot_ranking()
    assert not text_overlaps(ax.yaxis.get_ticklabels(), ax.figure)
    assert len(ax.get_yticks()) > 60


def test_coefficients_show_every_estimate(default, small):
    estimates = bayescorr.estimate(
        small, ["ML", "MSQD"], ["tau", "tau_ap", "tau_gap"], random_seed=1
    )
    ax = default.plot_coefficients(estimates=estimates, level=0.9)
    shown = [text.get_text() for text in ax.get_legend().get_texts()]
    assert shown == ["matrix-t (90% intervals)", "ML", "MSQD"]
    marks = [x for line in ax.get_lines() if line.get_marker() != "None" for x in line.get_xdata()]
    expected = [*default.estimates()["estimate"], *estimates["estimate"].dropna()]
    assert sorted(marks) == pytest.approx(sorted(expected))
    ticks = [text.get_text() for text in ax.get_yticklabels()]
    assert ticks == [r"$\tau$", r"$\tau_{AP}$", r"$\tau_{GAP}$"]


def test_one_coefficient_on_given_axes(large):
    ax = plt.subplots()[1]
    assert plot_coefficients(large, coefficients=["spearman"], ax=ax) is ax
    ticks = plot_coefficients(large, coefficients="tau").get_yticklabels()
    assert [text.get_text() for text in ticks] == [r"$\tau$"]


def test_ranking_shows_observed_and_true_means(large):
    ax = large.plot_ranking(level=0.8)
    table = large.ranking(0.8)
    true, observed = ax.get_lines()[:2]
    np.testing.assert_array_equal(true.get_xdata(), table["true_mean"])
    np.testing.assert_array_equal(observed.get_xdata(), table["observed_mean"])
    # The best system is on top.
    assert ax.get_ylim()[0] > ax.get_ylim()[1]


def test_heat_maps_show_the_tables(drawn):
    *_, fit = drawn
    shown = fit.plot_discordance().get_images()[0].get_array()
    np.testing.assert_array_equal(shown, fit.discordance())
    shown = fit.plot_rank_probabilities().get_images()[0].get_array()
    np.testing.assert_array_equal(shown, fit.rank_probabilities())


def test_predictions_beside_the_observed(default, small):
    ax = default.plot_predictive(draws=50, random_seed=1)
    observed = next(line for line in ax.get_lines() if line.get_label() == "observed")
    expected = small.mean().sort_values(ascending=False)
    np.testing.assert_allclose(observed.get_ydata(), expected)
    ax = default.plot_predictive(quantity="difference_sds", draws=50, random_seed=1)
    points = next(line for line in ax.get_lines() if line.get_label() == "median prediction")
    assert len(points.get_xdata()) == 8 * 7 // 2
    with pytest.raises(OptionError, match="difference_sds, means"):
        default.plot_predictive(quantity="ranks")


def test_predictions_need_a_model_that_predicts(large, small):
    with pytest.raises(ModelError, match="made from draws"):
        large.plot_predictive()
    with pytest.raises(ModelError, match="'flat' cannot"):
        bayescorr.fit(small, "flat", random_seed=1).plot_predictive()


def test_trace_has_a_row_per_scalar(default, large):
    axes = default.plot_trace().figure.axes
    names = [ax.get_ylabel() for ax in axes[::2]]
    assert names[:3] == ["tau", "tau_ap", "tau_gap"]
    assert set(names[3:]) == {"c", "mu0", "rho", "log_scale", "s", "w"}
    assert len(large.plot_trace(names=["tau"]).figure.axes) == 2


def test_density_of_a_bounded_coefficient_stays_inside_and_sums_to_one():
    draws = np.random.default_rng(1).beta(8, 1, 3000)
    grid, heights = density(draws)
    assert grid.max() <= 1
    share = heights / heights.sum()
    assert (grid * share).sum() == pytest.approx(draws.mean(), abs=0.01)
    # No dip at the end, where most of the mass is.
    assert heights[-1] > 0.9 * heights.max()
    density(np.ones(100))


def test_sds_of_differences_by_pair():
    scores = np.random.default_rng(2).random((9, 4))
    expected = [
        (scores[:, i] - scores[:, j]).std(ddof=1) for i in range(4) for j in range(i + 1, 4)
    ]
    np.testing.assert_allclose(difference_sds(scores), expected)


@pytest.mark.slow
def test_fits_load_no_model_and_only_the_plots_of_the_report():
    code = (
        "import sys, bayescorr.bayes.alternatives, bayescorr.conditions.agreement;"
        "print(*(name for name in sys.modules if name.startswith('bayescorr.')), 'end');"
        "print('matplotlib' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    names, plotting = shown.stdout.splitlines()
    found = {name.removeprefix("bayescorr.").partition(".")[0] for name in names.split()}
    assert not found & {"models", "planning", "study", "scoredist", "simulation", "cli"}
    report = {name for name in names.split() if name.startswith("bayescorr.report.")}
    drawing = {"plots", "density", "heatmap", "orders", "predictive", "style", "traces"}
    assert report == {f"bayescorr.report.{name}" for name in drawing}
    assert plotting == "False"
