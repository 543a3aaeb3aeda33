from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayescorr import ScoresError, drop_identical, drop_worst
from bayescorr.errors import OptionError


def test_drop_identical_keeps_the_first_label_and_the_column_order():
    scores = pd.DataFrame({"z": [1, 2], "y": [0, 3], "a": [1, 2], "b": [0, 3], "m": [5, 5]})
    for order in (list("zyabm"), list("mbazy")):
        kept = drop_identical(scores[order])
        assert list(kept.columns) == [label for label in order if label in "abm"]


def test_drop_identical_needs_two_systems_in():
    with pytest.raises(ScoresError, match="got 2 topics and 1 system"):
        drop_identical(pd.DataFrame({"a": [1, 2]}))


def quantile_type_7(values, p):
    ordered = sorted(values)
    position = (len(ordered) - 1) * p
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (position - low) * (ordered[high] - ordered[low])


@given(
    st.lists(st.integers(0, 1000), min_size=2, max_size=30),
    st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9]),
)
def test_keeps_means_at_or_above_the_type_7_quantile(means, fraction):
    scores = pd.DataFrame([[mean / 1000 for mean in means]] * 3)
    bound = quantile_type_7([mean / 1000 for mean in means], fraction)
    expected = [i for i, mean in enumerate(means) if mean / 1000 >= bound - 1e-12]
    if len(expected) < 2:
        with pytest.raises(ScoresError, match="smaller fraction"):
            drop_worst(scores, fraction)
    else:
        assert list(drop_worst(scores, fraction).columns) == expected


@pytest.mark.parametrize(
    ("name", "kept"), [("adhoc6_ap", 55), ("adhoc7_ap", 77), ("adhoc8_ap", 97)]
)
def test_ad_hoc_collections_of_urbano_marrero_2016(trec, name, kept):
    """The quantile lies at rank 19.25 of 74, 26.5 of 103 and exactly 33 of 129 from the bottom."""
    scores = trec(name)
    chosen = drop_worst(scores)
    assert chosen.shape == (50, kept)
    assert set(scores.mean().nlargest(kept).index) == set(chosen.columns)


def test_lower_is_better():
    scores = pd.DataFrame({"a": [9, 9], "b": [2, 2], "c": [1, 1], "d": [0, 0]})
    assert list(drop_worst(scores, higher_is_better=False).columns) == ["b", "c", "d"]


@pytest.mark.parametrize("fraction", [-0.1, 1, 1.5, "a", None])
def test_fraction_out_of_range(fraction):
    with pytest.raises(OptionError, match="at least 0 and less than 1"):
        drop_worst([[1, 2], [3, 4]], fraction)
