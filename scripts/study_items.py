"""Study posteriors on 0/1 items, of one benchmark and of six tasks; allocation; growth with items.

    python scripts/study_items.py study [--trials 400] [--workers 1]
    python scripts/study_items.py growth

`study` simulates 25 systems. Items are answered right with probability logistic(ability -
difficulty + style * loading). Each trial draws abilities and pools of 5,000 items, over which the
true means are known: one pool, of which 50, 200 or 1,000 items are seen, or six tasks of different
difficulty and size. The default model (by its Laplace approximation), both bootstraps and the exact
posterior of each system alone are compared with the truth. For the six tasks, 500 new items are
then divided among the tasks as `allocate_items` says, equally and in proportion to the items, and
drawn from the pools several times: tau of the larger benchmark with the true ranking.

Trials are stored in build/items, so the script resumes where it stopped; remove that folder after a
change of a model. Summaries are docs/validation/items.csv and items-allocation.csv.

`growth` measures warm fits, in seconds of processor time, and the peak of memory at each size:
docs/validation/items-growth.csv.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.special import expit

import bayescorr
from bayescorr.bayes.model import ExactModel

ROOT = Path(__file__).resolve().parents[1]
SUMMARIES = ROOT / "docs" / "validation"
PARTS = ROOT / "build" / "items"
SYSTEMS, POOL = 25, 5_000
LEVELS = (0.5, 0.8, 0.9, 0.95)
#: Items and mean difficulty of each task; the numbers of items of the designs with one task.
TASKS = {"a": (30, -2.0), "b": (60, -1.0), "c": (100, 0.0), "d": (150, 0.5), "e": (250, 1.0),
         "f": (400, 2.0)}  # fmt: skip
SINGLE = (50, 200, 1000)
#: New items to divide among the tasks, and how often they are drawn in a trial.
SPEND, REPLICATES = 500, 20
#: Systems x items whose growth is measured.
SIZES = ((25, 500), (25, 2_000), (25, 20_000), (200, 500), (200, 2_000), (200, 20_000))
LAPLACE: dict[str, Any] = {"inference": "laplace", "draws": 500, "warn": False, "cores": 1}


class Independent(ExactModel):
    """The exact posterior of every system alone: Beta, from a uniform prior."""

    name = "beta"
    description = citation = good_for = bad_for = "reference"

    def sample(self, data, priors, draws, rng):
        """Draw the true means."""
        right = data.values.sum(axis=0)
        return rng.beta(right + 1, data.n_topics - right + 1, (draws, data.n_systems))


MODELS = ("matrix-t", "bootstrap-shrunk", "bootstrap", Independent())


def probabilities(ability: np.ndarray, difficulty: float, rng: np.random.Generator) -> np.ndarray:
    """Return P(right) on a pool of items, items x systems."""
    item = difficulty + 1.5 * rng.standard_normal((POOL, 1))
    style = 0.7 * rng.standard_normal((POOL, 2)) @ rng.standard_normal((2, len(ability)))
    return np.asarray(expit(ability - item + style))


def answers(p: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Return 0/1 scores on n items of a pool."""
    return (rng.random((n, p.shape[1])) < p[rng.integers(len(p), size=n)]).astype(float)


def frame(values: np.ndarray) -> pd.DataFrame:
    """Label items and systems."""
    index = [f"i{k:05}" for k in range(len(values))]
    return pd.DataFrame(values, index=index, columns=[f"s{k:02}" for k in range(values.shape[1])])


def do_trial(trial: int) -> pd.DataFrame:
    """Return the rows of a trial: of each design and model, and of each plan."""
    part = PARTS / f"{trial:05}.parquet"
    if not part.exists():
        warnings.simplefilter("ignore", bayescorr.BayescorrWarning)
        table = pd.DataFrame([*single(trial), *six_tasks(trial)])
        table.insert(0, "trial", trial)
        table.to_parquet(part)
        print(f"trial {trial}", flush=True)
    return pd.read_parquet(part)


def single(trial: int) -> Iterator[dict[str, Any]]:
    """Yield one row per number of items and model."""
    for n in SINGLE:
        rng = np.random.default_rng([2026, trial, n])
        p = probabilities(0.8 * rng.standard_normal(SYSTEMS), 0.0, rng)
        scores, truth = frame(answers(p, n, rng)), p.mean(axis=0)
        for model in MODELS:
            fit = bayescorr.fit(scores, model, random_seed=trial, **LAPLACE)
            yield {"design": f"{n} items", **outcome(fit, truth)}


def six_tasks(trial: int) -> Iterator[dict[str, Any]]:
    """Yield one row per model, then one per plan for new items."""
    rng = np.random.default_rng([2026, trial])
    ability = 0.8 * rng.standard_normal(SYSTEMS)
    own = 0.3 * rng.standard_normal((len(TASKS), SYSTEMS))
    pools = [
        probabilities(ability + apart, difficulty, rng)
        for apart, (_, difficulty) in zip(own, TASKS.values(), strict=True)
    ]
    sizes = [n for n, _ in TASKS.values()]
    seen = [answers(p, n, rng) for p, n in zip(pools, sizes, strict=True)]
    scores = frame(np.vstack(seen))
    tasks = pd.Series(np.repeat(list(TASKS), sizes), index=scores.index)
    truth = np.mean([p.mean(axis=0) for p in pools], axis=0)
    for model in MODELS:
        fit = bayescorr.fit(scores, model, strata=tasks, random_seed=trial, **LAPLACE)
        yield {"design": "6 tasks", **outcome(fit, truth)}
        if model == MODELS[0]:
            plans = bayescorr.allocate_items(fit, SPEND, random_seed=trial)
    for plan in plans.draws:
        added = plans.items[plan] if plan in plans.items else [0] * len(pools)
        taus = []
        for _ in range(REPLICATES):
            more = [answers(p, n, rng) for p, n in zip(pools, added, strict=True)]
            both = [np.vstack(pair).mean(axis=0) for pair in zip(seen, more, strict=True)]
            taus.append(float(bayescorr.tau(truth, np.mean(both, axis=0))))
        predicted = float(plans.draws[plan].mean())
        yield {"plan": plan, "predicted": predicted, "actual": float(np.mean(taus))}


def outcome(fit: bayescorr.Fit, truth: np.ndarray) -> dict[str, Any]:
    """Compare a posterior of tau and of the true means with the truth."""
    means = fit.true_means.to_numpy().reshape(-1, SYSTEMS)
    drawn, systems = fit.draws("tau"), fit.true_means["system"].to_numpy()
    actual = float(bayescorr.tau(truth, fit.observed_means[systems].to_numpy()))
    found = {"model": fit.method, "passed": fit.convergence.passed, "actual": actual}
    found["bias"] = float(drawn.mean()) - actual
    for level in LEVELS:
        ends = [(1 - level) / 2, (1 + level) / 2]
        lower, upper = np.quantile(drawn, ends)
        found[f"covered_{level:g}"] = float(lower - 1e-9 <= actual <= upper + 1e-9)
        low, high = np.quantile(means, ends, axis=0)
        found[f"means_{level:g}"] = float(((low <= truth) & (truth <= high)).mean())
    return found


def with_errors(table: pd.DataFrame, by: list[str], names: list[str]) -> pd.DataFrame:
    """Return means of columns by group, with standard errors between trials."""
    groups = table.groupby(by, sort=False)[names]
    errors = (groups.std().T / np.sqrt(groups.size())).T.add_suffix("_se")
    both = groups.mean().join(errors)[[x for name in names for x in (name, f"{name}_se")]]
    both.insert(0, "trials", groups.size())
    return both.reset_index()


def study(trials: int, workers: int) -> None:
    """Add the trials that are missing, and summarise."""
    PARTS.mkdir(parents=True, exist_ok=True)
    table = pd.concat(Parallel(workers)(delayed(do_trial)(trial) for trial in range(trials)))
    posteriors = table[table["design"].notna()].astype({"passed": float})
    posteriors["error"] = posteriors["bias"].abs()
    names = [f"{kind}_{level:g}" for kind in ("covered", "means") for level in LEVELS]
    names = ["actual", "bias", "error", *names, "passed"]
    found = with_errors(posteriors, ["design", "model"], names)
    found.round(4).to_csv(SUMMARIES / "items.csv", index=False)
    plans = table[table["plan"].notna()].copy()
    equal = plans[plans["plan"] == "equal"].set_index("trial")
    for name in ("predicted", "actual"):
        plans[f"{name}_gain"] = plans[name] - equal[name].reindex(plans["trial"]).to_numpy()
    names = ["predicted", "actual", "predicted_gain", "actual_gain"]
    found = with_errors(plans, ["plan"], names)
    found.round(5).to_csv(SUMMARIES / "items-allocation.csv", index=False)


def growth() -> None:
    """Measure warm fits at each size, the largest last, and the peak of memory so far."""
    warnings.simplefilter("ignore", bayescorr.ConvergenceWarning)  # of the first, short fits
    rows = []
    for systems, n in SIZES:
        rng = np.random.default_rng(1)
        p = probabilities(np.linspace(-1, 2, systems), 0.5, rng)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "scores.csv"
            frame(answers(p, n, rng)).to_csv(path, index_label="item")
            before = time.process_time()
            scores = bayescorr.read_scores(path)
            reading = time.process_time() - before
        for model in MODELS[:2]:
            options = {"random_seed": 1, "inference": "laplace", "warn": False}
            bayescorr.fit(scores, model, **options, draws=50)
            start, before = time.perf_counter(), time.process_time()
            fit = bayescorr.fit(scores, model, **options)
            row = {"systems": systems, "items": n, "model": fit.method, "read_cpu_s": reading}
            row |= {"fit_cpu_s": time.process_time() - before, "fit_s": time.perf_counter() - start}
            row["peak_gb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
            rows.append({**row, "passed": fit.convergence.passed})
            print(rows[-1], flush=True)
    pd.DataFrame(rows).round(3).to_csv(SUMMARIES / "items-growth.csv", index=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["study", "growth"])
    parser.add_argument("--trials", type=int, default=400)
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.what == "growth":
        growth()
    else:
        study(arguments.trials, arguments.workers)


if __name__ == "__main__":
    main()
