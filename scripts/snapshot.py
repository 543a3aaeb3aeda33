"""Compare the numbers of the whole package before and after a change.

    python scripts/snapshot.py write before.json      # on the old code
    python scripts/snapshot.py write after.json       # on the new code
    python scripts/snapshot.py compare before.json after.json

It uses the public API only. If BAYESCORR_DATA is set, it includes the TREC matrices.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import bayescorr

#: With one seed on one machine, only rounding may differ.
TOLERANCE = 1e-9
SAMPLED = {"draws": 200, "tune": 200, "chains": 2, "random_seed": 1, "warn": False}


def matrices() -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the demo and the TREC matrices by name."""
    yield "demo", bayescorr.load_dataset("demo")
    folder = Path(os.environ.get("BAYESCORR_DATA", "")) / "trec"
    for path in sorted(folder.glob("*.csv")) if "BAYESCORR_DATA" in os.environ else []:
        yield path.stem, bayescorr.read_scores(path)


def rows(table: pd.DataFrame) -> dict[str, float]:
    """Return every number of a table by its row and column."""
    keys = [c for c in table if not pd.api.types.is_numeric_dtype(table[c])]
    return {
        " ".join(map(str, row[keys])) + f" {c}": row[c]
        for _, row in table.iterrows()
        for c in table.columns.difference(keys)
    }


def collect() -> dict[str, float]:
    """Compute estimates, fits, comparisons, plans and a study."""
    found: dict[str, float] = {}

    def add(name: str, table: pd.DataFrame) -> None:
        found.update({f"{name}: {key}": float(value) for key, value in rows(table).items()})
        print(name, flush=True)

    estimators = list(bayescorr.ESTIMATORS)
    coefficients = ["tau", "tau_ap", "tau_gap"]
    for name, scores in matrices():
        add(f"estimate {name}", bayescorr.estimate(scores, estimators, coefficients, random_seed=1))
        for model in ("flat", "bootstrap", "bootstrap-shrunk"):
            fit = bayescorr.fit(scores, model, random_seed=1, warn=False)
            add(f"{model} {name}", fit.estimates(level=0.9))
        best = bayescorr.drop_worst(scores, 0.25)
        if name in ("demo", "adhoc6_ap", "web2010_p10"):
            add(f"ranking {name}", fit.ranking())
            fit = bayescorr.fit(best, **SAMPLED)
            add(f"default {name}", fit.estimates())
            add(f"default ranking {name}", fit.ranking())
            loo = bayescorr.loo(fit)
            found[f"loo {name}"] = float(loo.elpd)
    demo = bayescorr.load_dataset("demo")
    for model in bayescorr.list_models()["name"]:
        scores = demo.round(1) if model == "beta-binomial" else demo
        fit = bayescorr.fit(scores.iloc[:20, :6], model, **SAMPLED)
        add(f"{model} small", fit.estimates(coefficients=[*coefficients, "spearman"]))
    pair = bayescorr.fit_pair(demo, demo.round(1), **SAMPLED)
    add("pair", pair.estimates())
    fit = bayescorr.fit(demo, **SAMPLED)
    plan = bayescorr.expected_coefficient(fit, [25, 50, 100], random_seed=1)
    add("topics", plan.table())
    add("sensitivity", bayescorr.prior_sensitivity(fit, [2.0], draws=100, tune=100, chains=2))
    study = bayescorr.Study(
        "snapshot", ["demo"], ["effects", "resample"], [10, 20], 4, ["ML", "RES", "KD"], ["tau"]
    )
    out = Path(sys.argv[3] if len(sys.argv) > 3 else "build/snapshot-study")
    results = bayescorr.run_study(study, out)
    summary = bayescorr.summarise(bayescorr.read_results(out) if results is None else results)
    add("study", summary.drop(columns="seconds"))
    return found


def compare(before: dict[str, float], after: dict[str, float]) -> bool:
    """Print the numbers that differ; return whether all agree."""
    apart = {
        key: (before.get(key), after.get(key))
        for key in sorted({*before, *after})
        if not np.allclose(
            before.get(key, np.inf), after.get(key, -np.inf), rtol=0, atol=TOLERANCE, equal_nan=True
        )
    }
    print(f"{len(before)} numbers before, {len(after)} after, {len(apart)} differ by > {TOLERANCE}")
    for key, values in list(apart.items())[:40]:
        print(f"  {key}: {values[0]} -> {values[1]}")
    return not apart


if __name__ == "__main__":
    if sys.argv[1] == "write":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            numbers = collect()
        Path(sys.argv[2]).write_text(json.dumps(numbers, indent=1))
    else:
        one, other = (json.loads(Path(path).read_text()) for path in sys.argv[2:4])
        sys.exit(not compare(one, other))
