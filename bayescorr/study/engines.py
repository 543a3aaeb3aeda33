"""Run tasks in processes on this machine, or on a Dask cluster."""

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

_AGAIN = "Run the same command again to resume: finished batches are kept."
_ADDRESS = "Use the address that the scheduler prints at its start, such as tcp://host:8786."
_watching = False


def processes(workers: int) -> Engine:
    """Return an engine with this number of processes on this machine; 1 uses this process."""

    def run(tasks: Sequence[Task]) -> Iterator[Done]:
        jobs = min(workers, len(tasks))
        if jobs == 1:
            yield from map(do_task, tasks)
            return
        from joblib import Parallel, delayed
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        parallel = Parallel(jobs, backend="loky", return_as="generator_unordered", batch_size=1)
        try:
            with warnings.catch_warnings():
                # joblib replaces workers that grow large; nothing is lost.
                warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
                yield from parallel(delayed(_do_as_child)(task, os.getpid()) for task in tasks)
        except TerminatedWorkerError:
            raise StudyError(
                "A worker process was killed, possibly because memory ran out.", _AGAIN
            ) from None

    return run


def dask(address: str) -> Engine:
    """Return an engine for the Dask cluster whose scheduler has this address."""
    distributed = require("distributed", extra="cluster")
    if not re.fullmatch(r"(\w+://)?[^/]+:\d+", address):
        raise StudyError(f"Malformed address of a Dask scheduler: {address!r}.", _ADDRESS)

    def run(tasks: Sequence[Task]) -> Iterator[Done]:
        try:
            client = distributed.Client(address, timeout="20s", set_as_default=False)
        except (OSError, ValueError, TypeError) as problem:
            raise StudyError(
                f"Cannot connect to a Dask scheduler at {address!r}: {problem}.", _ADDRESS
            ) from None
        with client:
            waiting, under_way = iter(tasks), 0
            queue = distributed.as_completed([], loop=client.loop)
            while True:
                # Submit few at a time, because tasks carry the scores; more as workers join.
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
    """Run a task in a worker process that ends with its parent and ignores Ctrl-C."""
    global _watching
    if not _watching:
        _watching = True
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    return do_task(task)


def _end_with(parent: int) -> None:
    """End this process after its parent: nobody would collect its results."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
