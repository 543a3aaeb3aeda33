"""Execute the notebooks: at full size and stored, or at a small size and thrown away (CI).

notebooks/NAME.py is the text (jupytext percent format), notebooks/NAME.ipynb the same with output.
With BAYESCORR_NOTEBOOKS=small every notebook is executed at the size it gives for that, nothing is
stored, and a stored notebook whose cells differ from its text is an error.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"


def execute(text: Path) -> nbformat.NotebookNode:
    notebook = jupytext.read(text)
    notebook.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    client = NotebookClient(notebook, timeout=3600, kernel_name="python3")
    client.execute(cwd=str(FOLDER))
    for cell in notebook.cells:
        cell.get("metadata", {}).pop("execution", None)
    return notebook


def sources(notebook: nbformat.NotebookNode) -> list[str]:
    return [cell.source.strip() for cell in notebook.cells]


def main(names: list[str]) -> int:
    small = os.environ.get("BAYESCORR_NOTEBOOKS") == "small"
    # Interpreters started for notebooks are those of this environment.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    stale = []
    for text in sorted(FOLDER.glob("*.py")):
        if names and text.stem not in names:
            continue
        print(f"{text.name} ...", flush=True)
        notebook = execute(text)
        stored = text.with_suffix(".ipynb")
        if not small:
            nbformat.write(notebook, stored)
        elif not stored.exists() or sources(nbformat.read(stored, 4)) != sources(notebook):
            stale.append(stored.name)
    if stale:
        print(f"Not the same as their text: {', '.join(stale)}. Run `make notebooks`.")
    return len(stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
