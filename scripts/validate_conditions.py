"""Studies of fit_conditions: docs/validation/conditions{,_summary}.csv and conditions.png.

Three studies on AP and P@10 of TREC web 2010 and 2011, read from the folder BAYESCORR_DATA, each on
a random choice of systems:

- known: topics drawn with replacement, so that the means over all of them are the truth; tau
  between the true rankings by AP and by P@10.
- partial: AP of 50 topics drawn likewise, known on 15 of them, and a judge whose scores have a
  correlation of 0.8 with AP, topic by topic; tau of AP's true ranking with its observed one.
- halves: fit on half of the topics, predict tau between the rankings by AP and by P@10 on the
  other half.
"""

from __future__ import annotations

import argparse
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bayescorr as bc
from bayescorr.bayes.sampler import Sampling, flat_draws, sample_parameters
from bayescorr.conditions.columns import conditions_data
from bayescorr.models.matrix_t_conditions import MatrixTConditions

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "validation"
COLLECTIONS = ("web2010", "web2011")
TOPICS = (10, 25, 50)
JUDGED, CORRELATION = 15, 0.8
LEVEL = 0.9
BOOTSTRAP = 500


def read(collection: str, systems: int, rng: np.random.Generator) -> tuple[pd.DataFrame, ...]:
    """Return AP and P@10 of randomly chosen systems with different scores."""
    folder = Path(os.environ["BAYESCORR_DATA"]) / "trec"
    ap, p10 = (bc.read_scores(folder / f"{collection}_{name}.csv") for name in ("ap", "p10"))
    distinct = ~(ap.T.duplicated() | p10.reindex(columns=ap.columns).T.duplicated())
    chosen = rng.choice(np.flatnonzero(distinct), systems, replace=False)
    columns = ap.columns[np.sort(chosen)]
    topics = ap.index.intersection(p10.index)
    return ap.loc[topics, columns], p10.loc[topics, columns]


def resample(rng: np.random.Generator, n: int, *tables: pd.DataFrame) -> list[pd.DataFrame]:
    rows = rng.integers(len(tables[0]), size=n)
    return [pd.DataFrame(x.to_numpy()[rows], columns=x.columns) for x in tables]


def row(study: str, n: int, method: str, draws: Any, truth: float) -> dict[str, Any]:
    lower, upper = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return {
        "study": study, "topics": n, "method": method, "estimate": float(np.mean(draws)),
        "lower": lower, "upper": upper, "truth": truth,
    }  # fmt: skip


def known(rng: np.random.Generator, n: int, ap: pd.DataFrame, p10: pd.DataFrame) -> list[dict]:
    truth = bc.tau(ap.mean(), p10.mean())
    a, b = resample(rng, n, ap, p10)
    found = bc.fit_pair(a, b, inference="laplace", random_seed=int(rng.integers(2**31)), warn=False)
    weights = rng.multinomial(n, np.full(n, 1 / n), size=BOOTSTRAP) / n
    again = bc.tau(weights @ a.to_numpy(), weights @ b.to_numpy())
    observed = row("known", n, "observed", np.array([found.observed()]), truth)
    return [
        row("known", n, "posterior", found.draws("tau"), truth),
        row("known", n, "bootstrap", again, truth),
        # A number alone has no interval.
        {**observed, "lower": np.nan, "upper": np.nan},
    ]


def partial(rng: np.random.Generator, n: int, ap: pd.DataFrame, _: pd.DataFrame) -> list[dict]:
    (human,) = resample(rng, n, ap)
    sd = human.std().to_numpy() * np.sqrt(1 / CORRELATION**2 - 1)
    judge = human + sd * rng.standard_normal(human.shape)
    some = human.iloc[:JUDGED]
    truth = bc.tau(ap.mean(), some.mean())
    options = {"inference": "laplace", "random_seed": int(rng.integers(2**31)), "warn": False}
    found = bc.fit_conditions({"human": some, "judge": judge}, unshared="model", **options)
    return [
        row("partial", n, "with judge", found.of("human").draws("tau"), truth),
        row("partial", n, "alone", found.alone().draws("tau"), truth),
    ]


def halves(rng: np.random.Generator, n: int, ap: pd.DataFrame, p10: pd.DataFrame) -> list[dict]:
    order = rng.permutation(len(ap))
    one, other = order[: len(ap) // 2], order[len(ap) // 2 :]
    happened = bc.tau(ap.iloc[other].mean(), p10.iloc[other].mean())
    tables = {"AP": ap.iloc[one], "P@10": p10.iloc[one]}
    draws = predict(tables, len(other), rng)
    observed = bc.tau(*(table.mean() for table in tables.values()))
    alone = row("halves", len(one), "observed", np.array([observed]), happened)
    return [
        row("halves", len(one), "posterior", draws, happened),
        {**alone, "lower": np.nan, "upper": np.nan},
    ]


def predict(tables: dict[str, pd.DataFrame], n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw tau between the observed rankings under two conditions on n new topics."""
    model = MatrixTConditions()
    priors = model.full_priors(None)
    data, means_of = conditions_data(tables)
    sampling = Sampling(100, 0, 4, int(rng.integers(2**31)), inference="laplace")
    draws = flat_draws(sample_parameters(model, data, priors, sampling)["posterior"])
    true = model.true_means(draws, data, priors, rng)
    factor = np.linalg.cholesky(model.covariance(draws, true, data, priors, rng) / n)
    new = means_of(true + (factor @ rng.standard_normal((*true.shape, 1)))[..., 0])
    return np.asarray(bc.tau(new[:, 0], new[:, 1]))


STUDIES = {
    "known": (known, TOPICS),
    "partial": (partial, (50,)),
    "halves": (halves, (25,)),
}


def run(options: argparse.Namespace) -> pd.DataFrame:
    rows = []
    warnings.simplefilter("ignore")
    for number, (name, (study, sizes)) in enumerate(STUDIES.items()):
        for n in sizes:
            for place, collection in enumerate(COLLECTIONS):
                for replication in range(options.replications):
                    rng = np.random.default_rng([options.seed, number, n, place, replication])
                    tables = read(collection, options.systems, rng)
                    found = study(rng, n, *tables)
                    label = {"collection": collection, "replication": replication}
                    rows += [{**label, **one} for one in found]
            print(name, n, "done", flush=True)
            pd.DataFrame(rows).to_csv(
                options.out / "conditions.csv", index=False, float_format="%.4f"
            )
    return pd.DataFrame(rows)


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Return bias, error, coverage and width with standard errors, by study, topics and method."""
    error = table["estimate"] - table["truth"]
    covered = (table["lower"] - 1e-9 <= table["truth"]) & (table["truth"] <= table["upper"] + 1e-9)
    table = table.assign(
        bias=error, error=error.abs(), coverage=covered.where(table["lower"].notna()).astype(float),
        width=table["upper"] - table["lower"],
    )  # fmt: skip
    groups = table.groupby(["study", "topics", "method"])
    found = groups[["bias", "error", "coverage", "width"]].mean()
    for name in ("bias", "coverage", "width"):
        found[f"{name}_se"] = groups[name].sem()
    found.insert(0, "collections", groups.size())
    return found.reset_index()


def plot(table: pd.DataFrame, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    offsets = {"posterior": -0.15, "bootstrap": 0.0, "observed": 0.15}
    colours = {"posterior": "tab:blue", "bootstrap": "tab:orange", "observed": "0.4"}
    known = table[table["study"] == "known"]
    for method, offset in offsets.items():
        rows = known[known["method"] == method]
        x = np.arange(len(rows)) + offset
        style = {"fmt": "o", "label": method, "color": colours[method], "capsize": 2}
        left.errorbar(x, rows["bias"], 2 * rows["bias_se"], **style)
        if rows["coverage"].notna().all():
            middle.errorbar(x, rows["coverage"], 2 * rows["coverage_se"], **style)
    left.axhline(0, color="0.7", linewidth=0.8)
    left.set_title("bias of τ between the true rankings")
    middle.axhline(LEVEL, color="0.7", linewidth=0.8)
    middle.set_title(f"coverage of {LEVEL:.0%} intervals")
    for ax in (left, middle):
        ax.set_xticks(range(len(TOPICS)), [f"{n} topics" for n in TOPICS])
        ax.legend(frameon=False, fontsize=8)
    partial = table[table["study"] == "partial"].set_index("method").loc[["alone", "with judge"]]
    right.bar([0, 1], partial["width"], yerr=2 * partial["width_se"], color="tab:blue", width=0.5)
    for i, (_, one) in enumerate(partial.iterrows()):
        text = f"coverage {one['coverage']:.2f} ± {one['coverage_se']:.2f}"
        right.text(i, 0.02, text, ha="center", color="white", fontsize=8)
    labels = [f"{JUDGED} topics alone", "with a judge\non all 50"]
    right.set_xticks([0, 1], labels)
    right.set_title(f"width of {LEVEL:.0%} intervals of τ")
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=40, help="per collection and size")
    parser.add_argument("--systems", type=int, default=15)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=FOLDER)
    parser.add_argument("--summarise", action="store_true", help="use the stored results")
    options = parser.parse_args()
    path = options.out / "conditions.csv"
    table = pd.read_csv(path) if options.summarise else run(options)
    found = summary(table)
    found.to_csv(options.out / "conditions_summary.csv", index=False, float_format="%.4f")
    plot(found, options.out / "conditions.png")
    print(found.round(3).to_string(index=False))


if __name__ == "__main__":
    main()
