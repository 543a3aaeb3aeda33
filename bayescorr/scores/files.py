"""Find, open and name files, gzipped or not; errors name the file and the line."""

from __future__ import annotations

import glob
import gzip
import io
import os
import warnings
import zlib
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from bayescorr.errors import (
    Argument,
    BayescorrError,
    OptionError,
    ScoresError,
    ScoresWarning,
    listing,
)
from bayescorr.scores.encodings import Decoded, decode

PathLike = str | os.PathLike[str]

GZIP_MAGIC = b"\x1f\x8b"
#: Largest file of scores to read, in MB: reading takes 25 times its size in memory, or more if its
#: lines are short.
MAX_SIZE = 100.0
#: The same for runs and relevance judgments, whose lines take less memory for their size.
MAX_RUN_SIZE = 500.0
#: Bytes to read at once.
CHUNK = 2**22
SUFFIXES = frozenset(
    {
        ".gz",
        ".csv",
        ".tsv",
        ".txt",
        ".run",
        ".qrels",
        ".res",
        ".eval",
        ".trec_eval",
        ".json",
        ".jsonl",
        ".out",
        ".xlsx",
    }
)


class _Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True)
class File:
    """A file, read when its content is first used; a failure raises an ``error``.

    A file of more than ``max_size`` MB, unpacked, is not read.
    """

    path: Path
    error: type[BayescorrError] = ScoresError
    max_size: float = MAX_SIZE

    @cached_property
    def content(self) -> bytes:
        """The bytes of the file, unpacked if it is gzipped."""
        path, error = self.path, self.error
        try:
            with open(path, "rb") as raw:
                zipped = raw.peek(2).startswith(GZIP_MAGIC) or path.suffix == ".gz"
                try:
                    content = self._read(gzip.GzipFile(fileobj=raw) if zipped else raw)
                except (EOFError, gzip.BadGzipFile, zlib.error) as problem:
                    raise error(
                        f"{path}: invalid or truncated gzip file ({str(problem).rstrip('.')}).",
                        "Copy or download the file again.",
                    ) from None
        except (OSError, ValueError) as problem:
            if isinstance(problem, BayescorrError):
                raise
            # ValueError for a path with a NUL
            reason = getattr(problem, "strerror", None) or problem
            raise error(f"{path}: cannot be read: {reason}.", "Check the path.") from None
        if not content.strip():
            raise self._empty()
        return content

    def _read(self, stream: _Stream) -> bytes:
        """Read a stream up to the largest size."""
        chunks, size = [], 0
        while chunk := stream.read(CHUNK):
            chunks.append(chunk)
            size += len(chunk)
            self.check_size(size)
        return b"".join(chunks)

    def check_size(self, size: float) -> None:
        """Raise if the content has more than ``max_size`` MB; ``size`` is in bytes."""
        if size > self.max_size * 1e6:
            raise self.error(
                f"{self.path}: more than {self.max_size:g} MB of data.",
                ("If it should be that large, raise ", Argument("max_size"), " (in MB)."),
            )

    def _empty(self) -> BayescorrError:
        return self.error(f"{self.path}: the file is empty.", "Provide a file with content.")

    @cached_property
    def _decoded(self) -> Decoded:
        decoded = decode(self.content)
        if decoded.problem:
            mark = ", " if decoded.problem.startswith("line") else ": "
            raise self.error(f"{self.path}{mark}{decoded.problem}", decoded.remedy)
        if not decoded.text.strip():
            raise self._empty()
        return decoded

    @property
    def text(self) -> str:
        """The content as text, without its byte order mark."""
        return self._decoded.text

    def warn(self) -> None:
        """Warn if the text was read, and had to be decoded by a guess."""
        decoded = self.__dict__.get("_decoded")
        if decoded is not None and decoded.note:
            warnings.warn(f"{self.path}, {decoded.note}", ScoresWarning, stacklevel=3)

    @property
    def first(self) -> tuple[str, str]:
        """The place and the text of the first line that is not blank."""
        lines = enumerate(io.StringIO(self.text), start=1)
        return next((f"line {i}", line) for i, line in lines if line.strip())

    @cached_property
    def lines(self) -> dict[str, str]:
        """The lines that are not blank, by place: "line 1"."""
        lines = enumerate(self.text.splitlines(), start=1)
        return {f"line {i}": line for i, line in lines if line.strip()}

    def fields(self, names: str, remedy: str, *, tabs: bool = False) -> dict[str, list[str]]:
        """Split every line into the fields ``names``, by place; ``tabs`` may separate them."""
        expected, rows = len(names.split()), {}
        for place, line in self.lines.items():
            at_tabs = tabs and line.count("\t") == expected - 1
            fields = [x.strip() for x in line.split("\t")] if at_tabs else line.split()
            if len(fields) != expected:
                raise self.error(
                    f"{self.path}, {place}: expected {expected} columns ({names}); "
                    f"got {len(fields)}.",
                    remedy,
                )
            rows[place] = fields
        return rows


def check_max_size(max_size: Any) -> None:
    """Raise if ``max_size`` is not a positive number."""
    number = isinstance(max_size, int | float) and not isinstance(max_size, bool)
    if not number or not max_size > 0:
        raise OptionError(
            (Argument("max_size"), f" must be a positive number of MB; got {max_size!r}."),
            ("Use ", Argument("max_size", 1000), " for 1 GB."),
        )


def as_path(source: PathLike, error: type[BayescorrError]) -> Path:
    """Return ``source`` as a Path if it is a path."""
    if not isinstance(source, str | os.PathLike):
        raise error(f"Expected a path; got {type(source).__name__}.", "Pass the path of a file.")
    return Path(source)


def expand_paths(
    source: PathLike | Sequence[PathLike], error: type[BayescorrError]
) -> tuple[list[Path], bool]:
    """List the files of a path, a folder, a pattern (with * ? [) or a list of these.

    Files are sorted within a folder or pattern; a list keeps its order. The second value says
    whether the source can hold several files: a folder with a single file still can.
    """
    if isinstance(source, Iterable) and not isinstance(source, str | os.PathLike):
        found = [path for item in source for path in expand_paths(item, error)[0]]
        twice = [path for path, count in Counter(found).items() if count > 1]
        if twice:
            raise error(f"Duplicate files: {listing(twice)}.", "Pass every file once.")
        if not found:
            raise error("The list of files is empty.", "Pass at least one path.")
        return found, True
    path = as_path(source, error)
    if not str(source):
        raise error("The path is empty.", "Pass a file, a folder or a pattern.")
    if os.path.isdir(path):  # unlike Path.is_dir, takes names that are too long
        try:
            found = sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith("."))
        except OSError as problem:
            raise error(f"{path}: cannot be read: {problem.strerror}.", "Check the path.") from None
        if not found:
            raise error(f"{path}: the folder contains no files.", "Check the path.")
        return found, True
    if not os.path.exists(path) and glob.has_magic(str(source)) and "\0" not in str(source):
        found = sorted(p for p in map(Path, glob.glob(str(source), recursive=True)) if p.is_file())
        if not found:
            raise error(f"{source}: no file matches this pattern.", "Check the pattern.")
        return found, True
    return [path], False


def stem(path: Path) -> str:
    """Return the file name without known endings: bm25-b0.75 for runs/bm25-b0.75.run.gz."""
    name = path.name
    while (ending := os.path.splitext(name)[1]) in SUFFIXES and ending:
        name = name[: -len(ending)]
    return name or path.name


def name_systems(
    paths: Sequence[Path],
    first: Sequence[str],
    second: Sequence[str],
    error: type[BayescorrError],
) -> list[str]:
    """Name the system of every file: its first choice, or its second where first choices clash."""
    count = Counter(first)
    names = [b if count[a] > 1 and b else a for a, b in zip(first, second, strict=True)]
    if again := repeated(names):
        a, b = again
        raise error(
            f"{paths[a]} and {paths[b]} have the same system name, {names[b]!r}.",
            "Rename one of the files, or change the run name inside it.",
        )
    return names


def repeated(keys: Sequence[Hashable]) -> tuple[int, int] | None:
    """Return the positions of the first repeated key: its first and its second occurrence."""
    if len(set(keys)) == len(keys):
        return None
    seen: dict[Hashable, int] = {}
    return next((seen[key], i) for i, key in enumerate(keys) if seen.setdefault(key, i) != i)


def refuse_repeats(
    source: object,
    places: Sequence[str],
    keys: Sequence[tuple[Hashable, ...]],
    what: str,
    error: type[BayescorrError] = ScoresError,
) -> None:
    """Raise if a key occurs twice; ``what`` describes it, with the parts of the key in braces."""
    if again := repeated(keys):
        first, second = again
        raise error(
            f"{source}, {places[second]}: duplicate {what.format(*keys[second])}; first on "
            f"{places[first]}.",
            "Keep one of the two.",
        )
