"""Study posteriors on 0/1 items, of one benchmark and of six tasks: bias and coverage of tau.

    python scripts/study_items.py [--trials 150] [--laplace 60]

Items are answered right with probability logistic(ability - difficulty + style * loading). Each
trial draws abilities, and pools of 5,000 items, over which the true means are known. The result is
docs/validation/items.csv.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit

import bayescorr
from bayescorr.bayes.model import ExactModel
from bayescorr.errors import BayescorrWarning

OUT = Path(__file__).resolve().parents[1] / "docs" / "validation" / "items.csv"
SYSTEMS, POOL = 25, 5_000
LEVELS = (0.8, 0.9, 0.95)
#: Items and mean difficulty of each task; the numbers of items of the designs with one task.
TASKS = {"a": (30, -2.0), "b": (60, -1.0), "c": (100, 0.0), "d": (150, 0.5), "e": (250, 1.0),
         "f": (400, 2.0)}  # fmt: skip
SINGLE = (50, 200, 1000)


class Independent(ExactModel):
    """The exact posterior of every system alone: Beta, from a uniform prior."""

    name = "beta"
    description = citation = good_for = bad_for = "reference"

    def sample(self, data, priors, draws, rng):
        """Draw the true means."""
        right = data.values.sum(axis=0)
        return rng.beta(right + 1, data.n_topics - right + 1, (draws, data.n_systems))


def probabilities(ability: np.ndarray, difficulty: float, rng: np.random.Generator) -> np.ndarray:
    """Return P(right) on a pool of items, items x systems."""
    item = difficulty + 1.5 * rng.standard_normal((POOL, 1))
    style = 0.7 * rng.standard_normal((POOL, 2)) @ rng.standard_normal((2, len(ability)))
    return np.asarray(expit(ability - item + style))


def answers(p: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Return 0/1 scores on n items of a pool."""
    return (rng.random((n, p.shape[1])) < p[rng.integers(len(p), size=n)]).astype(float)


def designs(trial: int) -> Iterator[tuple[str, pd.DataFrame, pd.Series | None, np.ndarray]]:
    """Yield design, scores, tasks and true means."""
    for n in SINGLE:
        rng = np.random.default_rng([2026, trial, n])
        p = probabilities(0.8 * rng.standard_normal(SYSTEMS), 0.0, rng)
        yield f"{n} items", frame(answers(p, n, rng)), None, p.mean(axis=0)
    rng = np.random.default_rng([2026, trial])
    ability = 0.8 * rng.standard_normal(SYSTEMS)
    own = 0.3 * rng.standard_normal((len(TASKS), SYSTEMS))
    pools = [
        probabilities(ability + apart, difficulty, rng)
        for apart, (_, difficulty) in zip(own, TASKS.values(), strict=True)
    ]
    sizes = [n for n, _ in TASKS.values()]
    scores = frame(np.vstack([answers(p, n, rng) for p, n in zip(pools, sizes, strict=True)]))
    tasks = pd.Series(np.repeat(list(TASKS), sizes), index=scores.index)
    yield "6 tasks", scores, tasks, np.mean([p.mean(axis=0) for p in pools], axis=0)


def frame(values: np.ndarray) -> pd.DataFrame:
    """Label items and systems."""
    index = [f"i{k:05}" for k in range(len(values))]
    return pd.DataFrame(values, index=index, columns=[f"s{k:02}" for k in range(SYSTEMS)])


def run(trial: int, laplace: bool) -> Iterator[dict[str, object]]:
    """Yield one row per design and method."""
    for design, scores, tasks, truth in designs(trial):
        actual = None
        for model in ("flat", "bootstrap-shrunk", Independent(), *(["matrix-t"] * laplace)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", BayescorrWarning)
                fit = bayescorr.fit(
                    scores,
                    model,
                    strata=tasks,
                    inference="laplace",
                    random_seed=trial,
                    draws=500,
                    warn=False,
                )
            if actual is None:
                observed = fit.observed_means[scores.columns].to_numpy()
                actual = float(bayescorr.tau(truth, observed))
            row = fit.estimates(coefficients="tau").iloc[0]
            found = {"design": design, "model": fit.method, "passed": fit.convergence.passed}
            found |= {"actual": actual, "error": row["estimate"] - actual}
            means = fit.true_means.to_numpy().reshape(-1, SYSTEMS)
            low, high = np.quantile(means, [0.05, 0.95], axis=0)
            found["means_0.9"] = float(((low <= truth) & (truth <= high)).mean())
            for level in LEVELS:
                ends = fit.estimates(level, coefficients="tau").iloc[0]
                inside = ends["lower"] - 1e-9 <= actual <= ends["upper"] + 1e-9
                found[f"coverage_{level:g}"] = float(inside)
            yield found


def summarise(rows: pd.DataFrame) -> pd.DataFrame:
    """Return bias, error and coverage with standard errors, by design and model."""
    table = []
    for (design, model), group in rows.groupby(["design", "model"], sort=False):
        n = len(group)
        found = {"design": design, "model": model, "trials": n, "passed": group["passed"].mean()}
        found |= {"actual": group["actual"].mean(), "bias": group["error"].mean()}
        found["bias_se"] = group["error"].std() / np.sqrt(n)
        found["error"] = group["error"].abs().mean()
        for name in [f"coverage_{level:g}" for level in LEVELS] + ["means_0.9"]:
            found[name] = group[name].mean()
            found[f"{name}_se"] = group[name].std() / np.sqrt(n)
        table.append(found)
    return pd.DataFrame(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=150)
    parser.add_argument("--laplace", type=int, default=60, help="trials of the default model")
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    rows = []
    for trial in range(arguments.trials):
        rows += run(trial, trial < arguments.laplace)
        if trial:
            summarise(pd.DataFrame(rows)).round(4).to_csv(arguments.out, index=False)


if __name__ == "__main__":
    main()
