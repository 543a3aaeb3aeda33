"""Options that several commands share: models, sampling, intervals, and what they lead to."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bayescorr.errors import BayescorrError, OptionError

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


def check_folder_of(out: Path | None) -> None:
    """Say that a file cannot be written before minutes of sampling, not after."""
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
