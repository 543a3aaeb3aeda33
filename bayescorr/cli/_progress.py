"""A bar with elapsed time for every stage of a command, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from bayescorr.cli._output import show_notes

#: Work that takes longer, in seconds, is announced with the estimate.
LONG = 120.0
#: Stages show a bar once they have run for this many seconds.
SHORT = 1.0


@contextmanager
def stages(expected: Mapping[str, float] | None = None) -> Iterator[Callable[[str], None]]:
    """Yield a function that starts the next stage: ``begin("fitting the model")``.

    ``expected`` has the expected seconds of stages, for the time left. The bars are on standard
    error. There are none if it is not a terminal, and none of stages that are short.
    """
    if not sys.stderr.isatty():
        yield lambda words: None
        return
    from rich.console import Console, RenderableType
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
    )
    from rich.text import Text

    class TimeLeft(ProgressColumn):
        def render(self, task: Task) -> Text:
            left = task.fields["seconds"] - (task.elapsed or 0.0)
            running = task.total is None and left > 1
            return Text(f"about {time_in_words(left)} left" if running else "")

    class Bars(Progress):
        def get_renderables(self) -> Iterator[RenderableType]:
            times = [t.finished_time if t.finished else t.elapsed for t in self.tasks]
            taken = zip(self.tasks, times, strict=True)
            yield self.make_tasks_table([t for t, time in taken if (time or 0.0) >= SHORT])

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeLeft())
    with Bars(*columns, console=Console(stderr=True)) as progress:
        running: list[Any] = []

        def finish() -> None:
            while running:
                progress.update(running.pop(), total=1, completed=1)

        def begin(words: str) -> None:
            finish()
            # Without a total, the bar moves back and forth until the stage ends.
            seconds = (expected or {}).get(words, 0.0)
            running.append(progress.add_task(words, total=None, seconds=seconds))

        yield begin
        finish()


@contextmanager
def stage(words: str, seconds: float = 0.0) -> Iterator[None]:
    """Show a bar for a single stage, which is expected to take so many seconds."""
    with stages({words: seconds}) as begin:
        begin(words)
        yield


def time_in_words(seconds: float) -> str:
    """Return a rough time: 40 s, or 2.5 minutes."""
    return f"{seconds:.0f} s" if seconds < LONG else f"{seconds / 60:.2g} minutes"


def warn_if_long(seconds: float, remedy: str) -> None:
    """Print a note before work that is expected to take minutes."""
    if seconds >= LONG:
        show_notes([f"this will take roughly {time_in_words(seconds)}. {remedy}"])
