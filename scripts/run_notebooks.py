"""Execute the notebooks: at full size and stored, or at a small size and thrown away (CI).

    python scripts/run_notebooks.py [NAME ...]

notebooks/NAME.py is the text (jupytext percent format), notebooks/NAME.ipynb the same with output.
With BAYESCORR_NOTEBOOKS=small every notebook is executed at the size it gives for that, two at a
time, nothing is stored, and a stored notebook whose cells differ from its text is an error.
"""

from __future__ import annotations

import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
# What says nothing to a reader and differs from run to run: where a warning was raised, that a data
# set is fetched, that there are no progress bars for notebooks.
NOISE = re.compile(
    r"\S*ipykernel_\d+\S*\.py:\d+: |^Downloading data from .*\n|^.*TqdmWarning.*\n.*tqdm.*\n",
    re.MULTILINE,
)


def execute(text: Path) -> nbformat.NotebookNode:
    notebook = jupytext.read(text)
    notebook.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    client = NotebookClient(notebook, timeout=3600, kernel_name="python3")
    client.execute(cwd=str(FOLDER))
    for number, cell in enumerate(notebook.cells):
        # Random names of cells would make every run a change.
        cell["id"] = f"cell-{number}"
        cell.get("metadata", {}).pop("execution", None)
        for output in cell.get("outputs", []):
            if output.output_type == "stream":
                output.text = NOISE.sub("", output.text)
        if cell.cell_type == "code":
            cell.outputs = [o for o in cell.outputs if o.get("text", "something")]
    return notebook


def sources(notebook: nbformat.NotebookNode) -> list[str]:
    return [cell.source.strip() for cell in notebook.cells]


def told(notebook: nbformat.NotebookNode) -> str:
    """All that the cells printed."""
    return "\n".join(
        str(output.get("text", "")) + "".join(map(str, output.get("data", {}).values()))
        for cell in notebook.cells
        for output in cell.get("outputs", [])
    )


def unfit_to_store(notebook: nbformat.NotebookNode) -> str | None:
    """Say why the output is not for others: paths of this machine, or data that were not there."""
    text = told(notebook)
    places = {str(FOLDER.parent), str(Path.home()), sys.prefix, os.environ.get("BAYESCORR_DATA")}
    if found := sorted(place for place in places if place and f"{place}/" in text):
        return f"prints paths of this machine: {', '.join(found)}"
    if "not at hand" in text or "is at hand" in text:
        return "ran without its data: set BAYESCORR_DATA to the folder that has them"
    return None


def run(text: Path, small: bool) -> str | None:
    """Run one notebook; return what is wrong with it."""
    start = time.monotonic()
    notebook = execute(text)
    print(f"{text.name}: {time.monotonic() - start:.0f} s", flush=True)
    stored = text.with_suffix(".ipynb")
    if not small:
        if problem := unfit_to_store(notebook):
            return f"{text.name} {problem}. It is not stored."
        nbformat.write(notebook, stored)
    elif not stored.exists() or sources(nbformat.read(stored, 4)) != sources(notebook):
        return f"{stored.name} is not the same as its text. Run `make notebooks`."
    return None


def main(names: list[str]) -> int:
    small = os.environ.get("BAYESCORR_NOTEBOOKS") == "small"
    # Interpreters started for notebooks are those of this environment.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    texts = sorted(FOLDER.glob("*.py"))
    if unknown := set(names) - {text.stem for text in texts}:
        print(f"No such notebook: {', '.join(sorted(unknown))}.")
        return 1
    chosen = [text for text in texts if not names or text.stem in names]
    with ThreadPoolExecutor(2 if small else 1) as pool:
        wrong = [problem for problem in pool.map(lambda text: run(text, small), chosen) if problem]
    print("\n".join(wrong))
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
