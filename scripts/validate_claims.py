"""Validate what is claimed about systems: sets of ranks, and plans for decisions.

    python scripts/validate_claims.py sets OUT [--data FOLDER] [--collections 30]
    python scripts/validate_claims.py plans OUT [--data FOLDER] [--collections 60]

`sets` counts how often sets that hold together hold, and how large they are: for all true ranks,
the best system and the top 5; credible sets of the default model (by its Laplace approximation) and
confidence sets. Collections are simulated after the best 75% of the systems, so that the truth is
known. On real topics, sets for the ranking by other topics are predicted from some topics.

`plans` fits 25 simulated topics, predicts whether 50 will decide, draws them, fits again and looks.

Collections come from the embedded data and, if FOLDER has them, from the AP matrices of TREC 6-8.
Results are appended to OUT/sets.csv and OUT/plans.csv; another run continues an interrupted one.
Summaries go to docs/validation.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

import bayescorr as bc
from bayescorr.coefficients.rank_sets import joint_rank_intervals, top_set
from bayescorr.coefficients.ranks import true_ranks
from bayescorr.planning.population import draw_population

SUMMARIES = Path(__file__).resolve().parents[1] / "docs" / "validation"
TREC = ("adhoc6_ap", "adhoc7_ap", "adhoc8_ap")
SIZES = (10, 25, 50)
LEVELS = (0.8, 0.9, 0.95)
TOP = 5
LAPLACE: dict[str, Any] = {"inference": "laplace", "draws": 1000, "chains": 4, "warn": False}
#: Plans: topics that are seen, topics that are planned for, and systems to keep fits short.
SEEN, PLANNED, SYSTEMS, PAIRS = 25, 50, 20, 4

Row = dict[str, Any]
Key = tuple[Any, ...]


@cache
def load(source: str, data: Path | None) -> pd.DataFrame:
    """Return the scores of a source."""
    return bc.load_dataset("demo") if data is None else pd.read_csv(data / f"{source}.csv")


@cache
def simulator(source: str, data: Path | None) -> bc.EffectsSimulator:
    """Return a simulator of the best 75% of the systems of a source."""
    return bc.EffectsSimulator(bc.drop_worst(load(source, data), 0.25))


def sources(data: Path | None, wanted: list[str]) -> list[tuple[str, Path | None]]:
    """Return the wanted sources that are there, and where."""
    found: list[tuple[str, Path | None]] = [("demo", None)]
    for folder in [] if data is None else [data, data / "trec"]:
        found += [(name, folder) for name in TREC if (folder / f"{name}.csv").exists()]
    return [(name, folder) for name, folder in found if not wanted or name in wanted]


# Sets ---------------------------------------------------------------------------------------------


def measure(kind: str, truth: pd.Series, lower: Any, upper: Any, best: Any, top: Any) -> Row:
    """Return whether the sets hold, and their sizes; ``truth`` has ranks in the order of sets."""
    ranks = truth.to_numpy()
    return {
        "method": kind,
        "ranks": bool(((lower <= ranks) & (ranks <= upper)).all()),
        "best": set(truth.index[ranks == 1]) <= set(best),
        "top": set(truth.index[ranks <= TOP]) <= set(top),
        "size_ranks": float((upper - lower + 1).mean()) / len(truth),
        "size_best": len(best),
        "size_top": len(top),
        "systems": len(truth),
    }


def credible(kind: str, means: np.ndarray, systems: pd.Index, truth: pd.Series) -> Iterator[Row]:
    """Measure joint credible sets from draws of means, draws x systems."""
    drawn = true_ranks(means)
    for level in LEVELS:
        joint = joint_rank_intervals(drawn, level)
        sets = (systems[top_set(drawn, k, level).members] for k in (1, TOP))
        yield {"level": level, **measure(kind, truth[systems], joint.lower, joint.upper, *sets)}


def confidence(scores: pd.DataFrame, truth: pd.Series, seed: int) -> Iterator[Row]:
    """Measure confidence sets by each kind of bootstrap."""
    for kind in ("normal", "plug-in", "topics"):
        found = bc.rank_confidence_sets(scores, bootstrap=kind, draws=500, random_seed=seed)
        for level in LEVELS:
            table = found.table(level)
            ends = table["rank_lower"].to_numpy(), table["rank_upper"].to_numpy()
            sets = found.best(level), found.top(TOP, level)
            name = f"confidence, {kind}"
            yield {"level": level, **measure(name, truth[found.systems], *ends, *sets)}


def ranks_of(means: pd.Series) -> pd.Series:
    """Return ranks, 1 for the highest mean."""
    return means.rank(ascending=False, method="min").astype(int)


def sets_of_collection(
    outcome: str, source: str, data: Path | None, n: int, seed: int
) -> list[Row]:
    """Measure all sets on one collection."""
    warnings.simplefilter("ignore", bc.BayescorrWarning)
    rng = np.random.default_rng([seed, n])
    if outcome == "truth":
        scores = simulator(source, data).sample(n, rng)
        fit = bc.fit(scores, random_seed=seed, **LAPLACE)
        truth = ranks_of(simulator(source, data).true_means)
        return [
            *credible("credible", fit.ordered_means, fit.observed_means.index, truth),
            *confidence(scores, truth, seed),
        ]
    scores = load(source, data)
    order = rng.permutation(len(scores))
    seen, other = scores.iloc[order[:n]], scores.iloc[order[n:]]
    seen = bc.drop_identical(bc.drop_worst(seen, 0.25))
    fit = bc.fit(seen, random_seed=seed, **LAPLACE)
    means = draw_population(fit, None, seed).new(len(other))
    # Of other topics, not of the truth: predictive sets.
    return [*credible("predictive", means, seen.columns, ranks_of(other[seen.columns].mean()))]


def run_sets(out: Path, where: list[tuple[str, Path | None]], collections: int, jobs: int) -> Any:
    """Add the collections that are missing, and summarise."""
    keys = [
        (outcome, name, folder, n, seed)
        for seed in range(collections)
        for name, folder in where
        for n in SIZES
        for outcome in ("truth", "other topics")
        if outcome == "truth" or n < 50
    ]
    index = ["outcome", "source", "folder", "n_topics", "seed"]
    table = resume(out / "sets.csv", index, keys, sets_of_collection, jobs)
    rows = []
    table["source"] = table["source"].where(table["source"] == "demo", "TREC 6-8")
    by = ["outcome", "source", "n_topics", "level", "method"]
    for values, found in table.groupby(by, sort=True):
        row = {**dict(zip(by, values, strict=True)), "collections": len(found)}
        row["systems"] = found["systems"].mean()
        for name in ("ranks", "best", "top"):
            share = found[name].astype(float).mean()
            row[name] = share
            row[f"{name}_se"] = np.sqrt(share * (1 - share) / len(found))
            row[f"size_{name}"] = found[f"size_{name}"].mean()
        rows.append(row)
    return pd.DataFrame(rows)


# Plans --------------------------------------------------------------------------------------------


def plans_of_collection(source: str, data: Path | None, seed: int) -> list[Row]:
    """Predict decisions for one simulated collection, and look what another fit decides."""
    rng = np.random.default_rng([seed, 7])
    model = simulator(source, data)
    systems = model.true_means.index
    chosen = sorted(rng.choice(len(systems), min(SYSTEMS, len(systems)), replace=False).tolist())
    return list(plans_of(lambda n: model.sample(n, rng).iloc[:, chosen], seed, rng))


def plans_of(
    sample: Callable[[int], pd.DataFrame], seed: int, rng: np.random.Generator, **options: Any
) -> Iterator[Row]:
    """Compare plans and what later fits decide; ``sample`` draws topics of the collection."""
    warnings.simplefilter("ignore", bc.BayescorrWarning)
    options = {**LAPLACE, "random_seed": seed, **options}

    def relabelled(n: int, kind: str) -> pd.DataFrame:
        drawn = sample(n)
        return drawn.set_axis([f"{kind}{i}" for i in range(n)], axis=0)

    scores = relabelled(SEEN, "seen")
    fit = bc.fit(scores, **options)
    later = {
        True: bc.fit(pd.concat([scores, relabelled(PLANNED - SEEN, "more")]), **options),
        False: bc.fit(relabelled(PLANNED, "fresh"), **options),
    }
    m = len(fit.systems)
    questions: list[Row] = [{"top": 1}, {"top": TOP}]
    for _ in range(PAIRS):
        # Neighbours and systems up to six ranks apart: some decided, many not.
        i = int(rng.integers(m - 1))
        j = min(i + int(rng.integers(1, 7)), m - 1)
        questions.append({"pair": (fit.systems[i], fit.systems[j])})
    for question in questions:
        for extend, after in later.items():
            plan = bc.expected_decision(
                fit, PLANNED, **question, extend=extend, draws=500, random_seed=seed
            )
            yield {
                "question": "pair" if "pair" in question else f"top {question['top']}",
                "set": "extended" if extend else "fresh",
                "predicted": float(plan.decided.mean()),
                "decided": decides(after, question),
            }


def decides(fit: bc.Fit, question: Row, level: float = 0.95) -> bool:
    """Return whether a fit decides the question."""
    if "pair" in question:
        return bool(fit.compare_systems(*question["pair"]).p_order >= level)
    first = np.sort(np.argsort(-fit.ordered_means, axis=1)[:, : question["top"]], axis=1)
    return bool(np.unique(first, axis=0, return_counts=True)[1].max() / len(first) >= level)


def run_plans(out: Path, where: list[tuple[str, Path | None]], collections: int, jobs: int) -> Any:
    """Add the collections that are missing, and summarise."""
    keys = [(name, folder, seed) for seed in range(collections) for name, folder in where]
    index = ["source", "folder", "seed"]
    return summarise_plans(resume(out / "plans.csv", index, keys, plans_of_collection, jobs))


def summarise_plans(table: pd.DataFrame) -> pd.DataFrame:
    """Return predicted and actual shares by question and set, in all and by predicted share."""
    bins = pd.cut(table["predicted"], [-0.01, 0.2, 0.4, 0.6, 0.8, 1])
    words = bins.cat.rename_categories(["0-.2", ".2-.4", ".4-.6", ".6-.8", ".8-1"])
    both = pd.concat([table.assign(predictions="all"), table.assign(predictions=words.astype(str))])
    rows = []
    by = ["question", "set", "predictions"]
    for values, found in both.groupby(by, sort=True):
        difference = found["decided"] - found["predicted"]
        # Questions about one collection are not independent.
        totals = difference.groupby([found["source"], found["seed"]]).sum()
        rows.append(
            {
                **dict(zip(by, values, strict=True)),
                "collections": len(totals),
                "cases": len(found),
                "predicted": found["predicted"].mean(),
                "decided": found["decided"].mean(),
                "difference": difference.mean(),
                "se": np.sqrt(len(totals) * totals.var(ddof=1)) / len(found),
            }
        )
    return pd.DataFrame(rows)


# Both ---------------------------------------------------------------------------------------------


def resume(
    path: Path, index: list[str], keys: Iterable[Key], work: Callable[..., list[Row]], jobs: int
) -> pd.DataFrame:
    """Do the work of the keys that the file lacks, append it, and return the whole table."""
    names = [name for name in index if name != "folder"]
    done: set[Key] = set()
    if path.exists():
        done = set(pd.read_csv(path)[names].itertuples(index=False, name=None))

    def label(key: Key) -> Row:
        return {n: value for n, value in zip(index, key, strict=True) if n != "folder"}

    rest = [key for key in keys if tuple(label(key).values()) not in done]
    found = Parallel(n_jobs=jobs, batch_size=1, return_as="generator")(
        delayed(work)(*key) for key in rest
    )
    for key, rows in zip(rest, found, strict=True):
        table = pd.DataFrame([{**label(key), **row} for row in rows])
        table.round(5).to_csv(path, mode="a", header=not path.exists(), index=False)
    return pd.read_csv(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["sets", "plans"])
    parser.add_argument("out", type=Path, help="folder of the results")
    parser.add_argument("--data", type=Path, help="folder with the matrices of TREC 6-8")
    parser.add_argument(
        "--sources", nargs="*", default=[], help="demo, adhoc6_ap ...; default: all"
    )
    parser.add_argument("--collections", type=int, default=30, help="collections per cell")
    parser.add_argument("--jobs", type=int, default=-1)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    run = run_sets if arguments.what == "sets" else run_plans
    where = sources(arguments.data, arguments.sources)
    found = run(arguments.out, where, arguments.collections, arguments.jobs)
    print(found.round(3).to_string(index=False))
    found.round(4).to_csv(SUMMARIES / f"claims-{arguments.what}.csv", index=False)


if __name__ == "__main__":
    main()
