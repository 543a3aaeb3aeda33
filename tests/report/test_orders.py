"""The caterpillar of ranks and the Hasse diagram show what the fit says."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from bayescorr import Fit

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


@pytest.fixture(scope="module", params=[3, 30, 129])
def fit(request):
    rng = np.random.default_rng(2)
    means = np.linspace(0.6, 0.2, request.param)
    names = [f"sys$tem_{i}" for i in range(request.param)]
    scores = pd.DataFrame(means + 0.001 * rng.standard_normal((20, len(means))), columns=names)
    return Fit.from_draws(means + 0.02 * rng.standard_normal((400, len(means))), scores)


@pytest.mark.slow
def test_ranks_show_both_intervals(fit):
    ax, table = fit.plot_ranks(level=0.9), fit.ranking(0.9)
    joint, alone = (lines.get_segments() for lines in ax.collections)
    for row, outer, inner in zip(table.itertuples(), joint, alone, strict=True):
        assert outer[:, 0].tolist() == [row.joint_rank_lower, row.joint_rank_upper]
        assert inner[:, 0].tolist() == [row.rank_lower, row.rank_upper]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "90% for all together", "90% for each alone", "posterior median",
    ]  # fmt: skip


def test_the_diagram_has_one_line_per_direct_pair_and_no_overlapping_names(fit):
    ax, pairs = fit.plot_order(level=0.9), fit.decided_pairs(0.9)
    lines = ax.collections[0].get_segments()
    assert len(lines) == len(pairs.direct)
    # Every line leads to the right, from a better system to a worse one.
    assert all(line[0, 0] < line[1, 0] for line in lines)
    assert ax.get_title().startswith(str(pairs))
    names = list(ax.texts)
    assert len(names) == len(fit.systems)
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in names]
    frame = ax.figure.bbox
    for box in [*boxes, ax.title.get_window_extent()]:
        assert frame.x0 <= box.x0
        assert box.x1 <= frame.x1
    tiers = pairs.tiers.to_numpy()
    for tier in range(1, tiers.max() + 1):
        column = sorted((boxes[i] for i in np.flatnonzero(tiers == tier)), key=lambda box: -box.y0)
        for above, below in pairwise(column):
            assert below.y1 <= above.y0 + 1
    for i, text in enumerate(names):
        assert text.get_text().startswith(f"{i + 1} ")
        assert (" > " in text.get_text()) == (len(names) > 40 and bool(pairs.ranges()[i]))
