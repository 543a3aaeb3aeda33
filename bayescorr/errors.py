"""Errors and warnings: one small hierarchy, every message with its remedy.

A message says what was found; the remedy says what to do about it. The command line prints the two
on separate lines, everything else prints them as one sentence after the other.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = [
    "BayescorrError",
    "BayescorrWarning",
    "CoefficientError",
    "ConvergenceError",
    "ConvergenceWarning",
    "DatasetError",
    "MissingDependencyError",
    "ModelError",
    "OptionError",
    "RunsError",
    "ScoresError",
    "ScoresWarning",
    "StudyError",
]


class BayescorrError(Exception):
    """Base of every error that bayescorr raises on purpose.

    Parameters
    ----------
    message : str
        What was found and what was expected, in one line.
    remedy : str, optional
        What to do about it, in one line.

    Examples
    --------
    >>> error = BayescorrError("1 topic found, at least 2 are needed.", "Add topics.")
    >>> print(error)
    1 topic found, at least 2 are needed. Add topics.
    """

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message, remedy)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".strip()


class ScoresError(BayescorrError, ValueError):
    """A table of scores, or the file it comes from, that cannot be used."""


class RunsError(BayescorrError, ValueError):
    """A TREC run or qrels file that cannot be used."""


class DatasetError(BayescorrError):
    """A named data set that cannot be had."""


class CoefficientError(BayescorrError, ValueError):
    """A coefficient that is undefined for what it was given."""


class OptionError(BayescorrError, ValueError):
    """An option whose value is not one of those known."""


class ModelError(BayescorrError, ValueError):
    """A model that cannot take these data, or a model that does not exist."""


class StudyError(BayescorrError):
    """A study that cannot be run, gone on with or read."""


class MissingDependencyError(BayescorrError, ImportError):
    """An optional library that is not installed."""


class ConvergenceError(BayescorrError):
    """A sampler that did not converge, where the caller asked for strictness."""


class BayescorrWarning(UserWarning):
    """Base of every warning that bayescorr gives on purpose."""


class ScoresWarning(BayescorrWarning):
    """Something in the scores that changes how a result should be read."""


class ConvergenceWarning(BayescorrWarning):
    """A sampler that did not converge: the numbers should not be used as they are."""


def choose(value: object, options: Iterable[str], what: str) -> str:
    """Return ``value`` when it is one of ``options``, else raise an error that lists them.

    Examples
    --------
    >>> choose("ML", ["ML", "MSQD"], "method")
    'ML'
    >>> choose("MLE", ["MSQD", "ML"], "method")
    Traceback (most recent call last):
    ...
    bayescorr.errors.OptionError: Unknown method 'MLE'. Choose one of: ML, MSQD.
    """
    known = sorted(options)
    if isinstance(value, str) and value in known:
        return value
    raise OptionError(f"Unknown {what} {value!r}.", f"Choose one of: {', '.join(known)}.")


def listing(items: Iterable[object], most: int = 10, separator: str = ", ") -> str:
    """Join ``items``, at most ``most`` of them, and say how many were left out.

    Items that have commas of their own are told apart by a semicolon as ``separator``.

    Examples
    --------
    >>> listing(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    texts = [str(item) for item in items]
    rest = len(texts) - most
    return separator.join(texts[:most]) + (f" and {rest} more" if rest > 0 else "")
