"""Stored notebooks: the same as their text, executed, small, and silent about this machine."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
TEXTS = sorted(FOLDER.glob("*.py"))


@pytest.fixture(params=TEXTS, ids=lambda path: path.stem)
def text(request):
    return request.param


def cells(notebook: Path) -> list[dict]:
    return json.loads(notebook.read_text("utf-8"))["cells"]


def test_the_ten_notebooks_are_there():
    assert {path.stem for path in TEXTS} >= {
        "quickstart",
        "reporting-results",
        "model-comparison",
        "bayesian-vs-frequentist",
        "replicate-urbano-marrero-2016",
        "replicate-bavdaz-2018",
        "replicate-gao-oard-2015",
        "replicate-cummins-2012",
        "topic-set-size",
        "beyond-ir",
    }


def test_stored_notebook_is_its_text(text):
    jupytext = pytest.importorskip("jupytext")
    written = [cell.source.strip() for cell in jupytext.read(text).cells]
    stored = ["".join(cell["source"]).strip() for cell in cells(text.with_suffix(".ipynb"))]
    assert stored == written


def test_every_cell_was_executed_without_error(text):
    code = [cell for cell in cells(text.with_suffix(".ipynb")) if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell["outputs"]]
    assert outputs
    assert not [output for output in outputs if output["output_type"] == "error"]


def test_stored_notebook_is_small_and_names_no_machine(text):
    stored = text.with_suffix(".ipynb")
    assert stored.stat().st_size < 600_000
    told = [
        json.dumps(output.get("data", output))
        for cell in cells(stored)
        for output in cell.get("outputs", [])
    ]
    # Base64 of a picture may hold such letters by chance.
    plain = [part for part in told if "image/png" not in part]
    assert not [p for p in plain if re.search(r"/(?:root|home|tmp|work|Users|usr)/", p)]
    # Stored output is that of the data which the text speaks of.
    assert not [p for p in plain if re.search("not at hand|is at hand", p)]
    # Nor objects that nobody asked to see, with their address.
    assert not [p for p in plain if re.search(r"at 0x[0-9a-f]+|<Axes", p)]


def test_a_small_size_exists(text):
    assert 'os.environ.get("BAYESCORR_NOTEBOOKS") == "small"' in text.read_text("utf-8")
