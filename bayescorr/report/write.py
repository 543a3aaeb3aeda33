"""A report on disk: page, tables, figures and posterior, all from the same numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from bayescorr.coefficients import resolve
from bayescorr.report.figures import report_figures, save_figures
from bayescorr.report.files import cannot_write, make_folder
from bayescorr.report.tables import latex_table, latex_text, markdown_table, markdown_text

if TYPE_CHECKING:
    from bayescorr.report.numbers import Report

# More rows than this are for a file of their own.
_MOST_ROWS = 20


def write_report(report: Report, folder: str | Path, *, figures: bool = True) -> list[Path]:
    """Write everything to a folder, which is made if it is not there.

    Files are report.html, summary.md, table.tex, estimates.csv, ranking.csv, pairs.csv,
    posterior.nc and, if wanted, figures/*.svg and *.png. The page does not need them.

    Returns
    -------
    list of Path
        The files, the page first.

    Examples
    --------
    >>> import bayescorr, tempfile
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :5], "flat", random_seed=1)
    >>> report = bayescorr.make_report(fit.scores, fit)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in write_report(report, folder, figures=False)][:2]
    ['report.html', 'summary.md']
    """
    from bayescorr.report.page import page

    target = make_folder(folder)
    contents = {
        "report.html": page(report),
        "summary.md": summary(report),
        "table.tex": latex(report),
        "estimates.csv": report.estimates.to_csv(index=False),
        "ranking.csv": report.ranking.rename(columns={"p_top": f"p_top{report.k}"}).to_csv(
            index=False
        ),
        "pairs.csv": report.pairs.to_csv(index=False),
    }
    files = [target / name for name in (*contents, "posterior.nc")]
    try:
        for name, text in contents.items():
            (target / name).write_text(text, encoding="utf-8")
        report.fit.to_netcdf(target / "posterior.nc")
    except OSError as problem:
        raise cannot_write(target, problem) from None
    if figures:
        files += save_figures(report_figures(report), target / "figures")[0]
    return files


def table(report: Report, digits: int = 3) -> pd.DataFrame:
    """One row per method, one column per coefficient: ``estimate [lower, upper]``.

    Examples
    --------
    >>> import bayescorr
    >>> scores = bayescorr.load_dataset("demo")
    >>> report = bayescorr.make_report(scores, "flat", methods=["ML"], random_seed=1)
    >>> table(report).columns.tolist()
    ['method', 'tau', 'tau_ap', 'tau_gap']
    """

    def cell(row: pd.Series) -> str:
        if row.isna()["estimate"]:
            return "-"
        numbers = [f"{row[name]:.{digits}f}" for name in ("estimate", "lower", "upper")]
        return numbers[0] if row.isna()["lower"] else f"{numbers[0]} [{numbers[1]}, {numbers[2]}]"

    cells = report.estimates.assign(cell=report.estimates.apply(cell, axis=1))
    wide = cells.pivot(index="method", columns="coefficient", values="cell")
    names = list(dict.fromkeys(cells["coefficient"]))
    wide = wide.loc[list(dict.fromkeys(cells["method"])), names].reset_index()
    return wide.rename_axis(columns=None)


def latex(report: Report) -> str:
    """Write the table of estimates with its caption, for a document that loads booktabs."""
    wide = table(report)
    headers = ["method", *(resolve(name).label for name in wide.columns[1:])]
    notes = f"{report.level * 100:g}% intervals in brackets: credible of {report.fit.method}"
    if len(wide) > 1:
        notes += ", confidence of the others"
    # A failed run must not look like a result once the table stands in a paper.
    failed = "" if report.convergence.passed else f" {report.convergence}"
    return "\n".join(
        [
            r"% Needs \usepackage{booktabs}.",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{latex_text(f'{report.sentence} {notes}. {report.points}{failed}')}}}",
            r"\label{tab:bayescorr}",
            latex_table(wide, headers=headers),
            r"\end{table}",
            "",
        ]
    )


def summary(report: Report) -> str:
    """Write the main results in Markdown."""
    found = report.convergence
    ranking = report.ranking.rename(columns={"p_top": f"p_top{report.k}"})
    rows = ranking.head(_MOST_ROWS)
    lines = ["# How close is the observed ranking to the true one?", ""]
    if not found.passed:
        lines += [f"**{markdown_text(str(found))} {markdown_text(found.remedy)}**", ""]
    lines += [
        markdown_text(report.sentence),
        "",
        markdown_table(table(report)),
        "",
        f"{report.level * 100:g}% intervals in brackets. {markdown_text(report.points)}",
        "",
        "## Ranking",
        "",
        markdown_table(rows, digits=3),
        "",
    ]
    if len(ranking) > len(rows):
        lines += [f"The other {len(ranking) - len(rows)} systems are in ranking.csv.", ""]
    total = len(ranking) * (len(ranking) - 1) // 2
    lines += [
        f"- {report.top}",
        f"- {len(report.pairs)} of {total} pairs of systems cannot be told apart at "
        f"{report.level * 100:g}% (pairs.csv).",
    ]
    if report.needed is not None:
        lines.append(f"- {report.needed}")
    if found.passed:
        lines.append(f"- {found}")
    lines += [f"- {markdown_text(note)}" for note in report.notes]
    return "\n".join([*lines, ""])
