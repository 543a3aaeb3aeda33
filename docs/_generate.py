"""Generate pages: commands, estimators, models, coefficients, ledger, tutorials."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import _ledger  # noqa: E402
import _real_topics  # noqa: E402
import _tables  # noqa: E402

GENERATED = HERE / "reference" / "generated"
TUTORIALS = HERE / "tutorials"
NOTEBOOKS = HERE.parent / "notebooks"


def command_line() -> Iterator[str]:
    """Write one section per command, with the help texts of its options."""
    import typer

    from bayescorr.cli import app

    yield "# Command line\n"
    yield "Every command accepts `--help`."
    yield "`bayescorr --debug COMMAND` shows the traceback of an error.\n"
    yield from _command(typer.main.get_command(app), "bayescorr")


def _command(command: Any, path: str) -> Iterator[str]:
    """Write a command: usage, what it does, examples, and one table of options per panel."""
    children = getattr(command, "commands", {})
    if not children or command.invoke_without_command:
        yield f"## `{path}`\n"
        # Help texts name options, whose dashes and brackets are literal.
        yield f"{_literal((command.help or '').strip())}\n"
        arguments = [p for p in command.params if p.param_type_name == "argument" and not p.hidden]
        words = " ".join([path, *(p.metavar or p.name.upper() for p in arguments), "[OPTIONS]"])
        yield f"```text\n{words}\n```\n"
        examples = [line.strip() for line in (command.epilog or "").split("\n\n")[1:]]
        if examples:
            shown = "\n".join(examples)
            yield f"Examples:\n\n```text\n{shown}\n```\n"
        for panel, parameters in _panels(command).items():
            yield f"| {panel} | | default |\n|---|---|---|"
            yield from (_row(parameter) for parameter in parameters)
            yield ""
    for name, child in children.items():
        yield from _command(child, f"{path} {name}")


def _panels(command: Any) -> dict[str, list[Any]]:
    """Return the parameters of a command by panel of its help, arguments first."""
    panels: dict[str, list[Any]] = {}
    for parameter in command.params:
        if getattr(parameter, "hidden", False) or "--help" in parameter.opts:
            continue
        kind = "argument" if parameter.param_type_name == "argument" else "option"
        panel = getattr(parameter, "rich_help_panel", None)
        name = panel if kind == "option" and panel else f"{kind.capitalize()}s"
        panels.setdefault(name, []).append(parameter)
    return dict(sorted(panels.items(), key=lambda item: item[0] != "Arguments"))


def _row(parameter: Any) -> str:
    """Return the row of a parameter: as it is typed, what it does, and its default."""
    if parameter.param_type_name == "argument":
        typed = f"`{parameter.metavar or parameter.name.upper()}`"
    else:
        names = [*parameter.opts, *parameter.secondary_opts]
        value = "" if parameter.is_flag else f" {parameter.metavar or 'VALUE'}"
        typed = ", ".join(f"`{name}{value}`" for name in names)
    # A bar ends the cell of a table, inside code too.
    typed = typed.replace("|", r"\|")
    text = _literal((parameter.help or "").strip())
    return f"| {typed} | {text} | {_default(parameter)} |"


def _default(parameter: Any) -> str:
    """Return the default of a parameter in words."""
    if parameter.required:
        return "required"
    said = getattr(parameter, "show_default", True)
    if isinstance(said, str):
        return _literal(said)
    value = parameter.default
    if isinstance(value, bool) and parameter.secondary_opts:
        return f"`{(parameter.opts if value else parameter.secondary_opts)[0]}`"
    if (
        value is None
        or value is False
        or value == ""
        or not isinstance(value, str | int | float | Path)
    ):
        return ""
    return f"`{value}`"


def _literal(text: str) -> str:
    """Mark commands and options in a help text as code."""

    def code(found: re.Match[str]) -> str:
        return f"`{found[1] or found[2]}`"

    return re.sub(r"'(bayescorr [^']+)'|(?<![\w-])(--[a-z][\w-]*)", code, text.replace("|", r"\|"))


def estimators() -> Iterator[str]:
    """List the estimators with their descriptions."""
    import bayescorr

    yield "# Estimators\n"
    for row in bayescorr.list_estimators().itertuples():
        yield f"## {row.name}\n\n{row.description}\n"
        yield f"Coefficients: {row.coefficients}. {row.citation}.\n"


def models() -> Iterator[str]:
    """List the models with their descriptions and priors."""
    import bayescorr
    from bayescorr.bayes.model import get_model

    yield "# Models\n"
    for row in bayescorr.list_models().itertuples():
        yield f"## {row.name}\n\n{row.description}.\n"
        yield f"- Good for: {row.good_for}.\n- Bad for: {row.bad_for}.\n- Source: {row.citation}."
        priors = ", ".join(
            f"`{name}` = {value:.4g}" for name, value in get_model(row.name).priors.items()
        )
        yield f"- Priors: {priors or 'none'}.\n"


def coefficients() -> Iterator[str]:
    """List the coefficients in the registry."""
    from bayescorr.coefficients import COEFFICIENTS

    yield "# Coefficients\n"
    yield "| name | symbol | description | source |\n|---|---|---|---|"
    for c in COEFFICIENTS.values():
        yield f"| `{c.name}` | {c.label} | {c.description} | {c.citation} |"


def replication_ledger() -> Iterator[str]:
    """Compare published values with ours."""
    return _ledger.page()


def copy_notebooks() -> None:
    """Copy the executed notebooks into the documentation and adapt their links."""
    TUTORIALS.mkdir(exist_ok=True)
    for old in TUTORIALS.glob("*.ipynb"):
        old.unlink()
    for notebook in NOTEBOOKS.glob("*.ipynb"):
        text = notebook.read_text(encoding="utf-8").replace("](../docs/", "](../")
        (TUTORIALS / notebook.name).write_text(text, encoding="utf-8")


def write_all() -> None:
    """Write every generated page; conf.py calls this."""
    shutil.rmtree(GENERATED, ignore_errors=True)
    GENERATED.mkdir(parents=True)
    pages = (command_line, estimators, models, coefficients, replication_ledger)
    tables = (
        _tables.default_model_on_simulated_collections,
        _tables.default_model_by_collection,
        _tables.default_model_with_shrunk_truth,
        _tables.default_model_everywhere,
        _tables.default_model_on_coarse_measures,
        _tables.laplace_against_nuts,
        _tables.laplace_gate,
        _real_topics.real_topics_of_the_default,
        _real_topics.real_topics_by_method,
        _real_topics.real_topics_by_measure,
        _real_topics.coarse_measures_on_real_topics,
        _real_topics.strengths_on_real_topics,
        _real_topics.spread_of_means,
        _tables.sets_that_hold_together,
        _tables.sets_on_real_topics,
        _tables.plans_for_decisions,
        _tables.tau_of_items,
        _tables.means_of_items,
        _tables.allocation_of_items,
        _tables.growth_of_items,
        _tables.other_summaries,
        _tables.conditions_with_known_truth,
        _tables.conditions_by_collection,
        _tables.conditions_on_real_topics,
        _tables.partial_judgments,
    )
    # Tables are included in pages, so Sphinx must not treat them as pages.
    for content, ending in (*((page, "md") for page in pages), *((t, "inc") for t in tables)):
        path = GENERATED / f"{content.__name__.replace('_', '-')}.{ending}"
        path.write_text("\n".join(content()) + "\n", encoding="utf-8")
    copy_notebooks()
