"""Run the long checks: `make validate` (an hour or more on two cores).

fits      the default model on every reference matrix, all systems and the best three quarters, on
          all, 25 and 10 topics: NUTS and the Laplace approximation; resumes where it stopped
gate      what the check of the Laplace approximation says of wrong approximations
calibrate simulation-based calibration of every model with a proper prior

Summaries are written to docs/validation/, where the documentation shows them. The reference data
are in the folder BAYESCORR_DATA; matrices that are not there are skipped.
"""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import bayescorr
from bayescorr.bayes import laplace
from bayescorr.bayes.convergence import MOST_CHANGE, MOST_RESIDUAL
from bayescorr.bayes.data import prepare
from bayescorr.bayes.model import get_model
from bayescorr.bayes.predictive import for_model
from bayescorr.bayes.sampler import compile_once, draws_at, flat_draws
from bayescorr.coefficients import correlate
from bayescorr.scores.check import observed_means
from bayescorr.scores.registry import DATASETS

ROOT = Path(__file__).resolve().parents[1]
SUMMARIES = ROOT / "docs" / "validation"
MATRICES = (*DATASETS, "cranfield_ap")
KEPT = ("all", "top 75%")
#: Sets of true means per draw of the parameters.
REPEATS = 8


def matrices() -> dict[str, pd.DataFrame]:
    """Return every available matrix, and the Cranfield runs scored by average precision."""
    folder = Path(os.environ.get("BAYESCORR_DATA", "no-data"))
    found = {"demo": bayescorr.load_dataset("demo")}
    for name in DATASETS:
        path = folder / "trec" / f"{name}.csv"
        if path.exists():
            found[name] = bayescorr.read_scores(path)
        elif name != "demo":
            print(f"{name}: skipped, {path} does not exist")
    if (folder / "cranfield").exists():
        runs, qrels = folder / "cranfield" / "runs", folder / "cranfield" / "qrels.txt"
        found["cranfield_ap"] = bayescorr.score_runs(runs, qrels, "AP")
    return found


def coefficients(fit: bayescorr.Fit) -> pd.DataFrame:
    """Return mean and 95% interval of each coefficient, from many true means per draw.

    The true means given the parameters are drawn in closed form, so drawing them again leaves less
    Monte-Carlo error between two posteriors of the parameters.
    """
    given, better = for_model(fit), fit.higher_is_better
    observed = observed_means(fit.scores).to_numpy()
    drawn = []
    for seed in range(REPEATS):
        rng = np.random.default_rng(seed)
        means = fit.model.true_means(given.parameters, given.data, fit.priors, rng)
        means = means[:, given.stands_for.to_numpy()]
        drawn.append(pd.DataFrame(correlate(means, observed, higher_is_better=better)))
    table = pd.concat(drawn)
    ends = table.quantile([0.025, 0.975]).set_axis(["lower", "upper"])
    return pd.concat([table.mean().to_frame("mean").T, ends]).T


def fits() -> None:
    """Fit the default model by NUTS and by Laplace, on all, 25 and 10 topics."""
    folder = ROOT / "build" / "fits"
    folder.mkdir(parents=True, exist_ok=True)
    chosen = [(name, kept, n) for n in (None, 25, 10) for name in MATRICES for kept in KEPT]
    found = matrices()
    for name, kept, n in chosen:
        part = folder / f"{name}-{kept.replace(' ', '-')}-{n or 'all'}.csv"
        if name not in found or part.exists():
            continue
        scores = found[name].iloc[:n]
        scores = scores if kept == "all" else bayescorr.drop_worst(scores, 0.25)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bayescorr.BayescorrWarning)
            nuts = bayescorr.fit(scores, random_seed=1)
            normal = bayescorr.fit(scores, inference="laplace", random_seed=1)
        both = (
            coefficients(nuts).add_prefix("nuts_").join(coefficients(normal).add_prefix("laplace_"))
        )
        summary = nuts.summary().set_index("coefficient")
        table = (
            both.rename_axis("coefficient")
            .reset_index()
            .assign(
                matrix=name,
                systems=kept,
                m=scores.shape[1],
                n=scores.shape[0],
                rhat=nuts.convergence.rhat,
                divergences=nuts.convergence.divergences,
                converged=nuts.convergence.passed,
                good=normal.convergence.passed,
                gradients=int(normal.group("laplace")["gradients"]),
                ess=summary["ess_bulk"].reindex(both.index).to_numpy(),
            )
        )
        table.round(4).to_csv(part, index=False)
        print(
            table[["matrix", "systems", "n", "coefficient", "nuts_mean", "laplace_mean"]],
            flush=True,
        )
    _store_fits(pd.concat([pd.read_csv(part) for part in sorted(folder.glob("*.csv"))]))


def _store_fits(table: pd.DataFrame) -> None:
    """Write both summaries: convergence of NUTS, and how far Laplace is from it."""
    apart = [table[f"laplace_{end}"] - table[f"nuts_{end}"] for end in ("mean", "lower", "upper")]
    many = table["n"] >= 48
    table["mean_apart"] = apart[0]
    table["end_apart"] = np.maximum(apart[1].abs(), apart[2].abs())
    table["within"] = (apart[0].abs() <= np.where(many, 0.004, 0.01)) & (
        table["end_apart"] <= np.where(many, 0.012, 0.03)
    )
    order = ["matrix", "systems", "m", "n", "coefficient"]
    table = table.sort_values(["n", *order], ascending=[False, *[True] * len(order)])
    ends = [f"{one}_{end}" for one in ("nuts", "laplace") for end in ("mean", "lower", "upper")]
    shown = [*order, *ends, "mean_apart", "end_apart", "within", "converged", "good"]
    table[shown].round(4).to_csv(SUMMARIES / "laplace.csv", index=False)
    keys = ["matrix", "systems", "m", "n", "divergences", "rhat", "converged"]
    wide = table.pivot_table(index=keys, columns="coefficient", values=["ess", "nuts_mean"])
    wide.columns = [c if kind == "nuts_mean" else f"ess_{c}" for kind, c in wide.columns]
    wide.reset_index().round(4).to_csv(SUMMARIES / "fits.csv", index=False)


def gate() -> None:
    """Move and stretch the approximation for the demo, and see what its check says of tau."""
    model, scores = get_model(None), bayescorr.load_dataset("demo")
    data, _ = prepare(scores)
    priors = model.full_priors(None)
    values = model.data_values(data, priors)
    compiled = compile_once(
        lambda: model.build(data, priors), values, ("gate",), data.coords, any_size=True
    )
    evaluate = laplace.Evaluator(compiled.at, 1)
    right = laplace.approximate(evaluate, compiled.point, np.random.default_rng(1))
    standard = np.random.default_rng(2).standard_normal((4000 * REPEATS, len(right.centre)))

    def tau(normal: laplace.Normal) -> np.ndarray:
        found = flat_draws(draws_at(compiled, normal.at(standard), (1, len(standard))))
        means = model.true_means(found, data, priors, np.random.default_rng(3))
        return correlate(means, data.values.mean(axis=0))["tau"]

    expected = tau(right)
    # The direction in which tau varies most.
    slope = standard.T @ (expected - expected.mean())
    slope /= np.linalg.norm(slope)
    rows = []
    for moved in (0.0, 0.5, 1.0, 2.0, 4.0):
        for stretched in (1.0,) if moved else (0.5, 0.7, 1.0, 1.4, 2.0):
            centre = right.centre + moved * right.factor @ slope
            wrong = laplace.Normal(centre, stretched * right.factor, 0, 0, 0)
            drawn = tau(wrong)
            residual = laplace.residual_score(evaluate, wrong, standard[:256])
            of_mean, of_sd = laplace.implied_change(standard[:4000], residual, drawn[:4000])
            size = float(np.sqrt(np.square(residual).mean()))
            rows.append(
                {
                    "moved": moved,
                    "stretched": stretched,
                    "mean_off": (expected.mean() - drawn.mean()) / drawn.std(),
                    "said_of_mean": of_mean,
                    "sd_off": expected.std() / drawn.std() - 1,
                    "said_of_sd": of_sd,
                    "residual": size,
                    "poor": size > MOST_RESIDUAL or max(abs(of_mean), abs(of_sd)) > MOST_CHANGE,
                }
            )
    pd.DataFrame(rows).round(3).to_csv(SUMMARIES / "laplace-gate.csv", index=False)


def calibrate() -> None:
    """Run simulation-based calibration."""
    subprocess.run([sys.executable, str(ROOT / "scripts" / "calibrate.py")], check=True)


if __name__ == "__main__":
    for check in sys.argv[1:] or ("fits", "gate", "calibrate"):
        {"fits": fits, "gate": gate, "calibrate": calibrate}[check]()
