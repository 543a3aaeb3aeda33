"""``bayescorr infer-ap``: average precision from the scores of the documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from bayescorr.cli._notes import show_notes, warnings_as_notes
from bayescorr.cli._options import (
    ChainsOption,
    DrawsOption,
    SeedOption,
    TuneOption,
    check_plot,
    given,
)
from bayescorr.cli._output import CsvOption, JsonOption, LatexOption, show_frame

#: Options that are not called as their parameter is.
NAMES = {"constrained": "--constrained or --free"}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("infer-ap", rich_help_panel="Scores")(infer_ap_command)


def infer_ap_command(
    context: typer.Context,
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="TREC run with raw scores; .gz is fine.")
    ],
    qrels: Annotated[Path, typer.Argument(metavar="QRELS", help="Relevance judgments.")],
    family: Annotated[
        str,
        typer.Option(
            "--family",
            help="gamma, lognormal, normal, exponential, poisson or exponential-normal.",
        ),
    ] = "gamma",
    method: Annotated[
        str,
        typer.Option(
            "--method", help="aupr, expected (AP of the ranking), exact (slow) or posterior."
        ),
    ] = "aupr",
    points: Annotated[
        int | None,
        typer.Option("--points", help="Integration points; by default 64, placed where needed."),
    ] = None,
    constrained: Annotated[
        bool,
        typer.Option(
            "--constrained/--free",
            help="Whether the probability of relevance has to rise with the score.",
        ),
    ] = True,
    estimator: Annotated[
        str, typer.Option("--estimator", help="moments or likelihood.")
    ] = "moments",
    denominator: Annotated[
        str,
        typer.Option(
            "--denominator",
            help="AP over relevant documents 'returned', or all that were 'judged' so.",
        ),
    ] = "returned",
    min_relevance: Annotated[
        int, typer.Option("--min-relevance", help="Lowest relevance that counts as relevant.")
    ] = 1,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Refuse a run with a topic that cannot be used, and draws that did not converge.",
        ),
    ] = False,
    level: Annotated[
        float, typer.Option("--level", help="Level of the intervals of 'posterior'.")
    ] = 0.95,
    draws: DrawsOption = 1000,
    tune: TuneOption = 500,
    chains: ChainsOption = 4,
    seed: SeedOption = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", help="Write a scatter plot of inferred against actual AP."),
    ] = None,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
    as_latex: LatexOption = False,
) -> None:
    """Infer the average precision of each topic of a run from its documents' scores."""
    import bayescorr
    from bayescorr._numbers import check_level
    from bayescorr.errors import OptionError, choose, listing
    from bayescorr.scoredist.infer import METHODS

    choose(method, (*METHODS, "posterior"), "method")
    check_level(level)
    check_plot(plot)
    no_use = ["constrained", "estimator"]
    if method != "posterior":
        no_use = ["level", "draws", "tune", "chains", *(["points"] * (method != "aupr"))]
    if typed := [NAMES.get(name, f"--{name}") for name in no_use if given(context, name)]:
        raise OptionError(
            f"The method {method!r} has no use for {listing(typed)}.", "Leave these options out."
        )
    options: dict[str, Any] = {
        "denominator": denominator,
        "min_relevance": min_relevance,
        "points": points,
    }
    with warnings_as_notes():
        if method == "posterior":
            posterior = bayescorr.sample_ap(
                run,
                qrels,
                family,
                random_seed=seed,
                strict=strict,
                draws=draws,
                tune=tune,
                chains=chains,
                **options,
            )
            table = posterior.summary(level)
        else:
            table = bayescorr.infer_ap(
                run,
                qrels,
                family,
                method,
                constrained=constrained,
                estimator=estimator,
                strict=strict,
                **options,
            )
    title = f"Average precision by {family} score distributions, {method}"
    show_frame(table.reset_index(), as_json=as_json, as_csv=as_csv, as_latex=as_latex, title=title)
    error = bayescorr.inference_error(table)
    known = (
        f"Kendall's tau with actual AP {error['tau']:.4f}, " if error["tau"] == error["tau"] else ""
    )
    show_notes(
        [f"{len(table)} topic{'s' * (len(table) > 1)}; {known}RMS error {error['rmse']:.4f}."]
    )
    if plot is not None:
        from bayescorr.report.files import save_plot

        save_plot(bayescorr.plot_inferred(table, title=run.name), plot)
        show_notes([f"scatter plot written to {plot}."])
