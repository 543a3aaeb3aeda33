"""Execute the notebooks, and store their output.

    python scripts/run_notebooks.py [NAME ...]

notebooks/NAME.py is the text (jupytext percent format), notebooks/NAME.ipynb the same with output.
With BAYESCORR_NOTEBOOKS=small, as in CI, notebooks use small data, run two at a time and are not
stored; a stored notebook that differs from its text is an error.
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
# Output that differs from run to run: the places of warnings, downloads, missing progress bars.
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
        # Random cell ids would change with every run.
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


def printed(notebook: nbformat.NotebookNode) -> str:
    """Return everything that the cells printed."""
    return "\n".join(
        str(output.get("text", "")) + "".join(map(str, output.get("data", {}).values()))
        for cell in notebook.cells
        for output in cell.get("outputs", [])
    )


def unfit_to_store(notebook: nbformat.NotebookNode) -> str | None:
    """Say why the output must not be stored: it has paths of this machine, or lacks its data."""
    text = printed(notebook)
    places = {str(FOLDER.parent), str(Path.home()), sys.prefix, os.environ.get("BAYESCORR_DATA")}
    if found := sorted(place for place in places if place and f"{place}/" in text):
        return f"prints paths of this machine ({', '.join(found)})"
    if "is not available" in text or "are not available" in text or "is available" in text:
        return "ran without its data; set BAYESCORR_DATA to the folder that has them"
    return None


def run(text: Path, small: bool) -> str | None:
    """Run one notebook; return the problem, if any."""
    start = time.monotonic()
    notebook = execute(text)
    print(f"{text.name}: {time.monotonic() - start:.0f} s", flush=True)
    stored = text.with_suffix(".ipynb")
    if not small:
        if problem := unfit_to_store(notebook):
            return f"{text.name} was not stored: it {problem}."
        nbformat.write(notebook, stored)
    elif not stored.exists() or sources(nbformat.read(stored, 4)) != sources(notebook):
        return f"{stored.name} differs from {text.name}. Run `make notebooks`."
    return None


def main(names: list[str]) -> int:
    small = os.environ.get("BAYESCORR_NOTEBOOKS") == "small"
    # Kernels must use this environment.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    texts = sorted(FOLDER.glob("*.py"))
    if unknown := set(names) - {text.stem for text in texts}:
        print(f"Unknown notebook: {', '.join(sorted(unknown))}.")
        return 1
    chosen = [text for text in texts if not names or text.stem in names]
    with ThreadPoolExecutor(2 if small else 1) as pool:
        wrong = [problem for problem in pool.map(lambda text: run(text, small), chosen) if problem]
    print("\n".join(wrong))
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
