"""The replication ledger: published values next to ours, from the summaries in docs/validation.

Rows without a stored summary are left out. validation/published.csv and validation/sources.csv
contain the published values.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

VALIDATION = Path(__file__).parent / "validation"
#: Two values agree if they differ by at most this many standard errors, as in study/compare.py.
MOST = 4.0
COLUMNS = [
    "paper",
    "figure or table",
    "quantity",
    "published",
    "ours",
    "standard error",
    "agree",
    "command",
]
#: FILE is a table of the authors' estimates; see `compare_published` for its columns.
COMPARE = "bayescorr study summary DIR --compare FILE"


def page() -> Iterator[str]:
    """Write the page."""
    yield """# Replication ledger

One row per published number or finding that this package replicates, whether it agrees or not. The
table is generated from the summaries in `docs/validation`.

- *standard error*: standard error of the difference between the published value and ours. It
  includes both sides if both are means over random collections. A dash means that the quantity is
  not random or that the paper only shows a figure.
- *agree*: the two values differ by at most 4 standard errors (the rule of
  `bayescorr study summary --compare`), plus half a unit of the last digit if the paper prints a
  rounded number. For a finding in words, *agree* says whether it holds in our results without
  exception, unless the row says otherwise.
- *command*: the number of the command below the table. DIR is a folder of results. FILE is a table
  of published error and bias with the columns that `compare_published` requires.
"""
    table = ledger(VALIDATION)
    sources = pd.read_csv(VALIDATION / "sources.csv").set_index("paper")["source"]
    if table.empty:
        yield "No results are stored yet.\n"
        return
    agree = int((table["agree"] == "yes").sum())
    yield f"**{agree} of {len(table)} rows agree.**\n"
    numbers = {run: i for i, run in enumerate(dict.fromkeys(table["command"]), start=1)}
    yield "| " + " | ".join(COLUMNS) + " |\n|" + "---|" * len(COLUMNS)
    for row in table.assign(command=table["command"].map(numbers)).itertuples(index=False):
        yield "| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |"
    yield "\n## Commands\n"
    for run, number in numbers.items():
        yield f"{number}.\n   ```text\n" + "\n".join(f"   {line}" for line in run.split("\n"))
        yield "   ```"
    yield "\n## What the papers say\n"
    for paper, source in sources.items():
        yield f"- **{paper}**: {source}"


def ledger(folder: Path) -> pd.DataFrame:
    """Collect the rows of every paper."""
    published = pd.read_csv(folder / "published.csv").set_index("key")
    rows = [
        *urbano_marrero(folder),
        *gao_oard(folder, published),
        *cummins(folder),
        *bavdaz(folder),
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def urbano_marrero(folder: Path) -> Iterator[list[str]]:
    """Compare error and bias of each estimator, averaged over collections and sizes."""
    file = folder / "studies" / "urbano-marrero-2016" / "comparison.csv"
    if not file.exists():
        return
    table = pd.read_csv(file)
    paper = "Urbano & Marrero 2016"
    run = "bayescorr study run urbano-marrero-2016 --out DIR\n" + COMPARE
    for figure, measure in (("Figure 1", "error"), ("Figure 2", "bias")):
        for method, cells in table.groupby("method", sort=False):
            gap = cells[measure] - cells[f"{measure}_published"]
            spread = _error_of_mean(cells, (gap / cells[f"{measure}_z"]).fillna(0.0))
            within = int((cells[f"{measure}_z"].abs() <= MOST).sum())
            yield [
                paper,
                figure,
                f"mean {measure} of {method} over {len(cells)} cells",
                f"{cells[f'{measure}_published'].mean():.4f}",
                f"{cells[measure].mean():.4f} ({within} of {len(cells)} cells agree)",
                f"{spread:.4f}",
                _yes(abs(gap.mean()) <= MOST * spread),
                run,
            ]
    agree = int(table["agrees"].sum())
    yield [
        paper,
        "Figures 1 and 2",
        "share of cells whose error and bias both agree",
        "at least 95% required",
        f"{agree / len(table):.1%} of {len(table)}",
        "-",
        _yes(agree >= 0.95 * len(table)),
        run,
    ]


def gao_oard(folder: Path, published: pd.DataFrame) -> Iterator[list[str]]:
    """Compare the share of significant pairs and the coefficients after swaps."""
    file = folder / "gao-oard-2015.csv"
    if not file.exists():
        return
    table = pd.read_csv(file).set_index("key")
    paper, run = "Gao & Oard 2015", "python scripts/run_notebooks.py replicate-gao-oard-2015"
    for key, row in table.iterrows():
        theirs = published.loc[key]
        # Their mean is over 50 draws with the same spread and is printed with two digits.
        spread = float(np.hypot(row["se"], row["sd"] / np.sqrt(50))) if row["sd"] > 0 else 0.0
        allowed = MOST * spread + 0.005
        yield [
            paper,
            theirs["where"],
            theirs["what"],
            f"{theirs['value']:.2f}",
            f"{row['value']:.3f}",
            f"{spread:.4f}" if spread else "-",
            _yes(abs(row["value"] - theirs["value"]) <= allowed),
            run,
        ]
    for kind, sign in (("significant", "<"), ("other", ">")):
        gap, ap = (table.loc[f"{kind}-{name}", "value"] for name in ("tau_gap", "tau_ap"))
        yield [
            paper,
            "section 4.1",
            f"tau_gap against tau_ap, {kind} pairs swapped",
            sign,
            f"{gap:.3f} {'<' if gap < ap else '>'} {ap:.3f}",
            "-",
            _yes((gap < ap) == (sign == "<")),
            run,
        ]


def cummins(folder: Path) -> Iterator[list[str]]:
    """Check the paper's two findings on each Cranfield run."""
    file = folder / "cummins2012.csv"
    if not file.exists():
        return
    table = pd.read_csv(file)
    spreads: dict[tuple[str, str], float] = {}
    if (more := folder / "cummins2012-differences.csv").exists():
        keyed = pd.read_csv(more).set_index(["system", "criterion"])["standard error"]
        spreads = {(str(system), str(name)): se for (system, name), se in keyed.items()}
    paper, run = "Cummins 2012", "python scripts/run_notebooks.py replicate-cummins-2012"
    for system, rows in table.groupby("system", sort=False):
        expected = rows[rows["method"] == "expected"].iloc[0]
        area = rows[rows["method"] == "aupr"].set_index("points")[["tau", "rmse"]]
        at, after = area.loc[64], area.loc[64:]
        for figure, name, better in (
            ("Figure 1", "tau", at["tau"] > expected["tau"]),
            ("Figure 2", "rmse", at["rmse"] < expected["rmse"]),
        ):
            label = {"tau": "tau", "rmse": "RMS error"}[name]
            yield [
                paper,
                figure,
                f"{label} of AuPR against E[ap], {system}",
                "AuPR better",
                f"{at[name]:.3f} against {expected[name]:.3f}",
                f"{spreads[system, name]:.4f}" if (system, name) in spreads else "-",
                _yes(better),
                run,
            ]
        moved = float((after - at).abs().to_numpy().max())
        yield [
            paper,
            "Figures 1 and 2",
            f"change of AuPR beyond 64 points, {system}",
            "near its best at 64",
            f"at most {moved:.4f}",
            "-",
            _yes(moved <= 0.005),
            run,
        ]


def bavdaz(folder: Path) -> Iterator[list[str]]:
    """Check the findings of chapter 5, with intervals computed as in the thesis."""
    study = folder / "studies" / "bavdaz-2018"
    if not (study / "intervals.csv").exists() or not (study / "summary.csv").exists():
        return
    paper, run = "Bavdaz 2018", "bayescorr study run bavdaz-2018 --out DIR --trials 100"
    intervals, summary = pd.read_csv(study / "intervals.csv"), pd.read_csv(study / "summary.csv")
    summary = summary[summary["method"].str.endswith("-thesis")]
    thesis = intervals[intervals["method"].str.endswith("-thesis")].copy()
    halves = thesis["method"] == "SH-thesis"
    least = thesis["level"] < 0.99
    figures = "Figures 5.4-5.7"

    gap = (thesis["level"] - thesis["coverage"])[halves]
    yield [
        paper,
        figures,
        "coverage of split-half below nominal, by cell",
        "never close",
        f"by {gap.min():.2f} to {gap.max():.2f}, {gap.mean():.2f} on average",
        f"{thesis.loc[halves, 'coverage_se'].max():.3f}",
        _yes((gap > MOST * thesis.loc[halves, "coverage_se"]).mean() > 0.95),
        run,
    ]
    for method in ("ML-thesis", "MSQD-thesis", "RES-thesis"):
        rows = thesis[(thesis["method"] == method) & least]
        more = rows["coverage"] - rows["level"]
        spread = _error_of_mean(rows, rows["coverage_se"])
        yield [
            paper,
            figures,
            f"coverage of {method.removesuffix('-thesis')} less nominal, levels below .99",
            "tends to be above 0",
            f"{more.mean():+.3f} on average, above 0 in {(more > 0).mean():.0%} of the cells",
            f"{spread:.4f}",
            _yes(more.mean() > MOST * spread),
            run,
        ]
    for method in ("ML-thesis", "MSQD-thesis"):
        rows = thesis[(thesis["method"] == method) & (thesis["coefficient"] == "tau") & least]
        by_size = rows.groupby("n_topics")["coverage"].mean()
        ends = rows[rows["n_topics"].isin([by_size.index[0], by_size.index[-1]])]
        spread = 2 * _error_of_mean(ends, ends["coverage_se"])
        yield [
            paper,
            "Figures 5.4 and 5.5",
            f"coverage of {method.removesuffix('-thesis')} for tau as topics grow",
            "decreases",
            f"{by_size.iloc[0]:.3f} at {by_size.index[0]}, {by_size.iloc[-1]:.3f} at "
            f"{by_size.index[-1]} topics",
            f"{spread:.4f}",
            _yes(by_size.iloc[-1] < by_size.iloc[0]),
            run,
        ]
    half = summary["method"] == "SH-thesis"
    yield [
        paper,
        "Figure 5.2",
        "bias of split-half",
        "always large and negative",
        f"{summary.loc[half, 'bias'].min():+.3f} to {summary.loc[half, 'bias'].max():+.3f}",
        f"{summary.loc[half, 'bias_se'].max():.4f}",
        _yes((summary.loc[half, "bias"] < -MOST * summary.loc[half, "bias_se"]).all()),
        run,
    ]
    yield from _errors_at_fifty(summary, paper, run)
    for coefficient, ratio, wanted in (("tau", "accurate", 0.15), ("tau_ap", "too high", None)):
        rows = summary[summary["method"] == "RES-thesis"]
        rows = rows[rows["coefficient"] == coefficient]
        if rows.empty:
            continue
        share = float((rows["variance"] / rows["actual_variance"]).mean())
        ends = rows["actual_variance_se"] / rows["actual_variance"]
        spread = _error_of_mean(rows, ends)
        holds = share > 1 if wanted is None else abs(share - 1) <= wanted
        yield [
            paper,
            "Figure 5.8",
            f"estimated over true variance of {coefficient}, RES",
            ratio,
            f"{share:.2f} on average",
            f"{spread:.3f}",
            _yes(holds),
            run,
        ]


def _errors_at_fifty(summary: pd.DataFrame, paper: str, run: str) -> Iterator[list[str]]:
    """Compare errors at 50 topics, interpolated between 40 and 60."""
    for coefficient, low, high in (("tau", 0.02, 0.03), ("tau_ap", 0.03, 0.04)):
        rows = summary[
            summary["method"].isin(["ML-thesis", "MSQD-thesis", "RES-thesis"])
            & (summary["coefficient"] == coefficient)
            & summary["n_topics"].isin([40, 60])
        ]
        if rows.empty:
            continue
        mean = float(rows["error"].mean())
        spread = _error_of_mean(rows, rows["error_se"])
        outside = max(low - mean, mean - high, 0.0)
        yield [
            paper,
            "Figure 5.1",
            f"error of ML, MSQD and RES for {coefficient} at 50 topics",
            f"{low:.2f}-{high:.2f}",
            f"{mean:.4f} (mean of 40 and 60 topics)",
            f"{spread:.4f}",
            _yes(outside <= MOST * spread + 0.005),
            run,
        ]


def _error_of_mean(rows: pd.DataFrame, errors: pd.Series[float]) -> float:
    """Return the standard error of a mean over rows that may share their collections.

    Rows of one source and size do. In the worst case their errors add up.
    """
    apart = errors.groupby([rows["source"], rows["n_topics"]]).sum()
    return float(np.sqrt((apart**2).sum())) / len(rows)


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"
