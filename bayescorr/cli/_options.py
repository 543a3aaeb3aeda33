"""Options that several commands share: models, sampling, intervals, and what they lead to."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bayescorr.errors import BayescorrError, OptionError, listing

if TYPE_CHECKING:
    import pandas as pd

    from bayescorr.bayes.agreement import Agreement
    from bayescorr.bayes.result import Fit

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
LowerOption = Annotated[
    bool, typer.Option("--lower-is-better", help="The lowest mean score is the best.")
]
SCORES_OR_FIT = typer.Argument(
    metavar="SCORES|FIT",
    help="Scores as for other commands, or a .nc file that 'fit --out' wrote.",
    show_default=False,
)


def parse_priors(given: list[str]) -> dict[str, float]:
    """Read ``NAME=VALUE`` of every ``--prior``."""
    priors = {}
    for text in given:
        name, _, value = text.partition("=")
        try:
            priors[name.strip()] = float(value)
        except ValueError:
            raise OptionError(
                f"--prior {text!r} is not NAME=VALUE with a number.",
                "Such as: --prior prior_topics=10",
            ) from None
    return priors


def split_names(given: list[str]) -> list[str]:
    """Names given with commas, or several times, or both."""
    return [name.strip() for text in given for name in text.split(",") if name.strip()]


def given(context: typer.Context, name: str) -> bool:
    """Whether an option was typed, as against left at its default."""
    return getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"


def refuse_options_of_scores(context: typer.Context) -> None:
    """Options that say how scores are read or sampled cannot change a fit that is there."""
    names = ("model", "priors", "draws", "tune", "chains", "drop_worst", "drop_identical",
             "missing", "lower_is_better", "measure", "format")  # fmt: skip
    options = {parameter.name: parameter.opts[0] for parameter in context.command.params}
    typed = [options[name] for name in names if name in options and given(context, name)]
    if typed:
        raise OptionError(
            f"A fit cannot be changed by {listing(typed)}.", "Give the scores instead of the fit."
        )


def name_coefficients(given: str) -> list[str]:
    """Names of coefficients, known ones, and at least one."""
    from bayescorr.coefficients import resolve

    names = split_names([given])
    if not names:
        raise OptionError("No coefficient is given.", "Such as: --coefficients tau,tau_ap")
    for name in names:
        resolve(name)
    return names


def check_before_sampling(
    level: float,
    *,
    methods: Sequence[str] = (),
    out: Path | None = None,
    plot: Path | None = None,
) -> None:
    """Say what is wrong with options before minutes of sampling, not after."""
    from bayescorr._numbers import check_level
    from bayescorr.frequentist.registry import find_estimator

    check_level(level)
    for method in methods:
        find_estimator(method)
    _check_folder_of(out)
    check_plot(plot)


def check_plot(path: Path | None) -> None:
    """Say that a plot cannot be written before there is anything to draw."""
    if path is None:
        return
    from bayescorr.report.files import check_format

    check_format(path)
    _check_folder_of(path)


def _check_folder_of(out: Path | None) -> None:
    if out is not None and not out.absolute().parent.is_dir():
        raise BayescorrError(f"There is no folder {str(out.parent)!r}.", "Make it first.")


def quiet_fit(scores: pd.DataFrame, model: str | None, **options: Any) -> Fit:
    """Fit without the warning about convergence: the command says it, and the exit code."""
    import bayescorr

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bayescorr.ConvergenceWarning)
        return bayescorr.fit(scores, model, **options)


def exit_code(fit: Fit | Agreement) -> None:
    """Leave with the exit code that says that the sampler did not converge, if so."""
    if not fit.convergence.passed:
        raise typer.Exit(NOT_CONVERGED)
