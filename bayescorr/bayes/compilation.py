"""PyMC models compiled for nutpie, quickly.

nutpie's own way turns a model into C callbacks, which takes numba half a minute for every shape of
the data in every process. Here numba is given functions of plain arrays, which PyTensor keeps on
disk from one process to the next, and nutpie calls them from Python: some microseconds per
evaluation, during which the interpreter is free for other chains.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescorr._numbers import FloatArray
from bayescorr.bayes import _stack, packing
from bayescorr.errors import ModelError, listing

if TYPE_CHECKING:
    import pymc as pm


def compile_model(model: pm.Model) -> Any:
    """Compile a model whose data are declared by ``packing.declare``; ``with_data`` renews them."""
    import numba
    from nutpie.compiled_pyfunc import from_pyfunc

    pymc = _stack.pymc()
    from pymc.initial_point import make_initial_point_fn
    from pymc.model.transform.optimization import freeze_dims_and_data
    from pymc.pytensorf import join_nonshared_inputs
    from pytensor import config

    if [variable.name for variable in model.data_vars] != [packing.NAME]:
        found = listing([str(variable.name) for variable in model.data_vars]) or "none"
        raise ModelError(
            f"The data of the PyMC model are not those that bayescorr declares (found: {found}).",
            "Call self.declare(data, priors) inside `with pm.Model()`, add no pm.Data, and build "
            "the model on what it returns.",
        )
    model = freeze_dims_and_data(model, dims=list(model.coords), data=[])
    start = make_initial_point_fn(
        model=model, jitter_rvs=set(model.free_RVs), return_transformed=True
    )
    # Chains ask for their starting points from threads of their own, all at once.
    lock = threading.Lock()
    inputs = [model.rvs_to_values[variable] for variable in model.free_RVs]
    results = [*model.free_RVs, *model.deterministics]
    names = [variable.name for variable in results]
    data = model[packing.NAME].get_value()

    def initial(seed: int) -> FloatArray:
        with lock:
            point = start(seed)
        return np.concatenate([np.ravel(point[variable.name]) for variable in inputs]).astype(float)

    def compiled(outputs: list[Any]) -> Callable[[FloatArray, FloatArray], Any]:
        joined, vector = join_nonshared_inputs(start(0), outputs=outputs, inputs=inputs)
        # Fast mathematics rounds one way when just compiled and another when taken from disk: the
        # same seed would give other draws.
        with model, config.change_flags(numba__fastmath=False):
            function = pymc.compile([vector], joined, mode="NUMBA")
        jitted = function.vm.jit_fn
        # Other chains go on while it runs.
        jitted.targetoptions["nogil"] = True
        return jitted if function.get_shared() else lambda x, data: jitted(x)

    log_density = compiled([model.logp(), model.dlogp(model.free_RVs)])
    values = compiled(model.replace_rvs_by_values(results))

    def evaluate(x: FloatArray, data: FloatArray) -> tuple[float, FloatArray]:
        # Where the density is not defined no step can be made, which the sampler takes as that.
        try:
            value, gradient = log_density(x, data)
        except (ArithmeticError, ValueError):
            return np.nan, np.zeros_like(x)
        return (float(value) if np.isfinite(gradient).all() else np.nan), gradient

    def expand(x: FloatArray, data: FloatArray) -> dict[str, FloatArray]:
        return dict(zip(names, map(np.asarray, values(x, data)), strict=True))

    # Numba compiles at the first call, which must not be that of several chains.
    first = initial(0)
    with warnings.catch_warnings():
        # Parts of the vector of data are small matrices of any layout.
        warnings.simplefilter("ignore", numba.NumbaPerformanceWarning)
        evaluate(first, data)
        shapes = [value.shape for value in expand(first, data).values()]
    return from_pyfunc(
        ndim=len(first),
        make_logp_fn=lambda: evaluate,
        make_expand_fn=lambda *seeds: expand,
        make_initial_point_fn=initial,
        expanded_dtypes=[np.dtype("float64")] * len(names),
        expanded_shapes=shapes,
        expanded_names=names,
        coords={name: pd.Index(labels) for name, labels in model.coords.items()},
        dims={name: dims for name, dims in model.named_vars_to_dims.items() if name in names},
        shared_data={packing.NAME: data},
    )
