"""The folder of a study: its definition, its results so far, and a lock."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet

from bayescorr.errors import StudyError
from bayescorr.study.definition import Study
from bayescorr.study.work import Unit

_TEMPORARY = ".partial"
_TEXT = ("source", "simulator", "method", "coefficient", "diagnostics")
_WHOLE = ("n_topics", "trial")


class Store:
    """Results of a study in a folder: ``study.toml`` and one Parquet file per finished unit.

    A file is written under another name, synchronised with the disk and renamed, so that a file
    that is there is whole, whatever happened.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.results = self.folder / "results"

    @property
    def definition(self) -> Path:
        """File of the study's definition."""
        return self.folder / "study.toml"

    @property
    def digests(self) -> Path:
        """File of the digests of the scores that were simulated from."""
        return self.folder / "scores.json"

    def study(self) -> Study:
        """Return the study that was run here."""
        if not self.definition.is_file():
            raise StudyError(
                f"{self.folder} holds no study.", "Give the folder that `study run --out` wrote."
            )
        return Study.from_toml(self.definition)

    def finished(self) -> list[Unit]:
        """Units whose results are here."""
        return sorted(Unit.from_key(path.stem) for path in self.results.glob("*.parquet"))

    def write(self, unit: Unit, rows: list[dict[str, Any]]) -> None:
        """Store the results of a unit, all or nothing."""
        columns = list(rows[0])
        table = pa.table(
            {c: pa.array([row[c] for row in rows], type=_column_type(c)) for c in columns}
        )
        target = self.results / f"{unit.key}.parquet"
        with _atomically(target) as temporary:
            pa.parquet.write_table(table, temporary)

    def check_free(self) -> None:
        """Refuse a folder that has other things in it, so that nothing gets mixed up."""
        if self.folder.exists() and not self.folder.is_dir():
            raise StudyError(f"{self.folder} is a file.", "Give a folder that is new or empty.")
        if self.folder.is_dir() and not self.definition.is_file():
            # The definition comes before any result.
            ours = {self.results, self.folder / ".lock", self.digests, *self._leftovers()}
            found = {*self.folder.iterdir(), *self.results.glob("*")}
            if found - ours:
                raise StudyError(
                    f"{self.folder} is not empty and holds no study.", "Give a new or empty folder."
                )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other runs out of the folder; the lock goes with the process, however it ends."""
        try:
            self.results.mkdir(parents=True, exist_ok=True)
            handle = (self.folder / ".lock").open("a+b")
        except OSError as problem:
            raise StudyError(
                f"{self.folder} cannot be written: {problem.strerror or problem}.",
                "Give a folder that can be.",
            ) from None
        with handle:
            if not _lock(handle.fileno()):
                raise StudyError(
                    f"Another run is at work in {self.folder}.",
                    "Wait for it or stop it, or give another folder.",
                )
            for leftover in self._leftovers():
                leftover.unlink()
            yield

    def _leftovers(self) -> list[Path]:
        """Files that a run was writing when it ended; others may end in the same way."""
        texts = (path.with_name(path.name + _TEMPORARY) for path in (self.digests, self.definition))
        results = self.results.glob(f"*--*--n*--*-*.parquet{_TEMPORARY}")
        return [path for path in (*texts, *results) if path.is_file()]

    def claim(self, study: Study, digests: Mapping[str, str]) -> None:
        """Write the definition into a new folder, or see that it is the one that is there."""
        if self.definition.is_file():
            there = self.study()
            if changed := _changes(there, json.loads(self.digests.read_text()), study, digests):
                raise StudyError(
                    f"{self.folder} holds another study: {', '.join(changed)} changed.",
                    "Give a new folder, or undo the change; only trials and batch may change.",
                )
            if study.trials <= there.trials:
                return
        # The definition comes last: a folder that has one is complete.
        for path, text in (
            (self.digests, json.dumps(dict(digests), indent=2)),
            (self.definition, study.to_toml()),
        ):
            with _atomically(path) as temporary:
                temporary.write_text(text, encoding="utf-8")


def read_results(folder: str | Path) -> pd.DataFrame:
    """Read the results of a study, finished or not.

    Parameters
    ----------
    folder : path
        The folder that the study was run in.

    Returns
    -------
    DataFrame
        One row per source, simulator, n_topics, trial, method and coefficient: actual (coefficient
        between the true and the observed means), estimate, sd, lower and upper end at each level
        (``lower_0.95``, ``upper_0.95``), seconds (of the method, for all coefficients together),
        diagnostics (JSON; empty when there is nothing to say). In the order of the study.

    Examples
    --------
    >>> import tempfile
    >>> from bayescorr import Study, run_study
    >>> study = Study("small", ["demo"], ["effects"], [10], 2, ["ML"], ["tau"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = run_study(study, folder, workers=1)
    ...     len(read_results(folder))
    2
    """
    store = Store(folder)
    study = store.study()
    files = sorted(str(path) for path in store.results.glob("*.parquet"))
    if not files:
        raise StudyError(f"{store.folder} has no results yet.", "Run the study first.")
    frame: pd.DataFrame = pa.dataset.dataset(files, format="parquet").to_table().to_pandas()
    orders = {
        "source": [source.name for source in study.sources],
        "simulator": list(dict.fromkeys(s.name for s in study.simulators)),
        "method": [method.name for method in study.methods],
        "coefficient": list(study.coefficients),
    }
    for name, categories in orders.items():
        frame[name] = pd.Categorical(frame[name].astype(str), categories=categories, ordered=True)
    keys = ["source", "simulator", "n_topics", "trial", "method", "coefficient"]
    return frame.sort_values(keys).reset_index(drop=True)


def _changes(
    old: Study, old_digests: Mapping[str, str], new: Study, digests: Mapping[str, str]
) -> list[str]:
    """Name what differs and matters to results: not how many trials, nor where files lie."""
    before, after = old.to_table(), new.to_table()
    changed = [
        key
        for key in ("name", "seed", "topics", "coefficients", "levels", "methods", "simulators")
        if before[key] != after[key]
    ]
    tables = ([{**s, "scores": ""} for s in table["sources"]] for table in (before, after))
    if len({repr(table) for table in tables}) > 1:
        changed.append("sources")
    changed += [f"scores of {name}" for name in digests if old_digests.get(name) != digests[name]]
    return changed


def _column_type(name: str) -> pa.DataType:
    return pa.string() if name in _TEXT else pa.int64() if name in _WHOLE else pa.float64()


@contextmanager
def _atomically(target: Path) -> Iterator[Path]:
    """Let the caller write a temporary file, then put it in place whole."""
    temporary = target.with_name(target.name + _TEMPORARY)
    try:
        yield temporary
        with temporary.open("rb+") as handle:
            os.fsync(handle.fileno())
        temporary.replace(target)
    except OSError as problem:
        with suppress(OSError):
            temporary.unlink()
        raise StudyError(
            f"{target} cannot be written: {problem.strerror or problem}.",
            "Make room or mend the folder, then run the same command again: it goes on from here.",
        ) from None
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make a rename last through a loss of power, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _lock(handle: int) -> bool:
    try:
        try:
            import fcntl
        except ModuleNotFoundError:
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
