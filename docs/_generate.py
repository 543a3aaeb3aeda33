"""Generate pages: commands, estimators, models, coefficients, ledger, tutorials."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import _ledger  # noqa: E402
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
    children = getattr(command, "commands", {})
    if not children:
        yield f"## `{path}`\n"
        yield f"{(command.help or '').strip()}\n"
        arguments = [p for p in command.params if p.param_type_name == "argument"]
        words = " ".join([path, *(p.metavar or p.name.upper() for p in arguments), "[OPTIONS]"])
        yield f"```text\n{words}\n```\n"
        for parameter in command.params:
            text = (getattr(parameter, "help", None) or "").strip()
            names = ", ".join(f"`{name}`" for name in parameter.opts)
            if text and "--help" not in parameter.opts:
                yield f"- {names}: {text}"
        yield ""
    for name, child in children.items():
        yield from _command(child, f"{path} {name}")


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
        _tables.default_model_everywhere,
        _tables.default_model_on_coarse_measures,
    )
    # Tables are included in pages, so Sphinx must not treat them as pages.
    for content, ending in (*((page, "md") for page in pages), *((t, "inc") for t in tables)):
        path = GENERATED / f"{content.__name__.replace('_', '-')}.{ending}"
        path.write_text("\n".join(content()) + "\n", encoding="utf-8")
    copy_notebooks()
