"""Who does the work: this process, processes on this machine, or a Dask cluster."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from itertools import islice
from typing import Any, TypeAlias

from bayescorr._optional import require
from bayescorr.errors import StudyError
from bayescorr.study.work import Task, Unit, do_task

Done: TypeAlias = tuple[Unit, list[dict[str, Any]]]
Engine: TypeAlias = Callable[[Sequence[Task]], Iterator[Done]]

_AGAIN = "Run the same command again: what is finished is kept, the rest is done."
_watching = False


def in_process(tasks: Sequence[Task]) -> Iterator[Done]:
    """Do one task after the other here."""
    return map(do_task, tasks)


def processes(workers: int) -> Engine:
    """Return the engine of that many processes on this machine."""

    def run(tasks: Sequence[Task]) -> Iterator[Done]:
        from joblib import Parallel, delayed
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        jobs = min(workers, len(tasks))
        if jobs == 1:
            yield from in_process(tasks)
            return
        parallel = Parallel(
            n_jobs=jobs,
            backend="loky",
            return_as="generator_unordered",
            batch_size=1,
            pre_dispatch="2*n_jobs",
        )
        try:
            with warnings.catch_warnings():
                # A worker that holds many compiled models is replaced by a new one: no loss.
                warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
                yield from parallel(delayed(_do_as_child)(task, os.getpid()) for task in tasks)
        except TerminatedWorkerError:
            raise StudyError(
                "A worker process was killed, perhaps for want of memory.", _AGAIN
            ) from None

    return run


def dask(address: str) -> Engine:
    """Return the engine of the Dask cluster whose scheduler has this address."""
    distributed = require("distributed", extra="cluster")
    if not re.fullmatch(r"(\w+://)?[^/]+:\d+", address):
        raise StudyError(
            f"{address!r} is no address of a Dask scheduler.",
            "Give the address that it prints when it starts, such as tcp://host:8786.",
        )

    def run(tasks: Sequence[Task]) -> Iterator[Done]:
        try:
            client = distributed.Client(address, timeout="20s", set_as_default=False)
        except (OSError, ValueError, TypeError) as problem:
            raise StudyError(
                f"No Dask scheduler answers at {address!r}: {problem}.",
                "Give the address that it prints when it starts, such as tcp://host:8786.",
            ) from None
        with client:
            waiting, under_way = iter(tasks), 0
            queue = distributed.as_completed([], loop=client.loop)
            while True:
                # Few at a time, since tasks carry the scores; more when workers have joined.
                most = max(8, 3 * sum(client.nthreads().values()))
                for task in islice(waiting, max(most - under_way, 0)):
                    queue.add(client.submit(do_task, task, pure=False))
                    under_way += 1
                if not under_way:
                    return
                try:
                    done = next(queue).result()
                except (distributed.KilledWorker, CancelledError, OSError) as problem:
                    reason = " ".join(str(problem).split()).rstrip(".")
                    raise StudyError(f"The Dask cluster failed: {reason}.", _AGAIN) from None
                under_way -= 1
                yield done

    return run


def _do_as_child(task: Task, parent: int) -> Done:
    """Do a task in a worker process, which ends with its parent and leaves Ctrl-C to it."""
    global _watching
    if not _watching:
        _watching = True
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    return do_task(task)


def _end_with(parent: int) -> None:
    """End this process when its parent is gone: nobody would wait for its results."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
