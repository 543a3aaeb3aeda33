"""Stored notebooks match their text, are executed and small, and name no machine."""

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
    outputs = [
        json.dumps(output.get("data", output))
        for cell in cells(stored)
        for output in cell.get("outputs", [])
    ]
    # Base64 of a picture may contain such strings by chance.
    plain = [part for part in outputs if "image/png" not in part]
    assert not [p for p in plain if re.search(r"/(?:root|home|tmp|work|Users|usr)/", p)]
    # The output must come from the data that the text describes, not from the embedded collection.
    assert not [p for p in plain if re.search("(is|are) (not )?available", p)]
    # No accidental repr of an object with its address.
    assert not [p for p in plain if re.search(r"at 0x[0-9a-f]+|<Axes", p)]
