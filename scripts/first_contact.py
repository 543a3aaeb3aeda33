"""Run the first commands of three new users and time them.

    python scripts/first_contact.py

A paper to write, two sets of judgments to compare, a leaderboard of 25 models and 600 questions.
Writes docs/validation/first-contact.csv: exit code, seconds and the main line of the output of
every command. Run it on an idle machine, twice: the first run compiles the models.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

import bayescorr

OUT = Path("docs/validation/first-contact.csv")
COMMANDS = {
    "paper": [
        "scores saved-with-index.csv",
        "report saved-with-index.csv --name AP --seed 1 --out report",
        "show report/posterior.nc --ranking --latex",
        "topics report/posterior.nc --target 0.9 --probability 0.95 --seed 1",
    ],
    "judgments": ["agree human.csv llm.csv --seed 1"],
    "leaderboard": [
        "scores models-as-rows.csv",
        "scores models-as-rows.csv --transpose",
        "report models-as-rows.csv --transpose --name accuracy --seed 1 --out leaderboard",
    ],
}


def write_files(folder: Path) -> None:
    """Write the tables of the three users."""
    demo = bayescorr.load_dataset("demo")
    demo.reset_index().to_csv(folder / "saved-with-index.csv")
    rng = np.random.default_rng(1)
    noisy = (demo + rng.normal(0, 0.1, demo.shape)).clip(0, 1).round(4)
    demo.to_csv(folder / "human.csv")
    noisy.to_csv(folder / "llm.csv")
    ability, difficulty = np.linspace(-0.5, 1.5, 25), rng.normal(0, 1.5, (600, 1))
    right = rng.random((600, 25)) < 1 / (1 + np.exp(difficulty - ability))
    names = [f"model-{i + 1}" for i in range(25)]
    questions = pd.Index([f"q{i + 1}" for i in range(600)])
    board = pd.DataFrame(right.astype(int), index=questions, columns=names).T
    board.rename_axis("model").to_csv(folder / "models-as-rows.csv")


def main_line(output: str) -> str:
    """Return the line that carries the answer: a sentence, an error, or the first line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    marks = ("Ranked by", "A fresh set", "Error", "error:")
    return next((line for line in lines if line.startswith(marks)), lines[0] if lines else "")


def main() -> None:
    rows = []
    with tempfile.TemporaryDirectory() as name:
        write_files(Path(name))
        for user, commands in COMMANDS.items():
            for command in commands:
                begin = time.perf_counter()
                done = subprocess.run(
                    [Path(sys.executable).with_name("bayescorr"), *shlex.split(command)],
                    cwd=name, capture_output=True, text=True, check=False,
                )  # fmt: skip
                seconds = round(time.perf_counter() - begin, 1)
                line = main_line(done.stdout + "\n" + done.stderr)
                rows.append((user, f"bayescorr {command}", done.returncode, seconds, line))
                print(*rows[-1], sep=" | ", flush=True)
    columns = ["user", "command", "exit_code", "seconds", "says"]
    pd.DataFrame(rows, columns=columns).to_csv(OUT, index=False)


if __name__ == "__main__":
    main()
