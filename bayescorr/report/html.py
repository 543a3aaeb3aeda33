"""Pages: one HTML file each that loads nothing, drawn from one block of numbers."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd

from bayescorr._optional import require

# All pages have these scripts: before and after their own.
_FIRST, _LAST = "draw.js", "start.js"

#: How pages write the names of coefficients.
NAMES = {"tau": "τ", "tau_ap": "τ_AP", "tau_gap": "τ_GAP"}


def render(template: str, scripts: Sequence[str], numbers: Mapping[str, Any], **words: Any) -> str:
    """Fill in a template of the folder assets, with the style that all pages share.

    The template escapes ``words``; ``numbers`` reach the scripts as JSON without markup.
    """
    jinja2 = require("jinja2", extra="report")
    assets = files("bayescorr.report").joinpath("assets")

    def text(name: str) -> str:
        return assets.joinpath(name).read_text(encoding="utf-8")

    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined,
        loader=jinja2.FunctionLoader(text),
    )  # fmt: skip
    # Only our own files are inserted verbatim.
    safe = require("markupsafe", extra="report").Markup
    return str(
        environment.get_template(template).render(
            **words,
            style=safe(text("page.css")),
            script=safe("\n".join(text(name) for name in (_FIRST, *scripts, _LAST))),
            numbers=safe(embed(dict(numbers))),
        )
    )


def settings_of(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the versions and the settings of the sampler that a posterior was made with."""
    sampling = ("random_seed", "draws", "tune", "chains")
    return {
        "versions": {
            "bayescorr": attributes.get("bayescorr_version", ""),
            "Python": platform.python_version(),
            **json.loads(attributes.get("versions", "{}")),
        },
        "settings": {name: attributes[name] for name in sampling if name in attributes},
    }


def embed(value: Any) -> str:
    r"""Return JSON for a script element, without any character that starts or ends markup.

    Examples
    --------
    >>> print(embed({"a": "</script>", "b": float("nan")}))
    {"a":"\u003c/script\u003e","b":null}
    """
    text = json.dumps(_plain(value), separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def columns(table: pd.DataFrame) -> dict[str, list[float]]:
    """Return the columns of a table of numbers as rounded lists."""
    return {str(name): rounded(table[name]) for name in table.columns}


def rounded(values: Any, digits: int = 5) -> list[float]:
    """Return numbers for the scripts of a page."""
    return [round(float(value), digits) for value in values]


def _plain(value: Any) -> Any:
    """Return a value as JSON can hold it; numbers that are not finite become None."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    return int(value) if isinstance(value, np.integer) else value
