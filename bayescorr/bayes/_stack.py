"""The two library stacks: PyMC 5 with ArviZ 0.23 (Python 3.11), PyMC 6 with ArviZ 1.x (3.12+).

Everything that differs between them is in this module, and so is every call of a private function
of PyTensor or nutpie. Elsewhere a posterior is a set of ``xarray.Dataset`` by group name, and a
compiled model is a :class:`Compiled`.
"""
# mypy: disable-error-code="untyped-decorator, misc"

from __future__ import annotations

import logging
import threading
import warnings
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescorr._numbers import FloatArray

if TYPE_CHECKING:
    import pymc as pm

#: Name of the data that say how many values each parameter of a :class:`Compiled` has.
SIZES = "_bayescorr_sizes"
#: Whether ArviZ keeps a posterior in an xarray.DataTree (1.x) or in its own InferenceData (0.x).
DATATREE = int(version("arviz").split(".")[0]) >= 1


def arviz() -> ModuleType:
    """Import ArviZ without its announcement of the next version."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            return import_module("arviz")
        except FileNotFoundError:
            # Another process wrote the date of the announcement to the same file at this moment.
            return import_module("arviz")


def pymc() -> ModuleType:
    """Import PyMC without the deprecation warnings of its dependencies."""
    arviz()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", FutureWarning)
        loaded = import_module("pymc")
        # PyMC does not import this submodule itself.
        import_module("pymc.model.transform.optimization")
        # PyTensor warns once if it finds no BLAS, which compiled models do not use.
        warnings.simplefilter("ignore", UserWarning)
        _ = import_module("pytensor").config.blas__ldflags
    return loaded


def container(groups: dict[str, xr.Dataset], attributes: dict[str, Any]) -> Any:
    """Return the native container of these groups."""
    if DATATREE:
        tree = xr.DataTree.from_dict(dict(groups))
        tree.attrs.update(attributes)
        return tree
    return arviz().InferenceData(attrs=attributes, **groups)


def groups(idata: Any) -> dict[str, xr.Dataset]:
    """Return every group of the native container by name."""
    if DATATREE:
        return {str(name): child.to_dataset() for name, child in idata.children.items()}
    return {str(name): idata[name] for name in idata.groups()}


def write_netcdf(idata: Any, path: Path) -> None:
    """Write the native container to a NetCDF file."""
    # Either stack reads files of the other if each group is an ordinary netCDF-4 group.
    top = xr.Dataset(attrs=dict(idata.attrs))
    top.to_netcdf(path, mode="w", engine="h5netcdf")
    for name, dataset in groups(idata).items():
        dataset.to_netcdf(path, mode="a", group=name, engine="h5netcdf")


def read_netcdf(path: Path) -> Any:
    """Read a NetCDF file into the native container and close the file."""
    with xr.open_datatree(path, engine="h5netcdf") as tree:
        loaded = {str(name): child.to_dataset().load() for name, child in tree.children.items()}
        attributes = {str(name): value for name, value in tree.attrs.items()}
    return container(loaded, attributes)


def rhat(dataset: xr.Dataset) -> xr.Dataset:
    """Return the rank-normalised split R-hat of every variable; NaN for a constant one."""
    if dataset.sizes["chain"] == 1:
        # ArviZ 0.x does not compare the halves of a single chain.
        half = dataset.sizes["draw"] // 2
        one = dataset.isel(chain=0, draw=slice(2 * half)).reset_coords(drop=True)
        one = one.drop_vars("draw", errors="ignore")
        dataset = one.coarsen(draw=half).construct(draw=("chain", "draw"))
    found: xr.Dataset = _quiet(arviz().rhat, dataset)
    return found


def ess(dataset: xr.Dataset, method: str) -> xr.Dataset:
    """Return the effective sample size of every variable; ``method`` is "bulk" or "tail"."""
    found: xr.Dataset = _quiet(arviz().ess, dataset, method=method)
    return found


def psis(log_likelihood: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return smoothed log weights (draws x topics) that leave each topic out, and its Pareto k."""
    by_topic = np.ascontiguousarray(log_likelihood.T)
    if DATATREE:
        array_stats = import_module("arviz_stats.base").array_stats
        # ArviZ 1.x takes log densities, 0.x takes log ratios.
        weights, k = _quiet(array_stats.psislw, by_topic)
    else:
        weights, k = _quiet(arviz().psislw, -by_topic)
    weights = np.asarray(weights).T
    return weights - np.logaddexp.reduce(weights, axis=0), np.atleast_1d(np.asarray(k))


def _quiet(function: Any, *arguments: Any, **options: Any) -> Any:
    """Call a diagnostic without its messages about few draws and constant quantities."""
    logger = logging.getLogger("arviz")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return function(*arguments, **options)
    finally:
        logger.setLevel(level)


@dataclass(frozen=True, eq=False)
class Compiled:
    """A PyMC model as functions of one unconstrained vector and of the model's data."""

    #: f(x, **data) -> log density and its gradient; NaN where the density is undefined.
    log_density: Callable[..., tuple[float, FloatArray]]
    #: f(x, **data) -> parameters and deterministic variables by name.
    expand: Callable[..., dict[str, FloatArray]]
    #: f(**data) -> a point where the density is defined, an array per parameter.
    start: Callable[..., list[FloatArray]]
    #: Values of the model's ``pm.Data`` by name. If the model takes data of any size, also the
    #: lengths of its dimensions by name, and ``SIZES``.
    data: Mapping[str, Any]
    #: Labels of the dimensions, and the dimensions of each variable.
    coords: Mapping[str, Any]
    dims: Mapping[str, Any]

    def on(self, data: Mapping[str, Any], coords: Mapping[str, Any]) -> Compiled:
        """Return the same model of other data, of other sizes if it takes any.

        Dimensions that ``coords`` does not name keep their labels.
        """
        coords = {**self.coords, **coords}
        if SIZES in self.data:
            lengths = {name: np.array(len(labels)) for name, labels in coords.items()}
            data = {**data, **lengths}
            data = {**data, SIZES: _sizes(self.start(**data))}
        return replace(self, data=data, coords=coords)

    def at(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Return the log density of the model's data and its gradient."""
        return self.log_density(x, **self.data)

    @cached_property
    def point(self) -> FloatArray:
        """A point where the density is defined, one coordinate per parameter."""
        return np.concatenate([np.ravel(part) for part in self.start(**self.data)])

    def initial(self, seed: int | None = None) -> FloatArray:
        """Return a starting point, with a seed at random up to 1 from it in each coordinate."""
        if seed is None:
            return self.point
        return self.point + np.random.default_rng(seed).uniform(-1, 1, len(self.point))

    def in_coordinates(self, centre: FloatArray, factor: FloatArray) -> Compiled:
        """Return the same model as a function of z, where x = centre + factor z."""

        def log_density(z: FloatArray, /, **data: Any) -> tuple[float, FloatArray]:
            value, gradient = self.log_density(centre + factor @ z, **data)
            return value, gradient @ factor

        return replace(
            self,
            log_density=log_density,
            expand=lambda z, /, **data: self.expand(centre + factor @ z, **data),
            start=lambda **data: [np.zeros(len(centre))],
        )

    def sample(self, **options: Any) -> Any:
        """Sample with nutpie and return the native container."""
        import nutpie
        from nutpie.compiled_pyfunc import from_pyfunc

        first = self.expand(self.initial(), **self.data)
        model = from_pyfunc(
            ndim=len(self.initial()),
            make_logp_fn=lambda: self.log_density,
            make_expand_fn=lambda *seeds: self.expand,
            make_initial_point_fn=self.initial,
            expanded_dtypes=[np.dtype("float64")] * len(first),
            expanded_shapes=[value.shape for value in first.values()],
            expanded_names=list(first),
            coords={name: pd.Index(labels) for name, labels in self.coords.items()},
            dims=dict(self.dims),
            shared_data=dict(self.data),
        )
        return nutpie.sample(model, save_warmup=False, **options)


def compile_model(model: pm.Model, *, any_size: bool = False) -> Compiled:
    """Compile a PyMC model to functions of arrays, which PyTensor caches on disk.

    With ``any_size``, one compilation serves data of all sizes: lengths of dimensions stay
    variables. The parameters must then be numbers and vectors. Otherwise they are constants.

    nutpie's own compilation makes C callbacks, which takes numba half a minute for every shape of
    the data in every process. Calling these functions from Python instead costs microseconds per
    evaluation, with the GIL released.
    """
    import numba

    loaded = pymc()
    import pytensor
    from pymc.initial_point import make_initial_point_fn
    from pymc.model.transform.optimization import freeze_dims_and_data
    from pymc.pytensorf import gradient, rewrite_pregrad
    from pytensor.graph.replace import clone_replace

    coords = model.coords
    if not any_size:
        model = freeze_dims_and_data(model, dims=list(coords), data=[])
    inputs = [model.rvs_to_values[variable] for variable in model.free_RVs]
    results = [*model.free_RVs, *model.deterministics]
    names = [variable.name for variable in results]
    changing = {variable.name: variable for variable in model.data_vars}
    if any_size:
        changing |= {name: model.dim_lengths[name] for name in coords}
    data = {name: variable.get_value() for name, variable in changing.items()}
    point_of = make_initial_point_fn(model=model, jitter_rvs=set(), return_transformed=True)
    # Chains ask for their starting points from several threads at once.
    lock = threading.Lock()

    def start(**data: Any) -> list[FloatArray]:
        with lock:
            for name, variable in changing.items():
                variable.set_value(data[name])
            point = point_of(0)
        return [np.asarray(point[variable.name], float) for variable in inputs]

    first = start(**data)
    sizes: Any = [value.size for value in first]
    if any_size:
        data[SIZES] = _sizes(first)
        sizes = pytensor.shared(data[SIZES], name=SIZES)

    def compiled(outputs: list[Any]) -> Callable[..., Any]:
        vector, replaced = _split(inputs, first, sizes)
        joined = clone_replace(outputs, replaced, rebuild_strict=False)
        # Fast mathematics rounds differently once a function comes from the disk cache, so that
        # the same seed would give other draws.
        with model, pytensor.config.change_flags(numba__fastmath=False):
            function = loaded.compile([vector], joined, mode="NUMBA")
        shared = [variable.name for variable in function.get_shared()]
        jitted = function.vm.jit_fn
        jitted.targetoptions["nogil"] = True
        return lambda x, data: jitted(x, *(data[name] for name in shared))

    # Not ``model.dlogp``, which rewrites the density first: PyTensor may then not see what value
    # and gradient have in common, and do all the linear algebra twice.
    density = rewrite_pregrad(model.logp())
    log_density = compiled([density, gradient(density, inputs)])
    values = compiled(model.replace_rvs_by_values(results))

    def evaluate(x: FloatArray, /, **data: Any) -> tuple[float, FloatArray]:
        try:
            value, gradient = log_density(x, data)
        except (ArithmeticError, ValueError):
            return np.nan, np.zeros_like(x)
        if not np.isfinite(gradient).all():
            return np.nan, np.zeros_like(x)
        return float(value), gradient

    def expand(x: FloatArray, /, **data: Any) -> dict[str, FloatArray]:
        found = (np.asarray(value, float) for value in values(x, data))
        return dict(zip(names, found, strict=True))

    dims = {name: dims for name, dims in model.named_vars_to_dims.items() if name in names}
    whole = Compiled(evaluate, expand, start, data, coords, dims)
    # Numba compiles at the first call, which must not come from several chains at once.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", numba.NumbaPerformanceWarning)
        whole.at(whole.initial())
        expand(whole.initial(), **data)
    return whole


def _sizes(parts: list[FloatArray]) -> np.ndarray:
    """Return the number of values of each part."""
    return np.array([part.size for part in parts])


def _split(inputs: list[Any], first: list[FloatArray], sizes: Any) -> tuple[Any, dict[Any, Any]]:
    """Return a vector of all parameters, and each parameter as a part of it.

    ``first`` has a value of each; ``sizes`` are numbers, or variables if they may change.
    """
    import pytensor.tensor as pt

    vector, replaced, start = pt.dvector("parameters"), {}, 0
    for i, (variable, value) in enumerate(zip(inputs, first, strict=True)):
        end = start + (sizes[i] if value.ndim else 1)
        part = vector[start:end] if value.ndim else vector[start]
        if value.ndim > 1:
            part = part.reshape(value.shape)
        replaced[variable] = variable.type.filter_variable(part.astype(variable.dtype))
        start = end
    return vector, replaced


@cache
def density_op(kernel: Any, differentiable: tuple[int, ...]) -> Any:
    """Return a PyTensor operation of a numba kernel: a log density with its own derivatives.

    ``kernel(*inputs)`` returns the density and its derivatives by the inputs at the positions
    ``differentiable``; the other inputs are data. The operation returns the density.
    """
    import numba
    import pytensor.tensor as pt
    from pytensor.graph.basic import Apply
    from pytensor.graph.op import Op
    from pytensor.link.numba.dispatch.basic import register_funcify_default_op_cache_key

    class DensityOp(Op):
        __props__ = ()

        def make_node(self, *inputs: Any) -> Apply:
            given = [pt.as_tensor(value, dtype="float64") for value in inputs]
            by = [given[i].type() for i in differentiable]
            return Apply(self, given, [pt.dscalar(), *by])

        def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
            values = kernel(*(np.asarray(value, float) for value in inputs))
            for storage, value in zip(output_storage, values, strict=True):
                storage[0] = np.asarray(value)

        def L_op(self, inputs: Any, outputs: Any, output_grads: Any) -> list[Any]:
            by = dict(zip(differentiable, outputs[1:], strict=True))
            return [
                output_grads[0] * by[i] if i in by else pt.zeros_like(value)
                for i, value in enumerate(inputs)
            ]

        #: The name of ``L_op`` in newer versions of PyTensor.
        pullback = L_op

    @register_funcify_default_op_cache_key(DensityOp)
    def _numba(op: Op, node: Apply, **options: Any) -> Any:
        @numba.njit(fastmath=False)
        def compiled(*inputs: Any) -> Any:
            return kernel(*inputs)

        # Compiled models stay on disk: the key changes with the source of the kernel.
        source = Path(kernel.py_func.__code__.co_filename)
        return compiled, zlib.crc32(source.read_bytes())

    operation = DensityOp()
    return lambda *inputs: operation(*inputs)[0]


def pointwise_log_likelihood(model: pm.Model, draws: Mapping[str, FloatArray]) -> FloatArray:
    """Return the log density of each topic under a PyMC model, draws x topics.

    The observed variables have topics on their first axis; a topic's densities are summed.
    """
    posterior = xr.Dataset()
    for name in (variable.name for variable in model.free_RVs):
        inner = [f"{name}_{i}" for i in range(draws[name].ndim - 1)]
        posterior[name] = (("chain", "draw", *inner), draws[name][None])
    idata = container({"posterior": posterior}, {})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = pymc().compute_log_likelihood(
            idata, model=model, extend_inferencedata=False, progressbar=False
        )
    densities = [np.asarray(values)[0] for values in dict(found).values()]
    return np.asarray(sum(x.reshape(*x.shape[:2], -1).sum(axis=2) for x in densities))
