"""``bayescorr report``: the main job, from scores to a folder with the answer."""

from __future__ import annotations

import shlex
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bayescorr.cli._input import (
    DropIdenticalOption,
    DropWorstOption,
    FormatOption,
    MeasureOption,
    leave_out,
    load_scores,
)
from bayescorr.cli._notes import show_notes
from bayescorr.cli._options import (
    SCORES_OR_FIT,
    ChainsOption,
    DrawsOption,
    LevelOption,
    LowerOption,
    MissingOption,
    ModelOption,
    PriorOption,
    SeedOption,
    TuneOption,
    exit_code,
    given,
    parse_priors,
    refuse_options_of_scores,
)
from bayescorr.cli._output import JsonOption, show_json, show_table
from bayescorr.errors import OptionError

if TYPE_CHECKING:
    import pandas as pd

    from bayescorr.report.numbers import Report

PANEL = "Report"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("report", rich_help_panel=PANEL)(report_command)


def report_command(
    context: typer.Context,
    source: Annotated[str | None, SCORES_OR_FIT] = None,
    out: Annotated[Path, typer.Option("--out", help="Folder to write to.")] = Path("report"),
    runs: Annotated[
        list[str],
        typer.Option(
            "--runs",
            metavar="GLOB",
            help="Score these TREC runs instead of reading scores; needs --qrels.",
            show_default=False,
        ),
    ] = [],  # noqa: B006 - typer takes a list and never changes it
    qrels: Annotated[
        Path | None,
        typer.Option("--qrels", help="Relevance judgments for --runs.", show_default=False),
    ] = None,
    model: ModelOption = None,
    priors: PriorOption = [],  # noqa: B006
    level: LevelOption = 0.95,
    k: Annotated[
        int | None,
        typer.Option("--top", min=1, help="Size of the top.", show_default="10, or a third"),
    ] = None,
    target: Annotated[
        float, typer.Option("--target", help="tau that the plan for more topics should reach.")
    ] = 0.9,
    sensitivity: Annotated[
        bool,
        typer.Option("--sensitivity/--no-sensitivity", help="Sample again with other priors."),
    ] = True,
    figures: Annotated[
        bool, typer.Option("--figures/--no-figures", help="Draw figures for papers: SVG and PNG.")
    ] = True,
    draws: DrawsOption = 1000,
    tune: TuneOption = 500,
    chains: ChainsOption = 4,
    seed: SeedOption = None,
    measure: MeasureOption = None,
    format: FormatOption = "auto",
    drop_worst: DropWorstOption = 0.0,
    drop_identical: DropIdenticalOption = False,
    missing: MissingOption = "error",
    lower_is_better: LowerOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write a report: page, tables, figures and posterior, and one sentence to quote."""
    import bayescorr
    from bayescorr.report.files import make_folder

    options: dict[str, Any] = {
        "level": level,
        "k": k,
        "target": target,
        "random_seed": seed,
        "sensitivity": sensitivity,
        "command": _command(context),
        "progress": lambda text: show_notes([f"{text} ..."]),
    }
    if source is not None and source.endswith(".nc") and not runs:
        fit = bayescorr.load_fit(source)
        refuse_options_of_scores(context)
        scores, options["model"] = fit.scores, fit
        options["source"] = source
    else:
        if runs and not given(context, "missing"):
            missing = "zero"  # as trec_eval -c does
        scores = _scores(
            source,
            runs,
            qrels,
            measure,
            format,
            missing,
            drop_worst,
            drop_identical,
            not lower_is_better,
        )
        options |= {
            "model": model,
            "priors": parse_priors(priors),
            "missing": missing,
            "higher_is_better": not lower_is_better,
            "source": source or ", ".join(runs),
            "draws": draws,
            "tune": tune,
            "chains": chains,
        }
    # Before minutes of sampling, not after.
    make_folder(out)
    with warnings.catch_warnings():
        # The report says it in red, and the exit code.
        warnings.simplefilter("ignore", bayescorr.ConvergenceWarning)
        report = bayescorr.make_report(scores, **options)
    show_notes(["writing ..."])
    written = report.write(out, figures=figures)
    show_notes(report.notes)
    _show(report, written[0], as_json)
    exit_code(report.fit)


def _scores(
    source: str | None,
    runs: list[str],
    qrels: Path | None,
    measure: str | None,
    format: str,
    missing: str,
    drop_worst: float,
    drop_identical: bool,
    higher_is_better: bool,
) -> pd.DataFrame:
    """Read scores, or score runs."""
    import bayescorr

    if bool(runs) == (source is not None):
        raise OptionError(
            "Both scores and runs are given." if runs else "Neither scores nor runs are given.",
            "Give SCORES, or --runs with --qrels.",
        )
    if source is not None:
        if qrels is not None:
            raise OptionError("--qrels is given without --runs.", "Name the runs: --runs GLOB.")
        return load_scores(
            source,
            format=format,
            measure=measure,
            drop_worst=drop_worst,
            drop_identical=drop_identical,
            higher_is_better=higher_is_better,
        )
    if qrels is None:
        raise OptionError("--runs is given without --qrels.", "Name the judgments: --qrels FILE.")
    scores = bayescorr.score_runs(runs, qrels, measure or "AP", missing)
    return leave_out(scores, drop_worst, drop_identical, higher_is_better)


def _command(context: typer.Context) -> str:
    """Write the command as it was given: what was typed, not the defaults."""
    words: list[str] = []
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if not given(context, parameter.name or ""):
            continue
        if parameter.param_type_name == "argument":
            words.insert(0, str(value))
        elif isinstance(value, bool):
            words.append(parameter.opts[0] if value else (parameter.secondary_opts or [""])[0])
        else:
            for item in value if isinstance(value, list | tuple) else [value]:
                words += [parameter.opts[0], str(item)]
    return shlex.join(["bayescorr", str(context.info_name), *words])


def _show(report: Report, page: Path, as_json: bool) -> None:
    found = report.convergence
    if as_json:
        show_json(
            {
                "sentence": report.sentence,
                "estimates": report.estimates.astype(object)
                .where(report.estimates.notna(), None)
                .to_dict("records"),
                "converged": found.passed,
                "convergence": str(found),
                "page": str(page),
            }
        )
        return
    show_table(report.estimates)
    print(report.sentence)
    print(found if found.passed else f"{found}\n{found.remedy}")
    print(f"The report is in {page.parent}: open {page} in a browser.")
