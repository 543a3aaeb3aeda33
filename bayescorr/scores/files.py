"""Find, open and name files, gzipped or not; errors name the file and the line."""

from __future__ import annotations

import glob
import gzip
import os
import zlib
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bayescorr.errors import BayescorrError, ScoresError, listing

PathLike = str | os.PathLike[str]

GZIP_MAGIC = b"\x1f\x8b"
SUFFIXES = (".gz", ".csv", ".tsv", ".txt", ".run", ".res", ".eval", ".trec_eval", ".jsonl", ".out")


@dataclass(frozen=True)
class File:
    """A file, read when its content is first used; a failure raises an ``error``."""

    path: Path
    error: type[BayescorrError] = ScoresError

    @cached_property
    def content(self) -> bytes:
        """The bytes of the file, unpacked if it is gzipped."""
        path, error = self.path, self.error
        try:
            content = path.read_bytes()
        except (OSError, ValueError) as problem:  # ValueError for a path with a NUL
            reason = getattr(problem, "strerror", None) or problem
            raise error(f"{path}: cannot be read: {reason}.", "Check the path.") from None
        if path.suffix == ".gz" or content.startswith(GZIP_MAGIC):
            try:
                content = gzip.decompress(content)
            except (EOFError, OSError, zlib.error) as problem:
                raise error(
                    f"{path}: invalid or truncated gzip file ({str(problem).rstrip('.')}).",
                    "Copy or download the file again.",
                ) from None
        if not content.removeprefix(BOM_UTF8).strip():
            raise error(f"{path}: the file is empty.", "Provide a file with content.")
        return content

    @cached_property
    def text(self) -> str:
        """The content as UTF-8 text, without its byte order mark."""
        try:
            text = self.content.decode("utf-8-sig")
        except UnicodeDecodeError as problem:
            line = self.content.count(b"\n", 0, problem.start) + 1
            raise self.error(
                f"{self.path}, line {line}: not UTF-8 text (byte "
                f"0x{self.content[problem.start]:02x}).",
                "Save the file as UTF-8 text.",
            ) from None
        if "\0" in text:
            line = text.count("\n", 0, text.index("\0")) + 1
            message = f"{self.path}, line {line}: NUL byte in a text file."
            raise self.error(message, "Save the file as text.")
        return text

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
