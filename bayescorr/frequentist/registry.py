"""The estimators by name; a new one is a file with an ``Estimator`` and its line here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from bayescorr.errors import OptionError, choose
from bayescorr.frequentist.estimator import Estimator
from bayescorr.frequentist.kd import KD
from bayescorr.frequentist.ml import ML
from bayescorr.frequentist.msqd import MSQD
from bayescorr.frequentist.res import RES
from bayescorr.frequentist.splithalf import SH, SHW, SHWO

ESTIMATORS: Mapping[str, Estimator] = MappingProxyType(
    {estimator.name: estimator for estimator in (ML, MSQD, RES, KD, SHW, SHWO, SH)}
)

#: Those that a user gets without naming any.
DEFAULT_ESTIMATORS = ("ML", "MSQD", "RES", "KD")


def find_estimator(method: str | Estimator) -> Estimator:
    """Return the estimator of this name; an estimator of one's own is taken as it is.

    Examples
    --------
    >>> find_estimator("ML").citation[:21]
    'Urbano & Marrero 2016'
    """
    if isinstance(method, Estimator):
        return method
    return ESTIMATORS[choose(method, ESTIMATORS, "method")]


def find_estimators(methods: str | Estimator | Iterable[str | Estimator]) -> list[Estimator]:
    """Return the estimators of these names, each asked for once."""
    if isinstance(methods, (str, Estimator)):
        methods = (methods,)
    found = [find_estimator(method) for method in methods]
    names = [estimator.name for estimator in found]
    if not names or len(set(names)) < len(names):
        raise OptionError(
            f"Methods asked for: {', '.join(names) or 'none'}.", "Ask for each of them once."
        )
    return found
