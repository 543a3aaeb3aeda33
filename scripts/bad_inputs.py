"""Try hundreds of bad or odd inputs, and record what each gives.

Seeded mutations of score files, runs, fits, studies, study folders, options and arguments run
in this process. The verdict on each is one of: correct result; one clear line (and exit code 2);
traceback; silent misread (a result that differs from the true one).

    python scripts/bad_inputs.py            # writes docs/validation/bad-inputs.csv
    python scripts/bad_inputs.py --only fit # prints the cases of one kind
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import json
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd
import pyarrow.parquet as pq

import bayescorr
from bayescorr.cli import main as bayescorr_main
from bayescorr.errors import BayescorrError
from bayescorr.planning.extrapolation import extrapolate
from bayescorr.scores.load import load_scores

TABLE = Path(__file__).parents[1] / "docs" / "validation" / "bad-inputs.csv"
CORRECT, CLEAR = "correct result", "one clear line"
TRACEBACK, MISREAD = "traceback", "silent misread"
SECONDS = 60

RNG = np.random.default_rng(16)
TOPICS = [f"q{i}" for i in range(1, 9)]
SYSTEMS = ["bm25", "dpr", "splade", "rrf"]
SCORES = pd.DataFrame(RNG.uniform(0.1, 0.9, (8, 4)).round(4), TOPICS, SYSTEMS).rename_axis("topic")
MEANS = SCORES.mean()


class Misread(Exception):
    """A result that is not the true one."""


@dataclass(frozen=True)
class Case:
    """An input, and what happens if it is used: a result in words, an error, or a Misread."""

    kind: str
    name: str
    act: Callable[[Path], Any] = field(repr=False)


def judge(case: Case, folder: Path) -> dict[str, Any]:
    """Run a case; return its input, outcome, exit code and verdict."""
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(SECONDS)
    code: int | None = 0
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            outcome, verdict = str(case.act(folder) or "accepted"), CORRECT
    except Misread as error:
        outcome, verdict = str(error), MISREAD
    except BayescorrError as error:
        outcome, code = str(error), 2
        verdict = CLEAR if "\n" not in outcome and error.message else TRACEBACK
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        outcome = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
        code, verdict = 1, TRACEBACK
    finally:
        signal.alarm(0)
    outcome = " ".join(outcome.replace(f"{folder}/", "").replace(str(folder), "DIR").split())
    outcome = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in outcome)
    return {
        "kind": case.kind,
        "input": case.name,
        "outcome": outcome[:300],
        "exit_code": code,
        "verdict": verdict,
    }


def _too_long(*_: Any) -> None:
    raise TimeoutError(f"no answer in {SECONDS} s")


def shell(*words: object) -> str:
    """Run a command in this process; return its output, or raise what its exit code means."""
    out, err = io.StringIO(), io.StringIO()
    before, sys.argv = sys.argv, ["bayescorr", *map(str, words)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            bayescorr_main()
    except SystemExit as ended:
        code = ended.code
    finally:
        sys.argv = before
    said = [line for line in err.getvalue().splitlines() if line.strip()]
    if code == 2 and said:
        errors = [i for i, line in enumerate(said) if line.startswith("Error: ")]
        if len(errors) == 1 and len(said) - errors[0] <= 2:
            raise BayescorrError(" ".join(said[errors[0] :]))
    if code:
        raise RuntimeError(f"exit code {code}: {' '.join(said)}")
    return out.getvalue()


# ---------------------------------------------------------------- score files


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


def plausible_tables() -> Iterator[Case]:
    """Write the true table in ways that people do, and that invite a misreading."""
    wide, flat = SCORES.rename_axis("topic"), SCORES.reset_index()
    many = pd.DataFrame({f"llm-{i}b": RNG.random(4) for i in range(40)}, TOPICS[:4])
    items = pd.DataFrame(RNG.random((5, 100))).add_prefix("item").set_index(pd.Index(list("vwxyz")))
    percent = (SCORES * 100).round(2)

    def with_row(label: str) -> str:
        return pd.concat([wide, MEANS.to_frame(label).T]).rename_axis("topic").to_csv()

    tables: dict[str, tuple[Any, ...]] = {
        "saved index column": (flat.to_csv(),),
        "index saved twice": (flat.reset_index().to_csv(),),
        "numbered topics and a saved index": (wide.reset_index(drop=True).reset_index().to_csv(),),
        "column Unnamed: 0": (flat.reset_index(names="Unnamed: 0").to_csv(index=False),),
        "models as rows, header model": (SCORES.T.rename_axis("model").to_csv(),),
        "models as rows, no header": (SCORES.T.rename_axis(None).to_csv(),),
        "models as rows, header system": (SCORES.T.rename_axis("system").to_csv(),),
        "models as rows, header run": (SCORES.T.rename_axis("run").to_csv(),),
        "40 models as rows, 4 topics": (many.T.rename_axis(None).to_csv(), "never"),
        "5 models as rows, 100 items": (items.to_csv(), "never"),
        "year column": (wide.assign(year=2024).to_csv(),),
        "Year column of several years": (wide.assign(Year=range(2010, 2018)).to_csv(),),
        "count column": (wide.assign(n_docs=range(100, 900, 100)).to_csv(),),
        "rank column": (wide.assign(rank=range(1, 9)).to_csv(),),
        "mean column": (wide.assign(mean=wide.mean(axis=1)).to_csv(),),
        "AVG column": (wide.assign(AVG=wide.mean(axis=1)).to_csv(),),
        "text column": (wide.assign(query="what is x").to_csv(),),
        "query text before the scores": (flat.assign(topic=[f"{t}, a b" for t in TOPICS])
                                         .to_csv(index=False),),
        "percent signs": (percent.map(lambda x: f"{x:g}%").to_csv(), (1.0, 100.0)),
        "decimal commas, semicolons": (SCORES.to_csv(sep=";", decimal=","),),
        "decimal commas, tabs": (SCORES.to_csv(sep="\t", decimal=","),),
        "quoted numbers": (SCORES.astype(str).to_csv(quoting=2),),
        "comment lines": ("# my scores\n# AP\n" + SCORES.to_csv(),),
        "R write.table": (wide.to_csv(sep=" ", quoting=2).replace('"topic" ', "", 1),),
        "R write.csv": (SCORES.rename_axis("").to_csv(quoting=2),),
        "Latin-1 topics": (SCORES.rename(index={"q1": "Zürich"}).to_csv().encode("latin-1"),),
        "trailing commas": (SCORES.to_csv().replace("\n", ",\n"),),
        "markdown": (SCORES.to_markdown() if _has("tabulate") else "| a |\n|---|\n",),
        "LaTeX": (SCORES.to_latex() if _has("jinja2") else "\\begin{tabular}", "never"),
        "HTML": (SCORES.to_html(), "never"),
    }  # fmt: skip
    for label in ("mean", "Mean", "AVG", "average", "total", "all", "MAP", "overall", "amean"):
        tables[f"row {label}"] = (with_row(label),)
    long = flat.melt("topic", var_name="system", value_name="score")
    for names in (
        ("query", "model", "accuracy"),
        ("question_id", "method", "correct"),
        ("qid", "run_id", "ndcg_cut_10"),
        ("id", "runid", "value"),
        ("item", "name", "AP"),
        ("topic", "System", "MAP"),
        ("q", "s", "x"),
    ):
        renamed = long.set_axis(list(names), axis=1)
        tables[f"long, {', '.join(names)}"] = (renamed.to_csv(index=False),)
    tables["long, columns in another order"] = (long[["score", "system", "topic"]].to_csv(),)
    tables["long, with a saved index"] = (long.to_csv(),)
    for what, (content, *more) in tables.items():
        act = file
        options = {"factors": more[0]} if more and more[0] != "never" else {}
        if more and more[0] == "never":
            act = never
        yield Case("plausible table", what, act("scores.csv", content, **options))
    frames = {
        "DataFrame with Unnamed: 0": flat.reset_index(names="Unnamed: 0"),
        "DataFrame with a topic column": flat,
        "DataFrame with a mean row": pd.concat([wide, MEANS.to_frame("mean").T]),
        "DataFrame with a year": wide.assign(year=2024),
        "DataFrame of systems x topics": SCORES.T.rename_axis("system"),
    }
    for what, frame in frames.items():
        read = lambda _, frame=frame: same_means(bayescorr.read_scores(frame))  # noqa: E731
        yield Case("plausible table", what, read)


def _has(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module) is not None


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


# ---------------------------------------------------------------- runs and judgments


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


# ---------------------------------------------------------------- fits


def fits(home: Path) -> Iterator[Case]:
    """Drop, rename and change every part of a stored fit; truncate and garble the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = bayescorr.fit(SCORES, "flat", random_seed=1, draws=20, chains=2)
    good = fit.to_netcdf(home / "good.nc")
    content, truth = good.read_bytes(), fit.estimates(coefficients=["tau", "pearson"])

    def load(path: Path) -> str:
        found = bayescorr.load_fit(path)
        again = found.estimates(coefficients=["tau", "pearson"])
        found.ranking(), found.groups(), repr(found)
        try:
            pd.testing.assert_frame_equal(again, truth)
        except AssertionError:
            raise Misread(f"estimates {again['estimate'].round(4).tolist()}") from None
        return "the true estimates"

    def changed(edit: Callable[[h5py.File], Any]) -> Callable[[Path], str]:
        def act(folder: Path) -> str:
            shutil.copy(good, folder / "fit.nc")
            with h5py.File(folder / "fit.nc", "r+") as file:
                edit(file)
            return load(folder / "fit.nc")

        return act

    def replaced(name: str, values: Any) -> Callable[[h5py.File], None]:
        def edit(file: h5py.File) -> None:
            kept = dict(file[name].attrs)
            del file[name]
            file[name] = values
            for key, value in kept.items():
                if key not in ("DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME"):
                    file[name].attrs[key] = value

        return edit

    def filled(name: str, value: float) -> Callable[[h5py.File], None]:
        return lambda file: file[name].__setitem__((0,) * file[name].ndim, value)

    with h5py.File(good) as file:
        objects: list[str] = []
        file.visit(objects.append)
        attributes = {"": list(file.attrs)} | {name: list(file[name].attrs) for name in objects}
        datasets = {name: file[name].shape for name in objects if hasattr(file[name], "shape")}
        numbers = [name for name in datasets if file[name].dtype.kind == "f"]
    for name in objects:
        drop = lambda f, name=name: f.__delitem__(name)  # noqa: E731
        yield Case("fit", f"{name} dropped", changed(drop))
        rename = lambda f, name=name: f.move(name, f"{name}_x")  # noqa: E731
        yield Case("fit", f"{name} renamed", changed(rename))
    for where, names in attributes.items():
        for key in names:
            at = lambda f, where=where: f[where] if where else f  # noqa: E731
            label = f"attribute {key} of {where or 'the file'}"
            drop = lambda f, at=at, key=key: at(f).attrs.__delitem__(key)  # noqa: E731
            yield Case("fit", f"{label} dropped", changed(drop))
            if not where:
                odd = lambda f, key=key: f.attrs.create(key, [1.5, 2.5])  # noqa: E731
                yield Case("fit", f"{label} replaced by two numbers", changed(odd))
    for name, shape in datasets.items():
        yield Case("fit", f"{name}: one number", changed(replaced(name, 3.0)))
        yield Case("fit", f"{name}: another shape", changed(replaced(name, np.zeros(7))))
        yield Case("fit", f"{name}: text", changed(replaced(name, np.full(shape, b"x"))))
    for name in numbers:
        for value in (np.nan, np.inf, 1e300):
            yield Case("fit", f"{name}: {value}", changed(filled(name, value)))
    for version in (2, 99, -1, "1.0"):
        newer = lambda f, v=version: f.attrs.create("format_version", v)  # noqa: E731
        yield Case("fit", f"format version {version}", changed(newer))

    def written(data: bytes) -> Callable[[Path], str]:
        def act(folder: Path) -> str:
            (folder / "fit.nc").write_bytes(data)
            return load(folder / "fit.nc")

        return act

    for size in sorted({0, 8, *map(int, RNG.integers(1, len(content) - 1, 25))}):
        yield Case("fit", f"truncated to {size} bytes", written(content[:size]))
    for start in sorted(map(int, RNG.integers(0, len(content) - 32, 25))):
        noise = bytes(RNG.integers(0, 256, 32, dtype=np.uint8))
        garbled = content[:start] + noise + content[start + 32 :]
        yield Case("fit", f"garbled at byte {start}", written(garbled))
    yield Case("fit", "a CSV file", written(SCORES.to_csv().encode()))
    simulated = home / "simulator.json"
    bayescorr.ResampleSimulator(SCORES).save(simulated)
    text = simulated.read_text()
    for what, wrong in {
        "truncated": text[:100], "empty": "", "a list": "[]", "null": "null",
        "without scores": text.replace('"scores"', '"score"'),
        "without state": text.replace('"state"', '"states"'),
        "unknown kind": text.replace('"resample"', '"resampled"'),
        "unknown option": text.replace('"truth"', '"truths"'),
        "text scores": text.replace("[[0.", '[["x", 0.'),
        "nested deeply": "[" * 100_000,
    }.items():  # fmt: skip

        def act(folder: Path, wrong: str = wrong) -> str:
            (folder / "simulator.json").write_text(wrong)
            raise Misread(repr(bayescorr.load_simulator(folder / "simulator.json")))

        yield Case("simulator", what, act)


# ---------------------------------------------------------------- studies


def studies(home: Path) -> Iterator[Case]:
    """Set every key of a study file to values of other types, and damage the folder of a study."""
    from bayescorr.study import Study, load_study, run_study
    from bayescorr.study._fields import to_toml

    source = {"name": "demo", "drop_worst": 0.75}
    study = Study("s", [source], ["resample"], [5], 2, ["ML"], ["tau"], batch=1)
    table = study.to_table()

    def load(changed: dict[str, Any], key: str) -> Callable[[Path], str]:
        def act(folder: Path) -> str:
            (folder / "study.toml").write_text(to_toml(changed))
            found = load_study(folder / "study.toml").to_table()
            if key in ("sources", "simulators"):
                found[key] = [x["name"] if set(x) == {"name"} else x for x in found[key]]
            if key in changed and found.get(key, changed[key]) != changed[key]:
                raise Misread(f"{key} = {found.get(key)}")
            return f"{key} as written"

        return act

    values: list[Any] = [5, -1, 0.5, 10**12, "x", "", True, [], [5], ["x"], [[1]], {"x": 1}]
    for key in [*table, "smoke", "typo"]:
        for value in values:
            text = json.dumps(value)
            yield Case("study file", f"{key} = {text}", load(table | {key: value}, key))
        without = {name: value for name, value in table.items() if name != key}
        yield Case("study file", f"without {key}", load(without, key))
    for entry in (
        {"model": "flat", "target_accept": "0.9"}, {"model": "flat", "draws": 1e3},
        {"model": "flat", "draws": 10**14}, {"model": 5}, {"name": "ML", "draws": "9"},
        {"name": "ML", "pairs": "x"}, {"name": "ML", "pairs": [0]}, {"name": 5}, {"nam": "ML"},
        {"model": "matrix-t", "priors": [1]}, {"model": "matrix-t", "priors": {"prior_topics": -1}},
    ):  # fmt: skip
        changed = table | {"methods": [entry]}
        yield Case("study file", f"methods = [{json.dumps(entry)}]", load(changed, "methods"))
    for what, text in {
        "empty": "", "not TOML": "name = ", "NUL": "\0", "Latin-1": b'name = "\xfc"',
        "nested deeply": "a = " + "[" * 5000,
    }.items():  # fmt: skip

        def read(folder: Path, text: str | bytes = text) -> str:
            data = text if isinstance(text, bytes) else text.encode()
            (folder / "study.toml").write_bytes(data)
            raise Misread(load_study(folder / "study.toml").name)

        yield Case("study file", what, read)

    out = home / "study"
    truth = run_study(study, out, workers=1).drop(columns="seconds")
    part = "results/demo--resample--n5--0-1.parquet"
    size = (out / part).stat().st_size

    def swapped(f: Path) -> None:
        one, other = f / part, f / part.replace("0-1", "1-2")
        first, second = one.read_bytes(), other.read_bytes()
        one.write_bytes(second)
        other.write_bytes(first)

    def edited(f: Path) -> None:
        frame = pq.ParquetFile(f / part).read().to_pandas().assign(estimate=0.5)
        frame.to_parquet(f / part, index=False)

    def rewritten(name: str, data: bytes) -> Callable[[Path], Any]:
        return lambda f: (f / name).write_bytes(data)

    whole = (out / part).read_bytes()
    damages: dict[str, Callable[[Path], Any]] = {
        "a part is empty": rewritten(part, b""),
        "a part is text": rewritten(part, b"x,y\n1,2\n"),
        **{f"a part is cut to {n} bytes": rewritten(part, whole[:n])
           for n in sorted(map(int, RNG.integers(1, size - 1, 5)))},
        **{f"a part is garbled at {n}": rewritten(part, whole[:n] + bytes(40) + whole[n + 40 :])
           for n in sorted(map(int, RNG.integers(4, size - 60, 5)))},
        "a part is renamed": lambda f: (f / part).rename(f / "results" / "x.parquet"),
        "a part is copied": lambda f: shutil.copy(f / part, f / part.replace("0-1", "7-8")),
        "two parts are swapped": swapped,
        "a part is edited": edited,
        "scores.json is empty": rewritten("scores.json", b""),
        "scores.json is cut": rewritten("scores.json", b'{"demo": "12'),
        "scores.json is a list": rewritten("scores.json", b"[1]"),
        "study.toml is empty": rewritten("study.toml", b""),
        "study.toml is cut": rewritten("study.toml", b'name = "s"\ntopics = [5'),
        "study.toml is binary": rewritten("study.toml", b"\xff\x00\x12"),
        "study.toml is missing": lambda f: (f / "study.toml").unlink(),
        "results is missing": lambda f: shutil.rmtree(f / "results"),
    }  # fmt: skip
    definition = home / "study.toml"
    definition.write_text(study.to_toml())
    commands = {
        "status": lambda f: shell("study", "status", f),
        "summary": lambda f: shell("study", "summary", f, "--json"),
        "run": lambda f: shell("study", "run", definition, "--out", f, "--workers", 1),
        "run --repair": lambda f: shell(
            "study", "run", definition, "--out", f, "--workers", 1, "--repair"
        ),
    }
    for what, damage in damages.items():
        for name, command in commands.items():

            def act(folder: Path, damage: Any = damage, command: Any = command) -> str:
                shutil.copytree(out, folder / "study")
                damage(folder / "study")
                command(folder / "study")
                try:
                    found = bayescorr.read_results(folder / "study").drop(columns="seconds")
                except BayescorrError:
                    return "an unfinished study"
                if not found.equals(truth):
                    raise Misread("other results")
                return "the true results"

            yield Case("study folder", f"{what}: {name}", act)


# ---------------------------------------------------------------- options and arguments


def options(home: Path) -> Iterator[Case]:
    """Type options that cannot work."""
    scores, other, nowhere = home / "scores.csv", home / "scores.tsv", home / "no" / "file.csv"
    SCORES.to_csv(scores)
    SCORES.to_csv(other, sep="\t")
    numbers = ("x", "0", "-1", "1e99", "nan", "")
    lines: list[str] = [
        f"{command} {scores} {option} {value or repr('')}"
        for command, option in (
            ("estimate", "--level"),
            ("estimate", "--draws"),
            ("fit", "--draws"),
            ("fit", "--chains"),
            ("fit", "--level"),
            ("estimate", "--drop-worst"),
        )
        for value in numbers
        if (option, value) != ("--drop-worst", "0")
    ]
    lines += [
        f"{command} {scores} {option}"
        for command in ("estimate", "fit", "report")
        for option in (
            "--nothing",
            "--coefficients taus",
            "--missing maybe",
            "--measure nothing",
            "--format docx",
            "--seed -1",
            "--seed x",
            "--model nothing",
            "--methods MLE",
            f"--out {nowhere}",
            "--max-size 0",
            "--max-size x",
            "--transpose yes",
        )
        # Some are valid for a command: a report makes its folder.
        if not (command == "report" and option.startswith("--out"))
    ]
    lines += [
        "nothing", "estimate", f"estimate {nowhere}", f"estimate {home}", "scores nothing",
        f"fit {scores} --model flat --target-accept 2", f"show {scores}", f"show {nowhere}",
        f"report {home}/good.nc --model flat", f"fit {scores} --model flat --draws {10**14}",
        f"estimate {scores} --draws {10**14}", "study run nothing --out x", "study status nowhere",
        f"study summary {home}", "study plot nowhere", "study show x.toml",
        f"simulate {scores} --topics 0", f"simulate {scores} --topics {10**14}",
        f"simulate {scores} --topics x", f"simulate {scores} --simulator nothing",
        f"coefficient {scores}", f"correlate {scores} {other} --coefficients x",
        f"plan {scores} --target 2", f"score-runs --runs {scores} --qrels {scores}",
        f"infer-ap --run {scores} --qrels {scores}", f"score-runs --runs {nowhere} --qrels x",
    ]  # fmt: skip
    for line in lines:
        words = ["" if word == "''" else word for word in line.split()]

        def act(_: Path, words: list[str] = words) -> str:
            raise Misread(f"accepted: {shell(*words)[:80]}")

        yield Case("command line", f"bayescorr {line.replace(f'{home}/', '')}", act)


def one_argument(truth: Any) -> float:
    """Return a number, but of one vector."""
    return float(truth[0])


def raising(truth: Any, observed: Any) -> float:
    """Raise an error that is not of this package."""
    raise ZeroDivisionError("division by zero")


def text(truth: Any, observed: Any) -> str:
    """Return text instead of a number."""
    return "high"


def arguments(home: Path) -> Iterator[Case]:
    """Call functions with arguments of wrong types and sizes."""
    fit = bayescorr.load_fit(home / "good.nc")
    simulator = bayescorr.ResampleSimulator(SCORES)
    estimate = lambda **o: bayescorr.estimate(SCORES, **({"draws": 10} | o))  # noqa: E731
    flat = lambda **o: bayescorr.fit(SCORES, "flat", **o)  # noqa: E731
    wrong: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
        "estimate: methods": (lambda x: estimate(methods=x), (None, 5, [], ["x"], [None], 0.5)),
        "estimate: coefficients": (
            lambda x: estimate(methods="ML", coefficients=x),
            (None, 5, [], ["x"], [None], one_argument, raising, text, [["tau"]]),
        ),
        "estimate: level": (lambda x: estimate(level=x), (None, "0.9", 95, -1, [0.9], True)),
        "estimate: draws": (lambda x: estimate(draws=x), (None, "9", 0, 2.5, 10**14, True)),
        "estimate: interval": (lambda x: estimate(interval=x), (None, 5, "x")),
        "estimate: missing": (lambda x: estimate(missing=x), (None, 5, "x")),
        "estimate: random_seed": (lambda x: estimate(random_seed=x), ("x", -1, 0.5)),
        "estimate: scores": (bayescorr.estimate, (None, 5, "x", [], {}, [[1, 2]], [1, 2], "a.csv")),
        "check_scores: scores": (bayescorr.check_scores, (None, 5, "x", [], object())),
        "read_scores: source": (bayescorr.read_scores, (None, 5, [], [None], "", "\0", object())),
        "fit: model": (lambda x: bayescorr.fit(SCORES, x), (5, "x", [], object())),
        "fit: priors": (
            lambda x: bayescorr.fit(SCORES, "bootstrap-shrunk", priors=x),
            (5, "x", [1], {"prior_topics": "a"}, {"prior_topics": None}, {"x": 1}),
        ),
        "fit: draws": (lambda x: flat(draws=x), (None, "9", 0, 1.5, 10**14)),
        "fit: score_sd": (lambda x: flat(score_sd=x), (5, "x", SCORES)),
        "fit: nuts_sampler": (lambda x: flat(nuts_sampler=x), (None, 5, "x")),
        "Fit.from_draws: draws": (
            lambda x: bayescorr.Fit.from_draws(x, SCORES),
            (None, 5, "x", [], [[1, 2]], [[np.nan] * 4] * 4, [["a"] * 4] * 4),
        ),
        "Fit.draws: coefficient": (fit.draws, (None, 5, "x", one_argument, raising, text)),
        "Fit.estimates: coefficients": (
            lambda x: fit.estimates(coefficients=x), (None, 5, [], ["x"], one_argument, raising)
        ),
        "Fit.estimates: level": (fit.estimates, (None, "0.9", 95)),
        "Fit.estimates: point": (lambda x: fit.estimates(point=x), (5, "mode")),
        "Fit.estimates: kind": (lambda x: fit.estimates(kind=x), (None, 5, "x")),
        "Fit.to_netcdf: path": (fit.to_netcdf, (None, 5, home, home / "no" / "fit.nc", "")),
        "load_fit: path": (bayescorr.load_fit, (None, 5, "", home, "nowhere.nc")),
        "compare_systems": (lambda x: fit.compare_systems(x, "dpr"), (None, 5, "x")),
        "extrapolate: n_topics": (
            lambda x: extrapolate(SCORES, x), (None, "x", 0, [], [None], 0.5, -3)
        ),
        "extrapolate: methods": (
            lambda x: extrapolate(SCORES, 5, methods=x), (None, 5, ["x"], ["RES"])
        ),
        "expected_coefficient: n_topics": (
            lambda x: bayescorr.expected_coefficient(fit, x), ("x", 0, [], [None], 0.5)
        ),
        "topics_needed: target": (
            lambda x: bayescorr.topics_needed(fit, target=x), (None, "0.9", 1, 2, np.nan)
        ),
        "Simulator.sample: n_topics": (simulator.sample, (None, "x", 0, -1, 2.5, 10**14)),
        "Simulator.sample_means: size": (
            lambda x: simulator.sample_means(5, x), (None, "x", 0, 10**14)
        ),
        "Simulator.save: path": (simulator.save, (None, 5, home, home / "no" / "s.json")),
        "load_simulator: path": (bayescorr.load_simulator, (None, 5, home, "nowhere.json")),
        "EffectsSimulator: truth": (
            lambda x: bayescorr.EffectsSimulator(SCORES, truth=x), (None, 5, "x")
        ),
        "tau: truth": (lambda x: bayescorr.tau(x, [1, 2, 3]), (None, 5, "x", [], [1, 2])),
        "correlate: coefficients": (
            lambda x: bayescorr.correlate([1, 2, 3], [1, 3, 2], x),
            (None, 5, "x", one_argument, raising),
        ),
        "discordance: method": (lambda x: bayescorr.discordance(SCORES, x), (None, 5, "x", "SH")),
        "run_study: study": (lambda x: bayescorr.run_study(x, home), (None, 5, "x", home / "no")),
        "read_results: folder": (bayescorr.read_results, (None, 5, home, "nowhere")),
        "score_runs: runs": (lambda x: bayescorr.score_runs(x, home), (None, 5, [], "", [None])),
        "drop_worst: share": (lambda x: bayescorr.drop_worst(SCORES, x), (None, "x", -1, 1, 2)),
        "load_dataset: name": (bayescorr.load_dataset, (None, 5, "x", "")),
        "get_model: name": (lambda x: bayescorr.fit(SCORES, model=x), (5, "MATRIX")),
    }  # fmt: skip
    for name, (function, values) in wrong.items():
        for value in values:

            def act(_: Path, function: Any = function, value: Any = value) -> str:
                raise Misread(f"accepted: {str(function(value))[:80]}")

            said = getattr(value, "__name__", None) or repr(value).split(" at 0x")[0]
            said = "a DataFrame" if isinstance(value, pd.DataFrame) else said
            yield Case("argument", f"{name} = {said.replace(str(home), 'DIR')}", act)


def cases(home: Path) -> list[Case]:
    """Return all cases; ``home`` is a folder for files that they share."""
    return [
        *broken_texts(), *plausible_tables(), *parquet_files(), *runs(), *fits(home),
        *studies(home), *options(home), *arguments(home),
    ]  # fmt: skip


def run(chosen: list[Case], show: bool = False) -> pd.DataFrame:
    """Judge cases, each in a folder of its own."""
    rows = []
    for case in chosen:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(judge(case, Path(folder)))
        if show:
            print(f"{rows[-1]['verdict']}: {case.kind}: {case.name}: {rows[-1]['outcome']}")
    return pd.DataFrame(rows)


def main() -> None:
    """Write the table and print how many inputs had which verdict."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", help="kind of input; print its cases and write no table")
    parser.add_argument("--out", type=Path, default=TABLE)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        chosen = [case for case in cases(Path(home)) if given.only in (None, case.kind)]
        table = run(chosen, show=given.only is not None)
    for name in ("input", "outcome"):
        table[name] = table[name].str.replace(home, "DIR", regex=False)
    if given.only is None:
        table.to_csv(given.out, index=False)
    bad = table[~table["verdict"].isin([CORRECT, CLEAR])]
    if len(bad):
        print(bad[["kind", "input", "verdict", "outcome"]].to_string(max_colwidth=150))
    print(table.groupby(["kind", "verdict"], sort=False).size().unstack(fill_value=0))
    print(len(table), "inputs:", dict(Counter(table["verdict"])))


if __name__ == "__main__":
    main()
