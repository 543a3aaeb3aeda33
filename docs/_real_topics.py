"""Tables of the studies on real topics, from the summaries in docs/validation/studies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from _tables import DEFAULT, STUDIES, SYSTEMS, short

#: The columns of a study on real topics: which systems, and how many topics methods see.
_SELECTION = ["simulator", "n_topics"]


def real_topics_of_the_default(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate bias, PIT and coverage of the default model on real topics, by coefficient."""
    table = _splits(studies)
    yield from _split_rows(table[table["method"] == DEFAULT], ["coefficient", *_SELECTION])


def real_topics_by_method(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate the same of tau for every method, with the interval score."""
    table = _splits(studies)
    yield from _split_rows(table[table["coefficient"] == "tau"], [*_SELECTION, "method"])


def real_topics_by_measure(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate the bias of tau of the default model on real topics, by measure."""
    return _by_measure(studies / "real-topics", {DEFAULT: ""})


def coarse_measures_on_real_topics(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate the bias of tau on real topics by measure and model, for coarse measures."""
    methods = {
        DEFAULT: "default",
        "worth-10": "default, prior worth 10 topics",
        "bayes:bootstrap-shrunk": "`bootstrap-shrunk`",
    }
    return _by_measure(studies / "coarse-real-topics", methods)


def _by_measure(folder: Path, methods: dict[str, str]) -> Iterator[str]:
    """Tabulate the bias of tau by measure and method, with standard errors between matrices."""
    table = pd.read_csv(folder / "summary.csv")
    table = table[table["method"].isin(methods) & (table["coefficient"] == "tau")]
    names = {"ap": "AP", "p10": "P@10", "ndcg20": "nDCG@20", "err20": "ERR@20", "rr": "RR"}
    table["measure"] = table["source"].str.rpartition("_")[2].map(names)
    table = table.dropna(subset="bias")
    keys = ["measure", "method", *_SELECTION]
    cells = table.groupby(keys, sort=False)["bias"].agg(["mean", "std", "size"])
    wide = cells.unstack(_SELECTION)
    columns = sorted(wide["mean"].columns)
    first = ["measure", "matrices"] if len(methods) == 1 else ["measure", "matrices", "model"]
    head = [*first, *(f"{SYSTEMS[s]}, {n} topics" for s, n in columns)]
    yield "| " + " | ".join(head) + " |\n|" + "---|" * len(head)
    for (measure, method), row in wide.iterrows():
        sizes = [int(row["size"][column]) for column in columns]
        errors = [row["std"][c] / np.sqrt(row["size"][c]) for c in columns]
        means = [short(row["mean"][column], "+") for column in columns]
        both = [f"{m} ({short(e)})" if e == e else m for m, e in zip(means, errors, strict=True)]
        labels = [str(measure), str(max(sizes)), methods[method]][: len(first)]
        yield "| " + " | ".join([*labels, *both]) + " |"


def strengths_on_real_topics(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate bias and interval score of tau on real topics by strength of the prior."""
    table = pd.read_csv(studies.parent / "prior-strength.csv")
    table = table.query("coefficient == 'tau' and matrices == 'all'")
    strategies = {
        **{f"fixed {n}": f"{n} topics" for n in (2, 3, 4, 5, 6, 7, 10)},
        **{f"learned {n} 0.5": f"learned, about {n} topics" for n in (4, 5, 6)},
        "learned all 5 0.5": "learned from all contrasts, about 5 topics",
    }
    columns = [(s, n) for s in SYSTEMS for n in (10, 25)]
    head = ["prior worth", *(f"{SYSTEMS[s]}, {n} topics" for s, n in columns)]
    yield "| " + " | ".join(head) + " |\n|" + "---|" * len(head)
    cells = table.set_index(["strategy", "selection", "n"])
    for strategy, words in strategies.items():
        found = [cells.loc[(strategy, *column)] for column in columns]
        shown = [
            f"{short(row['bias'], '+')} ({short(row['bias_se'])}), "
            f"{short(row['pit'], digits=2)}, "
            f"{short(row['score_0.9_apart'], '+')} ({short(row['score_0.9_apart_se'])})"
            for row in found
        ]
        yield "| " + " | ".join([words, *shown]) + " |"


def spread_of_means(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate the variance of observed means in simulated collections, relative to real ones."""
    table = pd.read_csv(studies.parent / "spread.csv")
    wide = table.pivot(index="matrix", columns=["simulator", "truth"], values=["ratio", "ratio_se"])
    columns = list(wide["ratio"].columns)
    head = ["matrix", *(f'{name}, `"{truth}"`' for name, truth in columns)]
    yield "| " + " | ".join(head) + " |\n|" + "---|" * len(head)
    for matrix, row in wide.iterrows():
        cells = [f"{row['ratio'][c]:.2f} ({short(row['ratio_se'][c], digits=2)})" for c in columns]
        yield "| " + " | ".join([str(matrix), *cells]) + " |"
    means = wide["ratio"].mean(), wide["ratio"].std() / np.sqrt(len(wide))
    cells = [f"{means[0][c]:.2f} ({short(means[1][c], digits=2)})" for c in columns]
    yield "| " + " | ".join(["mean", *cells]) + " |"


def _splits(studies: Path) -> pd.DataFrame:
    """Return the summaries of the study on real topics, with standard errors between matrices."""
    folder, key = studies / "real-topics", [*_SELECTION, "method", "coefficient"]
    table = pd.read_csv(folder / "summary-by-systems.csv").set_index(key)
    intervals = pd.read_csv(folder / "intervals-by-systems.csv").set_index([*key, "level"])
    for level in intervals.index.unique("level"):
        part = intervals.xs(level, level="level")
        for name in ("coverage", "coverage_se", "score", "score_se"):
            table[f"{name}_{level:.0%}"] = part[name]
    return table.reset_index()


def _split_rows(table: pd.DataFrame, by: list[str]) -> Iterator[str]:
    """Yield a table with one row per group."""
    levels = [
        c.removeprefix("coverage_") for c in table if c.startswith("coverage_") and "se" not in c
    ]
    names = {"simulator": "systems", "n_topics": "topics"}
    head = [*(names.get(name, name) for name in by), "splits", "bias", "mean PIT"]
    head += [f"{level} covers" for level in levels] + ["score at 90%"]
    yield "| " + " | ".join(head) + " |\n|" + "---|" * len(head)
    for _, row in table.sort_values(by, kind="stable").iterrows():
        shown = {"simulator": SYSTEMS.get(row["simulator"], row["simulator"])}
        shown |= {name: f"`{row[name]}`" for name in ("method", "coefficient")}
        shown["n_topics"] = str(row["n_topics"])
        cells = [shown[name] for name in by] + [str(row["collections"])]
        cells += [f"{short(row['bias'], '+')} ({short(row['bias_se'])})"]
        cells += [f"{short(row['pit'], digits=2)} ({short(row['pit_se'], digits=2)})"]
        for level in levels:
            share, se = row[f"coverage_{level}"], row[f"coverage_se_{level}"]
            cells.append(f"{short(share, digits=2)} ({short(se, digits=2)})")
        cells.append(f"{short(row['score_90%'])} ({short(row['score_se_90%'])})")
        yield "| " + " | ".join(cells) + " |"
