"""Compare the spread of observed means in simulated and in real collections.

    BAYESCORR_DATA=DIR python scripts/validate_spread.py [COLLECTIONS]

Observed means are more spread than true means, by the noise of their topics. A simulator that takes
the observed means of a matrix as the truth adds this noise a second time. For six AP matrices, with
the best 75% of the systems, this script compares the variance of the means over 25 topics between
simulated collections (100 by default) and random sets of real topics. Writes
docs/validation/spread.csv and spread.png; takes 10 minutes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

import bayescorr

SUMMARIES = Path(__file__).resolve().parents[1] / "docs" / "validation"
MATRICES = ("adhoc5_ap", "adhoc6_ap", "adhoc7_ap", "adhoc8_ap", "web2010_ap", "web2011_ap")
SIMULATORS = {"effects": bayescorr.EffectsSimulator, "resample": bayescorr.ResampleSimulator}
TRUTHS = ("simulator", "original", "shrunk")
TOPICS, REAL = 25, 2000


def variances(simulator: bayescorr.Simulator, collections: int) -> np.ndarray:
    """Return the variance of the observed means of each simulated collection."""
    means = simulator.sample_means(TOPICS, collections, random_seed=1)
    return means.var(axis=1).to_numpy()


def main() -> None:
    collections = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    rows = []
    for matrix in MATRICES:
        scores = bayescorr.drop_identical(bayescorr.load_dataset(matrix))
        scores = bayescorr.drop_worst(scores, 0.25)
        rng = np.random.default_rng(1)
        chosen = (rng.permutation(len(scores))[:TOPICS] for _ in range(REAL))
        real = np.mean([scores.iloc[topics].mean().var() for topics in chosen])
        for name, simulator in SIMULATORS.items():
            for truth in TRUTHS:
                # Moving the effects simulator to its means takes a while; the others are fast.
                size = collections * (1 if (name, truth) == ("effects", "shrunk") else 10)
                found = variances(simulator(scores, truth=truth), size) / real
                se = found.std(ddof=1) / np.sqrt(size)
                rows.append((matrix, name, truth, TOPICS, size, found.mean(), se))
                print(*rows[-1], flush=True)
    columns = ["matrix", "simulator", "truth", "n_topics", "collections", "ratio", "ratio_se"]
    table = pd.DataFrame(rows, columns=columns)
    table.round(4).to_csv(SUMMARIES / "spread.csv", index=False)
    plot(table)


def plot(table: pd.DataFrame) -> None:
    """Draw the ratios, one panel per simulator."""
    import matplotlib.pyplot as plt

    from bayescorr.report.style import MARKERS, PALETTE

    figure, axes = plt.subplots(1, len(SIMULATORS), figsize=(9, 3.6), sharey=True)
    for ax, name in zip(axes, SIMULATORS, strict=True):
        for k, truth in enumerate(TRUTHS):
            part = table[(table["simulator"] == name) & (table["truth"] == truth)]
            x = np.arange(len(part)) + 0.2 * (k - 1)
            ax.errorbar(
                x, part["ratio"], 2 * part["ratio_se"], fmt=MARKERS[k], color=PALETTE[k],
                capsize=2, label=f'truth="{truth}"',
            )  # fmt: skip
        ax.axhline(1, color="0.6", linewidth=0.8, zorder=0)
        ax.set_xticks(range(len(MATRICES)), MATRICES, rotation=40, ha="right")
        ax.set_title(f"{name} simulator")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("variance of observed means,\nsimulated / real")
    axes[1].legend(frameon=False, fontsize="small")
    figure.tight_layout()
    figure.savefig(SUMMARIES / "spread.png", dpi=120)


if __name__ == "__main__":
    main()
