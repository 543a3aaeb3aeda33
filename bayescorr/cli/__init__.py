"""The ``bayescorr`` command: one thin file per capability, no statistics in here.

A module adds its commands to the app with the decorator ``command`` of ``_app.py``; add the module
to COMMANDS. Commands import what they need when they run, so that ``bayescorr --help`` is quick.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from importlib import import_module
from typing import Annotated, NoReturn

import typer

import bayescorr
from bayescorr.cli._app import app
from bayescorr.cli._sampling import NOT_CONVERGED
from bayescorr.errors import BayescorrError, ConvergenceError, Text, render

__all__ = ["COMMANDS", "app", "main"]

COMMANDS: tuple[str, ...] = (
    "report",
    "agree",
    "scores",
    "infer_ap",
    "coefficients",
    "datasets",
    "estimate",
    "fit",
    "planning",
    "allocate",
    "rank_sets",
    "simulate",
    "study",
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
        bool, typer.Option("--debug", help="Show the traceback of errors, for bug reports.")
    ] = False,
) -> None:
    """Estimate how close an observed ranking of systems is to the true one."""


for _command in COMMANDS:
    import_module(f"bayescorr.cli.{_command}")


def main() -> None:
    """Run the command line; print an error as one red line, its remedy below, and exit with 2."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    debug = len(arguments) < len(sys.argv) - 1
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Characters that the terminal lacks are printed as escapes.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = app(arguments, prog_name="bayescorr", standalone_mode=False)
        sys.stdout.flush()
    except BayescorrError as error:
        if debug:
            raise
        _complain(*error.texts, NOT_CONVERGED if isinstance(error, ConvergenceError) else 2)
    except OSError as error:
        if debug:
            raise
        _forget_output()
        if isinstance(error, BrokenPipeError):
            sys.exit(1)
        where = f"{error.filename}: " if error.filename else ""
        _complain(f"{where}{error.strerror or error}.", "Use --debug to see the traceback.")
    except Exception as error:
        # Typer uses click or its own copy of it, so its errors are recognised by name.
        kinds = {kind.__name__ for kind in type(error).__mro__}
        if "Abort" in kinds and not isinstance(error.__cause__, EOFError):
            sys.exit(130)
        if "Abort" in kinds and not debug:
            message = str(error.__cause__) or "The input ended early"
            _complain(f"{message}.", "Use --debug to see the traceback.")
        if debug or "UsageError" not in kinds:
            raise
        context, message = error.ctx, error.format_message()  # type: ignore[attr-defined]
        if "NoArgsIsHelpError" in kinds:
            print(message)
            sys.exit(2)
        path = context.command_path if context else "bayescorr"
        _complain(message, f"Use '{path} --help' to see the options.")
    sys.exit(code if isinstance(code, int) else 0)


def _forget_output() -> None:
    """Keep Python from writing the rest of the output on exit, which would fail again."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(message: Text, remedy: Text, code: int = 2) -> NoReturn:
    """Print an error and its remedy, with arguments as options, and exit."""
    from rich.console import Console

    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(f"Error: {render(message, shell=True)}", style="red", markup=False)
    if remedy:
        console.print(render(remedy, shell=True), markup=False)
    sys.exit(code)
