"""Run a study, and resume one that was stopped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from bayescorr._numbers import check_count
from bayescorr.errors import Argument, OptionError
from bayescorr.study import engines
from bayescorr.study.definition import Study
from bayescorr.study.library import load_study
from bayescorr.study.metrics import has_failed
from bayescorr.study.sizes import check_sizes
from bayescorr.study.sources import digest
from bayescorr.study.store import Store, read_results
from bayescorr.study.work import CELL, Task, missing_units


def run_study(
    study: Study | str | Path,
    out: str | Path,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    repair: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> pd.DataFrame:
    """Run a study, or resume one that was stopped, and return its results.

    A run can be killed at any time: finished batches are complete files in ``out``, and the same
    call resumes the run. The results are those of an uninterrupted run. Random numbers depend only
    on the study's seed, the source, simulator, number of topics and trial, so every method sees the
    same collections, and neither the number of workers nor their order changes the results.

    Parameters
    ----------
    study : Study, str or Path
        A study, the name of a ready-made one (:func:`list_studies`), or a TOML file.
    out : path
        Folder for the results of this study. A later run may ask for more trials.
    workers : int, optional
        Number of processes on this machine, with one thread each. By default, one per processor.
        With 1, the study runs in this process.
    scheduler : str, optional
        Address of a Dask scheduler, such as ``tcp://host:8786``, to run on a cluster instead. Needs
        the extra ``cluster``. Workers need bayescorr, but no shared disk.
    repair : bool
        Set damaged files of an earlier run aside, in the folder ``damaged`` of ``out``, and repeat
        their collections. Without it, damaged files raise an error that names them.
    progress : callable, optional
        Called as ``progress(finished, total)``, in collections, at the start and after each batch.

    Returns
    -------
    DataFrame
        As returned by :func:`read_results`.

    Notes
    -----
    For a cluster, start ``dask scheduler`` on one machine and ``dask worker tcp://host:8786
    --nthreads 1 --nworkers 8`` on others; with SLURM or SGE, let dask-jobqueue start the workers.
    If a worker dies, another one repeats its batch.

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
    store = Store(out)
    engine, progress = _engine(workers, scheduler), progress or (lambda done, total: None)
    store.check_free()
    scores = {source.name: source.load() for source in study.sources}
    check_sizes(study, {name: frame.shape[1] for name, frame in scores.items()})
    for source, simulation in study.populations:
        if simulation.of_real_topics:
            simulation.check_topics(scores[source.name], source, max(study.topics))
    digests = {name: digest(frame) for name, frame in scores.items()}
    populations = {(a.name, b.name): (a, b) for a, b in study.populations}
    with store.locked():
        if repair:
            store.repair_definition(digests)
        store.claim(study, digests)
        if repair:
            store.repair_parts(study)
        left = missing_units(study.cells, study.trials, study.batch, store.finished(study))
        tasks = [
            Task(u, study, *populations[u.source, u.simulator], scores[u.source], digests[u.source])
            for u in left
        ]
        total = len(study.cells) * study.trials
        done = total - sum(len(unit.trials) for unit in left)
        progress(done, total)
        for unit, rows in engine(tasks) if tasks else ():
            store.write(unit, rows, study, digests[unit.source])
            done += len(unit.trials)
            progress(done, total)
    return read_results(out)


def study_status(out: str | Path) -> pd.DataFrame:
    """Count the finished collections (``done``) and the errors (``failed``) of each cell."""
    store = Store(out)
    study = store.study()
    done, failed = Counter[object](), Counter[object]()
    for unit in store.finished(study):
        done[unit.cell] += len(unit.trials)
    if done:
        results = read_results(out)
        errors = results.loc[has_failed(results), [*CELL, "trial", "method"]].drop_duplicates()
        failed.update(errors[CELL].itertuples(index=False, name=None))
    rows = [(*cell, done[cell], study.trials, failed[cell]) for cell in study.cells]
    return pd.DataFrame(rows, columns=[*CELL, "done", "trials", "failed"])


def _engine(workers: int | None, scheduler: str | None) -> engines.Engine:
    if scheduler is not None:
        if workers is not None:
            raise OptionError(
                (Argument("workers"), " and ", Argument("scheduler"), " exclude each other."),
                "Use one of them; a cluster has its own workers.",
            )
        return engines.dask(scheduler)
    if workers is None:
        from joblib import cpu_count

        workers = cpu_count()
    return engines.processes(check_count(workers, "workers"))
