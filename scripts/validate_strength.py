"""How strong should the prior on the true means be? Fixed strengths and learned ones, on real topics.

    BAYESCORR_DATA=DIR python scripts/validate_strength.py [SPLITS [WORKERS]]

The topics of every reference matrix are split at random into A (10 or 25 topics) and B. The default
model is fitted to A by its Laplace approximation with each strength of a grid, and predicts the
coefficients between the rankings by A and by B. A learned strength is a mixture over the grid, with
weights

.. math:: p(\\kappa) \\exp\\{-\\tfrac{q}{2} [\\log(\\kappa + 1/n) + h / (\\kappa + 1/n)]\\},

where h is the variance of the observed means in units of that of the contrasts of a topic, V, and
q = (tr V)^2 / tr V^2 is the effective number of contrasts. ``shrunk`` uses q, ``all`` uses m - 1.

Parts are stored in build/strength, so the script resumes where it stopped. Summaries are written to
docs/validation/prior-strength.csv: by cell, over all matrices, and for the two halves of the
matrices, so that what is chosen on one half can be confirmed on the other.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.stats import lognorm

import bayescorr
from bayescorr.bayes.other_topics import draw_agreement
from bayescorr.bayes.predictive import for_model
from bayescorr.coefficients import correlate
from bayescorr.scores.check import observed_means
from bayescorr.simulation import RealTopics
from bayescorr.study import load_study

ROOT = Path(__file__).resolve().parents[1]
SUMMARY = ROOT / "docs" / "validation" / "prior-strength.csv"
PARTS = ROOT / "build" / "strength"
STRENGTHS = (2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 10.0, 14.0)
COEFFICIENTS = ("tau", "tau_ap", "tau_gap")
LEVELS = (0.8, 0.9, 0.95)
TOPICS = (10, 25)
SELECTIONS = {"all": 0.0, "best-75": 0.25}
#: Median of the prior of kappa and standard deviation of its logarithm, for learned strengths.
PRIORS = [(1 / topics, sd) for topics in (4, 5, 6) for sd in (0.25, 0.5, 1.0)]


def draws(matrix: str, selection: str, n: int, trial: int) -> dict[str, np.ndarray]:
    """Fit one split with every strength: draws of the coefficients, h, q and what happened."""
    simulator = RealTopics(bayescorr.load_dataset(matrix), drop_worst=SELECTIONS[selection])
    seed = [trial, n, len(selection), *matrix.encode()]
    case = simulator.case(n, np.random.default_rng(seed))
    names = case.means.index
    observed = observed_means(case.scores)[names].to_numpy()
    actual = correlate(case.means.to_numpy(), observed, COEFFICIENTS)
    found = {f"actual_{name}": np.float64(actual[name]) for name in COEFFICIENTS}
    start = {}
    for strength in STRENGTHS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bayescorr.BayescorrWarning)
            fit = bayescorr.fit(
                case.scores,
                priors={"prior_topics": strength},
                inference="laplace",
                draws=500,
                chains=2,
                cores=1,
                random_seed=trial,
                warn=False,
                **start,
            )
        start = {"start": fit.normal}
        drawn = draw_agreement(fit, case.other_topics, COEFFICIENTS, random_seed=trial)
        for name, values in drawn.items():
            found[f"{name}_{strength:g}"] = values.astype(np.float32)
        if strength == 5:
            found["h"], found["q"], found["m"] = evidence(fit)
    return found


def evidence(fit: bayescorr.Fit) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return h, q and m at the mean of the posterior of the contrasts' covariance."""
    given = for_model(fit, 100)
    posterior = fit.model.posterior(given.parameters, given.data, fit.priors)
    n, m = posterior.scores.shape
    centred = posterior.centred
    scale = centred.T @ centred + np.diag(posterior.diagonal.mean(axis=0))
    scale += np.einsum("d,dmk,dlk->ml", posterior.c, posterior.loadings, posterior.loadings) / len(
        posterior.c
    )
    scale /= posterior.c.mean() + n - 1
    scale -= scale.mean(axis=0)
    scale -= scale.mean(axis=1, keepdims=True)
    trace = np.trace(scale)
    apart = posterior.means - posterior.means.mean()
    return np.array(apart @ apart / trace), np.array(trace**2 / (scale**2).sum()), np.array(m)


def strategies(
    found: dict[str, np.ndarray], n: int, coefficient: str
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the draws of every strategy: 1,000 draws, or mixtures of them."""
    grid = {strength: found[f"{coefficient}_{strength:g}"] for strength in STRENGTHS}
    for strength, drawn in grid.items():
        yield f"fixed {strength:g}", drawn
    kappa = 1 / np.array(STRENGTHS)
    # The grid stands for intervals of log kappa.
    width = np.abs(np.gradient(np.log(kappa)))
    share = kappa + 1 / n
    for size, q in (("shrunk", found["q"]), ("all", found["m"] - 1)):
        log_likelihood = -q / 2 * (np.log(share) + found["h"] / share)
        for median, sd in PRIORS:
            log_prior = lognorm.logpdf(kappa, sd, scale=median) + np.log(kappa)
            weight = np.exp(log_likelihood + log_prior - (log_likelihood + log_prior).max()) * width
            counts = np.random.default_rng(1).multinomial(1000, weight / weight.sum())
            mixed = [one[:count] for one, count in zip(grid.values(), counts, strict=True)]
            yield f"learned {size} {1 / median:g} {sd:g}", np.concatenate(mixed)


def do(matrix: str, selection: str, n: int, splits: int) -> pd.DataFrame:
    """Return one row per split, strategy and coefficient of a cell."""
    part = PARTS / f"{matrix}-{selection}-{n}-{splits}.parquet"
    if part.exists():
        return pd.read_parquet(part)
    rows = []
    for trial in range(splits):
        found = draws(matrix, selection, n, trial)
        for coefficient in COEFFICIENTS:
            actual = float(found[f"actual_{coefficient}"])
            for strategy, drawn in strategies(found, n, coefficient):
                row = dict(matrix=matrix, selection=selection, n=n, trial=trial)
                row |= dict(strategy=strategy, coefficient=coefficient, actual=actual)
                row |= dict(h=float(found["h"]), q=float(found["q"]), m=int(found["m"]))
                row |= {"mean": drawn.mean(), "median": np.median(drawn)}
                row["pit"] = (np.sum(drawn < actual) + np.sum(drawn == actual) / 2) / len(drawn)
                for level in LEVELS:
                    lower, upper = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
                    row[f"covered_{level:g}"] = lower - 1e-9 <= actual <= upper + 1e-9
                    outside = max(lower - actual, 0) + max(actual - upper, 0)
                    row[f"score_{level:g}"] = upper - lower + 2 / (1 - level) * outside
                rows.append(row)
    table = pd.DataFrame(rows)
    table.to_parquet(part)
    print(part.stem, flush=True)
    return table


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """Return means over the splits, with standard errors between matrices."""
    table = table.assign(
        bias=table["mean"] - table["actual"], bias_median=table["median"] - table["actual"]
    )
    measures = ["bias", "bias_median", "pit"]
    measures += [f"{what}_{level:g}" for level in LEVELS for what in ("covered", "score")]
    keys = ["half", "selection", "n", "coefficient", "strategy"]
    halves = {
        name: ["all", half]
        for name, half in zip(
            sorted(table["matrix"].unique()), 7 * ["first", "second"], strict=False
        )
    }
    table = table.assign(half=table["matrix"].map(halves)).explode("half")
    by_matrix = table.groupby([*keys, "matrix"], sort=False)[measures].mean()
    groups = by_matrix.groupby(level=keys, sort=False)
    found = groups.mean()
    found["matrices"] = groups.size()
    for name in measures:
        found[f"{name}_se"] = groups[name].std() / np.sqrt(found["matrices"])
    # Paired with the default of before, matrix by matrix.
    base = by_matrix.xs("fixed 4", level="strategy")
    for level in LEVELS:
        name = f"score_{level:g}"
        apart = (
            by_matrix[name] - base[name].reindex(by_matrix.index.droplevel("strategy")).to_numpy()
        )
        groups = apart.groupby(level=keys, sort=False)
        found[f"{name}_apart"] = groups.mean()
        found[f"{name}_apart_se"] = groups.std() / np.sqrt(found["matrices"])
    return found.reset_index()


def main() -> None:
    splits = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    workers = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    PARTS.mkdir(parents=True, exist_ok=True)
    matrices = [source.name for source in load_study("real-topics").sources]
    cells = [(name, kept, n, splits) for n in TOPICS for kept in SELECTIONS for name in matrices]
    tables = Parallel(workers)(delayed(do)(*cell) for cell in cells)
    summarise(pd.concat(tables)).round(4).to_csv(SUMMARY, index=False)


if __name__ == "__main__":
    main()
