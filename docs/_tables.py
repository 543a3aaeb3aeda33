"""Tables of the studies of the default model, from the summaries in docs/validation/studies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

STUDIES = Path(__file__).parent / "validation" / "studies"
DEFAULT = "bayes:matrix-t"
CELL = ["source", "simulator", "n_topics"]


def default_model_on_simulated_collections(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate bias, error and coverage by coefficient and number of topics."""
    return _rows(_cells(studies / "posterior-vs-frequentist"), ["n_topics"])


def default_model_by_collection(studies: Path = STUDIES) -> Iterator[str]:
    """Tabulate bias, error and coverage by coefficient, collection and number of topics."""
    cells = _cells(studies / "posterior-vs-frequentist")
    cells["collection"] = cells["source"]
    return _rows(cells, ["collection", "n_topics"])


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
            _short(found["error"].mean()),
            "-" if found["difference"].isna().any() else difference,
            *(_share(found[level].mean(), n) for level in levels),
        ]
        yield "| " + " | ".join(row) + " |"


def _with_error(found: pd.DataFrame, name: str, sign: str = "") -> str:
    """Format the unweighted mean over cells with its standard error."""
    se = np.sqrt((found[f"{name}_se"] ** 2).sum()) / len(found)
    return f"{_short(found[name].mean(), sign)} ({_short(se)})"


def _share(share: float, n: int) -> str:
    """Format a share of n collections with a standard error that is never 0."""
    likely = (share * n + 0.5) / (n + 1)
    error = np.sqrt(likely * (1 - likely) / n)
    return f"{share:.2f}".removeprefix("0") + f" ({_short(error, digits=2)})"


def _short(value: float, sign: str = "", digits: int = 3) -> str:
    """Format a number without its leading zero and with a true minus sign."""
    text = f"{value:{sign}.{digits}f}".replace("0.", ".", 1)
    return text.replace("-", "\N{MINUS SIGN}")
