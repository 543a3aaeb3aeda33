"""Stored posteriors: what a file must hold, written with it and checked once when it is read."""

from __future__ import annotations

import json
import warnings
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescorr._files import check_writable
from bayescorr.bayes import _stack
from bayescorr.bayes.tasks import names, split_groups, stored_scores
from bayescorr.coefficients import DEFAULT_COEFFICIENTS, correlate
from bayescorr.errors import BayescorrError, ScoresError
from bayescorr.scores.check import check_scores, observed_means

#: Version of the layout below. Raise it if older releases would misread newer files.
FORMAT_VERSION = 1

#: Recompute the coefficients of this many draws, to see that the draws belong to the scores.
_RECOMPUTED = 50


@dataclass(frozen=True)
class _Kind:
    """What a file of one kind of posterior holds."""

    #: What to call it, and where it comes from.
    name: str
    remedy: str
    #: Dimensions of the variables by group, and the labels that the groups must have.
    dims: Mapping[str, Mapping[str, tuple[str, ...]]]
    labels: Mapping[str, tuple[str, ...]]


_FIT = _Kind(
    "a bayescorr fit",
    "Use a file written by 'bayescorr fit --out' or Fit.to_netcdf, or posterior.nc of a report.",
    {
        "posterior": {
            "true_means": ("chain", "draw", "system"),
            **dict.fromkeys(DEFAULT_COEFFICIENTS, ("chain", "draw")),
        },
        "observed_data": {"scores": ("topic", "system")},
    },
    {"posterior": ("system",), "observed_data": ("topic", "system")},
)
_CONDITIONS = _Kind(
    "a bayescorr posterior of several conditions",
    "Use posterior.nc of a folder written by 'bayescorr agree --out', or a file of "
    "Agreement.to_netcdf.",
    {
        "posterior": {
            "true_means": ("chain", "draw", "condition", "system"),
            **dict.fromkeys(DEFAULT_COEFFICIENTS, ("chain", "draw", "judge")),
        },
        "observed_data": {
            "scores": ("condition", "topic", "system"),
            "higher_is_better": ("condition",),
        },
    },
    {
        "posterior": ("condition", "judge", "system"),
        "observed_data": ("condition", "topic", "system"),
    },
)


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
    return _read(path, _FIT)


def read_conditions(path: str | PathLike[str]) -> Any:
    """Read the container of several conditions; raise ScoresError for anything else."""
    return _read(path, _CONDITIONS)


def _read(path: Any, kind: _Kind) -> Any:
    if not isinstance(path, (str, PathLike)):
        message = f"The path of {kind.name} must be text or a path; got {path!r}."
        raise ScoresError(message, kind.remedy)
    source = Path(path)
    if not source.exists():
        raise ScoresError(f"File {str(source)!r} does not exist.", "Check the path.")
    if source.is_dir():
        raise ScoresError(f"{str(source)!r} is a folder, not a file.", kind.remedy)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            # ArviZ and xarray warn about contents that the schema refuses.
            warnings.simplefilter("ignore")
            # If HDF5 cannot open a file or its top, h5netcdf prints a traceback when it is deleted.
            with import_module("h5py").File(source, "r") as file:
                list(file), list(file.attrs)
            idata = _stack.read_netcdf(source)
    # A damaged file makes HDF5, h5netcdf and xarray raise errors of any kind.
    except Exception as error:
        lines = str(error).splitlines() or [type(error).__name__]
        raise ScoresError(
            f"Cannot read {str(source)!r} as NetCDF: {lines[0].rstrip('.')}.", kind.remedy
        ) from None
    _refuse_newer(idata.attrs, source)
    try:
        _check_kind(_stack.groups(idata), idata.attrs, kind)
    except _Wrong as wrong:
        raise ScoresError(f"{str(source)!r} is not {kind.name}: {wrong}.", kind.remedy) from None
    return idata


def _check_kind(
    groups: Mapping[str, xr.Dataset], attributes: Mapping[str, Any], kind: _Kind
) -> None:
    """Check groups, variables, dimensions, labels, attributes and values."""
    for group, variables in kind.dims.items():
        if group not in groups:
            raise _Wrong(f"group {group} is missing")
        _refuse_other(groups[group], kind)
        for name, dims in variables.items():
            _check_variable(groups[group], group, name, dims)
        for name in kind.labels[group]:
            _check_labels(groups[group], group, name)
    _check_attributes(attributes)
    _check_sample_stats(groups)
    if kind is _CONDITIONS:
        _check_conditions(groups)
    else:
        better = attributes.get("higher_is_better")
        if not _whole(better) or better not in (0, 1):
            raise _Wrong("attribute higher_is_better is missing or neither 0 nor 1")
        _check_values(groups, bool(better))
    _check_contents(groups, attributes)


def _refuse_other(dataset: xr.Dataset, kind: _Kind) -> None:
    """Say what a file of another kind holds."""
    if "ap" in dataset and "true_means" not in dataset:
        raise _Wrong("it holds average precision of topics")
    several = "true_means" in dataset and "condition" in dataset["true_means"].dims
    if several and kind is _FIT:
        raise _Wrong("it holds several conditions; bayescorr.load_conditions reads it")
    if "true_means" in dataset and not several and kind is _CONDITIONS:
        raise _Wrong("it holds a single condition; bayescorr.load_fit reads it")


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
    if not isinstance(attributes.get("measure", ""), str):
        raise _Wrong("attribute measure is not text")
    if str(attributes.get("inference", "nuts")) not in ("nuts", "laplace"):
        raise _Wrong("attribute inference is neither nuts nor laplace")
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
    if "task" in observed:
        _check_tasks(groups)
    try:
        scores = check_scores(stored_scores(observed), missing="model", warn=False)
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


def _check_tasks(groups: Mapping[str, xr.Dataset]) -> None:
    """Check that the weights are valid, and that every task has draws of the same size."""
    observed, posterior = groups["observed_data"], groups["posterior"]
    if observed["task"].dims != ("topic",):
        raise _Wrong("variable task of group observed_data has other dimensions than topic")
    try:
        weights = json.loads(observed["task"].attrs["weights"])
        good = weights in (None, "size") or all(x > 0 for x in dict(weights).values())
    except (KeyError, TypeError, ValueError):
        good = False
    if not good:
        raise _Wrong("the weights of its tasks are garbled")
    if not (parts := split_groups(groups)):
        return
    if len(parts) != len(names(groups)):
        raise _Wrong("the draws of its tasks are not those of the scores")
    for part in parts:
        drawn = part.get("posterior", xr.Dataset()).get("true_means")
        if drawn is None or drawn.shape != posterior["true_means"].shape:
            raise _Wrong("the draws of its tasks have other sizes than the draws of their mean")
        _check_sample_stats(part)


def _check_conditions(groups: Mapping[str, xr.Dataset]) -> None:
    """Check that scores are valid and that draws and coefficients belong to the conditions."""
    posterior, observed = groups["posterior"], groups["observed_data"]
    for name in ("condition", "system"):
        if list(posterior.indexes[name]) != list(observed.indexes[name]):
            raise _Wrong(f"the {name}s of the draws are not those of the scores")
    conditions = list(posterior.indexes["condition"])
    if len(conditions) < 2 or list(posterior.indexes["judge"]) != conditions[1:]:
        raise _Wrong("the judges are not the conditions after the first")
    better = observed["higher_is_better"].to_numpy()
    if not np.isin(better, (0, 1)).all():
        raise _Wrong("variable higher_is_better has values other than 0 and 1")
    try:
        for name in conditions:
            table = pd.DataFrame(observed["scores"].sel(condition=name).to_pandas())
            check_scores(table.dropna(how="all"), warn=False)
    except BayescorrError as error:
        raise _Wrong(f"its scores are invalid: {error.message.rstrip('.')}") from None
    means = posterior["true_means"].to_numpy()
    draws = means.reshape(-1, *means.shape[2:]) * np.where(better, 1.0, -1.0)[:, None]
    some = np.unique(np.linspace(0, len(draws) - 1, _RECOMPUTED).astype(int))
    again = correlate(draws[some, :1], draws[some, 1:], "tau")["tau"]
    stored = posterior["tau"].to_numpy().reshape(-1, len(conditions) - 1)[some]
    if not np.allclose(stored, again, atol=1e-6):
        raise _Wrong("the coefficients of the draws do not match the true means")


def _whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
