"""Estimators by name; a new one is a file that declares an ``Estimator``, and its line here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pkgutil import resolve_name
from types import MappingProxyType

from bayescorr.errors import Argument, OptionError, choose
from bayescorr.frequentist.estimator import Estimator

# Module and declaration of each estimator, in the order of lists and tables.
_DECLARED = (
    "ml:ML",
    "msqd:MSQD",
    "res:RES",
    "kd:KD",
    "splithalf:SHW",
    "splithalf:SHWO",
    "splithalf:SH",
)

ESTIMATORS: Mapping[str, Estimator] = MappingProxyType(
    {e.name: e for e in (resolve_name(f"{__package__}.{line}") for line in _DECLARED)}
)

#: The estimators used unless others are named.
DEFAULT_ESTIMATORS = ("ML", "MSQD", "RES", "KD")


def find_estimator(method: str | Estimator) -> Estimator:
    """Return the estimator of a name; an ``Estimator`` is returned as it is."""
    if isinstance(method, Estimator):
        return method
    return ESTIMATORS[choose(method, ESTIMATORS, "method")]


def find_estimators(methods: str | Estimator | Iterable[str | Estimator]) -> list[Estimator]:
    """Return one or several estimators as a list; their names must differ."""
    if isinstance(methods, (str, Estimator)):
        methods = (methods,)
    if not isinstance(methods, Iterable):
        raise OptionError(
            (Argument("methods"), f" must be names of estimators; got {methods!r}."),
            f"Choose from: {', '.join(ESTIMATORS)}.",
        )
    found = [find_estimator(method) for method in methods]
    names = [estimator.name for estimator in found]
    if not names or len(set(names)) < len(names):
        raise OptionError(
            (Argument("methods"), f" must name each method once; got {', '.join(names) or 'none'}.")
        )
    return found
