"""The numbers of a report on several conditions: sentences, tables, figures and page share them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bayescorr._draws import estimates_of
from bayescorr._numbers import check_count
from bayescorr.bayes.convergence import Convergence
from bayescorr.coefficients import DEFAULT_COEFFICIENTS
from bayescorr.coefficients.ranks import true_ranks
from bayescorr.conditions.agreement import Agreement
from bayescorr.errors import CoefficientError
from bayescorr.scores.check import observed_means


@dataclass(frozen=True, eq=False)
class AgreementReport:
    """All numbers on several conditions; made by :func:`bayescorr.make_agreement_report`.

    Attributes
    ----------
    agreement : Agreement
        The posterior.
    level, k, source, command
        As given to :func:`bayescorr.make_agreement_report`.
    estimates : DataFrame
        ``Agreement.estimates`` of all coefficients.
    compared : DataFrame
        ``Agreement.compare_judges``; empty if there is one judge.
    shifts, inversions, inverted : DataFrame
        ``Agreement.shifts``, ``inversions`` and ``inverted_pairs``.
    ranks : DataFrame
        One row per condition and system, in the order of ``systems``: condition, system, observed
        rank, posterior mean of the true rank as ``rank``, lower, upper.
    judgments : DataFrame
        :func:`bayescorr.judgment_agreement`; empty if no judgments were given.
    narrowing : DataFrame
        ``Agreement.narrowing``; empty unless a judge has topics that the truth lacks, and if the
        fit of the truth alone did not converge.
    notes : list of str
        Notes on the data and the estimates.
    """

    agreement: Agreement
    level: float
    k: int
    estimates: pd.DataFrame = field(repr=False)
    compared: pd.DataFrame = field(repr=False)
    shifts: pd.DataFrame = field(repr=False)
    inversions: pd.DataFrame = field(repr=False)
    inverted: pd.DataFrame = field(repr=False)
    ranks: pd.DataFrame = field(repr=False)
    judgments: pd.DataFrame = field(repr=False)
    narrowing: pd.DataFrame = field(repr=False)
    notes: list[str]
    source: str = ""
    command: str = ""

    @property
    def convergence(self) -> Convergence:
        """Whether the sampler converged."""
        return self.agreement.convergence

    @cached_property
    def sentences(self) -> dict[str, str]:
        """One sentence per judge, to quote; empty if the sampler did not converge."""
        if not self.convergence.passed:
            return {}
        return {name: self.agreement.in_words(self.level, name) for name in self.agreement.judges}

    @cached_property
    def systems(self) -> list[Any]:
        """The systems, the best by the observed means of the truth first."""
        first = self.ranks[self.ranks["condition"] == self.agreement.truth]
        return list(first["system"])

    @property
    def measure(self) -> str:
        """The measure in words: its name, or "mean score"."""
        return self.agreement.measure or "mean score"

    @property
    def pairs_in_words(self) -> list[str]:
        """How many pairs are decided under truth and judge, and inverted; one line per judge."""
        truth = self.agreement.truth
        return [
            f"{row['decided_both']:.0%} of the {row['pairs']} pairs of systems are decided by both "
            f"{truth} and {row['judge']}, and {row['inverted'] * row['pairs']:.0f} of them in "
            "opposite orders."
            for row in self.inversions.to_dict("records")
        ]

    @property
    def narrowing_in_words(self) -> list[str]:
        """What the judges add to the truth, in one sentence; none if the truth has all topics."""
        if not len(self.narrowing) or not self.convergence.passed:
            return []
        truth = self.agreement.truth
        table: Any = self.narrowing.set_index("quantity")
        tau, means = table.loc["tau"], table.loc["true means"]
        return [
            f"With the scores of the judges, the {self.level * 100:g}% interval of tau between the "
            f"true and the observed ranking by {truth} is {_change(tau['narrower'])} "
            f"({tau['lower']:.2f} to {tau['upper']:.2f}; from the {self._topics(truth)} topics of "
            f"{truth} alone {tau['lower_alone']:.2f} to {tau['upper_alone']:.2f}), and the "
            f"intervals of the true means are on average {_change(means['narrower'])}."
        ]

    def _topics(self, condition: str) -> int:
        return len(self.agreement.scores[condition])

    def ranks_of(self, condition: str) -> pd.DataFrame:
        """Return the ranks under one condition, in the order of ``systems``."""
        return self.ranks[self.ranks["condition"] == condition].reset_index(drop=True)

    def shifts_of(self, judge: str) -> pd.DataFrame:
        """Return the shifts by one judge, the most favoured system first."""
        return self.shifts[self.shifts["judge"] == judge].reset_index(drop=True)

    def write(self, folder: str | Path, *, figures: bool = True) -> list[Path]:
        """Write page, tables, posterior and figures to a folder, as :meth:`Report.write` does.

        Parameters
        ----------
        folder : path
            The folder; created if it does not exist.
        figures : bool
            Whether to write the figures to files. The page does not need them.

        Returns
        -------
        list of Path
            The files, the page first.
        """
        from bayescorr.report.agreement_files import write_agreement

        return write_agreement(self, folder, figures=figures)


def make_agreement_report(
    agreement: Agreement,
    *,
    level: float = 0.95,
    k: int | None = None,
    judgments: pd.DataFrame | None = None,
    notes: list[str] | None = None,
    source: str = "",
    command: str = "",
) -> AgreementReport:
    """Collect the answers of :func:`bayescorr.fit_conditions` for a page, tables and figures.

    Parameters
    ----------
    agreement : Agreement
        As :func:`bayescorr.fit_conditions` returns.
    level : float
        Level of all intervals, and the probability from which a pair of systems counts as decided.
    k : int, optional
        Number of systems in the top; by default 10, or a third of the systems if that is fewer.
    judgments : DataFrame, optional
        As :func:`bayescorr.judgment_agreement` returns, to show beside the rankings.
    notes : list of str, optional
        Notes on the data.
    source, command : str
        Where the scores are from, and the command that made the report.

    Returns
    -------
    AgreementReport
        ``write(folder)`` writes the page and all files; ``sentences`` are those to quote.

    Examples
    --------
    >>> import bayescorr
    >>> ap = bayescorr.load_dataset("demo")
    >>> found = bayescorr.fit_pair(ap, ap.round(1), inference="laplace")  # doctest: +SKIP
    >>> bayescorr.make_agreement_report(found).write("agreement")  # doctest: +SKIP
    """
    systems = len(agreement.systems)
    k = min(10, max(2, systems // 3)) if k is None else check_count(k, "k", 2, systems)
    names = [
        *DEFAULT_COEFFICIENTS, "spearman", "pearson", f"tau@{k}", f"overlap@{k}", "rbo", "max_drop",
    ]  # fmt: skip
    notes = list(notes or [])
    tables = []
    for name in names:
        try:
            tables.append(agreement.estimates(level, coefficients=name))
        except CoefficientError as problem:  # undefined, since all systems tie
            notes.append(f"{name} is left out: {problem.message}")
    several = len(agreement.judges) > 1
    narrowing = pd.DataFrame()
    if max(map(len, agreement.scores.values())) > len(agreement.scores[agreement.truth]):
        alone = agreement.alone()
        if alone.convergence.passed:
            narrowing = agreement.narrowing(level, without=alone)
        else:
            notes.append(f"{agreement.truth} alone: {alone.convergence}")
    by_judge = [table[table["judge"] == judge] for judge in agreement.judges for table in tables]
    return AgreementReport(
        agreement=agreement,
        level=level,
        k=k,
        estimates=pd.concat(by_judge, ignore_index=True),
        compared=agreement.compare_judges(level=level) if several else pd.DataFrame(),
        shifts=agreement.shifts(level),
        inversions=agreement.inversions(level),
        inverted=agreement.inverted_pairs(level),
        ranks=_ranks(agreement, level),
        judgments=pd.DataFrame() if judgments is None else judgments,
        narrowing=narrowing,
        notes=notes,
        source=source,
        command=command,
    )


def _change(narrower: float) -> str:
    return f"{abs(narrower):.0%} {'narrower' if narrower >= 0 else 'wider'}"


def _ranks(agreement: Agreement, level: float) -> pd.DataFrame:
    """Return observed and true ranks under every condition; see :class:`AgreementReport`."""
    labels = np.array(agreement.systems, dtype=object)
    tables = []
    order = np.arange(len(labels))
    for name in agreement.conditions:
        higher = agreement.higher_is_better[name]
        means = observed_means(agreement.scores[name]).loc[labels].to_numpy()
        observed = true_ranks(np.asarray(means, np.float64)[None], higher_is_better=higher)[0]
        if name == agreement.truth:
            # All conditions in the order of the truth.
            order = np.lexsort((labels.astype(str), observed))
        table = estimates_of(true_ranks(agreement.better_means[name]).astype(float), level)
        table = table.rename(columns={"estimate": "rank"}).drop(columns="sd")
        table.insert(0, "condition", name)
        table.insert(1, "system", labels)
        table.insert(2, "observed", observed)
        tables.append(table.iloc[order])
    return pd.concat(tables, ignore_index=True)
