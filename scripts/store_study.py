"""Store the summaries and figures of a study for the documentation.

    python scripts/store_study.py RESULTS [--compare PUBLISHED.csv]

RESULTS is the folder of `bayescorr study run NAME --out RESULTS`. The study need not be finished;
every table has a column with the number of collections. Files are written to
docs/validation/studies/NAME.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from bayescorr import study
from bayescorr.study.plots import save_figures

STUDIES = Path(__file__).resolve().parents[1] / "docs" / "validation" / "studies"
BY = ["source", "simulator", "n_topics"]


def checks(results: pd.DataFrame) -> list[str]:
    """Return the methods that see a share of the collections, to check other methods."""
    seen = results.groupby("method").size()
    return list(seen[seen < seen.max() / 2].index)


def tables(results: pd.DataFrame, published: Path | None) -> dict[str, pd.DataFrame]:
    """Return all summaries that these results allow, by file name."""
    found = {}
    # By cell, and averaged over sources.
    groups, baselines = {"": BY, "-by-topics": ["n_topics"]}, ["ML", "MSQD"]
    if results["split"].all():
        # Simulators of real topics stand for the selection of systems.
        found["summary"] = study.summarise(results, BY)
        groups = {"-by-systems": ["simulator", "n_topics"]}
        baselines = [str(results["method"].iloc[0])]
        found["pit-by-systems"] = study.summarise_pit(results, groups["-by-systems"])
    for end, by in groups.items():
        found[f"summary{end}"] = study.summarise(results, by)
        if any(str(column).startswith("lower") for column in results.columns):
            found[f"intervals{end}"] = study.summarise_intervals(results, by)
        for base in baselines:
            if base in set(results["method"]):
                name = base.removeprefix("bayes:")
                found[f"paired-{name}{end}"] = study.paired_differences(results, base, by)
    for name in checks(results):
        shared = study.paired_differences(results, name, ["n_topics"])
        found[f"paired-{name.removeprefix('bayes:')}-by-topics"] = shared
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
    for path in save_figures(results[~results["method"].isin(checks(results))], folder):
        print(path.relative_to(STUDIES))
    for table, frame in tables(results, arguments.compare).items():
        frame.round(6).to_csv(folder / f"{table}.csv", index=False)
        print(f"{name}/{table}.csv: {len(frame)} rows")


if __name__ == "__main__":
    main()
