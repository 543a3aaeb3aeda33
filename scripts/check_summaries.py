"""Check the shrunk bootstrap of win rates, medians ... on populations of items that are known.

Items are drawn from a population of 20,000 whose summaries are the truth. For every summary and
number of items, the table has the bias of tau and the coverage of its 95% interval, and those of
the summaries of the systems, with standard errors over the replications.

    python scripts/check_summaries.py      # writes docs/validation/summaries.csv in 10 minutes
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import bayescorr
from bayescorr.coefficients import correlate
from bayescorr.scores.aggregates import with_summary
from bayescorr.scores.check import observed_means

TABLE = Path(__file__).parents[1] / "docs" / "validation" / "summaries.csv"
POPULATION, SYSTEMS = 20_000, 15
SUMMARIES = ("mean", "win-rate", "median", "trimmed-mean")


def population(rng: np.random.Generator) -> pd.DataFrame:
    """Return skewed scores in [0, 1] of systems that share the difficulty of the items."""
    ability = rng.normal(0, 0.25, SYSTEMS)
    difficulty = rng.normal(0, 1, (POPULATION, 1))
    noise = rng.normal(0, 0.7, (POPULATION, SYSTEMS))
    scores = 1 / (1 + np.exp(0.8 - ability - difficulty - noise))
    return pd.DataFrame(scores.round(4), columns=[f"s{j:02}" for j in range(SYSTEMS)])


def replicate(summary: str, n: int, seed: int) -> dict[str, float]:
    """Draw a population and n of its items; compare the posterior with the truth."""
    rng = np.random.default_rng([seed, n])
    items = population(rng)
    truth = observed_means(with_summary(items, summary))
    sample = items.iloc[rng.choice(POPULATION, n, replace=False)].reset_index(drop=True)
    fit = bayescorr.fit(
        sample, "bootstrap-shrunk", summary=summary, random_seed=seed, draws=500, warn=False
    )
    observed = fit.observed_means
    tau = correlate(truth[observed.index].to_numpy(), observed.to_numpy(), ["tau"])["tau"]
    row = fit.estimates(coefficients=["tau"]).iloc[0]
    means = fit.true_means.to_numpy().reshape(-1, SYSTEMS)
    low, high = np.quantile(means, [0.025, 0.975], axis=0)
    target = truth[fit.posterior["system"].to_numpy()].to_numpy()
    return {
        "tau_error": float(row["estimate"] - tau),
        "tau_covered": float(row["lower"] - 1e-9 <= tau <= row["upper"] + 1e-9),
        "width": float(row["upper"] - row["lower"]),
        "value_covered": float(((low <= target) & (target <= high)).mean()),
    }


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--replications", type=int, default=200)
    parser.add_argument("--out", type=Path, default=TABLE)
    given = parser.parse_args()
    rows = []
    for n in (25, 50, 200):
        for summary in SUMMARIES:
            found = pd.DataFrame([replicate(summary, n, i) for i in range(given.replications)])
            row = {"summary": summary, "items": n, "replications": given.replications}
            for name, column in found.items():
                row[str(name)] = column.mean()
                row[f"{name}_se"] = column.std(ddof=1) / np.sqrt(len(column))
            rows.append(row)
            print(row, flush=True)
    pd.DataFrame(rows).round(4).to_csv(given.out, index=False)


if __name__ == "__main__":
    warnings.simplefilter("error")
    main()
