"""``bayescorr report``: the main job, from scores to a folder with the answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

import bayescorr
from bayescorr.cli._app import command, command_line
from bayescorr.cli._input import SCORES_OR_FIT, ScoresOrFit, show_understood
from bayescorr.cli._options import Level, check_target, option
from bayescorr.cli._output import JsonOption, show_json, show_notes, show_table
from bayescorr.cli._progress import stage, stages
from bayescorr.cli._sampling import Fitting, finish, in_words
from bayescorr.errors import OptionError

if TYPE_CHECKING:
    import pandas as pd

    from bayescorr.report.numbers import Report


@dataclass(frozen=True, kw_only=True)
class ReportIn(ScoresOrFit):
    """Scores, a fit, or runs to score."""

    source: Annotated[list[str], SCORES_OR_FIT] = field(default_factory=list)
    runs: Annotated[
        list[str],
        option("Score these TREC runs instead of reading scores; needs --qrels.", metavar="RUN..."),
    ] = field(default_factory=list)
    qrels: Annotated[Path | None, option("File of relevance judgments for --runs.")] = None
    missing: Annotated[
        str | None,
        option(
            "Missing scores: error, drop (their topics), zero or model.",
            default="error; zero with --runs",
        ),
    ] = None

    @property
    def is_fit(self) -> bool:
        """Whether the source is a stored fit."""
        return super().is_fit and not self.runs

    @property
    def treatment(self) -> dict[str, Any]:
        """The arguments of functions that treat missing scores and rank systems."""
        # Like trec_eval -c, count topics without results as 0.
        missing = self.missing or ("zero" if self.runs else "error")
        return {**super().treatment, "missing": missing}

    def load(self, missing: str | None = None, say: bool = True) -> pd.DataFrame:
        """Read scores, or score runs."""
        if bool(self.runs) == bool(self.source):
            got = "both" if self.runs else "neither"
            raise OptionError(
                f"Need either SCORES or --runs; got {got}.", "Give SCORES, or --runs with --qrels."
            )
        if bool(self.runs) != (self.qrels is not None):
            raise OptionError(
                "--runs and --qrels must be given together.",
                "Example: --runs runs/*.gz --qrels FILE",
            )
        if self.qrels is None:
            return super().load(missing, say)
        from bayescorr.scores.load import leave_out

        missing, measure = self.treatment["missing"], self.measure or "AP"
        with stage("scoring the runs"):
            scores = bayescorr.score_runs(self.runs, self.qrels, measure, missing, **self.limit)
        kept = leave_out(scores, self.drop_worst, self.drop_identical, not self.lower_is_better)
        scores = self.with_name(kept)
        show_understood(scores, self.lower_is_better)
        return scores


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What a report contains."""

    panel: ClassVar = "Contents"
    level: Level = 0.95
    k: Annotated[
        int | None,
        option(
            "Number of systems in the top.",
            "--top",
            min=1,
            default="10, at most a third of the systems",
        ),
    ] = None
    target: Annotated[
        float, option("tau that the plan for more topics should reach.", check=check_target)
    ] = 0.9
    sensitivity: Annotated[
        bool, option("Whether to fit again with other priors.", "--sensitivity/--no-sensitivity")
    ] = True
    loo: Annotated[
        bool, option("Whether to predict each topic from the others.", "--loo/--no-loo")
    ] = True
    plan: Annotated[
        bool, option("Whether to predict how many topics are needed.", "--plan/--no-plan")
    ] = True


@command(
    "report",
    "Report",
    examples=(
        "bayescorr report scores.csv --name nDCG@10 --out report",
        "bayescorr report --runs 'runs/*.gz' --qrels qrels.txt --measure AP",
        "bayescorr report fit.nc --no-sensitivity --no-plan",
    ),
)
def report_command(
    context: typer.Context,
    scores_in: ReportIn,
    sampling: Fitting,
    contents: Contents,
    out: Annotated[Path, option("Folder to write to.")] = Path("report"),
    figures: Annotated[
        bool, option("Whether to write SVG, PNG and PDF figures.", "--figures/--no-figures")
    ] = True,
    as_json: JsonOption = False,
) -> None:
    """Write a report: page, tables, figures, and a sentence to quote."""
    from bayescorr._numbers import check_count
    from bayescorr.report.files import make_folder

    options: dict[str, Any]
    expected: dict[str, float] = {}
    if scores_in.is_fit:
        fit = scores_in.load_fit(context, sampling)
        scores, options = fit.scores, {"model": fit, "random_seed": sampling.seed}
    else:
        scores, options = scores_in.load(), {**sampling.options, **scores_in.treatment}
        options["progressbar"] = False
        expected["fitting the model"] = sampling.announce(scores)
    # What cannot work is better noticed before minutes of sampling.
    if contents.k is not None:
        check_count(contents.k, "k", most=scores.shape[1])
    make_folder(out)
    with stages(expected) as begin:
        if not scores_in.is_fit:
            begin("approximating the posterior")
            options |= sampling.preliminary(scores, **scores_in.treatment)
        report = bayescorr.make_report(
            scores,
            **vars(contents),
            source=", ".join(scores_in.source or scores_in.runs),
            command=command_line(context),
            progress=begin,
            **options,
        )
        begin("writing the report")
        written = report.write(out, figures=figures)
    # Convergence is reported below, with the remedy in options.
    show_notes(note for note in report.notes if str(report.convergence) not in note)
    _show(report, written[0], as_json)
    finish(report.convergence, say=as_json)


def _show(report: Report, page: Path, as_json: bool) -> None:
    """Print the estimates, the sentence to quote, and where the report is."""
    if as_json:
        show_json(
            {
                "verdict": report.verdict and report.verdict.to_dict(),
                "sentence": report.sentence or None,
                "measure": report.fit.measure or None,
                "estimates": report.estimates,
                "converged": report.convergence.passed,
                "convergence": str(report.convergence),
                "page": str(page),
            }
        )
        return
    if report.verdict is not None:
        print(report.verdict)
    show_table(report.estimates)
    if report.sentence:
        print(report.sentence)
    print(in_words(report.convergence))
    print(f"The report is in {page.parent}: open {page} in a browser.")
