"""The heat map shows every value in its place, and labels that can be read."""

from __future__ import annotations

import sys
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from bayescorr.errors import MissingDependencyError
from bayescorr.report.heatmap import plot_matrix

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def matrix(rows, columns, name="system-{}"):
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        rng.random((rows, columns)),
        index=[name.format(i) for i in range(rows)],
        columns=[name.format(i) for i in range(columns)],
    )


def test_values_labels_and_colour_bar():
    values = matrix(3, 4).rename_axis(index="system", columns="rank")
    ax = plot_matrix(values, title="Ranks", label="probability", vmin=0, vmax=1)
    np.testing.assert_array_equal(ax.images[0].get_array(), values)
    assert [t.get_text() for t in ax.get_yticklabels()] == list(values.index)
    assert [t.get_text() for t in ax.get_xticklabels()] == list(values.columns)
    assert (ax.get_title(), ax.get_ylabel(), ax.get_xlabel()) == ("Ranks", "system", "rank")
    assert ax.images[0].get_clim() == (0, 1)
    assert ax.images[0].colorbar.ax.get_ylabel() == "probability"


def test_boundaries_make_classes():
    ax = plot_matrix(matrix(5, 5), boundaries=[0, 0.05, 1])
    image = ax.images[0]
    assert image.norm(0.01) == image.norm(0.049) != image.norm(0.06) == image.norm(0.9)


@pytest.mark.parametrize(
    ("vmin", "vmax", "arrows"),
    [(None, None, "neither"), (0, 1, "neither"), (0, 0.5, "max"), (0.5, None, "min")],
)
def test_values_beyond_an_end_are_said_by_an_arrow(vmin, vmax, arrows):
    values = matrix(5, 5)
    values.iloc[0, 0] = np.nan
    assert plot_matrix(values, vmin=vmin, vmax=vmax).images[0].colorbar.extend == arrows


def test_missing_values_are_grey():
    values = matrix(3, 3)
    values.iloc[1, 1] = np.nan
    ax = plot_matrix(values)
    assert ax.images[0].get_array().mask.sum() == 1
    assert ax.images[0].cmap.get_bad()[:3] == pytest.approx([0.85] * 3)


@pytest.mark.parametrize(
    ("rows", "columns", "name", "size"),
    [
        (4, 4, "{}", None),
        (30, 30, "run{}", None),
        pytest.param(40, 40, "run{}", None, marks=pytest.mark.slow),
        pytest.param(129, 129, "a-rather-long-name-{}", None, marks=pytest.mark.slow),
        pytest.param(129, 10, "run{}", None, marks=pytest.mark.slow),
        pytest.param(129, 129, "run{}", (4, 3), marks=pytest.mark.slow),
    ],
)
def test_labels_do_not_overlap(rows, columns, name, size):
    ax = plt.subplots(figsize=size, layout="constrained")[1] if size else None
    ax = plot_matrix(matrix(rows, columns, name), ax=ax, label="x")
    ax.figure.draw_without_rendering()
    for labels, low, high in (
        (ax.get_xticklabels(), "x0", "x1"),
        (ax.get_yticklabels()[::-1], "y0", "y1"),
    ):
        boxes = [text.get_window_extent() for text in labels]
        assert len(boxes) > 3
        assert all(getattr(a, high) <= getattr(b, low) for a, b in pairwise(boxes))
    whole = ax.figure.bbox
    boxes = [t.get_window_extent() for t in (*ax.get_xticklabels(), *ax.get_yticklabels())]
    assert all(whole.x0 <= b.x0 and b.x1 <= whole.x1 for b in boxes)
    assert all(whole.y0 <= b.y0 and b.y1 <= whole.y1 for b in boxes)


@pytest.mark.slow
def test_every_system_is_named_when_there_is_room():
    ax = plot_matrix(matrix(129, 129))
    assert len(ax.get_yticklabels()) == len(ax.get_xticklabels()) == 129


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError, match=r"bayescorr\[report\]"):
        plot_matrix(matrix(2, 2))


def test_a_dollar_sign_does_not_start_a_formula():
    table = pd.DataFrame([[0.0, 1.0], [1.0, 0.0]], index=["x$^$y", "b"], columns=["x$^$y", "b"])
    ax = plot_matrix(table)
    ax.figure.canvas.draw()
    assert ax.get_yticklabels()[0].get_text() == r"x\$^\$y"
