"""Errors and warnings: one small hierarchy; every message comes with a remedy.

The message says what was found and what was expected, the remedy what to do. Where a text names an
argument of a function, the name is an :class:`Argument`, so that the command line can print the
option of that name instead; a function that a text advises is a :class:`Function`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

__all__ = [
    "Argument",
    "BayescorrError",
    "BayescorrWarning",
    "CoefficientError",
    "ConvergenceError",
    "ConvergenceWarning",
    "DatasetError",
    "Function",
    "MissingDependencyError",
    "ModelError",
    "OptionError",
    "RunsError",
    "ScoresError",
    "ScoresWarning",
    "StudyError",
]


#: Options of the command line that have another name than the argument.
_OPTIONS = {"k": "top", "n_topics": "topics", "priors": "prior"}


class Argument(NamedTuple):
    """The name of an argument in a message, with a value where the message suggests one.

    Examples
    --------
    >>> print(Argument("missing", "drop"), Argument("draws"), Argument("extend", True))
    missing="drop" draws extend=True
    >>> Argument("missing", "drop").in_shell(), Argument("extend", True).in_shell()
    ('--missing drop', '--extend')
    """

    name: str
    value: object = None

    def __str__(self) -> str:
        if self.value is None:
            return self.name
        quote = '"' if isinstance(self.value, str) else ""
        return f"{self.name}={quote}{self.value}{quote}"

    def in_shell(self) -> str:
        """Return the option of the command line that sets this argument."""
        option = f"--{_OPTIONS.get(self.name, self.name).replace('_', '-')}"
        return option if self.value is None or self.value is True else f"{option} {self.value}"


class Function(NamedTuple):
    """The name of a function in a message, with the command that does the same.

    Examples
    --------
    >>> print(Function("score_runs", "score-runs"))
    bayescorr.score_runs
    >>> Function("score_runs", "score-runs").in_shell()
    "'bayescorr score-runs'"
    """

    name: str
    command: str

    def __str__(self) -> str:
        return f"bayescorr.{self.name}"

    def in_shell(self) -> str:
        """Return the command."""
        return f"'bayescorr {self.command}'"


#: A message: text, or pieces of text, arguments and functions.
Text = str | tuple[str | Argument | Function, ...]


def render(text: Text, *, shell: bool = False) -> str:
    """Return a message as one string, in the words of Python or of the shell.

    Examples
    --------
    >>> text = ("Use ", Argument("missing", "drop"), ".")
    >>> render(text), render(text, shell=True)
    ('Use missing="drop".', 'Use --missing drop.')
    """
    pieces = (text,) if isinstance(text, str) else text
    return "".join(
        str(piece) if isinstance(piece, str) or not shell else piece.in_shell() for piece in pieces
    )


class BayescorrError(Exception):
    """Base of every error that bayescorr raises on purpose.

    Parameters
    ----------
    message : str or tuple of str and Argument
        What was found and what was expected, in one line.
    remedy : str or tuple of str and Argument, optional
        What to do about it, in one line.

    Examples
    --------
    >>> error = BayescorrError("Need at least 2 topics; found 1.", "Add topics.")
    >>> print(error)
    Need at least 2 topics; found 1. Add topics.
    """

    def __init__(self, message: Text, remedy: Text = "") -> None:
        super().__init__(message, remedy)
        self.texts = (message, remedy)

    @property
    def message(self) -> str:
        """What was found and what was expected."""
        return render(self.texts[0])

    @property
    def remedy(self) -> str:
        """What to do about it."""
        return render(self.texts[1])

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".strip()


class ScoresError(BayescorrError, ValueError):
    """An invalid table of scores, or an unreadable file of scores."""


class RunsError(BayescorrError, ValueError):
    """An invalid TREC run or qrels file."""


class DatasetError(BayescorrError):
    """A data set that is unknown or unavailable."""


class CoefficientError(BayescorrError, ValueError):
    """A coefficient that is undefined for its input."""


class OptionError(BayescorrError, ValueError):
    """An invalid value of an argument."""


class ModelError(BayescorrError, ValueError):
    """An unknown model, or data that a model does not support."""


class StudyError(BayescorrError):
    """A study that cannot be run, resumed or read."""


class MissingDependencyError(BayescorrError, ImportError):
    """An optional library that is not installed."""


class ConvergenceError(BayescorrError):
    """The sampler did not converge, and the caller asked for ``strict``."""


class BayescorrWarning(UserWarning):
    """Base of every warning that bayescorr gives on purpose; takes a message as errors do."""

    def __str__(self) -> str:
        return render(self.args[0])


class ScoresWarning(BayescorrWarning):
    """A property of the scores that affects how to read a result."""


class ConvergenceWarning(BayescorrWarning):
    """The sampler did not converge: do not use these numbers."""


def choose(value: object, options: Iterable[str], what: str) -> str:
    """Return ``value`` if it is one of ``options``; otherwise list them in an error.

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
    """Join at most ``most`` of the ``items`` and count the rest.

    Use a semicolon as ``separator`` for items that contain commas.

    Examples
    --------
    >>> listing(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    texts = [str(item) for item in items]
    rest = len(texts) - most
    return separator.join(texts[:most]) + (f" and {rest} more" if rest > 0 else "")
