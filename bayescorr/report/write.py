"""Write a report to files: page, tables, figures and posterior, all from the same numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from bayescorr.coefficients import resolve
from bayescorr.report.comparison import POINTS
from bayescorr.report.figures import report_figures, save_figures
from bayescorr.report.files import make_folder, write_files
from bayescorr.report.paper import latex_ranking
from bayescorr.report.tables import (
    captioned,
    interval_cell,
    latex_table,
    markdown_table,
    markdown_text,
)

if TYPE_CHECKING:
    from bayescorr.report.numbers import Report

# Rows of the ranking in the summary; ranking.csv has all of them.
_MOST_ROWS = 20


def write_report(report: Report, folder: str | Path, *, figures: bool = True) -> list[Path]:
    """Write all files of a report to a folder, and return them, the page first."""
    from bayescorr.report.page import page

    target = make_folder(folder)
    contents = {
        "report.html": page(report),
        "summary.md": summary(report),
        "table.tex": latex(report),
        "ranking.tex": latex_ranking(report.fit, report.level, k=report.k),
        "estimates.csv": report.estimates.to_csv(index=False),
        "ranking.csv": _ranking(report).to_csv(index=False),
        "pairs.csv": report.pairs.to_csv(index=False),
        "groups.csv": report.group_table.to_csv(index=False),
    }
    files = write_files(target, contents, report.fit.to_netcdf)
    if figures:
        files += save_figures(report_figures(report), target / "figures")[0]
    return files


def table(report: Report, digits: int = 3) -> pd.DataFrame:
    """Return one row per method, one column per coefficient: ``estimate [lower, upper]``.

    Examples
    --------
    >>> import bayescorr
    >>> scores = bayescorr.load_dataset("demo")
    >>> report = bayescorr.make_report(scores, "flat", methods=["ML"], random_seed=1)
    >>> table(report).columns.tolist()
    ['method', 'tau', 'tau_ap', 'tau_gap']
    """
    rows = (row for _, row in report.estimates.iterrows())
    cells = report.estimates.assign(cell=[interval_cell(row, digits) for row in rows])
    wide = cells.pivot(index="method", columns="coefficient", values="cell")
    wide = wide.loc[cells["method"].unique(), cells["coefficient"].unique()]
    return wide.reset_index().rename_axis(columns=None)


def latex(report: Report) -> str:
    """Return the table of estimates with its caption, for a document that loads booktabs."""
    wide = table(report)
    headers = ["method", *(resolve(name).label for name in wide.columns[1:])]
    notes = f"{report.level * 100:g}% intervals in brackets: credible for {report.fit.method}"
    if len(wide) > 1:
        notes += ", confidence for the others"
    caption = f"{_headline(report)} {notes}. {POINTS}"
    return captioned(latex_table(wide, headers=headers), caption, "tab:bayescorr")


def _headline(report: Report) -> str:
    """Return the sentence to quote, or why there is none: papers must not show failed runs."""
    return report.sentence or str(report.convergence)


def summary(report: Report) -> str:
    """Return the main results in Markdown."""
    found, ranking = report.convergence, _ranking(report)
    m, percent = len(ranking), f"{report.level * 100:g}%"
    lines = ["# How close is the observed ranking to the true one?", ""]
    if report.verdict is not None:
        lines += [f"- {markdown_text(words)}" for words in report.verdict.sentences]
        lines += ["", markdown_text(report.sentence), ""]
    else:
        lines += [f"**{markdown_text(f'{found} {found.remedy}')}**", ""]
    lines += [
        markdown_table(table(report)),
        "",
        f"{percent} intervals in brackets. {POINTS}",
        "",
        f"## Ranking by {markdown_text(report.measure)}",
        "",
        markdown_table(ranking.head(_MOST_ROWS), digits=3),
        "",
    ]
    if m > _MOST_ROWS:
        lines += [f"The other {m - _MOST_ROWS} systems are in ranking.csv.", ""]
    pairs = f"{len(report.pairs)} of {m * (m - 1) // 2} pairs of systems"
    lines += [
        f"- {report.top}",
        f"- {pairs} are not ordered: neither order has a probability of at least {percent} "
        "(one-sided; pairs.csv, groups.csv).",
        f"- {markdown_text(str(report.joint_ranks))}",
        f"- {markdown_text(report.lead)}",
        # The verdict has the plan for the winner, which comes first.
        *(f"- {markdown_text(plan.answer)}" for plan in report.decisions[1:]),
        *([f"- {found}"] if found.passed else []),
        *(f"- {markdown_text(note)}" for note in report.notes),
    ]
    return "\n".join([*lines, ""])


def _ranking(report: Report) -> pd.DataFrame:
    return report.ranking.rename(columns={"p_top": f"p_top{report.k}"})
