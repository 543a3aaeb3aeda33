"""Give bad input to a reader, and check what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bayescorr import read_scores
from bayescorr.errors import BayescorrError

LINE = "1 Q0 d1 1 0.5 tag\n"


def text(content, name="s.csv", reader=read_scores, **options):
    """Give a reader a file of that content."""

    def act(folder: Path):
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(data)
        return reader(folder / name, **options)

    return act


def assert_named(act, expected, folder):
    """Check that an act raises a line that names what is wrong, and one with the remedy."""
    with pytest.raises(BayescorrError) as caught:
        act(folder)
    error = caught.value
    assert re.search(expected, str(error)), str(error)
    assert "\n" not in error.message
    assert error.message.endswith(".")
    assert error.remedy
    assert "\n" not in error.remedy
