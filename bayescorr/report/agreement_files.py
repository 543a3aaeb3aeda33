"""Write a report on several conditions: page, tables, figures and posterior."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from bayescorr.coefficients import resolve
from bayescorr.report.agreement import AgreementReport
from bayescorr.report.agreement_page import agreement_page
from bayescorr.report.agreement_plots import plot_agreement, plot_shifts, plot_true_ranks
from bayescorr.report.figures import Figures, save_figures
from bayescorr.report.files import make_folder, write_files
from bayescorr.report.tables import (
    captioned,
    interval_cell,
    latex_table,
    markdown_table,
    markdown_text,
)

# Columns of the table for a paper.
_IN_PAPER = ("tau", "tau_ap", "rbo", "max_drop")


def write_agreement(
    report: AgreementReport, folder: str | Path, *, figures: bool = True
) -> list[Path]:
    """Write all files of a report to a folder, and return them, the page first."""
    target = make_folder(folder)
    tables = {
        "agreement.csv": report.estimates,
        "judges.csv": report.compared,
        "shifts.csv": report.shifts,
        "ranks.csv": report.ranks,
        "inversions.csv": report.inversions,
        "inverted.csv": report.inverted,
        "judgments.csv": report.judgments,
        "narrowing.csv": report.narrowing,
    }
    contents = {
        "agreement.html": agreement_page(report),
        "summary.md": summary(report),
        "table.tex": latex(report),
        **{name: table.to_csv(index=False) for name, table in tables.items() if len(table.columns)},
    }
    files = write_files(target, contents, report.agreement.to_netcdf)
    if figures:
        files += save_figures(agreement_figures(report), target / "figures")[0]
    return files


def agreement_figures(report: AgreementReport) -> Figures:
    """Return the functions that draw the figures of a report, by name."""
    figures: Figures = {"agreement": partial(plot_agreement, report)}
    for name, judge in _file_names(report.agreement.judges).items():
        figures[f"ranks_{name}"] = partial(plot_true_ranks, report, judge)
        figures[f"shifts_{name}"] = partial(plot_shifts, report, judge)
    return figures


def _file_names(judges: list[str]) -> dict[str, str]:
    """Return names of files, all different, for names of judges, which may hold any character."""
    found: dict[str, str] = {}
    for judge in judges:
        plain = re.sub(r"[^\w.-]+", "-", judge).strip("-.") or "judge"
        name, count = plain, 1
        while name.lower() in map(str.lower, found):
            count += 1
            name = f"{plain}-{count}"
        found[name] = judge
    return found


def table(report: AgreementReport, digits: int = 2) -> pd.DataFrame:
    """Return one row per judge for a paper: kappa if known, observed tau, coefficients."""
    judges = report.agreement.judges
    wide = pd.DataFrame({"judge": judges})
    if len(report.judgments):
        kappa: Any = report.judgments[report.judgments["coefficient"] == "kappa"].set_index("judge")
        wide["kappa"] = [
            interval_cell(kappa.loc[judge], digits) if judge in kappa.index else "-"
            for judge in judges
        ]
    of: Any = report.estimates.set_index(["coefficient", "judge"])
    wide["observed tau"] = [float(of.loc[("tau", judge), "observed"]) for judge in judges]
    for name in _IN_PAPER:
        places = 1 if name == "max_drop" else digits
        wide[name] = [interval_cell(of.loc[(name, judge)], places) for judge in judges]
    return wide


def latex(report: AgreementReport) -> str:
    """Return the table of judges with its caption, for a document that loads booktabs."""
    wide = table(report)
    headers = []
    for name in wide.columns:
        known = {"kappa": r"$\kappa$", "observed tau": r"observed $\tau$", "judge": "judge"}
        headers.append(known.get(name) or resolve(name).label)
    agreement, percent = report.agreement, f"{report.level * 100:g}%"
    caption = (
        f"Agreement of the true rankings of {len(agreement.systems)} systems with that by "
        f"{agreement.truth} ({report.measure}): tau between the observed rankings, then "
        f"coefficients between the true rankings with {percent} credible intervals"
        f"{_approximately(report)}."
    )
    if not report.convergence.passed:
        caption = f"{report.convergence} {caption}"
    tabular = latex_table(wide, digits=2, headers=headers)
    return captioned(tabular, caption, "tab:agreement")


def _approximately(report: AgreementReport) -> str:
    return ", by a Laplace approximation" * (report.agreement.inference == "laplace")


def summary(report: AgreementReport) -> str:
    """Return the main results in Markdown."""
    found = report.convergence
    lines = [f"# Do the judges rank systems as {markdown_text(report.agreement.truth)} does?", ""]
    if found.passed:
        lines += [text for one in report.sentences.values() for text in (markdown_text(one), "")]
    else:
        lines += [f"**{markdown_text(f'{found} {found.remedy}')}**", ""]
    lines += [
        markdown_table(table(report), digits=2),
        "",
        f"{report.level * 100:g}% intervals in brackets; except for observed tau, the coefficients "
        f"are between true rankings{_approximately(report)}.",
        "",
        *(f"- {markdown_text(line)}" for line in report.pairs_in_words),
        *(f"- {markdown_text(line)}" for line in report.narrowing_in_words),
        *([f"- {markdown_text(str(found))}"] if found.passed else []),
        *(f"- {markdown_text(note)}" for note in report.notes),
    ]
    return "\n".join([*lines, ""])
