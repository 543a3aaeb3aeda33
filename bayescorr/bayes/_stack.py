"""The two library stacks: PyMC 5 with ArviZ 0.23 (Python 3.11), PyMC 6 with ArviZ 1.x (3.12+).

Everything that differs between them is in this module. Outside of it a posterior is a set of
``xarray.Dataset`` by group name, whatever the native container.
"""

from __future__ import annotations

import logging
import warnings
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import xarray as xr

#: Whether ArviZ keeps a posterior in an xarray.DataTree (1.x) or in its own InferenceData (0.x).
DATATREE = int(version("arviz").split(".")[0]) >= 1


def arviz() -> ModuleType:
    """Import ArviZ without the announcement of its next version."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return import_module("arviz")


def pymc() -> ModuleType:
    """Import PyMC without what its libraries announce to each other."""
    arviz()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", FutureWarning)
        loaded = import_module("pymc")
        # Not part of it until it is asked for.
        import_module("pymc.model.transform.optimization")
        # Looked up once: PyTensor warns that it found no BLAS, which compiled models do not use.
        warnings.simplefilter("ignore", UserWarning)
        _ = import_module("pytensor").config.blas__ldflags
    return loaded


def container(groups: dict[str, xr.Dataset], attributes: dict[str, Any]) -> Any:
    """Put groups into the native container."""
    if DATATREE:
        tree = xr.DataTree.from_dict(dict(groups))
        tree.attrs.update(attributes)
        return tree
    return arviz().InferenceData(attrs=attributes, **groups)


def group(idata: Any, name: str) -> xr.Dataset | None:
    """Take a group out of the native container; None where there is no such group."""
    if DATATREE:
        return idata[name].to_dataset() if name in idata.children else None
    return idata[name] if name in idata.groups() else None


def groups(idata: Any) -> dict[str, xr.Dataset]:
    """Take every group out of the native container."""
    names = idata.children if DATATREE else idata.groups()
    found = {str(name): group(idata, str(name)) for name in names}
    return {name: dataset for name, dataset in found.items() if dataset is not None}


def write_netcdf(idata: Any, path: Path) -> None:
    """Write the native container to a NetCDF file."""
    # Both stacks read files of the other when each group is an ordinary netCDF-4 group.
    top = xr.Dataset(attrs=dict(idata.attrs))
    top.to_netcdf(path, mode="w", engine="h5netcdf")
    for name, dataset in groups(idata).items():
        dataset.to_netcdf(path, mode="a", group=name, engine="h5netcdf")


def read_netcdf(path: Path) -> Any:
    """Read a NetCDF file into the native container, closing the file."""
    with xr.open_datatree(path, engine="h5netcdf") as tree:
        loaded = {str(name): child.to_dataset().load() for name, child in tree.children.items()}
        attributes = {str(name): value for name, value in tree.attrs.items()}
    return container(loaded, attributes)


def rhat(dataset: xr.Dataset) -> xr.Dataset:
    """Rank-normalised split R-hat of every variable; NaN for a constant one."""
    if dataset.sizes["chain"] == 1:
        # ArviZ 0.x gives up on one chain, although its halves can be compared.
        half = dataset.sizes["draw"] // 2
        halves = [
            dataset.isel(draw=slice(i * half, (i + 1) * half)).assign_coords(
                chain=[i], draw=np.arange(half)
            )
            for i in range(2)
        ]
        dataset = xr.concat(halves, "chain")
    return _diagnostic("rhat", dataset)


def ess(dataset: xr.Dataset, method: str) -> xr.Dataset:
    """Effective sample size of every variable; ``method`` is "bulk" or "tail"."""
    return _diagnostic("ess", dataset, method=method)


def bfmi(energy: np.ndarray) -> np.ndarray:
    """Bayesian fraction of missing information of each chain, from the energies (chain x draw)."""
    return np.asarray(np.square(np.diff(energy, axis=1)).mean(axis=1) / energy.var(axis=1))


def psis(log_likelihood: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Smoothed log weights (draws x topics) for leaving each topic out, and Pareto k per topic.

    The weights of a topic sum to one.
    """
    by_topic = np.ascontiguousarray(log_likelihood.T)
    if DATATREE:
        array_stats = import_module("arviz_stats.base").array_stats
        # This one takes log densities and changes their sign, the older one takes log ratios.
        weights, k = _quiet(array_stats.psislw, by_topic)
    else:
        weights, k = _quiet(arviz().psislw, -by_topic)
    weights = np.asarray(weights).T
    return weights - np.logaddexp.reduce(weights, axis=0), np.atleast_1d(np.asarray(k))


def _diagnostic(name: str, dataset: xr.Dataset, **options: Any) -> xr.Dataset:
    """Call a diagnostic of ArviZ on a dataset, without a word where draws are too few for it."""
    logger = logging.getLogger("arviz")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        result: xr.Dataset = _quiet(getattr(arviz(), name), dataset, **options)
    finally:
        logger.setLevel(level)
    return result


def _quiet(function: Any, *arguments: Any, **options: Any) -> Any:
    """Call a diagnostic without its warnings about constant quantities: we judge ourselves."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(*arguments, **options)
