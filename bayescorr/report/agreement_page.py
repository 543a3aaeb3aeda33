"""The page of a report on several conditions."""

from __future__ import annotations

from typing import Any

import pandas as pd

from bayescorr.coefficients import resolve
from bayescorr.report.agreement import AgreementReport
from bayescorr.report.density import density
from bayescorr.report.html import NAMES, render, rounded, settings_of

# Rows of the table of inverted pairs of a judge; inverted.csv has all of them.
_MOST_PAIRS = 60


def agreement_page(report: AgreementReport) -> str:
    """Return the page as HTML; names of judges and systems may hold markup."""
    return render(
        "agreement.html",
        ("page.js", "agreement.js"),
        numbers(report),
        report=report,
        **_words(report),
    )


def numbers(report: AgreementReport) -> dict[str, Any]:
    """Return the numbers that the scripts of the page draw."""
    agreement = report.agreement
    return {
        "systems": [str(system) for system in report.systems],
        "level": report.level,
        "truth": agreement.truth,
        "judges": [_judge(report, judge) for judge in agreement.judges],
        "ranks": _ranks(report, agreement.truth),
    }


def _judge(report: AgreementReport, judge: str) -> dict[str, Any]:
    grid, heights = density(report.agreement.draws("tau", judge), points=200)
    tau: Any = report.estimates[report.estimates["coefficient"] == "tau"]
    tau = tau.set_index("judge").loc[judge]
    shifts = report.shifts_of(judge).set_index("system").loc[report.systems]
    return {
        "name": judge,
        "grid": rounded(grid),
        "density": rounded(heights),
        "tau": {name: float(tau[name]) for name in ("estimate", "lower", "upper", "observed")},
        "ranks": _ranks(report, judge),
        "shifts": {
            name: rounded(shifts[name])
            for name in ("shift", "lower", "upper", "observed", "p_favoured")
        },
    }


def _ranks(report: AgreementReport, condition: str) -> dict[str, list[float]]:
    table = report.ranks_of(condition)
    return {name: rounded(table[name]) for name in ("rank", "lower", "upper")}


def _words(report: AgreementReport) -> dict[str, Any]:
    """Return what the template needs beside the report."""
    agreement = report.agreement
    position = {system: i for i, system in enumerate(report.systems)}
    coefficients = [resolve(name) for name in dict.fromkeys(report.estimates["coefficient"])]
    topics = {name: len(table) for name, table in agreement.scores.items()}
    return {
        "names": NAMES,
        "percent": f"{report.level * 100:g}%",
        "labels": [str(system) for system in report.systems],
        "position": position,
        "tau": report.estimates[report.estimates["coefficient"] == "tau"],
        "described": {one.name: one.description for one in coefficients},
        "cited": list(dict.fromkeys(one.citation for one in coefficients)),
        "shifts": {judge: report.shifts_of(judge) for judge in agreement.judges},
        "inverted": {judge: _inverted(report, judge) for judge in agreement.judges},
        "shown_pairs": _MOST_PAIRS,
        "topics": topics,
        "favoured": {
            judge: int((report.shifts_of(judge)["p_favoured"] >= report.level).sum())
            for judge in agreement.judges
        },
        **settings_of(agreement.idata.attrs),
    }


def _inverted(report: AgreementReport, judge: str) -> pd.DataFrame:
    return report.inverted[report.inverted["judge"] == judge]
