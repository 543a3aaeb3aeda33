"""Score files: every format broken in the same ways, and odd Parquet and JSON files."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from bad_input_cases.case import MEANS, RNG, SCORES, SYSTEMS, TOPICS, Case, Misread

import bayescorr
from bayescorr.scores.load import load_scores


def same_means(found: Any, factors: tuple[float, ...] = (1.0,)) -> str:
    """Return the shape of a table if its means are the true ones."""
    means = found.mean().rename(index=str).sort_index()
    if list(means.index) != sorted(SYSTEMS):
        raise Misread(f"systems {', '.join(map(str, means.index))}")
    truth = MEANS.sort_index()
    if not any(np.allclose(means, factor * truth, atol=1e-9) for factor in factors):
        raise Misread(f"means {means.round(4).to_dict()}")
    return f"{found.shape[1]} systems, {found.shape[0]} topics, the true means"


def file(name: str, content: str | bytes, **options: Any) -> Callable[[Path], str]:
    """Read a file; its means must be the true ones."""
    factors = options.pop("factors", (1.0,))

    def act(folder: Path) -> str:
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(data)
        scores = bayescorr.check_scores(load_scores(str(folder / name), **options), warn=False)
        return same_means(scores, factors)

    return act


def never(name: str, content: str | bytes, **options: Any) -> Callable[[Path], str]:
    """Read a file that holds no complete table: any result is a misread."""
    read = file(name, content, **options)

    def act(folder: Path) -> str:
        raise Misread(read(folder))

    return act


def formats() -> dict[str, tuple[str, str]]:
    """Return the true table as text in every format: name of a file and content."""
    long = SCORES.reset_index().melt("topic", var_name="system", value_name="score")
    records = long.to_dict("records")
    evaluations = "".join(
        f"runid\tall\t{system}\n"
        + "".join(f"map\t{topic}\t{SCORES.loc[topic, system]:.4f}\n" for topic in TOPICS)
        + f"map\tall\t{MEANS[system]:.4f}\n"
        for system in SYSTEMS
    )
    nested = {s: {t: float(SCORES.loc[t, s]) for t in TOPICS} for s in SYSTEMS}
    return {
        "wide csv": ("s.csv", SCORES.to_csv()),
        "wide tsv": ("s.tsv", SCORES.to_csv(sep="\t")),
        "wide semicolons": ("s.csv", SCORES.to_csv(sep=";")),
        "long csv": ("s.csv", long.to_csv(index=False)),
        "long tsv": ("s.tsv", long.to_csv(index=False, sep="\t")),
        "trec_eval": ("s.eval", evaluations),
        "JSON by system": ("s.json", json.dumps(nested)),
        "JSON records": ("s.json", json.dumps(records)),
        "JSON lines": ("s.jsonl", "\n".join(map(json.dumps, records)) + "\n"),
    }


def broken_texts() -> Iterator[Case]:
    """Break every text format in the same ways."""
    cell = f"{SCORES.iloc[2, 1]:.4f}".rstrip("0")
    for kind, (name, content) in formats().items():
        lines = content.splitlines(keepends=True)
        quoted = ('"{}"' if "json" in name else "{}").format
        broken: dict[str, str | bytes] = {
            "empty": "",
            "only a byte-order mark": b"\xef\xbb\xbf",
            "only blank lines": "\n \n\n",
            "only NUL bytes": bytes(200),
            "random bytes": RNG.integers(0, 256, 400, dtype=np.uint8).tobytes(),
            "NUL inside": content[:60] + "\0" + content[60:],
            "text in a cell": content.replace(cell, quoted("abc"), 1),
            "inf in a cell": content.replace(cell, quoted("inf"), 1),
            "1e400 in a cell": content.replace(cell, "1e400", 1),
            "1e200 in a cell": content.replace(cell, "1e200", 1),
            "empty cell": content.replace(cell, '""' if "json" in name else "", 1),
            "two points in a cell": content.replace(cell, quoted("0.1.2"), 1),
            "a line twice": "".join([*lines[:3], *lines[2:3], *lines[3:]]),
            "cut in the middle of a line": content[: len(content) // 2].rsplit("\n", 1)[0] + "\nq",
            "invalid UTF-8": content.encode()[:50] + b"\xff\xfe\xfa" + content.encode()[50:],
        }
        if len(lines) < 3:
            del broken["a line twice"]
        for what, text in broken.items():
            yield Case("score file", f"{kind}: {what}", never(name, text))
        odd: dict[str, str | bytes] = {
            "as it is": content,
            "byte-order mark": b"\xef\xbb\xbf" + content.encode(),
            "UTF-16": content.encode("utf-16"),
            "Windows line ends": content.replace("\n", "\r\n"),
            "old Mac line ends": content.replace("\n", "\r"),
            "blank lines at the end": content + "\n\n",
            "no newline at the end": content.rstrip("\n"),
            "blanks at line ends": content.replace("\n", "  \n"),
        }
        for what, text in odd.items():
            yield Case("score file", f"{kind}: {what}", file(name, text))
        packed = gzip.compress(content.encode())
        yield Case("score file", f"{kind}: gzip", file(f"{name}.gz", packed))
        cut = packed[: len(packed) // 2]
        yield Case("score file", f"{kind}: truncated gzip", never(f"{name}.gz", cut))
        yield Case("score file", f"{kind}: .gz that is text", file(f"{name}.gz", content))


def parquet_files() -> Iterator[Case]:
    """Write Parquet files that hold the table, or something else."""
    flat = SCORES.reset_index()

    def write(frame: pd.DataFrame, right: bool, **options: Any) -> Callable[[Path], str]:
        def act(folder: Path) -> str:
            frame.to_parquet(folder / "s.parquet", **options)
            found = same_means(bayescorr.read_scores(folder / "s.parquet"))
            if not right:
                raise Misread(found)
            return found

        return act

    lists = flat.assign(topic=[[t] for t in TOPICS])
    structs = flat.assign(topic=[{"t": t} for t in TOPICS])
    yield Case("Parquet", "with index", write(SCORES, True))
    yield Case("Parquet", "topic column", write(flat, True, index=False))
    yield Case("Parquet", "saved index", write(flat, True, index=True))
    yield Case("Parquet", "lists as labels", write(lists, False, index=False))
    yield Case("Parquet", "structs as labels", write(structs, False, index=False))
    yield Case("Parquet", "empty", write(flat.iloc[:0], False, index=False))
    yield Case("Parquet", "one column", write(flat[["topic"]], False, index=False))
    yield Case("Parquet", "text scores", write(flat.astype(str) + "x", False, index=False))
    yield Case("Parquet", "dates", write(flat.assign(bm25=pd.Timestamp("2020")), False))
    content = io.BytesIO()
    SCORES.to_parquet(content)
    data = content.getvalue()
    for size in RNG.integers(1, len(data) - 1, 8):
        yield Case("Parquet", f"truncated to {size} bytes", never("s.parquet", data[:size]))
    for what, text in {
        "deeply nested": "[" * 100_000,
        "deeply nested and closed": "[" * 5000 + "]" * 5000,
        "null": "null",
        "a number": "3",
        "a string": '"x"',
        "empty list": "[]",
        "empty object": "{}",
        "NaN": '{"a": {"q1": NaN, "q2": 1}, "b": {"q1": 1, "q2": 1}}',
        "null score": '{"a": {"q1": null, "q2": 1}, "b": {"q1": 1, "q2": 1}}',
        "lists of text": '{"a": ["x", "y"], "b": ["x", "y"]}',
        "three levels": '{"a": {"q1": {"x": {"y": 1}}}}',
        "mixed": '[{"topic": 1}, 3, null]',
        "cut": '{"a": {"q1": 0.1',
    }.items():
        yield Case("JSON", what, never("s.json", text))
