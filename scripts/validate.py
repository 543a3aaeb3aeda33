"""Run the long checks: `make validate` (an hour or more on two cores).

fits      the default model on every reference matrix, all systems and the best three quarters
calibrate simulation-based calibration of every model with a proper prior

Summaries are written to docs/validation/, where the documentation shows them. The reference data
are in the folder BAYESCORR_DATA; matrices that are not there are skipped.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pandas as pd

import bayescorr
from bayescorr.scores.registry import DATASETS

ROOT = Path(__file__).resolve().parents[1]
SUMMARIES = ROOT / "docs" / "validation"


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


def fits() -> None:
    """Fit the default model with default settings and record convergence."""
    rows = []
    for name, scores in matrices().items():
        for kept in ("all", "top 75%"):
            chosen = scores if kept == "all" else bayescorr.drop_worst(scores, 0.25)
            start = time.perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", bayescorr.BayescorrWarning)
                fit = bayescorr.fit(chosen, random_seed=1)
            seconds = time.perf_counter() - start
            summary = fit.summary().set_index("coefficient")
            rows.append(
                {
                    "matrix": name,
                    "systems": kept,
                    "m": chosen.shape[1],
                    "n": chosen.shape[0],
                    "seconds": seconds,
                    "divergences": fit.convergence.divergences,
                    "rhat": fit.convergence.rhat,
                    **{f"ess_{c}": summary.loc[c, "ess_bulk"] for c in summary.index},
                    **{c: summary.loc[c, "mean"] for c in summary.index},
                    "converged": fit.convergence.passed,
                }
            )
            print(rows[-1], flush=True)
    SUMMARIES.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(rows).round(4).to_csv(SUMMARIES / "fits.csv", index=False)


def calibrate() -> None:
    """Run simulation-based calibration."""
    subprocess.run([sys.executable, str(ROOT / "scripts" / "calibrate.py")], check=True)


if __name__ == "__main__":
    for check in sys.argv[1:] or ("fits", "calibrate"):
        {"fits": fits, "calibrate": calibrate}[check]()
