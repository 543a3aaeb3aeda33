"""Runs and judgments, broken."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from bad_input_cases.case import RNG, Case, Misread

import bayescorr


def runs() -> Iterator[Case]:
    """Break run and qrels files; a result must be that of the files as they are."""
    qrels = "".join(f"{t} 0 d{i} {int(i < 3)}\n" for t in ("1", "2", "3") for i in range(6))
    run = "".join(
        f"{t} Q0 d{(i + int(t)) % 8} {i + 1} {9.5 - i} tag\n"
        for t in ("1", "2", "3")
        for i in range(8)
    )
    other = run.replace("d1 ", "dx ")

    def act(which: str, content: str | bytes, right: bool) -> Callable[[Path], str]:
        def read(folder: Path) -> str:
            files: dict[str, str | bytes] = {"a.run": run, "b.run": other, "qrels": qrels}
            found = []
            for changed in (files, files | {which: content}):
                for name, text in changed.items():
                    data = text if isinstance(text, bytes) else text.encode()
                    (folder / name).write_bytes(data)
                paths = [folder / "a.run", folder / "b.run"]
                found.append(bayescorr.score_runs(paths, folder / "qrels", "AP"))
            if not right or not np.allclose(found[0], found[1]):
                raise Misread(f"means {found[1].mean().round(4).to_dict()}")
            return "the true scores"

        return read

    for which, text in (("a.run", run), ("qrels", qrels)):
        data, first = text.encode(), text.splitlines()[0]
        for what, content, right in (
            ("byte-order mark", b"\xef\xbb\xbf" + data, True),
            ("Windows line ends", text.replace("\n", "\r\n"), True),
            ("tabs", text.replace(" ", "\t"), True),
            ("blank lines", text.replace("\n", "\n\n"), True),
            ("gzip under another name", gzip.compress(data), True),
            ("empty", "", False),
            ("only a byte-order mark", b"\xef\xbb\xbf", False),
            ("random bytes", bytes(RNG.integers(0, 256, 300, dtype=np.uint8)), False),
            ("NUL bytes", bytes(100), False),
            ("a field too few", text.replace(first, first.rsplit(" ", 1)[0], 1), False),
            ("a field too many", text.replace(first, f"{first} x", 1), False),
            ("text for a number", text.replace(first, " ".join([*first.split()[:3], "x y"]), 1)
             if which == "a.run" else text.replace(first, f"{first[:-1]}x", 1), False),
            ("a line twice", text.replace(first, f"{first}\n{first}", 1), False),
            ("commas", text.replace(" ", ","), False),
            ("truncated gzip", gzip.compress(data)[:60], False),
        ):  # fmt: skip
            yield Case("run or qrels", f"{which}: {what}", act(which, content, right))
    yield Case("run or qrels", "score nan", act("a.run", run.replace("9.5", "nan", 1), False))
    yield Case("run or qrels", "score inf", act("a.run", run.replace("9.5", "inf", 1), False))
    other_topics = qrels.replace("1 0", "901 0").replace("2 0", "902 0").replace("3 0", "903 0")
    yield Case("run or qrels", "qrels of other topics", act("qrels", other_topics, False))
