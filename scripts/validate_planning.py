"""Validate the predicted tau: coverage of its predictive intervals on simulated collections.

For each collection, fit the effects simulator to a TREC matrix (the best 75% of systems), draw 25
topics, fit the default model to them (by its Laplace approximation), and predict tau for 50 topics:
a new set, and the 25 topics extended by 25. Compare it with the actual tau between the true means
of the simulator and the means over topics that it draws. Many topic sets per collection keep the
Monte Carlo error small.

    python scripts/validate_planning.py FOLDER_WITH_MATRICES [--collections 70] [--only-table]

Results are appended to docs/validation/planning.csv; another run continues an interrupted one.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

import bayescorr as bc
from bayescorr.planning.extrapolation import extrapolate

NAMES = ("adhoc6_ap", "adhoc7_ap", "adhoc8_ap")
HERE, THERE = 25, 50
LEVEL = 0.9
REPEATS = 100
OUT = Path(__file__).resolve().parents[1] / "docs" / "validation"


def one_collection(simulator: bc.EffectsSimulator, seed: int) -> list[dict[str, object]]:
    warnings.simplefilter("ignore", bc.BayescorrWarning)
    topics = np.random.default_rng([seed, 0])
    scores = simulator.sample(HERE, topics)
    truth = simulator.true_means
    options = {"inference": "laplace", "draws": 500, "chains": 2, "cores": 1}
    fit = bc.fit(scores, random_seed=seed, warn=False, **options)
    more = simulator.sample_means(THERE - HERE, REPEATS, topics).to_numpy()
    share = HERE / THERE
    sets = {
        "new": simulator.sample_means(THERE, REPEATS, topics).to_numpy(),
        "extended": share * scores.mean().to_numpy() + (1 - share) * more,
    }
    rows = []
    for kind, means in sets.items():
        actual = bc.tau(truth.to_numpy(), means)
        plan = bc.expected_coefficient(fit, THERE, extend=kind == "extended", random_seed=seed)
        row = plan.table(LEVEL).iloc[0]
        rows.append(
            {
                "kind": kind,
                "predicted": row["estimate"],
                "lower": row["lower"],
                "upper": row["upper"],
                "actual": actual.mean(),
                "covered": ((row["lower"] <= actual) & (actual <= row["upper"])).mean(),
                # A single set, as in practice.
                "covered_once": float(row["lower"] <= actual[0] <= row["upper"]),
                "error": np.abs(row["estimate"] - actual).mean(),
                "MSQD": extrapolate(scores, THERE, methods=["MSQD"])["estimate"].iloc[0],
                "converged": fit.convergence.passed,
            }
        )
    return rows


def run(folder: Path, collections: int, path: Path) -> None:
    done = set()
    if path.exists():
        table = pd.read_csv(path)
        done = set(zip(table["collection"], table["seed"], strict=True))
    simulators = {
        name: bc.EffectsSimulator(bc.drop_worst(pd.read_csv(folder / f"{name}.csv"), 0.25))
        for name in NAMES
    }
    # Alternate between matrices, so that an interrupted run is balanced.
    rest = [(n, seed) for seed in range(collections) for n in NAMES if (n, seed) not in done]
    work = Parallel(n_jobs=-1, batch_size=1, return_as="generator")
    found = work(delayed(one_collection)(simulators[name], seed) for name, seed in rest)
    for (name, seed), rows in zip(rest, found, strict=True):
        table = pd.DataFrame(rows)
        table.insert(0, "seed", seed)
        table.insert(0, "collection", name)
        table.round(5).to_csv(path, mode="a", header=not path.exists(), index=False)


def summary(path: Path) -> pd.DataFrame:
    """Return coverage and errors by kind, with standard errors over collections."""
    table = pd.read_csv(path)
    both = pd.concat([table, table.assign(collection="all")])
    rows = []
    for (kind, name), group in both.groupby(["kind", "collection"], sort=True):
        n = len(group)
        rows.append(
            {
                "set": kind,
                "collection": name,
                "collections": n,
                "coverage": group["covered"].mean(),
                "se": group["covered"].std(ddof=1) / np.sqrt(n),
                "coverage_once": group["covered_once"].mean(),
                "bias": (group["predicted"] - group["actual"]).mean(),
                "error": group["error"].mean(),
                "bias_MSQD": (group["MSQD"] - group["actual"]).mean(),
                "width": (group["upper"] - group["lower"]).mean(),
            }
        )
    return pd.DataFrame(rows)


def draw(path: Path, target: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    table = pd.read_csv(path)
    colours = dict(zip(NAMES, ("#0072B2", "#D55E00", "#009E73"), strict=True))
    figure, axes = plt.subplots(
        1, 2, figsize=(10, 4.2), sharex=True, sharey=True, layout="constrained"
    )
    titles = {"new": f"{THERE} new topics", "extended": f"{HERE} topics extended to {THERE}"}
    for ax, (kind, title) in zip(axes, titles.items(), strict=True):
        rows = table[table["kind"] == kind].sort_values("predicted").reset_index(drop=True)
        ax.vlines(
            rows.index, rows["lower"], rows["upper"], color="0.8", lw=1, label=f"{LEVEL:.0%} band"
        )
        ax.plot(rows.index, rows["predicted"], color="black", lw=1, label="predicted mean")
        for name, colour in colours.items():
            chosen = rows[rows["collection"] == name]
            ax.plot(
                chosen.index,
                chosen["actual"],
                ".",
                color=colour,
                ms=5,
                label=f"actual mean, {name}",
            )
        covered = rows["covered"].mean()
        ax.set(
            title=f"{title}: {covered:.1%} of the sets inside",
            xlabel="simulated collection, sorted",
        )
    axes[0].set_ylabel(r"$\tau$ with the true ranking")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False, fontsize=8)
    figure.savefig(target, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--collections", type=int, default=70, help="simulated collections per matrix"
    )
    parser.add_argument(
        "--only-table", action="store_true", help="summarise the stored results only"
    )
    arguments = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / "planning.csv"
    if not arguments.only_table:
        run(arguments.folder, arguments.collections, path)
    found = summary(path)
    print(found.round(3).to_string(index=False))
    found.round(4).to_csv(OUT / "planning_summary.csv", index=False)
    draw(path, OUT / "planning.png")


if __name__ == "__main__":
    main()
