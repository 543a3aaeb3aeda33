"""Studies of fit_conditions: docs/validation/conditions.csv, conditions.png and ...-partial.png.

    BAYESCORR_DATA=DIR python scripts/validate_conditions.py [--replications 300] [--jobs 2]

On AP and P@10 of TREC Web 2010 and 2011, each time with 20 systems chosen at random from all or
from the best 75% by AP. All fits are Laplace approximations with the default priors.

known           10, 25 or 50 topics drawn with replacement, so that the means over all topics of the
                matrix are the truth: tau between the true rankings by AP and by P@10, beside the
                observed tau and a bootstrap of the topics.
halves          Fit on half of the topics, predict tau between the rankings by AP and by P@10 on the
                other half, beside the observed tau. The best systems are those of the first half.
partial         AP of 50 topics drawn likewise, known on 15 of them, and a judge whose scores have a
                correlation of 0.8 with AP, topic by topic: tau between the true ranking by AP and
                the one observed on the 15 topics, with the judge and without.
partial-biased  The same, and the judge favours some systems: its true means, too, have a
                correlation of about 0.8 with those of AP.

Cells are stored in build/conditions, so the script resumes where it stopped. 300 replications take
about half an hour of one core.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

import bayescorr as bc
from bayescorr.bayes.sampler import Sampling, flat_draws, sample_parameters
from bayescorr.conditions.columns import conditions_data
from bayescorr.models.matrix_t_conditions import MatrixTConditions

ROOT = Path(__file__).resolve().parents[1]
SUMMARIES = ROOT / "docs" / "validation"
PARTS = ROOT / "build" / "conditions"
COLLECTIONS = ("web2010", "web2011")
SELECTIONS = {"all": 0.0, "best-75": 0.25}
TOPICS, HALF, WHOLE = (10, 25, 50), 24, 50
JUDGED, CORRELATION = 15, 0.8
LEVEL = 0.9
BOOTSTRAP = 500
DRAWS, CHAINS = 250, 4
LAPLACE: dict[str, Any] = {"inference": "laplace", "draws": DRAWS, "chains": CHAINS, "warn": False}

MEASURES = ["bias", "coverage", "width", "narrower", "converged"]

Row = dict[str, Any]
#: AP and P@10 of the same topics and systems.
Tables = tuple[pd.DataFrame, pd.DataFrame]


@cache
def read(collection: str) -> Tables:
    """Return AP and P@10 of the systems that differ from all others under both."""
    folder = Path(os.environ["BAYESCORR_DATA"]) / "trec"
    ap, p10 = (bc.read_scores(folder / f"{collection}_{name}.csv") for name in ("ap", "p10"))
    p10 = p10.loc[ap.index, ap.columns]
    distinct = ~(ap.T.duplicated() | p10.T.duplicated())
    return ap.loc[:, distinct], p10.loc[:, distinct]


def outcome(method: str, draws: Any, truth: float, quantity: str = "tau") -> Row:
    """Return how draws compare with the truth; a single number has no interval."""
    row = {"method": method, "quantity": quantity, "bias": float(np.mean(draws)) - truth}
    if np.size(draws) > 1:
        lower, upper = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        row |= {"coverage": lower - 1e-9 <= truth <= upper + 1e-9, "width": upper - lower}
    return row


def known(n: int, tables: Tables, rng: np.random.Generator) -> Iterator[Row]:
    """Compare posterior, observed tau and bootstrap with tau between the means of all topics."""
    truth = bc.tau(*(table.mean() for table in tables))
    rows = rng.integers(len(tables[0]), size=n)
    a, b = (table.iloc[rows].reset_index(drop=True) for table in tables)
    found = bc.fit_pair(a, b, random_seed=int(rng.integers(2**31)), **LAPLACE)
    weights = rng.multinomial(n, np.full(n, 1 / n), size=BOOTSTRAP) / n
    again = bc.tau(weights @ a.to_numpy(), weights @ b.to_numpy())
    posterior = outcome("posterior", found.draws("tau"), truth)
    yield posterior | {"converged": found.convergence.passed}
    yield outcome("observed", found.observed("tau"), truth)
    yield outcome("bootstrap", again, truth)


def halves(n: int, tables: Tables, rng: np.random.Generator) -> Iterator[Row]:
    """Predict tau between the rankings on the topics after the first n."""
    seen = {name: table.iloc[:n] for name, table in zip(("AP", "P@10"), tables, strict=True)}
    happened = bc.tau(*(table.iloc[n:].mean() for table in tables))
    model = MatrixTConditions()
    priors = model.full_priors(None)
    data, means_of = conditions_data(seen)
    sampling = Sampling(
        DRAWS, chains=CHAINS, random_seed=int(rng.integers(2**31)), inference="laplace"
    )
    draws = flat_draws(sample_parameters(model, data, priors, sampling)["posterior"])
    true = model.true_means(draws, data, priors, rng)
    new = means_of(model.new_means(draws, true, data, priors, len(tables[0]) - n, rng))
    yield outcome("posterior", bc.tau(new[:, 0], new[:, 1]), happened)
    yield outcome("observed", bc.tau(*(table.mean() for table in seen.values())), happened)


def judged(
    n: int, tables: Tables, rng: np.random.Generator, *, biased: bool = False
) -> Iterator[Row]:
    """Compare the posteriors of the ranking by AP of some topics, with and without a judge."""
    population = tables[0]
    truth = population.mean()
    human = population.iloc[rng.integers(len(population), size=n)].reset_index(drop=True)
    noise = np.sqrt(1 / CORRELATION**2 - 1)
    judge = human + noise * population.std().to_numpy() * rng.standard_normal(human.shape)
    if biased:
        judge += noise * truth.std() * rng.standard_normal(len(truth))
    some = human.iloc[:JUDGED]
    options = {"unshared": "model", "random_seed": int(rng.integers(2**31)), **LAPLACE}
    both = bc.fit_conditions({"human": some, "judge": judge}, **options)
    widths: dict[str, float] = {}
    for method, fit, of in (
        ("alone", alone := both.alone(), alone),
        ("with judge", both, both.of("human")),
    ):
        draws = of.draws("tau")
        means = of.ordered_means - of.ordered_means.mean(axis=1, keepdims=True)
        target = (truth - truth.mean())[of.observed_means.index]
        each = [outcome(method, x, y) for x, y in zip(means.T, target, strict=True)]
        average = {name: np.mean([one[name] for one in each]) for name in ("coverage", "width")}
        tau = outcome(method, draws, bc.tau(truth, some.mean()))
        for row in (tau, {"method": method, "quantity": "true means"} | average):
            width = widths.setdefault(row["quantity"], row["width"])
            narrower = {} if method == "alone" else {"narrower": 1 - row["width"] / width}
            yield row | narrower | {"converged": fit.convergence.passed}


STUDIES: dict[str, tuple[Callable[..., Iterator[Row]], tuple[int, ...]]] = {
    "known": (known, TOPICS),
    "halves": (halves, (HALF,)),
    "partial": (judged, (WHOLE,)),
    "partial-biased": (partial(judged, biased=True), (WHOLE,)),
}


@dataclass(frozen=True)
class Cell:
    """A study on one collection and selection of systems, with one number of topics."""

    study: str
    collection: str
    systems: str
    topics: int

    def replicate(self, size: int, rng: np.random.Generator) -> Iterator[Row]:
        """Do one replication with ``size`` systems."""
        tables = read(self.collection)
        ap = tables[0]
        if self.study == "halves":
            order = rng.permutation(len(ap))
            tables = tables[0].iloc[order], tables[1].iloc[order]
            ap = tables[0].iloc[: self.topics]
        kept = bc.drop_worst(ap, SELECTIONS[self.systems]).columns
        chosen = kept[np.sort(rng.choice(len(kept), size, replace=False))]
        study = STUDIES[self.study][0]
        return study(self.topics, (tables[0][chosen], tables[1][chosen]), rng)

    def run(self, size: int, replications: int, seed: int, folder: Path) -> pd.DataFrame:
        """Return one row per replication, method and quantity, from a file if it is there."""
        cell = "-".join(map(str, astuple(self)))
        strength = f"{MatrixTConditions.priors['prior_topics']:g}"
        part = folder / f"{cell}-prior-{strength}-{size}x{replications}-seed-{seed}.parquet"
        if part.exists():
            return pd.read_parquet(part)
        rows = []
        for replication in range(replications):
            rng = np.random.default_rng([seed, replication, *cell.encode()])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", bc.BayescorrWarning)
                found = list(self.replicate(size, rng))
            rows += [vars(self) | {"replication": replication} | row for row in found]
        table = pd.DataFrame(rows)
        # A study that lacks a measure has none of it.
        table[MEASURES] = table.reindex(columns=MEASURES).astype(float)
        table.to_parquet(part)
        print(part.stem, flush=True)
        return table


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """Return means with standard errors, for each collection and for both (equal weights)."""
    keys = ["study", "systems", "topics", "quantity", "method"]
    table = table.assign(error=table["bias"].abs())
    measures = ["error", *MEASURES]
    groups = table.groupby(["collection", *keys], sort=False)
    each, errors = groups[measures].mean(), groups[measures].sem().add_suffix("_se")
    each.insert(0, "replications", groups.size())
    whole = each.groupby(keys, sort=False).mean()
    whole["replications"] = each["replications"].groupby(keys, sort=False).sum()
    count = errors.groupby(keys, sort=False).size()
    whole_errors = np.sqrt((errors**2).groupby(keys, sort=False).sum(min_count=1).T).T
    whole = whole.join(whole_errors.div(count, axis=0))
    both = pd.concat({"both": whole}, names=["collection"])
    found = pd.concat([each.join(errors), both]).reset_index().drop(columns="converged_se")
    found.insert(0, "prior_topics", MatrixTConditions.priors["prior_topics"])
    return found[["prior_topics", *keys, "collection", *found.columns[len(keys) + 2 :]]]


def plot_known(table: pd.DataFrame, path: Path) -> None:
    """Draw bias and coverage by collection, number of topics and method."""
    import matplotlib.pyplot as plt

    from bayescorr.report.style import MARKERS, PALETTE

    table = table[(table["study"] == "known") & (table["collection"] != "both")]
    figure, axes = plt.subplots(
        2, 2, figsize=(9, 5.6), sharex=True, sharey="row", layout="constrained"
    )
    cells = [(name, n) for name in COLLECTIONS for n in TOPICS]
    for column, selection in zip(axes.T, SELECTIONS, strict=True):
        rows = table[table["systems"] == selection].set_index(["method", "collection", "topics"])
        for k, method in enumerate(("posterior", "bootstrap", "observed")):
            found = rows.loc[method].loc[cells]
            x = np.arange(len(cells)) + 0.2 * (k - 1)
            style = {"fmt": MARKERS[k], "color": PALETTE[k], "capsize": 2, "label": method}
            for ax, name in zip(column, ("bias", "coverage"), strict=True):
                if found[name].notna().all():
                    ax.errorbar(x, found[name], 2 * found[f"{name}_se"], **style)
        for ax, value in zip(column, (0, LEVEL), strict=True):
            ax.axhline(value, color="0.6", linewidth=0.8, zorder=0)
            ax.spines[["top", "right"]].set_visible(False)
        column[0].set_title("all systems" if selection == "all" else "best 75% of the systems")
        labels = [f"{n}\n{name}" if n == TOPICS[1] else str(n) for name, n in cells]
        column[1].set_xticks(range(len(cells)), labels)
    axes[0, 0].set_ylabel("bias of tau\nbetween true rankings")
    axes[1, 0].set_ylabel(f"coverage of {LEVEL:.0%} intervals")
    axes[0, 1].legend(frameon=False, fontsize="small")
    figure.supxlabel("topics", fontsize="medium")
    figure.savefig(path, dpi=120)
    plt.close(figure)


def plot_partial(table: pd.DataFrame, path: Path) -> None:
    """Draw widths of intervals without and with a judge, and their coverage."""
    import matplotlib.pyplot as plt

    from bayescorr.report.style import PALETTE

    table = table[table["study"].str.startswith("partial") & (table["collection"] == "both")]
    by = table.set_index(["systems", "quantity", "study", "method"]).sort_index()
    names = {
        ("partial", "alone"): f"{JUDGED} topics\nalone",
        ("partial", "with judge"): f"with a judge\nof {WHOLE} topics",
        ("partial-biased", "with judge"): "with a judge\nthat favours",
    }
    figure, axes = plt.subplots(2, 2, figsize=(9, 5.6), layout="constrained", sharey="row")
    for row, quantity in zip(axes, ("tau", "true means"), strict=True):
        for ax, selection in zip(row, SELECTIONS, strict=True):
            found = by.loc[selection, quantity].loc[list(names)]
            ax.bar(
                range(len(names)), found["width"], yerr=2 * found["width_se"], width=0.6,
                color=[PALETTE[1], PALETTE[0], PALETTE[0]],
            )  # fmt: skip
            for i, one in enumerate(found.to_dict("records")):
                text = f"covers {one['coverage']:.2f}\n± {2 * one['coverage_se']:.2f}"
                ax.text(i, found["width"].max() * 0.06, text, ha="center", color="white")
            ax.set_xticks(range(len(names)), list(names.values()))
            ax.set_title("all systems" if selection == "all" else "best 75% of the systems")
            ax.spines[["top", "right"]].set_visible(False)
        row[0].set_ylabel(f"width of {LEVEL:.0%} intervals\nof {quantity}")
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=300, help="per cell")
    parser.add_argument("--systems", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--parts", type=Path, default=PARTS, help="folder of finished cells")
    parser.add_argument("--out", type=Path, default=SUMMARIES, help="folder of the summaries")
    options = parser.parse_args()
    options.parts.mkdir(parents=True, exist_ok=True)
    options.out.mkdir(parents=True, exist_ok=True)
    cells = [
        Cell(study, collection, systems, n)
        for study, (_, sizes) in STUDIES.items()
        for n in sizes
        for systems in SELECTIONS
        for collection in COLLECTIONS
    ]
    given = options.systems, options.replications, options.seed, options.parts
    tables = Parallel(n_jobs=options.jobs, batch_size=1)(
        delayed(Cell.run)(cell, *given) for cell in cells
    )
    found = summarise(pd.concat(tables, ignore_index=True))
    found.round(4).to_csv(options.out / "conditions.csv", index=False)
    plot_known(found, options.out / "conditions.png")
    plot_partial(found, options.out / "conditions-partial.png")
    both = found[found["collection"] == "both"].drop(columns=["prior_topics", "collection"])
    print(both.round(3).to_string(index=False))


if __name__ == "__main__":
    main()
