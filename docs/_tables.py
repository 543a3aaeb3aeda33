"""Tables of the studies of the default model, from the summaries in docs/validation/studies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

STUDIES = Path(__file__).parent / "validation" / "studies"
DEFAULT = "bayes:matrix-t"
CELL = ["source", "simulator", "n_topics"]
SYSTEMS = {"all": "all systems", "best-75": "best 75%"}


def default_model_on_simulated_collections(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate bias, error and coverage by coefficient and number of topics."""
    return _rows(_cells(studies / "posterior-vs-frequentist"), ["n_topics"])


def default_model_by_collection(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate bias, error and coverage by coefficient, collection and number of topics."""
    cells = _cells(studies / "posterior-vs-frequentist").query("n_topics in [10, 20, 50, 100]")
    cells = cells.assign(collection=cells["source"])
    return _rows(cells, ["collection", "n_topics"])


def default_model_with_shrunk_truth(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate the same for collections whose truth is drawn from a posterior."""
    return _rows(_cells(studies / "shrunk-truth"), ["n_topics"])


def default_model_everywhere(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate bias, error and coverage on AP by systems kept, kind of truth and topics."""
    cells = _cells(studies / "default-model")
    cells["systems"] = cells["source"].str.split("-").str[1].map({"all": "all", "top": "best 75%"})
    cells["truth"] = np.where(cells["simulator"] == "resample", "real topics", "simulator")
    return _rows(cells, ["systems", "truth", "n_topics"])


def default_model_on_coarse_measures(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate bias, error and coverage on P@10 for priors worth four and ten topics."""
    methods = {DEFAULT: "4 topics", "worth-10": "10 topics"}
    cells = [
        _cells(studies / "coarse-measures", method).assign(prior=words)
        for method, words in methods.items()
    ]
    return _rows(pd.concat(cells), ["n_topics", "prior"])


def laplace_against_nuts(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate how far the Laplace approximation is from NUTS, by coefficient and topics."""
    table = pd.read_csv(studies.parent / "laplace.csv")
    sizes = pd.cut(table["n"], [0, 10, 25, np.inf], labels=["10", "25", "48 or more"])
    head = ["coefficient", "topics", "fits", "mean", "ends", "within the aim", "NUTS converged"]
    yield "| " + " | ".join(head) + " |\n|" + "---|" * len(head)
    for (coefficient, size), found in table.groupby(["coefficient", sizes], observed=True):
        within = f"{found['within'].sum()} of {len(found)}"
        converged = f"{found['converged'].sum()} of {len(found)}"
        apart = (short(found[name].abs().max(), digits=4) for name in ("mean_apart", "end_apart"))
        row = [f"`{coefficient}`", size, str(len(found)), *apart, within, converged]
        yield "| " + " | ".join(row) + " |"


def laplace_gate(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate what the check of the Laplace approximation says of wrong approximations."""
    table = pd.read_csv(studies.parent / "laplace-gate.csv")
    head = ["moved by", "widths times", "mean of tau off by", "check says", "sd of tau off by"]
    head += ["check says", "residual", "verdict"]
    yield "| " + " | ".join(head) + " |\n|" + "---|" * len(head)
    numbers = ["mean_off", "said_of_mean", "sd_off", "said_of_sd", "residual"]
    for row in table.to_dict("records"):
        cells = [f"{row['moved']:g} sd", f"{row['stretched']:g}"]
        cells += [short(round(row[name], 2) + 0.0, digits=2) for name in numbers]
        yield "| " + " | ".join([*cells, "poor" if row["poor"] else "good"]) + " |"


def sets_that_hold_together(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate how often joint sets hold on simulated collections, and how large they are."""
    return _sets(studies, "truth")


def sets_on_real_topics(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate how often predictive sets hold for the ranking by other real topics."""
    return _sets(studies, "other topics")


def _sets(studies: Path, outcome: str) -> Iterator[str]:
    table = pd.read_csv(studies.parent / "claims-sets.csv").query("outcome == @outcome")
    head = ["collections", "topics", "level", "sets", "number"]
    for name in ("all ranks", "best", "top 5"):
        head += [f"{name} inside", "span" if name == "all ranks" else "size"]
    yield "| " + " | ".join(head) + " |\n|" + "---|" * len(head)
    for _, row in table.iterrows():
        cells = [row["group"], row["n_topics"], row["level"], row["method"], row["collections"]]
        for name, digits in (("ranks", 2), ("best", 1), ("top", 1)):
            cells += [_given(row, name, digits=2), f"{row[f'size_{name}']:.{digits}f}"]
        yield "| " + " | ".join(map(str, cells)) + " |"


def plans_for_decisions(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate the predicted and the actual share of decisions by collections and question."""
    table = pd.read_csv(studies.parent / "claims-plans.csv").query("predictions == 'all'")
    # Simulated collections of all sources, where their true means are from the prior.
    chosen = (table["outcome"] == "prior") == (table["group"] == "all")
    words = {"prior": "means from the prior", "truth": "simulated", "other topics": "real"}
    head = ["collections", "question", "topics", "number", "cases"]
    head += ["predicted", "decided", "difference"]
    yield "| " + " | ".join(head) + " |\n|" + "---|" * len(head)
    for _, row in table[chosen].iterrows():
        kind = words[row["outcome"]] + ("" if row["group"] == "all" else f", {row['group']}")
        difference = f"{short(row['difference'], '+')} ({short(row['se'])})"
        cells = [kind, row["question"], f"{row['set']}, {row['planned']}", row["collections"]]
        cells += [row["cases"], short(row["predicted"]), short(row["decided"]), difference]
        yield "| " + " | ".join(map(str, cells)) + " |"


def conditions_with_known_truth(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate bias, error and coverage of tau between two true rankings, by method."""
    methods = {"posterior": "posterior", "observed": "observed τ", "bootstrap": "bootstrap"}
    yield from _conditions(studies, "known", ["systems", "topics", "method"], methods)


def conditions_by_collection(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate the same of the posterior and the observed tau for each collection."""
    methods = {"posterior": "posterior", "observed": "observed τ"}
    keys = ["collection", "systems", "topics", "method"]
    return _conditions(studies, "known", keys, methods)


def conditions_on_real_topics(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate bias, error and coverage of tau predicted for the other half of real topics."""
    methods = {"posterior": "posterior", "observed": "observed τ"}
    keys = ["collection", "systems", "method"]
    return _conditions(studies, "halves", keys, methods)


def partial_judgments(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate widths and coverage of intervals with and without a judge of more topics."""
    table = pd.read_csv(studies.parent / "conditions.csv")
    table = table[table["study"].str.startswith("partial") & (table["collection"] == "both")]
    head = ["judge", "systems", "interval of", "sets", "width alone", "90% covers"]
    head += ["width with judge", "90% covers", "narrower by"]
    yield "| " + " | ".join(head) + " |\n|" + "---|" * len(head)
    judges = {"partial": "fair", "partial-biased": "favours systems"}
    found = table.set_index("method")
    for keys, rows in found.groupby(["study", "systems", "quantity"], sort=False):
        study, systems, quantity = map(str, keys)
        cells = [judges[study], SYSTEMS[systems], quantity, str(rows["replications"].iloc[0])]
        for method in ("alone", "with judge"):
            row = rows.loc[method]
            cells += [_given(row, "width"), _given(row, "coverage", digits=2)]
        narrower, se = (100 * rows.loc["with judge", name] for name in ("narrower", "narrower_se"))
        yield "| " + " | ".join([*cells, f"{narrower:.0f}% ({se:.1f})"]) + " |"


def _conditions(
    studies: Path, study: str, keys: list[str], methods: dict[str, str]
) -> Iterator[str]:
    """Tabulate a study of several conditions, one row per group."""
    table = pd.read_csv(studies.parent / "conditions.csv")
    table = table[(table["study"] == study) & table["method"].isin(methods)]
    both = table["collection"] == "both"
    table = table[~both if "collection" in keys else both]
    order = {name: list(dict.fromkeys(table[name])) for name in keys} | {"method": list(methods)}
    table = table.sort_values(keys, key=lambda x: x.map(order[str(x.name)].index))
    head = [*keys, "sets", "bias", "error", "90% covers", "width"]
    yield "| " + " | ".join(head) + " |\n|" + "---|" * len(head)
    for _, row in table.iterrows():
        shown = {"systems": SYSTEMS[row["systems"]], "method": methods[row["method"]]}
        cells = [shown.get(name, str(row[name])) for name in keys] + [str(row["replications"])]
        cells += [_given(row, "bias", "+"), _given(row, "error")]
        cells += [_given(row, "coverage", digits=2), _given(row, "width")]
        yield "| " + " | ".join(cells) + " |"


def tau_of_items(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate bias, error and coverage of tau on simulated 0/1 items, by design and model."""
    table = _stored(studies.parent / "items.csv")
    head = ["design", "model", "sets", "true τ", "bias", "error", *_covers(table, "covered")]
    yield from _headed(head)
    for _, row in table.iterrows():
        n = int(row["trials"])
        cells = [row["design"], f"`{row['model']}`", str(n), short(row["actual"])]
        cells += [_given(row, "bias", "+"), _given(row, "error")]
        cells += [_share(row[name], n) for name in table if _is_level(name, "covered")]
        yield "| " + " | ".join(cells) + " |"


def means_of_items(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate the share of true means in their intervals, and of fits that passed their check."""
    table = _stored(studies.parent / "items.csv")
    yield from _headed(["design", "model", "sets", *_covers(table, "means"), "passed"])
    for _, row in table.iterrows():
        cells = [row["design"], f"`{row['model']}`", str(row["trials"])]
        cells += [_given(row, name) for name in table if _is_level(name, "means")]
        yield "| " + " | ".join([*cells, short(row["passed"])]) + " |"


def allocation_of_items(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate the predicted and the actual tau of plans for new items."""
    table = _stored(studies.parent / "items-allocation.csv")
    yield from _headed(
        ["new items", "sets", "predicted τ", "actual τ", "predicted gain", "actual gain"]
    )
    names = {"now": "none", "equal": "equal", "proportional": "proportional", "best": "best"}
    for _, row in table.iterrows():
        cells = [names[row["plan"]], str(row["trials"])]
        cells += [_given(row, name, digits=4) for name in ("predicted", "actual")]
        gains = ("predicted_gain", "actual_gain")
        cells += ["-" if row["plan"] == "equal" else _given(row, x, "+", 4) for x in gains]
        yield "| " + " | ".join(cells) + " |"


def other_summaries(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate bias and coverage of tau, and coverage of the summaries, by number of items."""
    table = _stored(studies.parent / "summaries.csv")
    yield from _headed(["summary", "items", "sets", "bias", "95% covers", "width", "of summaries"])
    for _, row in table.iterrows():
        n = int(row["replications"])
        cells = [row["summary"], str(row["items"]), str(n), _given(row, "tau_error", "+")]
        cells += [_share(row["tau_covered"], n), short(row["width"]), _given(row, "value_covered")]
        yield "| " + " | ".join(cells) + " |"


def growth_of_items(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate processor time and memory of warm fits by size."""
    table = _stored(studies.parent / "items-growth.csv")
    yield from _headed(["systems", "items", "model", "read, s", "fit, s", "peak so far, GB"])
    for row in table.to_dict("records"):
        cells = [str(row["systems"]), f"{row['items']:,}", f"`{row['model']}`"]
        cells += [f"{row['read_cpu_s']:.2f}", f"{row['fit_cpu_s']:.1f}", f"{row['peak_gb']:.2f}"]
        yield "| " + " | ".join(cells) + " |"


def _stored(path: Path) -> pd.DataFrame:
    """Return a summary; an empty table until its study has been run."""
    return pd.read_csv(path) if path.exists() else pd.DataFrame()


def _headed(head: list[str]) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |\n|" + "---|" * len(head)


def _is_level(name: str, kind: str) -> bool:
    return name.startswith(f"{kind}_") and not name.endswith("_se")


def _covers(table: pd.DataFrame, kind: str) -> list[str]:
    """Return the headings of the columns with coverage."""
    return [f"{float(x.split('_')[1]):.0%} covers" for x in table if _is_level(x, kind)]


def _given(row: pd.Series, name: str, sign: str = "", digits: int = 3) -> str:
    """Format a mean with its standard error; a dash if there is none."""
    if pd.isna(row[name]):
        return "-"
    return f"{short(row[name], sign, digits)} ({short(row[f'{name}_se'], digits=digits)})"


def _cells(folder: Path, method: str = DEFAULT) -> pd.DataFrame:
    """Return all summaries of a method, one row per cell of the study and coefficient."""

    def read(name: str) -> pd.DataFrame:
        table = pd.read_csv(folder / f"{name}.csv")
        return table[table["method"] == method].drop(columns="method")

    key = [*CELL, "coefficient"]
    cells = read("summary")[[*key, "collections", "bias", "bias_se", "error"]].set_index(key)
    paired = read("paired-MSQD").query("measure == 'error'").set_index(key)
    cells = cells.join(paired[["difference", "difference_se"]])
    coverage = read("intervals").set_index([*key, "level"])["coverage"].unstack()
    return cells.join(coverage.rename(columns=lambda level: f"{level:.0%}")).reset_index()


def _rows(cells: pd.DataFrame, by: list[str]) -> Iterator[str]:
    """Yield a table of means over the cells of each group, with their standard errors."""
    levels = [c for c in cells.columns if str(c).endswith("%")]
    head = [
        "coefficient",
        *("topics" if name == "n_topics" else name for name in by),
        "sets",
        "bias",
        "error",
        "less MSQD's",
        *levels,
    ]
    yield "| " + " | ".join(head) + " |\n|" + "---|" * len(head)
    for group, found in cells.groupby(["coefficient", *by]):
        n = int(found["collections"].sum())
        difference = _with_error(found, "difference", "+")
        row = [
            *(f"`{group[0]}`", *(str(value) for value in group[1:])),
            str(n),
            _with_error(found, "bias", "+"),
            short(found["error"].mean()),
            "-" if found["difference"].isna().any() else difference,
            *(_share(found[level].mean(), n) for level in levels),
        ]
        yield "| " + " | ".join(row) + " |"


def _with_error(found: pd.DataFrame, name: str, sign: str = "") -> str:
    """Format the unweighted mean over cells with its standard error."""
    se = np.sqrt((found[f"{name}_se"] ** 2).sum()) / len(found)
    return f"{short(found[name].mean(), sign)} ({short(se)})"


def _share(share: float, n: int) -> str:
    """Format a share of n collections with a standard error that is never 0."""
    likely = (share * n + 0.5) / (n + 1)
    error = np.sqrt(likely * (1 - likely) / n)
    return f"{share:.2f}".removeprefix("0") + f" ({short(error, digits=2)})"


def short(value: float, sign: str = "", digits: int = 3) -> str:
    """Format a number without its leading zero and with a true minus sign."""
    text = f"{value:{sign}.{digits}f}".replace("0.", ".", 1)
    return text.replace("-", "\N{MINUS SIGN}")
