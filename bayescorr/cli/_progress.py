"""A bar with elapsed time for every stage of a command, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bayescorr.cli._output import show_notes

#: Work that takes longer, in seconds, is announced with the estimate.
LONG = 120.0


@contextmanager
def stages() -> Iterator[Callable[[str], None]]:
    """Yield a function that starts the next stage: ``begin("fitting the model")``.

    The bars are on standard error. There are none if it is not a terminal.
    """
    if not sys.stderr.isatty():
        yield lambda words: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        running: list[Any] = []

        def finish() -> None:
            while running:
                progress.update(running.pop(), total=1, completed=1)

        def begin(words: str) -> None:
            finish()
            # Without a total, the bar moves back and forth until the stage ends.
            running.append(progress.add_task(words, total=None))

        yield begin
        finish()


def warn_if_long(seconds: float, remedy: str) -> None:
    """Print a note before work that is expected to take minutes."""
    if seconds >= LONG:
        minutes = f"{seconds / 60:.2g}"
        show_notes([f"this will take roughly {minutes} minutes. {remedy}"])
