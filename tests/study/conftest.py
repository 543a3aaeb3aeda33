from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bayescorr.study import Study


@pytest.fixture
def small():
    """A study of a second: two cells, two cheap methods, batches of two."""
    return Study(
        "small",
        sources=[{"name": "demo", "drop_worst": 0.75}],
        simulators=["resample"],
        topics=[5, 8],
        trials=5,
        methods=["ML", "RES"],
        levels=[0.5, 0.9],
        seed=7,
        batch=2,
    )


@pytest.fixture
def without_seconds():
    """Compare results apart from how long they took."""

    def check(found: pd.DataFrame, expected: pd.DataFrame) -> None:
        pd.testing.assert_frame_equal(
            found.drop(columns="seconds"), expected.drop(columns="seconds"), check_exact=True
        )

    return check


@pytest.fixture
def results():
    """Made-up results: two sources, two sizes, two methods, forty trials."""
    rng = np.random.default_rng(3)
    rows = []
    for source in ("a", "b"):
        for n in (10, 20):
            for trial in range(40):
                actual = rng.uniform(0.4, 0.8)
                for method, wide in (("ML", 0.1), ("MSQD", 0.2)):
                    estimate = actual + rng.normal(0.02, wide)
                    row = {"source": source, "simulator": "effects", "n_topics": n, "trial": trial}
                    row |= {"method": method, "coefficient": "tau", "actual": actual}
                    row |= {"estimate": estimate, "sd": wide, "seconds": 0.5, "diagnostics": ""}
                    for level, reach in ((0.5, 0.674), (0.9, 1.645)):
                        row[f"lower_{level}"] = estimate - reach * wide
                        row[f"upper_{level}"] = estimate + reach * wide
                    rows.append(row)
    return pd.DataFrame(rows)
