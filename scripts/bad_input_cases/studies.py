"""Study files and folders, damaged."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from bad_input_cases.case import RNG, Case, Misread, shell

import bayescorr
from bayescorr.errors import BayescorrError
from bayescorr.study import Study, load_study, run_study
from bayescorr.study._fields import to_toml


def studies(home: Path) -> Iterator[Case]:
    """Set every key of a study file to values of other types, and damage the folder of a study."""
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
