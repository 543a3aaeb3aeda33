"""Single options that several commands share, each with the check of what was typed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from bayescorr.errors import BayescorrError, OptionError

Check = Callable[[Any], object]


def option(
    help: str, *names: str, check: Check | None = None, default: str | None = None, **more: Any
) -> Any:
    """Return an option, named after its parameter unless ``names`` are given.

    ``check`` refuses values before anything is computed. ``default`` says in words what happens
    without the option.
    """

    def callback(value: Any) -> Any:
        if check is not None and value is not None:
            check(value)
        return value

    shown = True if default is None else default
    return typer.Option(..., *names, help=help, callback=callback, show_default=shown, **more)


def argument(name: str, help: str) -> Any:
    """Return an argument that usage lines call ``name``."""
    return typer.Argument(metavar=name, help=help, show_default=False)


def check_folder(path: Path) -> None:
    """Refuse a file that is a folder, or whose folder does not exist."""
    if path.is_dir():
        raise BayescorrError(f"{path} cannot be written: it is a folder.", "Name a file.")
    if not path.absolute().parent.is_dir():
        raise BayescorrError(
            f"{path} cannot be written: the folder {str(path.parent)!r} does not exist.",
            "Create the folder first.",
        )


def _check_plot(path: Path) -> None:
    from bayescorr.report.files import check_format

    check_format(path)
    check_folder(path)


def check_share(name: str) -> Check:
    """Return a check of an option between 0 and 1."""

    def check(value: float) -> None:
        from bayescorr._numbers import check_level

        check_level(value, name)

    return check


def check_target(target: float) -> None:
    """Refuse a correlation that no number of topics reaches."""
    from bayescorr.planning.predictive import check_target

    check_target(target)


def _check_coefficient(name: str) -> None:
    from bayescorr.coefficients import resolve

    resolve(name)


def _check_coefficients(given: list[str]) -> None:
    for name in _split(given, "--coefficients tau,tau_ap"):
        _check_coefficient(name)


def check_defined(given: list[str], systems: int) -> None:
    """Refuse coefficients that are undefined for rankings of so many systems, such as tau@99."""
    import numpy as np

    import bayescorr

    if names := split_names(given):
        ranking = np.arange(float(systems))
        bayescorr.correlate(ranking, ranking, names)


def _check_methods(given: list[str]) -> None:
    from bayescorr.frequentist.registry import find_estimator

    for name in _split(given, "--methods ML,MSQD"):
        find_estimator(name)


def _split(given: list[str], example: str) -> list[str]:
    names = split_names(given)
    if given and not names:
        raise OptionError(
            f"{example.split()[0]} needs at least one name; got none.", f"Example: {example}"
        )
    return names


def split_names(given: list[str]) -> list[str]:
    """Return names that were given with commas, in several options, or both."""
    return [name.strip() for text in given for name in text.split(",") if name.strip()]


def named(**given: list[str]) -> dict[str, Any]:
    """Return the options with names that were given; the library has defaults for the others."""
    return {option: split_names(names) for option, names in given.items() if names}


def coefficients_option(default: str) -> Any:
    """Return the option ``--coefficients``; ``default`` says what the library computes."""
    return option(
        "Names of coefficients, separated by commas; see 'bayescorr coefficients'.",
        check=_check_coefficients,
        default=default,
    )


Coefficients = Annotated[list[str], coefficients_option("tau, tau_ap, tau_gap")]
Coefficient = Annotated[
    str, option("Name of a coefficient; see 'bayescorr coefficients'.", check=_check_coefficient)
]
Methods = Annotated[
    list[str],
    option(
        "Names of estimators, separated by commas; see 'bayescorr estimators'.",
        check=_check_methods,
        default="ML, MSQD, RES, KD",
    ),
]
Level = Annotated[float, option("Level of the intervals.", check=check_share("level"))]
Plot = Annotated[
    Path | None, option("Also write a plot to this file: .png, .svg or .pdf.", check=_check_plot)
]
Seed = Annotated[int | None, option("Random seed; the same seed gives the same numbers.", min=0)]
