"""``bayescorr fit``, ``show``, ``models``, ``compare`` and ``compare-models``: Bayesian."""

from __future__ import annotations

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
    ChainsOption,
    DrawsOption,
    LevelOption,
    LowerOption,
    MissingOption,
    ModelOption,
    PriorOption,
    SeedOption,
    TuneOption,
    check_before_sampling,
    exit_code,
    name_coefficients,
    parse_priors,
    quiet_fit,
    split_names,
)
from bayescorr.cli._output import (
    CsvOption,
    JsonOption,
    LatexOption,
    show_frame,
    show_json,
    show_table,
)

if TYPE_CHECKING:
    from bayescorr.bayes.result import Fit

PANEL = "Bayesian"

NamesOption = Annotated[
    list[str],
    typer.Option("--models", help="Names of models.", show_default=False),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("fit", rich_help_panel=PANEL)(fit_command)
    app.command("show", rich_help_panel=PANEL)(show_command)
    app.command("models", rich_help_panel=PANEL)(models_command)
    app.command("compare", rich_help_panel=PANEL)(compare_command)
    app.command("compare-models", rich_help_panel=PANEL)(compare_models_command)


def fit_command(
    source: ScoresArgument,
    model: ModelOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="NetCDF file to keep the fit in.", show_default=False),
    ] = None,
    priors: PriorOption = [],  # noqa: B006 - typer takes a list and never changes it
    draws: DrawsOption = 1000,
    tune: TuneOption = 500,
    chains: ChainsOption = 4,
    seed: SeedOption = None,
    level: LevelOption = 0.95,
    measure: MeasureOption = None,
    format: FormatOption = "auto",
    drop_worst: DropWorstOption = 0.0,
    drop_identical: DropIdenticalOption = False,
    missing: MissingOption = "error",
    lower_is_better: LowerOption = False,
    as_json: JsonOption = False,
) -> None:
    """Sample the posterior of the correlation between observed and true ranking."""
    given = parse_priors(priors)
    check_before_sampling(level, out=out)
    with warnings_as_notes():
        scores = load_scores(
            source,
            format=format,
            measure=measure,
            drop_worst=drop_worst,
            drop_identical=drop_identical,
            higher_is_better=not lower_is_better,
        )
        fit = quiet_fit(
            scores,
            model,
            priors=given,
            draws=draws,
            tune=tune,
            chains=chains,
            random_seed=seed,
            missing=missing,
            higher_is_better=not lower_is_better,
        )
    if out is not None:
        fit.to_netcdf(out)
    _report(fit, level, as_json)
    if out is not None:
        show_notes([f"fit written to {out}; 'bayescorr show {out}' reads it."])
    exit_code(fit)


def show_command(
    path: Annotated[
        Path, typer.Argument(metavar="FIT", help="File that 'fit --out' wrote.", show_default=False)
    ],
    level: LevelOption = 0.95,
    ranking: Annotated[
        bool, typer.Option("--ranking", help="Show every system: means, ranks, P(best).")
    ] = False,
    plots: Annotated[
        Path | None,
        typer.Option("--plots", metavar="FOLDER", help="Draw all plots.", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show a fit again: estimates, the ranking, plots."""
    import bayescorr

    fit = bayescorr.load_fit(path)
    _report(fit, level, as_json, ranking=ranking)
    if plots is not None:
        _draw(fit, plots, level)
    exit_code(fit)


def models_command(as_json: JsonOption = False) -> None:
    """List the models: what each is good and bad for."""
    import bayescorr

    table = bayescorr.list_models()
    show_frame(table if as_json else table.drop(columns="citation"), as_json=as_json)


def compare_command(
    source: ScoresArgument,
    model: ModelOption = None,
    methods: Annotated[
        str, typer.Option("--methods", help="Frequentist methods, with commas; see 'estimators'.")
    ] = "ML,MSQD,RES,KD",
    coefficients: Annotated[
        str, typer.Option("--coefficients", help="Coefficients, with commas.")
    ] = "tau,tau_ap,tau_gap",
    draws: DrawsOption = 1000,
    tune: TuneOption = 500,
    chains: ChainsOption = 4,
    seed: SeedOption = None,
    level: LevelOption = 0.95,
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
    """Put the posterior beside the frequentist estimates of the same correlation."""
    import bayescorr

    names = name_coefficients(coefficients)
    check_before_sampling(level, methods=split_names([methods]))
    with warnings_as_notes():
        scores = load_scores(
            source,
            format=format,
            measure=measure,
            drop_worst=drop_worst,
            drop_identical=drop_identical,
            higher_is_better=not lower_is_better,
        )
        fit = quiet_fit(
            scores,
            model,
            draws=draws,
            tune=tune,
            chains=chains,
            random_seed=seed,
            missing=missing,
            higher_is_better=not lower_is_better,
            warn=False,
        )
        table = bayescorr.compare(
            scores,
            fit,
            split_names([methods]),
            names,
            level,
            random_seed=seed,
            missing=missing,
        )
    title = f"{scores.shape[1]} systems, {scores.shape[0]} topics"
    show_frame(table, as_json=as_json, as_csv=as_csv, as_latex=as_latex, title=title)
    show_notes(table.attrs["notes"])
    exit_code(fit)


def compare_models_command(
    source: ScoresArgument,
    more: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    models: NamesOption = [],  # noqa: B006
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
    """Rank models by how well they predict topics they have not seen: --models a b c."""
    import bayescorr

    # `--models a b c` reaches us as the option a and the arguments b and c.
    names = split_names([*models, *(more or [])])
    with warnings_as_notes():
        scores = load_scores(
            source,
            format=format,
            measure=measure,
            drop_worst=drop_worst,
            drop_identical=drop_identical,
            higher_is_better=not lower_is_better,
        )
        table = bayescorr.compare_models(
            names, scores, draws=draws, tune=tune, chains=chains, random_seed=seed, missing=missing
        )
    show_frame(table, as_json=as_json, as_csv=as_csv, as_latex=as_latex, digits=2)
    if as_json or as_csv or as_latex:
        show_notes([table.attrs["words"]])
    else:
        print(table.attrs["words"])


def _report(fit: Fit, level: float, as_json: bool, *, ranking: bool = False) -> None:
    """Print estimates, what they mean, and whether they may be used."""
    estimates = fit.estimates(level)
    found = fit.convergence
    if as_json:
        value: dict[str, Any] = {
            "model": fit.method,
            "systems": fit.scores.shape[1],
            "topics": fit.scores.shape[0],
            "estimates": estimates.drop(columns="method").to_dict("records"),
            "converged": found.passed,
            "convergence": str(found),
        }
        if ranking:
            value["ranking"] = fit.ranking(level).to_dict("records")
        show_json(value)
        return
    show_table(estimates)
    if ranking:
        show_table(fit.ranking(level))
    print(fit.in_words(level))
    print(found if found.passed else f"{found}\n{found.remedy}")


def _draw(fit: Fit, folder: Path, level: float) -> None:
    """Draw every plot of a fit into a folder."""
    from bayescorr.report.figures import fit_figures, save_figures

    files, absent = save_figures(fit_figures(fit, level), folder, ("png",))
    show_notes(f"plot written to {path}." for path in files)
    show_notes(f"no plot of {name}: {reason}" for name, reason in absent.items())
