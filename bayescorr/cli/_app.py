"""The app, and the decorator that adds a command with its groups of options to it.

A group is a frozen dataclass with the attribute ``panel`` (of ``--help``) whose fields are options:
``name: Annotated[type, option(...)] = default``. A command takes the group as one parameter, and
typer sees one option per field. A new option of a group is therefore one field.
"""

from __future__ import annotations

import copy
import functools
import inspect
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

import typer
from typer.core import TyperCommand
from typer.models import OptionInfo

from bayescorr.cli._output import warnings_as_notes

Command = TypeVar("Command", bound=Callable[..., None])


def _epilog(examples: Sequence[str]) -> str:
    """Return examples as the end of a help text; typer joins the lines of a paragraph."""
    return "\n\n".join(["Examples:", *(f"$ {example}" for example in examples)])


def group(examples: Sequence[str], **options: Any) -> typer.Typer:
    """Return a group of commands whose ``--help`` ends in examples."""
    return typer.Typer(epilog=_epilog(examples), **options)


app = group(
    ("bayescorr report scores.csv", "bayescorr fit demo --seed 1 --out fit.nc"),
    name="bayescorr",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def command(
    name: str, panel: str | None = None, to: typer.Typer = app, *, examples: Sequence[str]
) -> Callable[[Command], Command]:
    """Add the decorated function as a command to a panel of ``--help``, which ends in examples."""

    def add(function: Command) -> Command:
        options: dict[str, Any] = {"rich_help_panel": panel, "epilog": _epilog(examples)}
        to.command(name, cls=_Command, **options)(with_options(function))
        return function

    return add


class _Command(TyperCommand):
    """A command whose options take several words if their metavar ends in dots, as ``RUN...``.

    Shells expand patterns: ``--runs runs/*.gz`` arrives as ``--runs runs/a.gz runs/b.gz``.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Repeat such an option before each of its words."""
        several = {
            name
            for parameter in self.params
            if parameter.param_type_name == "option"
            and str(getattr(parameter, "metavar", None)).endswith("...")
            for name in parameter.opts
        }
        return super().parse_args(ctx, repeat_options(args, several))


def repeat_options(words: Iterable[str], several: Collection[str]) -> list[str]:
    """Repeat options that take several words before each of these words.

    Examples
    --------
    >>> repeat_options(["--runs", "a", "b", "--qrels", "q", "x"], {"--runs"})
    ['--runs', 'a', '--runs', 'b', '--qrels', 'q', 'x']
    """
    found: list[str] = []
    option, first = "", False
    for word in words:
        if word.startswith("-") and word != "-":
            name, equals, _ = word.partition("=")
            option, first = name if name in several else "", not equals
            found.append(word)
        elif option and not first:
            found += [option, word]
        else:
            found.append(word)
            first = False
    return found


def with_options(function: Callable[..., None]) -> Callable[..., None]:
    """Replace each group among the parameters by its options; show warnings as notes."""
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name in groups:
            parameters += _options_of(groups[name])
        else:
            parameters.append(_parameter(name, hints[name], parameter.default))

    @functools.wraps(function)
    def flat(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{f.name: values.pop(f.name) for f in fields(group)})
        with warnings_as_notes():
            function(**values)

    flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    flat.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return flat


def _options_of(group: Any) -> Iterator[inspect.Parameter]:
    """Yield the fields of a group as parameters, its options in a panel of their own."""
    hints = get_type_hints(group, include_extras=True)
    for field in fields(group):
        default = field.default if field.default_factory is MISSING else field.default_factory()
        default = inspect.Parameter.empty if default is MISSING else default
        yield _parameter(field.name, hints[field.name], default, group.panel)


def _parameter(name: str, hint: Any, default: Any, panel: str | None = None) -> inspect.Parameter:
    """Return a parameter for typer; give an option its name and its panel."""
    for info in get_args(hint)[1:]:
        if isinstance(info, OptionInfo):
            named = copy.copy(info)
            named.param_decls = named.param_decls or (f"--{name.replace('_', '-')}",)
            named.rich_help_panel = panel
            hint = Annotated[get_args(hint)[0], named]
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, keyword, default=default, annotation=hint)


def typed(context: typer.Context, names: Iterable[str] | None = None) -> list[Any]:
    """Return the parameters that were typed, as opposed to left at their defaults."""
    return [
        parameter
        for parameter in context.command.params
        if (names is None or parameter.name in names)
        and getattr(context.get_parameter_source(parameter.name or ""), "name", "") == "COMMANDLINE"
    ]


def command_line(context: typer.Context) -> str:
    """Return the command as it was typed, without defaults."""
    words: list[str] = []
    for parameter in typed(context):
        value = context.params[parameter.name]
        if parameter.param_type_name == "argument":
            words = [*map(str, value if isinstance(value, list | tuple) else [value]), *words]
        elif isinstance(value, bool):
            words.append(parameter.opts[0] if value else (parameter.secondary_opts or [""])[0])
        else:
            for item in value if isinstance(value, list | tuple) else [value]:
                words += [parameter.opts[0], str(item)]
    return shlex.join(["bayescorr", str(context.info_name), *words])
