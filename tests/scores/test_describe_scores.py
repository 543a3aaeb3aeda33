from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bayescorr import ScoresWarning, check_scores, describe_scores
from bayescorr.scores.aggregates import with_summary
from bayescorr.scores.describe import mean_squares, understood, variance_components


def slow_components(values):
    """Mean squares by loops over the textbook sums of squares."""
    n, m = values.shape
    grand = sum(values[i, j] for i in range(n) for j in range(m)) / (n * m)
    topic = [sum(values[i, j] for j in range(m)) / m for i in range(n)]
    system = [sum(values[i, j] for i in range(n)) / n for j in range(m)]
    total = sum((values[i, j] - grand) ** 2 for i in range(n) for j in range(m))
    ss_topic = m * sum((x - grand) ** 2 for x in topic)
    ss_system = n * sum((x - grand) ** 2 for x in system)
    interaction = (total - ss_topic - ss_system) / ((n - 1) * (m - 1))
    return (
        max(0.0, (ss_system / (m - 1) - interaction) / n),
        max(0.0, (ss_topic / (n - 1) - interaction) / m),
        interaction,
    )


@given(arrays(float, st.tuples(st.integers(2, 6), st.integers(2, 6)), elements=st.floats(0, 1)))
def test_variance_components_equal_the_slow_ones(values):
    found = variance_components(mean_squares(values), values.shape)
    np.testing.assert_allclose(found, slow_components(values), atol=1e-12)


def test_worked_by_hand():
    """Means 1/3, 7/15 of systems and .1, .4, .7 of topics; MS 2/75, .18 and 1/150."""
    description = describe_scores([[0.0, 0.2], [0.4, 0.4], [0.6, 0.8]])
    assert (description.topics, description.systems) == (3, 2)
    assert description.mean == pytest.approx(0.4)
    assert description.zeros == pytest.approx(1 / 6)
    assert description.system_variance == pytest.approx((2 / 75 - 1 / 150) / 3)
    assert description.topic_variance == pytest.approx((0.18 - 1 / 150) / 2)
    assert description.interaction_variance == pytest.approx(1 / 150)
    assert description.sd == pytest.approx(0.08**0.5)


def test_shares_add_up_to_one():
    frame = describe_scores([[0.0, 0.2], [0.4, 0.4], [0.6, 0.8]]).to_frame()
    assert frame["share"].sum() == pytest.approx(1)
    assert frame.set_index("quantity").loc["systems", "value"] == 2


def test_names_what_cannot_be_told_apart():
    scores = pd.DataFrame({"a": [0.1, 0.3], "b": [0.1, 0.3], "c": [0.2, 0.2], "d": [0.9, 0.8]})
    description = describe_scores(scores)
    assert description.notes() == [
        "Identical systems: a = b",
        "Same score on all topics: c",
        "Equal means: a = c",
    ]
    assert repr(description).startswith("Scores of 4 systems on 2 topics (0 to 1): best d 0.850, ")
    assert all(note in repr(description) for note in description.notes())


@pytest.mark.parametrize(
    ("summary", "note"),
    [
        ("median", "Equal medians: a = b"),
        ("win-rate", "Equal win rates: a = b"),
        (np.max, "Equal values of max: a = b"),
    ],
)
def test_names_what_is_equal_by_another_summary(summary, note):
    scores = pd.DataFrame({"a": [0.1, 0.3, 0.9], "b": [0.9, 0.3, 0.1], "c": [0.0, 0.2, 0.0]})
    assert note in describe_scores(with_summary(scores, summary)).notes()
    with pytest.warns(ScoresWarning, match=f"{note.replace('a = b', '.*')}Their observed order"):
        check_scores(with_summary(scores, summary))


def test_missing_scores_are_counted():
    description = describe_scores([[0.1, np.nan], [0.3, 0.5]])
    assert description.missing == 1
    assert description.mean == pytest.approx(0.3)
    assert np.isnan(description.topic_variance)
    assert "missing: 1 score" in repr(description)


def test_no_variance_at_all():
    description = describe_scores([[0.0, 0.0], [0.0, 0.0]])
    assert "system 0.0%" in repr(description)
    assert description.to_frame()["share"].isna().all()


class TestUnderstood:
    SCORES = pd.DataFrame(
        {"a": [0.1, 0.3], "b": [0.5, 0.7], "c": [0.9, 0.7], "d": [0.2, 0.6]}, index=["q1", "q2"]
    )

    def test_names_best_middle_and_worst(self):
        assert understood(self.SCORES) == (
            "4 systems on 2 topics (q1 to q2): best c 0.800, middle b 0.600, worst a 0.200."
        )

    def test_measure_direction_and_missing_scores(self):
        scores = self.SCORES.copy()
        scores.iloc[0, 0] = np.nan
        scores.attrs["measure"] = "nDCG@10"
        assert understood(scores, higher_is_better=False) == (
            "4 systems on 2 topics (q1 to q2), nDCG@10, 1 missing, lowest is best: best a 0.300, "
            "middle d 0.400, worst c 0.800."
        )

    def test_items_that_are_right_or_wrong(self):
        scores = (self.SCORES > 0.5).astype(float)
        scores.iloc[0, 0] = np.nan
        assert ", all scores 0 or 1, 1 missing: best" in understood(scores)
        assert "0 or 1" not in understood(scores / 2)

    def test_long_names_and_large_numbers(self):
        scores = pd.DataFrame({"x" * 40: [1234.5, 1000], "b": [1, 2]})
        shown = understood(scores)
        assert f"best {'x' * 29}\u2026 1117.2, worst b 1.500" in shown

    def test_systems_without_scores_have_no_rank(self):
        scores = self.SCORES.assign(e=np.nan)
        assert "worst a 0.200" in understood(scores)
        assert understood(scores[["e"]]) == "1 system on 2 topics (q1 to q2), 2 missing."
