"""Stored fits and simulators: every part dropped, renamed and changed."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd
from bad_input_cases.case import RNG, SCORES, Case, Misread

import bayescorr


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
