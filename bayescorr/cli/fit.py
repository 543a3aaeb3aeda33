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
from bayescorr.cli._output import (
    CsvOption,
    JsonOption,
    LatexOption,
    show_frame,
    show_json,
    show_table,
)
from bayescorr.cli.estimate import LowerOption
from bayescorr.errors import BayescorrError, ModelError, OptionError

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    from matplotlib.axes import Axes

    from bayescorr.bayes.result import Fit

PANEL = "Bayesian"

#: Exit code of a command whose sampler did not converge; the results are printed all the same.
NOT_CONVERGED = 3

ModelOption = Annotated[
    str | None,
    typer.Option("--model", help="Name of a model, see 'models'.", show_default="matrix-t"),
]
PriorOption = Annotated[
    list[str],
    typer.Option(
        "--prior",
        metavar="NAME=VALUE",
        help="Number of a prior to use instead of the default; may be given several times.",
        show_default=False,
    ),
]
DrawsOption = Annotated[int, typer.Option("--draws", min=4, help="Draws of each chain.")]
TuneOption = Annotated[int, typer.Option("--tune", min=0, help="Tuning steps of each chain.")]
ChainsOption = Annotated[int, typer.Option("--chains", min=1, help="Number of chains.")]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", min=0, help="Same seed, same numbers.", show_default=False),
]
MissingOption = Annotated[
    str,
    typer.Option("--missing", help="Missing scores: error, drop (topics), zero or model."),
]
LevelOption = Annotated[float, typer.Option("--level", help="Level of the credible intervals.")]
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
    given = _parse_priors(priors)
    _check_folder(out)
    with warnings_as_notes():
        scores = load_scores(
            source,
            format=format,
            measure=measure,
            drop_worst=drop_worst,
            drop_identical=drop_identical,
        )
        fit = _quiet_fit(
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
    _exit(fit)


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
    _exit(fit)


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

    with warnings_as_notes():
        scores = load_scores(
            source,
            format=format,
            measure=measure,
            drop_worst=drop_worst,
            drop_identical=drop_identical,
        )
        fit = _quiet_fit(
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
            _names([methods]),
            _names([coefficients]),
            level,
            random_seed=seed,
            missing=missing,
        )
    title = f"{scores.shape[1]} systems, {scores.shape[0]} topics"
    show_frame(table, as_json=as_json, as_csv=as_csv, as_latex=as_latex, title=title)
    show_notes(table.attrs["notes"])
    _exit(fit)


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
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
    as_latex: LatexOption = False,
) -> None:
    """Rank models by how well they predict topics they have not seen: --models a b c."""
    import bayescorr

    # `--models a b c` reaches us as the option a and the arguments b and c.
    names = _names([*models, *(more or [])])
    with warnings_as_notes():
        scores = load_scores(
            source,
            format=format,
            measure=measure,
            drop_worst=drop_worst,
            drop_identical=drop_identical,
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


def _quiet_fit(scores: pd.DataFrame, model: str | None, **options: Any) -> Fit:
    """Fit without the warning about convergence: the report says it, and the exit code."""
    import warnings

    import bayescorr

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bayescorr.ConvergenceWarning)
        return bayescorr.fit(scores, model, **options)


def _draw(fit: Fit, folder: Path, level: float) -> None:
    """Draw every plot of a fit into a folder."""
    from bayescorr.report import plots
    from bayescorr.report.files import save_plot

    _make(folder)
    drawn: dict[str, Callable[[], Axes]] = {
        "coefficients": lambda: plots.plot_coefficients(fit, level=level),
        "ranking": lambda: plots.plot_ranking(fit, level=level),
        "rank_probabilities": lambda: plots.plot_rank_probabilities(fit),
        "discordance": lambda: plots.plot_discordance(fit),
        "predicted_means": lambda: plots.plot_predictive(fit, random_seed=0),
        "predicted_difference_sds": lambda: plots.plot_predictive(
            fit, "difference_sds", random_seed=0
        ),
        "trace": lambda: plots.plot_trace(fit),
    }
    for name, draw in drawn.items():
        try:
            show_notes([f"plot written to {save_plot(draw(), folder / f'{name}.png')}."])
        except ModelError as problem:
            show_notes([f"no plot of {name}: {problem.message}"])


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise BayescorrError(
            f"{folder}: cannot be made a folder: {problem.strerror or problem}.", "Check the path."
        ) from None


def _check_folder(out: Path | None) -> None:
    """Say that a file cannot be written before minutes of sampling, not after."""
    if out is not None and not out.absolute().parent.is_dir():
        raise BayescorrError(f"There is no folder {str(out.parent)!r}.", "Make it first.")


def _parse_priors(given: list[str]) -> dict[str, float]:
    priors = {}
    for text in given:
        name, _, value = text.partition("=")
        try:
            priors[name.strip()] = float(value)
        except ValueError:
            raise OptionError(
                f"--prior {text!r} is not NAME=VALUE with a number.", "Such as: --prior spread=0.3"
            ) from None
    return priors


def _names(given: list[str]) -> list[str]:
    return [name.strip() for text in given for name in text.split(",") if name.strip()]


def _exit(fit: Fit) -> None:
    if not fit.convergence.passed:
        raise typer.Exit(NOT_CONVERGED)
