"""Every code block of the README and the documentation runs, in the order of its page."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    if "_build" not in path.parts and "generated" not in path.parts
)
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: str) -> list[tuple[str, str]]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return BLOCK.findall(text)


# The README fits the default model, which has to be compiled.
SLOW = {"README.md"}


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.slow if page in SLOW else ())
        for page in PAGES
        if blocks(page)
    ],
)
def test_code_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    namespace: dict[str, object] = {"__name__": "__main__"}
    for kind, body in blocks(page):
        if kind == "python":
            exec(compile(body, page, "exec"), namespace)
        else:
            for line in re.sub(r"\\\n", " ", body).splitlines():
                if line.startswith("$ "):
                    run(line[2:], tmp_path)


def run(line: str, folder: Path) -> None:
    """Run one line of a console block; comments after it are for the reader."""
    words = shlex.split(line, comments=True)
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"


def test_links_between_documents_lead_somewhere():
    broken = []
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", (ROOT / page).read_text()):
            if not (ROOT / page).parent.joinpath(target).exists():
                broken.append(f"{page}: {target}")
    assert not broken
