"""Run a study, and go on with one that was stopped."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from bayescorr.errors import OptionError
from bayescorr.study import engines
from bayescorr.study.definition import Study
from bayescorr.study.library import load_study
from bayescorr.study.sources import digest
from bayescorr.study.store import Store, read_results
from bayescorr.study.work import Task, Unit, missing_units


def run_study(
    study: Study | str | Path,
    out: str | Path,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> pd.DataFrame:
    """Run a study, or go on with one that was stopped, and return its results.

    Killed at any moment, the same call goes on: finished batches are in ``out``, each in a file
    that is whole; the results are those of a run that was never stopped. Random numbers depend on
    the study's seed, source, simulator, number of topics and trial only, so that every method sees
    the same collections, and neither workers nor order change anything.

    Parameters
    ----------
    study : Study, str or Path
        A study, the name of a ready-made one (:func:`list_studies`), or a TOML file.
    out : path
        Folder for the results; one study each. More trials may be asked of a study that is there.
    workers : int, optional
        Processes on this machine, with one thread each; as many as there are processors when left
        out. 1 works in this process.
    scheduler : str, optional
        Address of a Dask scheduler, such as ``tcp://host:8786``, to work on a cluster instead.
        Needs the extra ``cluster``; workers must have bayescorr, but need not share a disk.
    progress : callable, optional
        Called as ``progress(collections done, collections in all)`` at the start and whenever a
        batch is stored.

    Returns
    -------
    DataFrame
        As :func:`read_results` gives it.

    Notes
    -----
    On a cluster under SLURM or SGE, dask-jobqueue starts the workers; give one thread to each::

        from dask_jobqueue import SLURMCluster

        cluster = SLURMCluster(cores=1, processes=1, memory="4GB", walltime="04:00:00")
        cluster.scale(jobs=50)
        run_study("posterior-vs-frequentist", "results", scheduler=cluster.scheduler_address)

    Or start ``dask scheduler`` on one machine and ``dask worker tcp://host:8786 --nthreads 1
    --nworkers 8`` on others. When a worker dies, its batch is done by another.

    Examples
    --------
    >>> import tempfile
    >>> study = Study("small", ["demo"], ["effects"], [10], 3, ["ML", "MSQD"], ["tau"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results = run_study(study, folder, workers=1)
    >>> print(results[["n_topics", "trial", "method", "actual", "estimate"]].round(3).head(2))
       n_topics  trial method  actual  estimate
    0        10      0     ML   0.692     0.674
    1        10      0   MSQD   0.692     0.646
    """
    if not isinstance(study, Study):
        study = load_study(study)
    engine = _engine(workers, scheduler)
    store = Store(out)
    store.check_free()
    scores = {source.name: source.load() for source in study.sources}
    digests = {name: digest(frame) for name, frame in scores.items()}

    def task(unit: Unit) -> Task:
        return Task(
            unit=unit,
            scores=scores[unit.source],
            digest=digests[unit.source],
            higher_is_better=study.source(unit.source).higher_is_better,
            simulation=study.simulation(unit.source, unit.simulator),
            methods=study.methods,
            coefficients=study.coefficients,
            levels=study.levels,
            seed=study.seed,
        )

    with store.locked():
        store.claim(study, digests)
        left = missing_units(study.cells, study.trials, study.batch, store.finished())
        total = len(study.cells) * study.trials
        done = total - sum(unit.stop - unit.start for unit in left)
        if progress:
            progress(done, total)
        if left:
            for unit, rows in engine([task(unit) for unit in left]):
                store.write(unit, rows)
                done += unit.stop - unit.start
                if progress:
                    progress(done, total)
    return read_results(out)


def study_status(out: str | Path) -> pd.DataFrame:
    """Count the collections of each cell that are done, and the estimates that failed.

    Returns
    -------
    DataFrame
        One row per source, simulator and n_topics: done, trials and failed (methods that raised an
        error on a collection, in all).
    """
    store = Store(out)
    study = store.study()
    done = dict.fromkeys(study.cells, 0)
    for unit in store.finished():
        done[unit.source, unit.simulator, unit.n_topics] += unit.stop - unit.start
    failed = dict.fromkeys(study.cells, 0)
    if any(done.values()):
        results = read_results(out)
        errors = results[results["diagnostics"].str.contains('"error"', regex=False)]
        keys = ["source", "simulator", "n_topics", "trial", "method"]
        for source, simulator, n, *_ in errors[keys].drop_duplicates().itertuples(index=False):
            failed[source, simulator, n] += 1
    return pd.DataFrame(
        [
            {
                "source": cell[0],
                "simulator": cell[1],
                "n_topics": cell[2],
                "done": done[cell],
                "trials": study.trials,
                "failed": failed[cell],
            }
            for cell in study.cells
        ]
    )


def _engine(workers: int | None, scheduler: str | None) -> engines.Engine:
    if scheduler is not None:
        if workers is not None:
            raise OptionError(
                "Both workers and a scheduler were given.", "Leave one out: a cluster has its own."
            )
        return engines.dask(scheduler)
    if workers is None:
        workers = (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
    if workers < 1:
        raise OptionError(f"{workers} workers asked for.", "Ask for at least 1.")
    return engines.in_process if workers == 1 else engines.processes(workers)
