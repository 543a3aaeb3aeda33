"""The study of several conditions: outcomes and summaries by hand, one cell of each study."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "validate_conditions.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("validate_conditions", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["validate_conditions"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["validate_conditions"]


def test_outcome_of_draws_and_of_a_number(script):
    draws = np.linspace(0, 1, 101)
    found = script.outcome("posterior", draws, 0.96)
    assert found["bias"] == pytest.approx(-0.46)
    assert found["width"] == pytest.approx(0.9)
    assert not found["coverage"]
    # An end of the interval is inside, whatever the rounding.
    assert script.outcome("posterior", draws, 0.95 + 1e-12)["coverage"]
    assert script.outcome("observed", 0.5, 0.6).keys() == {"method", "quantity", "bias"}


def test_summary_weighs_collections_equally(script):
    cell = {"study": "known", "systems": "all", "topics": 10, "quantity": "tau", "method": "x"}
    biases = {"web2010": [0.1, 0.3], "web2011": [0.0, -0.1, -0.2, -0.1]}
    rows = [
        {**cell, "collection": name, "bias": bias, "coverage": float(bias < 0.2), "width": 0.5}
        for name, values in biases.items()
        for bias in values
    ]
    table = pd.DataFrame(rows).assign(narrower=np.nan, converged=1.0)
    found = script.summarise(table).set_index("collection")
    assert found.loc["both", "replications"] == 6
    assert found.loc["both", "bias"] == pytest.approx((0.2 - 0.1) / 2)
    assert found.loc["web2011", "error"] == pytest.approx(0.1)
    assert found.loc["both", "coverage"] == pytest.approx((0.5 + 1) / 2)
    errors = [np.std(values, ddof=1) / np.sqrt(len(values)) for values in biases.values()]
    assert found.loc["both", "bias_se"] == pytest.approx(np.hypot(*errors) / 2)
    assert np.isnan(found.loc["both", "narrower_se"])


@pytest.mark.slow
def test_every_study_runs_and_resumes(script, trec, tmp_path):
    trec("web2011_p10")  # skips the test if there are no data
    tables = []
    for study, (_, sizes) in script.STUDIES.items():
        cell = script.Cell(study, "web2011", "best-75", sizes[0])
        table = cell.run(4, 2, 1, tmp_path)
        again = cell.run(4, 2, 1, tmp_path)
        pd.testing.assert_frame_equal(table, again)
        tables.append(table)
    assert len(list(tmp_path.iterdir())) == len(script.STUDIES)
    found = script.summarise(pd.concat(tables, ignore_index=True))
    by = found[found["collection"] == "both"].set_index(["study", "quantity", "method"])
    assert set(by.loc["known"].index) == {
        ("tau", x) for x in ("posterior", "observed", "bootstrap")
    }
    assert by.loc[("known", "tau", "posterior"), "width"] > 0
    assert by.loc[("halves", "tau", "posterior"), "width"] > 0
    assert by.loc[("partial", "true means", "with judge"), "narrower"] < 1
    assert np.isnan(by.loc[("partial", "tau", "alone"), "narrower"])
    # Another run of the same replications would be the same.
    rng = [np.random.default_rng(3) for _ in range(2)]
    cell = script.Cell("known", "web2011", "all", 10)
    first, second = (list(cell.replicate(4, one)) for one in rng)
    assert first == second
