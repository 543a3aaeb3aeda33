"""Open text files, gzipped or not, with errors that name the file and the line."""

from __future__ import annotations

import glob
import gzip
import os
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from bayescorr.errors import BayescorrError, listing

PathLike = str | os.PathLike[str]

GZIP_MAGIC = b"\x1f\x8b"
SUFFIXES = (".gz", ".csv", ".tsv", ".txt", ".run", ".res", ".eval", ".trec_eval", ".jsonl", ".out")


def read_bytes(path: Path, error: type[BayescorrError]) -> bytes:
    """Read a file whole, unpacking gzip; any failure is an ``error`` that names the file."""
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
                f"{path}: not a whole gzip file ({str(problem).rstrip('.')}).",
                "Copy or download the file again.",
            ) from None
    if not content.strip():
        raise error(f"{path}: the file is empty.", "Give a file that has content.")
    return content


def decode(content: bytes, path: Path, error: type[BayescorrError]) -> str:
    """Decode UTF-8 (with or without a byte order mark), or say on which line it is not."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        raise error(
            f"{path}, line {line}: not UTF-8 text (byte 0x{content[problem.start]:02x}).",
            "Save the file as UTF-8 text.",
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise error(f"{path}, line {line}: NUL byte in a text file.", "Save the file as text.")
    return text


def read_text(path: Path, error: type[BayescorrError]) -> str:
    """Read a text file, gzipped or not."""
    return decode(read_bytes(path, error), path, error)


def as_path(source: PathLike, error: type[BayescorrError]) -> Path:
    """Return a path as a Path, or refuse what is none."""
    if not isinstance(source, (str, os.PathLike)):
        raise error(f"{type(source).__name__} found where a path is expected.", "Name a file.")
    return Path(source)


def expand_paths(
    source: PathLike | Sequence[PathLike], error: type[BayescorrError]
) -> tuple[list[Path], bool]:
    """Find the files that a path, a folder, a pattern (with * ? [) or a list of these stands for.

    Returns the files in sorted order (a list keeps its own order), and whether they are several by
    the way they were asked for: a folder with one file in it still is a folder.
    """
    if isinstance(source, Iterable) and not isinstance(source, (str, os.PathLike)):
        found = [path for item in source for path in expand_paths(item, error)[0]]
        twice = [str(path) for path, count in Counter(found).items() if count > 1]
        if twice:
            raise error(f"File given more than once: {listing(twice)}.", "Give every file once.")
        if not found:
            raise error("No files given.", "Give at least one path.")
        return found, True
    path = as_path(source, error)
    if not str(source):
        raise error("The path is empty.", "Name a file, a folder or a pattern.")
    if os.path.isdir(path):  # unlike Path, os.path takes a name that cannot be one
        try:
            found = sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith("."))
        except OSError as problem:
            raise error(f"{path}: cannot be read: {problem.strerror}.", "Check the path.") from None
        if not found:
            raise error(f"{path}: there are no files in this folder.", "Check the path.")
        return found, True
    if not os.path.exists(path) and glob.has_magic(str(source)) and "\0" not in str(source):
        found = sorted(Path(p) for p in glob.glob(str(source), recursive=True))
        found = [p for p in found if p.is_file()]
        if not found:
            raise error(f"{source}: no file matches this pattern.", "Check the pattern.")
        return found, True
    return [path], False


def stem(path: Path) -> str:
    """File name without the endings that say only what kind of file it is.

    Examples
    --------
    >>> stem(Path("runs/bm25-b0.75.run.gz"))
    'bm25-b0.75'
    """
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
    """Choose a name for every file: the first choice, or the second where first choices clash."""
    count = Counter(first)
    names = [b if count[a] > 1 and b else a for a, b in zip(first, second, strict=True)]
    seen: dict[str, Path] = {}
    for name, path in zip(names, paths, strict=True):
        if name in seen:
            raise error(
                f"Both {seen[name]} and {path} are named {name!r}.",
                "Rename one of the files, or give its run another name inside the file.",
            )
        seen[name] = path
    return names
