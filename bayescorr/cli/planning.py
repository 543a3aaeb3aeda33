"""``bayescorr topics`` and ``agree``: how many topics, and truth to truth."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bayescorr.cli._input import (
    DropIdenticalOption,
    DropWorstOption,
    FormatOption,
    MeasureOption,
    ScoresArgument,
    load_scores,
)
from bayescorr.cli._notes import show_notes, warnings_as_notes
from bayescorr.cli._options import (
    SCORES_OR_FIT,
    ChainsOption,
    DrawsOption,
    LevelOption,
    LowerOption,
    MissingOption,
    ModelOption,
    SeedOption,
    TuneOption,
    check_before_sampling,
    exit_code,
    name_coefficients,
    refuse_options_of_scores,
)
from bayescorr.cli._output import (
    CsvOption,
    JsonOption,
    LatexOption,
    show_frame,
    show_json,
    show_table,
)
from bayescorr.errors import OptionError

if TYPE_CHECKING:
    from bayescorr.bayes.result import Fit

PANEL = "Planning and decisions"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("topics", rich_help_panel=PANEL)(topics_command)
    app.command("agree", rich_help_panel=PANEL)(agree_command)


def topics_command(
    context: typer.Context,
    source: Annotated[str, SCORES_OR_FIT],
    target: Annotated[float, typer.Option("--target", help="Value to reach.")] = 0.9,
    probability: Annotated[
        float, typer.Option("--probability", help="How probable that should be.")
    ] = 0.95,
    coefficient: Annotated[
        str, typer.Option("--coefficient", help="tau, tau_ap, tau_gap, ...")
    ] = "tau",
    sizes: Annotated[
        str | None,
        typer.Option(
            "--topics",
            metavar="N,N,...",
            help="Sizes of topic sets to predict for.",
            show_default="half to eight times those at hand",
        ),
    ] = None,
    extend: Annotated[
        bool, typer.Option("--extend", help="Keep the topics at hand and add to them.")
    ] = False,
    max_topics: Annotated[int, typer.Option("--max-topics", help="Where to stop.")] = 10_000,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", help="Draw the curve: .png, .svg or .pdf.", show_default=False),
    ] = None,
    model: ModelOption = None,
    level: LevelOption = 0.95,
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
    as_csv: CsvOption = False,
    as_latex: LatexOption = False,
) -> None:
    """Say how many topics a ranking close to the true one needs."""
    import bayescorr
    from bayescorr._numbers import check_level
    from bayescorr.coefficients import resolve
    from bayescorr.planning.predictive import check_target

    numbers = None if sizes is None else _sizes(sizes)
    resolve(coefficient)
    check_target(target)
    check_level(probability)
    check_before_sampling(level, plot=plot)
    with warnings_as_notes():
        if source.endswith(".nc"):
            refuse_options_of_scores(context)
            fit = bayescorr.load_fit(source)
        else:
            scores = load_scores(
                source,
                format=format,
                measure=measure,
                drop_worst=drop_worst,
                drop_identical=drop_identical,
                higher_is_better=not lower_is_better,
            )
            fit = bayescorr.fit(
                scores,
                model,
                draws=draws,
                tune=tune,
                chains=chains,
                random_seed=seed,
                missing=missing,
                higher_is_better=not lower_is_better,
            )
        needed = bayescorr.topics_needed(
            fit,
            coefficient,
            target,
            probability,
            extend=extend,
            max_topics=max_topics,
            random_seed=seed,
        )
        plan = bayescorr.expected_coefficient(
            fit, numbers, coefficient, extend=extend, random_seed=seed
        )
    curve = plan.table(level, target)
    reliability, reliable = _reliability(fit, curve["n_topics"], level)
    if as_json:
        show_json(
            {
                "summary": str(needed),
                "needed": _records(needed.table()),
                "curve": _records(curve),
                "generalizability": _records(reliability),
                "generalizability_needed": _records(reliable),
                "converged": fit.convergence.passed,
            }
        )
    elif as_csv or as_latex:
        show_frame(curve, as_csv=as_csv, as_latex=as_latex)
    else:
        kind = "extended" if extend else "new"
        show_table(curve, title=f"{coefficient} with the true ranking, by {kind} topic sets")
        show_table(needed.table(), title="Topics needed")
        if reliability is not None:
            show_table(reliability, title="Generalizability theory, by number of topics")
            show_table(reliable, title="Generalizability theory: topics needed for 0.95")
        print(needed)
    if plot is not None:
        from bayescorr.report.files import save_plot

        show_notes([f"plot written to {save_plot(plan.plot(level, target=target), plot)}."])
    exit_code(fit)


def agree_command(
    source: ScoresArgument,
    other: Annotated[
        str,
        typer.Argument(
            metavar="SCORES",
            help="Scores of the same systems on the same topics under another condition.",
            show_default=False,
        ),
    ],
    coefficients: Annotated[
        str, typer.Option("--coefficients", help="Coefficients, with commas.")
    ] = "tau,tau_ap,tau_gap",
    level: LevelOption = 0.95,
    draws: DrawsOption = 1000,
    tune: TuneOption = 500,
    chains: ChainsOption = 4,
    seed: SeedOption = None,
    measure: MeasureOption = None,
    other_measure: Annotated[
        str | None,
        typer.Option(
            "--other-measure",
            help="Measure to read from the second file.",
            show_default="that of --measure",
        ),
    ] = None,
    format: FormatOption = "auto",
    missing: Annotated[
        str, typer.Option("--missing", help="Missing scores: error, drop (topics) or zero.")
    ] = "error",
    lower_is_better: LowerOption = False,
    other_lower_is_better: Annotated[
        bool | None,
        typer.Option(
            "--other-lower-is-better/--other-higher-is-better",
            help="The same for the second file.",
            show_default="as the first",
        ),
    ] = None,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
    as_latex: LatexOption = False,
) -> None:
    """Correlate the true rankings under two conditions: measures, assessors, pools."""
    import bayescorr

    lower = (
        lower_is_better,
        lower_is_better if other_lower_is_better is None else other_lower_is_better,
    )
    names = name_coefficients(coefficients)
    check_before_sampling(level)
    with warnings_as_notes():
        first = load_scores(source, format=format, measure=measure)
        second = load_scores(other, format=format, measure=other_measure or measure)
        agreement = bayescorr.fit_pair(
            first,
            second,
            draws=draws,
            tune=tune,
            chains=chains,
            random_seed=seed,
            missing=missing,
            higher_is_better=(not lower[0], not lower[1]),
        )
    table = agreement.estimates(level, coefficients=names).drop(columns="method")
    title = f"True ranking by {source} with that by {other}"
    show_frame(table, as_json=as_json, as_csv=as_csv, as_latex=as_latex, title=title)
    show_notes([str(agreement.convergence)])
    exit_code(agreement)


def _sizes(text: str) -> list[int]:
    try:
        return [int(size) for size in text.split(",") if size.strip()]
    except ValueError:
        raise OptionError(
            f"--topics {text!r} is not a list of whole numbers.", "Such as: --topics 25,50,100"
        ) from None


def _reliability(fit: Fit, sizes: Iterable[int], level: float) -> tuple[Any, Any]:
    """Coefficients of generalizability theory and topics needed; None where scores are missing."""
    import bayescorr

    if fit.scores.isna().to_numpy().any():
        return None, None
    theory = bayescorr.generalizability(fit.scores)
    return theory.coefficients([int(n) for n in sizes], level), theory.topics_needed(level=level)


def _records(table: Any) -> Any:
    """Rows as JSON can hold them: missing and infinite numbers become null."""
    import json

    return None if table is None else json.loads(table.to_json(orient="records"))
