"""What a reader should know about a result goes to standard error, one line each."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from bayescorr.errors import BayescorrWarning


def show_notes(notes: Iterable[str]) -> None:
    """Print notes to standard error, so that what is piped on stays a table."""
    for note in notes:
        print(f"Note: {note}", file=sys.stderr)


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Show our own warnings as notes, without the line of code that gave them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        if issubclass(warning.category, BayescorrWarning):
            show_notes([str(warning.message)])
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
