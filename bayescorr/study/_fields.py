"""Convert tables of a study file to frozen dataclasses and back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from bayescorr.errors import Argument, BayescorrError, OptionError, Text

Made = TypeVar("Made")

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_NAME = re.compile(r"[A-Za-z0-9_.+-]+")


#: Stands for a required value that is missing, so that the other values are checked as well.
ABSENT: Any = object()

# What a value must be, by the first word of the annotation of its field.
_KINDS: dict[str, tuple[str, tuple[type, ...]]] = {
    "str": ("text", (str,)),
    "bool": ("true or false", (bool,)),
    "int": ("a whole number", (int,)),
    "float": ("a number", (int, float)),
    "Mapping": ("a table", (Mapping,)),
    "tuple": ("a list", (list, tuple)),
}


class Mistakes:
    """The mistakes in a definition, to report all of them at once."""

    def __init__(self) -> None:
        self.found: list[BayescorrError] = []

    @contextmanager
    def noted(self, where: str = "") -> Iterator[None]:
        """Note an error instead of raising it; its message begins with ``where``."""
        try:
            yield
        except BayescorrError as problem:
            self.note(problem, where)

    def note(self, problem: BayescorrError, where: str = "") -> None:
        """Note an error, or each of several."""
        for one in problem.mistakes if isinstance(problem, _SeveralMistakes) else [problem]:
            message, remedy = one.texts
            pieces = (message,) if isinstance(message, str) else message
            self.found.append(type(one)((where, *pieces), remedy) if where else one)

    def report(self) -> None:
        """Raise the only mistake, or one error that lists several."""
        if len(self.found) == 1:
            raise self.found[0]
        if self.found:
            raise _SeveralMistakes(self.found)


class _SeveralMistakes(OptionError):
    """Several mistakes in one message."""

    def __init__(self, mistakes: Sequence[BayescorrError]) -> None:
        texts = [f"({i}) {mistake}" for i, mistake in enumerate(mistakes, 1)]
        super().__init__(f"{len(texts)} mistakes: {' '.join(texts)}")
        self.mistakes = list(mistakes)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.mistakes,)


def make(cls: type[Made], table: Any, what: str, *, partial: bool = False) -> Made:
    """Return the dataclass ``cls`` with the values of a table; a name is enough.

    With ``partial``, the class checks the other values even if required ones are ``ABSENT``.
    """
    if isinstance(table, cls):
        return table
    if isinstance(table, str):
        table = {"name": table}
    known = {f.name: f for f in fields(cls)}  # type: ignore[arg-type]
    if not isinstance(table, Mapping):
        raise OptionError(
            f"A {what} must be a table; got {table!r}.", f"Valid keys: {', '.join(sorted(known))}."
        )
    mistakes = Mistakes()
    with mistakes.noted():
        check_keys(table, known, what)
    given = {name: table[name] for name in known if name in table}
    for name, f in known.items():
        if name not in table and f.default is MISSING and f.default_factory is MISSING:
            mistakes.note(OptionError(f"A {what} has no {name!r}.", f"Add the key {name!r}."))
            given[name] = ABSENT
    if partial or ABSENT not in given.values():
        with mistakes.noted():
            made = cls(**given)
    with as_keys():
        mistakes.report()
    return made


def check_types(item: Any, what: str, mistakes: Mistakes) -> bool:
    """Note each field of a dataclass whose value is of another type than its annotation."""
    before = len(mistakes.found)
    for f in fields(item):
        value = getattr(item, f.name)
        names = [part.split("[")[0].strip() for part in str(f.type).split("|")]
        if value is ABSENT or (value is None and "None" in names):
            continue
        words, types = _KINDS[names[0]]
        flag = isinstance(value, bool) and names[0] != "bool"
        if flag or not isinstance(value, types):
            mistakes.note(OptionError(f"{f.name} of {what} must be {words}; got {value!r}."))
    return len(mistakes.found) == before


@contextmanager
def as_keys() -> Iterator[None]:
    """Print arguments as keys of a study file: the shell must not print --batch for batch."""
    try:
        yield
    except _SeveralMistakes:
        raise
    except BayescorrError as problem:
        raise type(problem)(*map(_with_keys, problem.texts)) from None


def _with_keys(text: Text) -> str:
    """Return a message that suggests values as a study file has them: ``as_is = true``."""
    pieces = (text,) if isinstance(text, str) else text
    return "".join(
        f"{piece.name} = {_value(piece.value)}"
        if isinstance(piece, Argument) and piece.value is not None
        else str(piece)
        for piece in pieces
    )


def check_keys(table: Mapping[str, Any], known: Iterable[str], what: str) -> None:
    """Raise an error for unknown keys."""
    if unknown := sorted(set(table) - set(known)):
        raise OptionError(
            f"Unknown key in {what}: {', '.join(unknown)}.",
            f"Valid keys: {', '.join(sorted(known))}.",
        )


def check_name(name: Any, what: str) -> None:
    """Raise an error for a name that cannot be part of a file name."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or "--" in name:
        raise OptionError(
            f"Invalid name of a {what}: {name!r}.",
            "Use letters, digits, dots, single hyphens and underscores.",
        )


def check_distinct(names: Sequence[Any], what: str) -> None:
    """Raise an error if there are no names, or duplicates."""
    if not names:
        raise OptionError(f"The study has no {what}.", "Add at least one.")
    if twice := sorted({str(name) for name in names if names.count(name) > 1}):
        raise OptionError(f"Duplicate {what}: {', '.join(twice)}.", "Remove or rename duplicates.")


def to_table(item: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that differ from their defaults, as plain values."""
    table = {}
    for f in fields(item):
        value = getattr(item, f.name)
        default = f.default_factory() if f.default_factory is not MISSING else f.default
        if value != default:  # required fields have no default
            table[f.name] = json.loads(json.dumps(value))  # tuples become lists
    return table


def to_toml(table: Mapping[str, Any]) -> str:
    """Return a table as TOML; tables and lists of tables become sections."""
    lines, sections = [], []
    for key, value in table.items():
        items = value if isinstance(value, list) else [value]
        if items and all(isinstance(item, Mapping) for item in items):
            title = f"[[{key}]]" if isinstance(value, list) else f"[{key}]"
            for item in items:
                sections += ["", title, *(f"{_key(k)} = {_value(v)}" for k, v in item.items())]
        else:
            lines.append(f"{_key(key)} = {_value(value)}")
    return "\n".join([*lines, *sections, ""])


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)  # TOML writes scalars like JSON
