"""Simulation-based calibration of every model with a proper prior: docs/validation/sbc.{csv,png}.

Exits with 1 if a rank histogram is not uniform: chi-square p below .01 over the number of tests.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import pandas as pd

from bayescorr.bayes.model import PyMCModel, get_model, list_models
from bayescorr.models.beta_binomial import BetaBinomial
from bayescorr.study.calibration import calibrate, uniformity

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "validation"
IMPROPER = {"matrix-t-flat"}


def models() -> list[str]:
    found = [name for name in list_models()["name"] if isinstance(get_model(name), PyMCModel)]
    return [name for name in found if name not in IMPROPER]


def run(name: str, replications: int, systems: int, topics: int, seed: int) -> pd.DataFrame:
    model = get_model(name)
    if isinstance(model, BetaBinomial):
        # With few scores, the smallest grid that fits may differ from the grid of the simulation.
        model = BetaBinomial(grid=10)
    started = time.perf_counter()
    ranks = calibrate(
        model, systems=systems, topics=topics, replications=replications, random_seed=seed
    )
    table = uniformity(ranks)
    table.insert(0, "model", name)
    table.insert(1, "replications", replications)
    smallest = table["p_value"].min()
    print(f"{name}: smallest p {smallest:.3f} ({time.perf_counter() - started:.0f} s)", flush=True)
    return table


def plot(table: pd.DataFrame, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from scipy import stats

    names, quantities = list(table["model"].unique()), list(table["quantity"].unique())
    figure, axes = plt.subplots(
        len(names),
        len(quantities),
        figsize=(2.4 * len(quantities), 1.5 * len(names)),
        squeeze=False,
        sharex=True,
        layout="constrained",
    )
    for row, name in enumerate(names):
        for column, quantity in enumerate(quantities):
            found = table[(table["model"] == name) & (table["quantity"] == quantity)].iloc[0]
            counts = found.filter(like="bin_").to_numpy(int)
            total, bins = counts.sum(), len(counts)
            low, high = stats.binom.interval(0.99, total, 1 / bins)
            ax = axes[row, column]
            ax.axhspan(low, high, color="0.9")
            ax.axhline(total / bins, color="0.6", linewidth=0.8)
            ax.bar(range(bins), counts, width=0.9, color="tab:blue")
            ax.set_title(f"{quantity}, p = {found['p_value']:.2f}", fontsize=8)
            ax.set_xticks([])
            ax.tick_params(labelsize=7)
            if column == 0:
                ax.set_ylabel(name, fontsize=8)
    figure.supxlabel("rank of the truth among 99 posterior draws, ten bins", fontsize=8)
    figure.savefig(path, dpi=150)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=150)
    parser.add_argument("--models", nargs="+", default=models())
    parser.add_argument("--systems", type=int, default=6)
    parser.add_argument("--topics", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=FOLDER)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "sbc.csv"
    for name in options.models:
        table = run(name, options.replications, options.systems, options.topics, options.seed)
        if path.exists():
            kept = pd.read_csv(path)
            table = pd.concat([kept[kept["model"] != name], table])
        table = table.sort_values(["model", "quantity"], ignore_index=True)
        table.to_csv(path, index=False, float_format="%.4g")
    table = pd.read_csv(path)
    plot(table, options.out / "sbc.png")
    limit = 0.01 / len(table)
    failed = table[table["p_value"] < limit]
    print(f"{len(table)} histograms, {len(failed)} not uniform (p < {limit:.2g}): {path}")
    return int(len(failed) > 0)


if __name__ == "__main__":
    raise SystemExit(main())
