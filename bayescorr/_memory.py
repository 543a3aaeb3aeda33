"""Refuse what cannot fit in memory with a sentence, before it is computed."""

from __future__ import annotations

import os

from bayescorr.errors import OptionError, Text

#: Assumed where the system does not tell.
_USUAL = 16e9


def memory() -> float:
    """Return the memory of this machine in bytes."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return _USUAL


def check_memory(size: float, what: Text, remedy: Text) -> None:
    """Raise an error if ``size`` bytes exceed the memory; ``what`` begins its message.

    Examples
    --------
    >>> check_memory(1e6, "10 topics", "Use fewer topics.")
    >>> check_memory(1e24, "A table of 1e+23 topics", "Use fewer topics.")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    bayescorr.errors.OptionError: A table of 1e+23 topics would take about 1e+15 GB of memory; this
    machine has ... GB. Use fewer topics.
    """
    if size > (limit := memory()):
        pieces = (what,) if isinstance(what, str) else what
        amount = f"{size / 1e9:,.0f}" if size < 1e15 else f"{size / 1e9:.0e}"
        raise OptionError(
            (
                *pieces,
                f" would take about {amount} GB of memory; this machine has {limit / 1e9:,.0f} GB.",
            ),
            remedy,
        )
