"""Tables of a study file to frozen dataclasses and back: unknown keys are errors that say so."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from typing import Any, TypeVar

from bayescorr.errors import OptionError

Made = TypeVar("Made")

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_NAME = re.compile(r"[A-Za-z0-9_.+-]+")


def make(cls: type[Made], table: Any, what: str) -> Made:
    """Make a dataclass of a table, or refuse keys that it does not have.

    Examples
    --------
    >>> from bayescorr.study.sources import Source
    >>> make(Source, {"name": "demo", "drop": 0.25}, "source")
    Traceback (most recent call last):
    ...
    bayescorr.errors.OptionError: Unknown key in source: drop. Valid keys: drop_identical,
    drop_worst, format, higher_is_better, measure, name, scores.
    """
    known = {f.name: f for f in fields(cls)}  # type: ignore[arg-type]
    if not isinstance(table, Mapping):
        raise OptionError(f"A {what} is {table!r}.", f"Give a table: {', '.join(sorted(known))}.")
    check_keys(table, list(known), what)
    lacking = [name for name, f in known.items() if name not in table and _required(f)]
    if lacking:
        raise OptionError(f"A {what} has no {lacking[0]!r}.", f"Add the key {lacking[0]!r}.")
    return cls(**table)


def check_keys(table: Mapping[str, Any], known: list[str], what: str) -> None:
    """Refuse keys other than those known."""
    if unknown := sorted(set(table) - set(known)):
        raise OptionError(
            f"Unknown key in {what}: {', '.join(unknown)}.",
            f"Valid keys: {', '.join(sorted(known))}.",
        )


def check_name(name: Any, what: str) -> str:
    """Return a name that can be part of a file name."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or "--" in name:
        raise OptionError(
            f"The name of a {what} is {name!r}.",
            "Use letters, digits, dots, single hyphens and underscores.",
        )
    return name


def check_whole(value: Any, least: int, what: str) -> int:
    """Return a whole number that is large enough."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise OptionError(f"{what} is {value!r}.", f"Give a whole number of at least {least}.")
    return value


def check_distinct(names: list[Any], what: str) -> None:
    """Refuse an empty list, and one that names something twice."""
    if not names:
        raise OptionError(f"The study has no {what}.", f"Name at least one of the {what}.")
    if twice := sorted({str(name) for name in names if names.count(name) > 1}):
        raise OptionError(
            f"Several {what} are called {', '.join(twice)}.", "Give each a name of its own."
        )


def to_table(item: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that differ from their defaults, as plain values."""
    table = {}
    for f in fields(item):
        value = getattr(item, f.name)
        default = f.default_factory() if f.default_factory is not MISSING else f.default
        if _required(f) or value != default:
            table[f.name] = _plain(value)
    return table


def to_toml(table: Mapping[str, Any]) -> str:
    """Write a table as TOML; lists of tables become sections.

    Examples
    --------
    >>> print(to_toml({"name": "a", "levels": [0.5, 0.9], "sources": [{"name": "demo"}]}), end="")
    name = "a"
    levels = [0.5, 0.9]
    <BLANKLINE>
    [[sources]]
    name = "demo"
    """
    lines, sections = [], []
    for key, value in table.items():
        if isinstance(value, Mapping):
            sections += ["", f"[{key}]", *(f"{_key(k)} = {_value(v)}" for k, v in value.items())]
        elif isinstance(value, list) and value and all(isinstance(x, Mapping) for x in value):
            for item in value:
                sections += ["", f"[[{key}]]"]
                sections += [f"{_key(k)} = {_value(v)}" for k, v in item.items()]
        else:
            lines.append(f"{_key(key)} = {_value(value)}")
    return "\n".join([*lines, *sections, ""])


def _required(f: Field[Any]) -> bool:
    return f.default is MISSING and f.default_factory is MISSING


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return _text(value) if isinstance(value, str) else repr(value)


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c >= " " else f"\\u{ord(c):04x}" for c in escaped) + '"'
