"""Stored posteriors: what a file must hold, written with it and checked once when it is read."""

from __future__ import annotations

import json
import warnings
import zlib
from collections.abc import Iterator, Mapping
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescorr._files import check_writable
from bayescorr.bayes import _stack
from bayescorr.coefficients import DEFAULT_COEFFICIENTS, correlate
from bayescorr.errors import BayescorrError, ScoresError
from bayescorr.scores.check import check_scores, observed_means

#: Version of the layout below. Raise it if older releases would misread newer files.
FORMAT_VERSION = 1

_REMEDY = "Use a file written by 'bayescorr fit --out' or Fit.to_netcdf."
#: Recompute the coefficients of this many draws, to see that the draws belong to the scores.
_RECOMPUTED = 50
_DIMS: dict[str, dict[str, tuple[str, ...]]] = {
    "posterior": {
        "true_means": ("chain", "draw", "system"),
        **dict.fromkeys(DEFAULT_COEFFICIENTS, ("chain", "draw")),
    },
    "observed_data": {"scores": ("topic", "system")},
}
_LABELS = {"posterior": ("system",), "observed_data": ("topic", "system")}
#: Variables that only other posteriors have, and what these are.
_OTHERS = {
    "true_means_a": "the agreement of two conditions",
    "ap": "average precision of topics",
}


class _Wrong(Exception):
    """What a file lacks."""


def write_posterior(idata: Any, path: str | PathLike[str]) -> Path:
    """Write a container to a NetCDF file, with the version of the layout and a list of contents."""
    target = check_writable(path)
    groups = _stack.groups(idata)
    contents = {
        group: {str(name): _facts(variable) for name, variable in dataset.variables.items()}
        for group, dataset in groups.items()
    }
    record = {"format_version": FORMAT_VERSION, "contents": json.dumps(contents)}
    _stack.write_netcdf(_stack.container(groups, {**idata.attrs, **record}), target)
    return target


def read_fit(path: str | PathLike[str]) -> Any:
    """Read the container of a fit from a NetCDF file; raise ScoresError for anything else."""
    if not isinstance(path, (str, PathLike)):
        raise ScoresError(f"The path of a fit must be text or a path; got {path!r}.", _REMEDY)
    source = Path(path)
    if not source.exists():
        raise ScoresError(f"File {str(source)!r} does not exist.", "Check the path.")
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            # ArviZ and xarray warn about contents that the schema refuses.
            warnings.simplefilter("ignore")
            # If HDF5 cannot open a file, h5netcdf prints a traceback when it is deleted.
            import_module("h5py").File(source, "r").close()
            idata = _stack.read_netcdf(source)
    # A damaged file makes HDF5, h5netcdf and xarray raise errors of any kind.
    except Exception as error:
        lines = str(error).splitlines() or [type(error).__name__]
        raise ScoresError(
            f"Cannot read {str(source)!r} as NetCDF: {lines[0].rstrip('.')}.", _REMEDY
        ) from None
    _refuse_newer(idata.attrs, source)
    try:
        _check_fit(_stack.groups(idata), idata.attrs)
    except _Wrong as wrong:
        raise ScoresError(f"{str(source)!r} is not a bayescorr fit: {wrong}.", _REMEDY) from None
    return idata


def _check_fit(groups: Mapping[str, xr.Dataset], attributes: Mapping[str, Any]) -> None:
    """Check groups, variables, dimensions, labels, attributes and values of a fit."""
    for group, variables in _DIMS.items():
        if group not in groups:
            raise _Wrong(f"group {group} is missing")
        dataset = groups[group]
        for name, kind in _OTHERS.items():
            if name in dataset and "true_means" not in dataset:
                raise _Wrong(f"it holds {kind}")
        for name, dims in variables.items():
            _check_variable(dataset, group, name, dims)
        for name in _LABELS[group]:
            _check_labels(dataset, group, name)
    _check_attributes(attributes)
    _check_sample_stats(groups)
    _check_values(groups, bool(attributes["higher_is_better"]))
    _check_contents(groups, attributes)


def _refuse_newer(attributes: Mapping[str, Any], source: Path) -> None:
    """Refuse a file whose layout this release does not know."""
    # Files of the first releases have no version, and the layout of version 1.
    version = attributes.get("format_version", 1)
    if not _whole(version) or not 1 <= version <= FORMAT_VERSION:
        release = attributes.get("bayescorr_version", "unknown")
        raise ScoresError(
            f"{str(source)!r} has format version {version}, written by bayescorr {release}; this "
            f"release reads versions up to {FORMAT_VERSION}.",
            "Update bayescorr: pip install --upgrade bayescorr",
        )


def _check_variable(dataset: xr.Dataset, group: str, name: str, dims: tuple[str, ...]) -> None:
    where = f"variable {name} of group {group}"
    if name not in dataset.data_vars:
        raise _Wrong(f"{where} is missing")
    variable = dataset[name]
    if variable.dims != dims:
        found = ", ".join(map(str, variable.dims)) or "none"
        raise _Wrong(f"{where} has the dimensions {found} instead of {', '.join(dims)}")
    if variable.dtype.kind not in "fiu":
        raise _Wrong(f"{where} holds {variable.dtype} instead of numbers")
    if variable.size == 0:
        raise _Wrong(f"{where} is empty")
    if name == "scores":
        return
    if not np.isfinite(variable.to_numpy()).all():
        raise _Wrong(f"{where} has values that are missing or infinite")
    if name in DEFAULT_COEFFICIENTS and np.abs(variable.to_numpy()).max() > 1 + 1e-9:
        raise _Wrong(f"{where} has values beyond -1 and 1")


def _check_labels(dataset: xr.Dataset, group: str, name: str) -> None:
    if name not in dataset.indexes:
        raise _Wrong(f"coordinate {name} of group {group} is missing")
    labels = dataset.indexes[name]
    if not all(isinstance(label, str | int | np.integer) for label in labels):
        raise _Wrong(f"coordinate {name} of group {group} must hold text or whole numbers")
    if not labels.is_unique:
        raise _Wrong(f"coordinate {name} of group {group} has duplicate labels")


def _check_attributes(attributes: Mapping[str, Any]) -> None:
    if not isinstance(attributes.get("model"), str):
        raise _Wrong("attribute model is missing or not text")
    better = attributes.get("higher_is_better")
    if not _whole(better) or better not in (0, 1):
        raise _Wrong("attribute higher_is_better is missing or neither 0 nor 1")
    if not isinstance(attributes.get("measure", ""), str):
        raise _Wrong("attribute measure is not text")
    if not attributes["model"]:
        return
    for name in ("draws", "tune", "chains", "random_seed"):
        value = attributes.get(name)
        if not (_whole(value) or (isinstance(value, str) and value.isdecimal())):
            raise _Wrong(f"attribute {name} is missing or not a whole number")
    try:
        priors = json.loads(attributes["priors"])
        good = all(isinstance(value, int | float) for value in dict(priors).values())
    except (KeyError, TypeError, ValueError):
        good = False
    if not good:
        raise _Wrong("attribute priors is missing or not a JSON object of numbers")


def _check_contents(groups: Mapping[str, xr.Dataset], attributes: Mapping[str, Any]) -> None:
    """Compare the file with its list of contents, which files of the first releases lack."""
    if "contents" not in attributes:
        if "format_version" in attributes:
            raise _Wrong("attribute contents is missing")
        return
    for group, name, expected in _listed(attributes["contents"]):
        if group not in groups:
            raise _Wrong(f"group {group} is missing")
        if name not in groups[group].variables:
            raise _Wrong(f"variable {name} of group {group} is missing")
        found = _facts(groups[group].variables[name])
        if wrong := [key for key, value in expected.items() if found[key] != value]:
            raise _Wrong(f"variable {name} of group {group} was changed (its {wrong[0]})")


def _listed(contents: Any) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield group, variable and what the list of contents says about it."""
    try:
        for group, variables in json.loads(contents).items():
            for name, expected in variables.items():
                keys = ("dims", "shape", "missing", "checksum")
                yield group, name, {key: expected[key] for key in keys}
    except (AttributeError, KeyError, TypeError, ValueError):
        raise _Wrong("attribute contents is garbled") from None


def _facts(variable: xr.Variable) -> dict[str, Any]:
    """Return dimensions, shape, number of missing values and a checksum of a variable."""
    values = np.asarray(variable.values)
    numbers = values.dtype.kind in "bfiu"
    return {
        "dims": [str(dim) for dim in variable.dims],
        "shape": list(values.shape),
        "missing": int(pd.isna(values).sum()),
        "checksum": zlib.crc32(np.ascontiguousarray(values, "<f8").tobytes()) if numbers else 0,
    }


def _check_sample_stats(groups: Mapping[str, xr.Dataset]) -> None:
    stats = groups.get("sample_stats")
    if stats is None:
        return
    if "diverging" not in stats:
        raise _Wrong("variable diverging of group sample_stats is missing")
    size = {name: groups["posterior"].sizes[name] for name in ("chain", "draw")}
    for name in ("diverging", "energy"):
        if name in stats and (
            stats[name].dtype.kind not in "bfiu" or dict(stats[name].sizes) != size
        ):
            raise _Wrong(f"variable {name} of group sample_stats does not match the draws")


def _check_values(groups: Mapping[str, xr.Dataset], higher_is_better: bool) -> None:
    """Check that scores are valid and that draws and coefficients belong to them."""
    posterior, observed = groups["posterior"], groups["observed_data"]
    systems = list(observed.indexes["system"])
    if list(posterior.indexes["system"]) != systems:
        raise _Wrong("the systems of the draws are not those of the scores")
    try:
        scores = check_scores(observed["scores"].to_pandas(), missing="model", warn=False)
        means = observed_means(scores).to_numpy()
        draws = posterior["true_means"].to_numpy().reshape(-1, len(systems))
        some = np.unique(np.linspace(0, len(draws) - 1, _RECOMPUTED).astype(int))
        again = correlate(draws[some], means, "tau", higher_is_better=higher_is_better)["tau"]
    except BayescorrError as error:
        raise _Wrong(f"its scores are invalid: {error.message.rstrip('.')}") from None
    stored = posterior["tau"].to_numpy().ravel()[some]
    # Rounding may resolve a tie in another way on another machine, but not most of the draws.
    if np.mean(np.isclose(stored, again, atol=1e-6)) < 0.5:
        raise _Wrong("the coefficients of the draws do not match the scores")


def _whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
