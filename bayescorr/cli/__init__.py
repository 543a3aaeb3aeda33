"""The ``bayescorr`` command: one thin file per command, no statistics in here.

A command module defines ``register(app)``; add it to COMMANDS and it shows up in ``--help`` under
the panel (task) that it names. Modules import what they need inside the command function, so that
``bayescorr --help`` stays quick.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Annotated

import typer
from rich.console import Console

import bayescorr
from bayescorr.errors import BayescorrError

COMMANDS: tuple[str, ...] = (
    "report",
    "scores",
    "infer_ap",
    "coefficients",
    "datasets",
    "estimate",
    "fit",
    "planning",
    "simulate",
    "study",
)

app = typer.Typer(
    name="bayescorr",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(value: bool) -> None:
    if value:
        print(f"bayescorr {bayescorr.__version__}")
        raise typer.Exit


@app.callback()
def bayescorr_command(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the whole traceback of an error, for bug reports.")
    ] = False,
) -> None:
    """Say how close the published ranking of systems is to the true one."""


for _command in COMMANDS:
    import_module(f"bayescorr.cli.{_command}").register(app)


def main() -> None:
    """Run the command line: any BayescorrError is one red line, its remedy and exit code 2."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    debug = len(arguments) < len(sys.argv) - 1
    try:
        app(arguments, prog_name="bayescorr")
    except BayescorrError as error:
        if debug:
            raise
        console = Console(stderr=True, highlight=False, soft_wrap=True)
        console.print(f"Error: {error.message}", style="red", markup=False)
        if error.remedy:
            console.print(error.remedy, markup=False)
        sys.exit(2)
