"""The ``bayescorr`` command: one thin file per command, no statistics in here.

A command module defines ``register(app)``; add it to COMMANDS and it shows up in ``--help`` under
the panel (task) that it names. Modules import what they need inside the command function, so that
``bayescorr --help`` stays quick.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from importlib import import_module
from typing import Annotated, NoReturn

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

# What errors call by the names of arguments and the command line by those of options.
_ARGUMENT = re.compile(
    r"\b(?P<name>missing|measure|format|family|extend|denominator)="
    r"(?:True|[\"'](?P<value>[\w-]*)[\"'])?"
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
    """Run the command line: any error of a user is one red line, its remedy and exit code 2."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    debug = len(arguments) < len(sys.argv) - 1
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that lacks a character of a label gets its number.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = app(arguments, prog_name="bayescorr", standalone_mode=False)
        sys.stdout.flush()
    except BayescorrError as error:
        if debug:
            raise
        _complain(_as_options(error.message), _as_options(error.remedy))
    except OSError as error:
        if debug:
            raise
        _forget_output()
        if isinstance(error, BrokenPipeError):
            sys.exit(1)
        where = f"{error.filename}: " if error.filename else ""
        _complain(f"{where}{error.strerror or error}.", "--debug shows where.")
    except Exception as error:
        # Typer has a copy of click or uses the library, so its errors are known by their names.
        kinds = {kind.__name__ for kind in type(error).__mro__}
        if "Abort" in kinds and not isinstance(error.__cause__, EOFError):
            sys.exit(130)
        if "Abort" in kinds and not debug:
            _complain(f"{str(error.__cause__) or 'The input ended early'}.", "--debug shows where.")
        if debug or "UsageError" not in kinds:
            raise
        context, message = error.ctx, error.format_message()  # type: ignore[attr-defined]
        if "NoArgsIsHelpError" in kinds:
            print(message)
            sys.exit(2)
        path = context.command_path if context else "bayescorr"
        _complain(message, f"'{path} --help' shows how it is used.")
    sys.exit(code if isinstance(code, int) else 0)


def _forget_output() -> None:
    """Keep Python from writing the rest of the output when it ends: that would fail again."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(message: str, remedy: str) -> NoReturn:
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(f"Error: {message}", style="red", markup=False)
    if remedy:
        console.print(remedy, markup=False)
    sys.exit(2)


def _as_options(text: str) -> str:
    """Arguments of functions as the options that they are here: missing="drop" is --missing drop.

    Examples
    --------
    >>> _as_options('Use missing="drop", measure= or extend=True.')
    'Use --missing drop, --measure or --extend.'
    """

    def option(found: re.Match[str]) -> str:
        value = found["value"] or ""
        return f"--{found['name'].replace('_', '-')}{f' {value}' if value else ''}"

    return _ARGUMENT.sub(option, text)
