"""Validate what is claimed about systems: sets of ranks, and plans for decisions.

    python scripts/validate_claims.py sets OUT [--data FOLDER] [--collections 100]
    python scripts/validate_claims.py plans OUT [--data FOLDER] [--collections 100]

`sets` counts how often sets that hold together hold, and how large they are: for all true ranks,
the best system and the top 5; credible sets of the default model (by its Laplace approximation) and
confidence sets. Collections are simulated after the best 75% of the systems, so that the truth is
known. On real topics, sets for the ranking by other topics are predicted from some topics.

`plans` fits 25 topics, predicts whether 50 or 100 will decide, fits those and looks; on real
collections, it does so for the other half of the topics, and for both halves. Plans average over
true means as the prior of the model has them. A simulator has one truth, whose differences may be
smaller or larger. A quarter of the simulated collections therefore have true means from that prior.

Simulated collections are those of the embedded data and, if FOLDER has them, of the AP matrices of
TREC 6-8: as many as `--collections` says of each, for each number of topics. Real collections are
the embedded data and all matrices in FOLDER, a tenth as many splits of each. Results are appended
to OUT/sets.csv and OUT/plans.csv; another run continues an interrupted one. Summaries go to
docs/validation. Both studies together take about half an hour of one core.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bayescorr as bc
from bayescorr.bayes.model import get_model
from bayescorr.bayes.predictive import for_model
from bayescorr.coefficients.rank_sets import joint_rank_intervals, top_set
from bayescorr.coefficients.ranks import true_ranks
from bayescorr.simulation import RealTopics

SUMMARIES = Path(__file__).resolve().parents[1] / "docs" / "validation"
TREC = ("adhoc6_ap", "adhoc7_ap", "adhoc8_ap")
TRUTH, PRIOR, OTHERS = "truth", "prior", "other topics"
SIZES = (10, 25, 50)
LEVELS = (0.8, 0.9, 0.95)
TOP = 5
LAPLACE: dict[str, Any] = {"inference": "laplace", "draws": 1000, "chains": 4, "warn": False}
#: Plans: topics that are seen, topics that are planned for, systems, pairs, and the k of the top.
SEEN, PLANNED, SYSTEMS, PAIRS, TOP_OF_PLANS = 25, (50, 100), 12, 4, 2
#: Pairs of each collection with true means from the prior, of which there are fewer.
MORE_PAIRS = 12
#: On real collections, half of the topics are seen, and these are planned for.
HALVES = {"extended": "all", "fresh": "the other half"}

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


@cache
def real_topics(source: str, data: Path | None) -> RealTopics:
    """Return splits of a source, with the best 75% of the systems by the topics of A."""
    return RealTopics(load(source, data), drop_identical=True, drop_worst=0.25)


def keys_of(data: Path | None, collections: int, sizes: Sequence[int]) -> list[Key]:
    """Return what to do: outcome, source, its folder, topics that are seen, seed."""
    found: list[tuple[str, Path | None]] = [("demo", None)]
    for folder in [] if data is None else [data, data / "trec"]:
        found += [(file.stem, folder) for file in sorted(folder.glob("*.csv"))]
    simulated = [one for one in found if one[0] in ("demo", *TREC)]
    return [
        (outcome, *source, n, seed)
        for seed in range(collections)
        for outcome, where in ((TRUTH, simulated), (OTHERS, found))
        for source in where
        for n in sizes
        # Leave about as many topics to predict as are seen.
        if outcome == TRUTH or (n <= 25 and seed < -(-collections // 10))
    ]


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
    """Measure joint credible sets, as a fit makes them, from draws of means, draws x systems."""
    drawn = true_ranks(means)
    for level in LEVELS:
        joint = joint_rank_intervals(drawn, level, sampled=True)
        sets = (systems[top_set(drawn, k, level).members] for k in (1, TOP))
        yield {"level": level, **measure(kind, truth[systems], joint.lower, joint.upper, *sets)}


def confidence(scores: pd.DataFrame, truth: pd.Series, seed: int) -> Iterator[Row]:
    """Measure confidence sets by each kind of bootstrap."""
    for kind in ("normal", "plug-in", "topics"):
        found = bc.rank_confidence_sets(scores, bootstrap=kind, resamples=500, random_seed=seed)
        for level in LEVELS:
            table = found.table(level)
            ends = table["rank_lower"].to_numpy(), table["rank_upper"].to_numpy()
            sets = found.best(level), found.top(TOP, level)
            name = f"confidence, {kind}"
            yield {"level": level, **measure(name, truth[found.systems], *ends, *sets)}


def sets_of_collection(
    outcome: str, source: str, data: Path | None, n: int, seed: int
) -> list[Row]:
    """Measure all sets on one collection."""
    warnings.simplefilter("ignore", bc.BayescorrWarning)
    rng = np.random.default_rng([seed, n])
    if outcome == TRUTH:
        scores, means = simulator(source, data).sample(n, rng), simulator(source, data).true_means
        fit = bc.fit(scores, random_seed=seed, **LAPLACE)
        # Identical systems share a rank, as their draws do.
        truth = pd.Series(true_ranks(means.to_numpy()[None])[0], means.index)
        return [
            *credible("credible", fit.ordered_means, fit.observed_means.index, truth),
            *confidence(scores, truth, seed),
        ]
    case = real_topics(source, data).case(n, rng)
    fit = bc.fit(case.scores, random_seed=seed, **LAPLACE)
    given = for_model(fit)
    means = fit.model.new_means(*given[:3], fit.priors, case.other_topics, rng)
    # Systems that the other topics do not separate are in a random order.
    shuffled = case.means.sample(frac=1, random_state=rng)
    truth = shuffled.rank(ascending=False, method="first").astype(int)
    # Of other topics, not of the truth: predictive sets.
    return list(
        credible("predictive", means[:, given.stands_for.to_numpy()], fit.scores.columns, truth)
    )


def run_sets(out: Path, data: Path | None, collections: int) -> pd.DataFrame:
    """Add the collections that are missing, and summarise."""
    keys = keys_of(data, collections, SIZES)
    return summarise_sets(resume(out / "sets.csv", keys, sets_of_collection))


def summarise_sets(table: pd.DataFrame) -> pd.DataFrame:
    """Return how often sets hold, with standard errors, and their sizes."""
    rows = []
    by = ["outcome", "group", "n_topics", "level", "method"]
    for values, found in table.assign(group=groups(table)).groupby(by, sort=True):
        row = {**dict(zip(by, values, strict=True)), "collections": len(found)}
        row["systems"] = found["systems"].mean()
        for name in ("ranks", "best", "top"):
            share = found[name].astype(float)
            # Simulated collections are independent given their simulator.
            clusters = found["source"] if values[0] == OTHERS else np.arange(len(found))
            likely = (share.sum() + 0.5) / (len(share) + 1)
            # Never 0, even if all sets hold.
            least = np.sqrt(likely * (1 - likely) / len(share))
            row |= {name: share.mean(), f"{name}_se": max(least, error_of_mean(share, clusters))}
            row[f"size_{name}"] = found[f"size_{name}"].mean()
        rows.append(row)
    return pd.DataFrame(rows)


# Plans --------------------------------------------------------------------------------------------


@cache
def deviations(source: str, data: Path | None) -> np.ndarray:
    """Return how the scores on many topics that the simulator of a source draws deviate."""
    scores = simulator(source, data).sample(2000, 0).to_numpy()
    return np.asarray((scores - scores.mean(axis=0)) / np.sqrt(len(scores)))


def topics_worth(source: str, data: Path | None) -> float:
    """Return how many topics a prior is worth that expects the true means of a simulator."""
    found = deviations(source, data)
    contrasts = found - found.mean(axis=1, keepdims=True)
    means = simulator(source, data).true_means
    return float((contrasts**2).sum() / ((means - means.mean()) ** 2).sum())


def shift_to_prior(source: str, data: Path | None, rng: np.random.Generator) -> np.ndarray:
    """Return by how much simulated scores move so that their true means come from the prior."""
    means, topics = simulator(source, data).true_means, deviations(source, data)
    drawn = (
        rng.standard_normal(len(topics)) @ topics / np.sqrt(get_model(None).priors["prior_topics"])
    )
    # Identical systems stay identical.
    return np.asarray((means.mean() + drawn - means).round(9))


def plans_of_collection(
    outcome: str, source: str, data: Path | None, n: int, seed: int
) -> list[Row]:
    """Predict decisions for one collection, and look what later fits decide."""
    rng = np.random.default_rng([seed, 7])
    if outcome != OTHERS:
        drawn = simulator(source, data).sample(max(PLANNED) + sum(PLANNED), rng)
        if outcome == PRIOR:
            drawn = drawn + shift_to_prior(source, data, rng)
        systems = drawn.columns
        parts = np.split(np.arange(len(drawn)), np.cumsum([n, max(PLANNED) - n, *PLANNED])[:-1])
        seen, more = parts[:2]
        later = {("extended", size): np.append(seen, more[: size - n]) for size in PLANNED}
        later |= {("fresh", len(part)): part for part in parts[2:]}
    else:
        drawn = load(source, data)
        order = rng.permutation(len(drawn))
        seen, others = np.split(order, [len(drawn) // 2])
        systems = bc.drop_worst(bc.drop_identical(drawn.iloc[seen]), 0.25).columns
        later = {("extended", len(drawn)): order, ("fresh", len(others)): others}
    chosen = rng.choice(len(systems), min(SYSTEMS, len(systems)), replace=False)
    scores = drawn[systems[np.sort(chosen)]]
    pairs = MORE_PAIRS if outcome == PRIOR else PAIRS
    return list(plans_of(scores, seen, later, seed, rng, pairs))


def plans_of(
    scores: pd.DataFrame,
    seen: np.ndarray,
    later: dict[tuple[str, int], np.ndarray],
    seed: int,
    rng: np.random.Generator,
    pairs: int = PAIRS,
    **options: Any,
) -> Iterator[Row]:
    """Compare plans by the rows that are seen with what fits of other rows decide."""
    warnings.simplefilter("ignore", bc.BayescorrWarning)
    options = {**LAPLACE, "random_seed": seed, **options}
    fit = bc.fit(scores.iloc[seen], **options)
    m = len(fit.systems)
    questions: list[Row] = [{"top": 1}, {"top": TOP_OF_PLANS}]
    for _ in range(pairs):
        # Neighbours and systems up to six ranks apart: some decided, many not.
        i = int(rng.integers(m - 1))
        j = min(i + int(rng.integers(1, 7)), m - 1)
        questions.append({"pair": (fit.systems[i], fit.systems[j])})
    for (kind, size), rows in later.items():
        after = bc.fit(scores.iloc[rows], **options)
        for question in questions:
            plan = bc.expected_decision(
                fit, size, **question, extend=kind == "extended", draws=500, random_seed=seed
            )
            yield {
                "question": "pair" if "pair" in question else f"top {question['top']}",
                "set": kind,
                "planned": size,
                "predicted": float(plan.decided.mean()),
                "decided": decides(after, question),
            }


def decides(fit: bc.Fit, question: Row, level: float = 0.95) -> bool:
    """Return whether a fit decides the question."""
    if "pair" in question:
        return bool(fit.compare_systems(*question["pair"]).p_order >= level)
    first = np.sort(np.argsort(-fit.ordered_means, axis=1)[:, : question["top"]], axis=1)
    return bool(np.unique(first, axis=0, return_counts=True)[1].max() / len(first) >= level)


def run_plans(out: Path, data: Path | None, collections: int) -> pd.DataFrame:
    """Add the collections that are missing, and summarise."""
    keys = keys_of(data, collections, (SEEN,))
    quarter = [key for key in keys if key[0] == TRUTH and key[-1] < -(-collections // 4)]
    keys += [(PRIOR, *key[1:]) for key in quarter]
    return summarise_plans(resume(out / "plans.csv", keys, plans_of_collection))


def summarise_plans(table: pd.DataFrame) -> pd.DataFrame:
    """Return predicted and actual shares by question and set, in all and by predicted share."""
    table = table.assign(group=groups(table))
    # Halves of real collections have 24 or 25 topics.
    table["planned"] = table["planned"].where(table["outcome"] != OTHERS, table["set"].map(HALVES))
    bins = pd.cut(table["predicted"], [-0.01, 0.2, 0.4, 0.6, 0.8, 1])
    words = bins.cat.rename_categories(["0-.2", ".2-.4", ".4-.6", ".6-.8", ".8-1"])
    both = pd.concat([table.assign(predictions="all"), table.assign(predictions=words.astype(str))])
    if table["group"].nunique() > 1:
        simulated = both[both["outcome"] != OTHERS]
        both = pd.concat([both, simulated.assign(group="all")])
    rows = []
    by = ["outcome", "group", "question", "set", "planned", "predictions"]
    for values, found in both.groupby(by, sort=True):
        difference = found["decided"] - found["predicted"]
        # Questions about one collection are not independent, nor are splits of one.
        seeds = found["source"] + found["seed"].astype(str)
        clusters = seeds if values[0] != OTHERS else found["source"]
        rows.append(
            {
                **dict(zip(by, values, strict=True)),
                "collections": seeds.nunique(),
                "cases": len(found),
                "predicted": found["predicted"].mean(),
                "decided": found["decided"].mean(),
                "difference": difference.mean(),
                "se": error_of_mean(difference, clusters),
            }
        )
    return pd.DataFrame(rows)


# Both ---------------------------------------------------------------------------------------------


def groups(table: pd.DataFrame) -> pd.Series:
    """Return what is summarised together: simulators, and measures of real collections."""
    simulated = table["source"].where(table["source"] == "demo", "TREC 6-8")
    precise = (table["source"] == "demo") | table["source"].str.endswith("_ap")
    return simulated.where(table["outcome"] != OTHERS, np.where(precise, "AP", "other measures"))


def error_of_mean(values: pd.Series, clusters: Any) -> float:
    """Return the standard error of the mean of values that depend on each other in clusters."""
    totals = (values - values.mean()).groupby(np.asarray(clusters)).sum()
    g = len(totals)
    return float(np.sqrt(g / (g - 1) * (totals**2).sum()) / len(values)) if g > 1 else np.nan


def resume(path: Path, keys: Iterable[Key], work: Callable[..., list[Row]]) -> pd.DataFrame:
    """Do the work of the keys that the file lacks, append it, and return the whole table.

    Results with another prior are kept apart.
    """
    prior = get_model(None).priors["prior_topics"]
    names = ["prior_topics", "outcome", "source", "n_topics", "seed"]
    done: set[Key] = set()
    if path.exists():
        done = set(pd.read_csv(path)[names].itertuples(index=False, name=None))
    rest = [key for key in keys if (prior, key[0], key[1], *key[3:]) not in done]
    for outcome, source, data, n, seed in rest:
        rows = work(outcome, source, data, n, seed)
        label = dict(zip(names, (prior, outcome, source, n, seed), strict=True))
        table = pd.DataFrame([{**label, **row} for row in rows])
        table.round(5).to_csv(path, mode="a", header=not path.exists(), index=False)
    table = pd.read_csv(path)
    return table[table["prior_topics"] == prior].reset_index(drop=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["sets", "plans"])
    parser.add_argument("out", type=Path, help="folder of the results")
    parser.add_argument("--data", type=Path, help="folder with score matrices")
    parser.add_argument("--collections", type=int, default=100, help="collections per cell")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    run = run_sets if arguments.what == "sets" else run_plans
    found = run(arguments.out, arguments.data, arguments.collections)
    print(found.round(3).to_string(index=False))
    found.round(4).to_csv(SUMMARIES / f"claims-{arguments.what}.csv", index=False)


if __name__ == "__main__":
    main()
