"""Figures 1 and 2 of Cummins 2012 on the Cranfield collection.

    python scripts/cummins_figures.py FOLDER [--out docs/validation]

FOLDER has qrels.txt and full/, with runs of all matching documents and their raw scores. Writes
cummins2012.csv (Kendall's tau and root mean square error between actual and inferred average
precision, per system, method and number of points) and cummins2012.png, and says whether the
paper's finding holds.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

import bayescorr as bc
from bayescorr.scores.files import stem
from bayescorr.scores.trec import read_qrels, read_run

POINTS = [4, 8, 16, 32, 64, 128, 256, 512, 1024]
# How far a criterion may still move after the plateau is reached.
PLATEAU = 0.005


def measure(folder: Path, family: str = "gamma") -> pd.DataFrame:
    qrels = read_qrels(folder / "qrels.txt")
    rows = []
    for path in sorted((folder / "full").iterdir()):
        run = read_run(path)
        settings = [("expected", 0), *(("aupr", points) for points in POINTS), ("exact", 0)]
        for method, points in settings:
            table = bc.infer_ap(run, qrels, family, method, points=points or 64, warn=False)
            found = bc.inference_error(table)
            rows.append(
                {
                    "system": stem(path),
                    "family": family,
                    "method": method,
                    "points": points or pd.NA,
                    "topics": int(found["topics"]),
                    "tau": round(found["tau"], 4),
                    "rmse": round(found["rmse"], 4),
                }
            )
    return pd.DataFrame(rows).astype({"points": "Int64"})


def verdicts(table: pd.DataFrame) -> dict[str, bool]:
    """Check the two findings of the paper, for every system."""
    found = {}
    for system, rows in table.groupby("system"):
        expected = rows[rows["method"] == "expected"].iloc[0]
        area = rows[rows["method"] == "aupr"].set_index("points")
        better = area.loc[64, "tau"] > expected["tau"] and area.loc[64, "rmse"] < expected["rmse"]
        later = area.loc[64:, ["tau", "rmse"]]
        found[f"{system}: AuPR beats E[ap] in tau and RMS error"] = bool(better)
        found[f"{system}: AuPR is at its plateau by 64 points"] = bool(
            (later - later.loc[64]).abs().to_numpy().max() <= PLATEAU
        )
    return found


def draw(table: pd.DataFrame, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    systems = list(table["system"].unique())
    figure, axes = plt.subplots(
        2, len(systems), figsize=(4.5 * len(systems), 6), sharex=True, sharey="row"
    )
    names = {"tau": "Kendall's tau", "rmse": "RMS error"}
    for row, criterion in enumerate(names):
        for column, system in enumerate(systems):
            ax = axes[row, column]
            rows = table[table["system"] == system].set_index("method")
            area = rows.loc["aupr"]
            ax.plot(area["points"].astype(float), area[criterion], "o-", label="AuPR")
            ax.axhline(rows.loc["expected", criterion], color="C1", linestyle="--", label="E[ap]")
            ax.set_xscale("log", base=2)
            ax.set_xticks(POINTS, [str(points) for points in POINTS])
            ax.grid(alpha=0.3)
            if row == 0:
                ax.set_title(system)
            else:
                ax.set_xlabel("points")
            if column == 0:
                ax.set_ylabel(f"{names[criterion]} with actual AP")
    axes[0, 0].legend(loc="center right")
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, default=Path("docs/validation"))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    table = measure(arguments.folder)
    table.to_csv(arguments.out / "cummins2012.csv", index=False)
    draw(table, arguments.out / "cummins2012.png")
    print(table.to_string(index=False))
    found = verdicts(table)
    for finding, holds in found.items():
        print(f"{'yes' if holds else 'NO'}: {finding}")
    if not all(found.values()):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
