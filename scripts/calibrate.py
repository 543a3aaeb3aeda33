"""Simulation-based calibration of every model with a proper prior: docs/validation/sbc.{csv,png}.

With ``--inference laplace``, the summaries are sbc-laplace.{csv,png}.

Exits with 1 if a rank histogram is not uniform: chi-square p below .01 over the number of tests.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import pandas as pd

from bayescorr.bayes.model import PyMCModel, get_model, list_models
from bayescorr.models.beta_binomial import BetaBinomial
from bayescorr.study.calibration import calibrate, calibrate_conditions, uniformity

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "validation"
IMPROPER = {"matrix-t-flat"}
#: Several conditions, by the number of these and of the topics that the first of them has.
CONDITIONS = {
    "matrix-t-conditions, K = 2": (2, None),
    "matrix-t-conditions, K = 3": (3, None),
    "matrix-t-partial": (2, 4),
}


def models() -> list[str]:
    found = {name: get_model(name) for name in list_models()["name"] if name not in IMPROPER}
    single = [name for name, model in found.items() if model.of_one_table]
    return [*(name for name in single if isinstance(found[name], PyMCModel)), *CONDITIONS]


def run(name: str, options: argparse.Namespace) -> pd.DataFrame:
    started = time.perf_counter()
    common = {
        "systems": options.systems,
        "topics": options.topics,
        "replications": options.replications,
        "inference": options.inference,
        "random_seed": options.seed,
    }
    if name in CONDITIONS:
        conditions, judged = CONDITIONS[name]
        ranks = calibrate_conditions(conditions, judged=judged, **common)
    else:
        model = get_model(name)
        if isinstance(model, BetaBinomial):
            # With few scores, the smallest grid that fits may not be that of the simulation.
            model = BetaBinomial(grid=10)
        ranks = calibrate(model, **common)
    table = uniformity(ranks)
    table.insert(0, "model", name)
    for i, size in enumerate(("systems", "topics", "replications"), start=1):
        table.insert(i, size, common[size])
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
                ax.set_ylabel(name.replace(", ", "\n"), fontsize=8)
    figure.supxlabel("rank of the truth among 99 posterior draws, ten bins", fontsize=8)
    figure.savefig(path, dpi=150)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=150)
    parser.add_argument("--models", nargs="+", default=models())
    parser.add_argument("--systems", type=int, default=6)
    parser.add_argument("--topics", type=int, default=8)
    parser.add_argument("--inference", default="nuts", choices=["nuts", "laplace"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=FOLDER)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / ("sbc.csv" if options.inference == "nuts" else "sbc-laplace.csv")
    for name in options.models:
        table = run(name, options)
        if path.exists():
            kept = pd.read_csv(path)
            table = pd.concat([kept[kept["model"] != name], table])
        table = table.sort_values(["model", "quantity"], ignore_index=True)
        table.to_csv(path, index=False, float_format="%.4g")
    table = pd.read_csv(path)
    plot(table, path.with_suffix(".png"))
    limit = 0.01 / len(table)
    failed = table[table["p_value"] < limit]
    print(f"{len(table)} histograms, {len(failed)} not uniform (p < {limit:.2g}): {path}")
    return int(len(failed) > 0)


if __name__ == "__main__":
    raise SystemExit(main())
