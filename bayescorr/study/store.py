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
import pyarrow.parquet

from bayescorr.errors import Argument, BayescorrError, OptionError, StudyError, listing
from bayescorr.study.definition import Study
from bayescorr.study.parts import Damage, read_part, unit_of, write_part
from bayescorr.study.work import KEYS, Unit

_TEMPORARY = ".partial"
_REPAIR = (
    "Run the study again with ",
    Argument("repair", True),
    " to set it aside and repeat its collections.",
)


class Store:
    """A folder with ``study.toml`` and one Parquet file per finished unit.

    Files are written under a temporary name, synchronised with the disk and renamed, so every file
    with its final name is complete.
    """

    def __init__(self, folder: str | Path) -> None:
        if not isinstance(folder, (str, os.PathLike)):
            raise OptionError(f"The folder of a study must be a path; got {folder!r}.")
        self.folder = Path(folder)
        self.results = self.folder / "results"
        self.definition = self.folder / "study.toml"
        self.digests = self.folder / "scores.json"
        self.damaged = self.folder / "damaged"
        self.lock = self.folder / ".lock"

    def study(self) -> Study:
        """Return the study of this folder."""
        if not self.definition.is_file():
            raise StudyError(
                f"{self.folder} does not contain a study.",
                "Use a folder written by `bayescorr study run --out`.",
            )
        return Study.from_toml(self.definition)

    def read_digests(self) -> dict[str, str]:
        """Return the digest of the scores of each source."""
        try:
            found = json.loads(self.digests.read_text(encoding="utf-8"))
            if not isinstance(found, dict):
                raise ValueError("it does not hold a JSON object")
        except (OSError, ValueError, RecursionError) as problem:
            reason = problem.strerror if isinstance(problem, OSError) else problem
            raise StudyError(f"{self.digests} is damaged: {reason}.", _REPAIR) from None
        return found

    def finished(self, study: Study) -> dict[Unit, pa.Table]:
        """Return the results of every unit; raise an error that names damaged files."""
        found, damaged = self._read(study)
        if damaged:
            texts = listing((f"{path} ({reason})" for path, reason in damaged.items()), 5, "; ")
            what = "1 damaged file" if len(damaged) == 1 else f"{len(damaged)} damaged files"
            raise StudyError(f"{what}: {texts}.", _REPAIR)
        return found

    def _read(self, study: Study) -> tuple[dict[Unit, pa.Table], dict[Path, str]]:
        """Read every part; return the results by unit, and why other files are damaged."""
        digests = self.read_digests() if self.digests.is_file() else {}
        found: dict[Unit, pa.Table] = {}
        damaged: dict[Path, str] = {}
        covered: dict[Any, set[int]] = {}
        for path in sorted(self.results.glob("*.parquet")):
            try:
                unit = unit_of(path, study)
                trials = covered.setdefault(unit.cell, set())
                if not trials.isdisjoint(unit.trials):
                    raise Damage("another file holds the same collections")
                found[unit] = read_part(path, unit, study, digests.get(unit.source))
                trials.update(unit.trials)
            except Damage as damage:
                damaged[path] = str(damage)
        return dict(sorted(found.items())), damaged

    def repair_definition(self, digests: Mapping[str, str]) -> None:
        """Set a damaged definition and damaged digests aside; write the digests again."""
        for path, read in ((self.definition, self.study), (self.digests, self.read_digests)):
            if path.is_file():
                try:
                    read()
                except BayescorrError:
                    self._set_aside(path)
        if self.definition.is_file() and not self.digests.is_file():
            self._write_digests(digests)

    def repair_parts(self, study: Study) -> None:
        """Set damaged parts aside, in the folder ``damaged``."""
        for path in self._read(study)[1]:
            self._set_aside(path)

    def _set_aside(self, path: Path) -> None:
        self.damaged.mkdir(exist_ok=True)
        target, number = self.damaged / path.name, 1
        while target.exists():
            target, number = self.damaged / f"{path.name}.{number}", number + 1
        path.rename(target)

    def write(self, unit: Unit, rows: list[dict[str, Any]], study: Study, digest: str) -> None:
        """Store the results of a unit."""
        with _atomically(self.results / f"{unit.key}.parquet") as temporary:
            write_part(temporary, unit, rows, study, digest)

    def check_free(self) -> None:
        """Raise an error if the folder contains anything but a study."""
        if self.folder.exists() and not self.folder.is_dir():
            raise StudyError(f"{self.folder} is a file.", "Use a new or empty folder.")
        if self.folder.is_dir() and not self.definition.is_file():
            # Without a definition there are no results yet.
            ours = {self.results, self.lock, self.digests, self.damaged, *self._leftovers()}
            if {*self.folder.iterdir(), *self.results.glob("*")} - ours:
                raise StudyError(
                    f"{self.folder} is not empty and does not contain a study.",
                    "Use a new or empty folder.",
                )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Exclude other runs from the folder; the lock ends with the process."""
        try:
            self.results.mkdir(parents=True, exist_ok=True)
            handle = self.lock.open("a+b")
        except OSError as problem:
            raise StudyError(
                f"Cannot write to {self.folder}: {problem.strerror or problem}.",
                "Use another folder, or change its permissions.",
            ) from None
        with handle:
            if not _lock(handle.fileno()):
                raise StudyError(
                    f"Another run is using {self.folder}.",
                    "Wait for it, stop it, or use another folder.",
                )
            for leftover in self._leftovers():
                leftover.unlink()
            yield

    def _leftovers(self) -> list[Path]:
        """Return the incomplete files of runs that were killed, but no files of others."""
        texts = (path.with_name(path.name + _TEMPORARY) for path in (self.digests, self.definition))
        results = self.results.glob(f"*--*--n*--*-*.parquet{_TEMPORARY}")
        return [path for path in (*texts, *results) if path.is_file()]

    def claim(self, study: Study, digests: Mapping[str, str]) -> None:
        """Write the definition, or check that the folder contains the same study."""
        if self.definition.is_file():
            there = self.study()
            if changed := _changes(there, self.read_digests(), study, digests):
                raise StudyError(
                    f"{self.folder} contains another study; changed: {', '.join(changed)}.",
                    "Use a new folder, or undo the change; only trials and batch may change.",
                )
            if study.trials <= there.trials:
                return
        # The definition comes last: with it, the folder is complete.
        self._write_digests(digests)
        with _atomically(self.definition) as temporary:
            temporary.write_text(study.to_toml(), encoding="utf-8")

    def _write_digests(self, digests: Mapping[str, str]) -> None:
        with _atomically(self.digests) as temporary:
            temporary.write_text(json.dumps(dict(digests), indent=2), encoding="utf-8")


def read_results(folder: str | Path) -> pd.DataFrame:
    """Read the results of a study, finished or not.

    Parameters
    ----------
    folder : path
        The folder that the study was run in.

    Returns
    -------
    DataFrame
        One row per source, simulator, n_topics, trial, method and coefficient, in the order of the
        study: actual (coefficient between true and observed means), estimate, sd, pit (share of
        the method's draws below actual), lower and upper end at each level (``lower_0.95``,
        ``upper_0.95``), seconds (of the method, for all coefficients together) and diagnostics
        (JSON, or empty). ``split`` tells where actual is the coefficient between the means over two
        sets of real topics.

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
    parts = store.finished(study)
    if not parts:
        raise StudyError(f"{store.folder} has no results yet.", "Run the study first.")
    frame: pd.DataFrame = pa.concat_tables(parts.values()).to_pandas()
    splits = {s.name for s in study.simulators if s.of_real_topics}
    frame["split"] = frame["simulator"].astype(str).isin(splits)
    orders = {
        "source": [source.name for source in study.sources],
        "simulator": list(dict.fromkeys(s.name for s in study.simulators)),
        "method": [method.name for method in study.methods],
        "coefficient": list(study.coefficients),
    }
    for name, categories in orders.items():
        frame[name] = pd.Categorical(frame[name].astype(str), categories=categories, ordered=True)
    return frame.sort_values(KEYS).reset_index(drop=True)


def _changes(
    old: Study, old_digests: Mapping[str, str], new: Study, digests: Mapping[str, str]
) -> list[str]:
    """Name the differences that affect results: neither the trials nor the place of files."""
    before, after = old.to_table(), new.to_table()
    for table in (before, after):
        table["sources"] = [{**source, "scores": ""} for source in table["sources"]]
    keys = ("name", "seed", "topics", "coefficients", "levels", "methods", "simulators", "sources")
    changed = [key for key in keys if before[key] != after[key]]
    return changed + [f"scores of {k}" for k in digests if old_digests.get(k) != digests[k]]


@contextmanager
def _atomically(target: Path) -> Iterator[Path]:
    """Let the caller write a temporary file, then rename it."""
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
            f"Cannot write {target}: {problem.strerror or problem}.",
            "Free space or change permissions, then run the same command again to resume.",
        ) from None
    # Make the rename survive a power cut, where the system supports it.
    with suppress(OSError):
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


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
