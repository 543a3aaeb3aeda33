"""``bayescorr agree``: whether judges, measures or pool depths rank systems as the truth does."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import bayescorr
from bayescorr.cli._app import command, command_line
from bayescorr.cli._input import Reading, show_understood
from bayescorr.cli._options import Coefficients, Level, argument, check_defined, named, option
from bayescorr.cli._output import Output, show_json, show_notes, show_table
from bayescorr.cli._progress import stage, stages
from bayescorr.cli._sampling import Sampling, finish, in_words
from bayescorr.errors import BayescorrError, OptionError, choose, listing

if TYPE_CHECKING:
    import pandas as pd

    from bayescorr.report.agreement import AgreementReport


def _check_unshared(value: str) -> None:
    choose(value, ("drop", "error", "model"), "treatment of unshared topics and systems")


@dataclass(frozen=True, kw_only=True)
class ConditionsIn(Reading):
    """Scores under several conditions, or runs and the judgments of several judges."""

    source: Annotated[
        list[str],
        argument(
            "[NAME=]SCORES...",
            "Scores under two or more conditions: files or names of data sets, each with the name "
            "of its condition in front, as in human=scores.csv.",
        ),
    ] = field(default_factory=list)
    runs: Annotated[
        list[str],
        option("Score these TREC runs instead of reading scores; needs --qrels.", metavar="RUN..."),
    ] = field(default_factory=list)
    qrels: Annotated[
        list[str],
        option("Relevance judgments for --runs, by name of the judge.", metavar="NAME=FILE..."),
    ] = field(default_factory=list)
    truth: Annotated[
        str | None, option("Name of the condition that plays the truth.", default="the first")
    ] = None
    unshared: Annotated[
        str,
        option(
            "Topics and systems that only some conditions have: error, drop (leave them out), or "
            "model (the truth may be judged on a part of the topics).",
            check=_check_unshared,
        ),
    ] = "error"
    missing: Annotated[
        str | None,
        option(
            "Missing scores: error, drop (their topics) or zero.", default="error; zero with --runs"
        ),
    ] = None
    drop_worst: Annotated[
        float,
        option("Leave out this share of the worst systems by the truth.", metavar="FRACTION"),
    ] = 0.0
    drop_identical: Annotated[
        bool, option("Keep one of each set of systems that are identical by the truth.")
    ] = False
    other_measure: Annotated[
        str | None,
        option("Measure under all conditions but the truth.", default="same as --measure"),
    ] = None
    other_lower_is_better: Annotated[
        bool | None,
        option(
            "The ranking order under all conditions but the truth.",
            "--other-lower-is-better/--other-higher-is-better",
            default="same as the truth",
        ),
    ] = None

    def conditions(self) -> dict[str, pd.DataFrame]:
        """Read or score the conditions, the truth first, without the systems to leave out."""
        from bayescorr.scores.load import leave_out

        if bool(self.runs) == bool(self.source):
            got = "both" if self.runs else "neither"
            raise OptionError(
                f"Need either NAME=SCORES or --runs; got {got}.",
                "Give NAME=SCORES of two or more conditions, or --runs with --qrels NAME=FILE.",
            )
        if bool(self.runs) != bool(self.qrels):
            raise OptionError(
                "--runs and --qrels must be given together.",
                "Example: --runs runs/*.gz --qrels human=FILE --qrels gpt=FILE",
            )
        files = by_name(self.qrels or self.source, "--qrels" if self.qrels else "SCORES")
        if len(files) < 2:
            raise OptionError(
                f"Need at least 2 conditions; got {listing(files)}.",
                "Give the truth and one or more judges, each as NAME=FILE.",
            )
        truth = next(iter(files)) if self.truth is None else self.truth
        choose(truth, files, "condition")
        files = {truth: files[truth], **files}
        measures: dict[str, str | None] = dict.fromkeys(files, self.other_measure or self.measure)
        measures[truth] = self.measure
        tables = self._scored(files, measures) if self.runs else self._read(files, measures)
        for name, lower in self.lower(tables).items():
            show_understood(tables[name], lower, name)
        kept = leave_out(
            tables[truth], self.drop_worst, self.drop_identical, not self.lower_is_better
        )
        dropped = set(tables[truth].columns) - set(kept.columns)
        return {
            name: table[[system for system in table.columns if system not in dropped]]
            for name, table in tables.items()
        }

    def fit(self, tables: dict[str, pd.DataFrame], **options: Any) -> bayescorr.Agreement:
        """Fit the conditions that were read."""
        return bayescorr.fit_conditions(
            tables,
            unshared=self.unshared,
            missing=self.missing or "error",
            higher_is_better={name: not lower for name, lower in self.lower(tables).items()},
            **options,
        )

    @property
    def described(self) -> str:
        """The files, for the page: the first of many runs."""
        given = [*self.source, *self.qrels]
        return ", ".join([listing(self.runs, 2), *given] if self.runs else given)

    def lower(self, names: Iterable[str]) -> dict[str, bool]:
        """Return whether lower is better, by condition; the first is the truth."""
        other = self.other_lower_is_better
        judges = self.lower_is_better if other is None else other
        first, *others = names
        return {first: self.lower_is_better, **dict.fromkeys(others, judges)}

    def judgments(self, **options: Any) -> pd.DataFrame | None:
        """Return kappa and alpha of the judgments; None, with a note, if they have none."""
        if not self.qrels:
            return None
        files, limit = by_name(self.qrels, "--qrels"), dict[str, Any](self.limit)
        try:
            return bayescorr.judgment_agreement(files, self.truth, **options, **limit)
        except BayescorrError as problem:
            show_notes([f"no kappa and alpha of the judgments: {problem}"])
            return None

    def _scored(
        self, files: dict[str, str], measures: dict[str, str | None]
    ) -> dict[str, pd.DataFrame]:
        tables: dict[str, pd.DataFrame] = {}
        for measure in dict.fromkeys(measures.values()):
            of_measure = {name: files[name] for name in files if measures[name] == measure}
            score = partial(bayescorr.score_runs, self.runs, measure=measure or "AP", **self.limit)
            with stage("scoring the runs"):
                tables |= score(qrels=of_measure, missing=self.missing or "zero")
        return {name: tables[name] for name in files}

    def _read(
        self, files: dict[str, str], measures: dict[str, str | None]
    ) -> dict[str, pd.DataFrame]:
        return {name: self.read(files[name], say=False, measure=measures[name]) for name in files}


def by_name(given: Iterable[str], option: str) -> dict[str, str]:
    """Return files by the names in front of them, or by their own names.

    Examples
    --------
    >>> by_name(["human=a/qrels.txt", "gpt.qrels"], "--qrels")
    {'human': 'a/qrels.txt', 'gpt': 'gpt.qrels'}
    """
    from bayescorr.scores.files import stem

    found: dict[str, str] = {}
    for text in given:
        name, equals, file = text.partition("=")
        if not equals or os.path.exists(text):
            name, file = stem(Path(text)), text
        if not name.strip() or not file:
            raise OptionError(
                f"{option} must be NAME=FILE; got {text!r}.", f"Example: {option} human=qrels.txt"
            )
        if name in found:
            raise OptionError(
                f"Two conditions are called {name!r}: {found[name]} and {file}.",
                "Give them different names, as NAME=FILE.",
            )
        found[name.strip()] = file
    return found


@command(
    "agree",
    "Report",
    examples=(
        "bayescorr agree --runs 'runs/*.gz' --qrels human=qrels.txt --qrels gpt=gpt.qrels "
        "--measure nDCG@10 --out agree",
        "bayescorr agree human=human.csv gpt=gpt.csv llama=llama.csv --inference laplace",
        "bayescorr agree ap=scores.csv bpref=bpref.csv --coefficients tau,tau@10,rbo",
    ),
)
def agree_command(
    context: typer.Context,
    conditions_in: ConditionsIn,
    sampling: Sampling,
    output: Output,
    out: Annotated[
        Path | None, option("Folder for a page, tables, figures and the posterior.")
    ] = None,
    coefficients: Coefficients = [],  # noqa: B006 - typer takes a list and never changes it
    level: Level = 0.95,
    k: Annotated[
        int | None,
        option(
            "Number of systems in the top.",
            "--top",
            min=2,
            default="10, at most a third of the systems",
        ),
    ] = None,
    judgments: Annotated[
        bool,
        option(
            "Whether to compare the judgments of --qrels by Cohen's kappa and Krippendorff's "
            "alpha.",
            "--judgments/--no-judgments",
        ),
    ] = True,
    figures: Annotated[
        bool, option("Whether to write SVG, PNG and PDF figures.", "--figures/--no-figures")
    ] = True,
) -> None:
    """Compare true rankings under several conditions, such as human and LLM judgments.

    The conditions may also be measures or pool depths. One of them plays the truth.
    """
    tables = conditions_in.conditions()
    topics, systems = next(iter(tables.values())).shape
    _check(min(table.shape[1] for table in tables.values()), out, k, coefficients)
    expected = sampling.warn_if_long(sampling.expected(topics, systems * len(tables)))
    with stages({"fitting the model": expected}) as begin:
        begin("fitting the model")
        agreement = conditions_in.fit(tables, progressbar=False, **sampling.options)
        begin("comparing the judgments")
        compared = None
        if judgments:
            compared = conditions_in.judgments(level=level, random_seed=sampling.seed)
        report = bayescorr.make_agreement_report(
            agreement,
            level=level,
            k=k,
            judgments=compared,
            source=conditions_in.described,
            command=command_line(context),
        )
        begin("writing the report")
        page = None if out is None else report.write(out, figures=figures)[0]
    table = agreement.estimates(level, **named(coefficients=coefficients))
    estimates = table if coefficients else report.estimates
    _show(report, estimates.drop(columns="method"), page, output)
    finish(report.convergence, say=not output.for_people)


def _check(systems: int, out: Path | None, k: int | None, coefficients: list[str]) -> None:
    """Raise errors that are better noticed before minutes of sampling."""
    from bayescorr._numbers import check_count
    from bayescorr.report.files import make_folder

    if out is not None:
        make_folder(out)
    if k is not None:
        check_count(k, "k", 2, systems)
    check_defined(coefficients, systems)


def _show(
    report: AgreementReport, estimates: pd.DataFrame, page: Path | None, output: Output
) -> None:
    """Print the estimates, the sentences to quote, and where the report is."""
    if output.as_json:
        show_json(
            {
                "truth": report.agreement.truth,
                "sentences": report.sentences or None,
                "measure": report.agreement.measure or None,
                "estimates": estimates,
                "compared": report.compared,
                "shifts": report.shifts,
                "inversions": report.inversions,
                "inverted": report.inverted,
                "judgments": report.judgments,
                "narrowing": report.narrowing,
                "converged": report.convergence.passed,
                "convergence": str(report.convergence),
                "page": None if page is None else str(page),
            }
        )
        return
    if output.as_latex:
        from bayescorr.report.agreement_files import latex

        print(latex(report), end="")
        return
    if output.as_csv:
        output.show(estimates)
        return
    narrowing = report.narrowing
    if len(narrowing):
        narrowing = narrowing.drop(columns=["estimate", "estimate_alone"])
    show_table(estimates, f"Agreement with the true ranking by {report.agreement.truth}")
    for title, table in (
        ("Which judge agrees more?", report.compared),
        ("Agreement of the judgments, document by document", report.judgments),
        (f"The true ranking by {report.agreement.truth}, with and without judges", narrowing),
    ):
        if len(table):
            show_table(table, title)
    for sentence in [*report.sentences.values(), *report.narrowing_in_words]:
        print(sentence)
    show_notes([*report.notes, in_words(report.convergence)])
    if page is not None:
        print(f"The report is in {page.parent}: open {page} in a browser.")
