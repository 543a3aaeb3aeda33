r"""How strong should the prior on the true means be? Fixed and learned strengths on real topics.

    BAYESCORR_DATA=DIR python scripts/validate_strength.py [SPLITS [WORKERS]]

The topics of every reference matrix are split at random into A (10 or 25 topics) and B. The default
model is fitted to A by its Laplace approximation with each strength of a grid, and predicts the
coefficients between the rankings by A and by B. A learned strength is a mixture over the grid, with
weights

.. math:: p(\kappa) \exp\{-\tfrac{q}{2} [\log(\kappa + 1/n) + h / (\kappa + 1/n)]\},

where h is the variance of the observed means in units of that of the contrasts of a topic, V, and
q = (tr V)^2 / tr V^2 is the effective number of contrasts; "learned all" takes q = m - 1 instead.

Parts are stored in build/strength, so the script resumes where it stopped. It writes
docs/validation/prior-strength.csv: means over all matrices and over each half of them, so that what
is chosen on one half can be confirmed on the other.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.stats import lognorm

import bayescorr
from bayescorr.bayes.predictive import draw_agreement, for_model
from bayescorr.coefficients import correlate
from bayescorr.scores.check import observed_means
from bayescorr.simulation import RealTopics
from bayescorr.study import load_study

ROOT = Path(__file__).resolve().parents[1]
SUMMARY = ROOT / "docs" / "validation" / "prior-strength.csv"
PARTS = ROOT / "build" / "strength"
STRENGTHS = (2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 10.0, 14.0)
#: The default before this study, with which others are compared.
BASE = "fixed 4"
COEFFICIENTS = ("tau", "tau_ap", "tau_gap")
LEVELS = (0.8, 0.9, 0.95)
TOPICS = (10, 25)
SELECTIONS = {"all": 0.0, "best-75": 0.25}
#: Prior of kappa for learned strengths: topics that its median is worth, sd of its logarithm.
PRIORS = [(topics, sd) for topics in (4, 5, 6) for sd in (0.25, 0.5, 1.0)]
DRAWS = 1000


def fit_split(matrix: str, selection: str, n: int, trial: int) -> dict[str, Any]:
    """Fit one split with every strength: draws of the coefficients, h, q and what happened."""
    simulator = RealTopics(bayescorr.load_dataset(matrix), drop_worst=SELECTIONS[selection])
    case = simulator.case(n, np.random.default_rng([trial, n, len(selection), *matrix.encode()]))
    observed = observed_means(case.scores)[case.means.index].to_numpy()
    found: dict[str, Any] = {"actual": correlate(case.means.to_numpy(), observed, COEFFICIENTS)}
    start: dict[str, Any] = {}
    for strength in STRENGTHS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bayescorr.BayescorrWarning)
            fit = bayescorr.fit(
                case.scores,
                priors={"prior_topics": strength},
                inference="laplace",
                draws=DRAWS // 2,
                chains=2,
                cores=1,
                random_seed=trial,
                warn=False,
                **start,
            )
        start = {"start": fit.normal}
        found[f"{strength:g}"] = draw_agreement(
            fit, case.other_topics, COEFFICIENTS, random_seed=trial
        )
        if strength == 5:
            found |= evidence(fit)
    return found


def evidence(fit: bayescorr.Fit) -> dict[str, float]:
    """Return h, q and the number of systems; V is at the posterior mean of its parameters."""
    given = for_model(fit, 100)
    posterior = fit.model.posterior(given.parameters, given.data, fit.priors)
    n, m = posterior.scores.shape
    shared = np.einsum("d,dmk,dlk->ml", posterior.c, posterior.loadings, posterior.loadings)
    target = np.diag(posterior.diagonal.mean(axis=0)) + shared / len(posterior.c)
    v = (target + posterior.centred.T @ posterior.centred) / (posterior.c.mean() + n - 1)
    v = v - v.mean(axis=0)
    v = v - v.mean(axis=1, keepdims=True)
    trace, apart = np.trace(v), posterior.means - posterior.means.mean()
    return {"h": apart @ apart / trace, "q": trace**2 / np.square(v).sum(), "m": m}


def predictions(
    found: dict[str, Any], n: int, coefficient: str
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the draws of every strategy: one strength, or a mixture of them."""
    grid = [found[f"{strength:g}"][coefficient] for strength in STRENGTHS]
    for strength, drawn in zip(STRENGTHS, grid, strict=True):
        yield f"fixed {strength:g}", drawn
    kappa = 1 / np.array(STRENGTHS)
    # Each strength stands for an interval of log kappa.
    width = np.abs(np.gradient(np.log(kappa)))
    share = kappa + 1 / n
    for name, q in (("learned", found["q"]), ("learned all", found["m"] - 1)):
        log_likelihood = -q / 2 * (np.log(share) + found["h"] / share)
        for topics, sd in PRIORS:
            log_weight = log_likelihood + lognorm.logpdf(kappa, sd, scale=1 / topics)
            weight = np.exp(log_weight - log_weight.max()) * kappa * width
            counts = np.random.default_rng(1).multinomial(DRAWS, weight / weight.sum())
            mixed = [drawn[:count] for drawn, count in zip(grid, counts, strict=True)]
            yield f"{name} {topics} {sd:g}", np.concatenate(mixed)


def do_cell(matrix: str, selection: str, n: int, splits: int) -> pd.DataFrame:
    """Return one row per split, strategy and coefficient of a cell."""
    part = PARTS / f"{matrix}-{selection}-{n}-{splits}.parquet"
    if part.exists():
        return pd.read_parquet(part)
    cell = {"matrix": matrix, "selection": selection, "n": n}
    rows = []
    for trial in range(splits):
        found = fit_split(matrix, selection, n, trial)
        for coefficient in COEFFICIENTS:
            actual = float(found["actual"][coefficient])
            for strategy, drawn in predictions(found, n, coefficient):
                row = cell | {"trial": trial, "strategy": strategy, "coefficient": coefficient}
                rows.append(row | outcome(drawn, actual))
    table = pd.DataFrame(rows)
    table.to_parquet(part)
    print(part.stem, flush=True)
    return table


def outcome(drawn: np.ndarray, actual: float) -> dict[str, float]:
    """Return how well draws predicted what happened."""
    found = {"bias": drawn.mean() - actual, "bias_median": np.median(drawn) - actual}
    found["pit"] = np.mean(drawn < actual) + np.mean(drawn == actual) / 2
    for level in LEVELS:
        lower, upper = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
        outside = max(lower - actual, 0) + max(actual - upper, 0)
        found[f"covered_{level:g}"] = float(outside <= 1e-9)
        found[f"score_{level:g}"] = upper - lower + 2 / (1 - level) * outside
    return {name: float(value) for name, value in found.items()}


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """Return means over the splits, with standard errors between matrices."""
    names = sorted(table["matrix"].unique())
    halves = {name: ["all", "odd" if i % 2 else "even"] for i, name in enumerate(names)}
    table = table.assign(matrices=table["matrix"].map(halves)).explode("matrices")
    keys = ["matrices", "selection", "n", "coefficient", "strategy"]
    measures = [name for name in table.columns if name.startswith(("bias", "pit", "cov", "score"))]
    by_matrix = table.groupby([*keys, "matrix"], sort=False)[measures].mean()
    # Scores are also compared with those of the base, matrix by matrix.
    base = by_matrix.xs(BASE, level="strategy")
    rows = by_matrix.index.droplevel("strategy")
    for level in LEVELS:
        name = f"score_{level:g}"
        by_matrix[f"{name}_apart"] = by_matrix[name] - base[name].reindex(rows).to_numpy()
    groups = by_matrix.groupby(level=keys, sort=False)
    errors = (groups.std().T / np.sqrt(groups.size())).T.add_suffix("_se")
    return groups.mean().join(errors).reset_index()


def main() -> None:
    splits = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    workers = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    PARTS.mkdir(parents=True, exist_ok=True)
    matrices = [source.name for source in load_study("real-topics").sources]
    cells = [(name, kept, n, splits) for n in TOPICS for kept in SELECTIONS for name in matrices]
    tables = Parallel(workers)(delayed(do_cell)(*cell) for cell in cells)
    summarise(pd.concat(tables)).round(4).to_csv(SUMMARY, index=False)


if __name__ == "__main__":
    main()
