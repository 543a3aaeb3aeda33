"""Store the summaries and figures of a study where the documentation finds them.

    python scripts/store_study.py RESULTS [--compare PUBLISHED.csv]

RESULTS is the folder that `bayescorr study run NAME --out RESULTS` wrote, finished or not; the
files go to docs/validation/studies/NAME. How many collections they rest on is a column of every
table.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from bayescorr import study
from bayescorr.study.plots import save_figures

STUDIES = Path(__file__).resolve().parents[1] / "docs" / "validation" / "studies"
BY = ["source", "simulator", "n_topics"]


def tables(results: pd.DataFrame, published: Path | None) -> dict[str, pd.DataFrame]:
    """Every summary that these results allow, by the name of its file."""
    found = {}
    # Cell by cell, and over sources: what a claim about a number of topics rests on.
    for end, by in (("", BY), ("-by-topics", ["n_topics"])):
        found[f"summary{end}"] = study.summarise(results, by)
        if any(str(column).startswith("lower") for column in results.columns):
            found[f"intervals{end}"] = study.summarise_intervals(results, by)
        for base in ("ML", "MSQD"):
            if base in set(results["method"]):
                found[f"paired-{base}{end}"] = study.paired_differences(results, base, by)
    if published is not None:
        found["comparison"] = study.compare_published(results, published)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("--compare", type=Path, help="published error and bias")
    arguments = parser.parse_args()
    name = study.load_study(str(arguments.results / "study.toml")).name
    folder = STUDIES / name
    results = study.read_results(arguments.results)
    for path in save_figures(results, folder):
        print(path.relative_to(STUDIES))
    for table, frame in tables(results, arguments.compare).items():
        frame.round(6).to_csv(folder / f"{table}.csv", index=False)
        print(f"{name}/{table}.csv: {len(frame)} rows")


if __name__ == "__main__":
    main()
